"""The problem of a single contact, solved exactly: opens, sticks, or slips.

Slip in space: with u_N = 0 eliminated, (S + kappa) t = -c with kappa >= 0, and |t| = mu p(t) + a. At kappa = 0 the cone is
left, at infinity t vanishes: the root lies between.
"""

import numpy as np

from cotree.engine.kernel import kernel

ROOT = 1e-14  # relative


@kernel
def put_block(A, cone, c, P):
    """Impulse P of one cone: A its diagonal block, c = u without P."""
    if cone.normal == 0:
        t = on_disc(A, 0, cone.tangents, c, cone.radius)
        put(P, 0, cone.tangents, t)
        return
    k, a = cone.tangents, cone.radius
    t = on_disc(A, 1, k, c, a)
    u = c[0]
    for j in range(k):
        u += A[0, 1 + j] * t[j]
    nn = A[0, 0]
    if u >= 0.0 or not nn > 0.0:
        P[0] = 0.0
        put(P, 1, k, t)
        return
    if k == 0:
        P[0] = -c[0] / nn
        return
    S = (A[1, 1] - A[1, 0] * A[0, 1] / nn, 0.0, 0.0, 1.0)
    d, n = (c[1] - A[1, 0] * c[0] / nn, 0.0), (-A[0, 1] / nn, 0.0)
    if k == 2:
        S = (
            S[0],
            A[1, 2] - A[1, 0] * A[0, 2] / nn,
            A[2, 1] - A[2, 0] * A[0, 1] / nn,
            A[2, 2] - A[2, 0] * A[0, 2] / nn,
        )
        d, n = (d[0], c[2] - A[2, 0] * c[0] / nn), (n[0], -A[0, 2] / nn)
    p0 = -c[0] / nn
    t = slide(S, d, n, p0, cone.mu, a)
    P[0] = max(0.0, p0 + n[0] * t[0] + n[1] * t[1])
    put(P, 1, k, t)


@kernel
def put(P, first, k, t):
    for j in range(k):
        P[first + j] = t[j]


@kernel
def on_disc(A, first, k, c, radius):
    """Tangential impulse with |t| <= radius, the normal one zero."""
    if k == 0 or radius == 0.0:
        return (0.0, 0.0)
    i = first
    S, d = (A[i, i], 0.0, 0.0, 1.0), (c[i], 0.0)
    if k == 2:
        S, d = (A[i, i], A[i, i + 1], A[i + 1, i], A[i + 1, i + 1]), (c[i], c[i + 1])
    return slide(S, d, (0.0, 0.0), 0.0, 0.0, radius)


@kernel
def slide(S, c, n, p0, mu, a):
    """t = -(S + kappa)^-1 c with kappa = 0 if |t| <= mu p + a, p = p0 + n t; otherwise kappa at which they are equal."""
    t = shifted(S, c, 0.0)
    if excess(t, n, p0, mu, a) <= 0.0:
        return t
    low, high = 0.0, S[0] + S[3]
    for _ in range(200):
        t = shifted(S, c, high)
        if excess(t, n, p0, mu, a) <= 0.0:
            break
        low, high = high, 4.0 * high
    kappa = 0.5 * (low + high)
    for _ in range(100):
        t = shifted(S, c, kappa)
        h = excess(t, n, p0, mu, a)
        if h > 0.0:
            low = kappa
        else:
            high = kappa
        dt = shifted(S, t, kappa)
        size = np.sqrt(t[0] * t[0] + t[1] * t[1])
        slope = (t[0] * dt[0] + t[1] * dt[1]) / size - mu * (n[0] * dt[0] + n[1] * dt[1]) if size > 0.0 else 0.0
        after = kappa - h / slope if slope < 0.0 else 0.5 * (low + high)
        if not low < after < high:
            after = 0.5 * (low + high)
        if abs(after - kappa) <= ROOT * kappa:
            break
        kappa = after
    return t


@kernel
def excess(t, n, p0, mu, a):
    """How far t lies outside its disc."""
    return np.sqrt(t[0] * t[0] + t[1] * t[1]) - mu * (p0 + n[0] * t[0] + n[1] * t[1]) - a


@kernel
def shifted(S, c, kappa):
    """-(S + kappa)^-1 c."""
    s00, s11 = S[0] + kappa, S[3] + kappa
    det = s00 * s11 - S[1] * S[2]
    return ((S[1] * c[1] - s11 * c[0]) / det, (S[2] * c[0] - s00 * c[1]) / det)
