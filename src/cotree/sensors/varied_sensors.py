"""Sensors of one state whose readings carry their derivatives along."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.derivatives.state_changes import Pushes
from cotree.errors import ArgumentError
from cotree.lie.varied import Varied
from cotree.sensors.accelerating import Accelerated
from cotree.sensors.sensors import Sensors
from cotree.sensors.states import Block, LinkMotion
from cotree.sensors.varied_forces import VariedForces
from cotree.sensors.varied_reactions import varied_reactions
from cotree.sensors.varied_state import VariedState, varied
from cotree.system.sides import joint_sides
from cotree.system.system import System

Array = NDArray[np.float64]


class VariedBlock(Block):
    """One row of a system, with derivatives."""

    @cached_property
    def accelerated(self) -> Accelerated:
        x: Any = self.exact.state.changes
        none: Any = Varied.constant(np.zeros((1, 0)), self.exact.state.count)
        rows: Any = [*(varied(part)[None] for part in x), none]
        return Accelerated(*rows)


class VariedSensors(Sensors):
    """Derivatives along coordinates, velocities, forces from outside (by default along each coordinate), time and
    parameters, in this order."""

    def __init__(
        self, system: System, q: Array, v: Array, t: float, names: Sequence[str] = (), pushes: Pushes | None = None
    ) -> None:
        self.varied = x = VariedState(system, q, v, t, names, pushes)
        self.forces = VariedForces(x)
        block = VariedBlock(system, x.varied_t[None], x.varied_q[None], x.varied_v[None], None, self.forces)
        super().__init__(system, [block], single=True)

    @property
    def stretches(self) -> Any:
        raise ArgumentError("the work of one state has no derivatives")

    @cached_property
    def reactions(self) -> Any:
        return varied_reactions(self.forces)

    def motion_of(self, body: str, accelerated: bool) -> LinkMotion:
        x, link = self.varied, int(self.system.bodies[self.system.body_rows[body]]["link"])
        found = x.accelerated if accelerated else x.still
        R, p = x.rotations(found, link), x.places(found, link)
        C: Any = np.concatenate([R.reshape(9), p])
        V, A = x.twists(found, link), x.accelerations(found, link)
        return LinkMotion(C[None], V[None], A[None], found.origin[None])

    def sides(self, joint: str) -> Any:
        return tuple(self.varied.frame(joint, T) for T in joint_sides(self.system, joint))

    def mass_centre(self, body: str) -> Any:
        return self.varied.mass_centre(body)

    def properties(self, body: str) -> Any:
        return self.varied.properties(body)

    @property
    def gravity(self) -> Any:
        return self.varied.gravity

    def reflected(self, name: str, iv: int) -> Any:
        own = np.array([1.0 if n.owner == name else 0.0 for n in self.varied.numbers])
        return self.varied.by_parameters(super().reflected(name, iv), own * self.varied.d.rotors[:, iv])
