"""Leaf equations [DCA (1), (2)]: alpha = zeta (f + F) of each part, in coordinates of its algebra.

The basis of an algebra has rotations (w_k, u_k) and translations e_l; the rotations are taken so that they move the part's
mass centre across the translations only. Then the inertia falls into a block of the rotations and m times one.

Functions over parts take the range from `first` to `last` of those to be done, for several to run at once.
"""

from cotree.engine.kernel import inlined, kernel
from cotree.judge import ROUNDING
from cotree.lie import se3
from cotree.lie.mat3 import mul, mul_vec, transpose
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import add, axpy, cross, dot, sub

CENTRED = 1e-26  # the square of a radius of gyration, relative to that of the lengths from which it comes


@inlined
def row3(A, at):
    return (A[at], A[at + 1], A[at + 2])


@kernel
def put_bases(parts, algebras, links, work, shift, A, first, last):
    """Velocities u_k of the rotations, about the floating origin of the sweep."""
    for i in range(first, last):
        part = parts[i]
        g, link = algebras[part.algebra], links[part.link]
        c = se3.act(pose(work[part.link].C), vec(link.com))
        for k in range(g.rotations):
            w = (g.w[3 * k], g.w[3 * k + 1], g.w[3 * k + 2])
            u = sub((g.v[3 * k], g.v[3 * k + 1], g.v[3 * k + 2]), cross(shift, w))
            x = add(u, cross(w, c))
            for l in range(g.translations):
                e = (g.e[3 * l], g.e[3 * l + 1], g.e[3 * l + 2])
                u = axpy(-dot(e, x), e, u)
            at = part.u_at + 3 * k
            A[at], A[at + 1], A[at + 2] = u


@inlined
def rotation(g, A, u_at, k):
    """Basis rotation k as a twist."""
    return ((g.w[3 * k], g.w[3 * k + 1], g.w[3 * k + 2]), row3(A, u_at + 3 * k))


@kernel
def put_coordinates(g, A, u_at, X, at):
    """Coordinates of a twist of the algebra, into the arena."""
    w, v = X
    for k in range(g.rotations):
        w_k, u_k = rotation(g, A, u_at, k)
        c = dot(w_k, w)
        A[at + k] = c
        v = axpy(-c, u_k, v)
    for l in range(g.translations):
        A[at + g.rotations + l] = g.e[3 * l] * v[0] + g.e[3 * l + 1] * v[1] + g.e[3 * l + 2] * v[2]


@kernel
def twist_of(g, A, u_at, at):
    """Twist with these coordinates."""
    w, v = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for k in range(g.rotations):
        w_k, u_k = rotation(g, A, u_at, k)
        w, v = axpy(A[at + k], w_k, w), axpy(A[at + k], u_k, v)
    for l in range(g.translations):
        v = axpy(A[at + g.rotations + l], (g.e[3 * l], g.e[3 * l + 1], g.e[3 * l + 2]), v)
    return w, v


@kernel
def add_wrench(g, A, u_at, factor, W, at):
    """Work of a wrench on the basis, times a factor, added to a covector in the arena."""
    for k in range(g.rotations):
        A[at + k] += factor * se3.pair(rotation(g, A, u_at, k), W)
    for l in range(g.translations):
        A[at + g.rotations + l] += factor * (g.e[3 * l] * W[1][0] + g.e[3 * l + 1] * W[1][1] + g.e[3 * l + 2] * W[1][2])


@kernel
def put_inertias(parts, algebras, links, work, A, first, last):
    """zeta, the inverse inertia of each part; returns 0 or 1 + the first dof of a part without inertia."""
    for i in range(first, last):
        part = parts[i]
        g, link, w = algebras[part.algebra], links[part.link], work[part.link]
        n, r = part.size, g.rotations
        at = part.zeta_at
        for k in range(n * n):
            A[at + k] = 0.0
        for l in range(r, n):
            if not link.mass > 0.0:
                return part.iv + 1
            A[at + l * n + l] = 1.0 / link.mass
        if r == 0:
            continue
        C = pose(w.C)
        I = world_inertia(link, C[0])
        least = ROUNDING * (I[0] + I[4] + I[8])
        if r == 3 and g.translations == 3:
            put_inverse3(A, at, n, I, least)
            if not A[at] > 0.0:
                return part.iv + 1
            continue
        c = se3.act(C, vec(link.com))
        w0, u0 = rotation(g, A, part.u_at, 0)
        v0 = add(u0, cross(w0, c))
        x00 = dot(w0, mul_vec(I, w0)) + link.mass * dot(v0, v0)
        o = pose(work[0].C)[1]
        lengths = dot(c, c) + dot(o, o)
        for k in range(3 * r):
            lengths += g.v[k] * g.v[k]
        least += CENTRED * link.mass * lengths
        if r == 1:
            if not x00 > least:
                return part.iv + 1
            A[at] = 1.0 / x00
            continue
        w1, u1 = rotation(g, A, part.u_at, 1)
        w2, u2 = rotation(g, A, part.u_at, 2)
        v1, v2 = add(u1, cross(w1, c)), add(u2, cross(w2, c))
        Iw1, Iw2 = mul_vec(I, w1), mul_vec(I, w2)
        x01, x02 = dot(w0, Iw1) + link.mass * dot(v0, v1), dot(w0, Iw2) + link.mass * dot(v0, v2)
        x11, x12 = dot(w1, Iw1) + link.mass * dot(v1, v1), dot(w1, Iw2) + link.mass * dot(v1, v2)
        x22 = dot(w2, Iw2) + link.mass * dot(v2, v2)
        put_inverse3(A, at, n, (x00, x01, x02, x01, x11, x12, x02, x12, x22), least)
        if not A[at] > 0.0:
            return part.iv + 1
    return 0


@kernel
def share_inertias(parts, A, first, last):
    """Copies of a hub have a share of its inertia each, and so a multiple of its inverse."""
    for i in range(first, last):
        part = parts[i]
        if part.share != 1.0:
            for k in range(part.size * part.size):
                A[part.zeta_at + k] /= part.share


@kernel
def world_inertia(link, R):
    """Inertia about the mass centre in world axes."""
    I = link.inertia
    return mul(mul(R, (I[0], I[1], I[2], I[1], I[3], I[4], I[2], I[4], I[5])), transpose(R))


@kernel
def put_inverse3(A, at, n, X, least):
    """Inverse of a symmetric positive definite 3 x 3 matrix into the corner of one with n columns; else zeros.

    least: what numbers of its diagonal must exceed.
    """
    a, b, c, d, e, f = X[0], X[1], X[2], X[4], X[5], X[8]
    p, q, r = d * f - e * e, c * e - b * f, b * e - c * d
    det = a * p + b * q + c * r
    if not (a > least and d > least and f > least and a * d - b * b > 1e-13 * a * d and det > 1e-13 * a * d * f):
        return
    s = 1.0 / det
    A[at], A[at + 1], A[at + 2] = s * p, s * q, s * r
    A[at + n], A[at + n + 1], A[at + n + 2] = s * q, s * (a * f - c * c), s * (b * c - a * e)
    A[at + 2 * n], A[at + 2 * n + 1], A[at + 2 * n + 2] = s * r, s * (b * c - a * e), s * (a * d - b * b)


@kernel
def put_forces(world, parts, algebras, links, work, loaded, A, first, last):
    """Gravity, gyroscopic and applied forces on each part, as covectors of its algebra.

    loaded: whether the links' `p` holds applied wrenches about the floating origin, with the opposite sign.
    """
    gravity = vec(world[0].gravity)
    for i in range(first, last):
        part = parts[i]
        g, link, w = algebras[part.algebra], links[part.link], work[part.link]
        C, V = pose(w.C), twist(w.V)
        c = se3.act(C, vec(link.com))
        force = sub(gravity, cross(V[0], add(V[1], cross(V[0], c))))
        m = link.mass
        force = (m * force[0], m * force[1], m * force[2])
        moment = cross(mul_vec(world_inertia(link, C[0]), V[0]), V[0]) if g.rotations == 3 else (0.0, 0.0, 0.0)
        at = part.force_at
        for k in range(part.rotations):
            w_k, u_k = rotation(g, A, part.u_at, k)
            A[at + k] = dot(moment, w_k) + dot(force, add(u_k, cross(w_k, c)))
        for l in range(part.size - part.rotations):
            A[at + part.rotations + l] = g.e[3 * l] * force[0] + g.e[3 * l + 1] * force[1] + g.e[3 * l + 2] * force[2]
        if loaded:
            add_wrench(g, A, part.u_at, -1.0, twist(w.p), at)
        if part.share != 1.0:
            for k in range(part.size):
                A[at + k] *= part.share


@kernel
def put_free_accelerations(parts, A, first, last):
    """z = zeta f [DCA, zeta_13]."""
    for i in range(first, last):
        part = parts[i]
        n = part.size
        for k in range(n):
            s = 0.0
            for l in range(n):
                s += A[part.zeta_at + k * n + l] * A[part.force_at + l]
            A[part.z_at + k] = s
