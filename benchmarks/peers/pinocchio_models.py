"""Pinocchio: joint coordinates, loops by `constraintDynamics` with proximal iterations; it has no integrator, so RK4 here.

`pin.integrate` moves q along the group, `pin.dDifference` brings the stages' velocities back to the step's start (the dexp_inv
of Munthe-Kaas), without which a ball joint would cost RK4 two orders.
"""

from __future__ import annotations

import time

import numpy as np
import pinocchio as pin

import cotree as ct
from benchmarks.peers.cases import TIMES, Array, States
from benchmarks.peers.tree import closing_points, joint_rates, spanning_tree

AXES = {(1, 0, 0): "RX", (0, 1, 0): "RY", (0, 0, 1): "RZ"}


class PinocchioModel:
    """Model with joint frames parallel to the world's in the reference assembly; depth first, as `crba` wants it."""

    def __init__(self, mech: ct.Mechanism, start: States, stiffness: float = 0.0, mu: float = 1e-10) -> None:
        self.mech, self.tree, model = mech, spanning_tree(mech), pin.Model()
        model.gravity.linear = mech.gravity
        self.ids, at = {"ground": 0}, {"ground": np.zeros(3)}
        stack = [edge for edge in reversed(self.tree.edges) if edge[1] == "ground"]
        while stack:
            j, inner, outer = stack.pop()
            self._add(model, at, j, inner, outer)
            stack += [edge for edge in reversed(self.tree.edges) if edge[1] == outer]
        self.model, self.data, self.at = model, model.createData(), at
        self.constraints, self.constraint_datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for j in self.tree.cuts:
            for p in closing_points(mech, j.joint):
                ends = [self.ids[j.parent], pin.SE3(np.eye(3), p - at[j.parent])]
                ends += [self.ids[j.child], pin.SE3(np.eye(3), p - at[j.child])]
                one = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *ends, pin.ReferenceFrame.LOCAL)
                one.setBaumgarteCorrectorParameters(pin.BaumgarteCorrectorParameters(stiffness**2, 2.0 * stiffness))
                self.constraints.append(one)
                self.constraint_datas.append(one.createData())
        pin.initConstraintDynamics(model, self.data, self.constraints, self.constraint_datas)
        self.proximal = pin.ProximalSettings(1e-12, mu, 20)
        w = {"ground": np.zeros(3), **dict(zip(mech.bodies, start.w[0], strict=True))}
        self.v0 = np.zeros(model.nv)
        for (_, _, outer), rate in zip(self.tree.edges, joint_rates(mech, self.tree, w), strict=True):
            place = model.joints[self.ids[outer]].idx_v
            self.v0[place : place + len(rate)] = rate

    def _add(self, model, at, j, inner, outer) -> None:
        p, properties = np.asarray(j.joint.point, dtype=float), self.mech.bodies[outer].properties
        if isinstance(j.joint, ct.Spherical):
            joint = pin.JointModelSpherical()
        else:
            axis = j.joint.axis / np.linalg.norm(j.joint.axis)
            name = AXES.get(tuple(axis.tolist()))
            joint = pin.JointModelRevoluteUnaligned(axis) if name is None else getattr(pin, f"JointModel{name}")()
        self.ids[outer] = model.addJoint(self.ids[inner], joint, pin.SE3(np.eye(3), p - at[inner]), outer)
        own = pin.Inertia(properties.mass, properties.com - p, properties.inertia)
        model.appendBodyToJoint(self.ids[outer], own, pin.SE3.Identity())
        at[outer] = p

    def run(self, per_output: int) -> tuple[float, States]:
        """Seconds of wall time and states at the output times, `per_output` RK4 steps between them."""
        model, data, tau = self.model, self.data, np.zeros(self.model.nv)
        cms, cds, settings = self.constraints, self.constraint_datas, self.proximal
        integrate = pin.integrate
        if len(cms):

            def f(q, v):
                return pin.constraintDynamics(model, data, q, v, tau, cms, cds, settings).copy()
        else:

            def f(q, v):
                return pin.aba(model, data, q, v, tau).copy()

        def rate(q, stage, v):
            return v if flat else pin.dDifference(model, q, stage, pin.ArgumentPosition.ARG1) @ v

        flat = model.nq == model.nv
        q, v, h = pin.neutral(model), self.v0.copy(), (TIMES[1] - TIMES[0]) / per_output
        kept = [(q, v)]
        start = time.perf_counter()
        for _ in range(1, len(TIMES)):
            for _ in range(per_output):
                a1 = f(q, v)
                q2, v2 = integrate(model, q, 0.5 * h * v), v + 0.5 * h * a1
                a2, d2 = f(q2, v2), rate(q, q2, v2)
                q3, v3 = integrate(model, q, 0.5 * h * d2), v + 0.5 * h * a2
                a3, d3 = f(q3, v3), rate(q, q3, v3)
                q4, v4 = integrate(model, q, h * d3), v + h * a3
                a4, d4 = f(q4, v4), rate(q, q4, v4)
                q = integrate(model, q, h / 6.0 * (v + 2.0 * d2 + 2.0 * d3 + d4))
                v = v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
            kept.append((q, v))
        return time.perf_counter() - start, self.states(kept)

    def start(self) -> list[tuple[Array, Array]]:
        """State at the start."""
        return [(pin.neutral(self.model), self.v0)]

    def states(self, kept: list[tuple[Array, Array]]) -> States:
        k, n = len(kept), len(self.mech.bodies)
        R, c, w, u = np.empty((k, n, 3, 3)), np.empty((k, n, 3)), np.empty((k, n, 3)), np.empty((k, n, 3))
        for row, (q, v) in enumerate(kept):
            pin.forwardKinematics(self.model, self.data, q, v)
            for i, body in enumerate(self.mech.bodies.values()):
                place, rate = self.data.oMi[self.ids[body.name]], self.data.v[self.ids[body.name]]
                arm = body.properties.com - self.at[body.name]
                R[row, i], c[row, i] = place.rotation, place.act(arm)
                w[row, i] = place.rotation @ rate.angular
                u[row, i] = place.rotation @ (rate.linear + np.cross(rate.angular, arm))
        return States(R, c, w, u)

    def start_accelerations(self) -> list[Array]:
        """Joint accelerations along the tree at the start."""
        q, tau = pin.neutral(self.model), np.zeros(self.model.nv)
        if len(self.constraints):
            rates = pin.constraintDynamics(
                self.model, self.data, q, self.v0, tau, self.constraints, self.constraint_datas, self.proximal
            )
        else:
            rates = pin.aba(self.model, self.data, q, self.v0, tau)
        joints = [self.model.joints[self.ids[outer]] for _, _, outer in self.tree.edges]
        return [rates[j.idx_v : j.idx_v + j.nv].copy() for j in joints]
