"""Where the links of a tree are: poses in the world at given joint coordinates."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError
from cotree.io.robots.description import GROUND, Joint, Robot
from cotree.io.robots.joints import BALLS, HINGES
from cotree.model.joints import axis_frame

Array = NDArray[np.float64]
NONE = np.zeros((6, 0))


def placed_links(robot: Robot, at: Mapping[str, Array]) -> dict[str, Array]:
    """Pose of each link; coordinates `at` of joints that are not at zero, about their screws."""
    poses = {GROUND: np.eye(4), **{root: np.eye(4) for root in robot.roots}}
    for joint in order(robot):
        poses[joint.child] = poses[joint.parent] @ joint.on_parent @ motion(joint, at.get(joint.name))
    return poses


def order(robot: Robot) -> list[Joint]:
    """Joints of the tree, each after the one that leads to its parent."""
    leading: dict[str, list[Joint]] = {}
    for joint in robot.joints.values():
        if not joint.closes:
            leading.setdefault(joint.parent, []).append(joint)
    found, waiting = [], [GROUND, *robot.roots]
    while waiting:
        joints = leading.get(waiting.pop(), [])
        found += joints
        waiting += [joint.child for joint in joints]
    if len(found) < len(robot.links) - len(robot.roots):
        reached = {joint.child for joint in found}
        lost = [name for name in robot.links if name not in reached and name not in robot.roots]
        raise DocumentError(f"link {lost[0]!r} is part of a cycle of joints that is not connected to the root")
    return found


def screws(joint: Joint) -> Array:
    """Of the joint's motion in its frame, (6, dof)."""
    e = np.array(joint.axis) / np.linalg.norm(joint.axis)
    unit = np.eye(6)
    if joint.kind in HINGES:
        return np.array([*e, 0, 0, 0]).reshape(6, 1)
    if joint.kind == "prismatic":
        return np.array([0, 0, 0, *e]).reshape(6, 1)
    if joint.kind == "planar":
        out = np.zeros((6, 3))
        out[:3, 0], out[3:, 1:] = e, axis_frame(np.zeros(3), e)[:3, :2]
        return out
    return {"floating": unit, "universal": unit[:, :2], **dict.fromkeys(BALLS, unit[:, :3])}.get(joint.kind, NONE)


def motion(joint: Joint, x: Array | None) -> Array:
    """Pose of the child's frame in the parent's: one exponential, two for a universal joint."""
    if x is None or not len(x):
        return np.eye(4)
    from cotree.lie import exp_se3  # slow to load, and not needed where the file draws the robot

    Z = screws(joint)
    if joint.kind == "universal":
        return np.asarray(exp_se3(Z[:, 0] * x[0]) @ exp_se3(Z[:, 1] * x[1]))
    return np.asarray(exp_se3(Z @ x))
