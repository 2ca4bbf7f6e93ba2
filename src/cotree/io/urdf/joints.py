"""Joints of a URDF, and the elements that close loops in it.

Of the latter three forms are read: <loop_joint> with <link1> and <link2> (Drake's of old, now Isaac Sim's), <constraint>
with <parent_origin> and <child_origin> (proposed for urdfdom in 2026), and <loop> with <predecessor> and <successor> (URDF+,
arXiv 2411.19753).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError
from cotree.io.native.error_paths import located
from cotree.io.robots.description import Joint, Limit, Mimic
from cotree.io.robots.joints import BALLS, WITH_AXIS, check_axis
from cotree.io.urdf.links import origin_of, placed
from cotree.io.xml.elements import Element
from cotree.io.xml.values import attribute, number_at, one_of, the, vector_at
from cotree.model.joints import axis_frame

Array = NDArray[np.float64]
X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
TREE = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", *BALLS)
CLOSING = ("revolute", "continuous", "prismatic", "fixed", "planar", "cylindrical", "universal", *BALLS)
LOOPS = ("loop_joint", "constraint", "loop")


def read_joint(element: Element) -> Joint:
    """A joint of the tree: its frame on the child is the link's own."""
    name, kind = attribute(element, "name"), one_of(attribute(element, "type"), TREE, "type")
    axis = vector_at(element.first("axis"), "xyz", X)
    if kind in WITH_AXIS:
        check_axis(axis)
    dynamics = element.first("dynamics") or Element("dynamics", {})
    return Joint(
        name, kind, attribute(the(element, "parent"), "link"), attribute(the(element, "child"), "link"),
        origin_of(element), np.eye(4), axis if kind in WITH_AXIS else X, limit=_limit(element.first("limit")),
        damping=number_at(dynamics, "damping", 0.0), friction=number_at(dynamics, "friction", 0.0),
        mimic=_mimic(element.first("mimic")),
    )  # fmt: skip


def _limit(element: Element | None) -> Limit:
    if element is None:
        return Limit()
    keys = ("lower", "upper", "effort", "velocity")
    return Limit(**{key: number_at(element, key, endless=True) for key in keys if key in element.attributes})


def _mimic(element: Element | None) -> Mimic | None:
    if element is None:
        return None
    return Mimic(attribute(element, "joint"), number_at(element, "multiplier", 1.0), number_at(element, "offset", 0.0))


# -- loops ---------------------------------------------------------------------------------------------------


def read_loop(element: Element) -> Joint:
    """A joint that closes a loop, its axis the third of both frames."""
    name, kind = attribute(element, "name"), one_of(attribute(element, "type"), CLOSING, "type")
    if element.tag == "loop_joint":
        ends = [_end(the(element, tag)) for tag in ("link1", "link2")]
    elif element.tag == "loop":
        ends = [_end(the(element, tag)) for tag in ("predecessor", "successor")]
    else:
        links = (attribute(the(element, tag), "link") for tag in ("parent", "child"))
        frames = (origin_of(element, tag) for tag in ("parent_origin", "child_origin"))
        ends = list(zip(links, frames, strict=True))
    (a, A), (b, B) = ends
    if a == b:
        raise DocumentError(f"both ends are on link {a!r}; a loop is closed between two links")
    if kind == "universal":
        A, B = A @ _turn(_axis(element, "parent_axis"), 0), B @ _turn(_axis(element, "child_axis"), 1)
        return Joint(name, kind, a, b, A, B, X, closes=True)
    if kind in WITH_AXIS:
        A, B = A @ _turn(_axis(element, "parent_axis"), 2), B @ _turn(_axis(element, "child_axis"), 2)
    return Joint(name, kind, a, b, A, B, Z, closes=True)


def _end(element: Element) -> tuple[str, Array]:
    """Link and pose on it, written into the element or as an <origin> inside."""
    inside = element.first("origin")
    return attribute(element, "link"), placed(inside if inside is not None else element)


def _axis(element: Element, tag: str) -> tuple[float, ...]:
    """Axis on one side, or that of both."""
    found = element.first(tag) or element.first("axis")
    return check_axis(vector_at(found, "xyz", X), "axis" if found is None else found.tag)


def _turn(axis: tuple[float, ...], which: int) -> Array:
    """Pose that turns the first, second or third axis of a frame to `axis`."""
    e = np.array(axis)
    C = axis_frame(np.zeros(3), e / np.linalg.norm(e))
    order = {0: (2, 0, 1), 1: (1, 2, 0), 2: (0, 1, 2)}[which]
    C[:3, :3] = C[:3, list(order)]
    return C


def check_loop_elements(robot: Element) -> None:
    """Elements that hold something together and are not known must not go unseen."""
    for element in robot.all("coupling"):
        with located(element.who):
            raise DocumentError("couplings of URDF+ are not supported; write a <mimic> into the joint that follows")
