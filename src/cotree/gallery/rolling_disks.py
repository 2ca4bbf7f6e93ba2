"""The thin disk that rolls on a plane: a coin, a hoop's cousin, the classic of non-holonomic mechanics."""

from __future__ import annotations

import numpy as np

from cotree.model import Cylinder, Free, Mechanism


def rolling_disk(
    radius: float = 0.5, mass: float = 1.0, lean: float = 0.3, spin: float = 6.0, yaw_rate: float = 0.0
) -> Mechanism:
    """Thin uniform disk that rolls without slip on the plane z = 0, 3 dof; drawn upright on the origin, its axis along y.

    Starts leaning by `lean` [rad] about the line along which it rolls, x, turning at `spin` [rad/s] about its own axis and at
    `yaw_rate` about its diameter from the contact. Upright it is stable for spin^2 > g / (3 radius) (sympy 1.14, test_kane.py,
    test_rolling_disc; Neimark and Fufaev). Chosen: 0.5 m, 1 kg, and a spin at which it leans to and fro as it goes.
    """
    mech = Mechanism("rolling disk")
    centre, half = np.array([0.0, 0.0, radius]), np.array([0.0, 0.02 * radius, 0.0])
    inertia = mass * radius**2 * np.array([0.25, 0.5, 0.25])
    disk = mech.body("disk", mass, centre, inertia, shape=Cylinder(centre - half, centre + half, radius))
    mech.joint("free", mech.ground, disk, Free())
    mech.rolling("contact", disk, centre, radius, axis=(0.0, 1.0, 0.0))
    # the contact is in the origin, which the body's frame shares: it rests
    mech.q_start = np.array([np.cos(lean / 2), np.sin(lean / 2), 0.0, 0.0, 0.0, 0.0, 0.0])
    mech.v_start = np.array([0.0, spin, yaw_rate, 0.0, 0.0, 0.0])
    return mech
