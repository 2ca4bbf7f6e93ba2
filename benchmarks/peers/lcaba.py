"""Pinocchio's loop-constrained articulated bodies (`pin.lcaba`) on the planar ladder.

It wants a penalty 1/mu on the loops and repeats a proximal step. Small mu makes few steps do, and costs digits, since 1/mu is
added to inertias: so the settings are searched. The ladder's middle is put at the origin, where the digits are best. Its Data
holds eight tensors of nv^3 numbers, of which four are filled: 1 GB for 160 loops, 256 GB for 1000, which no machine here has.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import cotree as ct
from benchmarks.divided import ANGLE, RATES, ladder_acceleration
from benchmarks.peers.tree import spanning_tree

LARGEST = 300  # loops, 7 GB
PENALTIES = (1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 1e-7, 1e-8)
STEPS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30)


@dataclass(frozen=True)
class Setting:
    """Proximal penalty and steps, and the error of the cranks' accelerations [rad/s^2]."""

    mu: float
    steps: int
    error: float


def gigabytes(n: int) -> float:
    """Of the four filled tensors, 2 n + 1 coordinates."""
    return 32e-9 * (2 * n + 1) ** 3


class LoopLadder:
    """The ladder for Pinocchio, on the tree that Cotree takes: cranks on ground, couplers on cranks, the rest closed by
    points (three rows each, one of which is idle in the plane)."""

    def __init__(self, n: int) -> None:
        mech, model = ct.gallery.n_four_bar(n, ANGLE), pin.Model()
        tree = spanning_tree(mech)
        model.gravity.linear = mech.gravity
        ids, at = {"ground": 0}, {"ground": np.array([0.5 * n, 0.0, 0.0])}
        for j, inner, outer in tree.edges:
            p, body = np.asarray(j.joint.point, dtype=float), mech.bodies[outer].properties
            ids[outer] = model.addJoint(ids[inner], pin.JointModelRZ(), pin.SE3(np.eye(3), p - at[inner]), j.name)
            model.appendBodyToJoint(ids[outer], pin.Inertia(body.mass, body.com - p, body.inertia), pin.SE3.Identity())
            at[outer] = p
        self.constraints, self.datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for j in tree.cuts:
            p = np.asarray(j.joint.point, dtype=float)
            ends = [(ids[b], pin.SE3(np.eye(3), p - at[b])) for b in (j.parent, j.child)]
            one = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *ends[0], *ends[1])
            self.constraints.append(one)
            self.datas.append(one.createData())
        self.n, self.model, self.data = n, model, model.createData()
        pin.computeJointMinimalOrdering(model, self.data, self.constraints)
        names = list(model.names)[1:]
        self.q, self.tau = np.zeros(model.nv), np.zeros(model.nv)
        self.v = np.array([RATES[name[0]] for name in names])
        self.cranks = [k for k, name in enumerate(names) if name[0] == "A"]

    def accelerations(self, mu: float, steps: int) -> NDArray[np.float64]:
        """One call; the settings are spent by it."""
        settings = pin.ProximalSettings(1e-14, mu, steps)
        found: NDArray[np.float64] = pin.lcaba(
            self.model, self.data, self.q, self.v, self.tau, self.constraints, self.datas, settings
        )
        return found

    def error(self, mu: float, steps: int) -> float:
        return float(np.abs(self.accelerations(mu, steps)[self.cranks] - ladder_acceleration(self.n)).max())

    def fewest_steps(self, tolerance: float) -> Setting:
        """The first number of steps with errors within the tolerance for some penalty; the best of all if none has."""
        tried = []
        for steps in STEPS:
            tried.append(self.most_accurate(steps))
            if tried[-1].error <= tolerance:
                return tried[-1]
        return min(tried, key=lambda s: s.error)

    def most_accurate(self, steps: int) -> Setting:
        """The best penalty for so many steps."""
        return min((Setting(mu, steps, self.error(mu, steps)) for mu in PENALTIES), key=lambda s: s.error)
