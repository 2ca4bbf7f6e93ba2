"""The slider-crank."""

from __future__ import annotations

import numpy as np

from cotree.model import Box, Mechanism, Prismatic, Revolute, Rod

STEEL = 7850.0
CRANK, ROD, ANGLE, SPEED = 0.15, 0.4, np.pi / 4, 10.0  # m, m, rad, rad/s
PISTON = (0.12, 0.08, 0.08)  # m
X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


def slider_crank() -> Mechanism:
    """Planar slider-crank, 1 dof: joints O (to ground), A and B of the rod, and slide, along x; gravity along -y.

    Starts with the crank at 45 degrees from the line of the slide, turning at 10 rad/s, enough to go round. Chosen: a crank of
    0.15 m and a rod of 0.4 m, longer than the crank as it must be to go round; round bars and a box, all of steel.
    """
    mech = Mechanism("slider-crank", (0.0, -9.81, 0.0))
    O, A = np.zeros(3), CRANK * np.array([np.cos(ANGLE), np.sin(ANGLE), 0.0])
    B = np.array([A[0] + np.sqrt(ROD**2 - A[1] ** 2), 0.0, 0.0])
    crank = mech.body("crank", shape=Rod(O, A, 0.01), density=STEEL)
    rod = mech.body("rod", shape=Rod(A, B, 0.01), density=STEEL)
    piston = mech.body("piston", shape=Box(B, PISTON), density=STEEL)
    mech.joint("O", mech.ground, crank, Revolute(O, Z))
    mech.joint("A", crank, rod, Revolute(A, Z))
    mech.joint("B", rod, piston, Revolute(B, Z))
    mech.joint("slide", mech.ground, piston, Prismatic(X, point=B))
    turn = -SPEED * A[0] / (B[0] - A[0])  # of the rod: the piston moves along x only
    mech.q_start, mech.v_start = np.zeros(3), np.array([SPEED, turn - SPEED, -A[1] * (SPEED - turn)])
    return mech
