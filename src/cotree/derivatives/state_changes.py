"""Accelerations, multipliers and numbers of the forces, with their derivatives along all directions of a state: coordinates,
velocities, forces from outside, time and parameters, in this order."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_bias, constraint_jacobian, constraint_rate
from cotree.constraints.finite_differences import derivative
from cotree.derivatives.constrained import constrained_derivatives, solve_constrained
from cotree.derivatives.forward import forward_dynamics_derivatives
from cotree.derivatives.functions import force_directions
from cotree.derivatives.parameters.api import multipliers_of
from cotree.derivatives.parameters.changes import parameter_changes
from cotree.derivatives.parameters.directions import Directions
from cotree.dynamics.api import mass_matrix
from cotree.dynamics.user_forces import element_values
from cotree.kinematics.coordinates import displace
from cotree.model.time_laws import laws_in
from cotree.system.system import System

Array = NDArray[np.float64]


class Changing(NamedTuple):
    """A number or an array, and its derivatives with the directions first."""

    value: Array
    slopes: Array


class StateChanges(NamedTuple):
    """v_dot (nv,), multipliers (rows,), b of J v = b (rows,), numbers of loads and motors (slots, 3)."""

    v_dot: Changing
    multipliers: Changing
    rate: Changing
    values: Changing


class Pushes(NamedTuple):
    """Forces from outside that are varied, one a row: tau (K, nv) along the coordinates, and slots (K, slots, 3), numbers that
    are added to those of loads and motors; timeless: whether nothing is asked by time, so that these derivatives are zero."""

    tau: Array
    slots: Array
    timeless: bool = False

    @property
    def flat(self) -> Array:
        """(K, 3 slots)."""
        return self.slots.reshape(len(self.slots), 3 * self.slots.shape[1])

    @staticmethod
    def along(tau: Array, system: System, timeless: bool = False) -> Pushes:
        return Pushes(tau, np.zeros((len(tau), *system.elements.constants.shape)), timeless)


def state_changes(system: System, q: Array, v: Array, t: float, d: Directions, pushes: Pushes) -> StateChanges:
    """All of them at a state, with tau zero. What users wrote as functions of time or of the state is differenced."""
    n, m, tau = system.nv, system.n_constraints, np.zeros(system.nv)
    values, time = changing_values(system, q, v, t, d, pushes), 2 * n + len(pushes.tau)
    numbers = force_directions(system, q).reshape(n, -1)
    by_time = numbers @ values.slopes[time].ravel()
    pushed = pushes.tau.T + numbers @ pushes.flat.T
    if not m:
        f = forward_dynamics_derivatives(system, q, v, tau, t)
        by_p = parameter_changes(system, q, v, f.v_dot, np.zeros(0), t, d).force
        columns = np.hstack([f.dq, f.dv, f.dtau @ pushed, (f.dtau @ by_time)[:, None], -f.dtau @ by_p])
        none = Changing(np.zeros(0), np.zeros((columns.shape[1], 0)))
        return StateChanges(Changing(f.v_dot, columns.T), none, none, values)
    c = constrained_derivatives(system, q, v, tau, t)
    lam = multipliers_of(system, c, q, v, tau, t)
    changes = parameter_changes(system, q, v, c.v_dot, lam, t, d)
    of_forces, of_rows, rate = _by_time(system, q, v, c.v_dot, lam, None if pushes.timeless else t)
    force = np.column_stack([by_time - of_forces, -changes.force])
    motion = -np.column_stack([of_rows, changes.acceleration])[c.rows]
    L = np.asarray(np.linalg.cholesky(mass_matrix(system, q)), dtype=np.float64)
    more, of_chosen = solve_constrained(L, c.J[c.rows], force, motion)
    of_lam = np.zeros((m, more.shape[1]))
    of_lam[c.rows] = of_chosen
    v_dot = np.hstack([c.dq, c.dv, c.dtau @ pushed, more])
    multipliers = np.hstack([c.lam_dq, c.lam_dv, c.lam_dtau @ pushed, of_lam])
    rates = np.zeros((v_dot.shape[1], m))
    rates[time] = rate
    b = constraint_rate(system, q, t)
    return StateChanges(Changing(c.v_dot, v_dot.T), Changing(lam, multipliers.T), Changing(b, rates), values)


def changing_values(system: System, q: Array, v: Array, t: float, d: Directions, pushes: Pushes) -> Changing:
    """Numbers of the loads and motors."""
    n, now = system.nv, element_values(system, q, v, t)
    time = 2 * n + len(pushes.slots)
    slopes = np.zeros((time + 1 + len(d.moves), *now.shape))
    slopes[2 * n : time], slopes[time + 1 :] = pushes.slots, d.values
    arguments = {name for _, user in system.elements.functions for name in user.arguments}
    if arguments - {"t"}:
        for k, e in enumerate(np.eye(n)):
            slopes[k] = differences(lambda s, e=e: element_values(system, displace(system, q, s * e), v, t))  # type: ignore[misc]
            slopes[n + k] = differences(lambda s, e=e: element_values(system, q, v + s * e, t))  # type: ignore[misc]
    if arguments and not pushes.timeless:
        slopes[time] = differences(lambda s: element_values(system, q, v, t + s))
        for row, user in system.elements.functions:
            for i, law in enumerate(laws_in(user.function)):
                slopes[time, row, i] = law.derivative(t)
    return Changing(now, slopes)


def differences(f: Callable[[float], Array]) -> Array:
    """df/ds at s = 0, to eighth order; what no function gives (NaN) counts as a constant."""
    return np.asarray(derivative(lambda s: np.nan_to_num(f(s)), 0.0, 1), dtype=float)


def _by_time(
    system: System, q: Array, v: Array, v_dot: Array, lam: Array, t: float | None
) -> tuple[Array, Array, Array]:
    """Derivatives by time of J^T lam, of J v_dot - eta and of b, where drivers or user-defined rows are functions of it; zeros
    for t None."""
    forces, rows, rate = np.zeros(system.nv), np.zeros(len(lam)), np.zeros(len(lam))
    user = bool(system.extra_rows.user)
    if t is None or (not user and all(motion.constant for _, motion in system.extra_rows.motions)):
        return forces, rows, rate

    def asked(s: float) -> Array:
        J = constraint_jacobian(system, q, t + s)
        return np.concatenate(
            [J @ v_dot - constraint_bias(system, q, v, t + s), constraint_rate(system, q, t + s), J.T @ lam]
        )

    m = len(lam)
    found = differences(asked)
    return found[2 * m :], found[:m], found[m : 2 * m]
