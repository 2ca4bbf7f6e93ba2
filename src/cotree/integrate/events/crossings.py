"""Singular configurations that a motion passes: where the rows of the constraints lose rank, and on which branch it goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian
from cotree.constraints.rank import count
from cotree.constraints.units import column_units
from cotree.dynamics.api import energy, mass_matrix
from cotree.integrate.events.corners import least_within
from cotree.integrate.events.passages import blurred
from cotree.integrate.state import RunState
from cotree.judge import AT_REST, TOUCHING
from cotree.system.sizes import DECOMPOSED
from cotree.system.system import System

Array = NDArray[np.float64]

SAME_BRANCH = 0.2  # radians: branches cross at an angle, a motion that turns less has stayed on its own


@dataclass(frozen=True)
class Crossing:
    """A singular configuration on the way: time, kind ("start", "passed"), joints and constraints concerned, in words."""

    t: float
    kind: str
    joints: tuple[str, ...]
    words: str
    branch: str  # "same", "changed" or "unknown"

    def __str__(self) -> str:
        return self.words


class Moving(NamedTuple):
    """Velocity and acceleration at a time."""

    t: float
    v: Array
    v_dot: Array


def _moving(state: RunState, which: str) -> Moving:
    """Those of the state "older", "old" or "now", copied."""
    x = state.at(which)
    return Moving(float(state.clock[f"t_{which}"]), x.v.copy(), x.v_dot.copy())


def started_singular(system: System, t: float, q: Array, v: Array, lost: int) -> Crossing:
    """The run began where `lost` directions of the rows vanish."""
    joints = concerned(system, t, q, v)
    words = (
        f"started in a singular configuration ({_list(joints)}): {_directions(lost)} of the constraints had vanished"
    )
    return Crossing(t, "start", joints, words, "unknown")


def passed(state: RunState) -> Crossing | None:
    """The crossing within the last two steps, if a direction of the rows did vanish there."""
    q, v = np.empty(state.system.nq), np.empty(state.system.nv)
    # before states are projected to be looked at, which closes their loops
    hidden = max(TOUCHING, blurred(state.run)) * state.near.widest
    t, size = least_within(state.here, hidden, q, v)
    return _described(state, t, q, _moving(state, "older")) if size < hidden else None


def came_from(state: RunState) -> Moving:
    """The motion at the start of the last step."""
    return _moving(state, "old")


def went_past(state: RunState, came: Moving) -> Crossing:
    """A singular configuration that several steps went past, each ending next to it; came: the motion before them."""
    q = state.at("old").q
    return _described(state, 0.5 * (came.t + float(state.clock.t_old)), q, came)


def _described(state: RunState, t: float, q: Array, came: Moving) -> Crossing:
    """Words for a crossing: the joints concerned, and whether the direction of motion went on."""
    system, left = state.system, _moving(state, "now")
    v0, v1 = came.v, left.v
    speeds = [np.sqrt(2.0 * energy(system, q, v).kinetic) for v in (v0, v1)]
    joints = concerned(system, t, q, v1)
    where = f"passed a singular configuration at t = {t:.6g} s ({_list(joints)})"
    slow = energy(system, q, column_units(system)).kinetic  # at one radian, or the system's length, per second
    if min(speeds) ** 2 < AT_REST * (slow + abs(energy(system, q, v0).potential)):
        return Crossing(
            t, "passed", joints, f"{where} almost at rest: the branch on which it left is one of several", "unknown"
        )
    turn = _turn(system, q, v0, v1)
    if SAME_BRANCH <= turn <= np.pi - SAME_BRANCH:
        turn = min(turn, _turn_there(system, t, q, came, left))
    if turn < SAME_BRANCH:
        words = f"{where} and continued on the same branch (its direction turned by {turn:.1e} rad)"
        return Crossing(t, "passed", joints, words, "same")
    if turn > np.pi - SAME_BRANCH:  # tangents of branches differ: who goes back along the tangent has only turned round
        words = f"{where}, stopped close to it and went back on the same branch"
        return Crossing(t, "passed", joints, words, "same")
    words = (
        f"{where} and left in another direction, turned by {turn:.2f} rad: the branch may have changed; use "
        f"smaller steps"
    )
    return Crossing(t, "passed", joints, words, "changed")


def _turn(system: System, q: Array, v0: Array, v1: Array) -> float:
    """Angle between two velocities in the metric of the masses."""
    both, a, b = (2.0 * energy(system, q, v).kinetic for v in (v0 + v1, v0, v1))
    return float(np.arccos(np.clip((both - a - b) / (2.0 * np.sqrt(a * b)), -1.0, 1.0))) if a * b > 0.0 else np.pi / 2.0


def _turn_there(system: System, t: float, q: Array, came: Moving, left: Moving) -> float:
    """The same of the velocities that both motions have, or had, at the time of the crossing, as far as their accelerations
    tell. Coordinates turn on the way, as those of a translation in world axes do for what goes round in a circle."""
    there = []
    for x in (came, left):
        change = (t - x.t) * x.v_dot
        if not energy(system, q, change).kinetic < energy(system, q, x.v).kinetic:  # too far to foretell
            return np.pi / 2.0
        there.append(x.v + change)
    return _turn(system, q, *there)


def concerned(system: System, t: float, q: Array, v: Array) -> tuple[str, ...]:
    """Joints that could move otherwise here than along v, and the cut joints and constraints whose rows depend."""
    if system.nv > DECOMPOSED:
        return ()
    J, M = constraint_jacobian(system, q, t), mass_matrix(system, q)
    L = np.linalg.cholesky(M)
    U, s, Vt = np.linalg.svd(np.linalg.solve(L, J.T).T)
    rank = count(s, TOUCHING)
    null = np.linalg.solve(L.T, Vt[rank:].T)  # admissible directions
    if v @ v > 0.0 and null.shape[1] > 1:
        along = v / np.sqrt(v @ M @ v)
        null = null - np.outer(along, along @ M @ null)
    moves, holds = np.abs(null).max(axis=1, initial=0.0), np.abs(U[:, rank:]).max(axis=1, initial=0.0)
    owners = [name.split("[")[0] for name in system.constraint_names]
    names = [_joint(system, n) for n, x in zip(system.coordinate_names, moves, strict=True) if x > 0.1 * moves.max()]
    names += [n for n, x in zip(owners, holds, strict=True) if x > 0.1]
    return tuple(dict.fromkeys(names))


def _joint(system: System, coordinate: str) -> str:
    """The joint of a velocity coordinate."""
    dof = system.dofs[system.velocity_index(coordinate)]
    return system.link_joints[dof["link"]]


def _directions(n: int) -> str:
    return f"{n} direction{'s' * (n != 1)}"


def _list(names: tuple[str, ...]) -> str:
    if not names:
        return "system too large to name the joints"
    shown = ", ".join(map(repr, names[:6]))
    return f"joints {shown}{' and others' if len(names) > 6 else ''}"
