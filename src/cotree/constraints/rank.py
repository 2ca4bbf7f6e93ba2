"""The rank of the constraints: which rows depend on others. Its tolerances are in `judge`; here is what they depend on.

| constant | value | relative to | reason |
|---|---|---|---|
| `PER_GAP` | 10 | gap over length | some rows depend on each other only where the loops are closed |
| `REPORTED_PER_GAP` | 1e3 | gap over length | dimensions from files leave gaps: rows that only these keep apart depend |
| `ACTUATED` | 1e-10 | largest singular value | an actuator that does less does nothing |
| `ZERO` | 1e-12 | | rows smaller than this are rounding and are not scaled up |
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.kernel import kernel
from cotree.judge import DEPENDENT, MOST, REPORTED, TINY, ZERO, Rank

Array = NDArray[np.float64]

PER_GAP = 10.0
REPORTED_PER_GAP = 1e3
ACTUATED = 1e-10


@kernel
def rank_tolerance(g, length):
    """Relative length below which a row counts as dependent, tied to how well the loops are closed."""
    gap = 0.0
    for k in range(g.size):
        gap = max(gap, abs(g[k]))
    return min(MOST, max(DEPENDENT, PER_GAP * gap / length))


def count(s: NDArray[np.floating[Any]], tolerance: float = DEPENDENT, least: float = TINY) -> Rank:
    """How many singular values are more than this part of the largest; least: what the largest counts for at least."""
    return Rank.of(s, tolerance * max(float(s.max(initial=0.0)), least))


def reported(s: NDArray[np.floating[Any]], gap: float, tolerance: float = REPORTED) -> Rank:
    """How many singular values of rows and columns of unit size count in a report, at a configuration open by gap."""
    return Rank.of(s, max(tolerance, REPORTED_PER_GAP * gap))


def unit_rows(J: Array) -> Array:
    """Rows of unit length; those that are zero stay so."""
    size = np.linalg.norm(J, axis=1, keepdims=True)
    return J / np.where(size > ZERO, size, 1.0)


def unit_columns(J: Array) -> Array:
    """Columns of unit length; those that are next to zero stay as they are."""
    size = np.linalg.norm(J, axis=0)
    return J / np.where(size > REPORTED, size, 1.0)


def null_space(J: Array) -> Array:
    """Orthonormal basis of the velocities with J v = 0, (nv, n - r), rows taken in unit size."""
    _, s, Vt = np.linalg.svd(unit_rows(J))
    return np.asarray(Vt[np.count_nonzero(s > REPORTED) :].T, dtype=np.float64)


def settled_basis(N: Array) -> Array:
    """The orthonormal basis of the span of the columns of N that does not depend on which one N is.

    Singular vectors of equal singular values are a matter of rounding, any turn of them will do, and what is drawn at random
    in their coordinates would differ between processors. Here a fixed set of vectors is projected to the span."""
    n, k = N.shape
    Q, R = np.linalg.qr(N.T @ np.random.default_rng(k).standard_normal((n, k)))
    return np.asarray(N @ (Q * np.where(np.diag(R) < 0.0, -1.0, 1.0)))


def sizes_or_largest(size: Array, otherwise: float = 1.0) -> Array:
    """Units for rows of these sizes: their own, the largest for those that have vanished, or what else there is."""
    largest = float(size.max(initial=0.0))
    return np.where(size > DEPENDENT * largest, size, largest or otherwise)
