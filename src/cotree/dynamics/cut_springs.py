"""Springs on joints that are cut: they see the angle between -pi and pi, and jump where the joint passes half a turn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.laws import Place, angle_across, coordinate_now
from cotree.errors import ForceError
from cotree.system.coordinate_terms import component_across, winds
from cotree.system.system import System

Array = NDArray[np.float64]


class CutSpring(NamedTuple):
    """A spring, its joint, which is cut and turns, and where the angle is."""

    name: str
    joint: str
    place: Place

    def seen(self, system: System, q: Array) -> float:
        """The angle that the spring sees, between -pi and pi."""
        return angle_across(system, self.place, q)

    def angle(self, system: System, q: Array) -> float:
        """The angle with its full turns, where other joints tell them."""
        return coordinate_now(system, self.place, q, np.zeros(system.nv))[0]

    @property
    def words(self) -> str:
        """How it is with this spring."""
        return (
            f"joint spring {self.name!r} acts on joint {self.joint!r}, which is cut, and sees angles between -pi and pi, "
            "without full turns"
        )


REMEDY = "Compile in relative coordinates, with cut= naming another joint of its loop"


def cut_springs(system: System) -> tuple[CutSpring, ...]:
    """One on each joint that is cut and turns."""
    found, mech = dict[str, CutSpring](), system.mechanism
    for f in mech.joint_forces.values():
        if f.joint not in system.cut_joints or not (f.stiffness or f.elastic is not None):
            continue
        joint = mech.joints[f.joint].joint
        if winds(joint, f.coordinate):
            component = component_across(joint, f.joint, f.coordinate, f"joint spring {f.name!r}", ForceError)
            place = Place(-1, -1, system.cut_joints.index(f.joint), component)
            found.setdefault(f.joint, CutSpring(f.name, f.joint, place))
    return tuple(found.values())
