"""Contacts at one instant of a mechanism: their cones, with brakes at rest and stops leant on, and what the other rows leave
of the motion.

In x = L^T v, M = L L^T, the rows in force A leave the motions N x, so that G = H N N^T H^T with the rows H of the cones is
the mobility with all loops in force, however redundant these are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_bias, constraint_jacobian
from cotree.constraints.contacts.measure import ContactRows, contact_rows, touches_of
from cotree.constraints.contacts.touch import Touch
from cotree.dynamics.api import mass_matrix, tree_forces
from cotree.judge import DEPENDENT
from cotree.model.contacts import Contact
from cotree.model.switches import Brake
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet
from cotree.transitions.contacts.cones import cone_table
from cotree.transitions.forms import back, least, projector, root, rows_in, sizes
from cotree.transitions.resting import gauges, owners_of

Array = NDArray[np.float64]
NONE: Mapping[str, float] = MappingProxyType({})


def contact_of(base: System, touch: Touch) -> Contact:
    """The contact whose point this is."""
    device = base.mechanism.devices[touch.contact]
    assert isinstance(device, Contact)
    return device


@dataclass(frozen=True, eq=False)
class Instant:
    """A state with its points of contact, where the topology has none of them closed."""

    base: System
    topology: ActiveSet
    t: float
    q: Array
    v: Array
    systems: dict[tuple[str, ...], System] = field(
        default_factory=dict
    )  # with gauges of brakes and stops, to be used again

    @cached_property
    def touches(self) -> list[Touch]:
        return touches_of(self.base)

    @cached_property
    def rows(self) -> ContactRows:
        return contact_rows(self.base, self.q, self.v, self.t)

    @cached_property
    def L(self) -> Array:
        return root(mass_matrix(self.base, self.q))

    def cones(self, points: Sequence[int], brakes: Sequence[str] = (), stops: Sequence[str] = ()) -> Cones:
        """The cones of points by number, of brakes and of stops."""
        system = self._with_gauges((*brakes, *stops))
        owners = owners_of(system)
        J = constraint_jacobian(system, self.q, self.t)
        eta = constraint_bias(system, self.q, self.v, self.t)
        rows, etas, mu, static, tangents = [], [], [], [], []
        for k in points:
            c = contact_of(self.base, self.touches[k])
            rubs = c.static > 0.0
            rows += [self.rows.W_N[k], *(self.rows.W_T[k] if rubs else ())]
            etas += [self.rows.eta_N[k], *(self.rows.eta_T[k] if rubs else ())]
            mu.append(c.friction)
            static.append(c.static)
            tangents.append(2 if rubs else 0)
        for name in (*brakes, *stops):
            sign = 1.0 if name in brakes else -float(self.topology.leaning[name])
            rows.append(sign * J[owners.index(name)])
            etas.append(-sign * eta[owners.index(name)])
        n, b, s = len(points), len(brakes), len(stops)
        radius = [self._holding(name) for name in brakes]
        table = cone_table(
            [1] * n + [0] * b + [1] * s, tangents + [1] * b + [0] * s, mu + [0.0] * (b + s),
            np.array([0.0] * n + radius + [0.0] * s),
        )  # fmt: skip
        rest = [k for k, name in enumerate(owners) if name not in (*brakes, *stops)]
        R = np.array(rows).reshape(-1, self.base.nv)
        return Cones(self, system, table, R, np.array(etas), J[rest], eta[rest], np.array(static + [0.0] * (b + s)))

    def _with_gauges(self, names: tuple[str, ...]) -> System:
        if names not in self.systems:
            self.systems[names] = self.topology.system(self.base, holds=False, more=gauges(self.base, names))
        return self.systems[names]

    def _holding(self, name: str) -> float:
        device = self.base.mechanism.devices[name]
        assert isinstance(device, Brake)
        return max(device.holding, 1e-300)


@dataclass(frozen=True, eq=False)
class Cones:
    """The cones of an instant: table, rows R v with their eta, and the rows in force J v_dot = eta beside them."""

    at: Instant
    system: System
    table: Any
    R: Array
    eta_R: Array
    J: Array
    eta: Array
    static: Array

    @cached_property
    def _in_force(self) -> Array:
        return rows_in(self.at.L, self.J)

    @cached_property
    def _left(self) -> Array:
        """Projector to the motions that the rows in force leave."""
        return projector(self._in_force)

    @cached_property
    def _rows(self) -> Array:
        return rows_in(self.at.L, self.R)

    @cached_property
    def free(self) -> Array:
        """Rows of the cones on these motions."""
        free = self._rows @ self._left
        free[sizes(free) <= DEPENDENT * sizes(self._rows)] = 0.0  # the rows determine it: what is left is rounding
        return free

    @cached_property
    def G(self) -> Array:
        """Velocities of the cones by their impulses."""
        return np.asarray(self.free @ self.free.T, dtype=np.float64)

    def free_rates(self, v: Array) -> Array:
        return np.asarray(self.R @ v, dtype=np.float64)

    def jump(self, P: Array) -> Array:
        """Change of the velocities by impulses."""
        return back(self.at.L, self.free.T @ P)

    @cached_property
    def free_accelerations(self) -> Array:
        """Accelerations of the cones without their forces."""
        f = -tree_forces(self.system, self.at.q, self.at.v, None, self.at.t)
        x = least(self._in_force, self.eta)[0] + self._left @ np.linalg.solve(self.at.L, f)
        return np.asarray(self._rows @ x + self.eta_R, dtype=np.float64)

    def restitution(self, hits: Sequence[bool], points: Sequence[int], given: Mapping[str, float] = NONE) -> Array:
        """Coefficients of the cones: those given or of the contacts that hit, else 0."""
        e = np.zeros(len(self.table))
        for i, (k, hit) in enumerate(zip(points, hits, strict=True)):
            own = contact_of(self.at.base, self.at.touches[k])
            e[i] = given.get(own.name, own.restitution) if hit else 0.0
        return e
