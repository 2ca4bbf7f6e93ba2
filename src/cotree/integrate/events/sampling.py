"""How event functions are looked at within a step, so that two roots close to each other are not leapt over."""

import numpy as np

from cotree.engine.kernel import kernel

LEAST = 3  # looks within any step
DEEP = 0.25  # part of the values on both sides to which a parabola must fall for roots to be looked for


@kernel
def looks(h, spacing):
    """How often to look in a step of size h so that looks are not further apart than `spacing`."""
    return max(LEAST, int(np.ceil(h / spacing - 1e-9)))


@kernel
def changed(before, now):
    """Whether a root lies between two values; one that begins at zero has had its root."""
    return (before < 0.0 and now >= 0.0) or (before > 0.0 and now <= 0.0)


@kernel
def dips(a, b, c):
    """Whether three values of one sign, equally far apart, may come to zero between them: their parabola nearly does."""
    if not (a * b > 0.0 and b * c > 0.0):
        return False
    a, b, c = abs(a), abs(b), abs(c)
    bend = a - 2.0 * b + c
    if not bend > 0.5 * abs(c - a):  # its lowest point is not between them
        return False
    return b - (c - a) * (c - a) / (8.0 * bend) < DEEP * max(a, c)
