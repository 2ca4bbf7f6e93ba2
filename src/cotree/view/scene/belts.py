"""The straight stretches of belts in pictures: the two common tangents of their pulleys."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.model.force_elements import Belt
from cotree.view.scene.reference import Reference, in_data, reference_poses

Array = NDArray[np.float64]
PARALLEL = 1e-6
Strand = tuple[str, str, tuple[str, Any], tuple[str, Any]]


def strands(at: Reference, e: Belt) -> list[Strand]:
    """(name, kind, (body, point), (body, point)) of both, on the bodies that carry the pulleys; none where the axes are not
    parallel or one pulley lies within the other."""
    first, second = (_pulley(at, joint) for joint in (e.joint_a, e.joint_b))
    crossed = e.radius_a * e.radius_b * (first[2] @ second[2]) < 0.0
    if abs(first[2] @ second[2]) < 1.0 - PARALLEL:
        return []
    radii = abs(e.radius_a), -abs(e.radius_b) if crossed else abs(e.radius_b)
    return [
        (e.name, "belt", (first[0], in_data(at, first[0], a)), (second[0], in_data(at, second[0], b)))
        for a, b in tangents(first[1], second[1], first[2], *radii)
    ]


def tangents(p: Array, o: Array, axis: Array, r: float, s: float) -> list[tuple[Array, Array]]:
    """Ends of the lines that touch two circles about p and o: p + r n and o + s n with n . (o - p) = r - s; one of the radii is
    negative where the lines cross."""
    apart = (o - p) - axis * (axis @ (o - p))
    distance = float(np.linalg.norm(apart))
    if distance <= abs(r - s):
        return []
    along, sine = apart / distance, (r - s) / distance
    aside = np.sqrt(1.0 - sine * sine) * np.cross(axis, along)
    return [(p + r * n, o + s * n) for n in (sine * along + aside, sine * along - aside)]


def _pulley(at: Reference, joint: str) -> tuple[str, Array, Array]:
    """(body that carries it, centre and axis in the world as assembled)."""
    k = [c.name for c in at.joints].index(joint)
    row, F = int(at.ends[k, 0]), at.on_parent[k]
    C = reference_poses(at.system)[row]
    return at.joints[k].parent, C[:3, :3] @ (F[:3, 3] + at.centres[row]) + C[:3, 3], C[:3, :3] @ F[:3, 2]
