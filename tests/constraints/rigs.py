"""Mechanisms and routes to the same numbers for the tests of drivers, couplings and velocity rows."""

import numpy as np

import cotree as ct
from cotree.lie import quaternion_of

A, B, C, D = (0, 0, 0), (0.6, 0.8, 0), (2.4, 1.4, 0), (2.5, 0, 0)
Z = (0, 0, 1)


def four_bar():
    mech = ct.Mechanism("four-bar", gravity=(0, -9.81, 0))
    mech.body("crank", mass=1, com=(0.3, 0.4, 0), inertia=(0.1, 0.1, 0.1))
    mech.body("coupler", mass=2, com=(1.5, 1.1, 0), inertia=(0.6, 0.6, 0.6))
    mech.body("rocker", mass=1, com=(2.45, 0.7, 0), inertia=(0.2, 0.2, 0.2))
    mech.joint("A", "ground", "crank", ct.Revolute(point=A, axis=Z))
    mech.joint("B", "crank", "coupler", ct.Revolute(point=B, axis=Z))
    mech.joint("C", "coupler", "rocker", ct.Revolute(point=C, axis=Z))
    mech.joint("D", "ground", "rocker", ct.Revolute(point=D, axis=Z))
    return mech


def arm(*joints):
    """An open chain with a body of general inertia behind each joint."""
    mech = ct.Mechanism("arm")
    before = "ground"
    for k, joint in enumerate(joints):
        mech.body(f"b{k}", mass=1 + k, com=(0.3 + 0.4 * k, 0.1, -0.2), inertia=(0.1, 0.15, 0.2))
        mech.joint(f"j{k}", before, f"b{k}", joint)
        before = f"b{k}"
    return mech


def two_joints():
    return arm(ct.Revolute(point=(0, 0.1, 0), axis=(0, 1, 2)), ct.Revolute(point=(0.5, 0.2, 0.1), axis=(1, 0, 1)))


def to_absolute(relative, absolute, q, v):
    """The same state in absolute coordinates: poses and twists of the bodies."""
    C, V, W = ct.poses(relative, q), ct.twists(relative, q, v), ct.twists(relative, q, v, "spatial")
    q_out, v_out = [], []
    for name in absolute.body_names:
        k = relative.row_of(name)
        q_out += [*quaternion_of(C[k, :3, :3]), *C[k, :3, 3]]
        direct = W[k, 3:] + np.cross(W[k, :3], C[k, :3, 3])
        v_out += [*V[k, :3], *(direct if absolute.group == "SO3xR3" else V[k, 3:])]
    return np.array(q_out), np.array(v_out)


def difference(f, h=2e-3):
    """Derivative at zero by central differences of sixth order."""
    one, two, three = f(h) - f(-h), f(2 * h) - f(-2 * h), f(3 * h) - f(-3 * h)
    return (45.0 * one - 9.0 * two + three) / (60.0 * h)


def random_state(system, seed, size=0.4):
    rng = np.random.default_rng(seed)
    return ct.displace(system, system.q0, size * rng.standard_normal(system.nv)), rng.standard_normal(system.nv)


def check_rows(system, q, v, t=0.0, rows=slice(None), tolerance=2e-9):
    """Residual, Jacobian, rate and bias of some rows fit each other along the motion with constant v."""
    J, b, eta = (
        ct.constraint_jacobian(system, q, t),
        ct.theory.constraint_rate(system, q, t),
        ct.constraint_bias(system, q, v, t),
    )
    hol = system.holonomic

    def at(s):
        return ct.displace(system, q, s * v), t + s

    along = difference(lambda s: ct.constraint_residual(system, *at(s)))
    in_time = difference(lambda s: ct.constraint_residual(system, q, t + s))
    left_over = difference(
        lambda s: ct.constraint_jacobian(system, *at(s)) @ v - ct.theory.constraint_rate(system, *at(s))
    )
    np.testing.assert_allclose(np.where(hol, along - (J @ v - b), 0.0)[rows], 0.0, atol=tolerance)
    np.testing.assert_allclose(np.where(hol, in_time + b, 0.0)[rows], 0.0, atol=tolerance)
    np.testing.assert_allclose((left_over + eta)[rows], 0.0, atol=tolerance * 10)


def acceleration(system, q, v, t=0.0):
    """v_dot of the dense index-1 system [[M, J^T], [J, 0]], least norm where rows depend on each other."""
    M, J = ct.mass_matrix(system, q), ct.constraint_jacobian(system, q, t)
    f, eta = -ct.inverse_dynamics(system, q, v, None, t), ct.constraint_bias(system, q, v, t)
    K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    return np.linalg.lstsq(K, np.concatenate([f, eta]), rcond=1e-11)[0][: system.nv]


def body_accelerations(system, q, v, t=0.0):
    """By the bodies' names, about the world's origin."""
    a = ct.accelerations(system, q, v, acceleration(system, q, v, t), "spatial")
    return {name: a[system.row_of(name)] for name in system.body_names}


def same_in_absolute(mech, q, v, t=0.0, tolerance=1e-8, **kinds):
    """The constrained accelerations in relative coordinates (at q, v) and in absolute ones agree."""
    relative = mech.compile(**kinds)
    expected = body_accelerations(relative, q, v, t)
    for group in ("SE3", "SO3xR3"):
        absolute = mech.compile("absolute", group=group)
        x, u = to_absolute(relative, absolute, q, v)
        np.testing.assert_allclose(ct.constraint_residual(absolute, x, t), 0.0, atol=1e-9)
        J, b = ct.constraint_jacobian(absolute, x, t), ct.theory.constraint_rate(absolute, x, t)
        np.testing.assert_allclose(J @ u, b, atol=1e-9)
        found = body_accelerations(absolute, x, u, t)
        for name, a in expected.items():
            np.testing.assert_allclose(found[name], a, atol=tolerance * max(1.0, np.abs(a).max()))
