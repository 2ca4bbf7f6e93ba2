"""The picture of a system: parts of its bodies and of the scenery, glyphs of its joints and force elements, paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.model.mesh_files import MOST
from cotree.model.shapes import Mesh, shapes_of
from cotree.system.system import System
from cotree.view.scene.elements import fittings, ties, tyre_parts
from cotree.view.scene.frames import Frames
from cotree.view.scene.geometry import bar_parts, rolling_parts, shape_parts
from cotree.view.scene.glyphs import joint_glyphs
from cotree.view.scene.outlook import swept_points
from cotree.view.scene.parts import Part, extreme_points, numbers
from cotree.view.scene.reference import Reference, reference

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Drawing:
    """parts: of each body, without ground; scenery: of ground. size [m]: of the joint glyphs. traces: points of bodies."""

    parts: list[list[Part]]
    scenery: list[Part]
    joints: list[dict[str, Any]]
    ties: list[dict[str, Any]]
    fittings: list[dict[str, Any]]
    traces: list[dict[str, Any]]
    size: float
    notes: list[str]


def drawing(found: Frames, system: System, most_triangles: int = MOST) -> Drawing:
    """most_triangles: of each mesh."""
    at = reference(system, found.origin)
    bodies = [system.mechanism.bodies[name] for name in system.body_names]
    lost: list[Any] = []
    shown = [
        _looks(shapes_of(body.shape), at.centres[row], most_triangles, lost)
        or rolling_parts(at, row)
        or tyre_parts(at, row)
        for row, body in enumerate(bodies, start=1)
    ]
    around = _looks(system.mechanism.scenery_shapes, found.origin, most_triangles, lost)
    thickness = thickness_of(at, shown)
    parts = [own or bar_parts(at, row, thickness) for row, own in enumerate(shown, start=1)]
    reach = np.ptp(swept_points(found, parts, frames=1), axis=0)
    size = 0.5 * min(thickness, 0.03 * float(np.linalg.norm(reach)))
    made = ties(at, found, size)
    return Drawing(
        parts, around, _joints(at, size), made, fittings(at, size), _traces(at), size, [_missing(path) for path in lost]
    )


def _looks(shapes: Sequence[Any], centre: Array, most_triangles: int, lost: list[Any]) -> list[Part]:
    """Parts of shapes; paths of meshes that could not be read are added to `lost`."""
    out: list[Part] = []
    for one in shapes:
        parts = shape_parts(one, centre, most_triangles)
        lost += [one.path] if isinstance(one, Mesh) and not parts else []
        out += parts
    return out


def _traces(at: Reference) -> list[dict[str, Any]]:
    """Points whose paths are drawn, about the mass centres of their bodies."""
    out = []
    for t in at.system.mechanism.traces.values():
        row = at.system.body_rows[t.body]
        out.append({"name": t.name, "body": row, "point": numbers(t.point - at.centres[row]), "color": t.color})
    return out


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


def _missing(path: Any) -> str:
    return (
        f"The mesh {str(path)!r} could not be read (STL and OBJ files up to 100 MB are supported; GLB, glTF, PLY and others "
        "where trimesh is installed); it is left out, and bars are drawn where a body has no other shape."
    )
