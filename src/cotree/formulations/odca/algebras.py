"""The algebra in which each part moves: the closure of the screws on its way to ground, constant in the world frame.

A displacement of the part is a product of exponentials of these screws, so that its twists and accelerations stay in the
algebra that they generate [METHODS 11]. Loops may narrow the motion further; the rows see to that.
"""

from __future__ import annotations

import numpy as np

from cotree._kernel import kernel

SPAN = 1e-9  # relative length below which a screw lies in a span


@kernel
def _bracket(x, y, out):
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] = x[j] * y[k] - x[k] * y[j]
        out[i + 3] = (x[j] * y[k + 3] - x[k] * y[j + 3]) - (y[j] * x[k + 3] - y[k] * x[j + 3])


@kernel
def _extend(basis, n, x):
    """Append what x has outside the span of n orthonormal rows; returns the new number of rows."""
    size = np.sqrt(np.dot(x, x))
    if n == 6 or size == 0.0:
        return n
    r = x / size
    for _ in range(2):
        for k in range(n):
            r -= np.dot(basis[k], r) * basis[k]
    rest = np.sqrt(np.dot(r, r))
    if rest <= SPAN:
        return n
    basis[n] = r / rest
    return n + 1


@kernel
def _close(basis, n):
    """Close n orthonormal rows under brackets; returns their number."""
    x = np.empty(6)
    i = 1
    while i < n and n < 6:
        for k in range(i):
            _bracket(basis[k], basis[i], x)
            if np.dot(x, x) > SPAN * SPAN:
                n = _extend(basis, n, x)
        i += 1
    return n


@kernel
def close_along(parents, first, count, screws, bases, sizes, algebra_of):
    """Algebras of all parts, parents first. screws (nv, 6) scaled; bases (parts + 1, 6, 6), sizes, algebra_of are filled.

    Row 0 of the bases is the whole of se(3), parts share rows where nothing is new. Returns the number of algebras.
    """
    sizes[0] = 6
    bases[0] = np.eye(6)
    n_algebras, latest = 1, np.zeros(7, dtype=np.int64)  # the last algebra of each size
    basis = np.empty((6, 6))
    for u in range(parents.size):
        n, known = 0, -1
        if parents[u] >= 0:
            known = algebra_of[parents[u]]
            n = sizes[known]
            basis[:n] = bases[known, :n]
        m = n
        for j in range(first[u], first[u] + count[u]):
            m = _extend(basis, m, screws[j])
        if m > n:
            known = -1
            m = _close(basis, m)
        if m == 6:
            known = 0
        if known < 0 and latest[m] > 0 and _contains(bases[latest[m]], m, basis):
            known = latest[m]
        if known < 0:
            known = n_algebras
            bases[known, :m] = basis[:m]
            sizes[known] = m
            latest[m] = known
            n_algebras += 1
        algebra_of[u] = known
    return n_algebras


@kernel
def _contains(basis, n, other):
    for i in range(n):
        r = other[i].copy()
        for k in range(n):
            r -= np.dot(basis[k], r) * basis[k]
        if np.dot(r, r) > SPAN * SPAN:
            return False
    return True


@kernel
def put_structure(bases, sizes, length, algebras):
    """Each algebra's basis with orthonormal angular velocities and translations; undoes the scaling of lengths."""
    for a in range(algebras.size):
        n, B = sizes[a], bases[a]
        if n == 6:
            algebras[a].rotations = algebras[a].translations = 3
            for k in range(3):
                algebras[a].w[4 * k] = algebras[a].e[4 * k] = 1.0
            continue
        W = B[:n, :3].copy()
        values, vectors = np.linalg.eigh(np.dot(W, W.T))
        rotations = 0
        for k in range(n):
            if values[k] > 1e-14:
                rotations += 1
        algebras[a].rotations, algebras[a].translations = rotations, n - rotations
        for i in range(rotations):  # eigenvectors of the largest values give orthogonal angular velocities
            x = np.dot(B[:n].T.copy(), vectors[:, n - 1 - i].copy()) / np.sqrt(values[n - 1 - i])
            for k in range(3):
                algebras[a].w[3 * i + k], algebras[a].v[3 * i + k] = x[k], length * x[k + 3]
        for i in range(n - rotations):
            x = np.dot(B[:n].T.copy(), vectors[:, i].copy())
            size = np.sqrt(x[3] ** 2 + x[4] ** 2 + x[5] ** 2)
            for k in range(3):
                algebras[a].e[3 * i + k] = x[k + 3] / size
