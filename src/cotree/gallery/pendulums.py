"""Chains of bars that are attached to one end: the simple pendulum, the double pendulum and longer ones."""

from __future__ import annotations

import numpy as np

from cotree.errors import ModelError
from cotree.model import Mechanism, Revolute, Rod, Spherical

ALUMINIUM = 2700.0
UPRIGHT = (1.0, 0.0, 0.0, 0.0)  # quaternion of no rotation
Z = (0.0, 0.0, 1.0)


def pendulum_chain(n: int = 3, length: float = 1.0, angle: float = np.pi / 2, spatial: bool = False) -> Mechanism:
    """n equal uniform bars, one below the other: joints J1 to Jn, bodies link1 to linkn, gravity along -y.

    Drawn hanging straight down, joints about z; with `spatial` they are ball joints. Starts from rest with the whole chain
    lifted, straight, by `angle` [rad] towards +x; the spatial one is also thrown about the vertical at 1 rad/s, so that it
    leaves the plane. Chosen: round bars of aluminium, slim as `Rod` draws them.
    """
    if n < 1:
        raise ModelError(f"pendulum_chain: n is {n}; a chain has at least one bar")
    mech = Mechanism(f"pendulum chain of {n}", (0.0, -9.81, 0.0))
    above = mech.ground
    for k in range(n):
        a, b = (0.0, -k * length, 0.0), (0.0, -(k + 1) * length, 0.0)
        link = mech.body(f"link{k + 1}", shape=Rod(a, b), density=ALUMINIUM)
        mech.joint(f"J{k + 1}", above, link, Spherical(a) if spatial else Revolute(a, Z))
        above = link
    if spatial:
        lifted = (np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2))
        vertical = (np.sin(angle), np.cos(angle), 0.0)  # +y in axes of the lifted first bar
        mech.q_start = np.array([*lifted, *(n - 1) * UPRIGHT])
        mech.v_start = np.array([*vertical, *np.zeros(3 * (n - 1))])
    else:
        mech.q_start, mech.v_start = np.array([angle, *np.zeros(n - 1)]), np.zeros(n)
    return mech
