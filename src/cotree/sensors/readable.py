"""What has states to read by name: a run, a stepper."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.model.beams import Beam
from cotree.model.mechanism import Body, Connection
from cotree.sensors.beams import BeamReading
from cotree.sensors.elements import ElementReading
from cotree.sensors.joints import JointReading
from cotree.sensors.points import BodyEnergyReading, DistanceReading, OrientationReading, PointReading
from cotree.sensors.reactions import ReactionReading
from cotree.sensors.sensors import Sensors


class Readable:
    """Sensors by name, of `sensors`. Arrays are (T, ...) over the times, of a single state without the first axis."""

    @property
    def _all_sensors(self) -> Sensors:
        found: Sensors = self.sensors  # type: ignore[attr-defined]
        return found

    def joint(self, name: str | Connection) -> JointReading:
        """`.angle`, `.rate`, `.acceleration` (T,) of a joint, also where it is cut; (T, n) of joints with n coordinates."""
        return self._all_sensors.joint(name)

    def point(self, body: str | Body, point: ArrayLike | None = None, name: str | None = None) -> PointReading:
        """`.position`, `.velocity`, `.acceleration` (T, 3), in the world frame, of a point fixed on a body, by default its mass
        centre; point: in the reference assembly, or in the body's own frame where it has one; name: for tables."""
        return self._all_sensors.point(body, point, name)

    def orientation(self, body: str | Body) -> OrientationReading:
        """`.matrix`, `.quaternion`, `.rotation_vector`, `.angular_velocity`, `.angular_acceleration` of a body."""
        return self._all_sensors.orientation(body)

    def distance(
        self, body_a: str | Body, point_a: ArrayLike, body_b: str | Body, point_b: ArrayLike, name: str | None = None
    ) -> DistanceReading:
        """`.distance`, `.rate` and `.vector` between two points, each given as for `point`."""
        return self._all_sensors.distance(body_a, point_a, body_b, point_b, name)

    def reaction(self, joint: str | Connection, point: ArrayLike | None = None, axes: str = "world") -> ReactionReading:
        """`.moment`, `.force` (T, 3) that a joint transmits to its child, about the joint's own point, which moves with the
        child, or about a point of the world; axes: "world", "joint" (the frame that the child carries) or "parent"."""
        return self._all_sensors.reaction(joint, point, axes)

    def element(self, name: str) -> ElementReading:
        """`.force`, `.power`, `.work` of a spring, damper, motor, load, driver, brake or another constraint."""
        return self._all_sensors.element(name)

    def beam(self, name: str | Beam) -> BeamReading:
        """`.strain`, `.force`, `.moment` (T, elements, ...) of a beam, in the axes of its sections; `.shape(t)`, its line."""
        return self._all_sensors.beam(name)

    def state(self, name: str) -> NDArray[np.float64]:
        """(T,): a state of a law, by names such as "servo.integral"; what a sampled law holds is "servo.output"."""
        return self._all_sensors.state(name)

    def body_energy(self, body: str | Body) -> BodyEnergyReading:
        """`.kinetic`, `.potential`, `.total` energy [J] of one body."""
        return self._all_sensors.body_energy(body)
