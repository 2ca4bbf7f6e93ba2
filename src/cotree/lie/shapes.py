"""Arrays at the door: any leading shape, last axes as the object's own.

Twists are (..., 6), angular part first; poses (..., 4, 4); rotations (..., 3, 3); quaternions (..., 4), scalar first.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import ShapeError
from cotree.lie.varied import Varied

Array = NDArray[np.float64]


def checked(x: ArrayLike, *inner: tuple[int, ...]) -> Array:
    """x as floats, if its last axes are one of those given; an array with derivatives keeps them."""
    a = x if isinstance(x, Varied) else np.asarray(x, dtype=float)
    if all(a.shape[-len(axes) :] != axes for axes in inner):
        raise ShapeError(f"expected an array whose last axes are {' or '.join(map(str, inner))}, got shape {a.shape}")
    return a  # a Varied counts as an array


def map_rows(loop: Callable[..., None], x: ArrayLike, inner: tuple[int, ...], result: tuple[int, ...]) -> Array:
    """Run a row loop over the leading axes of x."""
    a = np.ascontiguousarray(checked(x, inner))
    lead = a.shape[: a.ndim - len(inner)]
    rows = math.prod(lead)
    out = np.empty((rows, *result))
    loop(a.reshape(rows, *inner), out)
    return out.reshape(*lead, *result)
