"""Inverse kinematics: positions in which bodies are where they are wanted, with loops, limits and several targets.

Targets pull like springs of unit stiffness, on points and on orientations in parts of the system's length: with the error e and
its Jacobian E the force is -E^T e and the stiffness E^T E. A mechanism without weight that comes to rest under them has reached
its targets, or is as near to them as it can be; loops hold and limits stop as they do in `equilibrium`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.initial_state import named_configuration, own_start
from cotree.constraints.units import column_units, length_of
from cotree.dynamics.api import mass_matrix
from cotree.errors import ReachError, ShapeError
from cotree.judge import CLOSED
from cotree.kinematics.coordinates import displace
from cotree.kinematics.jacobians import spatial_jacobian
from cotree.kinematics.poses import poses
from cotree.lie import log_so3
from cotree.model.checks import floats, names, shown, whole
from cotree.model.mechanism import Mechanism
from cotree.studies.leaning import Stop, passed
from cotree.studies.relaxation import Settled, relax
from cotree.studies.rest_problem import rest_problem
from cotree.studies.starts import shaken
from cotree.studies.statics import Rest, Statics, split
from cotree.system.arguments import coordinates, of_system, require_finite
from cotree.system.system import System
from cotree.typing import Coordinates

Array = NDArray[np.float64]
MOST_STARTS = 100_000
POLISHING = 20  # steps at most
STUCK, NUDGE = 1e-9, 0.02  # a start that does not move is a singular position: one so near to it is tried next


@dataclass(frozen=True, eq=False)
class Target:
    """Where a body is wanted: a pose of its frame (4, 4), or one of its points, in that frame, at a place in the world."""

    body: str
    pose: Array | None = None
    point: Array | None = None
    place: Array | None = None


@dataclass(frozen=True, eq=False)
class Reached:
    """A position with all targets reached. errors: what is left of each target, in order: [m] for points; [m, rad], the larger
    of both, for poses. stops: names of the limits that are leant on."""

    q: Array
    errors: tuple[float, ...]
    stops: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Pulled(Rest):
    """A mechanism without weight, pulled by targets."""

    targets: tuple[Target, ...] = ()

    def at(self, q: Array) -> Statics:
        """Forces of the targets and their stiffness."""
        system, length = self.system, length_of(self.system)
        e, E = errors_of(system, self.targets, q, length)
        J, W = self.jacobian(q), self.metric(mass_matrix(system, q))
        L, f = np.linalg.cholesky(W), -E.T @ e
        lam, N = split(np.linalg.solve(L, J.T).T, np.linalg.solve(L, f))
        Z = np.linalg.solve(L.T, N)
        Z[list(self.columns)] = 0.0
        K = Z.T @ (E.T @ E) @ Z
        unit = float(np.sqrt((W.diagonal() * column_units(system) ** 2).max(initial=0.0)))
        scale = float(np.linalg.norm(K, 2) if K.size else 0.0) * unit + float(np.linalg.norm(np.linalg.solve(L, f)))
        return Statics(q, f, J, lam, Z, Z.T @ f, K, np.zeros_like(K), np.eye(len(K)), scale)


def errors_of(system: System, targets: Iterable[Target], q: Array, length: float) -> tuple[Array, Array]:
    """(e, E): errors of all targets and their Jacobian; turns times the length."""
    e, E, now = list[Array](), list[Array](), poses(system, q)
    for target in targets:
        P, J = now[system.row_of(target.body)], spatial_jacobian(system, q, target.body)
        if target.pose is not None:
            e.append(length * log_so3(P[:3, :3] @ target.pose[:3, :3].T))
            E.append(length * J[:3])
        x = P[:3, 3] if target.point is None else P[:3, :3] @ target.point + P[:3, 3]
        e.append(x - (target.pose[:3, 3] if target.pose is not None else target.place))
        E.append(J[3:] - np.array([np.cross(x, column) for column in J[:3].T]).T)
    return np.concatenate(e), np.vstack(E)


@of_system
def inverse_kinematics(
    system: System | Mechanism,
    targets: Mapping[str, Any] | Iterable[tuple[str, Any]],
    q: Coordinates | None = None,
    fixed: Iterable[str] = (),
    t: float = 0.0,
    starts: int = 1,
) -> Reached:
    """Find a position in which bodies are where they are wanted.

    Loops stay closed, drives are where they are at time t, limits are kept. Of many solutions
    one near q is found.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    targets : dict or iterable of pairs
        {body: target}. A target is a pose (4, 4) of the body's frame, as from `ct.poses`,
        or a pair: a point in that frame, and where it is to be in the world.
    q : array_like or dict, optional
        Coordinates to begin with; by default the mechanism's start or the reference
        assembly.
    fixed : str or iterable of str, optional
        Coordinates that keep their values.
    t : float, optional
        Time [s], for drives and functions of time.
    starts : int, optional
        Number of positions to begin from where the first one fails.

    Returns
    -------
    Reached
        `.q` and the remaining errors.

    Raises
    ------
    ReachError
        If no position is found, with the distance that remains.

    Examples
    --------
    >>> mech = ct.gallery.pendulum_chain(2)
    >>> system = mech.compile()
    >>> goal = ct.poses(system, [0.2, 0.1])[-1]
    >>> ct.inverse_kinematics(system, {system.body_names[-1]: goal}).q.round(6)
    array([0.2, 0.1])
    """
    assert isinstance(system, System)
    wanted, count = _targets(system, targets), whole(starts, "starts", 1, MOST_STARTS)
    own = own_start(system, t)[0]
    start = (
        named_configuration(system, q, own, t)
        if isinstance(q, Mapping)
        else coordinates(system, own if q is None else q)
    )
    require_finite(system, q=start)
    problem = rest_problem(system, start, names(fixed, "fixed"), t)
    parts = {f.name: getattr(problem.rest, f.name) for f in fields(Rest)} | {"shut": {}}
    pulled = Pulled(**parts, targets=wanted)
    nearest, left = None, np.inf
    begins = deque([start, *shaken(system, start, count - 1, problem.rest.columns)])
    while begins:
        x = begins.popleft()
        settled = relax(pulled, problem.stops, x)
        if settled is None:
            continue
        if (
            x is start and np.abs(settled.statics.q - start).max(initial=0.0) < STUCK
        ):  # as a stretched arm pulled along itself
            begins.extendleft(shaken(system, start, 1, problem.rest.columns, NUDGE))
        settled = _polished(settled, problem.stops)
        off = _off(pulled, settled)
        if off < left:
            nearest, left = settled, off
        if off <= CLOSED:
            break
    if nearest is None or left > CLOSED:
        raise ReachError(_not_reached(pulled, nearest))
    now = nearest.statics.q
    leant = tuple(n for n, s in problem.stops.items() if s.row in nearest.rest.shut)
    return Reached(now, tuple(_error(system, target, now) for target in wanted), leant)


def _polished(settled: Settled, stops: Mapping[str, Stop]) -> Settled:
    """By steps of Gauss and Newton while they help: forces of targets are small long before the errors are."""
    rest, now = settled.rest, settled.statics
    assert isinstance(rest, Pulled)
    length, left = length_of(rest.system), _off(rest, settled)
    for _ in range(POLISHING):
        e, E = errors_of(rest.system, rest.targets, now.q, length)
        step = now.Z @ np.linalg.lstsq(E @ now.Z, -e, rcond=1e-12)[0]
        longest = float(np.abs(step / column_units(rest.system)).max(initial=0.0))
        q = rest.closed(displace(rest.system, now.q, step), mass_matrix(rest.system, now.q)) if longest < 0.3 else None
        if q is None or passed(rest, stops, q):
            break
        new = Settled(rest.at(q), rest, True)
        if not _off(rest, new) < 0.5 * left:
            break
        settled, now, left = new, new.statics, _off(rest, new)
    return settled


def _off(pulled: Pulled, settled: Settled) -> float:
    length = length_of(pulled.system)
    return (
        float(np.abs(errors_of(pulled.system, pulled.targets, settled.statics.q, length)[0]).max(initial=0.0)) / length
    )


def _error(system: System, target: Target, q: Array) -> float:
    return float(np.abs(errors_of(system, (target,), q, 1.0)[0]).max())


def _not_reached(pulled: Pulled, nearest: Settled | None) -> str:
    who = f"system {pulled.system.name!r}"
    if nearest is None:
        return f"{who}: loops, drivers and limits cannot all be closed from this start; give another q, or starts=50"
    off = [_error(pulled.system, target, nearest.statics.q) for target in pulled.targets]
    k = int(np.argmax(off))
    return (
        f"{who}: the target of body {pulled.targets[k].body!r} was not reached from this start, {off[k]:.6g} is left; it may "
        "be out of reach, or kept away by limits or other targets. Give another q, or starts=50 to try others"
    )


def _pairs(given: Any) -> list[tuple[Any, Any]]:
    try:
        return [(body, value) for body, value in (given.items() if isinstance(given, Mapping) else given)]
    except (TypeError, ValueError):
        raise ShapeError(f"targets: give a dict of bodies and targets, or pairs of them, got {shown(given)}") from None


def _targets(system: System, given: Any) -> tuple[Target, ...]:
    found = tuple(_target(system, body, value) for body, value in _pairs(given))
    if not found:
        raise ShapeError("targets: none are given; give a dict of bodies and poses, or of bodies and (point, place)")
    return found


def _target(system: System, body: Any, value: Any) -> Target:
    name = str(getattr(body, "name", body))
    system.row_of(name)
    a = floats(value)
    if (
        a is not None
        and a.shape == (4, 4)
        and np.isfinite(a).all()
        and np.allclose(a[:3, :3] @ a[:3, :3].T, np.eye(3), atol=1e-6)
    ):
        return Target(name, pose=a)
    if a is not None and a.shape == (2, 3) and np.isfinite(a).all():
        return Target(name, point=a[0], place=a[1])
    raise ShapeError(
        f"target of body {name!r}: give a pose (4, 4), or a point of the body and its place, got {shown(value)}"
    )
