"""Swing-up of a pendulum on a cart with least effort, by direct collocation with exact derivatives of the dynamics.

The force found is then applied in a simulation, which must arrive where the optimum does.

    python examples/swing_up.py [picture.png]
"""

import sys

import numpy as np

import cotree as ct


def cart() -> ct.Mechanism:
    mech = ct.Mechanism("pendulum on a cart", gravity=(0, -9.81, 0))
    mech.body("cart", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1), shape=ct.Box((0, 0, 0), (0.3, 0.15, 0.15)))
    mech.body("rod", mass=0.3, com=(0, -0.5, 0), inertia=(0.01, 0, 0.01), shape=ct.Rod((0, 0, 0), (0, -0.5, 0)))
    mech.joint("slide", "ground", "cart", ct.Prismatic(axis=(1, 0, 0)))
    mech.joint("hinge", "cart", "rod", ct.Revolute((0, 0, 0), (0, 0, 1)))
    return mech


def main(picture: str | None = None) -> None:
    found = ct.least_effort(cart(), 2.0, ["slide"], {"slide": 0.0, "hinge": np.pi}, most=20.0)
    run = found.run()
    off = np.abs([*run.q[-1] - [0, np.pi], *run.v[-1]]).max()
    print(f"effort {found.effort:.2f} N^2 s; the simulation ends {off:.1e} from upright")
    if picture is not None:
        found.plot(picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
