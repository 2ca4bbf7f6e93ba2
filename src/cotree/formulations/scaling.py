"""Rows of very different size, as light bodies make them: the combinations in which solvers judge them.

Whether a row depends on the others, and how near a configuration is to a singular one, is judged relative to the longest row
in the metric of the mass matrix. A loop that ends in a pin of a milligram has a combination of rows a hundred thousand times
as long as its others, so that these would count as vanishing long before they do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian
from cotree.constraints.assembly import assemble
from cotree.constraints.units import length_of
from cotree.dynamics.api import mass_matrix
from cotree.errors import CotreeError
from cotree.kinematics.coordinates import displace
from cotree.system.system import System

Array = NDArray[np.float64]

MUCH = 1e3  # within this of the longest they stay as they are, and with them every ordinary mechanism
MOST = 1e9  # what is shorter has vanished
LOOKS = 4  # at configurations around the present one, where a combination may just have vanished
SWING = 0.3


def combinations(system: System, q: Array, t: float = 0.0) -> Array | None:
    """T (rows, rows) with rows of T J of like length in the metric M^-1; None where those of J are within MUCH already.

    The directions are those of J M^-1/2 here and around; the rows of cut joints are in frames on their bodies, so that they
    stay what they are. Lengths are changed by powers of two.
    """
    A = _in_mass_metric(system, q, t)
    if A is None or not _spread(np.linalg.svd(A, compute_uv=False)).any():
        return None
    U, s, _ = np.linalg.svd(np.concatenate([A, *_around(system, q, t)], axis=1), full_matrices=False)
    far = _spread(s)
    if not far.any():
        return None
    factors = np.ones(len(s))
    factors[far] = 2.0 ** np.round(np.log2(s[0] / s[far]))
    made: Array = np.ascontiguousarray(factors[:, None] * U.T)
    return made


def _spread(s: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of some sizes, the largest first, are much smaller than that, and not zero."""
    return (s < s[0] / MUCH) & (s > s[0] / MOST)


def _around(system: System, q: Array, t: float) -> list[Array]:
    """Rows at closed configurations around q; the user's own are not asked where the mechanism never is."""
    if system.extra_rows.user:
        return []
    rng, found = np.random.default_rng(0), []
    size = SWING * min(1.0, length_of(system))
    for _ in range(LOOKS):
        try:
            x = assemble(system, displace(system, q, size * rng.standard_normal(system.nv)), t=t)
        except CotreeError:
            continue
        A = _in_mass_metric(system, x, t)
        found += [] if A is None else [A]
    return found


def _in_mass_metric(system: System, q: Array, t: float) -> Array | None:
    """J L^-T with M = L L^T; nothing where a coordinate has no inertia, which is not for here to name."""
    J, M = constraint_jacobian(system, q, t), mass_matrix(system, q)
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        return None
    made: Array = np.linalg.solve(L, J.T).T
    return made
