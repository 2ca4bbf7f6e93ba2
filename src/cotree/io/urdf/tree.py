"""The tree of links that a mechanism is written as, and the joints that remain to close its loops."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError, UnconnectedError
from cotree.io.robots.uses import joints_with_forces
from cotree.model.joints import Free, Joint, Planar, Revolute
from cotree.model.mechanism import Connection, Mechanism

Array = NDArray[np.float64]
CANNOT = "which URDF cannot express; save the mechanism as .json, or use other joints"


@dataclass(frozen=True)
class Branch:
    """A body and the joint that leads to it from the inner one; backward: the joint goes from this body to the inner."""

    body: str
    inner: str
    joint: Connection
    frame: Array  # of the joint, in the world
    backward: bool


@dataclass(frozen=True)
class Layout:
    """frames: of the bodies' data; links: of the URDF's links, both in the world as assembled."""

    branches: list[Branch]
    closing: list[tuple[Connection, Array, Array]]
    frames: dict[str, Array]
    links: dict[str, Array]


def layout(mech: Mechanism, sayable: Collection[type[Joint]]) -> Layout:
    """Joints in the user's order make the tree, first those that URDF can say, are not meant to be cut, and have forces."""
    from cotree.system.joint_frames import joint_frames
    from cotree.system.reference_assembly import body_frames  # slow to load, and not needed to read a file

    bodies, joints = [mech.ground, *mech.bodies.values()], list(mech.joints.values())
    number = {body.name: k for k, body in enumerate(bodies)}
    frames = body_frames(bodies, joints, number)
    ends = np.array([(number[c.parent], number[c.child]) for c in joints]).reshape(-1, 2)
    on_parent, on_child = joint_frames(joints, frames, ends)
    tree = _tree_joints(mech, joints, sayable)
    by_name = dict(zip(number, frames, strict=True))
    branches, links = _walk(mech, [k for k in range(len(joints)) if k in tree], joints, on_child, by_name)
    closing = [(joints[k], on_parent[k], on_child[k]) for k in range(len(joints)) if k not in tree]
    return Layout(branches, closing, by_name, links)


def _tree_joints(mech: Mechanism, joints: list[Connection], sayable: Collection[type[Joint]]) -> set[int]:
    """Places of joints that connect what was not connected before."""
    group, busy = dict[str, str](), joints_with_forces(mech)

    def top(name: str) -> str:
        while name in group:
            name = group[name]
        return name

    def rank(k: int) -> tuple[bool, bool, bool]:
        c = joints[k]
        return type(c.joint) not in sayable, c.name in mech.preferred_cut, c.name not in busy

    tree = set()
    for k in sorted(range(len(joints)), key=rank):
        a, b = top(joints[k].parent), top(joints[k].child)
        if a != b:
            group[b] = a
            tree.add(k)
            _check_sayable(joints[k], sayable)
    return tree


def _check_sayable(c: Connection, sayable: Collection[type[Joint]]) -> None:
    if type(c.joint) not in sayable:
        raise DocumentError(f"joint {c.name!r} is of type {type(c.joint).__name__}, {CANNOT}")


def _walk(
    mech: Mechanism, tree: list[int], joints: list[Connection], F: Array, frames: dict[str, Array]
) -> tuple[list[Branch], dict[str, Array]]:
    """From ground outwards, each body after the one that it is attached to."""
    at: dict[str, list[int]] = {}
    for k in tree:
        at.setdefault(joints[k].parent, []).append(k)
        at.setdefault(joints[k].child, []).append(k)
    links, branches, waiting = {"ground": np.eye(4)}, list[Branch](), ["ground"]
    while waiting:
        inner = waiting.pop(0)
        for k in at.get(inner, []):
            c = joints[k]
            backward = c.child == inner
            body = c.parent if backward else c.child
            if body not in links:
                links[body] = _link_frame(c, F[k], frames[body], backward)
                branches.append(Branch(body, inner, c, F[k], backward))
                waiting.append(body)
    lost = [name for name in mech.bodies if name not in links]
    if lost:
        raise UnconnectedError(f"no joint connects {lost[0]!r} to ground; add the missing joint, or ct.Free()")
    return branches, links


def _link_frame(c: Connection, F: Array, frame: Array, backward: bool) -> Array:
    """Frame of the link that a joint leads to: at the axis of rotation, or the frame in which the joint is described."""
    if isinstance(c.joint, Free | Planar):
        if backward:
            raise DocumentError(f"joint {c.name!r} goes from the outer body to the inner; swap parent and child")
        return F
    out = frame.copy()
    if isinstance(c.joint, Revolute):
        out[:3, 3] = F[:3, 3]
    return out
