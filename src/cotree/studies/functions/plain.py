"""Positions as plain vectors of numbers: quaternions of any length count as their directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.units import column_units
from cotree.derivatives.constraints import along_displacements
from cotree.errors import ShapeError
from cotree.kinematics.coordinates import coordinate_rates, displace, normalize
from cotree.model.checks import floats, shown
from cotree.studies.linear_outputs import input_forces
from cotree.system.system import System
from cotree.system.tables import GROUP

Array = NDArray[np.float64]


class Plain:
    """A system whose states are vectors. turned: whether dq/dt is more than v."""

    def __init__(self, system: System, inputs: Sequence[str] | None) -> None:
        self.system = system
        starts = [int(x["iq"]) for x in system.links if x["kind"] == GROUP and x["rotations"] == 3]
        self.quaternions = [slice(i, i + 4) for i in starts]
        self.turned = any(x["kind"] == GROUP for x in system.links)
        self.given = () if inputs is None else inputs
        self.inputs, self.constant = input_forces(system, system.q0, self.given)
        names = set(system.v_names) - set(system.mechanism.joint_forces)
        self.moving = not set(self.inputs) <= names  # directions of loads, and of motors of cut joints

    def position(self, q: Array) -> Array:
        """q with quaternions of length one."""
        return normalize(self.system, q) if self.quaternions else q

    def displacements(self, q: Array) -> Array:
        """(nv, nq): displacements for unit changes of the entries of q, of any length."""
        if not self.turned:
            return np.eye(self.system.nv)
        here = self.position(q)
        out = np.asarray(np.linalg.pinv(self.rates(here)), dtype=np.float64)
        for part in self.quaternions:
            out[:, part] /= np.linalg.norm(q[part])
        return out

    def rates(self, q: Array) -> Array:
        """(nq, nv): dq/dt for unit velocities."""
        n = self.system.nv
        return coordinate_rates(self.system, np.tile(q, (n, 1)), np.eye(n)).T if self.turned else np.eye(n)

    def rate(self, q: Array, v: Array) -> Array:
        return coordinate_rates(self.system, q, v) if self.turned else v

    def rate_change(self, q: Array, v: Array) -> Array:
        """(nq, nv): of dq/dt along displacements."""
        if not self.turned:
            return np.zeros((len(v), len(v)))
        return self.along(lambda x: coordinate_rates(self.system, x, v), q)

    def along(self, f: Any, q: Array) -> Array:
        """(values, nv): of a function of q along displacements, by differences of eighth order."""
        return along_displacements(lambda s: f(displace(self.system, q, s)), self.system.nv, column_units(self.system))

    def directions(self, q: Array) -> Array:
        """(nv, inputs): generalized forces of unit inputs."""
        return input_forces(self.system, q, self.given)[1] if self.moving else self.constant

    def force_change(self, q: Array, u: Array) -> Array:
        """(nv, nv): of the inputs' forces along displacements, for loads and motors whose directions move."""
        if not self.moving or not u.any():
            return np.zeros((self.system.nv, self.system.nv))
        return self.along(lambda x: self.directions(x) @ u, q)

    @property
    def timed(self) -> bool:
        """Whether something may depend on time."""
        rows = self.system.extra_rows
        return bool(self.system.elements.functions or self.system.elements.kinds or rows.motions or rows.user)


def vector(given: Any, size: int, name: str) -> Array:
    """A vector of that many finite numbers."""
    found = floats(np.zeros(size) if given is None else given)
    if found is None or found.shape != (size,) or not np.isfinite(found).all():
        raise ShapeError(f"{name} is {shown(given)}; give a vector of {size} finite numbers")
    return found
