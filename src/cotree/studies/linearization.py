"""Linearization of a mechanism about a state: state space, eigenvalues, modes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints.assembly import assemble, consistent_velocity
from cotree.constraints.finite_differences import derivative
from cotree.derivatives.constrained import constrained_derivatives
from cotree.derivatives.forward import forward_dynamics_derivatives
from cotree.derivatives.functions import force_directions
from cotree.dynamics.api import mass_matrix
from cotree.errors import MissingPackageError, StudyError, UnknownNameError
from cotree.kinematics.coordinates import displace
from cotree.model.checks import several, shown
from cotree.model.mechanism import Mechanism, nearest
from cotree.studies.frequency_response import FrequencyResponse, frequency_response
from cotree.studies.law_states import refuse_law_states
from cotree.studies.tangent import Basis, kernel_basis, transport
from cotree.system.arguments import coordinates, of_system, require_finite, velocities
from cotree.system.system import System

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
STEADY = 1e-8  # of the largest velocity squared plus accelerations of one: what may be left of v_dot in a steady motion
RATE = ".rate"


@dataclass(frozen=True, eq=False)
class Linearization:
    """dx/dt = A x + B u, y = C x + D u for small departures x from (q, v).

    states: names of x: independent coordinates (departures along `displace`), then independent velocities, name + ".rate".
    inputs, outputs: names of u and y. steady: whether the state is a rest position or a steady motion, so that eigenvalues mean
    what they usually do. Z (nv, positions): departures of all coordinates for unit ones of the independent positions.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    q: Array
    v: Array
    steady: bool
    Z: Array

    @cached_property
    def _eigen(self) -> tuple[Complex, Complex]:
        values, vectors = np.linalg.eig(self.A)
        order = np.lexsort((values.imag, -values.real, np.round(np.abs(values.imag), 9)))
        return values[order].astype(complex), vectors[:, order].astype(complex)

    @property
    def eigenvalues(self) -> Complex:
        """Of A [1/s]: slow oscillations first, then the fast ones."""
        return self._eigen[0]

    @property
    def frequencies(self) -> Array:
        """Natural frequency |eigenvalue| / (2 pi) of each [Hz]."""
        return np.abs(self.eigenvalues) / (2.0 * np.pi)

    @property
    def damping(self) -> Array:
        """Damping ratio of each: -real part / size; 1 for decay, -1 for growth without oscillation, 0 for zero."""
        size = np.abs(self.eigenvalues)
        return np.where(size > 0.0, -self.eigenvalues.real / np.where(size > 0.0, size, 1.0), 0.0)

    @property
    def modes(self) -> Complex:
        """(nv, states): displacement of all coordinates in each eigenvector, the largest scaled to 1 where any moves."""
        shapes = self.Z @ self._eigen[1][: self.Z.shape[1]]
        largest = shapes[np.argmax(np.abs(shapes), axis=0), np.arange(shapes.shape[1])] if len(shapes) else 1.0
        return np.asarray(shapes / np.where(largest == 0.0, 1.0, largest))

    def frequency_response(self, frequencies: ArrayLike | None = None) -> FrequencyResponse:
        """Complex amplitudes of the outputs for inputs that oscillate, at frequencies [Hz], by default from a tenth of the
        least to ten times the largest natural frequency; `.plot()` draws them."""
        return frequency_response(self, frequencies)

    def to_scipy(self) -> Any:
        """`scipy.signal.StateSpace` of the same matrices."""
        from scipy.signal import StateSpace

        return StateSpace(self.A, self.B, self.C, self.D)

    def to_control(self) -> Any:
        """`control.StateSpace` of the package python-control, with the names."""
        try:
            import control
        except ImportError:
            raise MissingPackageError(
                "the package control is needed for this and is not installed; pip install control, or use to_scipy()"
            ) from None
        names = {"states": list(self.states), "inputs": list(self.inputs), "outputs": list(self.outputs)}
        return control.ss(self.A, self.B, self.C, self.D, **names)


@of_system
def linearize(
    system: System | Mechanism,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[Any] | None = None,
    t: float = 0.0,
) -> Linearization:
    """Linear equations of small motions about a state, in independent coordinates that the constraints leave.

    q, v: the state, made to fulfil the constraints; by default the mechanism's start or reference assembly, at rest. In a
    steady motion (a bicycle at speed) departures are measured in the moving frames of the joints. Non-holonomic
    constraints leave more positions than velocities.
    inputs: names of motors, of loads (three inputs each, name.x, .y, .z) or of coordinates, for forces along them; by default
    all motors. outputs: names of coordinates, of their rates (name + ".rate"), or functions f(q, v), which are differenced; by
    default all states. Derivatives are those of `forward_dynamics_derivatives`.

    >>> mech = ct.gallery.pendulum_chain(1)
    >>> ct.linearize(mech).states
    ('J1', 'J1.rate')
    """
    assert isinstance(system, System)
    refuse_law_states(system, "linearize")
    x, u = _state(system, q, v, t)
    tau = np.zeros(system.nv)
    J, changes, rows = np.zeros((0, system.nv)), np.zeros((0, system.nv)), np.arange(0)
    if system.n_constraints:
        c = constrained_derivatives(system, x, u, tau, t)
        J, changes, rows = c.J, c.changes.velocity_dq, c.rows
        v_dot, dq, dv, dtau = c.v_dot, c.dq, c.dv, c.dtau
    else:
        f = forward_dynamics_derivatives(system, x, u, tau, t)
        v_dot, dq, dv, dtau = f.v_dot, f.dq, f.dv, f.dtau
    weights = np.sqrt(np.abs(mass_matrix(system, x).diagonal()))
    positions, speeds = bases(J, system.holonomic, weights)
    G = velocity_change(J[rows], changes[rows] @ positions.Z, speeds.free)
    of_q, of_v = positions.Z, np.hstack([G, speeds.Z])
    k = of_q.shape[1]
    of_q = np.hstack([of_q, np.zeros((system.nv, speeds.Z.shape[1]))])
    A = np.vstack([(of_v - transport(system, u) @ of_q)[positions.free], (dq @ of_q + dv @ of_v)[speeds.free]])
    in_names, forces = _inputs(system, x, inputs)
    B = np.vstack([np.zeros((k, len(in_names))), (dtau @ forces)[speeds.free]])
    states = (*(system.v_names[i] for i in positions.free), *(system.v_names[i] + RATE for i in speeds.free))
    out_names, C = _outputs(system, x, u, outputs, states, of_q, of_v)
    D = np.zeros((len(C), len(in_names)))
    steady = bool(np.abs(v_dot).max(initial=0.0) <= STEADY * max(1.0, float(np.abs(u).max(initial=0.0)) ** 2))
    return Linearization(A, B, C, D, states, in_names, out_names, x, u, steady, positions.Z)


def _state(system: System, q: ArrayLike | None, v: ArrayLike | None, t: float) -> tuple[Array, Array]:
    start = system.start[0]
    given = q if q is not None else start if start is not None and len(start) == system.nq else system.q0
    x = given if isinstance(given, dict) else coordinates(system, given)
    if not isinstance(x, dict):
        require_finite(system, q=x)
    x = assemble(system, x, t=t)
    u = v if isinstance(v, dict) else velocities(system, v)
    return x, consistent_velocity(system, x, u, t) if system.n_constraints or isinstance(u, dict) else u


def bases(J: Array, holonomic: NDArray[np.bool_], weights: Array) -> tuple[Basis, Basis]:
    """Of displacements that holonomic rows leave, and of velocities that all rows do, among the former."""
    positions = kernel_basis(J[holonomic], weights)
    among = kernel_basis(J @ positions.Z, weights[positions.free], float(np.abs(J).max(initial=0.0)))
    return positions, Basis(positions.Z @ among.Z, positions.free[among.free])


def velocity_change(J: Array, change: Array, free: NDArray[np.intp]) -> Array:
    """G (nv, positions) with J G = -change and no change of the free velocities: J v = b stays true where J changes."""
    n = J.shape[1]
    dependent = np.setdiff1d(np.arange(n), free)
    G = np.zeros((n, change.shape[1]))
    if len(dependent):
        G[dependent] = -np.linalg.lstsq(J[:, dependent], change, rcond=None)[0]
    return G


def _inputs(system: System, q: Array, given: Sequence[str] | None) -> tuple[tuple[str, ...], Array]:
    """Names of the inputs and the generalized forces of their units (nv, inputs)."""
    mech = system.mechanism
    motors = [f.name for f in mech.joint_forces.values() if f.torque is not None]
    slots = {name: k for k, name in enumerate([*mech.loads, *motors])}
    directions, names, columns = force_directions(system, q), list[str](), list[Array]()
    for name in motors if given is None else several(given, "inputs"):
        if isinstance(name, str) and name in slots:
            parts = [""] if name in motors else [".x", ".y", ".z"]
            names += [name + part for part in parts]
            columns += [directions[:, slots[name], n] for n in range(len(parts))]
        elif isinstance(name, str) and name in system.v_names:
            names.append(name)
            columns.append(np.eye(system.nv)[system.v_index(name)])
        else:
            known = [*slots, *system.v_names]
            raise UnknownNameError(f"inputs: no motor, load or coordinate {shown(name)}{nearest(name, known)}")
    return tuple(names), np.array(columns).reshape(-1, system.nv).T


def _outputs(
    system: System, q: Array, v: Array, given: Sequence[Any] | None, states: tuple[str, ...], of_q: Array, of_v: Array
) -> tuple[tuple[str, ...], Array]:
    """Names of the outputs and their rows (outputs, states)."""
    if given is None:
        return states, np.eye(len(states))
    names, rows = list[str](), list[Array]()
    for y in several(given, "outputs"):
        if callable(y):
            names.append(getattr(y, "__name__", "function"))
            rows.append(_row_of(y, system, q, v, of_q, of_v))
        elif isinstance(y, str) and y in system.v_names:
            names.append(y)
            rows.append(of_q[system.v_index(y)])
        elif isinstance(y, str) and y.endswith(RATE) and y[: -len(RATE)] in system.v_names:
            names.append(y)
            rows.append(of_v[system.v_index(y[: -len(RATE)])])
        else:
            known = [*system.v_names, *(name + RATE for name in system.v_names)]
            raise UnknownNameError(f"outputs: no coordinate or rate {shown(y)}{nearest(y, known)}")
    return tuple(names), np.array(rows).reshape(-1, len(states))


def _row_of(f: Callable[..., Any], system: System, q: Array, v: Array, of_q: Array, of_v: Array) -> Array:
    """Derivatives of f(q, v) along the states, by differences."""

    def at(s: float, x: Array, u: Array) -> float:
        value = np.asarray(f(displace(system, q, s * x), v + s * u), dtype=float)
        if value.size != 1:
            raise StudyError(f"outputs: the function {shown(f)} must return one number, got shape {value.shape}")
        return float(value.ravel()[0])

    def along(x: Array, u: Array) -> float:
        return float(derivative(lambda s: at(s, x, u), 0.0, 1))

    return np.array([along(x, u) for x, u in zip(of_q.T, of_v.T, strict=True)])
