"""What a link and all that it carries answer to motions and displacements: composite rigid bodies of the derivatives.

Of a link the rate of momentum is p = J a + V x* J V. Displaced along S, with the twist changed by [S, V] + alpha and the
acceleration by [S, a] + [alpha, V] + gamma,
    dp = S x* p + J gamma + B alpha,    B X = X x* J V + V x* J X - J [V, X],
and for velocities dp / dv_c = J beta_c + B S_c. In the world frame B = (T, 0; -2 l^, 0) has twelve numbers, l the linear
momentum and T = 2 w^ I - trace(I) w^ + 2 (h.u - u h^T) for a twist (w, u). Sums over all that a link carries give everything.
Loads in world axes do not turn with their link: for a displacement S their wrench f changes by S x* f + (X, f^) w, which is
summed the same way.
"""

from cotree.derivatives.rows import nine, put_nine, put_three, three
from cotree.dynamics import inertia
from cotree.dynamics.elements import load_wrench
from cotree.dynamics.energy_momentum import link_inertia
from cotree.engine.kernel import kernel
from cotree.lie import mat3, se3
from cotree.lie.mat3 import mul_vec, tmul_vec
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import add, cross, dot, scale

# columns of a row of `sums`, one row per link: inertia (10), wrench (6), T (9), l (3), stiffness of loads X (9), f (3)
INERTIA, WRENCH, GYRO, LINEAR, TURN, FORCE = 0, 10, 16, 25, 28, 37
SUMS = 40
NOUGHT = (0.0, 0.0, 0.0)


@kernel
def hat(a):
    """3x3 matrix of the cross product."""
    z = 0.0 * a[0]
    return (z, -a[2], a[1], a[2], z, -a[0], -a[1], a[0], z)


@kernel
def gyroscopic(J, V):
    """T of a rigid inertia, nine numbers."""
    _, h, I = J
    w, u = V
    W, trace, d = hat(w), I[0] + I[3] + I[5], 2.0 * dot(h, u)
    A = mat3.mul(W, (I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5]))
    return (
        2.0 * (A[0] - u[0] * h[0]) + d, 2.0 * (A[1] - u[0] * h[1]) - trace * W[1], 2.0 * (A[2] - u[0] * h[2]) - trace * W[2],
        2.0 * (A[3] - u[1] * h[0]) - trace * W[3], 2.0 * (A[4] - u[1] * h[1]) + d, 2.0 * (A[5] - u[1] * h[2]) - trace * W[5],
        2.0 * (A[6] - u[2] * h[0]) - trace * W[6], 2.0 * (A[7] - u[2] * h[1]) - trace * W[7], 2.0 * (A[8] - u[2] * h[2]) + d,
    )  # fmt: skip


@kernel
def put_sums(tables, values, sums):
    """Fill the rows and add them up towards the root; links have twists and accelerations."""
    for i in range(tables.links.size):
        J, V = link_inertia(tables.links[i], tables.work[i]), twist(tables.work[i].V)
        L = inertia.momentum(J, V)
        p = se3.plus(inertia.momentum(J, twist(tables.work[i].a)), se3.cobracket(V, L))
        sums[i, 0] = J[0]
        put_three(sums, i, 1, J[1])
        for k in range(6):
            sums[i, 4 + k] = J[2][k]
        put_three(sums, i, WRENCH, p[0])
        put_three(sums, i, WRENCH + 3, p[1])
        put_nine(sums, i, GYRO, gyroscopic(J, V))
        put_three(sums, i, LINEAR, L[1])
        for k in range(TURN, SUMS):
            sums[i, k] = 0.0
    _add_loads(tables.elements.loads, tables.work, values, sums)
    filled = SUMS if tables.elements.loads.size > 0 else TURN
    for i in range(tables.links.size - 1, 0, -1):
        above = tables.links[i].parent
        for k in range(filled):
            sums[above, k] += sums[i, k]


@kernel
def _add_loads(loads, work, values, sums):
    for k in range(loads.size):
        load = loads[k]
        m, f = load_wrench(load, work, vec(values[k]))
        for n in range(3):
            sums[load.link, WRENCH + n] -= m[n]
            sums[load.link, WRENCH + 3 + n] -= f[n]
        if not load.in_body:
            x = se3.act(pose(work[load.link].C), vec(load.point))
            X = hat(m) if load.is_moment else mat3.mul(hat(x), hat(f))
            for n in range(9):
                sums[load.link, TURN + n] += X[n]
            for n in range(3):
                sums[load.link, FORCE + n] += f[n]


@kernel
def composite_inertia(sums, i):
    """Rigid inertia of a link with all that it carries."""
    return (
        sums[i, 0],
        (sums[i, 1], sums[i, 2], sums[i, 3]),
        (sums[i, 4], sums[i, 5], sums[i, 6], sums[i, 7], sums[i, 8], sums[i, 9]),
    )


@kernel
def gyroscopic_times(sums, i, X):
    """B X."""
    return (mul_vec(nine(sums, i, GYRO), X[0]), scale(2.0, cross(X[0], three(sums, i, LINEAR))))


@kernel
def gyroscopic_transposed(sums, i, X):
    """Angular part of B^T X; the linear one is zero."""
    return add(tmul_vec(nine(sums, i, GYRO), X[0]), scale(2.0, cross(three(sums, i, LINEAR), X[1])))


@kernel
def loads_times(sums, i, X):
    """How the loads in world axes lag behind a displacement X: (TURN w, f x w)."""
    return (mul_vec(nine(sums, i, TURN), X[0]), cross(three(sums, i, FORCE), X[0]))


@kernel
def loads_transposed(sums, i, X):
    """Angular part of the transposed; the linear one is zero."""
    return add(tmul_vec(nine(sums, i, TURN), X[0]), cross(X[1], three(sums, i, FORCE)))
