"""Accelerations of handle bodies as functions of wrenches on them, beside forward dynamics and the paper's recursion."""

import numpy as np
import pytest

import cotree as ct
from cotree.formulations import handles
from tests.closed_mechanisms import FAMILIES, closed_pose, random_loop


def state_of(system, seed=3):
    rng = np.random.default_rng(seed)
    q = closed_pose(system, rng)
    return q, ct.consistent_velocity(system, q, rng.normal(size=system.nv))


def by_forward_dynamics(system, q, v, bodies, wrenches):
    """Spatial accelerations with the wrenches as joint forces."""
    tau = sum(ct.spatial_jacobian(system, q, b).T @ w for b, w in zip(bodies, wrenches, strict=True))
    v_dot = ct.forward_dynamics(system, q, v, tau).v_dot
    return ct.accelerations(system, q, v, v_dot, frame="spatial")[[system.row_of(b) for b in bodies]].ravel()


@pytest.mark.parametrize("family", FAMILIES)
def test_beside_forward_dynamics(family):
    rng = np.random.default_rng(11)
    system = random_loop(rng, (family, family), "Cylindrical" if family == "schoenflies" else "Revolute").compile()
    q, v = state_of(system)
    bodies = list(system.body_names[:2])
    found = ct.theory.handle_equations(system, q, v, bodies)
    wrenches = rng.normal(size=(2, 6))
    want = by_forward_dynamics(system, q, v, bodies, wrenches)
    assert found.Z @ wrenches.ravel() + found.z == pytest.approx(want, abs=1e-9 * max(1.0, np.abs(want).max()))
    assert np.linalg.eigvalsh(found.Z).min() > -1e-12
    assert found.block(bodies[0], bodies[1]) == pytest.approx(found.Z[:6, 6:], abs=0)


def test_both_routes_agree():
    system = ct.gallery.four_bar().compile()
    q, v = state_of(system)
    J = np.concatenate([ct.spatial_jacobian(system, q, b) for b in ("crank", "rocker")])
    dense = handles._by_matrices(system, q, 0.0, J)
    divided = handles._by_division(system, q, v, np.zeros(system.nv), 0.0, J)
    assert divided == pytest.approx(dense, abs=1e-10 * np.abs(dense).max())


def test_large_systems_are_divided():
    system = ct.gallery.n_four_bar(110).compile()
    names = list(system.body_names)
    found = ct.theory.handle_equations(system, system.q0, None, [names[0], names[-1]])
    wrench = np.arange(12.0) - 5.0
    want = by_forward_dynamics(system, system.q0, None, [names[0], names[-1]], wrench.reshape(2, 6))
    assert found.Z @ wrench + found.z == pytest.approx(want, abs=1e-8 * np.abs(want).max())


def inverse_inertia(mass, com, inertia):
    """Of a body about the world's origin, (6, 6)."""
    c = np.array([[0, -com[2], com[1]], [com[2], 0, -com[0]], [-com[1], com[0], 0]])
    return np.linalg.inv(np.block([[np.diag(inertia) + mass * c @ c.T, mass * c], [mass * c.T, mass * np.eye(3)]]))


def test_two_bodies_by_the_recursion_of_the_paper():
    """[DCA (15), (24) to (30)] by hand: two free bodies, a hinge between them, handles on both."""
    a, b = (
        {"mass": 2.0, "com": (0.5, 0.1, 0), "inertia": (0.1, 0.2, 0.3)},
        {"mass": 1.0, "com": (1.4, 0, 0.2), "inertia": (0.1, 0.1, 0.1)},
    )
    m = ct.Mechanism("two", gravity=(0, 0, 0))
    m.body("a", **a)
    m.body("b", **b)
    m.joint("free", m.ground, "a", ct.Free())
    m.joint("hinge", "a", "b", ct.Revolute((1, 0, 0), (0, 0, 1)))
    system = m.compile()
    Za, Zb = inverse_inertia(**a), inverse_inertia(**b)
    H = np.array([0, 0, 1, 0, -1, 0.0])
    D = np.linalg.svd(H[None])[2][1:].T  # complement: wrenches that the hinge transmits
    W = D @ np.linalg.solve(D.T @ (Za + Zb) @ D, D.T)
    want = np.block([[Za - Za @ W @ Za, Za @ W @ Zb], [Zb @ W @ Za, Zb - Zb @ W @ Zb]])
    found = ct.theory.handle_equations(system, system.q0, None, ["a", "b"])
    assert pytest.approx(want, abs=1e-12) == found.Z
    assert found.z == pytest.approx(np.zeros(12), abs=1e-12)


def test_bodies_that_are_no_handles():
    system = ct.gallery.four_bar().compile()
    for bodies in ([], ["crank", "crank"], ["ground"]):
        with pytest.raises(ct.errors.ArgumentError, match="other than ground, each once"):
            ct.theory.handle_equations(system, system.q0, None, bodies)


def test_blocks_by_body():
    mech = ct.gallery.four_bar()
    system = mech.compile()
    found = ct.theory.handle_equations(system, system.q0, None, ["crank", "rocker"])
    assert np.array_equal(found.block(mech.bodies["crank"], "rocker"), found.Z[:6, 6:])
    for name in ("roker", "coupler", 3):
        with pytest.raises(ct.errors.UnknownNameError, match="among the handles"):
            found.block("crank", name)
