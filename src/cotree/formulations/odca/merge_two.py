"""The commonest node, written out: one joint with two rows between two assemblies, as in planar and spherical mechanisms.

The same equations as in `merge`, with X = L L^T by hand and Y, Z in one pass.
"""

import numpy as np

from cotree.engine.arena import matrix, vector
from cotree.engine.kernel import inlined, kernel
from cotree.judge import DOUBTFUL


@kernel
def assemble_two(node, e, f, left, right, groups, base, scratch, ratios):
    """Z, z, Y, L, y of a node with the entries e (left) and f (right); False where a pivot is in doubt.

    left, right: the two nodes. scratch: room for C Z.
    """
    n_left, n_right, group = node.n_left, node.n_right, groups[e.group]
    G, H = matrix(scratch, 0, 2, n_left), matrix(scratch, 2 * n_left, 2, n_right)
    C, D = matrix(base, e.C_at, 2, e.size), matrix(base, f.C_at, 2, f.size)
    Z_left, Z_right = matrix(base, left.Z_at, n_left, n_left), matrix(base, right.Z_at, n_right, n_right)
    z_left, z_right = vector(base, left.z_at, n_left), vector(base, right.z_at, n_right)
    start_e, start_f = e.column, f.column - n_left
    _put_rows(C, Z_left, start_e, G)
    _put_rows(D, Z_right, start_f, H)
    x00 = x10 = x11 = 0.0
    c = vector(base, group.c_at, 2)
    y0, y1 = c[0], c[1]
    for k in range(e.size):
        x00 += G[0, start_e + k] * C[0, k]
        x10 += G[1, start_e + k] * C[0, k]
        x11 += G[1, start_e + k] * C[1, k]
        y0 -= C[0, k] * z_left[start_e + k]
        y1 -= C[1, k] * z_left[start_e + k]
    for k in range(f.size):
        x00 += H[0, start_f + k] * D[0, k]
        x10 += H[1, start_f + k] * D[0, k]
        x11 += H[1, start_f + k] * D[1, k]
        y0 -= D[0, k] * z_right[start_f + k]
        y1 -= D[1, k] * z_right[start_f + k]
    scale, L = vector(base, group.scale_at, 2), vector(base, node.L_at, 4)
    if not x00 > DOUBTFUL * scale[0]:
        return False
    l00 = np.sqrt(x00)
    l10 = x10 / l00
    rest = x11 - l10 * l10
    if not rest > DOUBTFUL * scale[1]:
        return False
    l11 = np.sqrt(rest)
    ratios[0] = min(ratios[0], x00 / scale[0], rest / scale[1])
    d0, d1 = 1.0 / l00, 1.0 / l11
    y0 *= d0
    y1 = (y1 - l10 * y0) * d1
    L[0], L[2], L[3] = l00, l10, l11
    y = vector(base, node.y_at, 2)
    y[0], y[1] = y0, y1
    return _keep(node, base, G, H, d0, l10, d1, y0, y1, Z_left, Z_right, z_left, z_right)


@inlined
def _put_rows(C, Z, start, G):
    """C times the rows of Z from `start` on."""
    for j in range(G.shape[1]):
        s = t = 0.0
        for k in range(C.shape[1]):
            x = Z[start + k, j]
            s += C[0, k] * x
            t += C[1, k] * x
        G[0, j], G[1, j] = s, t


@inlined
def _keep(node, base, G, H, d0, l10, d1, y0, y1, Z_left, Z_right, z_left, z_right):
    """Y at the handles kept, all those of the two nodes but the ones joined; then Z and z there."""
    kept, a, b = node.kept, node.first_left, node.kept_left
    Y, Z, z = matrix(base, node.Y_at, 2, kept), matrix(base, node.Z_at, kept, kept), vector(base, node.z_at, kept)
    for j in range(b):
        s = G[0, a + j] * d0
        t = (G[1, a + j] - l10 * s) * d1
        Y[0, j], Y[1, j] = s, t
        z[j] = z_left[a + j] + s * y0 + t * y1
        for i in range(j + 1):
            x = Z_left[a + j, a + i] - s * Y[0, i] - t * Y[1, i]
            Z[i, j] = Z[j, i] = x
    c = node.first_right
    for j in range(kept - b):
        s = H[0, c + j] * d0
        t = (H[1, c + j] - l10 * s) * d1
        Y[0, b + j], Y[1, b + j] = s, t
        z[b + j] = z_right[c + j] + s * y0 + t * y1
        for i in range(b):
            x = -s * Y[0, i] - t * Y[1, i]
            Z[i, b + j] = Z[b + j, i] = x
        for i in range(j + 1):
            x = Z_right[c + j, c + i] - s * Y[0, b + i] - t * Y[1, b + i]
            Z[b + i, b + j] = Z[b + j, b + i] = x
    return True
