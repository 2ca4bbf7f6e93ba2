"""Planar faces of two solids that touch, where they can block sliding along a shared axis."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

import numpy as np
from OCP.BRepAlgoAPI import BRepAlgoAPI_Common
from OCP.BRepBuilderAPI import BRepBuilderAPI_Transform
from OCP.gp import gp_Trsf, gp_Vec
from OCP.TopAbs import TopAbs_FACE

from cotree.io.step.kernel.document import explore
from cotree.io.step.kernel.measure import bounds, volume_properties
from cotree.io.step.kernel.surfaces import area_of, as_face, plane_of, vector
from cotree.io.step.matching import find_matches, near_pairs
from cotree.io.step.plain import MM, SolidData, Touch
from cotree.judge import PARALLEL

LEAST_AREA = 1e-6  # of the smaller face; less is an edge that touches


def touches(shapes: list[Any], solids: list[SolidData], tolerance: float) -> list[Touch]:
    """Contacts across the axes that solids share; planes that no axis is perpendicular to are not looked at."""
    axes: dict[int, list[np.ndarray]] = {}
    for match in find_matches(solids, tolerance):
        for k in match.pair:
            axes.setdefault(k, []).append(np.array(match.axis))
    planes = cache(lambda k: _planes(shapes[k]))
    found = []
    for i, j in near_pairs(solids, tolerance):
        wanted = axes.get(i, []) + axes.get(j, [])
        for one in planes(i) if wanted else ():
            if any(np.linalg.norm(np.cross(one.normal, e)) < PARALLEL for e in wanted):
                found += [Touch(i, j, vector(one.normal), area * MM**2)
                          for two in planes(j) if (area := one.contact(two, tolerance / MM)) > 0.0]  # fmt: skip
    return found


class Plane:
    """A planar face of the kernel [mm]: point and outward normal."""

    def __init__(self, face: Any, point: np.ndarray, normal: np.ndarray) -> None:
        self.face, self.point, self.normal = face, point, normal / np.linalg.norm(normal)

    @cached_property
    def box(self) -> tuple[np.ndarray, np.ndarray]:
        return bounds(self.face)

    def meets(self, other: Plane, tolerance: float) -> bool:
        """Whether the bounding boxes do."""
        (low, high), (least, most) = self.box, other.box
        return bool(np.all(low <= most + tolerance) and np.all(least <= high + tolerance))

    def contact(self, other: Plane, tolerance: float) -> float:
        """Area [mm^2] where two faces that look at each other touch."""
        gap = float(self.normal @ (other.point - self.point))
        opposed = self.normal @ other.normal < 0 and np.linalg.norm(np.cross(self.normal, other.normal)) < PARALLEL
        if not opposed or abs(gap) > tolerance or not self.meets(other, tolerance):
            return 0.0
        shift = gp_Trsf()
        shift.SetTranslation(gp_Vec(*(-gap * self.normal).tolist()))
        moved = BRepBuilderAPI_Transform(other.face, shift, True).Shape()
        common = BRepAlgoAPI_Common(self.face, moved)
        if not common.IsDone():
            return 0.0
        area = area_of(common.Shape())
        return area if area > LEAST_AREA * min(area_of(self.face), area_of(other.face)) else 0.0


def _planes(solid: Any) -> list[Plane]:
    low, high = bounds(solid)
    outward = 1.0 if volume_properties(solid, 0.5 * (low + high))[0] >= 0.0 else -1.0
    faces = [(face, plane_of(face, outward)) for face in map(as_face, explore(solid, TopAbs_FACE))]
    return [Plane(face, *plane) for face, plane in faces if plane is not None and np.any(plane[1])]
