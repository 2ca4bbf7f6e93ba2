"""Vectors that depend on two numbers, t along a motion and s along a displacement, with their derivatives: hyper-dual numbers.

A jet is (x, x_t, x_s, x_ts), of vectors or of scalars; sums and products follow the product rule, so that what a kind of row
computes from points and directions comes out with its first derivatives and the mixed one, exact to rounding. A link that moves
with the twist V along t and S along s, where V changes by D along s, moves its points and directions accordingly.
"""

from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.vec3 import add, cross, dot, scale, sub

NOUGHT = (0.0, 0.0, 0.0)


@kernel
def motion_of(m, body):
    """(V, S, D) of the first (0) or the second (1) link of a piece, from the matrix that jets are asked with."""
    i = 6 * body
    return (
        ((m[i, 0], m[i, 1], m[i, 2]), (m[i + 1, 0], m[i + 1, 1], m[i + 1, 2])),
        ((m[i + 2, 0], m[i + 2, 1], m[i + 2, 2]), (m[i + 3, 0], m[i + 3, 1], m[i + 3, 2])),
        ((m[i + 4, 0], m[i + 4, 1], m[i + 4, 2]), (m[i + 5, 0], m[i + 5, 1], m[i + 5, 2])),
    )


@kernel
def still(x):
    """A vector that does not move."""
    return (x, NOUGHT, NOUGHT, NOUGHT)


@kernel
def direction(n, motion):
    """A direction that a link carries."""
    (w, _), (r, _), (d, _) = motion
    n_s = cross(r, n)
    return (n, cross(w, n), n_s, add(cross(d, n), cross(w, n_s)))


@kernel
def point(x, motion):
    """A point that a link carries."""
    (w, u), (r, p), (d, e) = motion
    x_s = add(p, cross(r, x))
    return (x, add(u, cross(w, x)), x_s, add(add(e, cross(d, x)), cross(w, x_s)))


@kernel
def plus(a, b):
    return (add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2]), add(a[3], b[3]))


@kernel
def minus(a, b):
    return (sub(a[0], b[0]), sub(a[1], b[1]), sub(a[2], b[2]), sub(a[3], b[3]))


@kernel
def times(c, a):
    """A number times a jet of vectors."""
    return (scale(c, a[0]), scale(c, a[1]), scale(c, a[2]), scale(c, a[3]))


@kernel
def product(c, a):
    """A jet of numbers times one of vectors."""
    x_ts = add(add(scale(c[3], a[0]), scale(c[0], a[3])), add(scale(c[1], a[2]), scale(c[2], a[1])))
    x_t, x_s = add(scale(c[1], a[0]), scale(c[0], a[1])), add(scale(c[2], a[0]), scale(c[0], a[2]))
    return (scale(c[0], a[0]), x_t, x_s, x_ts)


@kernel
def crossed(a, b):
    """a x b."""
    x_ts = add(add(cross(a[3], b[0]), cross(a[0], b[3])), add(cross(a[1], b[2]), cross(a[2], b[1])))
    x_t, x_s = add(cross(a[1], b[0]), cross(a[0], b[1])), add(cross(a[2], b[0]), cross(a[0], b[2]))
    return (cross(a[0], b[0]), x_t, x_s, x_ts)


@kernel
def unit(a):
    """a / |a|; zero stays zero."""
    n = dot(a[0], a[0])
    if n == 0.0:
        return still(NOUGHT)
    n_t, n_s = 2.0 * dot(a[0], a[1]), 2.0 * dot(a[0], a[2])
    n_ts = 2.0 * (dot(a[0], a[3]) + dot(a[1], a[2]))
    f = n**-0.5
    f_1 = -0.5 * f / n
    f_2 = -1.5 * f_1 / n
    return product((f, f_1 * n_t, f_1 * n_s, f_1 * n_ts + f_2 * n_t * n_s), a)


@kernel
def put_jets(out, m_a, m_b, f):
    """out = derivatives by s, then mixed ones, of the wrench (m_a, f) on the first link; then of (m_b, f) on the second."""
    for k in range(3):
        out[k], out[3 + k], out[6 + k], out[9 + k] = m_a[2][k], f[2][k], m_a[3][k], f[3][k]
        out[12 + k], out[15 + k], out[18 + k], out[21 + k] = m_b[2][k], f[2][k], m_b[3][k], f[3][k]


@kernel
def put_force_jets(out, x, n):
    """The same for a force n at a point x, its opposite on the first link."""
    moment = crossed(x, n)
    put_jets(out, moment, moment, n)


@kernel
def put_carried_jets(out, W, motion):
    """The same for a wrench that a link carries."""
    V, S, D = motion
    W_s = se3.cobracket(S, W)
    (a, b), (c, d) = W_s, se3.plus(se3.cobracket(D, W), se3.cobracket(V, W_s))
    for k in range(3):
        out[k], out[3 + k], out[6 + k], out[9 + k] = a[k], b[k], c[k], d[k]
        out[12 + k], out[15 + k], out[18 + k], out[21 + k] = a[k], b[k], c[k], d[k]
