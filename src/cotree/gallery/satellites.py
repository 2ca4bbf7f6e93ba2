"""The satellite of [Geo 5.4.1], whose angular momentum may be imposed as a non-holonomic row.

Coordinates: angle and place of the main body (3), then the hinges from the body outward, first the wing on the side of +x (4),
then the other (4). The reference assembly has the wings spread along x.
"""

from __future__ import annotations

import numpy as np

from cotree.engine.kernel import kernel
from cotree.model import Box, Mechanism, Planar, Revolute

Z = (0.0, 0.0, 1.0)
BODY, PART = np.array([1.7, 2.0, 1.8]), np.array([1.75, 0.05, 2.3])  # m
SIDE, HALF = float(BODY[0]) / 2, float(PART[0]) / 2
BODY_MASS, PART_MASS = 900.0, 15.0  # kg
MASSES = np.array([BODY_MASS] + 8 * [PART_MASS])
INERTIAS = MASSES / 12.0 * np.array([BODY[0] ** 2 + BODY[1] ** 2] + 8 * [PART[0] ** 2 + PART[1] ** 2])
STIFFNESS = (4.5, 2.2, 1.7, 1.0)  # N m/rad, hinges from the body outward

SPIN = 0.1  # rad/s
FOLDED = np.pi * np.array([0.5, -1.0, 1.0, -1.0])
CENTRE = HALF * 8 * PART_MASS / float(MASSES.sum())  # of mass, above the body's: folded parts are half their length up
MOMENTUM = SPIN * float(INERTIAS.sum() + BODY_MASS * CENTRE**2 + 8 * PART_MASS * (SIDE**2 + (HALF - CENTRE) ** 2))


def satellite(conserve: bool = False) -> Mechanism:
    """INTELSAT V unfolding its two wings of four parts, planar, free of gravity, [Geo 5.4.1]: 9 bodies, 11 dof.

    `conserve` adds the row that the angular momentum about the common mass centre stays what it is at the start; it changes
    no motion, but a projection onto it takes away the integrator's error.

    Chosen, since the paper gives no data: a body of about 2 m and wings of 7 m, a tonne in all, as the real one; torsion
    springs at the hinges, relaxed when spread, graded so that all begin to open together, and slow enough to take most of the
    paper's ten seconds; no dampers, for the paper's energy is constant. The start is folded like a concertina against the
    body, and turning at 0.1 rad/s as a whole about a mass centre at rest: without that, mirror symmetry would have no angular
    momentum to lose.
    """
    mech = Mechanism("satellite", (0.0, 0.0, 0.0))
    main = mech.body("body", shape=Box((0, 0, 0), BODY), density=BODY_MASS / float(np.prod(BODY)))
    mech.joint("flight", mech.ground, main, Planar((0, 0, 0), Z))
    for wing, side in (("right", 1.0), ("left", -1.0)):
        above, x = main, side * SIDE
        for k in range(4):
            middle = (x + side * HALF, 0.0, 0.0)
            part = mech.body(f"{wing}{k + 1}", shape=Box(middle, PART), density=PART_MASS / float(np.prod(PART)))
            hinge = mech.joint(f"{wing} hinge{k + 1}", above, part, Revolute((x, 0.0, 0.0), Z))
            mech.joint_spring(f"{wing} spring{k + 1}", hinge, STIFFNESS[k])
            above, x = part, x + side * PART[0]
    mech.q_start = np.array([0.0, 0.0, 0.0, *FOLDED, *-FOLDED])
    mech.v_start = np.array([SPIN, SPIN * CENTRE, *np.zeros(9)])
    if conserve:
        mech.constraint("angular momentum", momentum_row, rate=momentum_rate, bias=momentum_bias)
    return mech


# -- angular momentum about the common mass centre c ---------------------------------------------------------------
# w times the sum of I_i + m_i |r_i - c|^2 over the bodies i, and for each hinge j its rate times the sum of
# I_i + m_i (r_i - c) . (r_i - h_j) over the parts i that it carries


@kernel
def layout(q, v):
    """(r, h, r', h'), (9, 2) each: mass centres and hinges of body (0) and parts, and their rates; from the common mass centre,
    in axes of the body."""
    r, h, dr, dh = np.zeros((9, 2)), np.zeros((9, 2)), np.zeros((9, 2)), np.zeros((9, 2))
    for wing in range(2):
        side = 1.0 - 2.0 * wing
        x, y, dx, dy, angle, rate = side * SIDE, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(1 + 4 * wing, 5 + 4 * wing):
            angle, rate = angle + q[2 + k], rate + v[2 + k]
            a, b = side * HALF * np.cos(angle), side * HALF * np.sin(angle)
            h[k, 0], h[k, 1], dh[k, 0], dh[k, 1] = x, y, dx, dy
            r[k, 0], r[k, 1], dr[k, 0], dr[k, 1] = x + a, y + b, dx - rate * b, dy + rate * a
            x, y, dx, dy = x + 2 * a, y + 2 * b, dx - 2 * rate * b, dy + 2 * rate * a
    c, dc = np.zeros(2), np.zeros(2)
    for i in range(9):
        c += MASSES[i] / MASSES.sum() * r[i]
        dc += MASSES[i] / MASSES.sum() * dr[i]
    return r - c, h - c, dr - dc, dh - dc


@kernel
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1]


@kernel
def momentum_row(q):
    """(1, 11): J with J v the angular momentum; the velocity of the body has no part in it."""
    r, h, _, _ = layout(q, np.zeros(11))
    J = np.zeros((1, 11))
    for i in range(9):
        J[0, 0] += INERTIAS[i] + MASSES[i] * dot(r[i], r[i])
        for j in range(1 if i < 5 else 5, i + 1):
            J[0, 2 + j] += INERTIAS[i] + MASSES[i] * dot(r[i], r[i] - h[j])
    return J


@kernel
def momentum_rate(q):
    """(1,): what J v equals, the angular momentum at the start."""
    return np.array([MOMENTUM])


@kernel
def momentum_bias(q, v):
    """(1,): -J' v, with J' from the rates of r and h by the hinges: turning as a whole does not change J."""
    r, h, dr, dh = layout(q, v)
    eta = 0.0
    for i in range(9):
        eta -= 2.0 * MASSES[i] * dot(r[i], dr[i]) * v[0]
        for j in range(1 if i < 5 else 5, i + 1):
            eta -= MASSES[i] * (dot(dr[i], r[i] - h[j]) + dot(r[i], dr[i] - dh[j])) * v[2 + j]
    return np.array([eta])
