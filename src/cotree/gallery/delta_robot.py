"""Clavel's Delta: a parallel robot whose platform moves without turning."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.model import Body, Cylinder, Mechanism, Revolute, Rod, Spherical, Universal

Array = NDArray[np.float64]
ALUMINIUM = 2700.0
Z = np.array([0.0, 0.0, 1.0])
BASE, ARM, ROD, PLATFORM, APART = 0.2, 0.3, 0.7, 0.08, 0.05  # m: radius, lengths, radius, half the distance of two rods
PLACE = np.array([0.1, 0.05, -0.6])  # m, of the platform as drawn, the motors' axes being in the plane z = 0


def delta() -> Mechanism:
    """Delta robot (R. Clavel, US patent 4 976 582), 3 dof: three arms, each with a parallelogram of two rods; gravity along -z.

    Joints motor1 to motor3 turn the arms, elbow1a, elbow1b and so on (universal) bear the rods, ball1a and so on lead to the
    platform. With universal joints at one end no rod can spin about itself. Parallel rods keep the platform level. It has no
    start: it is drawn with the platform off the middle, and falls from rest. Chosen: sizes of a table-top robot, aluminium.
    """
    mech = Mechanism("Delta")
    foot = Cylinder(PLACE - 0.005 * Z, PLACE + 0.005 * Z, PLATFORM)
    platform = mech.body("platform", shape=foot, density=ALUMINIUM)
    for k in range(3):
        out, side = arm_directions(k)
        angle = arm_angle(PLACE, k)
        elbow = BASE * out + ARM * (np.cos(angle) * out - np.sin(angle) * Z)
        arm = mech.body(f"arm{k + 1}", shape=Rod(BASE * out, elbow, 0.012), density=ALUMINIUM)
        mech.joint(f"motor{k + 1}", mech.ground, arm, Revolute(BASE * out, side))
        for name, shift in (("a", -APART * side), ("b", APART * side)):
            _rod(mech, f"{k + 1}{name}", arm, elbow + shift, platform, PLACE + PLATFORM * out + shift, side)
    return mech


def arm_directions(k: int) -> tuple[Array, Array]:
    """(out, side) of arm k = 0, 1, 2: from the middle to its motor, and the motor's axis; turning about it lowers the arm."""
    a = 2.0 * np.pi * k / 3.0
    out = np.array([np.cos(a), np.sin(a), 0.0])
    return out, np.cross(Z, out)


def arm_angle(place: Array, k: int) -> float:
    """Angle [rad] of arm k below the level when the platform is at `place`: the inverse kinematics, elbows outward.

    With d from the motor to the rods' end at the platform, |ARM (cos out - sin z) - d| = ROD, that is
    cos(angle) d.out - sin(angle) d.z = (ARM^2 + d^2 - ROD^2) / (2 ARM).
    """
    out, _ = arm_directions(k)
    d = place + (PLATFORM - BASE) * out
    x, y = float(d @ out), float(-d @ Z)
    along = (ARM**2 + d @ d - ROD**2) / (2.0 * ARM)
    return float(np.arctan2(y, x) - np.arccos(along / np.hypot(x, y)))


def _rod(mech: Mechanism, name: str, arm: Body, elbow: Array, platform: Body, ball: Array, side: Array) -> None:
    rod = mech.body(f"rod{name}", shape=Rod(elbow, ball, 0.006), density=ALUMINIUM)
    mech.joint(f"elbow{name}", arm, rod, Universal(elbow, side, np.cross(ball - elbow, side)))
    mech.joint(f"ball{name}", rod, platform, Spherical(ball))
