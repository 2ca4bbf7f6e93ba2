"""Stewart platform: poses to legs, leg forces along a motion, and the motion again under these forces."""

import numpy as np
from scipy.interpolate import CubicSpline

import cotree as ct

mech, H, legs = ct.Mechanism("stewart", gravity=(0, 0, -9.81)), 0.9, [f"leg{k}" for k in range(6)]
platform = mech.body("platform", shape=ct.Cylinder((0, 0, H - 0.02), (0, 0, H + 0.02), 0.5), density=2700)
for k, (a, b) in enumerate(
    zip(np.radians([-10, 10, 110, 130, 230, 250]), np.radians([-50, 50, 70, 170, 190, 290]), strict=True)
):
    low, high = 0.8 * np.array([np.cos(a), np.sin(a), 0]), np.array([0.5 * np.cos(b), 0.5 * np.sin(b), H])
    d = (high - low) / np.linalg.norm(high - low)
    across = np.cross(d, (0, 0, 1))
    tube = mech.body(f"tube{k}", shape=ct.Rod(low, low + 0.55 * (high - low), radius=0.02), density=2700)
    piston = mech.body(f"piston{k}", shape=ct.Rod(high - 0.55 * (high - low), high, radius=0.012), density=2700)
    mech.joint(f"base{k}", mech.ground, tube, ct.Universal(low, axis1=across, axis2=np.cross(d, across)))
    mech.joint(f"leg{k}", tube, piston, ct.Prismatic(axis=d, point=low))
    mech.joint(f"ball{k}", piston, platform, ct.Spherical(high))
mech.joint("pose", mech.ground, platform, ct.Free())

times, w = np.linspace(0, 0.5, 51), 2 * np.pi
system, forces = mech.compile(), []
still = {f"pose.{c}": 0.0 for c in ("wx", "wy", "wz", "vx", "vy")}
for t in times:  # up and down by 80 mm
    q = ct.assemble(system, {"pose.z": 0.08 * np.sin(w * t)}, fixed=["pose.z", "pose.x", "pose.y"])
    v = ct.consistent_velocity(system, q, {**still, "pose.vz": 0.08 * w * np.cos(w * t)})
    wanted = {**still, "pose.vz": -0.08 * w**2 * np.sin(w * t)}
    forces.append(list(ct.actuator_forces(system, q, v, wanted, actuators=legs).forces.values()))
push = CubicSpline(times, forces)
for k, leg in enumerate(legs):
    mech.motor(f"force {k}", leg, lambda t, k=k: float(push(t)[k]))
run = ct.simulate(mech, 0.5, v={**still, "pose.vz": 0.08 * w}, output=times)
height = run.point("platform", (0, 0, H)).position[:, 2] - H
print(f"legs push with {np.min(forces):.1f} to {np.max(forces):.1f} N")
print(f"the platform follows to {np.abs(height - 0.08 * np.sin(w * times)).max():.0e} m")
