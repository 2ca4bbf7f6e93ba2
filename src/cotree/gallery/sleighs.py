"""Chaplygin's sleigh: energy is conserved, and yet its turning dies out."""

from __future__ import annotations

import numpy as np

from cotree.model import Box, Mechanism, Planar

Z = (0.0, 0.0, 1.0)


def chaplygin_sleigh(mass: float = 1.0, inertia: float = 0.5, ahead: float = 0.25) -> Mechanism:
    """Sleigh on a level plane, borne by two smooth feet and a blade, which does not slip sideways: 2 dof (Chaplygin 1911).

    Coordinates: angle and place of the blade, drawn at the origin along x; rates: turning, forward, sideways. `ahead` [m]: from
    the blade to the mass centre; `inertia` [kg m^2]: about the vertical through it. Going forward is stable, backward is not:
    v' = ahead w^2, (inertia + mass ahead^2) w' = -mass ahead v w (Neimark and Fufaev; Bloch, Nonholonomic Mechanics and
    Control). Starts at 0.4 m/s forward, turning at 1.5 rad/s. The figures are chosen.
    """
    mech = Mechanism("Chaplygin sleigh", (0.0, 0.0, 0.0))
    size = max(abs(ahead), 0.1)
    shape = Box((ahead, 0.0, 0.05), (2.6 * size, 1.4 * size, 0.1))
    moments = (inertia / 2, inertia / 2, inertia)
    sleigh = mech.body("sleigh", mass, (ahead, 0.0, 0.0), moments, shape=shape, inertia_about="com")
    mech.joint("plane", mech.ground, sleigh, Planar((0.0, 0.0, 0.0), Z))
    mech.knife_edge("blade", sleigh, (0.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    mech.q_start, mech.v_start = np.zeros(3), np.array([1.5, 0.4, 0.0])
    return mech
