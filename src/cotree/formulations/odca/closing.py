"""Closed configurations and admissible velocities of large systems by division, without matrices.

Both are corrections x with J x = c, the shortest in the metric of the mass matrix, as after the steps of a run: no forces act,
and c stands on the right-hand side of the rows. None is returned where division does not settle the matter.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import (
    constraint_bias,
    constraint_rate,
    constraint_residual,
    constraint_velocity,
    holonomic_rows,
)
from cotree.constraints.units import column_units
from cotree.engine.kernel import kernel
from cotree.formulations.choice import divides_large
from cotree.formulations.odca.division import division
from cotree.formulations.odca.solve import MOVE, put_correction, put_results, put_rows, solve
from cotree.formulations.odca.tables import division_at
from cotree.judge import CANCELLED, DIGITS, SOLVED
from cotree.kinematics.coordinates import displace
from cotree.model.constraints import Constraint, Coupling, Motion, Term
from cotree.system.switched import switched
from cotree.system.system import System

Array = NDArray[np.float64]
LONGEST_STEP = 0.5  # rad, or parts of the system's length
STEPS = 60
DOUBTFUL = 1e-8  # least pivot that leaves digits enough


@kernel
def _shortest(here, at, q, v, change, positions, x, lam, ratios):
    """The shortest x with J x = change; returns the rank of the rows, or a negative status."""
    d = division_at(at)
    status = put_rows(here, d, q, v, MOVE)
    if status != 0:
        return status
    put_correction(d, change, positions)
    rank = solve(d)
    put_results(d, x, lam)
    ratios[0], ratios[1] = d.ratios[0], d.ratios[1]
    return rank


def shortest(system: System, q: Array, change: Array, positions: bool) -> tuple[Array, int] | None:
    """(x, rank): the shortest x with J x = change, positions: in the rows that hold positions; None near singular states."""
    d = division(system)
    x, lam, ratios = np.empty(system.nv), np.empty(system.n_constraints), np.empty(2)
    rank = int(_shortest(system.here, d.here, q, np.zeros(system.nv), change, positions, x, lam, ratios))
    if rank < 0 or not np.isfinite(x).all() or (rank and ratios[0] < DOUBTFUL):
        return None
    return x, rank


def closed(system: System, q: Array, columns: Sequence[int], t: float) -> Array | None:
    """A closed configuration near q by Newton's steps, with the columns of v that are held as they are."""
    with_held = _with_rows(system, q, columns)
    if with_held is None or not divides_large(with_held):
        return None
    units, positions = column_units(system), holonomic_rows(with_held)
    g = constraint_residual(with_held, q, t)
    for _ in range(STEPS):
        size = float(np.abs(g[positions]).max(initial=0.0))
        if size <= DIGITS:
            break
        found = shortest(with_held, q, -g, True)
        if found is None:
            return None
        x = found[0]
        x[list(columns)] = 0.0
        x *= min(1.0, LONGEST_STEP / max(float(np.abs(x / units).max()), 1e-300))
        ahead = _ahead(with_held, q, x, float(np.linalg.norm(g[positions])), positions, t)
        if ahead is None:
            break
        q, g = ahead
    return q if np.abs(g[positions]).max(initial=0.0) <= SOLVED * max(1.0, float(units.max())) else None


def _ahead(
    system: System, q: Array, x: Array, size: float, positions: NDArray[np.bool_], t: float
) -> tuple[Array, Array] | None:
    """(q, residual) after the step x, or after a part of it, where the gaps are less; None where they are not."""
    for part in (1.0, 0.5, 0.25, 0.125):
        there = displace(system, q, part * x)
        g = constraint_residual(system, there, t)
        if np.linalg.norm(g[positions]) < size:
            return there, g
    return None


def admissible(system: System, q: Array, v: Array, columns: Sequence[int], t: float) -> Array | None:
    """The velocity nearest to v in the metric of the mass matrix, with the columns of v that are held; None also where the
    velocity found begins no motion."""
    with_held = _with_rows(system, q, columns)
    if with_held is None or not divides_large(with_held):
        return None
    b = constraint_rate(with_held, q, t)
    b[len(b) - len(columns) :] = v[list(columns)]
    for _ in range(2):  # the second time for what rounding has left
        found = shortest(with_held, q, b - constraint_velocity(with_held, q, v, t), False)
        if found is None:
            return None
        v, rank = v + found[0], found[1]
    left = np.abs(constraint_velocity(with_held, q, v, t) - b).max()
    if left > CANCELLED * max(1.0, float(np.abs(b).max()), float(np.abs(v).max())):
        return None
    return v if rank == with_held.n_constraints or _moves(with_held, q, v, t) else None


def _moves(system: System, q: Array, v: Array, t: float) -> bool:
    """Whether there is an acceleration with J v_dot = eta(q, v), though rows depend on each other."""
    eta = constraint_bias(system, q, v, t)
    found = shortest(system, q, eta, False)
    if found is None:
        return False
    left = np.abs(constraint_velocity(system, q, found[0], t) - eta).max()
    return bool(left <= 1e-8 * max(float(np.abs(eta).max()), float(np.abs(v).max()) ** 2, 1e-300))


def _with_rows(system: System, q: Array, columns: Sequence[int]) -> System | None:
    """The system with a row for each column of v that is held; None where one is not that of a plain coordinate."""
    more: dict[str, Constraint] = {}
    for i in columns:
        dof = system.dofs[i]
        if dof["iq"] < 0:
            return None
        joint = system.link_joints[int(dof["link"])]
        _, _, coordinate = system.v_names[i][len(joint) :].partition(".")
        term = Term(joint, coordinate or None, 1.0)
        row = Coupling(f"value of {system.v_names[i]}", (term,), Motion(float(q[dof["iq"]])), word="value of")
        more[row.name] = row
    return switched(system, {**system.constraints, **more}) if more else system
