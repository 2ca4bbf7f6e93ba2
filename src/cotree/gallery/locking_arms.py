"""Arms whose joints are locked while they move: the examples of [VTM 6] and [VTM 7].

The scan of the paper has lost most of its numbers; what is taken in their place is said with each arm. Lengths in metres,
masses in kilograms, angles in radians.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.model import Box, Cylinder, Mechanism, Revolute, Sphere

ALUMINIUM, STEEL = 2700.0, 7850.0  # kg/m^3
X, Y, Z = np.eye(3)
GEAR_RATIO = 100.0  # [VTM 7]: a motor turns a hundred times as far as its joint, and has a hundredth of its momentum
RX130_HEIGHT, RX130_ARM, RX130_FOREARM, RX130_FLANGE = 0.55, 0.625, 0.625, 0.11
RX130L_FOREARM = 0.925
BESIDE = 0.25  # the upper arm runs past the shoulder at this distance
ROTOR_RADIUS = 0.04


def planar_3r() -> Mechanism:
    """Three bars of aluminium, 1 m each, in a row of parallel revolutes, falling under gravity along -y [VTM 6].

    Joints J1, J2, J3, bodies link1, link2, link3; stretched along x in the reference. The paper locks J2, then J3. Chosen, as
    the scan has lost it: a cross section of 0.05 m by 0.05 m, that is 6.75 kg and 0.564 kg m^2 a bar; released from rest with
    the first bar level, the second raised by 30 degrees and the third bent down by 90, so that every joint soon turns at a
    rate of its own.
    """
    mech = Mechanism("planar 3R", (0.0, -9.81, 0.0))
    above = mech.ground
    for k in range(3):
        link = mech.body(f"link{k + 1}", shape=Box((k + 0.5) * X, (1.0, 0.05, 0.05)), density=ALUMINIUM)
        mech.joint(f"J{k + 1}", above, link, Revolute(k * X, Z))
        above = link
    mech.q_start, mech.v_start = np.radians([0.0, 30.0, -90.0]), np.zeros(3)
    return mech


def rx130(rotors: float = 0.0, forearm: float = RX130_FOREARM) -> Mechanism:
    """Six-revolute arm of the size of a Staeubli RX130 [VTM 7]: joints J1 to J6, gravity along -z, starting in full motion.

    Geometry: the modified Denavit-Hartenberg table of the RX130 (550, 625, 625 and 110 mm) that the University of Kentucky
    published with its software (pdvanmeter/ROBOT_V1, robotCore/models/modelRobot.m); q = 0 is the table's zero, upper arm level
    along x, forearm upright. The paper's RX130L has a longer forearm: `forearm=RX130L_FOREARM`, 925 mm, taken from the RX160L
    (ros-industrial/staubli), since the RX160 shares the RX130's height, forearm and flange.

    Chosen, since no inertias were published: uniform solids of 45, 40, 20, 22 (28 for the long forearm), 2 and 5 kg, the last
    with tool and load; next to the 45, 51, 20 and 28 kg of the links that ros-industrial/staubli has for the larger RX160L.
    The upper arm passes beside the shoulder, as the RX160L's does (0.26 m), whereby J1 feels J2. No spring, no friction.
    The start is chosen too, as amid a fast move: arm raised and swinging round while it stretches out, at up to 2.5 rad/s. The
    RX160L is documented with 200, 200, 255, 315, 360 and 870 deg/s; for the RX130 no figures were found.

    `rotors` [kg m^2], where positive, adds the rotors of the first three drives, each on the body before its joint and about an
    axis parallel to it: joints motor1 to motor3, geared so that they turn GEAR_RATIO times as far as J1 to J3. They are solid
    steel and bring their own mass. The coordinates are then J1 to J6, motor3, motor2, motor1: see `with_motors`.
    """
    mech = Mechanism("RX130")
    pivot, elbow = RX130_HEIGHT * Z, RX130_HEIGHT * Z + RX130_ARM * X
    wrist = elbow + forearm * Z
    tip = wrist + RX130_FLANGE * Z
    side = BESIDE * Y
    links: list[tuple[str, Any, float, Any, Any]] = [  # name, shape, mass, point and axis of the joint before it
        ("shoulder", Cylinder(pivot - 0.2 * Z, pivot + 0.15 * Z, 0.16), 45.0, pivot, Z),
        ("upper arm", Cylinder(pivot + side - 0.1 * X, elbow + side + 0.1 * X, 0.1), 40.0, pivot, Y),
        ("elbow", Cylinder(elbow - 0.1 * Y, elbow + 0.14 * Y, 0.12), 20.0, elbow, Y),
        ("forearm", Cylinder(elbow + 0.12 * Z, wrist, 0.08), 22.0 + 20.0 * (forearm - RX130_FOREARM), elbow, Z),
        ("wrist", Sphere(wrist, 0.06), 2.0, wrist, Y),
        ("flange", Cylinder(tip - 0.05 * Z, tip + 0.1 * Z, 0.06), 5.0, wrist, Z),
    ]
    above = mech.ground
    for k, (name, shape, mass, point, axis) in enumerate(links, 1):
        link = mech.body(name, shape=shape, density=mass / shape.mass_properties(1.0).mass)
        mech.joint(f"J{k}", above, link, Revolute(point, axis))
        above = link
    q, v = np.array([0.0, -0.7, 2.0, 0.0, 0.3, 0.0]), np.array([2.5, 1.5, -2.0, 0.5, 1.0, 0.0])
    if rotors > 0.0:
        places = (0.1 * Z, pivot - side / 2 - 0.1 * X, pivot + side + 0.1 * X)
        for k, (body, centre) in enumerate(zip(("ground", "shoulder", "upper arm"), places, strict=True), 1):
            _rotor(mech, k, body, centre, Z if k == 1 else Y, rotors)
        q, v = with_motors(q), with_motors(v)
    mech.q_start, mech.v_start = q, v
    return mech


def with_motors(joints: Any) -> NDArray[np.float64]:
    """Angles, or rates, of the six joints of the RX130 followed by those of its motors, in the order of the tree: (9,)."""
    q = np.asarray(joints, dtype=float)
    return np.concatenate([q, GEAR_RATIO * q[[2, 1, 0]]])


def _rotor(mech: Mechanism, k: int, body: str, centre: Any, axis: Any, inertia: float) -> None:
    """Solid steel cylinder of this inertia about its axis, m r^2/2, borne by the body before joint k and geared to it."""
    half = inertia / (STEEL * np.pi * ROTOR_RADIUS**4) * axis
    rotor = mech.body(f"rotor{k}", shape=Cylinder(centre - half, centre + half, ROTOR_RADIUS), density=STEEL)
    mech.joint(f"motor{k}", body, rotor, Revolute(centre, axis))
    mech.gear(f"gear{k}", f"motor{k}", f"J{k}", GEAR_RATIO)
