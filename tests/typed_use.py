"""A user's script, read by type checkers and not run: forty names of the public API, and what they are known to return.

tests/test_types.py has mypy and pyright read it; `assert_type` fails there where a type is lost."""

from typing import assert_type

import numpy as np
from numpy.typing import NDArray

import cotree as ct

Array = NDArray[np.float64]

# describe
mech = ct.Mechanism("four-bar", gravity=(0, -9.81, 0))
A, B, C = (0, 0, 0), (0.6, 0.8, 0), np.array([2.4, 1.4, 0.0])
crank = mech.body("crank", mass=1, com=(0.3, 0.4, 0), inertia=(0.1, 0.1, 0.1), shape=ct.Rod(A, B))
coupler = mech.body("coupler", density=2700, shape=ct.Box(center=[1.5, 1.1, 0], size=(1.0, 0.1, 0.1)))
rocker = mech.body("rocker", shape=ct.Cylinder(C, (2.5, 0, 0), radius=0.05), density=2700.0)
ball = mech.body("ball", density=7800, shape=ct.Sphere((2.0, 2.0, 0.0), 0.1))
assert_type(crank, ct.Body)
joint = mech.joint("A", mech.ground, crank, ct.Revolute(point=A, axis=(0, 0, 1)))
mech.joint("B", "crank", "coupler", ct.Revolute(B))
mech.joint("C", coupler, rocker, ct.Spherical(C))
mech.joint("D", mech.ground, rocker, ct.Universal((2.5, 0, 0), axis1=(0, 0, 1), axis2=(1, 0, 0)))
mech.joint("E", rocker, ball, ct.Prismatic(axis=(1, 0, 0)))
mech.motor("motor", joint, torque=lambda t: 3.0 * t)
mech.spring("spring", crank, A, rocker, C, stiffness=100.0, damping=1.0)
mech.lock("B", at=0.7)
others: list[object] = [ct.Helical(pitch=0.01), ct.Cylindrical(), ct.Planar(), ct.PlanarTranslation(), ct.Translation()]
others += [ct.Schoenflies(axis=(0, 0, 1)), ct.Free(), ct.Weld()]

# compile
system = mech.compile(coordinates="relative")
assert_type(system, ct.System)
assert_type(system.nv, int)
assert_type(system.coordinate_names, tuple[str, ...])
q, v = system.q0, np.zeros(system.nv)
assert_type(q, Array)

# kinematics and dynamics
assert_type(ct.poses(mech, q), Array)
assert_type(ct.twists(system, q, v), Array)
assert_type(ct.body_jacobian(system, q, "coupler"), Array)
assert_type(ct.spatial_jacobian(system, q, coupler), Array)
assert_type(ct.jacobian_derivative(system, q, v, 1), Array)
assert_type(ct.mass_matrix(system, [0.0, 0.0, 0.0]), Array)
assert_type(ct.theory.coriolis_matrix(system, q, v), Array)
assert_type(ct.theory.christoffel(system, q), Array)
assert_type(ct.inverse_dynamics(system, q, v, v), Array)
assert_type(ct.momentum(system, q, v), Array)
assert_type(ct.energy(system, q, v).total, float)
found = ct.forward_dynamics(system, q, v, formulation="index1")
assert_type(found.v_dot, Array)
assert_type(found.reaction("A"), Array)

# constraints
assert_type(ct.constraint_residual(system, q), Array)
assert_type(ct.constraint_jacobian(system, q), Array)
assert_type(ct.constraint_bias(system, q, v), Array)
closed = ct.assemble(system, q, fixed=["A"])
assert_type(ct.consistent_velocity(system, closed, {"A": 1.0}), Array)
assert_type(ct.mobility(mech).local, int)
assert_type(ct.transition(system, q, v, activate=["lock B"]), ct.Transition)

# simulate
run = ct.simulate(mech, 1.0, q={"A": 0.3}, v=v, output=101, events=[ct.Event(lambda t, q, v: q[0], terminal=True)])
assert_type(run, ct.Run)
assert_type(run.t, Array)
assert_type(run.status, str)
assert_type(run.poses(), Array)
run.save("run.h5")
run.plot("run.png").savefig("again.png")
assert_type(run.resume(2.0), ct.Run)

# files and ready mechanisms
assert_type(ct.load("model.urdf"), ct.Mechanism)
ct.save(mech, "model.json")
assert_type(ct.load_run("run.h5"), ct.Run)
assert_type(ct.gallery.four_bar(), ct.Mechanism)
assert_type(ct.lie.exp_so3([0.0, 0.0, 1.0]), Array)
