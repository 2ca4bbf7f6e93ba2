"""The trees that are timed, for Cotree and for Pinocchio alike."""

from __future__ import annotations

from typing import Any

import numpy as np

import cotree as ct

LINK = 0.3
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
INERTIA = (1 / 12 * (3 * 0.05**2 + LINK**2), 1 / 12 * (3 * 0.05**2 + LINK**2), 0.5 * 0.05**2)


def chain_parents(n: int) -> list[int]:
    return list(range(n))


def branched_parents(n: int, seed: int = 0) -> list[int]:
    """Random tree, 1-based parents, 0 is ground; depth first, as Pinocchio's mass matrix requires."""
    rng = np.random.default_rng(seed)
    parents = [0]
    for k in range(1, n):
        branch = k  # climb from the newest body, one step with probability 1/3 each
        while branch > 0 and rng.random() < 1 / 3:
            branch = parents[branch - 1]
        parents.append(branch)
    return parents


def cotree_tree(parents: list[int]) -> ct.Mechanism:
    """Rods of 1 kg and 0.3 m joined by revolutes whose axes alternate."""
    mech = ct.Mechanism(f"tree of {len(parents)}")
    bodies, heights = [mech.ground], [0.0]
    for k, parent in enumerate(parents):
        heights.append(heights[parent] + LINK)
        p = (0.0, 0.0, heights[-1])
        bodies.append(mech.body(f"b{k}", 1.0, p, INERTIA))
        mech.joint(f"j{k}", bodies[parent], bodies[-1], ct.Revolute(p, AXES[k % 3]))
    return mech


def pinocchio_tree(parents: list[int]) -> Any:
    """The same for Pinocchio."""
    import pinocchio as pin

    model = pin.Model()
    ids = [0]
    joints = (pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ)
    for k, parent in enumerate(parents):
        place = pin.SE3(np.eye(3), np.array([0.0, 0.0, LINK]))
        ids.append(model.addJoint(ids[parent], joints[k % 3](), place, f"j{k}"))
        model.appendBodyToJoint(ids[-1], pin.Inertia(1.0, np.zeros(3), np.diag(INERTIA)), pin.SE3.Identity())
    return model
