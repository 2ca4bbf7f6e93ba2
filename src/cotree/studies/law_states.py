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
from cotree.system.law_layout import start_values
from cotree.system.system import System

Array = NDArray[np.float64]


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

    def put_signs(self, q: Array, v: Array, t: float) -> bool:
        """Signs of switching functions at a state; whether they have changed."""
        before = self.z.copy()
        with with_states(self.z):
            about: dict[str, Any] = {"z": self.z}
            for law in laws_of(self.system):
                law.put_signs(self.z, t, q, v, about)
        return not np.array_equal(before, self.z)

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

    def numbers(self, q: Array, v: Array, t: float) -> Array:
        """(states, slots, 3): how numbers of the loads and motors change with the states."""

        def given(step: Array) -> Array:
            with with_states(self.moved(step).z):
                return np.nan_to_num(evaluated(self.system, q, v, t)[0].ravel())

        return slopes(given, len(self.places)).T.reshape(len(self.places), *self.system.elements.constants.shape)

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


def law_states(
    system: System, q: Array, v: Array, t: float, given: Mapping[str, float] | None, sampled: bool = False
) -> LawStates:
    """The states of the laws: as they start, but for those given by name; signs of switching functions are those here. What
    sampled laws keep is as after their first instant, or with `sampled` as before it, and may be given too."""
    z, names = start_values(system.law_places) if sampled else first_states(system, q, v, t), system.state_names
    laws = laws_of(system)
    places = [i for law in laws for i in range(law.place.state, law.place.sign) if not law.place.held]
    told = [i for law in laws for i in range(law.place.state, law.place.sign) if sampled or not law.place.held]
    found = LawStates(system, z, np.array(places, dtype=np.intp), tuple(names[i] for i in places))
    if given is not None:
        if not isinstance(given, Mapping):
            raise StudyError(f'law_states is {shown(given)}; give a dict by names as in {{"servo.integral": 0.2}}')
        known = {names[i]: i for i in told}
        for name, value in given.items():
            if name not in known:
                raise UnknownNameError(f"law_states: no state {shown(name)} of a law{nearest(name, tuple(known))}")
            z[known[name]] = number(value, name, "law_states")
    found.put_signs(q, v, t)
    return found
