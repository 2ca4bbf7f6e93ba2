"""Checks of the arrays that a user passes along with a system; quick when there is nothing to say."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from cotree.errors import NotFiniteError, ShapeError
from cotree.model.checks import floats, vector
from cotree.system.system import System

Array = NDArray[np.float64]
ORIGIN = (0.0, 0.0, 0.0)
_FLOAT = np.dtype(float)


def coordinates(system: System, q: Any) -> Array:
    """q as a contiguous float array of nq entries that kernels take: aligned, and writable, though they only read it."""
    if type(q) is np.ndarray and q.dtype is _FLOAT and q.shape == (system.nq,) and q.flags.carray:
        return q
    return _convert(q, system.nq, "q", system)


def velocities(system: System, v: Any, what: str = "v") -> Array:
    """v (or accelerations, or joint forces) as a contiguous float array of nv entries; None is zero."""
    if type(v) is np.ndarray and v.dtype is _FLOAT and v.shape == (system.nv,) and v.flags.carray:
        return v
    if v is None:
        return np.zeros(system.nv)
    return _convert(v, system.nv, what, system)


def _convert(x: Any, n: int, what: str, system: System) -> Array:
    a = floats(x)
    if a is None:
        raise ShapeError(f"{what} of system {system.name!r} must be {n} numbers, got {x!r}")
    a = np.ascontiguousarray(a)  # a single number for a single coordinate will do
    if a.shape != (n,):
        raise ShapeError(
            f"{what} of system {system.name!r} must have {n} entries, got shape {np.shape(x)}; system.{_names(what)} "
            "tells what they are, system.q0 is a valid q"
        )
    return a


def _names(what: str) -> str:
    return "q_names" if what == "q" else "v_names"


def require_finite(system: System, **arrays: Array) -> None:
    """Raise if an argument has NaN or infinity in it, saying where; called when a result has."""
    for what, a in arrays.items():
        bad = np.flatnonzero(~np.isfinite(a))
        if bad.size:
            where = _joint_of(system, int(bad[0])) if what == "q" else system.coordinate_names[bad[0]]
            raise NotFiniteError(
                f"{what} of system {system.name!r} is {a[bad[0]]} at entry {bad[0]}, which belongs to {where!r}; give finite "
                "numbers"
            )


def not_finite(system: System, what: str, **arrays: Array) -> NoReturn:
    """Raise for a result with NaN or infinity in it: an argument has, or numbers are too large."""
    require_finite(system, **arrays)
    sizes = {name: float(np.abs(a).max(initial=0.0)) for name, a in arrays.items()}
    largest = max(sizes, key=lambda name: sizes[name])
    raise NotFiniteError(
        f"{what}: the result for system {system.name!r} is beyond the range of numbers; the largest entry of {largest} is "
        f"{sizes[largest]:.3g}: look whether it, forces, stiffnesses or lengths are too large"
    )


def _joint_of(system: System, entry: int) -> str:
    """Joint that an entry of q belongs to."""
    before = [k for k in range(1, len(system.links)) if system.links[k]["iq"] <= entry]
    return system.link_joints[max(before, key=lambda k: system.links[k]["iq"])]


def world_point(value: Any) -> Array:
    """A point of the world frame."""
    if value is ORIGIN:
        return np.zeros(3)
    return np.array(vector(value, "point", "world frame"))  # kernels take arrays that can be written to
