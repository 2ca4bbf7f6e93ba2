"""`dynamics_function`: dx/dt = f(t, x, u) of plain states x = (q, v), with its derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints.finite_differences import derivative
from cotree.constraints.initial_state import own_start
from cotree.derivatives.forward import forward_dynamics_derivatives
from cotree.formulations.forward import forward_dynamics
from cotree.model.features import declare
from cotree.model.mechanism import Mechanism
from cotree.studies.acting_devices import AS_COMPILED, OF_STATE, acting
from cotree.studies.functions.plain import Plain, vector
from cotree.system.arguments import of_system, time_of
from cotree.system.system import System

Array = NDArray[np.float64]


DYNAMICS_FUNCTION = declare("ct.dynamics_function", leaves_out=AS_COMPILED, refuses={"laws": OF_STATE})


class DynamicsJacobian(NamedTuple):
    """Of f(t, x, u): dt (n,), dx (n, n), du (n, inputs)."""

    dt: Array
    dx: Array
    du: Array


class DynamicsFunction:
    """f(t, x, u) gives dx/dt of the state x = (q, v); f.jacobian(t, x, u) its derivatives, f.dx(t, x, u) those by x alone.

    states, inputs: names of x and u. x0: the mechanism's start. The inputs are forces besides those that the mechanism has.
    """

    def __init__(self, system: System, inputs: Sequence[str] | None) -> None:
        self.system, self._plain = system, Plain(system, inputs)
        self.inputs = self._plain.inputs
        self.states = (*system.q_names, *(name + ".rate" for name in system.v_names))
        self.x0 = np.concatenate(own_start(system)[:2])

    def _split(self, t: Any, x: Any, u: Any) -> tuple[float, Array, Array, Array]:
        y = vector(x, len(self.states), "x")
        return time_of("t", t), y[: self.system.nq], y[self.system.nq :], vector(u, len(self.inputs), "u")

    def __call__(self, t: float, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """(n,): dx/dt."""
        t, q, v, forces = self._split(t, x, u)
        here = self._plain.position(q)
        return np.concatenate([self._plain.rate(here, v), self._acceleration(t, here, v, forces)])

    def _acceleration(self, t: float, q: Array, v: Array, u: Array) -> Array:
        return forward_dynamics(self.system, q, v, self._plain.directions(q) @ u, t=t).v_dot

    def jacobian(self, t: float, x: ArrayLike, u: ArrayLike | None = None) -> DynamicsJacobian:
        """Derivatives by t, x and u: exact, but for user functions and for time, which are differenced."""
        t, q, v, forces = self._split(t, x, u)
        plain, nq = self._plain, self.system.nq
        here, P = plain.position(q), plain.displacements(q)
        B = plain.directions(here)
        found = forward_dynamics_derivatives(self.system, here, v, B @ forces, t)
        by_q = found.dq + found.dtau @ plain.force_change(here, forces)
        dx = np.block([[plain.rate_change(here, v) @ P, plain.rates(here)], [by_q @ P, found.dv]])
        dt = np.zeros(len(dx))
        if plain.timed:
            dt[nq:] = np.asarray(derivative(lambda s: self._acceleration(s, here, v, forces), t, 1))
        return DynamicsJacobian(dt, dx, np.vstack([np.zeros((nq, B.shape[1])), found.dtau @ B]))

    def dx(self, t: float, x: ArrayLike, u: ArrayLike | None = None) -> Array:
        """(n, n): the derivatives by x alone, as `scipy.integrate.solve_ivp(f, ..., jac=f.dx)` wants them."""
        return self.jacobian(t, x, u).dx

    def to_casadi(self, name: str = "dynamics") -> Any:
        """`casadi.Function` (t, x, u) -> x_dot with exact first derivatives. Needs casadi; keep it as long as expressions
        use it."""
        from cotree.studies.functions.with_casadi import casadi_function

        return casadi_function(name, self, self.jacobian, {"x": len(self.states), "u": len(self.inputs)}, "x_dot")

    def to_jax(self) -> Any:
        """Function (t, x, u) -> x_dot for JAX: inside jit, vmap, grad, jvp and vjp, by `jax.pure_callback`. Needs jax, with
        64-bit numbers: jax.config.update("jax_enable_x64", True)."""
        from cotree.studies.functions.with_jax import jax_function

        return jax_function(self, self.jacobian, (len(self.states), len(self.inputs)), len(self.states))

    def __repr__(self) -> str:
        return f"<dynamics of {self.system.name!r}: {len(self.states)} states, {len(self.inputs)} inputs>"


@of_system
def dynamics_function(system: System | Mechanism, inputs: Sequence[str] | None = None) -> DynamicsFunction:
    """Wrap the equations of motion as a function f(t, x, u) of plain vectors, with derivatives.

    Quaternions in x count as their directions, whatever their length. With loops accelerations
    satisfy the constraints; positions do so as well as the integrator does.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    inputs : sequence of str, optional
        Motors, loads (three inputs each) or coordinates; none by default.

    Returns
    -------
    DynamicsFunction
        `f(t, x, u)` is dx/dt with x = (q, v); `f.jacobian(t, x, u)` has `.dx`, `.du`.

    Examples
    --------
    >>> f = ct.dynamics_function(ct.gallery.pendulum_chain(1), inputs=["J1"])
    >>> f(0.0, [0.0, 1.0], [2.0]).shape, f.jacobian(0.0, [0.0, 1.0], [2.0]).dx.shape
    ((2,), (2, 2))
    """
    assert isinstance(system, System)
    DYNAMICS_FUNCTION.admit(acting(system, 0.0), 4)
    return DynamicsFunction(system, inputs)
