"""A robot from a URDF file: an arm of two links that a PD controller brings to a posture.

python examples/robot_file.py
"""

import tempfile
from pathlib import Path

import numpy as np

import cotree as ct

LINK = """<link name="{name}"><inertial><origin xyz="0 0 0.25"/><mass value="2"/>
  <inertia ixx="0.05" iyy="0.05" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
URDF = f"""<robot name="arm"><link name="base"/>{LINK.format(name="upper")}{LINK.format(name="fore")}
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
  <limit lower="-2" upper="2" effort="50" velocity="5"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
  <limit lower="-2" upper="2" effort="50" velocity="5"/></joint></robot>"""

with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "arm.urdf"
    file.write_text(URDF, encoding="utf-8")
    mech = ct.load(file)  # your own file here

target = {"shoulder": 0.8, "elbow": -0.5}
for name, goal in target.items():
    mech.motor(f"{name} motor", name, torque=lambda angle, rate, goal=goal: 200 * (goal - angle) - 20 * rate)

run = ct.simulate(mech, t_end=4.0)
print(run)
for name, goal in target.items():
    angle = run.joint(name).angle[-1]
    print(f"{name}: {angle:.4f} rad, asked for {goal} rad; gravity holds it off, there is no integral term")
lift = ct.inverse_dynamics(mech, run.q[-1], np.zeros(2))
print(f"remaining unbalanced torque at the end: {np.abs(lift).max():.1e} N m")
