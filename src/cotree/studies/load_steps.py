"""Rest positions of mechanisms that bend, by Newton's method while the load grows.

At the start q0 the forces f(q0) are out of balance. A part 1 - s of them is taken back, s from 0 to 1:
    f(q) - (1 - s) f(q0) = J^T lam,    g(q) = 0,
so that the start is a solution for s = 0. Each s begins where the last one ended; where Newton's method does not close in, the
step of s is halved. Thin beams resist stretch so much more than bending that forces grow on the way of each Newton step; its
displacements close in all the same, and by these it is judged.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.units import column_units
from cotree.derivatives.constraints import force_change
from cotree.derivatives.inverse import inverse_dynamics_derivatives
from cotree.dynamics.api import tree_forces
from cotree.formulations.linalg import pivoted_qr
from cotree.kinematics.coordinates import displace
from cotree.studies.sparse_solving import solve_bordered
from cotree.studies.statics import Rest

Array = NDArray[np.float64]
ITERATIONS = 25
SMALLEST_STEP = 1e-4  # of the load
FARTHEST = 1.0  # rad, or parts of the system's length: of one Newton step
CLOSE, NEARLY = 1e-12, 1e-7  # the same: of the last one, or of one that rounding keeps from being shorter
DEPENDENT = 1e-9  # rows shorter than this depend on the others


class Balance(NamedTuple):
    """A position and the multipliers of the rows in force."""

    q: Array
    lam: Array


def balanced(rest: Rest, q: Array) -> Array | None:
    """The rest position that the growing load leads to from q, whose rows are closed; None where it leads to none."""
    f0, s, step = -tree_forces(rest.system, q, None, None, rest.t), 0.0, 1.0
    at = Balance(q, np.zeros(len(rest.jacobian(q))))
    while s < 1.0:
        s_next = min(1.0, s + step)
        new = _newton(rest, at, (1.0 - s_next) * f0)
        if new is None:
            step *= 0.5
            if step < SMALLEST_STEP:
                return None
        else:
            at, s, step = new, s_next, 2.0 * step
    return at.q


def _newton(rest: Rest, at: Balance, less: Array) -> Balance | None:
    """Forces without `less` in balance."""
    units, (q, lam), before = column_units(rest.system), at, np.inf
    for _ in range(ITERATIONS):
        x, lam = newton_step(rest, q, lam, less)
        size = float(np.abs(x / units).max(initial=0.0))
        if not size <= FARTHEST:
            return None
        q = displace(rest.system, q, x)
        if size <= CLOSE or (size <= NEARLY and size > 0.3 * before):
            return Balance(q, lam)
        before = size
    return None


def newton_step(rest: Rest, q: Array, lam: Array, less: Array) -> tuple[Array, Array]:
    """(displacement, multipliers) that the linear equations at a position lead to."""
    system, t = rest.system, rest.t
    J, g = rest.jacobian(q), rest.gap(q)
    rows = independent(J)
    everywhere = np.zeros(system.n_constraints)
    everywhere[rest.rows] = lam[: len(rest.rows)]
    K = inverse_dynamics_derivatives(system, q, None, None, t).dq
    if len(everywhere):
        K = K + force_change(system, q, everywhere, t)
    f = -tree_forces(system, q, None, None, t) - less
    x, some = solve_bordered(K, J[rows], f, -g[rows])
    out = np.zeros(len(J))
    out[rows] = some
    return x, out


def independent(J: Array) -> NDArray[np.intp]:
    """Rows that do not depend on the others."""
    if not len(J):
        return np.zeros(0, dtype=np.intp)
    A, pivot, beta = np.ascontiguousarray(J), np.empty(len(J), np.int64), np.empty(min(J.shape))
    rank = int(pivoted_qr(A.copy(), beta, pivot, DEPENDENT))
    return np.sort(pivot[:rank])
