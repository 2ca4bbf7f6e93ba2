"""The benchmark top of Brüls and Cardona: gravity, a fixed point and a fast spin."""

from __future__ import annotations

import numpy as np

from cotree.model import Cylinder, Mechanism, Spherical

RADIUS, ARM = 0.25, 1.0  # m


def spinning_top() -> Mechanism:
    """Thin disk of 15 kg on a massless arm of 1 m, held by a ball joint at the origin; gravity along -z, 3 dof.

    Data and start as of Brüls and Cardona (J. Comput. Nonlinear Dyn. 5, 2010): drawn level along y, the axis of the disk along
    the arm, spinning at 150 rad/s about it, while it turns about the vertical at -4.61538 rad/s.
    """
    mech = Mechanism("spinning top")
    centre, half = np.array([0.0, ARM, 0.0]), np.array([0.0, 0.01, 0.0])
    shape = Cylinder(centre - half, centre + half, RADIUS)
    top = mech.body("top", 15.0, centre, (0.234375, 0.46875, 0.234375), shape=shape)
    mech.joint("pivot", mech.ground, top, Spherical((0.0, 0.0, 0.0)))
    mech.q_start, mech.v_start = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.0, 150.0, -4.61538])
    return mech
