"""Curves in records: values and integrals of cubics between points, straight lines beyond the first and the last."""

from cotree.engine.kernel import kernel


@kernel
def value(c, x):
    """y at x; zero without points."""
    if c.n == 0:
        return 0.0
    k = _piece(c, x)
    if k < 0:
        return c.y[0] + c.m[0] * (x - c.x[0])
    if k == c.n - 1:
        return c.y[k] + c.m[k] * (x - c.x[k])
    h = c.x[k + 1] - c.x[k]
    u = (x - c.x[k]) / h
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
    """Integral of y from 0 to x."""
    return _from_first(c, x) - _from_first(c, 0.0) if c.n > 0 else 0.0


@kernel
def _from_first(c, x):
    k = _piece(c, x)
    if k < 0 or k == c.n - 1:
        i = max(k, 0)
        d = x - c.x[i]
        return c.s[i] + d * (c.y[i] + 0.5 * c.m[i] * d)
    h = c.x[k + 1] - c.x[k]
    u = (x - c.x[k]) / h
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
