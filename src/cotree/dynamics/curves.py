"""Curves in records: values and integrals of cubics between points, straight lines beyond the first and the last."""

from cotree.engine.choosing import select
from cotree.engine.kernel import kernel


@kernel
def value(c, x):
    """y at x, a number or lanes; zero without points."""
    y = c.y[0] + c.m[0] * (x - c.x[0])
    for k in range(c.n):
        y = select(x >= c.x[k], _value_of_piece(c, k, x), y)
    return y


@kernel
def _value_of_piece(c, k, x):
    """Of the cubic that begins at point k, or of the line behind the last."""
    d = x - c.x[k]
    if k == c.n - 1:
        return c.y[k] + c.m[k] * d
    h = c.x[k + 1] - c.x[k]
    u = d / h
    a, b = c.y[k], c.y[k + 1]
    p, q = h * c.m[k], h * c.m[k + 1]
    return a + u * (p + u * (3.0 * (b - a) - 2.0 * p - q + u * (2.0 * (a - b) + p + q)))


@kernel
def slope(c, x):
    """dy/dx at x."""
    if c.n == 0:
        return 0.0
    k = _piece(c, x)
    if k < 0 or k == c.n - 1:
        return c.m[max(k, 0)]
    h = c.x[k + 1] - c.x[k]
    u = (x - c.x[k]) / h
    d, p, q = (c.y[k + 1] - c.y[k]) / h, c.m[k], c.m[k + 1]
    return p + u * (2.0 * (3.0 * d - 2.0 * p - q) + 3.0 * u * (p + q - 2.0 * d))


@kernel
def integral(c, x):
    """Integral of y from 0 to x, a number or lanes."""
    return _from_first(c, x) - _from_first(c, 0.0)


@kernel
def _from_first(c, x):
    d = x - c.x[0]
    y = c.s[0] + d * (c.y[0] + 0.5 * c.m[0] * d)
    for k in range(c.n):
        y = select(x >= c.x[k], _integral_of_piece(c, k, x), y)
    return y


@kernel
def _integral_of_piece(c, k, x):
    """From the first point to x, within the cubic that begins at point k or on the line behind the last."""
    d = x - c.x[k]
    if k == c.n - 1:
        return c.s[k] + d * (c.y[k] + 0.5 * c.m[k] * d)
    h = c.x[k + 1] - c.x[k]
    u = d / h
    a, b = c.y[k], c.y[k + 1]
    p, q = h * c.m[k], h * c.m[k + 1]
    return c.s[k] + h * u * (
        a + u * (p / 2.0 + u * ((3.0 * (b - a) - 2.0 * p - q) / 3.0 + u * (2.0 * (a - b) + p + q) / 4.0))
    )


@kernel
def _piece(c, x):
    """The last point at or before x, -1 before the first."""
    k = -1
    while k + 1 < c.n and c.x[k + 1] <= x:
        k += 1
    return k
