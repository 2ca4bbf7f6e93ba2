"""Checks of user input: numbers become arrays of the right shape, or an error names the element they belong to."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import (
    ArgumentError,
    AxisError,
    ChoiceError,
    CotreeError,
    FrameError,
    MassError,
    NotFiniteError,
    ShapeError,
)

Array = NDArray[np.float64]
# results of `unit` and `rigid` pass these checks again unchanged, so that files reproduce every digit
SETTLED = 16 * np.finfo(float).eps
DIRECTIONS = ("axis", "normal", "direction", "plane_normal", "x_axis")  # arguments that are directions
LONGEST = 200  # letters of a value in a message
FEW = 12  # numbers that a message shows one by one


def shown(value: Any) -> str:
    """A value as shown in a message, shortened; safe whatever its `repr` does."""
    try:
        text = repr(value)
    except Exception:
        return f"an object of class {type(value).__name__}"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 4]} ..."


def floats(value: Any, flags: bool = False) -> Array | None:
    """A new float array, or None if the value is not numeric: text, complex numbers, None, ragged lists, integers too large
    for a float, masked entries; booleans only where `flags` allows them."""
    if type(value) in (float, np.float64) or (type(value) is np.ndarray and value.dtype == float):
        return np.array(value, dtype=float)  # an exception here comes from a signal handler and propagates
    try:
        a = np.asarray(value)
        if a.dtype.kind not in ("biufO" if flags else "iufO") or (
            a.dtype.kind == "O" and any(x is None for x in a.flat)
        ):
            return None
        if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
            return None
        new = isinstance(value, (tuple, list)) and a.dtype == float
        return a if new else np.array(a, dtype=float)
    except Exception:  # foreign objects may raise anything
        return None


def own_vector(value: Any, which: str) -> Array | None:
    """A checked copy of a mechanism's q_start or v_start."""
    if value is None:
        return None
    found = floats(value)
    if found is None or found.ndim != 1:
        raise ShapeError(
            f"{which} is {shown(value)}; it must be a vector with one number per coordinate of mech.compile(); to start "
            f"by joint names, use ct.simulate(mech, t_end, {which[0]}={{'joint': value}})"
        )
    return found


def fixed(a: Array) -> Array:
    """The array itself, made read-only: what a mechanism or system stores does not change."""
    a.flags.writeable = False
    return a


def array(value: Any, shape: tuple[int, ...], what: str, who: str) -> Array:
    """Float array of the given shape with finite entries."""
    a = floats(value)
    if a is None:
        raise ShapeError(f"{who}: {what} must be {_words(shape)}, got {shown(value)}")
    if a.shape != shape:
        given = shown(value) if a.ndim < 2 and a.size <= FEW else f"an array of shape {a.shape}"
        raise ShapeError(f"{who}: {what} must be {_words(shape)}, got {given}")
    if not all(map(math.isfinite, a.ravel().tolist())):  # a tenth of NumPy's time for a few numbers
        raise NotFiniteError(f"{who}: {what} contains NaN or infinity: {shown(value)}; give finite numbers")
    return a


def _words(shape: tuple[int, ...]) -> str:
    return f"{shape[0]} numbers" if len(shape) == 1 else f"a {'x'.join(map(str, shape))} array"


def number(value: Any, what: str, who: str) -> float:
    """Finite float."""
    if type(value) is float:
        x = value
    else:
        a = floats(value)
        if a is None or a.shape != ():
            raise ShapeError(f"{who}: {what} must be a number, got {shown(value)}")
        x = float(a)
    if not math.isfinite(x):
        raise NotFiniteError(f"{who}: {what} is {x}; give a finite number")
    return x


def choice(
    value: Any, choices: Iterable[str], what: str, error: type[CotreeError] = ChoiceError,
    synonyms: Mapping[str, str] = MappingProxyType({}),
) -> str:  # fmt: skip
    """One of the allowed options; synonyms: names of other programs, in lower case, and what they mean here."""
    words = tuple(choices)
    if not isinstance(value, str) or value not in words:
        known = {word.lower(): word for word in words} | dict(synonyms)
        close = difflib.get_close_matches(value.lower()[:100], known, n=1) if isinstance(value, str) else []
        meant = f" (did you mean {known[close[0]]!r}?)" if close else ""
        raise error(f"{what} is {shown(value)}; choose one of {', '.join(map(repr, words))}{meant}")
    return value


def flag(value: Any, what: str) -> bool:
    """True or False, and nothing that is merely truthy or falsy."""
    if not isinstance(value, (bool, np.bool_)):
        raise ChoiceError(f"{what} is {shown(value)}; give True or False")
    return bool(value)


def flag_or_none(value: Any, what: str) -> bool | None:
    """True, False, or None for the default."""
    return None if value is None else flag(value, what)


def whole(value: Any, what: str, least: int, most: int) -> int:
    """An integer between two others."""
    good = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not good or not least <= value <= most:
        raise ShapeError(f"{what} is {shown(value)}; give an integer from {least} to {most}")
    return int(value)


def several(value: Any, what: str) -> tuple[Any, ...]:
    """Items of a list or another iterable; a single string is one item."""
    if isinstance(value, str):
        return (value,)
    try:
        return tuple(value)
    except Exception:
        raise ArgumentError(f"{what} is {shown(value)}; give a list of names") from None


def names(value: Any, what: str) -> tuple[str, ...]:
    """Strings of a list or another iterable, or a single string."""
    found = several(value, what)
    for name in found:
        if not isinstance(name, str):
            raise ArgumentError(f"{what}: {shown(name)} is not a name; give a list of names")
    return found


def positive(value: Any, what: str, who: str) -> float:
    """Finite float above zero, for masses and sizes."""
    x = number(value, what, who)
    if x <= 0.0:
        raise MassError(f"{who}: {what} is {x}; it must be positive")
    return x


def lettered(value: Any, what: str) -> Any:
    """The direction of "x", "-y" and their like; anything else, and all that is not a direction, as it is."""
    if type(value) is not str or not what.startswith(DIRECTIONS):
        return value
    axis = value.strip().lower().lstrip("+-")
    sign = -1.0 if value.strip().startswith("-") else 1.0
    return tuple(sign * (axis == letter) + 0.0 for letter in "xyz") if axis in ("x", "y", "z") else value


def vector(value: Any, what: str, who: str) -> Array:
    """Three finite numbers as a read-only array; directions also by the letter of an axis."""
    value = lettered(value, what)
    return fixed(np.array(value) if _is_triple(value) else array(value, (3,), what, who))


def triple(value: Any, what: str, who: str) -> tuple[float, ...]:
    """Three finite numbers as a tuple of floats; directions also by the letter of an axis."""
    value = lettered(value, what)
    return value if _is_triple(value) else tuple(array(value, (3,), what, who).tolist())


def _is_triple(value: Any) -> bool:
    """Whether the value already is a tuple of three finite floats; five times faster than going through an array."""
    if type(value) is not tuple or len(value) != 3:
        return False
    x, y, z = value
    return type(x) is float and type(y) is float and type(z) is float and math.isfinite(x + y + z)


def nonzero(a: Iterable[float], what: str, who: str) -> None:
    """Raise if a vector has zero length."""
    if not any(a):
        raise AxisError(f"{who}: {what} has zero length; give a direction such as (0, 0, 1)")


def unit(value: Any, what: str, who: str) -> Array:
    """Unit vector along a nonzero vector, read-only."""
    a = vector(value, what, who)
    nonzero(a.tolist(), what, who)
    return fixed(units(a))


def units(a: Array) -> Array:
    """Unit vectors along nonzero vectors (..., 3)."""
    largest = np.abs(a).max(axis=-1, keepdims=True)
    scaled = a / largest  # first, so that squares neither overflow nor vanish
    square = np.sum(scaled * scaled, axis=-1, keepdims=True)
    settled = np.abs(square * np.minimum(largest, 2.0) ** 2 - 1.0) <= SETTLED
    return np.where(settled, a, scaled / np.sqrt(square))


def rigid(value: ArrayLike, what: str, who: str) -> Array:
    """4x4 pose with a proper rotation (orthogonalized to rounding), read-only."""
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
