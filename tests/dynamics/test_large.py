"""Ten thousand bodies: the recursions run, agree with each other, and their tables grow in proportion."""

import numpy as np
import pytest

import cotree as ct
from tests.random_mechanisms import relative_error


def large(shape, n):
    """n links of 0.1 m: one after another, or two at the end of each."""
    rng = np.random.default_rng(n)
    mech = ct.Mechanism(f"{shape} of {n}")
    ends, bodies = [np.zeros(3)], [mech.ground]
    for i in range(n):
        parent = i if shape == "chain" else (i + 1) // 2
        start, e = ends[parent], rng.normal(size=3)
        end = start + 0.1 * e / np.linalg.norm(e)
        body = mech.body(f"b{i}", 1.0, 0.5 * (start + end), (0.01, 0.01, 0.01))
        mech.joint(f"j{i}", bodies[parent], body, ct.Revolute(start, rng.normal(size=3)))
        ends.append(end)
        bodies.append(body)
    return mech.compile()


def table_bytes(system):
    tables = (system.links, system.dofs, system.bodies, system.workspace.links, system.workspace.dofs, system.q0)
    return sum(t.nbytes for t in tables)


def check_memory(small, big):
    """Bytes per body of all tables, ground's row apart, are the same."""
    ground = sum(t.itemsize for t in (small.links, small.bodies, small.workspace.links))
    assert (table_bytes(small) - ground) / small.n_bodies == (table_bytes(big) - ground) / big.n_bodies
    assert table_bytes(big) < 2_000 * big.n_bodies


def check_inverse_of_forward(system, q, v, tau, tolerance):
    v_dot = ct.forward_dynamics(system, q, v, tau).v_dot
    assert np.all(np.isfinite(v_dot))
    assert relative_error(ct.inverse_dynamics(system, q, v, v_dot), tau) < tolerance


def check_forward_of_inverse(system, q, v, v_dot, tolerance):
    tau = ct.inverse_dynamics(system, q, v, v_dot)
    assert relative_error(ct.forward_dynamics(system, q, v, tau).v_dot, v_dot) < tolerance


def check_energy_and_momentum(system, q, v):
    """Sums over all bodies against sums by numpy."""
    V, poses = ct.twists(system, q, v, "spatial")[1:], ct.poses(system, q)[1:]
    centres = np.array([system.mechanism.bodies[name].properties.com for name in system.body_names])
    x = np.einsum("kij,kj->ki", poses[:, :3, :3], centres) + poses[:, :3, 3]
    w, u = V[:, :3], V[:, 3:] + np.cross(V[:, :3], x)
    assert relative_error(ct.energy(system, q, v).kinetic, 0.5 * np.sum(u * u) + 0.005 * np.sum(w * w)) < 1e-10
    momentum = np.concatenate([np.sum(np.cross(x, u) + 0.01 * w, axis=0), np.sum(u, axis=0)])
    assert relative_error(ct.momentum(system, q, v), momentum) < 1e-10


@pytest.mark.parametrize(("shape", "tolerance"), [("chain", 1e-4), ("tree", 1e-9)])
def test_ten_thousand_bodies(shape, tolerance):
    """The tolerance is for accelerations: a long chain's mass matrix is ill-conditioned, whatever the method."""
    small, big = large(shape, 1_000), large(shape, 10_000)
    check_memory(small, big)
    rng = np.random.default_rng(1)
    q, v, v_dot = 0.1 * rng.normal(size=(3, big.nv))
    tau = rng.normal(size=big.nv)
    check_inverse_of_forward(big, q, v, tau, 1e-6)
    check_inverse_of_forward(big, q, v, tau + ct.inverse_dynamics(big, q), 1e-10)  # with what holds the weight
    check_forward_of_inverse(big, q, v, v_dot, tolerance)
    check_energy_and_momentum(big, q, v)
