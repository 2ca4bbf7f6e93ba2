"""A pendulum: one body, one joint, and its period beside the formula.

python examples/pendulum.py
"""

import numpy as np
from scipy.special import ellipk

import cotree as ct

length, start = 1.0, np.deg2rad(60)

mech = ct.Mechanism("pendulum", gravity=(0, 0, -9.81))
rod = mech.body("rod", shape=ct.Rod((0, 0, 0), (0, 0, -length)), density=7800)
mech.joint("pivot", mech.ground, rod, ct.Revolute(point=(0, 0, 0), axis=(0, 1, 0)))

passes = ct.Event(lambda t, q, v: q[0], name="lowest point")
run = ct.simulate(mech, t_end=10.0, q={"pivot": start}, events=[passes])
print(run)

times = [event.t for event in run.events]
period = 2 * np.mean(np.diff(times))
inertia = ct.mass_matrix(mech, [0.0])[0, 0]
small = 2 * np.pi * np.sqrt(inertia / (rod.properties.mass * 9.81 * length / 2))
print(f"period {period:.9f} s, by elliptic integrals {small * 2 / np.pi * ellipk(np.sin(start / 2) ** 2):.9f} s")
