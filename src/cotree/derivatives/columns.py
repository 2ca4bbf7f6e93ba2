"""Triangular solves and reflections of many columns at once, by rows of the matrix that holds them; zeros are passed over."""

import numpy as np

from cotree.engine.kernel import dense


@dense
def add_row(factor, source, target):
    """target += factor source."""
    for k in range(target.size):
        target[k] += factor * source[k]


@dense
def divide_row(x, by):
    for k in range(x.size):
        x[k] /= by


@dense
def solve_lower_columns(L, X):
    """X := L^-1 X."""
    for i in range(L.shape[0]):
        for k in range(i):
            if L[i, k] != 0.0:
                add_row(-L[i, k], X[k], X[i])
        divide_row(X[i], L[i, i])


@dense
def solve_lower_transposed_columns(L, X):
    """X := L^-T X."""
    for i in range(L.shape[0] - 1, -1, -1):
        for k in range(i + 1, L.shape[0]):
            if L[k, i] != 0.0:
                add_row(-L[k, i], X[k], X[i])
        divide_row(X[i], L[i, i])


@dense
def reflect_columns(A, beta, i, X, s):
    """One reflector of `pivoted_qr` on all columns; s: room for one row."""
    for c in range(s.size):
        s[c] = X[i, c]
    for k in range(i + 1, A.shape[1]):
        if A[i, k] != 0.0:
            add_row(A[i, k], X[k], s)
    add_row(-beta[i], s, X[i])
    for k in range(i + 1, A.shape[1]):
        if A[i, k] != 0.0:
            add_row(-beta[i] * A[i, k], s, X[k])


@dense
def split_columns(A, beta, pivot, rank, motion, X, lam):
    """X := what is left of L^-1 force when the rows chosen take their share: Q (y, 0) + (the rest), R^T y = motion; and the
    shares lam of these rows, R lam = Q^T X - y. A, beta, pivot, rank are those of `pivoted_qr`; motion is used up."""
    s = np.empty(X.shape[1])
    for i in range(rank):
        reflect_columns(A, beta, i, X, s)
    for i in range(rank):
        y = motion[pivot[i]]
        for k in range(i):
            if A[i, k] != 0.0:
                add_row(-A[i, k], motion[pivot[k]], y)
        divide_row(y, A[i, i])
    for i in range(rank - 1, -1, -1):
        share, y = lam[pivot[i]], motion[pivot[i]]
        for c in range(share.size):
            share[c] = X[i, c] - y[c]
        for k in range(i + 1, rank):
            if A[k, i] != 0.0:
                add_row(-A[k, i], lam[pivot[k]], share)
        divide_row(share, A[i, i])
    for i in range(rank):
        for c in range(s.size):
            X[i, c] = motion[pivot[i], c]
    for i in range(rank - 1, -1, -1):
        reflect_columns(A, beta, i, X, s)
