"""Derivatives of a long chain with many loops, whose motion is known in closed form: who is right where we and Pinocchio
differ.

In the N-four-bar all cranks turn by one angle and all couplers translate: theta_ddot = (forces - V'(theta)) / M, M constant, so
that along the motion d(theta_ddot)/d(theta) = -V''(theta) / M. On the tree that Pinocchio is given, one chain over all cranks
and couplers, ours is 3e-9 off for N = 40 and Pinocchio's 1.5e-7; on the tree that we choose ours is exact to rounding.
"""

import numpy as np
import pytest

import cotree as ct

ANGLE = 1.0


def slope(mech):
    """-V''(theta) / M."""
    inertia, stiffness, g = 0.0, 0.0, mech.gravity[1]
    B = np.asarray(mech.joints["B0"].joint.point)
    for name, body in mech.bodies.items():
        p = body.properties
        if name.startswith("crank"):
            d = p.com - np.array([float(name[5:]), 0.0, 0.0])
            inertia, stiffness = inertia + p.inertia[2, 2] + p.mass * (d @ d), stiffness + g * p.mass * d[1]
        else:
            inertia, stiffness = inertia + p.mass * (B @ B), stiffness + g * p.mass * B[1]
    return -stiffness / inertia


def error(system, dq, mech):
    """Relative, along the motion of all coordinates."""
    z = np.linalg.svd(ct.constraint_jacobian(system, system.q0))[2][-1]
    expected = slope(mech) * z
    return np.abs(dq @ z - expected).max() / np.abs(expected).max()


@pytest.mark.parametrize("n", [2, 10, 40])
def test_against_the_closed_form(n):
    mech = ct.gallery.n_four_bar(n, ANGLE)
    for cut, tolerance in ((None, 1e-12), ([f"A{k}" for k in range(1, n + 1)], 1e-8)):
        system = mech.compile(cut=cut)
        v, tau = ct.consistent_velocity(system, system.q0, np.ones(system.nv)), np.linspace(-1.0, 1.0, system.nv)
        found = ct.forward_dynamics_derivatives(system, system.q0, v, tau)
        assert error(system, found.dq, mech) < tolerance


def test_beside_pinocchio():
    """On the same tree, N = 40: both near the closed form, ours nearer."""
    pytest.importorskip("pinocchio")
    from benchmarks.peers.ladder_chain import LadderChain

    peer = LadderChain(40)
    system, order = peer.system, peer.order
    v, tau = ct.consistent_velocity(system, system.q0, np.ones(system.nv)), np.linspace(-1.0, 1.0, system.nv)
    theirs = np.empty((2, system.nv))
    theirs[:, order] = v, tau
    data = peer.derivatives(*theirs)
    mech = system.mechanism
    ours = error(system, ct.forward_dynamics_derivatives(system, system.q0, v, tau).dq, mech)
    other = error(system, data.ddq_dq[np.ix_(order, order)], mech)
    assert ours < 1e-8
    assert ours < other < 1e-6
