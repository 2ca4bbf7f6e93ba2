"""Mobility with the loops in force, block by block: M = L L^T, and an orthogonal basis of the rows J L^-T of the loops.

A column of a contact row w is x = Q^T L^-1 w without its first entries, as many as the loops have independent rows: then
w M^-1 w'^T with the loops in force is x . x', and redundant rows of loops never reach the contact problem.
"""

from cotree.engine import arena
from cotree.engine.kernel import kernel
from cotree.engine.records import integers, vector
from cotree.engine.vectors import fill, inner
from cotree.formulations.linalg import (
    apply_q,
    apply_q_transposed,
    cholesky,
    pivoted_qr,
    solve_lower,
    solve_lower_transposed,
    split_by_rows,
)
from cotree.integrate.contacts.steps.records import blocks_of


@kernel
def factor_of(c, x):
    """L of a block."""
    return arena.matrix(arena.base_in(c.arrays.L), x.L, x.n, x.n)


@kernel
def rows_of_block(c, x):
    """(A, beta, pivot) of the rows of its loops."""
    first, last = x.first_row, x.first_row + x.m
    A = arena.matrix(arena.base_in(c.arrays.A), x.A, x.m, x.n)
    return A, vector(c.arrays.beta)[first:last], integers(c.arrays.pivot)[first:last]


@kernel
def factorize(c, M, J, tolerance):
    """Factors of all blocks; 0, or -(1 + coordinate) for one without inertia."""
    blocks, dofs, order = blocks_of(c.arrays.blocks), integers(c.arrays.dofs), integers(c.arrays.order)
    for b in range(blocks.size):
        x = blocks[b]
        L = factor_of(c, x)
        for i in range(x.n):
            for j in range(i + 1):
                L[i, j] = M[dofs[x.first + i], dofs[x.first + j]]
        bad = cholesky(L)
        if bad != 0:
            return -1 - dofs[x.first + bad - 1]
        x.rank = 0
        if x.m > 0:
            A, beta, pivot = rows_of_block(c, x)
            for r in range(x.m):
                for i in range(x.n):
                    A[r, i] = J[order[x.first_row + r], dofs[x.first + i]]
                solve_lower(L, A[r])
            x.rank = pivoted_qr(A, beta, pivot, tolerance)
    return 0


@kernel
def put_free(c, f, eta, y, a):
    """Accelerations a = M^-1 (f - J^T lam) with J a = eta; y: room."""
    blocks, dofs, order = blocks_of(c.arrays.blocks), integers(c.arrays.dofs), integers(c.arrays.order)
    for b in range(blocks.size):
        x = blocks[b]
        L, z = factor_of(c, x), y[x.first : x.first + x.n]
        for i in range(x.n):
            z[i] = f[dofs[x.first + i]]
        solve_lower(L, z)
        if x.m > 0:
            A, beta, pivot = rows_of_block(c, x)
            put_rows(A, beta, pivot, x, eta, order, z)
        solve_lower_transposed(L, z)
        for i in range(x.n):
            a[dofs[x.first + i]] = z[i]


@kernel
def put_rows(A, beta, pivot, x, eta, order, z):
    """What the rows of a block determine."""
    wanted, lam = eta[: x.m].copy(), eta[: x.m].copy()
    for r in range(x.m):
        wanted[r] = eta[order[x.first_row + r]]
    apply_q_transposed(A, beta, x.rank, z)
    split_by_rows(A, pivot, x.rank, wanted, z, lam)
    apply_q(A, beta, x.rank, z)


@kernel
def put_column(c, b, w, X):
    """The part of the column of a row w that lies in block b, at its place in X."""
    if b < 0:
        return
    x, dofs = blocks_of(c.arrays.blocks)[b], integers(c.arrays.dofs)
    z = X[x.first : x.first + x.n]
    for i in range(x.n):
        z[i] = w[dofs[x.first + i]]
    solve_lower(factor_of(c, x), z)
    if x.m > 0:
        A, beta, _ = rows_of_block(c, x)
        apply_q_transposed(A, beta, x.rank, z)
        for i in range(x.rank):
            z[i] = 0.0


@kernel
def pair_in(c, b, X, Y):
    """Scalar product of two columns in a block."""
    x = blocks_of(c.arrays.blocks)[b]
    return inner(X[x.first : x.first + x.n], Y[x.first : x.first + x.n])


@kernel
def pair(c, one, other, X, Y):
    """Scalar product of the columns of two candidates, over the blocks that they share."""
    s = 0.0
    if one.block_a >= 0 and (one.block_a == other.block_a or one.block_a == other.block_b):
        s += pair_in(c, one.block_a, X, Y)
    b = one.block_b
    if b >= 0 and b != one.block_a and (b == other.block_a or b == other.block_b):
        s += pair_in(c, b, X, Y)
    return s


@kernel
def put_back(c, y, dv):
    """From columns to velocities: dv = L^-T Q y; overwrites y."""
    blocks, dofs = blocks_of(c.arrays.blocks), integers(c.arrays.dofs)
    for b in range(blocks.size):
        x = blocks[b]
        z = y[x.first : x.first + x.n]
        if x.m > 0:
            A, beta, _ = rows_of_block(c, x)
            apply_q(A, beta, x.rank, z)
        solve_lower_transposed(factor_of(c, x), z)
        for i in range(x.n):
            dv[dofs[x.first + i]] = z[i]


@kernel
def put_sum(c, candidates, active, first, X, P, y, sizes):
    """y = X^T P, and the sums of the sizes of its terms."""
    fill(y, 0.0)
    fill(sizes, 0.0)
    for k in range(active.size):
        one = candidates[active[k]]
        for r in range(first[k], first[k + 1]):
            add_in(c, one.block_a, P[r], X[r], y, sizes)
            if one.block_b != one.block_a:
                add_in(c, one.block_b, P[r], X[r], y, sizes)


@kernel
def add_in(c, b, factor, X, y, sizes):
    """The part in one block."""
    if b < 0 or factor == 0.0:
        return
    x = blocks_of(c.arrays.blocks)[b]
    for i in range(x.first, x.first + x.n):
        y[i] += factor * X[i]
        sizes[i] += abs(factor * X[i])
