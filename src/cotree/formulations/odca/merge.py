"""Hierarchic assembly and disassembly at one node of the plan [DCA (14) to (30), (40) to (42), (57) to (72)].

Handles of the two parts together: accelerations alpha = Z F + z for forces F on them. The node's rows C alpha = c act with
forces C^T lam; with X = C Z C^T = L L^T and Y = L^-1 C Z they give
    lam = L^-T (y - Y F),   y = L^-1 (c - C z),
and on the handles kept Z - Y^T Y and z + Y^T y. One row or many, between two assemblies, at several joints at once or
against ground (where only one part is there) make no difference. Where rows depend on those imposed before, X is singular:
the pivots tell, and such rows are left out.
"""

import numpy as np

from cotree.engine.arena import integers, matrix, vector
from cotree.engine.kernel import inlined, kernel
from cotree.formulations.odca.merge_two import assemble_two
from cotree.judge import DEPENDENT_SQUARE, DOUBTFUL


@kernel
def assemble_node(node, nodes, entries, blocks, parts, groups, base, scratch, order, ratios):
    """Z, z of the node from those of its parts; Y, L, y for the way back. Returns its rank; ratios[0] receives the least
    pivot kept and ratios[1] the largest left out, if they are less, or greater, than what is there.

    base, scratch, order: where the arena, room for C Z and the rows' scales, and the permutations begin.
    """
    if node.part >= 0:
        if node.rows == 0:
            return 0  # the leaf's own Z, z
        part = parts[node.part]
        Z_left, z_left, Z_right, z_right = part.zeta_at, part.z_at, 0, 0
    else:
        left, right = nodes[node.left], nodes[node.right]
        if node.plain and assemble_two(
            node, entries[node.entry], entries[node.entry + 1], left, right, groups, base, scratch, ratios
        ):
            integers(order, node.order_at, 1)[0] = -1
            return 2
        Z_left, z_left, Z_right, z_right = left.Z_at, left.z_at, right.Z_at, right.z_at
    m, n, n_left, n_right = node.rows, node.n_left + node.n_right, node.n_left, node.n_right
    CZ, y = matrix(scratch, 0, m, n), vector(base, node.y_at, m)
    for i in range(m):
        for j in range(n):
            CZ[i, j] = 0.0
    last = -1
    for k in range(node.entry, node.entry + node.entries):
        e = entries[k]
        if e.group != last:  # entries of a group follow each other
            c = vector(base, groups[e.group].c_at, e.rows)
            here = vector(base, node.y_at + e.row, e.rows)
            for i in range(e.rows):
                here[i] = c[i]
            last = e.group
        if e.column < n_left:
            _add_CZ(e, base, scratch, n, node.y_at, n_left, Z_left, z_left, e.column, 0)
        else:
            _add_CZ(e, base, scratch, n, node.y_at, n_right, Z_right, z_right, e.column - n_left, n_left)
    _put_X(node, entries, groups, base, scratch, n)
    rank = _factor(node, entries, groups, base, scratch, m * n, order, ratios)
    _put_Y(node, blocks, base, scratch, n, y, rank, order)
    _put_Z(node, blocks, base, y, Z_left, z_left, Z_right, z_right)
    return rank


@inlined
def _add_CZ(e, base, scratch, n, y_at, ns, Z_at, z_at, start, column):
    """Rows of an entry times those of Z that it touches, added to C Z; subtracted from y with z."""
    C, Z = matrix(base, e.C_at, e.rows, e.size), matrix(base, Z_at + start * ns, e.size, ns)
    z, y = vector(base, z_at + start, e.size), vector(base, y_at + e.row, e.rows)
    for i in range(e.rows):
        target = vector(scratch, (e.row + i) * n + column, ns)
        s = 0.0
        for k in range(e.size):
            c = C[i, k]
            s += c * z[k]
            for j in range(ns):
                target[j] += c * Z[k, j]
        y[i] -= s


@inlined
def _put_X(node, entries, groups, base, scratch, n):
    """X = (C Z) C^T, lower triangle, and the compliance of its rows, into L; C Z with n columns."""
    m = node.rows
    X = matrix(base, node.L_at, m, m)
    for i in range(m):
        for j in range(m):
            X[i, j] = 0.0
    last = -1
    for k in range(node.entry, node.entry + node.entries):
        e = entries[k]
        if e.group != last and groups[e.group].soft_at >= 0:
            soft = vector(base, groups[e.group].soft_at, e.rows)
            for i in range(e.rows):
                X[e.row + i, e.row + i] += soft[i]
        last = e.group
        C = matrix(base, e.C_at, e.rows, e.size)
        for i in range(e.row, m):
            row = vector(scratch, i * n + e.column, e.size)
            target = vector(base, node.L_at + i * m + e.row, e.rows)
            for j in range(min(e.rows, i - e.row + 1)):
                s = 0.0
                for l in range(e.size):
                    s += row[l] * C[j, l]
                target[j] += s


@inlined
def _factor(node, entries, groups, base, scratch, free, orders, ratios):
    """L with X = L L^T, in place; columns of rows left out are zero. `order` holds the permutation, or -1 first for none.

    free: place from which on the scratch is free.
    """
    m = node.rows
    if m == 0:
        return 0
    L, scale, saved = matrix(base, node.L_at, m, m), vector(scratch, free, m), vector(scratch, free + m, m)
    order = integers(orders, node.order_at, m)
    order[0] = -1
    for k in range(node.entry, node.entry + node.entries):
        e = entries[k]
        given, target = vector(base, groups[e.group].scale_at, e.rows), vector(scratch, free + e.row, e.rows)
        for i in range(e.rows):
            target[i] = given[i]
    for j in range(m):
        saved[j] = L[j, j]
    least = np.inf
    for j in range(m):
        d = L[j, j]
        for k in range(j):
            d -= L[j, k] * L[j, k]
        ratio = d / scale[j]
        if not ratio > DOUBTFUL:
            _restore(L, j, saved)
            return factor_by_pivots(L, scale, order, ratios)
        least = min(least, ratio)
        d = np.sqrt(d)
        L[j, j] = d
        d = 1.0 / d
        for i in range(j + 1, m):
            s = L[i, j]
            for k in range(j):
                s -= L[i, k] * L[j, k]
            L[i, j] = s * d
    ratios[0] = min(ratios[0], least)
    return m


@kernel
def _restore(L, done, diagonal):
    """Undo the first columns of a Cholesky factorization: X = L L^T there."""
    m = L.shape[0]
    for i in range(m - 1, -1, -1):
        for j in range(min(i, done - 1), -1, -1):
            s = 0.0
            for k in range(j + 1):
                s += L[i, k] * L[j, k]
            L[i, j] = s
    for j in range(m):
        L[j, j] = diagonal[j]


@kernel
def factor_by_pivots(L, scale, order, ratios):
    """The same with the largest pivot first, relative to the scales; what is below the tolerance is left out."""
    m = L.shape[0]
    for i in range(m):
        order[i] = i
        for j in range(i + 1, m):
            L[i, j] = L[j, i]
    for j in range(m):
        best = j
        for i in range(j + 1, m):
            if _relative(L[i, i], scale[i]) > _relative(L[best, best], scale[best]):
                best = i
        ratio = _relative(L[best, best], scale[best])
        if not ratio > DEPENDENT_SQUARE:
            ratios[1] = max(ratios[1], ratio)
            for i in range(j, m):
                for k in range(j, i + 1):
                    L[i, k] = 0.0
            return j
        ratios[0] = min(ratios[0], ratio)
        if best != j:
            _swap(L, j, best, order, scale)
        d = np.sqrt(L[j, j])
        L[j, j] = d
        for i in range(j + 1, m):
            L[i, j] /= d
        for i in range(j + 1, m):
            for k in range(j + 1, i + 1):
                L[i, k] -= L[i, j] * L[k, j]
                L[k, i] = L[i, k]
    return m


@inlined
def _relative(pivot, scale):
    """A pivot relative to its row's scale, 0 for a row that is left out from the start."""
    return pivot / scale if scale > 0.0 else 0.0


@kernel
def _swap(L, i, j, order, scale):
    """Exchange rows and columns of what is left to be factored, and rows of what is done."""
    for k in range(L.shape[0]):
        L[i, k], L[j, k] = L[j, k], L[i, k]
    for k in range(i, L.shape[0]):
        L[k, i], L[k, j] = L[k, j], L[k, i]
    order[i], order[j] = order[j], order[i]
    scale[i], scale[j] = scale[j], scale[i]


@inlined
def _put_Y(node, blocks, base, scratch, n, y, rank, orders):
    """Y = L^-1 C Z at the columns kept, and y = L^-1 y; zero in rows left out."""
    m, kept = node.rows, node.kept
    Y, L, order = matrix(base, node.Y_at, m, kept), matrix(base, node.L_at, m, m), integers(orders, node.order_at, m)
    permuted = m > 0 and order[0] >= 0
    if permuted:
        _permute(y, order)
    for i in range(m):
        if i >= rank:
            y[i] = 0.0
            for l in range(kept):
                Y[i, l] = 0.0
            continue
        at = n * (order[i] if permuted else i)
        for b in range(node.block, node.block + node.blocks):
            block = blocks[b]
            source = vector(scratch, at + block.column, block.size)
            target = vector(base, node.Y_at + i * kept + block.place, block.size)
            for l in range(block.size):
                target[l] = source[l]
        s, d = y[i], 1.0 / L[i, i]
        for k in range(i):
            x = L[i, k]
            s -= x * y[k]
            for l in range(kept):
                Y[i, l] -= x * Y[k, l]
        y[i] = s * d
        for l in range(kept):
            Y[i, l] *= d


@kernel
def _permute(y, order):
    before = y.copy()
    for i in range(y.size):
        y[i] = before[order[i]]


@inlined
def _put_Z(node, blocks, base, y, Z_left, z_left, Z_right, z_right):
    """Z - Y^T Y and z + Y^T y at the handles kept."""
    m, kept, n_left = node.rows, node.kept, node.n_left
    for b in range(node.block, node.block + node.blocks):
        p = blocks[b]
        in_left = p.column < n_left
        first, ns = (0, n_left) if in_left else (n_left, node.n_right)
        Z_at, z_at = (Z_left, z_left) if in_left else (Z_right, z_right)
        source, target = vector(base, z_at + p.column - first, p.size), vector(base, node.z_at + p.place, p.size)
        for i in range(p.size):
            target[i] = source[i]
        for d in range(node.block, b + 1):
            q = blocks[d]
            same = (q.column < n_left) == in_left
            for i in range(p.size):
                row = vector(base, node.Z_at + (p.place + i) * kept + q.place, q.size)
                if same:
                    given = vector(base, Z_at + (p.column - first + i) * ns + q.column - first, q.size)
                    for j in range(q.size):
                        row[j] = given[j]
                else:
                    for j in range(q.size):
                        row[j] = 0.0
    Z, z, Y = matrix(base, node.Z_at, kept, kept), vector(base, node.z_at, kept), matrix(base, node.Y_at, m, kept)
    for k in range(m):
        s = y[k]
        for i in range(kept):
            x = Y[k, i]
            z[i] += x * s
            for j in range(i + 1):
                Z[i, j] -= x * Y[k, j]
    for i in range(kept):
        for j in range(i):
            Z[j, i] = Z[i, j]


@kernel
def reassemble_node(node, nodes, entries, blocks, parts, groups, base, orders):
    """y and z of a node whose factors are there, for other right-hand sides."""
    m, kept, n_left = node.rows, node.kept, node.n_left
    if node.part >= 0:
        if m == 0:
            return
        z_left, z_right = parts[node.part].z_at, 0
    else:
        z_left, z_right = nodes[node.left].z_at, nodes[node.right].z_at
    y, Y, L = vector(base, node.y_at, m), matrix(base, node.Y_at, m, kept), matrix(base, node.L_at, m, m)
    order, last = integers(orders, node.order_at, m), -1
    for k in range(node.entry, node.entry + node.entries):
        e = entries[k]
        target = vector(base, node.y_at + e.row, e.rows)
        if e.group != last:
            c = vector(base, groups[e.group].c_at, e.rows)
            for i in range(e.rows):
                target[i] = c[i]
            last = e.group
        at = z_left + e.column if e.column < n_left else z_right + e.column - n_left
        C, z = matrix(base, e.C_at, e.rows, e.size), vector(base, at, e.size)
        for i in range(e.rows):
            for l in range(e.size):
                target[i] -= C[i, l] * z[l]
    if m > 0 and order[0] >= 0:
        _permute(y, order)
    for i in range(m):
        s = y[i]
        for k in range(i):
            s -= L[i, k] * y[k]
        y[i] = s / L[i, i] if L[i, i] != 0.0 else 0.0
    out = vector(base, node.z_at, kept)
    for b in range(node.block, node.block + node.blocks):
        block = blocks[b]
        at = z_left + block.column if block.column < n_left else z_right + block.column - n_left
        source, target = vector(base, at, block.size), vector(base, node.z_at + block.place, block.size)
        for l in range(block.size):
            target[l] = source[l]
    for k in range(m):
        for l in range(kept):
            out[l] += Y[k, l] * y[k]


@kernel
def disassemble_node(node, nodes, entries, blocks, parts, groups, base, scratch, orders):
    """Multipliers of the node's rows from the forces on its handles, then the forces on the handles of its parts."""
    m, kept, n_left, n_right = node.rows, node.kept, node.n_left, node.n_right
    if node.part >= 0:
        if m == 0 and kept > 0:
            return  # its forces are in place
        left, right = parts[node.part].alpha_at, 0
    else:
        left, right = nodes[node.left].F_at, nodes[node.right].F_at
    x, lam, F = vector(scratch, 0, m), vector(scratch, m, m), vector(base, node.F_at, kept)
    Y, L, y = matrix(base, node.Y_at, m, kept), matrix(base, node.L_at, m, m), vector(base, node.y_at, m)
    order = integers(orders, node.order_at, m)
    permuted = m > 0 and order[0] >= 0
    for i in range(m):
        s = y[i]
        for l in range(kept):
            s -= Y[i, l] * F[l]
        x[i] = s
    for i in range(m - 1, -1, -1):
        d, s = L[i, i], x[i]
        for k in range(i + 1, m):
            s -= L[k, i] * x[k]
        x[i] = s / d if d != 0.0 else 0.0
        lam[order[i] if permuted else i] = x[i]
    F_left, F_right = vector(base, left, n_left), vector(base, right, n_right)
    for l in range(n_left):
        F_left[l] = 0.0
    for l in range(n_right):
        F_right[l] = 0.0
    for b in range(node.block, node.block + node.blocks):
        block = blocks[b]
        at = left + block.column if block.column < n_left else right + block.column - n_left
        source, target = vector(base, node.F_at + block.place, block.size), vector(base, at, block.size)
        for l in range(block.size):
            target[l] = source[l]
    for k in range(node.entry, node.entry + node.entries):
        e = entries[k]
        at = left + e.column if e.column < n_left else right + e.column - n_left
        target, given = vector(base, at, e.size), vector(scratch, m + e.row, e.rows)
        C, out = matrix(base, e.C_at, e.rows, e.size), vector(base, groups[e.group].lambda_at, e.rows)
        for i in range(e.rows):
            out[i] = given[i]
            for l in range(e.size):
                target[l] += given[i] * C[i, l]


@kernel
def accelerate_part(part, base):
    """alpha = zeta F + z [DCA (1)]; F is in the place of alpha before, and in that of the applied forces after."""
    n = part.size
    zeta, z = matrix(base, part.zeta_at, n, n), vector(base, part.z_at, n)
    F, alpha = vector(base, part.force_at, n), vector(base, part.alpha_at, n)
    for k in range(n):
        F[k] = alpha[k]
    for k in range(n):
        s = z[k]
        for l in range(n):
            s += zeta[k, l] * F[l]
        alpha[k] = s
