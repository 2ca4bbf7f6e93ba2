"""The picture of a system: parts of its bodies, glyphs of its joints, springs and bars between bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.model.constraints import Distance
from cotree.model.forces import Spring
from cotree.model.shapes import Mesh
from cotree.system.system import System
from cotree.view.scene.frames import Frames
from cotree.view.scene.geometry import bar_parts, rolling_parts, shape_parts
from cotree.view.scene.glyphs import joint_glyphs
from cotree.view.scene.meshes import MOST
from cotree.view.scene.outlook import swept_points
from cotree.view.scene.parts import Part, extreme_points, numbers
from cotree.view.scene.reference import Reference, reference

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Drawing:
    """parts: of each body, without ground. size [m]: of the joint glyphs."""

    parts: list[list[Part]]
    joints: list[dict[str, Any]]
    ties: list[dict[str, Any]]
    size: float
    notes: list[str]


def drawing(found: Frames, system: System, most_triangles: int = MOST) -> Drawing:
    """most_triangles: of each mesh."""
    at = reference(system, found.origin)
    bodies = [system.mechanism.bodies[name] for name in system.body_names]
    shown = [
        shape_parts(body.shape, at.centres[row], most_triangles) or rolling_parts(at, row)
        for row, body in enumerate(bodies, start=1)
    ]
    lost = [b.shape.path for b, parts in zip(bodies, shown, strict=True) if isinstance(b.shape, Mesh) and not parts]
    thickness = thickness_of(at, shown)
    parts = [own or bar_parts(at, row, thickness) for row, own in enumerate(shown, start=1)]
    reach = np.ptp(swept_points(found, parts, frames=1), axis=0)
    size = 0.5 * min(thickness, 0.03 * float(np.linalg.norm(reach)))
    return Drawing(parts, _joints(at, size), _ties(at), size, [_missing(path) for path in lost])


def thickness_of(at: Reference, shown: list[list[Part]]) -> float:
    """Diameter [m] of bars that suits the bodies: 1/12 of the typical body size."""
    sizes = []
    for row, parts in enumerate(shown, start=1):
        points = [extreme_points(part) for part in parts] or [at.anchors(row), np.zeros((1, 3))]
        sizes.append(float(np.linalg.norm(np.ptp(np.concatenate(points), axis=0))) or _from_inertia(at, row))
    some = [size for size in sizes if size > 0.0]
    return float(np.median(some)) / 12.0 if some else 0.1


def _from_inertia(at: Reference, row: int) -> float:
    """Size of a ball of the same radius of gyration; zero for a point mass."""
    p = at.system.mechanism.bodies[at.system.body_names[row - 1]].properties
    return 2.0 * float(np.sqrt(np.trace(p.inertia) / 3.0 / (0.4 * p.mass))) if p.mass > 0.0 else 0.0


def _joints(at: Reference, size: float) -> list[dict[str, Any]]:
    cut = set(at.system.cut_joints)
    return [
        {
            "name": c.name, "kind": type(c.joint).__name__, "parent": c.parent, "child": c.child, "cut": c.name in cut,
            "glyphs": [{"body": row, "parts": parts} for row, parts in joint_glyphs(at, k, size)],
        }
        for k, c in enumerate(at.joints)
    ]  # fmt: skip


def _ties(at: Reference) -> list[dict[str, Any]]:
    """Springs, and distances that are kept: lines from a point of one body to a point of another."""
    system = at.system
    kinds: list[tuple[str, Spring | Distance]] = [("spring", spring) for spring in system.mechanism.springs.values()]
    kinds += [("distance", c) for c in system.constraints.values() if isinstance(c, Distance)]
    return [
        {
            "name": tie.name,
            "kind": kind,
            **_end(at, "a", tie.body_a, tie.point_a),
            **_end(at, "b", tie.body_b, tie.point_b),
        }
        for kind, tie in kinds
    ]


def _end(at: Reference, end: str, body: str, point: Array) -> dict[str, Any]:
    row = at.system.body_rows[body]
    return {f"body_{end}": row, f"point_{end}": numbers(point - at.centres[row])}


def _missing(path: Any) -> str:
    return f"The mesh {str(path)!r} could not be read (STL and OBJ files up to 100 MB are supported); bars are drawn instead."
