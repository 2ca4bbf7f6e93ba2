"""Closing the loops of a robot that its file draws open: coordinates near zero at which the closing joints' frames meet.

The mechanism is then described as assembled there; its coordinates are counted from that configuration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import AssemblyError
from cotree.io.robots.description import FAR, Joint, Robot
from cotree.io.robots.joints import HINGES, ONE_DOF
from cotree.io.urdf.gaps import Gaps, gap
from cotree.io.urdf.link_poses import placed_links, screws
from cotree.judge import SOLVED

Array = NDArray[np.float64]
ATTEMPTS = 20  # half of them within the joints' limits
AS_NEAR = 1e-6  # relative: of mirror images, which are as near, the first is taken
ENOUGH = 3  # closed configurations, of which the one nearest to zero is taken
WIDEST = 3.0  # radians or metres: how far from zero the last attempts begin
MOST = 100  # coordinates, or loops
WEIGHTS = (0.3, 0.03, 3e-3, 3e-4)  # of gaps beside coordinates, in turn
STEPS = 20  # of Newton
AT_LIMIT = 1e-6  # radians or metres: coordinates this near to a limit stay there
WORK = 1000  # attempts times coordinates: with MOST what keeps the search short


def closed(robot: Robot) -> dict[str, Array]:
    """Coordinates of the joints, by name, at which all loops are closed; empty if they are at zero."""
    loops = [joint for joint in robot.joints.values() if joint.closes]
    size = _size(robot.poses)
    if not loops or max(np.abs(gap(joint, robot.poses, size)).max() for joint in loops) <= SOLVED:
        return {}
    gaps = Gaps.of(robot, loops[:MOST], size)
    n = sum(screws(joint).shape[1] for joint in gaps.tree)
    if not n:
        raise AssemblyError(_open(gaps, robot.poses))
    if max(n, len(loops)) > MOST:
        raise AssemblyError(
            f"loops are open as drawn, and closing them is limited to {MOST} coordinates or loops; draw them closed"
        )
    return gaps.named(_search(gaps, n))


def _search(gaps: Gaps, n: int) -> Array:
    """Least squares from zero, then from places around it; within the joints' limits as long as that leads anywhere."""
    limits = np.concatenate([_limits(joint) for joint in gaps.tree], axis=1)
    turns = np.concatenate([_turns(gaps.robot, joint) for joint in gaps.tree])
    rng, tried, good = np.random.default_rng(0), list[tuple[float, Array]](), list[Array]()
    half = max(2, min(ATTEMPTS, WORK // n) // 2)
    for attempt in range(2 * half):
        low, high = limits if attempt < half else (np.full(n, -np.inf), np.full(n, np.inf))
        near = 1e-3 + WIDEST * (attempt % half) / (2 * half)
        start = np.clip(rng.standard_normal(n) * near, low + 1e-6, high - 1e-6)
        x = _closed_near_zero(gaps, start, low, high)
        x = np.where(turns, np.remainder(x + np.pi, 2.0 * np.pi) - np.pi, x)
        tried.append((float(np.abs(gaps.residual(x)).max()), x))
        good = [x for size, x in tried if size <= SOLVED]
        if len(good) == ENOUGH or (good and attempt >= half - 1):
            break
    if not good:
        best = min(tried, key=lambda pair: pair[0])[1]
        raise AssemblyError(_open(gaps, placed_links(gaps.robot, gaps.named(best))))
    sizes = [float(np.linalg.norm(x)) for x in good]
    return next(x for x, size in zip(good, sizes, strict=True) if size <= min(sizes) * (1.0 + AS_NEAR))


def _closed_near_zero(gaps: Gaps, start: Array, low: Array, high: Array) -> Array:
    """Coordinates that close the loops, from a start.

    Where a robot can move, all of its motion closes the loops, and where on it a search ends is a matter of rounding. So the
    squares of the coordinates are made small too, as far as the loops stay closed: least |x|^2 + |gap|^2 / w^2, which one
    place near the start has, then no more than the gaps are closed."""
    from scipy.optimize import least_squares  # slow to load, and not needed for a tree

    def search(residual: Any, jacobian: Any, x: Array, most: int) -> Array:
        exact = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15}
        return np.asarray(least_squares(residual, x, jacobian, (low, high), max_nfev=most, **exact).x)

    x = start
    for w in WEIGHTS:
        x = search(
            lambda x, w=w: np.concatenate([gaps.residual(x) / w, x]),
            lambda x, w=w: np.concatenate([gaps.jacobian(x) / w, np.eye(len(x))]),
            x, 50,
        )  # fmt: skip
    closed = _least_steps(gaps, x, low, high)
    return search(gaps.residual, gaps.jacobian, start, 50) if closed is None else closed


def _least_steps(gaps: Gaps, x: Array, low: Array, high: Array) -> Array | None:
    """x closed to rounding by the smallest steps within the limits; None where these lead nowhere."""
    inside = (x > low + AT_LIMIT) & (x < high - AT_LIMIT)
    for _ in range(STEPS):
        g, step = gaps.residual(x), np.zeros(len(x))
        if np.abs(g).max() < 1e-3 * SOLVED and np.all((low <= x) & (x <= high)):
            return x
        step[inside] = np.linalg.lstsq(gaps.jacobian(x)[:, inside], g, rcond=1e-8)[0]
        x = x - step
    return None


def _open(gaps: Gaps, poses: Mapping[str, Array]) -> str:
    sizes = {loop.name: float(np.abs(gap(loop, poses, gaps.size)).max()) for loop in gaps.loops}
    worst = max(sizes, key=lambda name: sizes[name])
    return (
        f"the loops cannot be closed: {worst!r} stays open by {sizes[worst]:.3g} rad, or as a fraction of the "
        f"robot's size; check the frames of its two ends, or load with loops=False for the tree alone"
    )


def _limits(joint: Joint) -> Array:
    """Range of each coordinate, (2, dof), where there is one to move in."""
    n, limit = screws(joint).shape[1], joint.limit
    low, high = limit.lower, limit.upper
    if joint.kind not in ONE_DOF or low is None or high is None or not -FAR < low < high - 1e-3 < FAR:
        return np.array([np.full(n, -np.inf), np.full(n, np.inf)])
    return np.array([[low], [high]])


def _turns(robot: Robot, joint: Joint) -> NDArray[np.bool_]:
    """Whether whole turns of a coordinate make no difference: of hinges that have no limits and follow nothing."""
    follows = {m for j in robot.joints.values() if j.mimic for m in (j.name, j.mimic.joint)}
    free = joint.kind in HINGES and not np.isfinite(_limits(joint)).any() and joint.name not in follows
    return np.full(screws(joint).shape[1], free)


def _size(poses: Mapping[str, Array]) -> float:
    """Extent of the robot, for comparing lengths with angles."""
    points = np.array([C[:3, 3] for C in poses.values()])
    return float(np.linalg.norm(points.max(axis=0) - points.min(axis=0))) or 1.0
