"""Sensors of bodies: points of them, their orientation, distances between points, energy."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.lie import cross
from cotree.lie.varied import as_array
from cotree.sensors.reading import Reading
from cotree.sensors.rotations import quaternion, rotation_vector

Array = NDArray[np.float64]


class Body(Reading):
    """What is read of one body: motion of its link, in the world frame."""

    def __init__(self, source: Any, body: str, name: str) -> None:
        super().__init__(source, name)
        self.body = body

    def _motion(self, accelerated: bool = False) -> Any:
        return self.source.motion_of(self.body, accelerated)


class PointReading(Body):
    """position [m], velocity [m/s], acceleration [m/s^2], each (T, 3), of a point fixed on a body, in the world frame."""

    units = {"position": "m", "velocity": "m/s", "acceleration": "m/s^2"}  # noqa: RUF012

    def __init__(self, source: Any, body: str, point: Array, name: str) -> None:
        super().__init__(source, body, name)
        self.point = point  # in the reference assembly, about the system's origin

    @cached_property
    def _place(self) -> Array:
        """(T, 3) about the origin of the sweep."""
        m = self._motion()
        place: Array = m.C[:, :9].reshape(-1, 3, 3) @ self.point + m.C[:, 9:]
        return place

    @cached_property
    def _velocity(self) -> Array:
        m = self._motion()
        moved: Array = m.V[:, 3:] + cross(m.V[:, :3], self._place)
        return moved

    @cached_property
    def position(self) -> Array:
        return self._shown(self._place + self._motion().origin)

    @cached_property
    def velocity(self) -> Array:
        return self._shown(self._velocity)

    @cached_property
    def acceleration(self) -> Array:
        """A + alpha x r + omega x velocity, with (alpha, A) the rate of the spatial twist."""
        m = self._motion(True)
        return self._shown(m.A[:, 3:] + cross(m.A[:, :3], self._place) + cross(m.V[:, :3], self._velocity))


class OrientationReading(Body):
    """Rotation of a body from the reference assembly (of its own frame, where it has one), and how it turns, in world axes.

    matrix (T, 3, 3); quaternion (T, 4), scalar first; rotation_vector (T, 3) [rad]; angular_velocity (T, 3) [rad/s];
    angular_acceleration (T, 3) [rad/s^2].
    """

    units = {"quaternion": "1", "angular_velocity": "rad/s", "angular_acceleration": "rad/s^2"}  # noqa: RUF012

    @cached_property
    def _matrix(self) -> Array:
        frame = self.source.system.bodies[self.source.system.body_rows[self.body]]["frame"]
        rotated: Array = self._motion().C[:, :9].reshape(-1, 3, 3) @ frame[:9].reshape(3, 3)
        return rotated

    @property
    def matrix(self) -> Array:
        return self._shown(self._matrix)

    @cached_property
    def quaternion(self) -> Array:
        """Signs are chosen so that it does not jump."""
        e = quaternion(self._matrix)
        if self.source.single:
            return self._shown(e)
        turns = np.where(np.einsum("ij,ij->i", e[1:], e[:-1]) < 0.0, -1.0, 1.0)
        e[1:] *= np.cumprod(turns)[:, None]
        return self._shown(e)

    @cached_property
    def rotation_vector(self) -> Array:
        return self._shown(rotation_vector(self._matrix))

    @property
    def angular_velocity(self) -> Array:
        return self._shown(self._motion().V[:, :3])

    @property
    def angular_acceleration(self) -> Array:
        return self._shown(self._motion(True).A[:, :3])


class DistanceReading(Reading):
    """distance [m] between two points and its rate [m/s], (T,) each; vector (T, 3) from the first to the second."""

    units = {"distance": "m", "rate": "m/s"}  # noqa: RUF012

    def __init__(self, source: Any, name: str, a: PointReading, b: PointReading) -> None:
        super().__init__(source, name)
        self.ends = a, b

    @cached_property
    def vector(self) -> Array:
        a, b = self.ends
        vector: Array = as_array(b.position - a.position)
        return vector

    @cached_property
    def distance(self) -> Array:
        apart: Array = as_array(np.linalg.norm(self.vector, axis=-1))
        return apart

    @cached_property
    def rate(self) -> Array:
        """Of points that meet the relative speed, with which they part."""
        a, b = self.ends
        apart, moves = self.distance[..., None], b.velocity - a.velocity
        with np.errstate(invalid="ignore", divide="ignore"):
            along = np.sum(self.vector / apart * moves, axis=-1)
        return np.where(self.distance > 0.0, along, np.linalg.norm(moves, axis=-1))


class BodyEnergyReading(Body):
    """kinetic and potential energy [J] of one body, (T,) each; potential in gravity, zero at the world's origin."""

    units = {"kinetic": "J", "potential": "J"}  # noqa: RUF012

    @cached_property
    def _centre(self) -> PointReading:
        found: PointReading = self.source.point(self.body)
        return found

    @cached_property
    def kinetic(self) -> Array:
        """Of the mass centre, and of the rotation about it."""
        (mass, _, tensor), R = self.source.properties(self.body), self.source.rotation_of(self.body)
        w = np.einsum("kji,kj->ki", R, self._motion().V[:, :3])
        v = self._centre._velocity
        turning = np.einsum("ki,ij,kj->k", w, tensor, w)
        return self._shown(0.5 * (mass * np.einsum("ki,ki->k", v, v) + turning))

    @cached_property
    def potential(self) -> Array:
        lifted: Array = as_array(-self.source.properties(self.body)[0] * (self._centre.position @ self.source.gravity))
        return lifted

    @property
    def total(self) -> Array:
        total: Array = as_array(self.kinetic + self.potential)
        return total
