"""Glyphs of joints, made from their screws: a pin for a rotation, an arrow for a translation, a ball for several rotations."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cotree.model.joints import Free, Universal
from cotree.view.scene.parts import Part, across, box, cone, cylinder, sphere
from cotree.view.scene.reference import Reference

Array = NDArray[np.float64]
TURNS = 2.5  # of the thread on a helical joint
PIECES = 12  # a turn of it


def joint_glyphs(reference: Reference, k: int, size: float) -> list[tuple[int, list[Part]]]:
    """(row of the body that carries them, parts) of joint k; `size` is the radius of a pin's head."""
    joint, (parent, child) = reference.joints[k].joint, (int(row) for row in reference.ends[k])
    on_parent, on_child = reference.on_parent[k], reference.on_child[k]
    Z = joint.screws()
    if isinstance(joint, Universal):  # the first axis stays on the parent
        return [
            (parent, [_pin(on_parent, Z[:3, 0], size), sphere(on_parent[:3, 3], size)]),
            (child, [_pin(on_child, Z[:3, 1], size)]),
        ]
    if isinstance(joint, Free):
        return [(child, [_bar(on_child, e, 2.5 * size, 0.2 * size) for e in np.eye(3)])]
    if joint.dof == 0:
        return [(child, [box(on_child[:3, 3], np.full(3, 1.8 * size), on_child[:3, :3])])]
    turning = Z[:3].any(axis=0)
    parts = [sphere(on_child[:3, 3], 1.3 * size)] if turning.sum() == 3 else []
    for screw in Z.T[turning] if not parts else ():
        parts += [_pin(on_child, screw[:3], size), *_thread(on_child, screw, size)]
    for screw in Z.T[~turning]:
        parts += _arrow(on_child, screw[3:], size)
    return [(child, parts)]


def _bar(frame: Array, direction: Array, half: float, radius: float) -> Part:
    e = half * (frame[:3, :3] @ direction)
    return cylinder(frame[:3, 3] - e, frame[:3, 3] + e, radius)


def _pin(frame: Array, axis: Array, size: float) -> Part:
    """Pin along the axis of a rotation."""
    return _bar(frame, axis, 3.0 * size, 0.6 * size)


def _arrow(frame: Array, direction: Array, size: float) -> list[Part]:
    """Double-headed arrow along a translation."""
    e, p = frame[:3, :3] @ direction, frame[:3, 3]
    heads = [cone(p + s * 4.0 * size * e, p + s * 6.0 * size * e, 0.9 * size) for s in (1.0, -1.0)]
    return [_bar(frame, direction, 4.0 * size, 0.35 * size), *heads]


def _thread(frame: Array, screw: Array, size: float) -> list[Part]:
    """Thread around the pin of a screw motion, with the correct handedness; the lead is not to scale."""
    pitch = float(screw[:3] @ screw[3:])
    if pitch == 0.0:
        return []
    e, f = across(screw[:3])
    angle = 2 * np.pi * TURNS * np.linspace(-0.5, 0.5, round(TURNS * PIECES) + 1)
    along = np.sign(pitch) * 2.0 * size / (np.pi * TURNS) * angle
    local = np.outer(along, screw[:3]) + 0.9 * size * (np.outer(np.cos(angle), e) + np.outer(np.sin(angle), f))
    points = frame[:3, 3] + local @ frame[:3, :3].T
    return [cylinder(a, b, 0.25 * size, rounded=True) for a, b in pairwise(points)]
