"""The joints of such files as joints of the catalogue."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import AxisError
from cotree.io.robots.description import Joint
from cotree.lie import inverse
from cotree.model import joints as catalogue
from cotree.model.joints import axis_frame

Array = NDArray[np.float64]

HINGES, BALLS = ("revolute", "continuous"), ("spherical", "ball")
WITH_AXIS = (*HINGES, "prismatic", "planar", "screw", "cylindrical", "universal", "revolute2")
ONE_DOF = (*HINGES, "prismatic", "screw")


def check_axis(axis: tuple[float, ...], what: str = "axis") -> tuple[float, ...]:
    """An axis with a direction."""
    if not any(axis):
        given = " ".join(f"{x:g}" for x in axis)
        raise AxisError(f"{what} {given} has no direction; give one such as 0 0 1")
    return axis


def drawn(joint: Joint, parent: Array, child: Array) -> catalogue.Joint:
    """A joint in the world, where its links are at these poses and its frames meet up to its own motion."""
    P, C = parent @ joint.on_parent, child @ joint.on_child
    point, axis = tuple(C[:3, 3]), tuple(C[:3, :3] @ joint.axis)
    if joint.kind in HINGES:
        return catalogue.Revolute(point, axis)
    if joint.kind == "prismatic":
        return catalogue.Prismatic(axis, point=point)
    if joint.kind == "screw":
        return catalogue.Helical(point, axis, joint.pitch)
    if joint.kind == "cylindrical":
        return catalogue.Cylindrical(point, axis)
    if joint.kind in BALLS:
        return catalogue.Spherical(point)
    if joint.kind == "planar":
        return catalogue.Planar(point, axis, tuple(P[:3, :3] @ _frame_about(joint.axis)[:3, 0]))
    if joint.kind == "floating":
        return catalogue.Free(frame_parent=inverse(parent) @ P, frame_child=joint.on_child)
    if joint.kind == "fixed":
        return catalogue.Weld()
    return catalogue.Universal(point, tuple(P[:3, :3] @ joint.axis), tuple(C[:3, :3] @ joint.axis2))


def told(joint: Joint) -> catalogue.Joint:
    """A joint by its frames on the two bodies, for loops."""
    frames: dict[str, Any] = {"frame_parent": joint.on_parent, "frame_child": joint.on_child}
    if joint.kind in HINGES:
        return catalogue.Revolute(axis=joint.axis, **frames)
    if joint.kind == "prismatic":
        return catalogue.Prismatic(axis=joint.axis, **frames)
    if joint.kind == "cylindrical":
        return catalogue.Cylindrical(axis=joint.axis, **frames)
    if joint.kind in BALLS:
        return catalogue.Spherical(**frames)
    if joint.kind == "planar":
        return catalogue.Planar(normal=joint.axis, **frames)
    if joint.kind == "universal":
        return catalogue.Universal(axis1=joint.axis, axis2=joint.axis2, **frames)
    return catalogue.Weld(**frames)


def _frame_about(axis: tuple[float, ...]) -> Array:
    e = np.array(axis)
    return axis_frame(np.zeros(3), e / np.linalg.norm(e))
