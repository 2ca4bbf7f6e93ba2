"""States of laws in studies of rest and small motions: they are states of the linear equations, and at rest do not change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.finite_differences import derivative
from cotree.derivatives.functions import force_directions, kind_forces
from cotree.dynamics.law_states import first_states, with_states
from cotree.dynamics.laws import laws_of
from cotree.dynamics.user_forces import evaluated
from cotree.errors import StudyError, UnknownNameError
from cotree.kinematics.coordinates import displace
from cotree.model.checks import number, shown
from cotree.model.mechanism import nearest
from cotree.system.system import System

Array = NDArray[np.float64]


def refuse_law_states(system: System, study: str, sampled_only: bool = False) -> None:
    """Raise where a law is sampled, or has states of its own: what it gives does not depend on positions and rates alone."""
    for law in laws_of(system):
        if law.place.held or (law.place.states and not sampled_only):
            what = "is sampled" if law.place.held else f"has states of its own ({', '.join(law.user.states)})"
            knows = "what follows from the present state only" if sampled_only else "positions and velocities only"
            raise StudyError(
                f"{study}: the law of {law.whose} {what}, and this study knows {knows}; replace the law by one of position and "
                "rate, or use ct.simulate"
            )


@dataclass(frozen=True, eq=False)
class LawStates:
    """z: all numbers that laws keep; places: of the states among them, with their names, "law.state"."""

    system: System
    z: Array
    places: NDArray[np.intp]
    names: tuple[str, ...]

    def moved(self, step: Array) -> LawStates:
        """With other values of the states."""
        z = self.z.copy()
        z[self.places] += step
        return LawStates(self.system, z, self.places, self.names)

    @property
    def values(self) -> dict[str, float]:
        return {name: float(self.z[i]) for name, i in zip(self.names, self.places, strict=True)}

    def rates(self, q: Array, v: Array, t: float) -> Array:
        """Of the states."""
        with with_states(self.z):
            return evaluated(self.system, q, v, t)[1][self.places]

    def forces(self, q: Array, v: Array, t: float) -> Array:
        """(nv, states): how generalized forces change with the states."""
        system = self.system
        directions = force_directions(system, q).reshape(system.nv, -1)

        def given(step: Array) -> Array:
            with with_states(self.moved(step).z):
                others = kind_forces(system, q, v, t) if system.elements.kinds else 0.0
                return np.asarray(directions @ np.nan_to_num(evaluated(system, q, v, t)[0].ravel()) + others)

        return slopes(given, len(self.places))

    def rates_along(self, q: Array, v: Array, t: float, of_q: Array, of_v: Array) -> Array:
        """(states, directions): how the rates change along displacements and velocities."""

        def given(x: Array) -> Array:
            return self.rates(displace(self.system, q, of_q @ x), v + of_v @ x, t)

        return slopes(given, of_q.shape[1])

    def rates_by_states(self, q: Array, v: Array, t: float) -> Array:
        """(states, states)."""
        return slopes(lambda step: self.moved(step).rates(q, v, t), len(self.places))


def slopes(f: Callable[[Array], Array], n: int) -> Array:
    """(values, n): derivatives of f at zero along the unit vectors, by differences."""

    def along(e: Array) -> Array:
        return derivative(lambda s: f(s * e), 0.0, 1)

    columns = [along(e) for e in np.eye(n)]
    return np.array(columns).reshape(n, -1).T if n else np.zeros((len(f(np.zeros(0))), 0))


def law_states(system: System, q: Array, v: Array, t: float, given: Mapping[str, float] | None) -> LawStates:
    """The states of the laws: as they start, but for those given by name; signs of switching functions are those here."""
    z, names = first_states(system, q, v, t), system.state_names
    places = [i for law in laws_of(system) for i in range(law.place.state, law.place.sign) if not law.place.held]
    found = LawStates(system, z, np.array(places, dtype=np.intp), tuple(names[i] for i in places))
    if given is None:
        return found
    if not isinstance(given, Mapping):
        raise StudyError(f'law_states is {shown(given)}; give a dict by names as in {{"servo.integral": 0.2}}')
    for name, value in given.items():
        if name not in found.names:
            raise UnknownNameError(f"law_states: no state {shown(name)} of a law{nearest(name, found.names)}")
        z[places[found.names.index(name)]] = number(value, name, "law_states")
    with with_states(z):
        about: dict[str, Any] = {"z": z}
        for law in laws_of(system):
            law.put_signs(z, t, q, v, about)
    return found
