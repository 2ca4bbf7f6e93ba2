"""Friction of contacts that slip: its size is mu times the normal force, which depends on it.

Multipliers are affine in the sizes m of the friction forces, since M, J and eta do not depend on forces: N = N0 + D m. With
m = mu N follows (1 - mu D) m = mu N0. The matrix is that of the normal forces in units of its diagonal, so that its determinant
vanishes where Painleve's paradox begins: there the status is JAMMED.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.contacts.friction import rubbing_of
from cotree.engine.entry import entry
from cotree.engine.kernel import kernel
from cotree.engine.records import address_of, arrays, matrix, opener, put_array, record, rows_of, vector
from cotree.engine.status import JAMMED
from cotree.formulations.acceleration import accelerate_plainly
from cotree.formulations.linalg import lu, solve_lu
from cotree.formulations.problem import ASK_BIAS, ASK_ROWS, Problem, problem_t
from cotree.system.system import System

LEAST = 1e-12  # of the determinant, in units of the normal forces without friction
rub_t = np.dtype([("slot", "i8"), ("row", "i8"), ("mu", "f8")], align=True)
_rubs = rows_of(rub_t)
rubbing_t = np.dtype([("arrays", arrays("rubs"))], align=True)
rubbing_at = opener(rubbing_t)


def rub_table(system: System) -> NDArray[np.void]:
    """One row for each point that slips: where its size is, the row of its normal force, friction."""
    own, devices = rubbing_of(system), system.mechanism.devices
    points: Mapping[str, Any] = system.constraints
    table, first = np.zeros(len(own), rub_t), system.n_constraints - len(system.extra_rows.owners)
    for row, (slot, point) in zip(table, own, strict=True):
        row["slot"], row["row"] = slot, first + system.extra_rows.owners.index(point)
        row["mu"] = devices[points[point].contact].friction  # type: ignore[union-attr]
    return table


class Friction:
    """What the evaluation of friction at contacts needs, kept alive."""

    def __init__(self, system: System) -> None:
        self.names = [point for _, point in rubbing_of(system)]
        self.table, self.record = rub_table(system), record(rubbing_t)
        put_array(self.record.arrays.rubs, self.table)
        self.here = address_of(self.record)


def enter_friction(problem: Problem) -> Friction | None:
    """Let evaluations of a problem solve for the friction of contacts that slip, where there are such."""
    if not rubbing_of(problem.system):
        return None
    friction = Friction(problem.system)
    problem.problem.loading = friction.here
    problem.enter(loaded=rubbed)
    return friction


@entry(problem_t)
def rubbed(p, t, q, v, v_dot):
    """What `accelerate` does, with friction of contacts: as many evaluations as points slip, and two more."""
    rubs, values = _rubs(rubbing_at(p.loading).arrays.rubs), matrix(p.arrays.values)
    n = rubs.size
    N, A, pivot = np.empty(n), np.empty((n, n)), np.empty(n, np.int64)
    for i in range(n):
        values[rubs[i].slot, 0] = 0.0
    status = accelerate_plainly(p, t, q, v, v_dot)
    if status < 0:
        return status
    put_normal(p, rubs, N)
    asks, laws = p.asks, p.entries.laws
    # laws and motions have answered for this state; user-defined rows are asked for again, since solvers work in place
    p.asks, p.entries.laws = asks & (ASK_ROWS | ASK_BIAS), 0
    for j in range(n):
        unit = max(abs(rubs[j].mu * N[j]), 1e-6)
        values[rubs[j].slot, 0] = unit
        status = min(status, accelerate_plainly(p, t, q, v, v_dot))
        values[rubs[j].slot, 0] = 0.0
        put_normal(p, rubs, A[j])
        for i in range(n):
            A[j, i] = (A[j, i] - N[i]) / unit
    well = put_sizes(rubs, N, A, pivot, values)
    if status >= 0:
        status = accelerate_plainly(p, t, q, v, v_dot)
    p.asks, p.entries.laws = asks, laws
    return status if well or status < 0 else JAMMED


@kernel
def put_normal(p, rubs, N):
    """Normal forces by the multipliers."""
    lam = vector(p.arrays.lam)
    for i in range(rubs.size):
        N[i] = -lam[rubs[i].row]


@kernel
def put_sizes(rubs, N, A, pivot, values):
    """Sizes of the friction into `values`, from N0 and A[j, i] = dN_i / dm_j; whether they are determined."""
    n = rubs.size
    K, x, det = np.empty((n, n)), np.empty(n), 1.0
    for i in range(n):
        for j in range(n):
            K[i, j] = (1.0 if i == j else 0.0) - rubs[i].mu * A[j, i]
        x[i] = rubs[i].mu * N[i]
    if not lu(K, pivot):
        return False
    for i in range(n):
        det *= K[i, i] if pivot[i] == i else -K[i, i]
    solve_lu(K, pivot, x)
    for i in range(n):
        if not abs(x[i]) < np.inf:
            return False
        values[rubs[i].slot, 0] = x[i]
    return det > LEAST
