"""The N-four-bar for Pinocchio's constrained dynamics and its derivatives: one chain over all cranks and couplers, whose other
cranks are held to ground by points, in which form its accelerations agree with ours. With loops between two moving bodies, as
we set them up, they did not; the reason was not found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import cotree as ct

ANGLE = 1.0


class LadderChain:
    """Model, loops, and the state (q = 0) in the order of Pinocchio's joints; `system`: Cotree's with the same tree."""

    def __init__(self, n: int) -> None:
        mech = ct.gallery.n_four_bar(n, ANGLE)
        self.system = mech.compile(cut=[f"A{k}" for k in range(1, n + 1)])
        self.model = pin.Model()
        self.model.gravity.linear = np.asarray(mech.gravity, dtype=float)
        at, ids = {"ground": np.zeros(3)}, {"ground": 0}
        for name in ["A0", *(f"{letter}{k}" for k in range(n) for letter in "BC")]:
            j = mech.joints[name]
            p, body = np.asarray(j.joint.point, dtype=float), mech.bodies[j.child].properties
            place = pin.SE3(np.eye(3), p - at[j.parent])
            ids[j.child] = self.model.addJoint(ids[j.parent], pin.JointModelRZ(), place, name)
            inertia = pin.Inertia(body.mass, body.com - p, body.inertia)
            self.model.appendBodyToJoint(ids[j.child], inertia, pin.SE3.Identity())
            at[j.child] = p
        self.loops, self.datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for k in range(1, n + 1):
            p, body = np.array([float(k), 0.0, 0.0]), f"crank{k}"
            ends = pin.SE3(np.eye(3), p - at[body]), pin.SE3(np.eye(3), p)
            kind = pin.ContactType.CONTACT_3D
            one = pin.RigidConstraintModel(kind, self.model, ids[body], ends[0], 0, ends[1], pin.LOCAL)
            self.loops.append(one)
            self.datas.append(one.createData())
        self.data = self.model.createData()
        pin.initConstraintDynamics(self.model, self.data, self.loops, self.datas)
        self.q, self.settings = np.zeros(self.model.nv), pin.ProximalSettings(1e-12, 1e-8, 20)
        names = list(self.model.names)[1:]
        self.order = [names.index(x) for x in self.system.coordinate_names]

    def derivatives(self, v: NDArray[np.float64], tau: NDArray[np.float64]) -> Any:
        """Accelerations and their derivatives at v and tau, in Pinocchio's order."""
        pin.constraintDynamics(self.model, self.data, self.q, v, tau, self.loops, self.datas, self.settings)
        pin.computeConstraintDynamicsDerivatives(self.model, self.data, self.loops, self.datas, self.settings)
        return self.data
