"""Checks at the door: numbers become arrays of the right shape, or an error names whose they were."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import AxisError, FrameError, MassError, NotFiniteError, ShapeError

Array = NDArray[np.float64]
# what comes out of `unit` and `rigid` passes again unchanged, so that files give back every digit
SETTLED = 16 * np.finfo(float).eps


def floats(value: Any) -> Array | None:
    """A new float array of numbers, or None for what is none: text, complex numbers, None, ragged lists."""
    try:
        a = np.asarray(value)
        if a.dtype.kind not in "biufO" or (a.dtype.kind == "O" and any(x is None for x in a.flat)):
            return None
        new = isinstance(value, (tuple, list)) and a.dtype == float
        return a if new else np.array(a, dtype=float)
    except (TypeError, ValueError):
        return None


def fixed(a: Array) -> Array:
    """The array itself, which cannot be written to from now on: what is stored in a mechanism or system stays as it is."""
    a.flags.writeable = False
    return a


def array(value: Any, shape: tuple[int, ...], what: str, who: str) -> Array:
    """Float array of the given shape with finite entries."""
    a = floats(value)
    if a is None:
        raise ShapeError(f"{who}: {what} must be {_words(shape)}, got {value!r}")
    if a.shape != shape:
        raise ShapeError(f"{who}: {what} must be {_words(shape)}, got an array of shape {a.shape}")
    if not all(map(math.isfinite, a.ravel().tolist())):  # a tenth of NumPy's time for a few numbers
        raise NotFiniteError(f"{who}: {what} has NaN or infinity in it: {value!r}; give finite numbers")
    return a


def _words(shape: tuple[int, ...]) -> str:
    return f"{shape[0]} numbers" if len(shape) == 1 else f"a {'x'.join(map(str, shape))} array"


def number(value: Any, what: str, who: str) -> float:
    """Finite float."""
    if type(value) is float or type(value) is int:
        x = float(value)
    else:
        a = floats(value)
        if a is None or a.shape != ():
            raise ShapeError(f"{who}: {what} must be a number, got {value!r}")
        x = float(a)
    if not math.isfinite(x):
        raise NotFiniteError(f"{who}: {what} is {x}; give a finite number")
    return x


def positive(value: Any, what: str, who: str) -> float:
    """Finite float above zero, for masses and sizes."""
    x = number(value, what, who)
    if x <= 0.0:
        raise MassError(f"{who}: {what} is {x}; it must be positive")
    return x


def vector(value: Any, what: str, who: str) -> Array:
    """Three finite numbers, fixed."""
    return fixed(np.array(value) if _is_triple(value) else array(value, (3,), what, who))


def triple(value: Any, what: str, who: str) -> tuple[float, ...]:
    """Three finite numbers as they are written."""
    return value if _is_triple(value) else tuple(array(value, (3,), what, who).tolist())


def _is_triple(value: Any) -> bool:
    """Whether nothing remains to be done: seen in a fifth of the time that an array takes."""
    if type(value) is not tuple or len(value) != 3:
        return False
    x, y, z = value
    return type(x) is float and type(y) is float and type(z) is float and math.isfinite(x + y + z)


def nonzero(a: Iterable[float], what: str, who: str) -> None:
    """Whether a vector has a direction."""
    if not any(a):
        raise AxisError(f"{who}: {what} has zero length; give a direction such as (0, 0, 1)")


def unit(value: Any, what: str, who: str) -> Array:
    """Direction of a vector that is not zero, fixed."""
    a = vector(value, what, who)
    nonzero(a.tolist(), what, who)
    return fixed(units(a))


def units(a: Array) -> Array:
    """Directions of vectors (..., 3), none of them zero."""
    largest = np.abs(a).max(axis=-1, keepdims=True)
    scaled = a / largest  # first, so that squares neither overflow nor vanish
    square = np.sum(scaled * scaled, axis=-1, keepdims=True)
    settled = np.abs(square * np.minimum(largest, 2.0) ** 2 - 1.0) <= SETTLED
    return np.where(settled, a, scaled / np.sqrt(square))


def rigid(value: ArrayLike, what: str, who: str) -> Array:
    """4x4 pose with a proper rotation (made orthogonal to the last digit), fixed."""
    C = array(value, (4, 4), what, who)
    R = C[:3, :3]
    if np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0 or np.abs(C[3] - (0, 0, 0, 1)).max() > 0:
        raise FrameError(
            f"{who}: {what} is not a pose: its 3x3 part must be a rotation (orthogonal, determinant +1) and its last "
            "row (0, 0, 0, 1)"
        )
    if np.abs(R @ R.T - np.eye(3)).max() > SETTLED:
        u, _, vt = np.linalg.svd(R)
        C[:3, :3] = u @ vt
    return fixed(C)
