"""Linearization of a mechanism about a state: state space, eigenvalues, modes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._shown import MOST, Shown, listed
from cotree.constraints.assembly import assemble, consistent_velocity
from cotree.derivatives.constrained import constrained_derivatives
from cotree.derivatives.forward import forward_dynamics_derivatives
from cotree.dynamics.api import mass_matrix
from cotree.dynamics.law_states import with_states
from cotree.errors import MissingPackageError, StudyWarning
from cotree.judge import STEADY, ZERO
from cotree.model.features import declare
from cotree.model.mechanism import Mechanism
from cotree.studies.acting_devices import AS_COMPILED, acting
from cotree.studies.eigen import eigen
from cotree.studies.frequency_response import FrequencyResponse, frequency_response
from cotree.studies.law_states import LawStates
from cotree.studies.law_states import law_states as known_states
from cotree.studies.linear_outputs import About, generalized, input_pushes, output_rows
from cotree.studies.sampling import Sampled, over_a_period, sampled_at, sampled_laws
from cotree.studies.tangent import Basis, kernel_basis, transport
from cotree.system.arguments import coordinates, of_system, require_finite, velocities
from cotree.system.system import System

if TYPE_CHECKING:
    from os import PathLike

    from cotree.view.live.swinging import ModesViewer

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
RATE = ".rate"
LINEARIZE = declare("ct.linearize", leaves_out=AS_COMPILED)


@dataclass(frozen=True, eq=False)
class Linearization(Shown):
    """dx/dt = A x + B u, y = C x + D u for small departures x from (q, v).

    states: names of x: independent coordinates (departures along `displace`), then independent velocities, name + ".rate",
    then states of laws, "law.state".
    period [s]: of laws that are sampled; then x[k + 1] = A x[k] + B u[k] instead, just before instants so far apart, with u
    held in between, and eigenvalues are in the z plane. It is None for equations in continuous time.
    inputs, outputs: names of u and y. steady: whether the state is a rest position or a steady motion, so that eigenvalues mean
    what they usually do. Z (nv, positions): departures of all coordinates for unit ones of the independent positions.
    system, t: what was linearized, and when.
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
    system: System = field(repr=False)
    t: float = 0.0
    period: float | None = None

    def __str__(self) -> str:
        from cotree.studies.modes import modes_of  # which knows this one

        steady = "a steady motion" if np.any(np.abs(self.v) > ZERO) else "a rest position"
        about = steady if self.steady else "a state that is not steady: eigenvalues say little"
        sizes = f"{len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs"
        lines = [f"{self.system.name}: linearized about {about}", sizes, f"states {listed(self.states)}"]
        if self.period is not None:
            lines.append(f"from one instant to the next, {self.period:g} s apart")
        if self.inputs:
            lines.append(f"inputs {listed(self.inputs)}")
        lines += [f"mode {mode.column}: {mode}" for mode in modes_of(self)[:MOST]]
        return "\n  ".join(lines)

    @cached_property
    def _eigen(self) -> tuple[Complex, Complex]:
        values, vectors = eigen(self.A)
        rates = self._exponents(values)
        order = np.lexsort((rates.imag, -rates.real, np.round(np.abs(rates.imag), 9)))
        return values[order], vectors[:, order]

    def _exponents(self, values: Complex) -> Complex:
        if self.period is None:
            return values
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(values.astype(complex)) / self.period)

    @property
    def eigenvalues(self) -> Complex:
        """Of A [1/s]: slow oscillations first, then the fast ones. Those of a sampled system are factors of growth from one
        period to the next: it is stable where all are inside the unit circle."""
        return self._eigen[0]

    @property
    def exponents(self) -> Complex:
        """Rates of growth [1/s]: the eigenvalues, or logarithm / period of those of a sampled system (-inf for zero)."""
        return self._exponents(self.eigenvalues)

    @property
    def frequencies(self) -> Array:
        """Natural frequency |exponent| / (2 pi) of each [Hz]."""
        return np.abs(self.exponents) / (2.0 * np.pi)

    @property
    def damping(self) -> Array:
        """Damping ratio of each: -real part / size; 1 for decay, -1 for growth without oscillation, 0 for zero."""
        rates = self.exponents
        size = np.abs(rates)
        plain = np.isfinite(size) & (size > 0.0)
        ratio = -rates.real / np.where(plain, size, 1.0)
        return np.asarray(np.where(plain, ratio, np.where(size > 0.0, 1.0, 0.0)))

    @property
    def modes(self) -> Complex:
        """(nv, states): displacement of all coordinates in each eigenvector, the largest scaled to 1 where any moves."""
        shapes = self.Z @ self._eigen[1][: self.Z.shape[1]]
        largest = shapes[np.argmax(np.abs(shapes), axis=0), np.arange(shapes.shape[1])] if len(shapes) else 1.0
        return np.asarray(shapes / np.where(largest == 0.0, 1.0, largest))

    def motion(self, mode: int, amplitude: float | None = None, frames: int = 32) -> Array:
        """(frames, nq): one oscillation of a mode (a column of `modes`), with loops closed, at equal parts of its period.

        amplitude: of the coordinate that moves most [rad or m]; by default such that the motion can well be seen and the
        loops can be closed.
        """
        from cotree.studies.modes import motion_of

        return motion_of(self, mode, amplitude, frames)

    def html(self, path: str | PathLike[str], amplitude: float | None = None) -> None:
        """Write one HTML page that plays the modes in a browser, chosen from a list with frequency and damping; it needs no
        network. amplitude: as for `motion`."""
        from cotree.studies.modes import write_page

        write_page(self, path, amplitude)

    def view(
        self, amplitude: float | None = None, port: int | None = None, open: bool | None = None, wait: bool | None = None,
        host: str = "127.0.0.1",
    ) -> ModesViewer:  # fmt: skip
        """Play the modes live in the browser; returns a `Viewer` with `.mode`, which may be set. For the options see
        `Run.view`, for amplitude `motion`."""
        from cotree.studies.modes import view_modes

        return view_modes(self, amplitude, port, open, wait, host)

    def frequency_response(self, frequencies: ArrayLike | None = None) -> FrequencyResponse:
        """Complex amplitudes of the outputs for inputs that oscillate, at frequencies [Hz], by default from a tenth of the
        least to ten times the largest natural frequency; `.plot()` draws them."""
        return frequency_response(self, frequencies)

    def to_scipy(self) -> Any:
        """`scipy.signal.StateSpace` of the same matrices."""
        from scipy.signal import StateSpace

        more = {} if self.period is None else {"dt": self.period}
        return StateSpace(self.A, self.B, self.C, self.D, **more)

    def to_control(self) -> Any:
        """`control.StateSpace` of the package python-control, with the names, which have no dots there: "A_rate"."""
        try:
            import control
        except ImportError:
            raise MissingPackageError(
                "the package control is needed for this and is not installed; pip install 'cotree[control]', or use to_scipy()"
            ) from None
        given = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        names = {kind: _without_dots(some) for kind, some in given.items()}
        return control.ss(self.A, self.B, self.C, self.D, 0 if self.period is None else self.period, **names)


def _without_dots(names: Sequence[str]) -> list[str]:
    """Names with other signs for dots; with numbers where two would be the same."""
    out = list[str]()
    for name in names:
        plain, k = name.replace(".", "_"), 1
        while plain in out:
            k += 1
            plain = f"{name.replace('.', '_')}_{k}"
        out.append(plain)
    return out


@of_system
def linearize(
    system: System | Mechanism,
    q: ArrayLike | dict[str, float] | None = None,
    v: ArrayLike | dict[str, float] | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[Any] | None = None,
    t: float = 0.0,
    law_states: Mapping[str, float] | None = None,
) -> Linearization:
    """Compute the linear equations of small motions about a state.

    With laws that are sampled the equations are those from one instant to the next, x[k + 1] =
    A x[k] + B u[k].

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like or dict, optional
        Coordinates, made to satisfy the constraints; by default the mechanism's start or
        reference assembly.
    v : array_like or dict, optional
        Velocities; zero by default.
    inputs : sequence of str, optional
        Motors, loads (name.x, .y, .z) or coordinates; all motors by default.
    outputs : sequence, optional
        Coordinates, rates (name + ".rate"), functions of sensors such as `lambda s:
        s.reaction("A").force[0]`, or functions f(q, v); all states by default.
    t : float, optional
        Time [s], for drives and functions of time.
    law_states : dict of str to float, optional
        Values of states of laws, such as "servo.integral"; by default those at the start of
        a run.

    Returns
    -------
    Linearization
        `.A`, `.B`, `.C`, `.D`, `.states`, `.eigenvalues`, `.frequencies` [Hz], `.damping`,
        `.modes`; `.to_control()`.

    Warns
    -----
    StudyWarning
        If the state is neither a rest position nor a steady motion.

    Examples
    --------
    >>> mech = ct.gallery.pendulum_chain(1)
    >>> ct.linearize(mech).states
    ('J1', 'J1.rate')
    """
    assert isinstance(system, System)
    moving = system.start[1] is not None and np.any(system.start[1])
    if v is None and moving:
        warnings.warn(
            f"linearize of {system.name!r} is about rest, although its start moves (v_start); give v=mech.v_start for small "
            "departures from that motion, or v={} for rest",
            StudyWarning,
            stacklevel=3,
        )
    x, u = _state(system, q, v, t)
    LINEARIZE.admit(acting(system, t, x), 4)
    laws = known_states(system, x, u, t, law_states, sampled=True)
    if not sampled_laws(system):
        with with_states(laws.z):
            return _linearized(system, x, u, t, laws, inputs, outputs, None)
    sampled = sampled_at(system, laws.z, x, u, t)
    laws = LawStates(system, sampled.z, laws.places, laws.names)
    with with_states(laws.z):
        return _linearized(system, x, u, t, laws, inputs, outputs, sampled)


def _linearized(
    system: System,
    x: Array,
    u: Array,
    t: float,
    laws: LawStates,
    inputs: Sequence[str] | None,
    outputs: Sequence[Any] | None,
    sampled: Sampled | None,
) -> Linearization:
    """About a state that fulfils the constraints."""
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
    k, kept = of_q.shape[1], len(laws.places)
    of_q = np.hstack([of_q, np.zeros((system.nv, speeds.Z.shape[1] + kept))])
    of_v = np.hstack([of_v, np.zeros((system.nv, kept))])
    by_laws, of_laws = np.zeros_like(of_q), np.zeros((kept, of_q.shape[1]))
    if kept:
        mechanical = of_q.shape[1] - kept
        by_laws[:, mechanical:] = dtau @ laws.forces(x, u, t)
        of_laws[:, :mechanical] = laws.rates_along(x, u, t, of_q[:, :mechanical], of_v[:, :mechanical])
        of_laws[:, mechanical:] = laws.rates_by_states(x, u, t)
    turned, accelerated = of_v - transport(system, u) @ of_q, dq @ of_q + dv @ of_v + by_laws
    A = np.vstack([turned[positions.free], accelerated[speeds.free], of_laws])
    in_names, pushes = input_pushes(system, inputs)
    forces = generalized(system, x, pushes)

    def pushed(forces: Array) -> Array:
        """What generalized forces add to the rates of the states."""
        n = forces.shape[1]
        return np.vstack([np.zeros((k, n)), (dtau @ forces)[speeds.free], np.zeros((kept, n))])

    B, period = pushed(forces), None
    states = (
        *(system.v_names[i] for i in positions.free),
        *(system.v_names[i] + RATE for i in speeds.free),
        *laws.names,
    )
    left = max(float(np.abs(v_dot).max(initial=0.0)), float(np.abs(laws.rates(x, u, t)).max(initial=0.0)))
    if sampled is not None:
        step = over_a_period(sampled, x, u, t, A, pushed(sampled.all_held.forces(x, u, t)), B, of_q, of_v)
        more = np.zeros((system.nv, len(step.kept)))
        of_q, of_v = np.hstack([of_q, more]), np.hstack([of_v, more])
        A, B, period, states = step.A, step.B, step.period, (*states, *step.kept)
        left = max(left, sampled.left / step.period)
    about = About(system, x, u, t, states, of_q, of_v, laws, sampled is not None)
    out_names, C, D = states, np.eye(len(states)), np.zeros((len(states), len(in_names)))
    if outputs is not None:
        out_names, C, D = output_rows(about, outputs, pushes)
    steady = bool(left <= STEADY * max(1.0, float(np.abs(u).max(initial=0.0)) ** 2))
    return Linearization(A, B, C, D, states, in_names, out_names, x, u, steady, positions.Z, system, float(t), period)


def _state(system: System, q: Any, v: Any, t: float) -> tuple[Array, Array]:
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
