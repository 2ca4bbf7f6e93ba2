"""The algebra in which each part moves: the closure of the screws on its way to ground, constant in the world frame.

A displacement of the part is a product of exponentials of these screws, so that its twists and accelerations stay in the
algebra that they generate. Loops may narrow the motion further; the rows see to that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.kernel import kernel
from cotree.formulations.odca.tables import algebra_t
from cotree.judge import DEPENDENT

Array = NDArray[np.float64]

TURNS = (
    1e-7  # angular part of a unit screw, lengths in units of the system's extent, above which it is not a translation
)


@kernel
def _bracket(x, y, out):
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = x[j] * y[k] - x[k] * y[j]
        out[i + 3] = (x[j] * y[k + 3] - x[k] * y[j + 3]) - (y[j] * x[k + 3] - y[k] * x[j + 3])


@kernel
def _reduce(basis, n, r):
    """Take from r its part in the span of n orthonormal rows, twice for the sake of rounding; returns the size left."""
    for _ in range(2):
        for k in range(n):
            s = 0.0
            for i in range(6):
                s += basis[k, i] * r[i]
            for i in range(6):
                r[i] -= s * basis[k, i]
    return _size(r)


@kernel
def _size(x):
    s = 0.0
    for i in range(6):
        s += x[i] * x[i]
    return np.sqrt(s)


@kernel
def _extend(basis, n, x):
    """Append what x has outside the span of n orthonormal rows; returns the new number of rows. x is spent."""
    size = _size(x)
    if n == 6 or size == 0.0:
        return n
    rest = _reduce(basis, n, x)
    if rest <= DEPENDENT * size:
        return n
    for i in range(6):
        basis[n, i] = x[i] / rest
    return n + 1


@kernel
def _close(basis, n):
    """Close n orthonormal rows under brackets; returns their number."""
    x = np.empty(6)
    i = 1
    while i < n and n < 6:
        for k in range(i):
            _bracket(basis[k], basis[i], x)
            if _size(x) > DEPENDENT:
                n = _extend(basis, n, x)
        i += 1
    return n


@kernel
def close_along(parents, first, count, screws, bases, sizes, algebra_of):
    """Algebras of all parts, parents first. screws (nv, 6) scaled; bases (parts + 1, 6, 6), sizes, algebra_of are filled.

    Row 0 of the bases is the whole of se(3), parts share rows where nothing is new. Returns the number of algebras.
    """
    for i in range(6):
        bases[0, i, i] = 1.0
    sizes[0] = 6
    n_algebras, latest = 1, np.zeros(7, dtype=np.int64)  # the last algebra of each size
    basis, x = np.empty((6, 6)), np.empty(6)
    for u in range(parents.size):
        n, known = 0, -1
        if parents[u] >= 0:
            known = algebra_of[parents[u]]
            n = sizes[known]
            _copy_rows(bases[known], basis, n)
        m = n
        for j in range(first[u], first[u] + count[u]):
            for i in range(6):
                x[i] = screws[j, i]
            m = _extend(basis, m, x)
        if m > n:
            known = -1
            m = _close(basis, m)
        if m == 6:
            known = 0
        if known < 0 and latest[m] > 0 and _contains(bases[latest[m]], m, basis, x):
            known = latest[m]
        if known < 0:
            known = n_algebras
            _copy_rows(basis, bases[known], m)
            sizes[known] = m
            latest[m] = known
            n_algebras += 1
        algebra_of[u] = known
    return n_algebras


@kernel
def _copy_rows(source, target, n):
    for k in range(n):
        for i in range(6):
            target[k, i] = source[k, i]


@kernel
def _contains(basis, n, other, x):
    """Whether n rows of another basis lie in the span of this one's."""
    for k in range(n):
        for i in range(6):
            x[i] = other[k, i]
        if _reduce(basis, n, x) > DEPENDENT:
            return False
    return True


def structured(bases: Array, sizes: NDArray[np.int64], length: float) -> NDArray[np.void]:
    """Each algebra's basis with orthonormal angular velocities and translations; undoes the scaling of lengths."""
    algebras = np.zeros(len(sizes), algebra_t)
    single = sizes == 1
    turn = np.linalg.norm(bases[single, 0, :3], axis=1)[:, None]
    turns = turn[:, 0] > TURNS
    rows = np.flatnonzero(single)
    algebras["rotations"][rows], algebras["translations"][rows] = turns, ~turns
    with np.errstate(divide="ignore", invalid="ignore"):
        unit = bases[single, 0] / np.where(turns[:, None], turn, np.linalg.norm(bases[single, 0, 3:], axis=1)[:, None])
    algebras["w"][rows[turns], :3], algebras["v"][rows[turns], :3] = unit[turns, :3], length * unit[turns, 3:]
    algebras["e"][rows[~turns], :3] = unit[~turns, 3:]
    for a in np.flatnonzero(~single):
        _put_structure(bases[a, : sizes[a]], length, algebras[a])
    return algebras


def _put_structure(B: Array, length: float, algebra: Any) -> None:
    """Singular vectors of the angular velocities separate rotations from translations."""
    if len(B) == 6:
        algebra["rotations"] = algebra["translations"] = 3
        algebra["w"] = algebra["e"] = np.eye(3).ravel()
        return
    U, s, _ = np.linalg.svd(B[:, :3])
    n = int(np.count_nonzero(s > TURNS))
    X = U.T @ B
    algebra["rotations"], algebra["translations"] = n, len(B) - n
    algebra["w"][: 3 * n] = (X[:n, :3] / s[:n, None]).ravel()
    algebra["v"][: 3 * n] = (length * X[:n, 3:] / s[:n, None]).ravel()
    algebra["e"][: 3 * (len(B) - n)] = (X[n:, 3:] / np.linalg.norm(X[n:, 3:], axis=1)[:, None]).ravel()
