"""Accelerations where the rank of the constraints is in doubt: rows chosen by their directions, not by what bodies weigh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.assembly_errors import concerned
from cotree.dynamics.forward import no_inertia
from cotree.formulations import solve
from cotree.formulations.linalg import pivoted_qr
from cotree.formulations.singular import Rows, vanishing_rows
from cotree.system.system import System

Array = NDArray[np.float64]

UNBOUNDED = 1e-6  # part of the forces that the vanishing rows must take for their multipliers to grow without bound
REGULAR = "ranks at regular states"  # in the system's cache: found once, they need no second look


@dataclass(frozen=True, eq=False)
class Terms:
    """M v_dot + J^T lam = f, J v_dot = eta, at a state."""

    system: System
    q: Array
    v: Array
    t: float
    M: Array
    J: Array
    f: Array
    eta: Array


@dataclass(frozen=True, eq=False)
class Answer:
    """Accelerations, multipliers and rank of the rows; singular: whether rows have lost rank just here, None where that was
    not looked at; doubt: what is not right about v_dot; unbounded: constraint forces are infinite here."""

    v_dot: Array
    multipliers: Array
    rank: int
    singular: bool | None = False
    doubt: str = ""
    unbounded: bool = False


def known_regular(system: System, rank: int) -> bool:
    """Whether this rank has been met at a regular state."""
    return rank == system.n_constraints or rank in system.cache.get(REGULAR, ())


def settled(terms: Terms, found: Answer, doubtful: bool) -> Answer:
    """The answer found, looked at: right for a motion that passes a singular configuration, with words where none is."""
    rows = Rows.at(terms.system, terms.q, terms.v, terms.t, terms.J, terms.eta)
    if rows.all_begin(rows.N):
        terms.system.cache.setdefault(REGULAR, set()).add(rows.rank)
        return found if found.rank == rows.rank and not doubtful else by_directions(terms, rows)
    more = vanishing_rows(rows)
    if more is not None:
        return by_directions(terms, rows, more)
    if found.rank != rows.rank or doubtful:
        found = by_directions(terms, rows)
    return Answer(found.v_dot, found.multipliers, found.rank, True, _words(rows))


def by_directions(terms: Terms, rows: Rows, more: tuple[Array, Array] | None = None) -> Answer:
    """By Voronets equations with independent rows, those that differ most in direction; more: rows C v_dot = c beside them,
    whose forces act along C."""
    A = terms.J * rows.columns / rows.units[:, None]
    pivot, beta = np.empty(len(A), np.int64), np.empty(max(min(A.shape), 1))
    pivoted_qr(A, beta, pivot, 0.0)
    chosen, m = pivot[: rows.rank], rows.rank
    J, eta = terms.J[chosen] / rows.units[chosen, None], terms.eta[chosen] / rows.units[chosen]
    if more is not None:
        J, eta = np.concatenate([J, more[0] / rows.speed]), np.concatenate([eta, more[1] / rows.speed])
    n = terms.system.nv
    v_dot, lam, dependent = np.empty(n), np.empty(len(J)), np.zeros(n, dtype=np.bool_)
    status = solve.voronets(terms.M.copy(), J.copy(), terms.f, eta, 0.0, v_dot, lam, dependent, np.full(n, -1))
    if status < 0:
        no_inertia(terms.system, -int(status) - 1)
    multipliers = np.zeros(len(terms.J))
    multipliers[chosen] = lam[:m] / rows.units[chosen]
    unbounded = np.abs(J[m:].T @ lam[m:]).max(initial=0.0) > UNBOUNDED * np.abs(terms.f).max(initial=0.0)
    return Answer(v_dot, multipliers, m, more is not None, "", bool(unbounded))


def _words(rows: Rows) -> str:
    """Why no acceleration is the right one at a singular state."""
    where = concerned(rows.system, np.abs(rows.W).max(axis=0))
    if rows.speed and not rows.begins(rows.v):
        return (
            f"{where}: this configuration is singular and no motion starts with this velocity, so its acceleration "
            f"is meaningless; ct.consistent_velocity finds a velocity with which a motion starts"
        )
    why = "the velocity does not determine" if rows.speed else "at rest it is undetermined"
    return (
        f"{where}: the acceleration is not unique at this singular configuration: {why} on which branch the motion "
        f"continues; the value returned ignores the constraints that have vanished here. Evaluate close to this "
        f"configuration, or give a velocity along a branch"
    )
