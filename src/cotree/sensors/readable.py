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
        """Read the motion of a joint, also of a cut one.

        Parameters
        ----------
        name : str or Connection
            The joint.

        Returns
        -------
        JointReading
            `.angle`, `.rate`, `.acceleration`, `.degrees`, of shape (T,), or (T, n) for n
            coordinates.

        Raises
        ------
        UnknownNameError
            If it does not exist.

        Examples
        --------
        >>> run = ct.simulate(ct.gallery.four_bar(), 0.1)
        >>> run.joint("A").angle.shape
        (201,)
        """
        return self._all_sensors.joint(name)

    def point(self, body: str | Body, point: ArrayLike | None = None, name: str | None = None) -> PointReading:
        """Read the motion of a point of a body.

        Parameters
        ----------
        body : Body or str
            The body.
        point : array_like of shape (3,), optional
            The point in the reference assembly, or in the body's own frame where it has one;
            the mass centre by default.
        name : str, optional
            Name for tables.

        Returns
        -------
        PointReading
            `.position`, `.velocity`, `.acceleration` (T, 3), in the world frame.

        Examples
        --------
        >>> run = ct.simulate(ct.gallery.four_bar(), 0.1)
        >>> run.point("coupler", (1.5, 1.6, 0)).position.shape
        (201, 3)
        """
        return self._all_sensors.point(body, point, name)

    def orientation(self, body: str | Body) -> OrientationReading:
        """Read the orientation of a body.

        Parameters
        ----------
        body : Body or str
            The body.

        Returns
        -------
        OrientationReading
            `.matrix`, `.quaternion`, `.rotation_vector`, `.angular_velocity`,
            `.angular_acceleration`.

        Examples
        --------
        >>> run = ct.simulate(ct.gallery.four_bar(), 0.1)
        >>> run.orientation("crank").quaternion.shape
        (201, 4)
        """
        return self._all_sensors.orientation(body)

    def distance(
        self, body_a: str | Body, point_a: ArrayLike, body_b: str | Body, point_b: ArrayLike, name: str | None = None
    ) -> DistanceReading:
        """Read the distance between two points.

        Parameters
        ----------
        body_a : Body or str
            First body; "ground" is one too.
        point_a : array_like of shape (3,)
            Point of it, as for `point`.
        body_b : Body or str
            Second body.
        point_b : array_like of shape (3,)
            Point of it, likewise.
        name : str, optional
            Name for tables.

        Returns
        -------
        DistanceReading
            `.distance`, `.rate`, `.vector`.

        Examples
        --------
        >>> run = ct.simulate(ct.gallery.four_bar(), 0.1)
        >>> round(float(run.distance("ground", (0, 0, 0), "crank", (0.6, 0.8, 0)).distance[0]), 6)
        1.0
        """
        return self._all_sensors.distance(body_a, point_a, body_b, point_b, name)

    def reaction(self, joint: str | Connection, point: ArrayLike | None = None, axes: str = "world") -> ReactionReading:
        """Read the reaction that a joint transmits to its child.

        Parameters
        ----------
        joint : str or Connection
            The joint.
        point : array_like of shape (3,), optional
            World point of the moment; by default the joint's own, which moves with the child.
        axes : str, optional
            "world", "joint" (the frame that the child carries) or "parent".

        Returns
        -------
        ReactionReading
            `.moment` [N m], `.force` [N] (T, 3).

        Examples
        --------
        >>> run = ct.simulate(ct.gallery.four_bar(), 0.1)
        >>> run.reaction("A").force.shape
        (201, 3)
        """
        return self._all_sensors.reaction(joint, point, axes)

    def element(self, name: str) -> ElementReading:
        """Read a spring, damper, motor, load, drive, brake or another constraint.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        ElementReading
            `.force`, `.power`, `.work`.

        Raises
        ------
        UnknownNameError
            If it does not exist.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> motor = mech.motor("motor", "A", 2.0)
        >>> float(ct.simulate(mech, 0.1).element("motor").force[0])
        2.0
        """
        return self._all_sensors.element(name)

    def beam(self, name: str | Beam) -> BeamReading:
        """Read a beam.

        Parameters
        ----------
        name : str or Beam
            Its name.

        Returns
        -------
        BeamReading
            `.strain`, `.force`, `.moment` (T, elements, ...) in the axes of its sections; `.shape(t)`, its line.

        Raises
        ------
        UnknownNameError
            If it does not exist.

        Examples
        --------
        >>> mech = ct.Mechanism("cantilever")
        >>> section = ct.Section((100.0, 50.0, 50.0, 1.0, 1.0, 1.0), mass=1.0, inertia=(2e-3, 1e-3, 1e-3))
        >>> beam = mech.beam("beam", (0, 0, 0), (1, 0, 0), section, elements=2, start_on=mech.ground)
        >>> ct.simulate(mech, 0.01).beam("beam").shape(0.01).shape
        (3, 3)
        """
        return self._all_sensors.beam(name)

    def state(self, name: str) -> NDArray[np.float64]:
        """Read a state of a law.

        Parameters
        ----------
        name : str
            Such as "servo.integral"; what a sampled law holds is "servo.output".

        Returns
        -------
        ndarray of shape (T,)
            Its values.

        Raises
        ------
        UnknownNameError
            If it does not exist.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> motor = mech.pid("servo", "A", target=0.3, kp=40.0, ki=20.0, kd=8.0)
        >>> ct.simulate(mech, 0.1).state("servo.integral").shape
        (201,)
        """
        return self._all_sensors.state(name)

    def body_energy(self, body: str | Body) -> BodyEnergyReading:
        """Read the energy of one body.

        Parameters
        ----------
        body : Body or str
            The body.

        Returns
        -------
        BodyEnergyReading
            `.kinetic`, `.potential`, `.total` [J].

        Examples
        --------
        >>> run = ct.simulate(ct.gallery.four_bar(), 0.1)
        >>> run.body_energy("crank").kinetic.shape
        (201,)
        """
        return self._all_sensors.body_energy(body)
