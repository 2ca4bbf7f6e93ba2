"""Steady motions: all velocities stay as they are, as of a spinning rotor, a governor, a bicycle in a curve.

Sought are q and v with v_dot(q, v) = 0, not only there but also a little later and earlier on the way, q after moving with v
for a time h: a pendulum at the bottom of its swing does not move steadily. The velocities must be admissible at all three.
Steps are those of Levenberg and Marquardt, along what the constraints leave.
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
from cotree.errors import CotreeError, EquilibriumError, SingularWarning
from cotree.formulations.forward import forward_dynamics
from cotree.kinematics.coordinates import displace
from cotree.model.checks import names
from cotree.model.mechanism import Mechanism
from cotree.studies.acting_devices import warn_of_devices
from cotree.studies.law_states import refuse_law_states
from cotree.studies.linearization import linearize
from cotree.studies.words import position, velocity
from cotree.system.arguments import coordinates, of_system, velocities
from cotree.system.system import System
from cotree.typing import Coordinates

Array = NDArray[np.float64]
FAR = 0.1  # rad, or parts of the system's length: how far on the way the later and the earlier state are
STEPS = 100
STEADY = 1e-9  # of the velocities squared and of accelerations of one: what may be left of v_dot
GROWING = 1e-4  # of the largest eigenvalue: coincident zero ones, of positions that do not matter, are exact to 1e-5


@dataclass(frozen=True, eq=False)
class SteadyMotion(Shown):
    """A motion whose velocities v stay as they are; q: a position on its way. stable: whether small disturbances of it stay
    small; eigenvalues [1/s] of these. reactions: by joint, as of `forward_dynamics`, at q. left: largest acceleration.
    system: what moves."""

    q: Array
    v: Array
    stable: bool
    eigenvalues: NDArray[np.complex128]
    reactions: dict[str, Array]
    left: float
    system: System = field(repr=False)

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
) -> SteadyMotion:
    """A steady motion (trim state) near (q, v): spinning rotors, governors, wheels in a curve.

    Rates that v gives by name keep their values, as do coordinates and rates named in `fixed` (a rate is written "name.rate");
    the others are found. By default q and v are the mechanism's start. Raises `EquilibriumError` where none is found.
    """
    assert isinstance(system, System)
    refuse_law_states(system, "steady_motion")
    warn_of_devices(system, t, "steady_motion")
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
    search = _Search(system, t, [n for n in wanted if not n.endswith(".rate")], rates, x, u)
    x, u, left = search.run()
    if not left <= STEADY * search.scale(u):
        raise EquilibriumError(_not_found(system, search, x, u))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SingularWarning)
        values, found = linearize(system, x, u, t=t).eigenvalues, forward_dynamics(system, x, u, t=t)
    growing = values.real.max(initial=0.0) > GROWING * np.abs(values).max(initial=0.0)
    return SteadyMotion(x, u, not growing, values, found.reactions, left, system)


class _Search:
    """Levenberg-Marquardt steps for q and v."""

    def __init__(self, system: System, t: float, fixed: list[str], rates: list[str], q: Array, v: Array) -> None:
        self.t, self.q, self.v = t, q, v
        held = held_values(system, q, fixed)
        self.system, self.units = system, column_units(system)
        self.positions, self.columns = held.system, held.columns
        self.speeds, _, self.rate_columns = held_rates(system, q, v, rates, t)
        self.h = FAR / max(float(np.abs(v / self.units).max(initial=0.0)), 1e-6)

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

    def accelerations(self, q: Array, v: Array) -> Array:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SingularWarning)
            return np.asarray(forward_dynamics(self.system, q, v, t=self.t).v_dot / self.units)

    def residual(self, q: Array, v: Array) -> Array:
        """Accelerations here, a little later and earlier, and what constraints forbid of v there."""
        parts, h = [self.accelerations(q, v)], self.h
        for sign in (1.0, -1.0):
            x = displace(self.system, q, sign * h * v)
            parts.append(self.accelerations(x, v))
            if self.system.n_constraints:
                parts.append(
                    (constraint_jacobian(self.system, x, self.t) @ v - constraint_rate(self.system, x, self.t)) / h
                )
                parts.append(constraint_residual(self.system, x, self.t) / h**2)
        return np.concatenate(parts)

    def moved(self, q: Array, v: Array, x: Array, bases: tuple[Array, Array]) -> tuple[Array, Array]:
        """The state after a step, closed and admissible, with what is held as it is."""
        k = bases[0].shape[1]
        q = assemble(self.positions, displace(self.system, q, bases[0] @ x[:k]), self._names(), self.t, restarts=0)
        rates = {self.system.v_names[c]: float(self.v[c]) for c in self.rate_columns}
        fixed = list(rates)
        u = v + bases[1] @ x[k:]
        for n, value in rates.items():
            u[self.system.v_index(n)] = value
        if not self.system.n_constraints:
            return q, u
        return q, consistent_velocity(self.speeds, q, u, self.t, branches="ignore", fixed=fixed)

    def _names(self) -> list[str]:
        return [self.system.v_names[c] for c in self.columns]

    def run(self) -> tuple[Array, Array, float]:
        """(q, v, what is left) where steps end."""
        q, v, damping = self.q, self.v, 1e-3
        r = self.residual(q, v)
        for _ in range(STEPS):
            size = float(np.abs(r).max(initial=0.0))
            if size <= 1e-13 * self.scale(v):
                break
            bases = self.bases(q)
            A = self._slopes(q, v, bases)
            better = None
            while better is None and damping < 1e8:
                B = A.T @ A + damping * min(size, 1.0) * np.eye(A.shape[1])
                x = -np.asarray(np.linalg.solve(B, A.T @ r), dtype=np.float64)
                x = x * min(1.0, 0.3 / max(float(np.abs(x).max(initial=0.0)), 1e-300))
                better = self._better(q, v, x, bases, r)
                damping = damping * 10.0 if better is None else max(0.1 * damping, 1e-12)
            if better is None:
                break
            q, v, r = better
        return q, v, float(np.abs(r).max(initial=0.0))

    def _better(self, q: Array, v: Array, x: Array, bases: tuple[Array, Array], r: Array) -> Any:
        try:
            a, b = self.moved(q, v, x, bases)
            new = self.residual(a, b)
        except CotreeError:
            return None
        return (a, b, new) if float(new @ new) < float(r @ r) else None

    def _slopes(self, q: Array, v: Array, bases: tuple[Array, Array]) -> Array:
        """Derivatives of the residual along the free displacements and velocities, by differences."""
        h, columns = 1e-5, []
        for x in bases[0].T:
            columns.append(
                (self.residual(displace(self.system, q, h * x), v) - self.residual(displace(self.system, q, -h * x), v))
                / (2 * h)
            )
        for x in bases[1].T:
            columns.append((self.residual(q, v + h * x) - self.residual(q, v - h * x)) / (2 * h))
        return np.array(columns).T.reshape(-1, len(columns))


def _not_found(system: System, search: _Search, q: Array, v: Array) -> str:
    a = search.accelerations(q, v)
    k = int(np.argmax(np.abs(a)))
    return (
        f"system {system.name!r}: no steady motion was found near this state; the rate of {system.v_names[k]!r} still changes "
        f"by {a[k] * search.units[k]:.6g} per second squared, or would a little later. Begin nearer to one, give the rates "
        "that stay by name, v={'spin': ...}, or let more of them be found"
    )
