"""Stumpff functions, the coefficients of every exponential map here; all its thresholds in one place.

c_k(x) = sum_j (-x)^j / (2j + k)!,  x = theta^2:  c_0 = cos theta, c_1 = sin theta / theta,
c_2 = (1 - cos theta)/theta^2, c_3 = (theta - sin theta)/theta^3, and so on. They are entire, obey
c_k = 1/k! - x c_{k+2}, and their derivatives close:  2 dc_k/dx = k c_{k+2} - c_{k+1} = (c_{k-1} - k c_k)/x.

Below SERIES_LIMIT (theta = pi) c_6 and c_7 come from their series, in which nothing cancels, and the others by the
recursion downward, which is stable there; above it all come from sine and cosine by the recursion upward. The
derivatives follow the same switch: the first of their two forms cancels at large theta, the second at small theta.
"""

import numpy as np

from cotree.engine.choosing import select
from cotree.engine.kernel import kernel

SERIES_LIMIT = np.pi**2


@kernel
def _series(x, k, start):
    """start * (1 - x/((k+1)(k+2)) (1 - x/((k+3)(k+4)) (...))), start = 1/k!."""
    s = 1.0 - x / ((k + 21.0) * (k + 22.0))  # the next term is below 3e-18 at SERIES_LIMIT
    for j in range(19, -1, -2):
        s = 1.0 - x / ((k + j) * (k + j + 1.0)) * s
    return start * s


@kernel
def stumpff_5(theta, x):
    """(c_1, ..., c_5) at x = theta^2; exp and dexp need the first three."""
    below = x < SERIES_LIMIT
    y = select(below, SERIES_LIMIT, x)  # a harmless argument for the branch not taken
    t = select(below, np.pi, theta)
    half = np.sin(0.5 * t)
    u1, u2 = np.sin(t) / t, 2.0 * half * half / y
    u3, u4 = (1.0 - u1) / y, (0.5 - u2) / y
    u5 = (1.0 / 6.0 - u3) / y
    z = select(below, x, 0.0 * x)
    s6, s7 = _series(z, 6.0, 1.0 / 720.0), _series(z, 7.0, 1.0 / 5040.0)
    s5, s4 = 1.0 / 120.0 - z * s7, 1.0 / 24.0 - z * s6
    s3, s2 = 1.0 / 6.0 - z * s5, 0.5 - z * s4
    s1 = 1.0 - z * s3
    return (
        select(below, s1, u1),
        select(below, s2, u2),
        select(below, s3, u3),
        select(below, s4, u4),
        select(below, s5, u5),
    )


@kernel
def stumpff_7(theta, x):
    """(c_1, ..., c_7)."""
    c1, c2, c3, c4, c5 = stumpff_5(theta, x)
    below = x < SERIES_LIMIT
    y = select(below, SERIES_LIMIT, x)
    z = select(below, x, 0.0 * x)
    c6 = select(below, _series(z, 6.0, 1.0 / 720.0), (1.0 / 24.0 - c4) / y)
    c7 = select(below, _series(z, 7.0, 1.0 / 5040.0), (1.0 / 120.0 - c5) / y)
    return c1, c2, c3, c4, c5, c6, c7


@kernel
def slopes(x, c):
    """(2 dc_2/dx, 2 dc_3/dx) from the c_k: dc_k in the direction u is (w . u) times this, for x = w . w."""
    below = x < SERIES_LIMIT
    y = select(below, SERIES_LIMIT, x)
    return (
        select(below, 2.0 * c[3] - c[2], (c[0] - 2.0 * c[1]) / y),
        select(below, 3.0 * c[4] - c[3], (c[1] - 3.0 * c[2]) / y),
    )


@kernel
def curvatures(theta, x, c):
    """(4 d2c_2/dx2, 4 d2c_3/dx2) from (c_1, ..., c_7)."""
    d2, d3 = slopes(x, c)
    below = x < SERIES_LIMIT
    y = select(below, SERIES_LIMIT, x)
    d1 = (np.cos(theta) - c[0]) / y
    return (
        select(below, 8.0 * c[5] - 5.0 * c[4] + c[3], (d1 - 4.0 * d2) / y),
        select(below, 15.0 * c[6] - 7.0 * c[5] + c[4], (d2 - 5.0 * d3) / y),
    )


@kernel
def third_slopes(theta, x, c):
    """(8 d3c_2/dx3, 8 d3c_3/dx3) from (c_1, ..., c_7)."""
    dd2, dd3 = curvatures(theta, x, c)
    below = x < SERIES_LIMIT
    y = select(below, SERIES_LIMIT, x)
    z = select(below, x, 0.0 * x)
    c8, c9 = _series(z, 8.0, 1.0 / 40320.0), _series(z, 9.0, 1.0 / 362880.0)
    dd1 = (-c[0] - 3.0 * (np.cos(theta) - c[0]) / y) / y
    return (
        select(below, 48.0 * c8 - 33.0 * c[6] + 9.0 * c[5] - c[4], (dd1 - 6.0 * dd2) / y),
        select(below, 105.0 * c9 - 57.0 * c8 + 12.0 * c[6] - c[5], (dd2 - 7.0 * dd3) / y),
    )
