"""Double wishbone over a bump: ride height, camber, toe and the load of a ball joint."""

import numpy as np

import cotree as ct

LBJ, UBJ, WC = np.array([0, 0.7, 0.2]), np.array([-0.01, 0.65, 0.46]), np.array([0, 0.75, 0.31])
LOWER, UPPER, RACK, TIE = (0, 0.35, 0.22), (0, 0.4, 0.43), np.array([-0.12, 0.38, 0.255]), np.array([-0.12, 0.68, 0.25])
mech = ct.Mechanism("double wishbone", gravity=(0, 0, -9.81))
chassis = mech.body("chassis", mass=350, com=(0, 0, 0.5), inertia=(20, 20, 20))
lower = mech.body("lower arm", mass=4, com=(0, 0.47, 0.21), inertia=(0.05, 0.05, 0.09), shape=ct.Rod(LOWER, LBJ))
upper = mech.body("upper arm", mass=2, com=(0, 0.48, 0.44), inertia=(0.02, 0.02, 0.035), shape=ct.Rod(UPPER, UBJ))
upright = mech.body("upright", mass=12, com=(LBJ + UBJ) / 2, inertia=(0.2, 0.2, 0.1), shape=ct.Rod(LBJ, UBJ))
tie_rod = mech.body("tie rod", shape=ct.Rod(RACK, TIE, radius=0.008), density=7850)
wheel = mech.body("wheel", mass=18, com=WC, inertia=(0.6, 1.1, 0.6))
mech.joint("heave", mech.ground, chassis, ct.Prismatic(axis=(0, 0, 1)))
mech.joint("LCA", chassis, lower, ct.Revolute(LOWER, (1, 0, 0)))
mech.joint("UCA", chassis, upper, ct.Revolute(UPPER, (1, 0, 0)))
mech.joint("LBJ", lower, upright, ct.Spherical(LBJ))
mech.joint("UBJ", upper, upright, ct.Spherical(UBJ))
mech.joint("rack", chassis, tie_rod, ct.Universal(RACK, axis1=(1, 0, 0), axis2=(0, 0, 1)))
mech.joint("tie", tie_rod, upright, ct.Spherical(TIE))
mech.joint("hub", upright, wheel, ct.Revolute(WC, (0, 1, 0)))
mech.spring("strut", chassis, (0, 0.45, 0.62), lower, (0, 0.55, 0.213), stiffness=60e3, length=0.49, damping=3500)


def road(t):
    return 0.025 * (1 - np.cos(2 * np.pi * (10 * t - 3) / 0.8)) if 0.3 < t < 0.38 else 0.0


mech.force("tyre", wheel, lambda t, position: (0, 0, max(0.0, 200e3 * (road(t) + 0.31 - position[2]))), point=WC)
rest = ct.equilibrium(mech)
run = ct.simulate(mech, 0.8, q=rest.q, output=401)
travel = run.point("upright", WC).position[:, 2] - run.point("chassis", (0, 0, 0.5)).position[:, 2]
spin = run.point("upright", WC + np.array([0, 1, 0])).position - run.point("upright", WC).position
camber, toe = np.degrees(spin[:, 2]), np.degrees(spin[:, 0])
print(f"travel {1e3 * np.ptp(travel):.0f} mm, camber {np.ptp(camber):.2f} degrees, toe {np.ptp(toe):.2f} degrees")
print(f"lower ball joint: at most {run.reaction('LBJ').magnitude.max():.0f} N")
