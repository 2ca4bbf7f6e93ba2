"""Sensors of states that are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import ShapeError
from cotree.model.checks import floats, shown
from cotree.sensors.sensors import Sensors
from cotree.sensors.states import Block
from cotree.system.arguments import of_system, require_finite
from cotree.system.system import System

Array = NDArray[np.float64]


@of_system
def measure(system: System, q: ArrayLike, v: ArrayLike | None = None, t: float = 0.0) -> Sensors:
    """Read sensors of a state, or of many.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,) or (T, nq)
        Coordinates.
    v : array_like of shape (nv,) or (T, nv), optional
        Velocities; zero by default.
    t : float, optional
        Time [s], for drives and functions of time.

    Returns
    -------
    Sensors
        `.joint(name)`, `.point(body, point)`, `.orientation(body)`, `.reaction(joint)`,
        `.element(name)` and others, as of a `Run`.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> ct.measure(system, system.q0).point("coupler", (2.4, 1.4, 0)).position
    array([2.4, 1.4, 0. ])
    """
    x = _states(system, q, system.nq, "q")
    u = np.zeros((len(x), system.nv)) if v is None else _states(system, v, system.nv, "v")
    if len(x) != len(u):
        raise ShapeError(f"q of system {system.name!r} has {len(x)} states and v has {len(u)}; give as many of both")
    for row, rate in zip(x, u, strict=True):
        require_finite(system, q=row, v=rate)
    return Sensors(system, [Block(system, np.full(len(x), t), x, u)], single=np.ndim(q) == 1)


def _states(system: System, given: Any, n: int, what: str) -> Array:
    """(T, n)."""
    x = floats(given)
    if x is None or x.ndim not in (1, 2) or x.shape[-1] != n or not x.size:
        raise ShapeError(
            f"{what} of system {system.name!r} must be {n} numbers, or rows of as many, got "
            f"{shown(given) if x is None else f'shape {x.shape}'}"
        )
    return np.ascontiguousarray(np.atleast_2d(x), dtype=float)
