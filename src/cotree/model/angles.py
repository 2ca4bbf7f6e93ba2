"""Angles in degrees, for those who write them by hand; everything else is in radians."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import ShapeError
from cotree.model.checks import floats, shown


def degrees(angles: Mapping[str, float] | ArrayLike) -> dict[str, Any] | float | NDArray[np.float64]:
    """Convert angles in degrees to radians.

    Parameters
    ----------
    angles : float, array_like or dict
        Degrees: a number, an array, or values by name. A run shows degrees by
        `run.joint("A").degrees`.

    Returns
    -------
    float, ndarray or dict
        Radians, in the same form.

    Examples
    --------
    >>> ct.degrees({"A": 180})
    {'A': 3.141592653589793}
    """
    if isinstance(angles, Mapping):
        return {name: degrees(value) for name, value in angles.items()}
    x = floats(angles)
    if x is None or not np.isfinite(x).all():
        raise ShapeError(f"degrees takes finite numbers, or such numbers by name; got {shown(angles)}")
    return float(np.radians(x)) if x.ndim == 0 else np.radians(x)
