"""MuJoCo: joint coordinates, loops closed by `connect` constraints (two on the axis of a spatial revolute).

MuJoCo's constraints are soft by design: an impedance d < 1 (at most 0.9999) and a spring that brings the residual back
within a time constant, which may not be shorter than two steps. Both are set to their stiffest.
"""

from __future__ import annotations

import time

import mujoco
import numpy as np

import cotree as ct
from benchmarks.peers.cases import TIMES, Array, States
from benchmarks.peers.mujoco_stiff import set_stiff
from benchmarks.peers.tree import closing_points, joint_rates, spanning_tree

mujoco.set_mju_user_warning(lambda message: None)  # unstable trials are expected; else they go to a log file


class MujocoModel:
    """Compiled model with body frames parallel to the world's in the reference assembly."""

    def __init__(self, mech: ct.Mechanism, start: States | None = None, times: Array = TIMES) -> None:
        self.mech, self.tree, self.times = mech, spanning_tree(mech), times
        spec = mujoco.MjSpec()
        spec.option.gravity = mech.gravity
        spec.compiler.degree = False
        bodies, at = {"ground": spec.worldbody}, {"ground": np.zeros(3)}
        for j, inner, outer in self.tree.edges:
            self._add(bodies, at, j, inner, outer)
        for k, j in enumerate(self.tree.cuts):
            for i, p in enumerate(closing_points(mech, j.joint)):
                pair = (j.parent, j.child) if j.parent != "ground" else (j.child, j.parent)
                eq = spec.add_equality(
                    name=f"{k} {i}", type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY
                )
                eq.name1, eq.name2 = pair[0], "world" if pair[1] == "ground" else pair[1]
                eq.data[:3] = p - at[pair[0]]
        for s in mech.springs.values():
            self._add_spring(spec, bodies, at, s)
        self.model = spec.compile()
        self.spec = spec
        self.data = mujoco.MjData(self.model)
        self.ids = [self.model.body(name).id for name in mech.bodies]
        self.v0, self.motors = np.zeros(self.model.nv), np.zeros(self.model.nv)
        for m in mech.joint_forces.values():
            self._put_on_joint(m)
        if start is None:
            return
        self.v0 = self.velocities(start.w[0])

    def _put_on_joint(self, f) -> None:
        """A constant torque, a spring, damper or rotor; of a ball all three dampers are the same."""
        places, joint = self.places(f.joint), self.model.joint(f.joint).id
        if f.torque is not None:
            self.motors[places] = np.ravel(f.torque)[0]
        self.model.dof_damping[places] += f.damping if f.coordinate in (None, "wx") else 0.0
        self.model.dof_armature[places] += f.inertia * f.ratio**2
        if f.stiffness:
            np.atleast_2d(self.model.jnt_stiffness.T).T[joint, 0] = f.stiffness
            self.model.qpos_spring[self.model.jnt_qposadr[joint]] = f.rest

    def velocities(self, w: Array) -> Array:
        """Rates of the joints, by the bodies' angular velocities (n, 3) in the reference assembly."""
        found = np.zeros(self.model.nv)
        by_body = {"ground": np.zeros(3), **dict(zip(self.mech.bodies, w, strict=True))}
        for (j, _, _), rate in zip(self.tree.edges, joint_rates(self.mech, self.tree, by_body), strict=True):
            found[self.places(j.name)] = rate
        return found

    def places(self, joint: str) -> slice:
        """Places of a joint's rates in MuJoCo's velocities."""
        joint_id = self.model.joint(joint).id
        first, ball = self.model.jnt_dofadr[joint_id], self.model.jnt_type[joint_id] == mujoco.mjtJoint.mjJNT_BALL
        return slice(first, first + (3 if ball else 1))

    def _add(self, bodies, at, j, inner, outer) -> None:
        p, properties = np.asarray(j.joint.point, dtype=float), self.mech.bodies[outer].properties
        I = properties.inertia
        body = bodies[inner].add_body(name=outer, pos=p - at[inner])
        body.explicitinertial, body.mass, body.ipos = True, properties.mass, properties.com - p
        body.fullinertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
        if isinstance(j.joint, ct.Spherical):
            body.add_joint(name=j.name, type=mujoco.mjtJoint.mjJNT_BALL)
        else:
            slides = isinstance(j.joint, ct.Prismatic)
            kind = mujoco.mjtJoint.mjJNT_SLIDE if slides else mujoco.mjtJoint.mjJNT_HINGE
            body.add_joint(name=j.name, type=kind, axis=j.joint.axis)
        bodies[outer], at[outer] = body, p

    @staticmethod
    def _add_spring(spec, bodies, at, s) -> None:
        """A tendon between two sites."""
        tendon = spec.add_tendon(
            name=s.name, stiffness=[s.stiffness, 0, 0], damping=[s.damping, 0, 0], springlength=[s.length] * 2
        )
        for end, (body, point) in enumerate(((s.body_a, s.point_a), (s.body_b, s.point_b))):
            bodies[body].add_site(name=f"{s.name} {end}", pos=np.asarray(point, dtype=float) - at[body])
            tendon.wrap_site(f"{s.name} {end}")

    def set_stiff(self, h: float, constant: float = 2.0) -> None:
        set_stiff(self.model, h, constant)

    def run(self, per_output: int) -> tuple[float, States]:
        """Seconds of wall time and states at the output times, `per_output` steps between them."""
        model, data = self.model, self.data
        mujoco.mj_resetData(model, data)
        data.qvel[:], data.qfrc_applied[:] = self.v0, self.motors
        kept = np.empty((len(self.times), model.nq + model.nv))
        kept[0] = np.concatenate([data.qpos, data.qvel])
        start = time.perf_counter()
        for row in range(1, len(self.times)):
            mujoco.mj_step(model, data, per_output)
            kept[row] = np.concatenate([data.qpos, data.qvel])
        seconds = time.perf_counter() - start
        return seconds, self.states(kept)

    def start(self) -> Array:
        """(1, nq + nv) state at the start."""
        return np.concatenate([self.model.qpos0, self.v0])[None]

    def states(self, kept: Array) -> States:
        model, data, k, n = self.model, self.data, len(kept), len(self.ids)
        R, c, w, u = np.empty((k, n, 3, 3)), np.empty((k, n, 3)), np.empty((k, n, 3)), np.empty((k, n, 3))
        both = np.empty(6)
        for row in range(k):
            data.qpos[:], data.qvel[:] = kept[row, : model.nq], kept[row, model.nq :]
            mujoco.mj_fwdPosition(model, data)
            mujoco.mj_fwdVelocity(model, data)
            for i, body in enumerate(self.ids):
                R[row, i], c[row, i] = data.xmat[body].reshape(3, 3), data.xipos[body]
                mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, both, 0)
                w[row, i] = both[:3]
                u[row, i] = both[3:] + np.cross(both[:3], data.xipos[body] - data.xpos[body])
        return States(R, c, w, u)

    def start_accelerations(self) -> list[Array]:
        """Joint accelerations along the tree at the start."""
        model, data = self.model, self.data
        mujoco.mj_resetData(model, data)
        data.qvel[:] = self.v0
        mujoco.mj_forward(model, data)
        return [data.qacc[self.places(j.name)].copy() for j, _, _ in self.tree.edges]
