"""User rows: functions in Python, evaluated behind the compiled rows; what is not given comes from differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.finite_differences import derivative
from cotree.errors import ConstraintError
from cotree.kinematics.coordinates import displace
from cotree.model.calls import blame
from cotree.model.checks import floats
from cotree.model.constraints import UserRows
from cotree.model.forces import UserFunction
from cotree.model.functions import MissingFunction
from cotree.system.system import System

Array = NDArray[np.float64]


def put_residual(system: System, q: Array, t: float, g: Array) -> None:
    for c, rows in _places(system, g):
        if c.residual is not None:
            g[rows] = _call(c, c.residual, "residual", (c.rows,), q=q, t=t)


def put_jacobian(system: System, q: Array, t: float, J: Array) -> None:
    for c, rows in _places(system, J):
        J[rows] = _jacobian(system, c, q, t)


def put_rate(system: System, q: Array, t: float, b: Array) -> None:
    for c, rows in _places(system, b):
        b[rows] = _rate(c, q, t)


def put_bias(system: System, q: Array, v: Array, t: float, eta: Array) -> None:
    for c, rows in _places(system, eta):
        if c.bias is not None:
            eta[rows] = _call(c, c.bias, "bias", (c.rows,), q=q, v=v, t=t)
        else:
            eta[rows] = _bias_by_differences(system, c, q, v, t)


def _places(system: System, out: Array) -> Iterator[tuple[UserRows, slice]]:
    """The user's constraints with their rows, the last ones of an array."""
    user = system.extra_rows.user
    first = len(out) - sum(c.rows for c in user)
    for c in user:
        yield c, slice(first, first + c.rows)
        first += c.rows


def _jacobian(system: System, c: UserRows, q: Array, t: float) -> Array:
    return _call(c, c.jacobian, "jacobian", (c.rows, system.nv), q=q, t=t)


def _rate(c: UserRows, q: Array, t: float) -> Array:
    """b of J v = b: as given, or minus the residual's derivative by time."""
    if c.rate is not None:
        return _call(c, c.rate, "rate", (c.rows,), q=q, t=t)
    if c.residual is None or "t" not in c.residual.arguments:
        return np.zeros(c.rows)
    residual = c.residual
    return -derivative(lambda s: _call(c, residual, "residual", (c.rows,), q=q, t=s), t, 1)


def _bias_by_differences(system: System, c: UserRows, q: Array, v: Array, t: float) -> Array:
    """J v_dot = -d/ds (J v - b) along the motion with constant v; J v - b is dg/ds where b is not known by itself."""
    residual = c.residual
    if c.rate is None and residual is not None and "t" in residual.arguments:

        def gap(s: float) -> Array:
            return _call(c, residual, "residual", (c.rows,), q=displace(system, q, s * v), t=t + s)

        return -derivative(gap, 0.0, 2)

    def left_over(s: float) -> Array:
        x = displace(system, q, s * v)
        return _jacobian(system, c, x, t + s) @ v - _rate(c, x, t + s)

    return -derivative(left_over, 0.0, 1)


def _call(c: UserRows, user: UserFunction, what: str, shape: tuple[int, ...], **given: Any) -> Array:
    """What a user's function returns, checked; a single row may come without its first dimension."""
    if isinstance(user.function, MissingFunction):  # it knows no sizes
        return np.full(shape, user.function(0.0))
    try:
        returned = user.at(given)
        a = floats(returned, flags=True)
    except Exception as error:
        blame(error, f"the {what} of constraint {c.name!r}", given["t"])
        raise
    if a is not None and c.rows == 1 and a.shape == shape[1:]:
        a = a[None]
    if a is None or a.shape != shape:
        got = repr(returned) if a is None else f"shape {a.shape}"
        raise ConstraintError(f"constraint {c.name!r}: {what} must return an array of shape {shape}, got {got}")
    if not np.isfinite(a).all():
        raise ConstraintError(f"constraint {c.name!r}: {what} returned NaN or infinity: {returned!r}")
    return a
