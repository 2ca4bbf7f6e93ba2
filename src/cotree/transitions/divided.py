"""The jump of velocities of large systems by divide and conquer: O(n), no matrix of the whole system."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_rate, constraint_velocity
from cotree.engine.kernel import kernel
from cotree.formulations.odca.division import division
from cotree.formulations.odca.forward import complain
from cotree.formulations.odca.solve import MOVE, put_correction, put_results, put_rows, solve
from cotree.formulations.odca.tables import division_at
from cotree.system.system import System

Array = NDArray[np.float64]


@kernel
def _corrected(here, division, q, v, change, x, lam):
    """Shortest x with J x = change in the metric of the mass matrix, M x + J^T lam = 0; returns a status."""
    d = division_at(division)
    status = put_rows(here, d, q, v, MOVE)
    if status < 0:
        return status
    put_correction(d, change, False)
    solve(d)
    put_results(d, x, lam)
    return 0


def jump_by_division(system: System, q: Array, v: Array, t: float) -> tuple[Array, Array, Array]:
    """(dv, impulses of all rows, what is left of J v = b), with the rows of `system` in force."""
    b = constraint_rate(system, q, t)
    dv, Lam = np.empty(system.nv), np.empty(system.n_constraints)
    change = b - constraint_velocity(system, q, v, t)
    status = int(_corrected(system.here, division(system).here, q, v, change, dv, Lam))
    if status < 0:
        complain(system, status)
    return dv, Lam, constraint_velocity(system, q, v + dv, t) - b
