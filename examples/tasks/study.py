"""Peak load of a slider-crank's pin over crank length and rod mass, and the torque of its driver."""

import numpy as np

import cotree as ct

SPEED = 20.0


def slider_crank(crank, rod_mass):
    mech, end = ct.Mechanism("slider-crank", gravity=(0, -9.81, 0)), crank + 0.4
    mech.body("crank", mass=1, com=(crank / 2, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    mech.body("rod", mass=rod_mass, com=(crank + 0.2, 0, 0), inertia=np.full(3, rod_mass * 0.4**2 / 12))
    mech.body("piston", mass=0.5, com=(end, 0, 0), inertia=(1e-3, 1e-3, 1e-3))
    mech.joint("O", "ground", "crank", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("A", "crank", "rod", ct.Revolute((crank, 0, 0), (0, 0, 1)))
    mech.joint("B", "rod", "piston", ct.Revolute((end, 0, 0), (0, 0, 1)))
    mech.joint("slide", "ground", "piston", ct.Prismatic(axis=(1, 0, 0)))
    mech.drive("speed", "O", lambda t: SPEED * t)
    return mech


def measured(mech):
    run = ct.simulate(mech, 2 * np.pi / SPEED, output=91)
    return {"load": run.reaction("A").magnitude.max(), "torque": np.abs(run.element("speed").torque).max()}


grid = {"crank": np.linspace(0.05, 0.2, 4), "rod_mass": np.linspace(0.2, 3.0, 4)}
found = ct.sweep(slider_crank, grid, measure=measured)
print(found["load"].round(1).to_pandas())
print(f"torque from {float(found.torque.min()):.2f} to {float(found.torque.max()):.2f} N m")
