"""Engine with a gas table, a governor that saturates, work by cycle and by element, and the load of its bearing."""

import numpy as np

import cotree as ct

R, L, AREA, SPEED = 0.045, 0.145, np.pi * 0.086**2 / 4, 50 * np.pi
mech = ct.Mechanism("engine", gravity=(0, -9.81, 0))
crank = mech.body("crank", mass=4, com=(0, 0.003, 0), inertia=(0.08, 0.08, 0.15))
rod = mech.body("rod", mass=0.6, com=(0, R + 0.3 * L, 0), inertia=(0.002, 0.0001, 0.002))
piston = mech.body("piston", mass=0.45, com=(0, R + L + 0.01, 0), inertia=(5e-4, 5e-4, 5e-4))
mech.joint("main", mech.ground, crank, ct.Revolute((0, 0, 0), (0, 0, 1)))
mech.joint("bigend", crank, rod, ct.Revolute((0, R, 0), (0, 0, 1)))
mech.joint("wrist", rod, piston, ct.Revolute((0, R + L, 0), (0, 0, 1)))
mech.joint("bore", mech.ground, piston, ct.Prismatic(axis=(0, 1, 0)))
mech.joint_damper("oil", "main", damping=0.02)
angle = np.radians(np.arange(0, 721, 2))  # four strokes, fired at 0
volume = AREA * (2 * R / 9.5 + R * (1 - np.cos(angle)) + L - np.sqrt(L**2 - (R * np.sin(angle)) ** 2))
burnt, squeezed = 45e5 * (volume[7] / np.maximum(volume, volume[7])) ** 1.28, 1e5 * (volume[90] / volume) ** 1.32
gas = AREA * (np.where(angle < np.pi, np.maximum(burnt, 1e5), np.where(angle > 3 * np.pi, squeezed, 1e5)) - 1e5)
mech.motor("gas", "bore", lambda joints: -np.interp(joints["main"].angle % (4 * np.pi), angle, gas))
mech.motor("dyno", "main", lambda t, angle, rate: np.clip(4 * (SPEED - rate) + 30 * (SPEED * t - angle), -30, 30))
run = ct.simulate(mech, 0.4, v={"main": 0.9 * SPEED}, output=2001)
cycles = np.interp(4 * np.pi * np.arange(5), run.joint("main").angle, run.t)
for name in ("gas", "dyno", "oil"):
    print(f"{name}: {np.diff(np.interp(cycles, run.t, run.element(name).work)).round(1)} J a cycle")
bearing = run.reaction("main")
print(f"{run.joint('main').rate[-1]:.1f} rad/s, main bearing at most {bearing.magnitude.max():.0f} N")
