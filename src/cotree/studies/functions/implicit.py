"""`residual`, `jacobian`: the implicit equations of motion as functions of plain vectors, and their derivatives.

With x = (q, v, lam), the residual has the rows
    dq/dt - E(q) v,    ID(q, v, dv/dt) + J^T lam - B u,    and the constraints:
g (index 3), J v - b (index 2) or J dv/dt - eta (index 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints.api import constraint_bias, constraint_jacobian, constraint_rate, constraint_residual
from cotree.constraints.finite_differences import derivative
from cotree.constraints.initial_state import own_start
from cotree.derivatives.constraints import constraint_changes
from cotree.derivatives.inverse import inverse_dynamics_derivatives
from cotree.dynamics.api import tree_forces
from cotree.errors import ChoiceError
from cotree.judge import SETTLED
from cotree.model.checks import shown
from cotree.model.features import declare
from cotree.model.mechanism import Mechanism
from cotree.studies.acting_devices import AS_COMPILED, OF_STATE, acting
from cotree.studies.functions.plain import Plain, vector
from cotree.system.arguments import of_system, time_of
from cotree.system.system import System

Array = NDArray[np.float64]
RESIDUAL = declare("ct.residual", leaves_out=AS_COMPILED, refuses={"laws": OF_STATE})
JACOBIAN = declare("ct.jacobian", on=(RESIDUAL,))


class ResidualDerivatives(NamedTuple):
    """Of the residual: by x, by its rate, and by the inputs."""

    dx: Array
    dx_dot: Array
    du: Array


class _Implicit:
    """What both functions know. states, inputs: names of x and u; x0: the mechanism's start, with multipliers of zero."""

    def __init__(self, system: System, inputs: Sequence[str] | None, index: int) -> None:
        self.system, self.index, self._plain, self.inputs_given = system, index, Plain(system, inputs), inputs
        self.inputs = self._plain.inputs
        rates = (name + ".rate" for name in system.v_names)
        self.states = (*system.q_names, *rates, *(f"multiplier {k}" for k in range(system.n_constraints)))
        self.x0 = np.concatenate([*own_start(system)[:2], np.zeros(system.n_constraints)])

    def _split(self, t: Any, x: Any, x_dot: Any, u: Any) -> tuple[float, list[Array], list[Array], Array]:
        sizes = [self.system.nq, self.system.nq + self.system.nv]
        at, rates = (np.split(vector(y, len(self.states), name), sizes) for y, name in ((x, "x"), (x_dot, "x_dot")))
        return time_of("t", t), at, rates, vector(u, len(self.inputs), "u")

    def __repr__(self) -> str:
        what = type(self).__name__.lower()
        return f"<{what} of {self.system.name!r}, index {self.index}: {len(self.states)} states, {len(self.inputs)} inputs>"


class Residual(_Implicit):
    """r(t, x, x_dot, u), zero along motions; x = (q, v, multipliers)."""

    def __call__(self, t: float, x: ArrayLike, x_dot: ArrayLike | None = None, u: ArrayLike | None = None) -> Array:
        t, (q, v, lam), (q_dot, v_dot, _), forces = self._split(t, x, x_dot, u)
        plain, system = self._plain, self.system
        here = plain.position(q)
        force = tree_forces(system, here, v, v_dot, t) - plain.directions(here) @ forces
        if not len(lam):
            return np.concatenate([q_dot - plain.rate(here, v), force])
        J = constraint_jacobian(system, here, t)
        return np.concatenate([q_dot - plain.rate(here, v), force + J.T @ lam, self._held(t, here, v, v_dot, J)])

    def _held(self, t: float, q: Array, v: Array, v_dot: Array, J: Array) -> Array:
        """The constraints; of non-holonomic ones in place of g the velocities."""
        if self.index == 1:
            return J @ v_dot - constraint_bias(self.system, q, v, t)
        rate = J @ v - constraint_rate(self.system, q, t)
        if self.index == 2:
            return rate
        return np.where(self.system.holonomic, constraint_residual(self.system, q, t), rate)

    def slopes(
        self, t: float, x: ArrayLike, x_dot: ArrayLike | None = None, u: ArrayLike | None = None
    ) -> tuple[Array, ...]:
        """Derivatives by t (n,), which is differenced, by x, x_dot and u."""
        by_time = np.zeros(len(self.states))
        if self._plain.timed:
            by_time = np.asarray(derivative(lambda s: self(s, x, x_dot, u), time_of("t", t), 1), dtype=float)
        return by_time, *Jacobian(self.system, self.inputs_given, self.index)(t, x, x_dot, u)

    def to_casadi(self, name: str = "residual") -> Any:
        """`casadi.Function` (t, x, x_dot, u) -> r with exact first derivatives. Needs casadi; keep it as long as expressions
        use it."""
        from cotree.studies.functions.with_casadi import casadi_function

        n, m = len(self.states), len(self.inputs)
        return casadi_function(name, self, self.slopes, {"x": n, "x_dot": n, "u": m}, "r")

    def to_jax(self) -> Any:
        """Function (t, x, x_dot, u) -> r for JAX, as `ct.dynamics_function(...).to_jax()`."""
        from cotree.studies.functions.with_jax import jax_function

        n, m = len(self.states), len(self.inputs)
        return jax_function(self, self.slopes, (n, n, m), n)


class Jacobian(_Implicit):
    """J(t, x, x_dot, u): derivatives .dx (n, n), .dx_dot (n, n), .du (n, inputs) of the residual."""

    def __call__(
        self, t: float, x: ArrayLike, x_dot: ArrayLike | None = None, u: ArrayLike | None = None
    ) -> ResidualDerivatives:
        t, (q, v, lam), (_, v_dot, _), forces = self._split(t, x, x_dot, u)
        plain, system = self._plain, self.system
        here, P = plain.position(q), plain.displacements(q)
        nq, nv, m = system.nq, system.nv, len(lam)
        tree = inverse_dynamics_derivatives(system, here, v, v_dot, t)
        dx, dx_dot = np.zeros((nq + nv + m, nq + nv + m)), np.zeros((nq + nv + m, nq + nv + m))
        at_q, at_v, at_lam = slice(nq), slice(nq, nq + nv), slice(nq + nv, None)
        dx[at_q, at_q], dx[at_q, at_v] = -plain.rate_change(here, v) @ P, -plain.rates(here)
        by_q = tree.dq - plain.force_change(here, forces)
        dx[at_v, at_v] = tree.dv
        dx_dot[at_q, at_q], dx_dot[at_v, at_v] = np.eye(nq), tree.da
        if m:
            J = constraint_jacobian(system, here, t)
            changes = constraint_changes(system, here, v, v_dot, lam, t)
            turned = changes.velocity_dq
            if system.extra_rows.user:  # whose rates may depend on the position
                turned = turned - plain.along(lambda y: constraint_rate(system, y, t), here)
            by_q = by_q + changes.force_dq
            dx[at_v, at_lam] = J.T
            if self.index == 1:
                dx[at_lam, at_q], dx[at_lam, at_v], dx_dot[at_lam, at_v] = changes.by_q @ P, changes.by_v, J
            else:
                positions = (system.holonomic & (self.index == 3))[:, None]
                dx[at_lam, at_q] = np.where(positions, self._gap_change(t, here, J), turned) @ P
                dx[at_lam, at_v] = np.where(positions, 0.0, J)
        dx[at_v, at_q] = by_q @ P
        du = np.zeros((len(dx), len(forces)))
        du[at_v] = -plain.directions(here)
        return ResidualDerivatives(dx, dx_dot, du)

    def _gap_change(self, t: float, q: Array, J: Array) -> Array:
        """(m, nv): of g; it is J where loops are closed, elsewhere it is differenced."""
        g = constraint_residual(self.system, q, t)
        if self.index != 3 or np.abs(g).max() <= SETTLED:
            return J
        return self._plain.along(lambda x: constraint_residual(self.system, x, t), q)


@of_system
def residual(system: System | Mechanism, inputs: Sequence[str] | None = None, index: int = 1) -> Residual:
    """Build the implicit equations of motion as a function of plain vectors.

    Its rows: dq/dt less the rates that v gives; forces, M dv/dt + h + J^T lam - B u; and the
    constraints. Constraints that depend on others make a singular Jacobian.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    inputs : sequence of str, optional
        As for `linearize`; none by default.
    index : int, optional
        Constraints at the level of accelerations (1), velocities (2) or positions (3).

    Returns
    -------
    Residual
        A function (t, x, x_dot, u) with x = (q, v, multipliers), zero along motions.

    See Also
    --------
    jacobian : Its derivatives.

    Examples
    --------
    >>> mech = ct.gallery.pendulum_chain(1)
    >>> r, J = ct.residual(mech), ct.jacobian(mech)
    >>> r(0.0, [0.0, 0.0]) + 0.0
    array([0., 0.])
    >>> J(0.0, [0.0, 0.0]).dx.shape
    (2, 2)
    """
    assert isinstance(system, System)
    RESIDUAL.admit(acting(system, 0.0), 4)
    return Residual(system, inputs, _checked(index))


@of_system
def jacobian(system: System | Mechanism, inputs: Sequence[str] | None = None, index: int = 1) -> Jacobian:
    """Build the function of derivatives of `residual`.

    For Jacobians of bodies see `spatial_jacobian` and `body_jacobian`, for those of loops
    `constraint_jacobian`.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    inputs : sequence of str, optional
        As for `residual`.
    index : int, optional
        As for `residual`.

    Returns
    -------
    Jacobian
        A function (t, x, x_dot, u) that returns `.dx`, `.dx_dot`, `.du`. Exact but for user
        functions, loads as inputs and gaps of open loops.

    Examples
    --------
    >>> J = ct.jacobian(ct.gallery.pendulum_chain(1))
    >>> J(0.0, [0.0, 0.0]).dx.shape
    (2, 2)
    """
    assert isinstance(system, System)
    JACOBIAN.admit(acting(system, 0.0), 4)
    return Jacobian(system, inputs, _checked(index))


def _checked(index: Any) -> int:
    if isinstance(index, bool) or index not in (1, 2, 3):
        raise ChoiceError(f"index is {shown(index)}; give 1 (accelerations), 2 (velocities) or 3 (positions)")
    return int(index)
