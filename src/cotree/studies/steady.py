"""Steady motions: all velocities stay as they are, as of a spinning rotor, a governor, a bicycle in a curve.

Sought are q and v with v_dot(q, v) = 0, not only there but also a little later and earlier on the way, q after moving with v
for a time h: a pendulum at the bottom of its swing does not move steadily. The velocities must be admissible at all three.
Laws with states of their own (controllers with an integral) keep these, z_dot = 0, at all three as well. Steps are those of
Levenberg and Marquardt, along what the constraints leave and along the states.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree._shown import Shown
from cotree.constraints.api import constraint_jacobian, constraint_rate, constraint_residual
from cotree.constraints.assembly import assemble, consistent_velocity
from cotree.constraints.initial_state import named_configuration, own_start
from cotree.constraints.named_coordinates import held_rates, held_values
from cotree.constraints.units import column_units
from cotree.dynamics.law_states import with_states
from cotree.errors import CotreeError, EquilibriumError, SingularWarning
from cotree.formulations.forward import forward_dynamics
from cotree.judge import STEADY
from cotree.kinematics.coordinates import displace
from cotree.model.checks import names
from cotree.model.features import declare
from cotree.model.mechanism import Mechanism
from cotree.studies.acting_devices import AS_COMPILED, NO_SAMPLES, acting
from cotree.studies.law_states import LawStates
from cotree.studies.law_states import law_states as known_states
from cotree.studies.linearization import linearize
from cotree.studies.words import position, velocity
from cotree.system.arguments import coordinates, of_system, velocities
from cotree.system.system import System
from cotree.typing import Coordinates

Array = NDArray[np.float64]
FAR = 0.1  # rad, or parts of the system's length: how far on the way the later and the earlier state are
STEPS = 100
STEADY_MOTION = declare("ct.steady_motion", leaves_out=AS_COMPILED, refuses=NO_SAMPLES)
SWITCHES = 5  # changes of the signs of laws' switching functions that are followed
GROWING = 1e-4  # of the largest eigenvalue: coincident zero ones, of positions that do not matter, are exact to 1e-5


@dataclass(frozen=True, eq=False)
class SteadyMotion(Shown):
    """A motion whose velocities v stay as they are; q: a position on its way. stable: whether small disturbances of it stay
    small; eigenvalues [1/s] of these. reactions: by joint, as of `forward_dynamics`, at q. left: largest acceleration, or rate
    of a state of a law. system: what moves. law_states: values of these, by name, "servo.integral"."""

    q: Array
    v: Array
    stable: bool
    eigenvalues: NDArray[np.complex128]
    reactions: dict[str, Array]
    left: float
    system: System = field(repr=False)
    law_states: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        lines = [
            f"{self.system.name}: steady motion, {'stable' if self.stable else 'unstable'}",
            f"velocities {velocity(self.system, self.v)}",
            f"on its way through {position(self.system, self.q)}",
        ]
        return "\n  ".join(lines)


@of_system
def steady_motion(
    system: System | Mechanism,
    q: Coordinates | None = None,
    v: Coordinates | None = None,
    fixed: Iterable[str] = (),
    t: float = 0.0,
    law_states: Mapping[str, float] | None = None,
) -> SteadyMotion:
    """Find a steady motion (trim state): spinning rotors, governors, wheels in a curve.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like or dict, optional
        Coordinates near it; by default the mechanism's start.
    v : array_like or dict, optional
        Velocities near it. Rates that a dict gives keep their values.
    fixed : str or iterable of str, optional
        Coordinates and rates ("name.rate") that keep their values.
    t : float, optional
        Time [s], for drives and functions of time.
    law_states : dict of str to float, optional
        Values of states of laws to begin with.

    Returns
    -------
    SteadyMotion
        `.q`, `.v` and more.

    Raises
    ------
    EquilibriumError
        If none is found.

    Examples
    --------
    >>> mech = ct.Mechanism("wheel", gravity=(0, 0, 0))
    >>> wheel = mech.body("wheel", mass=1, com=(0, 0, 0), inertia=(1, 1, 1))
    >>> _ = mech.joint("hub", "ground", wheel, ct.Revolute())
    >>> ct.steady_motion(mech, v={"hub": 2.0}).v
    array([2.])
    """
    assert isinstance(system, System)
    STEADY_MOTION.admit(acting(system, t), 4)
    own_q, own_v, _ = own_start(system, t)
    x = (
        named_configuration(system, q, own_q, t)
        if isinstance(q, Mapping)
        else coordinates(system, own_q if q is None else q)
    )
    x = assemble(system, x, t=t)
    u = consistent_velocity(
        system, x, own_v if v is None else v if isinstance(v, Mapping) else velocities(system, v), t
    )
    wanted = names(fixed, "fixed")
    rates = [n[: -len(".rate")] for n in wanted if n.endswith(".rate")] + (list(v) if isinstance(v, Mapping) else [])
    held = [n for n in wanted if not n.endswith(".rate")]
    laws = known_states(system, x, u, t, law_states)
    for _ in range(SWITCHES):
        search = _Search(system, t, held, rates, x, u, laws)
        x, u, laws, left = search.run()
        if not laws.put_signs(x, u, t):
            break
    else:
        raise EquilibriumError(
            f"system {system.name!r}: no steady motion was found near this state: laws switch to and fro between the states at "
            "which they would be in balance. Begin nearer to one, or give other law_states"
        )
    if not left <= STEADY * search.scale(u):
        raise EquilibriumError(_not_found(system, search, x, u, laws))
    with warnings.catch_warnings(), with_states(laws.z):
        warnings.simplefilter("ignore", SingularWarning)
        values = linearize(system, x, u, t=t, law_states=laws.values).eigenvalues
        found = forward_dynamics(system, x, u, t=t)
    growing = values.real.max(initial=0.0) > GROWING * np.abs(values).max(initial=0.0)
    return SteadyMotion(x, u, not growing, values, found.reactions, left, system, laws.values)


State = tuple[Array, Array, LawStates]


class _Search:
    """Levenberg-Marquardt steps for q, v and the states of laws."""

    def __init__(
        self, system: System, t: float, fixed: list[str], rates: list[str], q: Array, v: Array, laws: LawStates
    ) -> None:
        self.t, self.q, self.v, self.laws = t, q, v, laws
        held = held_values(system, q, fixed)
        self.system, self.units = system, column_units(system)
        self.positions, self.columns = held.system, held.columns
        self.speeds, _, self.rate_columns = held_rates(system, q, v, rates, t)
        self.h = FAR / max(float(np.abs(v / self.units).max(initial=0.0)), 1e-6)
        self.state_units = self._state_units()

    def scale(self, v: Array) -> float:
        return max(1.0, float(np.abs(v / self.units).max(initial=0.0)) ** 2)

    def bases(self, q: Array) -> tuple[Array, Array]:
        """Displacements and velocities that are free."""
        n = self.system.nv
        J = constraint_jacobian(self.positions, q, self.t)[self.positions.holonomic]
        G = constraint_jacobian(self.speeds, q, self.t)
        eye = np.eye(n)
        return self._free(np.vstack([J, eye[self.columns]])), self._free(np.vstack([G, eye[self.rate_columns]]))

    def _free(self, J: Array) -> Array:
        if not len(J):
            return np.diag(self.units)
        _, s, Vt = np.linalg.svd(J * self.units)
        return Vt[np.count_nonzero(s > 1e-9 * max(s.max(initial=0.0), 1e-300)) :].T * self.units[:, None]

    def _state_units(self) -> Array:
        """Steps of the states of laws that change accelerations or their rates by about one."""
        n = len(self.laws.places)
        steep = [np.abs(self._state_slope(self.q, self.v, self.laws, e)).max(initial=0.0) for e in np.eye(n)]
        return np.array([1.0 / s if s > 0.0 else 1.0 for s in steep])

    def _state_slope(self, q: Array, v: Array, laws: LawStates, step: Array) -> Array:
        """How the residual changes along the states of laws."""
        h = 1e-5
        return (self.residual(q, v, laws.moved(h * step)) - self.residual(q, v, laws.moved(-h * step))) / (2 * h)

    def accelerations(self, q: Array, v: Array, laws: LawStates) -> Array:
        with warnings.catch_warnings(), with_states(laws.z):
            warnings.simplefilter("ignore", SingularWarning)
            return np.asarray(forward_dynamics(self.system, q, v, t=self.t).v_dot / self.units)

    def residual(self, q: Array, v: Array, laws: LawStates) -> Array:
        """Accelerations and rates of laws here, a little later and earlier, and what constraints forbid of v there: of drives
        at those times, of all else as it is now."""
        parts, h = [self.accelerations(q, v, laws), laws.rates(q, v, self.t)], self.h
        for sign in (1.0, -1.0):
            x = displace(self.system, q, sign * h * v)
            parts += [self.accelerations(x, v, laws), laws.rates(x, v, self.t)]
            if self.system.n_constraints:
                t = self.t + sign * h
                parts.append((constraint_jacobian(self.system, x, t) @ v - constraint_rate(self.system, x, t)) / h)
                parts.append(constraint_residual(self.system, x, t) / h**2)
        return np.concatenate(parts)

    def moved(self, now: State, x: Array, bases: tuple[Array, Array]) -> State:
        """The state after a step, closed and admissible, with what is held as it is."""
        q, v, laws = now
        k, end = bases[0].shape[1], bases[0].shape[1] + bases[1].shape[1]
        q = assemble(self.positions, displace(self.system, q, bases[0] @ x[:k]), self._names(), self.t, restarts=0)
        rates = {self.system.v_names[c]: float(self.v[c]) for c in self.rate_columns}
        laws, u = laws.moved(x[end:] * self.state_units), v + bases[1] @ x[k:end]
        for n, value in rates.items():
            u[self.system.v_index(n)] = value
        if not self.system.n_constraints:
            return q, u, laws
        return q, consistent_velocity(self.speeds, q, u, self.t, branches="ignore", fixed=list(rates)), laws

    def _names(self) -> list[str]:
        return [self.system.v_names[c] for c in self.columns]

    def run(self) -> tuple[Array, Array, LawStates, float]:
        """(q, v, laws, what is left) where steps end."""
        now: State = (self.q, self.v, self.laws)
        r, damping = self.residual(*now), 1e-3
        for _ in range(STEPS):
            size = float(np.abs(r).max(initial=0.0))
            if size <= 1e-13 * self.scale(now[1]):
                break
            bases = self.bases(now[0])
            A, better = self._slopes(now, bases), None
            k = bases[0].shape[1] + bases[1].shape[1]
            while better is None and damping < 1e8:
                B = A.T @ A + damping * min(size, 1.0) * np.eye(A.shape[1])
                x = -np.asarray(np.linalg.solve(B, A.T @ r), dtype=np.float64)
                x = x * min(1.0, 0.3 / max(float(np.abs(x[:k]).max(initial=0.0)), 1e-300))
                better = self._better(now, x, bases, r)
                damping = damping * 10.0 if better is None else max(0.1 * damping, 1e-12)
            if better is None:
                break
            now, r = better
        return *now, float(np.abs(r).max(initial=0.0))

    def _better(self, now: State, x: Array, bases: tuple[Array, Array], r: Array) -> Any:
        try:
            there = self.moved(now, x, bases)
            new = self.residual(*there)
        except CotreeError:
            return None
        return (there, new) if float(new @ new) < float(r @ r) else None

    def _slopes(self, now: State, bases: tuple[Array, Array]) -> Array:
        """Derivatives of the residual along the free displacements, velocities and states, by differences."""
        (q, v, laws), h, columns = now, 1e-5, []
        for x in bases[0].T:
            there, back = displace(self.system, q, h * x), displace(self.system, q, -h * x)
            columns.append((self.residual(there, v, laws) - self.residual(back, v, laws)) / (2 * h))
        for x in bases[1].T:
            columns.append((self.residual(q, v + h * x, laws) - self.residual(q, v - h * x, laws)) / (2 * h))
        columns += [self._state_slope(q, v, laws, e) for e in np.diag(self.state_units)]
        return np.array(columns).T.reshape(-1, len(columns))


def _not_found(system: System, search: _Search, q: Array, v: Array, laws: LawStates) -> str:
    a, rates = search.accelerations(q, v, laws), laws.rates(q, v, search.t)
    k = int(np.argmax(np.abs(a)))
    what = f"the rate of {system.v_names[k]!r} still changes by {a[k] * search.units[k]:.6g} per second squared"
    if np.abs(rates).max(initial=0.0) > np.abs(a[k]):
        n = int(np.argmax(np.abs(rates)))
        what = f"the state {laws.names[n]!r} of a law still changes by {rates[n]:.6g} per second"
    return (
        f"system {system.name!r}: no steady motion was found near this state; {what}, or would a little later. Begin nearer to "
        "one, give the rates that stay by name, v={'spin': ...}, or let more of them be found"
    )
