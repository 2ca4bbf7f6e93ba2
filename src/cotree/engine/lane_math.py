"""Sine, cosine, arc tangent and exponential of lanes.

Sine and cosine subtract the nearest multiple of pi/2 in three parts, the first two of which have 33 bits, so that nothing is
lost for multiples below 2^20, and then take the polynomials of Sun's fdlibm; the error is about one unit in the last place.
Lanes beyond are given to the library, one by one. Each lane's result depends on that lane alone.
"""

import numpy as np
from numba.extending import overload

from cotree.engine.choosing import every, select
from cotree.engine.kernel import kernel
from cotree.engine.lane_type import LANES, LaneType, lane, with_lane

LIMIT = 1e6
PER_QUARTER = 2.0 / np.pi
HIGH, MIDDLE, LOW = 1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624879595063154e-21


@kernel
def _reduced(x):
    """(r, k): x = r + (k + 4 j) pi/2 with |r| <= pi/4 and k one of -2, ..., 2."""
    n = np.rint(x * PER_QUARTER)
    r = ((x - n * HIGH) - n * MIDDLE) - n * LOW
    return r, n - 4.0 * np.rint(0.25 * n)


@kernel
def _sine_near_zero(r):
    z = r * r
    p = -2.50507602534068634195e-08 + z * 1.58969099521155010221e-10
    p = -1.98412698298579493134e-04 + z * (2.75573137070700676789e-06 + z * p)
    return r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * p))


@kernel
def _cosine_near_zero(r):
    z = r * r
    p = 2.08757232129817482790e-09 + z * -1.13596475577881948265e-11
    p = 2.48015872894767294178e-05 + z * (-2.75573143513906633035e-07 + z * p)
    p = 4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * p)
    half = 0.5 * z
    w = 1.0 - half
    return w + (((1.0 - w) - half) + z * z * p)


@kernel
def sine(x):
    r, k = _reduced(x)
    y = select(abs(k) == 1.0, _cosine_near_zero(r), _sine_near_zero(r))
    y = select(k < -0.5, -y, select(k > 1.5, -y, y))
    return y if every(abs(x) <= LIMIT) else _beyond(x, y, True)


@kernel
def cosine(x):
    r, k = _reduced(x)
    y = select(abs(k) == 1.0, _sine_near_zero(r), _cosine_near_zero(r))
    y = select(k > 0.5, -y, select(k < -1.5, -y, y))
    return y if every(abs(x) <= LIMIT) else _beyond(x, y, False)


@kernel
def _beyond(x, y, is_sine):
    """y with the lanes replaced that are too large for the reduction, or not numbers."""
    for i in range(LANES):
        a = lane(x, i)
        if not abs(a) <= LIMIT:
            y = with_lane(y, i, np.sin(a) if is_sine else np.cos(a))
    return y


@kernel
def arc_tangent(y, x):
    """Angle of the point (x, y), by the library, lane after lane."""
    angle = 0.0 * x
    for i in range(LANES):
        angle = with_lane(angle, i, np.arctan2(lane(y, i), lane(x, i)))
    return angle


@kernel
def exponential(x):
    """e to the power of x, by the library, lane after lane."""
    y = 0.0 * x
    for i in range(LANES):
        y = with_lane(y, i, np.exp(lane(x, i)))
    return y


@overload(np.exp)
def _of_exp(x):
    return (lambda x: exponential(x)) if isinstance(x, LaneType) else None


@overload(np.sin)
def _of_sin(x):
    return (lambda x: sine(x)) if isinstance(x, LaneType) else None


@overload(np.cos)
def _of_cos(x):
    return (lambda x: cosine(x)) if isinstance(x, LaneType) else None


@overload(np.arctan2)
def _of_arctan2(y, x):
    return (lambda y, x: arc_tangent(y, x)) if isinstance(x, LaneType) or isinstance(y, LaneType) else None
