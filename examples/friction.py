"""Identification of friction: dry and viscous friction of a bearing, from noisy angles of a pendulum that swings out.

`ct.fit` takes exact derivatives of the motion, also through the instants at which the bearing turns back, and tells how well
the data determine each number: the true ones must lie within three standard deviations.

    python examples/friction.py [picture.png]
"""

from __future__ import annotations

import sys

import numpy as np

import cotree as ct

TRUE = {"bearing.torque": 0.12, "oil.damping": 0.05, "rod.mass": 1.3}
NOISE = 0.005  # rad


def main(picture: str | None = None) -> None:
    mech = ct.Mechanism("pendulum with friction", gravity=(0, -9.81, 0))
    mech.body("rod", mass=1.3, com=(0, -0.4, 0), inertia=(0.02, 0.001, 0.02), shape=ct.Rod((0, 0, 0), (0, -0.8, 0)))
    mech.joint("hinge", "ground", "rod", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.friction("hinge", coulomb=0.12, name="bearing")
    mech.joint_damper("oil", "hinge", damping=0.05)
    t, rng = np.linspace(0.05, 8.0, 160), np.random.default_rng(7)
    exact = ct.simulate(mech, 8.0, {"hinge": 1.2}, output=t, rtol=1e-10, atol=1e-10).joint("hinge").angle
    guess = ct.with_parameters(mech, {"bearing.torque": 0.05, "oil.damping": 0.02, "rod.mass": 1.0})
    measured = exact + NOISE * rng.normal(size=len(t))
    found = ct.fit(guess, t, measured, ["hinge"], list(TRUE), q={"hinge": 1.15}, start=["hinge"], sigma=NOISE)
    print(found)
    off = [abs(found.values[name] - value) / found.std[name] for name, value in TRUE.items()]
    print("true values lie " + ", ".join(f"{x:.1f}" for x in off) + " standard deviations away")
    if picture is not None:
        found.plot(picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
