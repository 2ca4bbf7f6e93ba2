"""Closing the loops of a robot that its file draws open: coordinates near zero at which the closing joints' frames meet.

The mechanism is then described as assembled there; its coordinates are counted from that configuration.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from cotree.errors import AssemblyError
from cotree.io.robots.description import Joint, Robot
from cotree.io.robots.joints import BALLS, HINGES, ONE_DOF
from cotree.io.urdf.placing import order, placed_links, screws
from cotree.io.xml.poses import inverse

Array = NDArray[np.float64]
MEET = 1e-10  # radians, and metres relative to the robot's size: closer frames count as drawn closed
ATTEMPTS = 20  # half of them within the joints' limits
ENOUGH = 3  # closed configurations, of which the one nearest to zero is taken
WIDEST = 3.0  # radians or sizes: where joints without limits are looked for, further out after some attempts


def closed(robot: Robot) -> dict[str, Array]:
    """Coordinates of the joints, by name, at which all loops are closed; empty if they are at zero."""
    loops = [joint for joint in robot.joints.values() if joint.closes]
    size = _size(robot.poses)
    if not loops or max(np.abs(_gap(joint, robot.poses, size)).max() for joint in loops) <= MEET:
        return {}
    return _search(robot, loops, size)


def _search(robot: Robot, loops: list[Joint], size: float) -> dict[str, Array]:
    """Least squares from zero, then from places around it; within the joints' limits as long as that leads anywhere."""
    from scipy.optimize import least_squares  # slow to load, and not needed for a tree

    tree = [joint for joint in order(robot) if screws(joint).shape[1]]
    ends = np.cumsum([screws(joint).shape[1] for joint in tree])[:-1]

    def named(x: Array) -> dict[str, Array]:
        return {joint.name: part for joint, part in zip(tree, np.split(x, ends), strict=True)}

    def residual(x: Array) -> Array:
        at = named(x)
        poses = placed_links(robot, at)
        return np.concatenate([*(_gap(joint, poses, size) for joint in loops), _mimics(robot, at)])

    rng, tried, n = np.random.default_rng(0), list[tuple[float, Array]](), sum(screws(joint).shape[1] for joint in tree)
    if not n:
        raise AssemblyError(_open(loops, robot.poses, size))
    limits = np.concatenate([_limits(joint) for joint in tree], axis=1)
    turns = np.concatenate([_turns(robot, joint) for joint in tree])
    for attempt in range(ATTEMPTS):
        low, high = limits if attempt < ATTEMPTS // 2 else (np.full(n, -np.inf), np.full(n, np.inf))
        near = 1e-3 + WIDEST * (attempt % (ATTEMPTS // 2)) / ATTEMPTS
        start = np.clip(rng.standard_normal(n) * near, np.maximum(low + 1e-6, -1e6), np.minimum(high - 1e-6, 1e6))
        found = least_squares(residual, start, bounds=(low, high), ftol=1e-15, xtol=1e-15, gtol=1e-15, max_nfev=200)
        x = np.where(turns, np.remainder(found.x + np.pi, 2.0 * np.pi) - np.pi, found.x)
        tried.append((float(np.abs(found.fun).max()), x))
        good = [x for gap, x in tried if gap <= MEET]
        if len(good) == ENOUGH or (good and attempt == ATTEMPTS // 2 - 1):
            break
    if not good:
        raise AssemblyError(_open(loops, placed_links(robot, named(min(tried, key=lambda t: t[0])[1])), size))
    return named(min(good, key=np.linalg.norm))


def _turns(robot: Robot, joint: Joint) -> NDArray[np.bool_]:
    """Whether whole turns of a coordinate make no difference: of hinges that have no limits and follow nothing."""
    follows = {m for j in robot.joints.values() if j.mimic for m in (j.name, j.mimic.joint)}
    free = joint.kind in HINGES and not np.isfinite(_limits(joint)).any() and joint.name not in follows
    return np.full(screws(joint).shape[1], free)


def _open(loops: list[Joint], poses: Mapping[str, Array], size: float) -> str:
    gaps = {joint.name: float(np.abs(_gap(joint, poses, size)).max()) for joint in loops}
    worst = max(gaps, key=lambda name: gaps[name])
    return (
        f"the loops cannot be closed: {worst!r} stays open by {gaps[worst]:.3g} rad, or of the robot's size; look at "
        "the frames of its two ends, or load with loops=False for the tree alone"
    )


def _limits(joint: Joint) -> Array:
    """Range of each coordinate, (2, dof), where there is one to move in."""
    n, limit = screws(joint).shape[1], joint.limit
    low, high = np.full(n, -np.inf), np.full(n, np.inf)
    if (
        joint.kind in ONE_DOF
        and limit.lower is not None
        and limit.upper is not None
        and limit.upper - limit.lower > 1e-3
    ):
        low[:], high[:] = limit.lower, limit.upper
    return np.array([low, high])


def _size(poses: Mapping[str, Array]) -> float:
    """Extent of the robot, for comparing lengths with angles."""
    points = np.array([C[:3, 3] for C in poses.values()])
    return float(np.linalg.norm(points.max(axis=0) - points.min(axis=0))) or 1.0


def _gap(joint: Joint, poses: Mapping[str, Array], size: float) -> Array:
    """What a closing joint holds of the relative pose of its frames, zero when closed; smooth for every rotation."""
    N = inverse(poses[joint.parent] @ joint.on_parent) @ poses[joint.child] @ joint.on_child
    e = np.array(joint.axis) / np.linalg.norm(joint.axis)
    R, p = N[:3, :3], N[:3, 3] / size
    along, across = np.array([e @ p]), p - e * (e @ p)
    turned, tilted = (R - np.eye(3)).ravel(), R @ e - e
    if joint.kind in HINGES:
        return np.concatenate([p, tilted])
    if joint.kind == "prismatic":
        return np.concatenate([across, turned])
    if joint.kind == "cylindrical":
        return np.concatenate([across, tilted])
    if joint.kind == "planar":
        return np.concatenate([along, tilted])
    if joint.kind == "universal":
        return np.array([*p, e @ R @ np.array(joint.axis2)])
    return p if joint.kind in BALLS else np.concatenate([p, turned])


def _mimics(robot: Robot, at: Mapping[str, Array]) -> Array:
    """q - multiplier q_other - offset of the joints that follow others."""
    out = []
    for joint in robot.joints.values():
        m = joint.mimic
        if m is not None and joint.name in at and m.joint in at:
            out.append(at[joint.name][0] - m.multiplier * at[m.joint][0] - m.offset)
    return np.array(out)
