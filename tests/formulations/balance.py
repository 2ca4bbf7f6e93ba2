"""Newton's and Euler's equations of each body, told a second time from poses, twists and accelerations alone."""

import numpy as np

import cotree as ct


def rate_of_momentum(mech, body, C, V, A):
    """Rate of momentum less gravity of a body told in the world frame, about the world's origin."""
    p = body.properties
    com = C[:3, :3] @ p.com + C[:3, 3]
    w, dw, theta = V[:3], A[:3], C[:3, :3] @ p.inertia @ C[:3, :3].T
    a = A[3:] + np.cross(dw, com) + np.cross(w, V[3:] + np.cross(w, com))
    force = p.mass * (a - mech.gravity)
    return np.concatenate([theta @ dw + np.cross(w, theta @ w) + np.cross(com, force), force])


def left_over(system, found):
    """For each body: all wrenches on it less its rate of momentum; without springs and loads."""
    mech, q, v = system.mechanism, found.q, found.v
    C, V = ct.poses(system, q), ct.twists(system, q, v, "spatial")
    A = ct.accelerations(system, q, v, found.v_dot, "spatial")
    total = {"ground": np.zeros(6)}
    for body in mech.bodies.values():
        k = system.row_of(body.name)
        total[body.name] = -rate_of_momentum(mech, body, C[k], V[k], A[k])
    reactions = found.reactions
    assert list(reactions) == list(mech.joints)
    for joint in mech.joints.values():
        total[joint.child] += reactions[joint.name]
        total[joint.parent] -= reactions[joint.name]
    for force in found.constraint_forces.values():
        for name, W in force.wrenches.items():
            total[name] += W
    total.pop("ground")
    return total


def size_of(found):
    """Largest reaction, by which errors are measured."""
    return max(1.0, *(np.abs(W).max() for W in found.reactions.values()))
