"""Equilibrium, modes and frequency response of a four-bar and a five-bar with springs."""

import numpy as np

import cotree as ct

mech = ct.gallery.four_bar()
mech.joint_spring("ka", "A", stiffness=40.0)
mech.joint_spring("kd", "D", stiffness=30.0, rest=0.1)
mech.joint_damper("ca", "A", damping=0.4)
mech.joint_damper("cb", "B", damping=0.1)
rest = ct.equilibrium(mech)
linear = ct.linearize(mech, rest.q, inputs=["A"], outputs=["A"])
print(f"{linear.frequencies[0]:.5f} Hz, damping {linear.damping[0]:.4f}; stable: {rest.stable}")
frequencies = np.logspace(-1, 1, 300)
response = np.abs(linear.frequency_response(frequencies).response[:, 0, 0])
print(f"a torque at A moves A by {response.max():.3f} rad/N m at {frequencies[response.argmax()]:.2f} Hz")
run = ct.simulate(mech, 5.0, q=rest.q, v={"A": 1e-3}, output=5001)
angle = run.joint("A").angle - run.joint("A").angle[0]
rising = np.interp(np.flatnonzero((angle[1:-1] < 0) & (angle[2:] >= 0)), np.arange(5001), run.t)
print(f"measured in a run {1 / np.diff(rising).mean():.3f} Hz")
