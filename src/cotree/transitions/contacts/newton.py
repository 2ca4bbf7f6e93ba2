"""Semi-smooth Newton on the natural map: quadratic once the modes are right, which sweeps bring about."""

import numpy as np

from cotree.engine.kernel import kernel
from cotree.formulations.linalg import lu, solve_lu
from cotree.transitions.contacts.cones import OPEN, STICK
from cotree.transitions.contacts.natural_map import put_map, put_rates

STEPS, HALVES = 40, 8


@kernel
def newton(A, b, cones, P, goal):
    """P in place until the map is below `goal` or no longer falls; its size at the end."""
    n = b.size
    u, F, modes, rows = np.empty(n), np.empty(n), np.empty(cones.size, np.int64), np.empty(n, np.int64)
    tried, K, x, pivot = np.empty(n), np.empty((n, n)), np.empty(n), np.empty(n, np.int64)
    put_rates(A, b, P, u)
    size = put_map(cones, P, u, F, modes)
    for _ in range(STEPS):
        if size <= goal or not size < np.inf:
            return size
        k = put_equations(A, cones, P, u, F, modes, rows, K, x)
        if not lu(K[:k, :k], pivot[:k]):
            return size
        solve_lu(K[:k, :k], pivot[:k], x[:k])
        after = line_search(A, b, cones, P, u, F, modes, rows[:k], x[:k], tried, size)
        if not after < size:
            return size
        size = after
    return size


@kernel
def line_search(A, b, cones, P, u, F, modes, rows, x, tried, size):
    """The first of the parts 1, 1/2, ... of the step at which the map is smaller: P there, with u, F and modes; its size. P is
    as it was where there is none."""
    part, after, n = 1.0, np.inf, P.size
    was = 0.0
    for r in range(n):
        was += F[r] * F[r]
    for _ in range(HALVES):
        for r in range(n):
            tried[r] = P[r] - part * F[r]  # open rows: P = 0
        for i in range(rows.size):
            tried[rows[i]] = P[rows[i]] + part * x[i]
        put_rates(A, b, tried, u)
        after = put_map(cones, tried, u, F, modes)
        now = 0.0
        for r in range(n):
            now += F[r] * F[r]
        if now < (1.0 - 1e-3 * part) * was:
            for r in range(n):
                P[r] = tried[r]
            return after if after < size else size * (1.0 - 1e-12)
        part *= 0.5
    put_rates(A, b, P, u)
    put_map(cones, P, u, F, modes)
    return np.inf


@kernel
def put_equations(A, cones, P, u, F, modes, rows, K, x):
    """Newton's equations K x = right-hand side of the rows that are not open, which are counted and numbered."""
    k = 0
    for i in range(cones.size):
        if modes[i] == OPEN:
            continue
        for r in range(cones[i].first, cones[i].first + cones[i].normal + cones[i].tangents):
            rows[k] = r
            k += 1
    i = 0
    for c in range(cones.size):
        cone = cones[c]
        if modes[c] == OPEN:
            continue
        size = cone.normal + cone.tangents
        closed = cone.normal == 0 or P[cone.first] - u[cone.first] > 0.0
        for r in range(size):
            row = cone.first + r
            if closed if r < cone.normal else modes[c] == STICK:
                put_gathered(A[row], rows, k, K[i + r])
                x[i + r] = -u[row] - open_part(A[row], rows, k, F, P.size)
            elif r < cone.normal:  # a radius keeps tangents of an open normal in force
                for j in range(k):
                    K[i + r, j] = 0.0
                K[i + r, i + r], x[i + r] = 1.0, -P[row]
        if modes[c] != STICK and cone.tangents > 0:
            put_slipping(A, cone, P, u, F, rows, k, i, closed, K, x)
        i += size
    return k


@kernel
def put_gathered(row, rows, k, out):
    for j in range(k):
        out[j] = row[rows[j]]


@kernel
def open_part(row, rows, k, F, n):
    """What the open rows add by going to P = 0: their step is -F."""
    s, j = 0.0, 0
    for r in range(n):
        if j < k and rows[j] == r:
            j += 1
        else:
            s -= row[r] * F[r]
    return s


@kernel
def put_slipping(A, cone, P, u, F, rows, k, i, closed, K, x):
    """Rows (1 - B) dP_T + B du_T - mu e dP_N = -F_T + mu e u_N, with B = bound / |z| (1 - e e^T), z = P_T - u_T = |z| e."""
    m, f = cone.tangents, cone.first + cone.normal
    z0, z1 = P[f] - u[f], P[f + 1] - u[f + 1] if m > 1 else 0.0
    size = np.sqrt(z0 * z0 + z1 * z1)
    if size == 0.0:
        z0, size = 1.0, 1.0
    e = (z0 / size, z1 / size)
    push = P[cone.first] - u[cone.first] if cone.normal == 1 and closed else 0.0
    part = (cone.mu * push + cone.radius) / size
    for r in range(m):
        at = i + cone.normal + r
        for j in range(k):
            K[at, j] = 0.0
        x[at] = -F[f + r]
        for s in range(m):
            B = part * ((1.0 if r == s else 0.0) - e[r] * e[s])
            if m == 1:
                B = 0.0
            if B != 0.0:
                for j in range(k):
                    K[at, j] += B * A[f + s, rows[j]]
                x[at] -= B * open_part(A[f + s], rows, k, F, P.size)
            K[at, i + cone.normal + s] += (1.0 if r == s else 0.0) - B
        if cone.normal == 1 and closed:
            K[at, i] -= cone.mu * e[r]
            x[at] += cone.mu * e[r] * u[cone.first]
