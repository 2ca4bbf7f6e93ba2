"""Sensors of joints: coordinates, rates and accelerations, read from the tree or measured across a cut joint."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.kinematics.turns_around import sum_around, with_turns
from cotree.lie.varied import as_array
from cotree.model.joints import TWIST_NAMES, Helical, Universal
from cotree.sensors.across import Across, turns_counted, universal_angles, universal_rates
from cotree.sensors.reading import Reading
from cotree.sensors.rotations import rotation_vector, vector_of_quaternion
from cotree.system.coordinate_labels import velocity_labels
from cotree.system.tables import GROUP

Array = NDArray[np.float64]


class JointReading(Reading):
    """angle [rad, or m for a displacement], rate and acceleration of a joint, (T,) each, also where the joint is cut.

    Joints of several coordinates have one column for each, (T, k), whose names are `names`: rotations about a point are
    rotation vectors [rad], their rates and accelerations those of the angular velocity in the child's axes; translations are
    along the axes of the joint frame. Rates of tree joints are the entries of v, accelerations those of its derivative.
    """

    def __init__(self, source: Any, joint: str) -> None:
        super().__init__(source, joint)
        system, self.joint = source.system, source.system.mechanism.joints[joint].joint
        self.is_cut = joint not in system.joint_links or joint in system.cut_joints
        links = () if self.is_cut else [system.links[k] for k in system.joint_links[joint]]
        self._links = [link for link in links if link["nv"]]
        self._columns = np.concatenate(
            [np.arange(x["iv"], x["iv"] + x["nv"]) for x in self._links] or [np.zeros(0, int)]
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """One name for each column."""
        if not self.is_cut:
            return tuple(self.source.system.coordinate_names[i] for i in self._columns)
        if self.joint.dof == 1:
            return (self.name,)
        words = ("w1", "w2") if isinstance(self.joint, Universal) else [TWIST_NAMES[i] for i in self.joint.free]
        return tuple(f"{self.name}.{word}" for word in words)

    @cached_property
    def angle(self) -> Array:
        """Coordinates, zero in the reference assembly: angles [rad] and displacements [m]; turns are counted."""
        return self._one_or_more(self._measured_angle() if self.is_cut else self._read_angle())

    @cached_property
    def rate(self) -> Array:
        """[rad/s, m/s]."""
        return self._one_or_more(self._measured_rate() if self.is_cut else self.source.v[:, self._columns])

    @cached_property
    def acceleration(self) -> Array:
        """[rad/s^2, m/s^2]."""
        if self.is_cut:
            return self._one_or_more(self._measured_acceleration())
        return self._one_or_more(self.source.v_dot[:, self._columns])

    @property
    def position(self) -> Array:
        """The same as `angle`."""
        return self.angle

    @property
    def velocity(self) -> Array:
        """The same as `rate`."""
        return self.rate

    @property
    def degrees(self) -> Array:
        """`angle` with its rotations in degrees."""
        factors = np.array([180.0 / np.pi if unit == "rad" else 1.0 for unit in self.angle_units])
        turned: Array = as_array(self.angle * (factors[0] if len(factors) == 1 else factors))
        return turned

    @cached_property
    def angle_units(self) -> tuple[str, ...]:
        """ "rad" or "m" for each column."""
        if self.is_cut:
            return tuple("rad" if i < 3 else "m" for i in self.joint.free)
        labels = velocity_labels(self.source.system)
        return tuple(labels.units[i].removesuffix("/s") for i in self._columns)

    def _one_or_more(self, x: Array) -> Array:
        return self._shown(x[:, 0] if x.shape[1] == 1 else x)

    def _read_angle(self) -> Array:
        parts = [np.zeros((len(self.source.t), 0))]
        for link in self._links:
            q, n = self.source.q[:, int(link["iq"]) :], int(link["nv"])
            if link["kind"] == GROUP and link["rotations"] == 3:
                parts.append(np.hstack([vector_of_quaternion(q[:, :4]), q[:, 4 : n + 1]]))
            else:
                parts.append(q[:, :n])
        return np.hstack(parts)

    @cached_property
    def _across(self) -> Across:
        return Across.of(self.source, self.name, with_acceleration=False)

    def _measured_angle(self) -> Array:
        joint, x = self.joint, self._across
        if isinstance(joint, Universal):
            return turns_counted(self.source, universal_angles(joint, x.R), self._measured_rate(), self.name)
        columns = [x.p[:, i - 3] for i in joint.free if i >= 3]
        turns = [i for i in joint.free if i < 3]
        if len(turns) == 3:
            columns = [*rotation_vector(x.R).T, *columns]
        elif turns:
            angle = np.arctan2(x.R[:, 1, 0] - x.R[:, 0, 1], x.R[:, 0, 0] + x.R[:, 1, 1])
            if isinstance(joint, Helical) and joint.pitch:
                angle = angle + 2.0 * np.pi * np.round((x.p[:, 2] / float(joint.pitch) - angle) / (2.0 * np.pi))
            else:
                angle = self._turned(angle)
            columns = [angle, *columns]
        return np.column_stack(columns) if columns else np.zeros((len(x.p), 0))

    def _turned(self, angle: Array) -> Array:
        """Turns counted: by the other joints around a planar loop, else from row to row."""
        around = sum_around(self.source.system, self.name) if self.name in self.source.system.cut_joints else None
        if around is None:
            return turns_counted(self.source, angle[:, None], self._measured_rate()[:, :1], self.name)[:, 0]
        turned: Array = as_array(with_turns(angle, self.source.q @ around))
        return turned

    def _measured_rate(self) -> Array:
        if isinstance(self.joint, Universal):
            return universal_rates(self.joint, self._across)[0]
        return self._across.V[:, list(self.joint.free)]

    def _measured_acceleration(self) -> Array:
        across = Across.of(self.source, self.name, with_acceleration=True)
        if isinstance(self.joint, Universal):
            return universal_rates(self.joint, across)[1]
        return across.A[:, list(self.joint.free)]

    # -- labels ------------------------------------------------------------------------------------------------

    @property
    def units(self) -> dict[str, str]:  # type: ignore[override]
        unit = self.angle_units[0] if self.angle_units else "rad"
        return {"angle": unit, "rate": f"{unit}/s", "acceleration": f"{unit}/s^2"}

    def _labels(self, quantity: str, width: int) -> list[str]:
        return [f"{name}.{quantity}" for name in self.names]

    def column_units(self) -> dict[str, str]:
        ends = {"angle": "", "rate": "/s", "acceleration": "/s^2"}
        names = self.names if len(self.names) > 1 else (self.name,)
        pairs = [(f"{n}.{q}", u + end) for q, end in ends.items() for n, u in zip(names, self.angle_units, strict=True)]
        return dict(pairs)
