"""The terms of the equations of motion at a state, M v_dot + J^T lam = f and J v_dot = eta: all by one call where there are no
user functions, since from Python a call costs as much as a small mechanism."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.constraints import api as rows
from cotree.constraints.time_functions import ACCELERATION, motion_values
from cotree.dynamics import api as tree
from cotree.engine.kernel import kernel
from cotree.formulations.careful import Terms
from cotree.system.system import System

Array = NDArray[np.float64]


@kernel
def _put_terms(here, values, motions, tau, q, v, M, J, f, eta, gaps, opposite):
    """All terms, and the gaps of the cut joints; returns whether all is well."""
    f[:] = 0.0
    well = tree._mass_matrix(here, q, M) and tree._inverse_dynamics(here, values, q, v, np.zeros(v.size), f)
    if not well or rows._jacobian(here, q, J) != 0 or rows._bias(here, motions, q, v, eta) != 0:
        return False
    for i in range(f.size):
        f[i] = tau[i] - f[i]
    rows._gaps(here, q, gaps, opposite)
    return True


def terms_at(system: System, q: Array, v: Array, tau: Array, t: float) -> tuple[Terms, Array]:
    """(terms, largest gap of each cut joint)."""
    if system.elements.functions or system.extra_rows.user:
        return _one_by_one(system, q, v, tau, t)
    n, m, cuts = system.nv, system.n_constraints, len(system.cuts)
    M, J, f, eta = np.empty((n, n)), np.zeros((m, n)), np.empty(n), np.zeros(m)
    gaps, opposite = np.zeros(cuts), np.zeros(cuts, dtype=np.bool_)
    given = (system.here, system.elements.constants, motion_values(system, t, ACCELERATION), tau, q, v)
    if not _put_terms(*given, M, J, f, eta, gaps, opposite):
        return _one_by_one(system, q, v, tau, t)  # which says what is wrong
    return Terms(system, q, v, t, M, J, f, eta), gaps


def _one_by_one(system: System, q: Array, v: Array, tau: Array, t: float) -> tuple[Terms, Array]:
    M, J = tree.mass_matrix(system, q), rows.constraint_jacobian(system, q, t)
    f = tau - tree.inverse_dynamics(system, q, v, None, t)
    return Terms(system, q, v, t, M, J, f, rows.constraint_bias(system, q, v, t)), rows.cut_gaps(system, q)[0]
