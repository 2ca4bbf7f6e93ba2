"""Trajectory of a parallel robot with minimal torque: a five-bar between two rest positions, by direct collocation.

The loop is part of the dynamics, and only the two motors' angles are prescribed at the end. Beside the optimum stands the usual
motion, both motors driven by the same polynomial of fifth degree.

    python examples/least_torque.py [picture.png]
"""

import sys

import numpy as np

import cotree as ct

TIME, START, END = 0.6, {"A1": -0.3, "A2": -0.3}, {"A1": 0.3, "A2": 0.2}  # s, rad


def usual() -> ct.Run:
    mech = ct.gallery.five_bar()
    shape = np.polynomial.Polynomial([0, 0, 0, 10, -15, 6])
    for name, begin in START.items():
        mech.drive(f"drive {name}", name, lambda t, a=begin, b=END[name]: a + (b - a) * shape(t / TIME))
    return ct.simulate(mech, TIME)


def main(picture: str | None = None) -> None:
    run = usual()
    before = np.trapezoid(sum(run.element(f"drive {name}").force ** 2 for name in START), run.t)
    found = ct.least_effort(ct.gallery.five_bar(), TIME, list(START), END, q=START, most=60.0, steps=20)
    under = found.run()
    off = max(abs(under.joint(name).angle[-1] - END[name]) for name in END)
    print(f"effort {before:.2f} by polynomials, {found.effort:.2f} N^2 m^2 s at the least")
    print(f"the simulation ends {off:.1e} rad from the target")
    if picture is not None:
        found.plot(picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
