"""The snakeboard of [Geo 5.4.2]: holonomic and non-holonomic rows in one mechanism."""

from __future__ import annotations

import numpy as np

from cotree.engine.kernel import kernel
from cotree.errors import ChoiceError
from cotree.model import Body, Box, Mechanism, Planar, PlanarTranslation, Revolute
from cotree.model.checks import shown

P, D = 10.0, 0.1  # N m/rad and N m s/rad
AMPLITUDE, FREQUENCY = 0.5, 1.0  # rad, Hz
HALF = 0.2  # m, from the middle of the board to an axle
PUSH = 1.0  # N
COORDINATES = 12  # and velocities: no other choice of tree and coordinates has as many of both
Z = (0.0, 0.0, 1.0)
BODIES = {  # name: place along the board [m], size [m], mass [kg]
    "board": (0.0, (0.4, 0.1, 0.02), 3.0),
    "rotor": (0.0, (0.5, 0.2, 0.1), 2.0),
    "front": (HALF, (0.05, 0.2, 0.02), 0.5),
    "rear": (-HALF, (0.05, 0.2, 0.02), 0.5),
}


def snakeboard(driven: bool = True, axes: str = "own") -> Mechanism:
    """Board, rotor and two axles in the plane, pinned together, [Geo 5.4.2]: 12 coordinates, 6 + 2 rows, 4 dof.

    Each body has its own planar joint (angle, then the place of its mass centre), the pins close three loops, the wheels are
    knife edges. Velocities are along the body's `axes`, "own", or "world": then each body's coordinates are the paper's, x, y
    and angle, by a massless carrier that does not turn. `driven`: a force of constant size pushes the mass centre along the
    board, towards the front, and PD control (P 10, D 0.1) has the axles follow 0.5 sin(2 pi t) rad against the board, as the
    paper says; the rotor is left alone there.
    The controllers know these 12 coordinates only; without them any others will do.

    Chosen, since the paper gives neither dimensions nor the force nor the start: a board of 0.4 m and 6 kg in all; axles light
    enough (1.8e-3 kg m^2) for the controllers to be quick (12 Hz), turning against each other, as a rider's feet do; 1 N, for
    a few metres in ten seconds; at rest, wheels straight.
    """
    mech = Mechanism("snakeboard", (0.0, 0.0, 0.0))
    if axes not in CONTROL:
        raise ChoiceError(f"snakeboard: axes is {shown(axes)}; choose 'own' or 'world'")
    board, rotor, front, rear = (_floating(mech, name, axes) for name in BODIES)
    for name, body, x in (("rotor", rotor, 0.0), ("front", front, HALF), ("rear", rear, -HALF)):
        mech.joint(f"{name} pin", board, body, Revolute((x, 0.0, 0.0), Z))
    for name, body, x in (("front", front, HALF), ("rear", rear, -HALF)):
        mech.knife_edge(f"{name} wheels", body, (x, 0.0, 0.0), (0.0, 1.0, 0.0))
    if driven:
        mech.force("push", board, (PUSH, 0.0, 0.0), (0.0, 0.0, 0.0), frame="body")
        for name, torque in CONTROL[axes].items():
            joint, coordinate = (f"{name} plane", "wz") if axes == "own" else (f"{name} angle", None)
            mech.motor(f"{name} control", joint, torque, coordinate=coordinate)
    mech.q_start, mech.v_start = np.zeros(COORDINATES), np.zeros(COORDINATES)
    return mech


def _floating(mech: Mechanism, name: str, axes: str) -> Body:
    """Homogeneous box in the plane, its coordinates at its mass centre."""
    x, size, mass = BODIES[name]
    middle = (x, 0.0, 0.0)
    body = mech.body(name, shape=Box(middle, size), density=mass / float(np.prod(size)))
    if axes == "own":
        mech.joint(f"{name} plane", mech.ground, body, Planar(middle, Z))
    else:
        carrier = mech.body(f"{name} carrier", 0.0, middle, (0.0, 0.0, 0.0))
        mech.joint(f"{name} place", mech.ground, carrier, PlanarTranslation(Z))
        mech.joint(f"{name} angle", carrier, body, Revolute(middle, Z))
    return body


# -- control: the angles of board, rotor, front and rear are q[0], q[3], q[6], q[9], their rates the same of v, where velocities
# are along the bodies' own axes; where along the world's, two places further on ----------------------------------------


@kernel
def steering_torque(t, q, v, axle, board, sense):
    """P (wanted - angle) + D (wanted' - rate) of an axle against the board, wanted = sense 0.5 sin(2 pi t); axle, board: places
    of their angles. NaN, which is refused, where the coordinates are others."""
    if q.size != COORDINATES or v.size != COORDINATES:
        return np.nan
    w = 2.0 * np.pi * FREQUENCY
    wanted, wanted_rate = sense * AMPLITUDE * np.sin(w * t), sense * AMPLITUDE * w * np.cos(w * t)
    return P * (wanted - (q[axle] - q[board])) + D * (wanted_rate - (v[axle] - v[board]))


@kernel
def front_torque(t, q, v):
    return steering_torque(t, q, v, 6, 0, 1.0)


@kernel
def rear_torque(t, q, v):
    return steering_torque(t, q, v, 9, 0, -1.0)


@kernel
def board_torque(t, q, v):
    """What both axles give back."""
    return -front_torque(t, q, v) - rear_torque(t, q, v)


@kernel
def front_torque_in_world(t, q, v):
    return steering_torque(t, q, v, 8, 2, 1.0)


@kernel
def rear_torque_in_world(t, q, v):
    return steering_torque(t, q, v, 11, 2, -1.0)


@kernel
def board_torque_in_world(t, q, v):
    return -front_torque_in_world(t, q, v) - rear_torque_in_world(t, q, v)


CONTROL = {
    "own": {"front": front_torque, "rear": rear_torque, "board": board_torque},
    "world": {"front": front_torque_in_world, "rear": rear_torque_in_world, "board": board_torque_in_world},
}
