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
from benchmarks.peers.tree import closing_points, joint_rates, spanning_tree

mujoco.set_mju_user_warning(lambda message: None)  # unstable trials are expected; else they go to a log file
STIFF = (0.9999, 0.9999, 0.001, 0.5, 2.0)


class MujocoModel:
    """Compiled model with body frames parallel to the world's in the reference assembly."""

    def __init__(self, mech: ct.Mechanism, start: States | None = None) -> None:
        self.mech, self.tree = mech, spanning_tree(mech)
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
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.ids = [self.model.body(name).id for name in mech.bodies]
        self.v0 = np.zeros(self.model.nv)
        if start is None:
            return
        w = {"ground": np.zeros(3), **dict(zip(mech.bodies, start.w[0], strict=True))}
        for (j, _, _), rate in zip(self.tree.edges, joint_rates(mech, self.tree, w), strict=True):
            self.v0[self.places(j.name)] = rate

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

    def set_stiff(self, h: float, constant: float = 2.0) -> None:
        """RK4 of step h; impedance at its limit, time constant in steps; constraint solver run until it is exact."""
        option = self.model.opt
        option.integrator, option.timestep = mujoco.mjtIntegrator.mjINT_RK4, h
        option.tolerance, option.iterations = 1e-15, 100
        option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_REFSAFE) if constant < 2.0 else 0
        self.model.eq_solref[:] = (constant * h, 1.0)
        self.model.eq_solimp[:] = STIFF

    def run(self, per_output: int) -> tuple[float, States]:
        """Seconds of wall time and states at the output times, `per_output` steps between them."""
        model, data = self.model, self.data
        mujoco.mj_resetData(model, data)
        data.qvel[:] = self.v0
        kept = np.empty((len(TIMES), model.nq + model.nv))
        kept[0] = np.concatenate([data.qpos, data.qvel])
        start = time.perf_counter()
        for row in range(1, len(TIMES)):
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
