"""Joint reactions: the balance of every body, and statics by hand."""

import numpy as np
import pytest
from hypothesis import given, settings

import cotree as ct
from tests.random_mechanisms import JOINTS, ONE_DOF, act, cases, error, inverse

from .loads import with_springs

some = settings(max_examples=40, deadline=None)


def rate_of_momentum(body, C, V, A):
    """Wrench about the world's origin that gives a body with spatial twist V the spatial acceleration A."""
    R = C[:3, :3] @ body.pose[:3, :3].T
    x, I, m = act(C @ inverse(body.pose), body.com), R @ body.inertia @ R.T, body.mass
    w, alpha = V[:3], A[:3]
    u = V[3:] + np.cross(w, x)
    acceleration = A[3:] + np.cross(alpha, x) + np.cross(w, u)  # of the material point at x
    force = m * acceleration
    return np.concatenate([I @ alpha + np.cross(w, I @ w) + np.cross(x, force), force])


def weight(body, C, gravity):
    f = body.mass * gravity
    return np.concatenate([np.cross(act(C @ inverse(body.pose), body.com), f), f])


def balance(c, loaded, result, s):
    """For each body: gravity, springs and reactions less the rate of momentum."""
    system = loaded.system
    poses, V = ct.poses(system, s.q), ct.twists(system, s.q, s.v, "spatial")
    A = ct.accelerations(system, s.q, s.v, result.v_dot, "spatial")
    total = {"ground": np.zeros(6)}
    for row, name in enumerate(system.body_names, 1):
        body = c.tree.body(name)
        total[name] = weight(body, poses[row], c.tree.gravity) - rate_of_momentum(body, poses[row], V[row], A[row])
    for spring in loaded.springs:
        a, b = loaded.ends(spring, s.q)
        stretch = loaded.length(spring, s.q) - loaded.relaxed(spring)
        pull = spring.stiffness * stretch + spring.damping * loaded.length_rate(spring, s.q, s.v)
        f = pull * (b - a) / np.linalg.norm(b - a)
        total[spring.bodies[0]] += np.concatenate([np.cross(a, f), f])
        total[spring.bodies[1]] -= np.concatenate([np.cross(b, f), f])
    for j in c.tree.joints:
        total[j.child] += result.reactions[j.name]
        total[j.parent] -= result.reactions[j.name]
    return total


@given(cases(joints=JOINTS))
@some
def test_newton_and_euler_for_each_body(c):
    """Reactions act on the user's child, and reversed on the parent; with them every body is in balance, welded or not."""
    loaded, s = with_springs(c), c.state
    result = ct.forward_dynamics(loaded.system, s.q, s.v, s.tau)
    size = max(1.0, *(np.abs(W).max() for W in result.reactions.values()))
    for name, rest in balance(c, loaded, result, s).items():
        assert name == "ground" or np.abs(rest).max() < 1e-11 * size


@given(cases(joints=ONE_DOF))
@some
def test_free_component_is_the_joint_force(c):
    """Along its own motion a joint transmits tau and its springs, nothing else."""
    loaded, s = with_springs(c, 0), c.state
    result = ct.forward_dynamics(loaded.system, s.q, s.v, s.tau)
    springs = {x.name: x for x in loaded.joint_springs}
    for j in c.tree.joints:
        i = loaded.system.velocity_index(j.name)
        expected = s.tau[i]
        if j.name in springs:
            x = springs[j.name]
            expected -= x.stiffness * (s.q[i] - x.rest) + x.damping * s.v[i]
        S = ct.spatial_jacobian(loaded.system, s.q, j.outer)[:, i] * (-1.0 if j.backward else 1.0)
        W = result.reactions[j.name]
        assert abs(S @ W - expected) < 1e-12 * max(1.0, np.abs(W).max() * np.abs(S).max())


@given(cases(joints=ONE_DOF, max_bodies=4))
@some
def test_about_another_point(c):
    """The moment moves with the point, the force does not."""
    result = ct.forward_dynamics(c.system, c.state.q, c.state.v, c.state.tau)
    name, p = c.tree.joints[-1].name, c.rng.normal(size=3)
    W, there = result.reactions[name], result.reaction(name, p)
    assert error(there, [*(W[:3] - np.cross(p, W[3:])), *W[3:]]) < 1e-13
    assert np.array_equal(result.reaction(name), W)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("pose", [None, np.eye(4)])
def test_hanging_chain(turned, pose):
    """A chain of pendulums at rest: each joint carries the weight below it, and no moment about itself."""
    mech, g, masses = ct.Mechanism(gravity=(0, 0, -9.81)), 9.81, [1.0, 2.0, 3.0, 4.0]
    last = mech.ground
    for i, m in enumerate(masses):
        body = mech.body(f"b{i}", m, (0, 0, -i - 0.5), (0.1, 0.1, 0.1), pose=pose)
        ends = (body, last) if turned else (last, body)
        mech.joint(f"j{i}", *ends, ct.Spherical((0, 0, -i)) if i % 2 else ct.Revolute((0, 0, -i), (1, 0, 0)))
        last = body
    system = mech.compile()
    result = ct.forward_dynamics(system, system.q0)
    assert error(result.v_dot, np.zeros(system.nv)) < 1e-13
    for i in range(4):
        up = g * sum(masses[i:]) * (-1.0 if turned else 1.0)
        assert error(result.reaction(f"j{i}", (0, 0, -i)), [0, 0, 0, 0, 0, up]) < 1e-12


def test_rotating_arm():
    """A mass on an arm that turns at constant speed pulls outwards with m w^2 r."""
    mech = ct.Mechanism(gravity=(0, 0, 0))
    arm = mech.body("arm", 2.0, (1.5, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("hub", mech.ground, arm, ct.Revolute((0, 0, 0), (0, 0, 1)))
    result = ct.forward_dynamics(mech.compile(), [np.pi / 2], [3.0])  # the arm points along y
    assert error(result.v_dot, [0.0]) < 1e-15
    assert error(result.reactions["hub"], [0, 0, 0, 0, -2.0 * 9.0 * 1.5, 0]) < 1e-13
