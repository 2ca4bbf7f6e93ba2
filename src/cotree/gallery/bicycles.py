"""The benchmark bicycle: four bodies, two knife-edged wheels, and it balances itself between 4.3 and 6.0 m/s."""

from __future__ import annotations

import numpy as np

from cotree.model import Cylinder, Free, Mechanism, Revolute, Rod

WHEELBASE, TRAIL, TILT = 1.02, 0.08, np.pi / 10  # m, m, rad
REAR, FRONT = 0.3, 0.35  # m, radii of the wheels
SPEED, LEAN_RATE = 4.6, 0.5  # m/s, rad/s
Y = np.array([0.0, 1.0, 0.0])


def bicycle(speed: float = SPEED, lean_rate: float = LEAN_RATE) -> Mechanism:
    """Whipple's bicycle as of Meijaard, Papadopoulos, Ruina and Schwab (Proc. R. Soc. A 463, 2007), benchmark data of Table 1.

    Rear frame with a rigid rider, front frame (fork), two thin wheels that roll without slip: 3 dof (roll, steer, speed) over 7
    configurations; no rider. Here x points forward, y left, z up, and the rear wheel stands on the origin; the paper has y
    to the right and z down. Joints: ride (free), rear hub, steer, front hub. Starts upright and straight at `speed` [m/s] with
    `lean_rate` [rad/s], as the paper's Figure 4 does; it catches itself, and goes off in another direction.
    """
    mech = Mechanism("bicycle")
    rear_hub, front_hub = np.array([0.0, 0.0, REAR]), np.array([WHEELBASE, 0.0, FRONT])
    on_axis, up = np.array([WHEELBASE + TRAIL, 0.0, 0.0]), np.array([-np.sin(TILT), 0.0, np.cos(TILT)])
    head = on_axis + 0.95 * up
    frame = mech.body("frame", 85.0, (0.3, 0, 0.9), inertia(9.2, 11.0, 2.8, -2.4), shape=Rod(rear_hub, head, 0.03))
    fork = mech.body(
        "fork", 4.0, (0.9, 0, 0.7), inertia(0.05892, 0.06, 0.00708, 0.00756), shape=Rod(head, front_hub, 0.025)
    )
    rear = mech.body("rear wheel", 2.0, rear_hub, (0.0603, 0.12, 0.0603), shape=wheel(rear_hub, REAR))
    front = mech.body("front wheel", 3.0, front_hub, (0.1405, 0.28, 0.1405), shape=wheel(front_hub, FRONT))
    mech.joint("ride", mech.ground, frame, Free())
    mech.joint("rear hub", frame, rear, Revolute(rear_hub, Y))
    mech.joint("steer", frame, fork, Revolute(head, up))
    mech.joint("front hub", fork, front, Revolute(front_hub, Y))
    mech.rolling("rear contact", rear, rear_hub, REAR, axis=Y)
    mech.rolling("front contact", front, front_hub, FRONT, axis=Y)
    mech.q_start = np.array([1.0, *np.zeros(9)])
    mech.v_start = np.array([lean_rate, 0.0, 0.0, speed, 0.0, 0.0, speed / REAR, 0.0, speed / FRONT])
    return mech


def inertia(xx: float, yy: float, zz: float, xz: float) -> list[list[float]]:
    """3x3 of a body that is symmetric about the plane y = 0; xz is the matrix entry, of the other sign where z points down."""
    return [[xx, 0.0, xz], [0.0, yy, 0.0], [xz, 0.0, zz]]


def wheel(hub: np.ndarray, radius: float) -> Cylinder:
    return Cylinder(hub - 0.01 * Y, hub + 0.01 * Y, radius)
