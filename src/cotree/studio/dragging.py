"""A point of a body is pulled to a place, loops closed all the way, as near as the mechanism lets it come."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian
from cotree.constraints.assembly import assemble
from cotree.constraints.units import column_units, length_of
from cotree.errors import AssemblyError, CotreeError
from cotree.judge import CLOSED, DEPENDENT
from cotree.kinematics.coordinates import displace
from cotree.kinematics.jacobians import spatial_jacobian
from cotree.kinematics.poses import poses
from cotree.studies.leaning import passed
from cotree.studies.rest_problem import rest_problem
from cotree.system.system import System

Array = NDArray[np.float64]
LONGEST = 0.1  # rad, or parts of the system's length: a step, so that loops stay on their branch
DAMPING = 0.01
SHORTEST = 1e-3  # of a step, before it is given up


@dataclass(frozen=True, eq=False)
class Grip:
    """A point of a body, in the frame in which `ct.poses` tells where the body is."""

    body: str
    point: Array

    @classmethod
    def at(cls, system: System, q: Array, body: str, place: Array) -> Grip:
        """The point of the body that is at a place in the world."""
        C = poses(system, q)[system.row_of(body)]
        return cls(body, C[:3, :3].T @ (place - C[:3, 3]))

    def place(self, system: System, q: Array) -> Array:
        """Where the point is."""
        C = poses(system, q)[system.row_of(self.body)]
        return np.asarray(C[:3, :3] @ self.point + C[:3, 3])


def pulled(
    system: System,
    q: Array,
    grip: Grip,
    place: Array,
    seconds: float = 0.5,
    stopped: Callable[[], bool] = lambda: False,
    allowed: Callable[[Array], bool] = lambda q: True,
) -> tuple[Array, float]:
    """(q with the point as near to the place as it comes, distance left [m]); loops are closed in each step.

    Damped steps of Gauss and Newton along the motions that the constraints leave; after `seconds` it ends on its way. They
    are counted from the end of the first step, in which code may be compiled.
    """
    end, size = np.inf, length_of(system)
    left = float(np.linalg.norm(place - grip.place(system, q)))
    while left > CLOSED * size and time.monotonic() < end and not stopped():
        step = _step(system, q, grip, place)
        q_new, left_new = _shortened(system, q, grip, place, step, left, allowed)
        end = min(end, time.monotonic() + seconds)
        if q_new is None:
            break
        slow = left - left_new < 1e-4 * left
        q, left = q_new, left_new
        if slow:
            break
    return q, left


def _step(system: System, q: Array, grip: Grip, place: Array) -> Array:
    """The shortest motion, in parts of the units of coordinates, that brings the point nearest in first order."""
    units = column_units(system)
    S, x = spatial_jacobian(system, q, grip.body), grip.place(system, q)
    E = (S[3:] - np.cross(x, S[:3], axisb=0).T) * units
    free = _free(constraint_jacobian(system, q) * units, system.nv)
    A, e = E @ free, place - x
    damping = (
        DAMPING * length_of(system) * float(np.linalg.norm(e))
    )  # of Levenberg and Marquardt: an arm may be stretched
    y = free @ A.T @ np.linalg.solve(A @ A.T + damping * np.eye(3), e)
    longest = float(np.abs(y).max(initial=0.0))
    return np.asarray(units * y * min(1.0, LONGEST / max(longest, 1e-300)))


def _free(J: Array, n: int) -> Array:
    """(n, k): basis of the motions that the constraint equations leave."""
    if not len(J):
        return np.eye(n)
    _, s, Vt = np.linalg.svd(J)
    return np.asarray(Vt[int((s > DEPENDENT * max(float(s[0]), 1e-300)).sum()) :].T)


def _shortened(
    system: System, q: Array, grip: Grip, place: Array, step: Array, left: float, allowed: Callable[[Array], bool]
) -> tuple[Array | None, float]:
    """The end of the step, or of a half, a quarter ... of it, that is nearer to the place; None if none is."""
    part = 1.0
    while part > SHORTEST:
        try:
            ahead = displace(system, q, part * step)
            ahead = assemble(system, ahead, restarts=0) if system.n_constraints else ahead
        except AssemblyError:
            part *= 0.5
            continue
        left_new = float(np.linalg.norm(place - grip.place(system, ahead)))
        if left_new < left and allowed(ahead):
            return ahead, left_new
        part *= 0.5
    return None, left


def within_limits(system: System, q: Array) -> Callable[[Array], bool]:
    """Whether a configuration is within the limits of joints; of no use where q itself is not, so then all are."""
    if not system.mechanism.devices:
        return lambda q: True
    try:
        problem = rest_problem(system, q, (), 0.0)
    except CotreeError:  # of devices that need a run
        return lambda q: True
    if not problem.stops or passed(problem.rest, problem.stops, q):
        return lambda q: True
    return lambda q: not passed(problem.rest, problem.stops, q)
