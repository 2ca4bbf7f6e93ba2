"""Stops of joints in pictures: a peg on the parent at each bound of the coordinate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.model.switches import Limit
from cotree.view.scene.parts import Part, across, cylinder
from cotree.view.scene.reference import Reference, reference_poses

Array = NDArray[np.float64]


def screw_of(joint: Any, coordinate: str | None) -> Array:
    """The screw of a coordinate in the joint frame."""
    names = [name.lstrip(".") for name in joint.coordinate_names()]
    Z: Array = joint.screws()
    return Z[:, 0 if coordinate is None else names.index(coordinate)]


def stops(at: Reference, k: int, limit: Limit, size: float) -> dict[str, Any]:
    """name, kind, body that carries them, parts: pegs beside a hinge where the child's mass centre would point, collars along
    a slide where the child would be."""
    row, frame = int(at.ends[k, 0]), at.on_parent[k]
    screw = screw_of(at.joints[k].joint, limit.coordinate)
    bounds = [x for x in (limit.lower, limit.upper) if np.isfinite(x)]
    turning = bool(np.any(screw[:3]))
    axis = frame[:3, :3] @ (screw[:3] if turning else screw[3:])
    axis = axis / (np.linalg.norm(axis) or 1.0)
    make = _pegs if turning else _collars
    parts = make(frame[:3, 3], axis, _towards_child(at, k, axis), bounds, size)
    return {"name": limit.name, "kind": "limit", "body": row, "parts": parts}


def _towards_child(at: Reference, k: int, axis: Array) -> Array:
    """Unit vector across the axis from the joint to the child's mass centre as assembled, in the frame of the parent."""
    C = reference_poses(at.system)
    parent, child = at.ends[k]
    d = C[parent][:3, :3].T @ C[child][:3, :3] @ -at.on_child[k, :3, 3]
    d = d - axis * (axis @ d)
    length = float(np.linalg.norm(d))
    return d / length if length > 1e-9 else across(axis)[0]


def _pegs(p: Array, axis: Array, out: Array, bounds: list[float], size: float) -> list[Part]:
    aside = np.cross(axis, out)
    ends = [p + 4.5 * size * (np.cos(angle) * out + np.sin(angle) * aside) for angle in bounds]
    return [cylinder(x - 1.5 * size * axis, x + 1.5 * size * axis, 0.5 * size) for x in ends]


def _collars(p: Array, axis: Array, _: Array, bounds: list[float], size: float) -> list[Part]:
    ends = [p + x * axis for x in bounds]
    return [cylinder(x - 0.3 * size * axis, x + 0.3 * size * axis, 1.8 * size) for x in ends]
