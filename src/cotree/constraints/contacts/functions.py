"""Contacts whose gap, normal and tangents are user functions: rows in Python, with rates from differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.contacts.touch import EVERYWHERE, INSIDE, STATE, Touch
from cotree.constraints.finite_differences import derivative
from cotree.errors import ConstraintError
from cotree.kinematics.coordinates import displace
from cotree.model.checks import floats, shown
from cotree.model.contacts import FunctionContact
from cotree.model.forces import UserFunction
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FunctionTouch(Touch):
    """A point of contact without a place: rows as those of `UserRows`, the gap first."""

    residual: Any = None
    jacobian: Any = None
    rate: Any = None
    bias: Any = None
    in_python = True

    @property
    def bodies(self) -> tuple[str, ...]:
        return ()

    def measured(self, system: System, q: Array, v: Array, t: float) -> Array:
        """STATE numbers; without normal and point."""
        out = np.zeros(STATE)
        out[0], out[INSIDE] = self.residual.function(q, t)[0], EVERYWHERE
        out[1:4] = self.jacobian.function(q, t) @ v - self.rate.function(q, t)
        return out


def function_touch(contact: FunctionContact, system: System, index: int) -> FunctionTouch:
    """The point of a contact by functions, for states of a system."""
    given = _Given(contact, system)
    rows: tuple[Callable[..., Any], ...] = (given.residual, given.jacobian, given.rate)
    residual, jacobian, rate = (UserFunction(f, ("q", "t"), 3) for f in rows)
    return FunctionTouch(
        contact.name, contact.name, contact.body_a, contact.body_b, index=index, residual=residual, jacobian=jacobian,
        rate=rate,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Given:
    """The functions of a contact, checked, as three rows."""

    contact: FunctionContact
    system: System

    def residual(self, q: Array, t: float) -> Array:
        """(3,): the gap, and nothing along the tangents."""
        return np.array([self._gap(q, t), 0.0, 0.0])

    def jacobian(self, q: Array, t: float) -> Array:
        """(3, nv)."""
        J = np.zeros((3, self.system.nv))
        c = self.contact
        J[0] = self._gradient(q, t) if c.normal is None else self._called(c.normal, "normal", q, t, 1)
        if c.tangent is not None:
            T = self._called(c.tangent, "tangent", q, t, 2)
            J[1 : 1 + len(T)] = T
        return J

    def rate(self, q: Array, t: float) -> Array:
        """(3,): b of J v = b, minus how the gap changes with time alone."""
        assert self.contact.gap is not None
        if "t" not in self.contact.gap.arguments:
            return np.zeros(3)
        return np.array([-derivative(lambda s: self._gap(q, s), t, 1), 0.0, 0.0])

    def _gradient(self, q: Array, t: float) -> Array:
        """The gap's derivatives along the velocity coordinates."""
        return np.array([self._slope(e, q, t) for e in np.eye(self.system.nv)])

    def _slope(self, e: Array, q: Array, t: float) -> Any:
        return derivative(lambda s: self._gap(displace(self.system, q, s * e), t), 0.0, 1)

    def _gap(self, q: Array, t: float) -> float:
        assert self.contact.gap is not None
        a = floats(self.contact.gap.at({"q": q, "t": t}))
        if a is None or a.size != 1 or not np.isfinite(a).all():
            raise ConstraintError(f"contact {self.contact.name!r}: gap must return a finite number, got {shown(a)}")
        return float(a.ravel()[0])

    def _called(self, function: UserFunction, what: str, q: Array, t: float, most: int) -> Array:
        """(1 or 2, nv)."""
        a, nv = floats(function.at({"q": q, "t": t})), self.system.nv
        if a is not None and a.shape == (nv,):
            a = a[None]
        if a is None or a.ndim != 2 or a.shape[1] != nv or not 1 <= len(a) <= most or not np.isfinite(a).all():
            shapes = f"({nv},)" + (f" or (2, {nv})" if most == 2 else "")
            got = "no numbers" if a is None else f"shape {a.shape}"
            raise ConstraintError(
                f"contact {self.contact.name!r}: {what} must return finite numbers of shape {shapes}, got {got}"
            )
        return a
