"""Friction with stiction, a rotor behind gears, play, a rope, a bushing, a motor's curve and an elastic belt."""

import numpy as np

import cotree as ct


def pendulum():
    mech = ct.Mechanism("pendulum")
    rod = mech.body("rod", shape=ct.Rod((0, 0, 0), (0, 0, -1), radius=0.01), density=7850)
    mech.joint("pin", mech.ground, rod, ct.Revolute((0, 0, 0), (0, 1, 0)))
    return mech


mech = pendulum()
mech.friction("pin", coulomb=3.0, static=4.0, stribeck=0.1, viscous=0.05)
run = ct.simulate(mech, 6.0, q={"pin": 1.5})
print("friction:", run.events[-1].changes[0][1], f"at {run.events[-1].t:.3f} s")
mech = pendulum()
mech.friction("pin", coefficient=0.3, radius=0.05)
print(f"bearing: {np.abs(ct.simulate(mech, 1.0, q={'pin': 1.5}).element('friction pin').force).max():.3f} N m")
mech = pendulum()
mech.joint_inertia("rotor", "pin", 1e-4, ratio=100)
mech.motor_curve("dc", "pin", [(-20, 3), (0, 3), (10, 0)])
print(f"rotor: {ct.simulate(mech, 1.0).joint('pin').angle[-1]:.4f} rad")
mech = pendulum()
mech.rope("rope", "ground", (0.8, 0, 0), "rod", (0, 0, -1), stiffness=1e4, length=1.3, damping=0.1)
mech.bump_stop("stop", "ground", (-0.8, 0, -1), "rod", (0, 0, -1), stiffness=1e4, length=0.3)
print(f"rope: at most {ct.simulate(mech, 2.0, v={'pin': 3.0}).element('rope').force.max():.0f} N")
mech = ct.Mechanism("bushing")
arm = mech.body("arm", mass=1, com=(0.2, 0, 0), inertia=(0.01, 0.01, 0.01))
mech.joint("free", mech.ground, arm, ct.Free())
mech.bushing(
    "bush", mech.ground, arm, (0, 0, 0), stiffness=[100, 100, 100, 1e4, 1e4, 1e4], damping=[1, 1, 1, 100, 100, 100]
)
run = ct.simulate(mech, 1.0)
print(f"bushing: the arm sinks by {-1e3 * run.point('arm', (0.2, 0, 0)).position[-1, 2]:.1f} mm")
drive = ct.Mechanism("belt and play", gravity=(0, 0, 0))
for name, x, inertia in (("a", 0, 0.1), ("b", 1, 0.2), ("load", 1, 0.5)):
    drive.body(name, mass=1, com=(x, 0, 0), inertia=(inertia, inertia, inertia))
drive.joint("A", "ground", "a", ct.Revolute((0, 0, 0), (0, 0, 1)))
drive.joint("B", "ground", "b", ct.Revolute((1, 0, 0), (0, 0, 1)))
drive.joint("play", "b", "load", ct.Revolute((1, 0, 0), (0, 0, 1)))
drive.limit("play", lower=-0.02, upper=0.02, restitution=0.2)
drive.belt("belt", "A", "B", 0.1, 0.05, stiffness=1e3, damping=1.0)
drive.motor("motor", "A", 1.0)
run = ct.simulate(drive, 1.0)
print(f"belt: {np.abs(run.element('belt').force).max():.1f} N, {len(run.events)} hits of the play")
