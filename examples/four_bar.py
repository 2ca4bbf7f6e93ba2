"""A closed loop: mobility, a driven crank, the reaction at a joint and the page that plays the motion.

python examples/four_bar.py
"""

from pathlib import Path

import numpy as np

import cotree as ct

mech = ct.Mechanism("four-bar", gravity=(0, -9.81, 0))
A, B, C, D = (0, 0, 0), (0, 0.5, 0), (2.0, 1.5, 0), (2.0, 0, 0)
z = (0, 0, 1)
crank = mech.body("crank", shape=ct.Rod(A, B), density=2700)
coupler = mech.body("coupler", shape=ct.Rod(B, C), density=2700)
rocker = mech.body("rocker", shape=ct.Rod(C, D), density=2700)
mech.joint("A", mech.ground, crank, ct.Revolute(point=A, axis=z))
mech.joint("B", crank, coupler, ct.Revolute(point=B, axis=z))
mech.joint("C", coupler, rocker, ct.Revolute(point=C, axis=z))
mech.joint("D", mech.ground, rocker, ct.Revolute(point=D, axis=z))
mech.drive("speed", "A", motion=lambda t: 2 * np.pi * t)  # one turn a second

print(ct.mobility(mech))
run = ct.simulate(mech, t_end=2.0, v={"A": 2 * np.pi})
print(run)
force = np.linalg.norm(run.reactions("D")[:, 3:], axis=1)
print(f"greatest force at D: {force.max():.1f} N at {run.t[force.argmax()]:.2f} s")

out = Path("out")
out.mkdir(exist_ok=True)
run.html(out / "four_bar.html")
print(f"page that plays the motion: {out / 'four_bar.html'}")
