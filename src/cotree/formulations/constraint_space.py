"""The directions that constraints forbid and those that they leave, in the metric of the mass matrix.

With M = L L^T and x = L^T v the metric is the Euclidean one. The rows A = J L^-T of the constraints span the constraint
space; what is orthogonal to it is the tangent space of admissible velocities [Geo 5.3].
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian
from cotree.constraints.assembly import mass_root
from cotree.constraints.rank import unit_rows
from cotree.judge import REPORTED
from cotree.system.system import System

Array = NDArray[np.float64]


class Spaces(NamedTuple):
    """L with M = L L^T, and an orthonormal basis (rank, nv) of the constraint space in coordinates L^T v."""

    L: Array
    basis: Array


def spaces(system: System, q: Array, t: float = 0.0, rows: NDArray[np.bool_] | None = None) -> Spaces:
    """The constraint space at q, of all rows or of some."""
    L, J = mass_root(system, q), constraint_jacobian(system, q, t)
    J = J if rows is None else J[rows]
    if not len(J):
        return Spaces(L, np.zeros((0, system.nv)))
    A = unit_rows(np.asarray(np.linalg.solve(L, J.T).T, dtype=np.float64))
    _, s, Vt = np.linalg.svd(A, full_matrices=False)
    return Spaces(L, Vt[: np.count_nonzero(s > REPORTED)])
