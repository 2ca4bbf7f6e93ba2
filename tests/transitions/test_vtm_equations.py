"""The equations of [VTM] one by one, on a closed mechanism (3-PRRR) with a joint locked in addition; NumPy on the one side."""

from __future__ import annotations

import numpy as np
import pytest

import cotree as ct
from cotree.system.switched import switched
from cotree.transitions import forms
from cotree.transitions.closing import activated

LOCKED = ("J12", "J22")


@pytest.fixture(scope="module")
def case():
    """Matrices at a closed state: persistent rows J1 (loops), added rows J2 (locks)."""
    system = ct.gallery.three_prrr().compile()
    rng = np.random.default_rng(3)
    q = ct.assemble(system, ct.displace(system, system.q0, 0.2 * rng.standard_normal(system.nv)))
    v = ct.consistent_velocity(system, q, rng.standard_normal(system.nv))
    after = switched(system, {**system.constraints, **activated(system, q, LOCKED)})
    M = ct.mass_matrix(system, q)
    f = -ct.inverse_dynamics(system, q, v)
    J1, J2 = ct.constraint_jacobian(system, q), ct.constraint_jacobian(after, q)[system.n_constraints :]
    return system, after, q, v, M, f, J1, J2


def weighted_inverse(M, J):
    """M-weighted right pseudoinverse of J."""
    W = np.linalg.solve(M, J.T)
    return W @ np.linalg.inv(J @ W)


def complement(J, rank):
    """(10): F with J F = 0, identity on the independent coordinates."""
    from scipy.linalg import qr

    order = qr(J, pivoting=True)[2]
    d, i = order[:rank], order[rank:]
    F = np.zeros((J.shape[1], len(i)))
    F[d], F[i] = -np.linalg.solve(J[:, d], J[:, i]), np.eye(len(i))
    return F, i


def test_configuration_space_of_a_switching_mechanism(case):
    """(1), (2), (14), (23): piecewise constraints; what is added holds where the switch happens, the persistent ones go on."""
    system, after, q, *_ = case
    assert np.abs(ct.constraint_residual(system, q)).max() < 1e-13
    assert np.abs(ct.constraint_residual(after, q)).max() < 1e-13
    assert after.n_constraints == system.n_constraints + len(LOCKED)
    assert set(system.constraint_names) < set(after.constraint_names)
    assert np.array_equal(after.q0, system.q0)  # the same coordinates and bodies
    assert np.array_equal(ct.mass_matrix(after, q), ct.mass_matrix(system, q))
    cut = system.cut_joints[0]
    opened = switched(
        after, after.constraints, dropped=[cut]
    )  # a loop opened: its rows are gone, the others are as before
    gone = next(r.kept for r in system.loop_rows if r.joint == cut)
    assert opened.n_constraints == after.n_constraints - gone
    assert ct.constraint_jacobian(opened, q) == pytest.approx(ct.constraint_jacobian(after, q)[gone:], abs=1e-14)


def test_lagrange_equations(case):
    """(3), (4), (5): M a + J^T lam = f, J a = eta, as one linear system."""
    system, _, q, v, M, f, J1, _ = case
    eta = ct.constraint_bias(system, q, v)
    m, n = J1.shape
    a = np.linalg.solve(np.block([[M, J1.T], [J1, np.zeros((m, m))]]), np.concatenate([f, eta]))[:n]
    assert a == pytest.approx(ct.forward_dynamics(system, q, v, formulation="index1").v_dot, abs=1e-10)


def test_gauss_principle_and_projected_equations(case):
    """(6), (7): the acceleration nearest to the free one in the metric of M; (8): N^T (M a - f) = 0; (9): by any projector."""
    system, _, q, v, M, f, J1, _ = case
    eta, P = ct.constraint_bias(system, q, v), weighted_inverse(M, J1)
    N = np.eye(len(M)) - P @ J1
    a = N @ np.linalg.solve(M, f) + P @ eta
    found = ct.forward_dynamics(system, q, v, formulation="projection").v_dot
    assert a == pytest.approx(found, abs=1e-10)
    free = np.linalg.solve(M, f)
    null = np.linalg.svd(J1)[2][len(J1) :]
    size = (found - free) @ M @ (found - free)
    for x in null:  # no admissible change brings it nearer
        assert (found + 1e-3 * x - free) @ M @ (found + 1e-3 * x - free) > size
    assert N.T @ (M @ found - f) == pytest.approx(np.zeros(len(M)), abs=1e-9)
    plain = np.eye(len(M)) - np.linalg.pinv(J1) @ J1
    assert plain.T @ (M @ found - f) == pytest.approx(np.zeros(len(M)), abs=1e-9)


def test_voronets_equations(case):
    """(10) to (13): F^T M F a2 = F^T (f - M F_dot v2), in independent coordinates."""
    system, _, q, v, M, f, J1, _ = case
    F, i = complement(J1, len(J1))
    assert np.abs(J1 @ F).max() < 1e-12
    assert F @ v[i] == pytest.approx(v, abs=1e-12)
    part = np.zeros(len(M))
    d = np.setdiff1d(np.arange(len(M)), i)
    part[d] = np.linalg.solve(J1[:, d], ct.constraint_bias(system, q, v))
    a2 = np.linalg.solve(F.T @ M @ F, F.T @ (f - M @ part))
    assert F @ a2 + part == pytest.approx(ct.forward_dynamics(system, q, v, formulation="voronets").v_dot, abs=1e-10)


@pytest.mark.parametrize("form", ["general", "redundant", "minimal"])
def test_compatibility_and_momentum_balance(case, form):
    """(15) to (17): J+ dv = -J+ v-; (18) to (21): M dv + J+^T Lam = 0; (22), (24): both at once."""
    system, _, q, v, M, _, J1, J2 = case
    J = np.concatenate([J1, J2])
    found = ct.transition(system, q, v, LOCKED, form=form)
    assert J1 @ v == pytest.approx(np.zeros(len(J1)), abs=1e-12)
    assert J @ found.v == pytest.approx(np.zeros(len(J)), abs=1e-12)
    assert J @ found.dv == pytest.approx(-J @ v, abs=1e-12)
    assert M @ found.dv + J.T @ found.multipliers == pytest.approx(np.zeros(len(M)), abs=1e-11)
    m = len(J)
    x = np.linalg.solve(np.block([[M, J.T], [J, np.zeros((m, m))]]), np.concatenate([np.zeros(len(M)), -J @ v]))
    assert found.dv == pytest.approx(x[: len(M)], abs=1e-10)
    assert found.impulse == pytest.approx(x[len(M) + len(J1) :], abs=1e-10)


def test_redundant_coordinates(case):
    """(25) to (32): with the projector of the persistent rows, [[M, N^T J2^T], [J2, 0]] [dv; Lam2] = [0; -J2 v]."""
    system, _, q, v, M, _, J1, J2 = case
    N = np.eye(len(M)) - weighted_inverse(M, J1) @ J1
    k = len(J2)
    A = np.block([[M, N.T @ J2.T], [J2, np.zeros((k, k))]])
    x = np.linalg.solve(A, np.concatenate([np.zeros(len(M)), -J2 @ v]))
    found = ct.transition(system, q, v, LOCKED, form="redundant")
    assert found.dv == pytest.approx(x[: len(M)], abs=1e-10)
    assert found.impulse == pytest.approx(x[len(M) :], abs=1e-10)
    assert N.T @ (M @ found.dv + J2.T @ found.impulse) == pytest.approx(np.zeros(len(M)), abs=1e-10)


def test_persistent_constraints_take_part_in_the_jump(case):
    """(25) to (32) for a velocity that violates the persistent constraints too: dv = dv1 + a part that they admit."""
    _, _, _, v, M, _, J1, J2 = case
    v = v + np.linspace(-0.3, 0.5, len(v))
    rhs = -np.concatenate([J1 @ v, J2 @ v])
    found, m = forms.redundant(M, J1, J2, rhs), len(rhs)
    J = np.concatenate([J1, J2])
    x = np.linalg.solve(np.block([[M, J.T], [J, np.zeros((m, m))]]), np.concatenate([np.zeros(len(M)), rhs]))
    assert np.abs(J1 @ v).max() > 0.1
    assert found.dv == pytest.approx(x[: len(M)], abs=1e-10)
    assert found.first == pytest.approx(x[len(M) : len(M) + len(J1)], abs=1e-10)
    assert found.added == pytest.approx(x[len(M) + len(J1) :], abs=1e-10)


def test_minimal_coordinates(case):
    """(33) to (37): with the Voronets complement of the persistent rows."""
    system, _, q, v, M, _, J1, J2 = case
    F, i = complement(J1, len(J1))
    Mbar, J2F, k = F.T @ M @ F, J2 @ F, len(J2)
    A = np.block([[Mbar, J2F.T], [J2F, np.zeros((k, k))]])
    x = np.linalg.solve(A, np.concatenate([np.zeros(len(i)), -J2F @ v[i]]))
    found = ct.transition(system, q, v, LOCKED, form="minimal")
    assert found.dv == pytest.approx(F @ x[: len(i)], abs=1e-10)
    assert found.impulse == pytest.approx(x[len(i) :], abs=1e-10)
    assert Mbar @ found.dv[i] + J2F.T @ found.impulse == pytest.approx(np.zeros(len(i)), abs=1e-10)


def test_joint_locking_of_the_planar_arm():
    """(38), (39): locks are rows of the identity; the pseudoinverse of the first lock is a column of M^-1 by its own entry."""
    system = ct.gallery.planar_3r().compile()
    rng = np.random.default_rng(0)
    q, v = rng.standard_normal(3), rng.standard_normal(3)
    first = switched(system, activated(system, q, ["J2"]))
    both = switched(system, activated(system, q, ["J2", "J3"]))
    assert ct.constraint_jacobian(first, q) == pytest.approx(np.array([[0.0, 1.0, 0.0]]))
    assert ct.constraint_jacobian(both, q) == pytest.approx(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    B = np.linalg.inv(ct.mass_matrix(system, q))
    assert weighted_inverse(ct.mass_matrix(system, q), np.eye(3)[1:2])[:, 0] == pytest.approx(B[:, 1] / B[1, 1])
    v[1] = 0.0
    runs = [ct.transition(first, q, v, ["J3"], form=form).dv for form in ("general", "redundant", "minimal")]
    assert runs[1] == pytest.approx(runs[0], abs=1e-12)
    assert runs[2] == pytest.approx(runs[0], abs=1e-12)
    assert runs[0][1] == pytest.approx(0.0, abs=1e-14)


def test_forces_that_are_bounded_have_no_part_in_the_jump():
    """Assumption 1, (19), (20): gravity, springs, dampers and motors do not change the jump."""
    arm, loaded = ct.gallery.planar_3r(), ct.gallery.planar_3r()
    loaded.joint_damper("d", "J1", 50.0)
    loaded.motor("m", "J3", 100.0)
    loaded.gravity = np.array([0.0, -100.0, 3.0])
    q, v = np.array([0.3, -0.4, 0.9]), np.array([1.0, 2.0, -3.0])
    a, b = (ct.transition(m.compile(), q, v, ["J2"]) for m in (arm, loaded))
    assert np.array_equal(a.dv, b.dv)
    assert np.array_equal(a.impulse, b.impulse)
    loaded.drive("d", "J1", lambda t: 2.0 * t)  # keeps on turning at its own rate, and supplies what that takes
    driven = loaded.compile()
    c = ct.transition(driven, q, np.array([2.0, 2.0, -3.0]), ["J2"])
    gained = ct.energy(driven, q, c.v).kinetic - ct.energy(driven, q, c.v_before).kinetic
    assert abs(c.supplied) > 0.1
    assert gained == pytest.approx(c.supplied - c.energy_loss, abs=1e-10)


def slider_crank(angle):
    """Crank of 1 m, rod of 3 m, slider along x."""
    mech = ct.Mechanism("slider-crank", gravity=(0, -9.81, 0))
    z, tip = (0, 0, 1), np.array([np.cos(angle), np.sin(angle), 0.0])
    end = np.array([tip[0] + np.sqrt(9.0 - tip[1] ** 2), 0.0, 0.0])
    crank = mech.body("crank", 1, tip / 2, (0.1, 0.1, 0.1))
    rod = mech.body("rod", 2, (tip + end) / 2, (1.5, 1.5, 1.5))
    slider = mech.body("slider", 1, end, (0.1, 0.1, 0.1))
    mech.joint("A", mech.ground, crank, ct.Revolute((0, 0, 0), z))
    mech.joint("B", crank, rod, ct.Revolute(tip, z))
    mech.joint("C", rod, slider, ct.Revolute(end, z))
    mech.joint("S", mech.ground, slider, ct.Prismatic(axis=(1, 0, 0)))
    return mech


def test_definition_1():
    """A change is singular where the configuration is a singular point before or after it."""
    for angle, lock, singular in ((0.0, "S", True), (0.0, "A", False), (1.0, "S", False)):
        system = slider_crank(angle).compile(cut=["C"])
        v = ct.consistent_velocity(system, system.q0, np.ones(system.nv))
        found = ct.transition(system, system.q0, v, [lock])
        assert found.singular == singular, (angle, lock)
        assert ("singular topology change" in str(found)) == singular
        # the slider at dead centre is at rest: its lock takes no velocity away, and yet nothing can move any more
        assert found.dof == (1 if singular else 0)
    flat = ct.gallery.parallelogram(angle=0.0).compile()
    v = ct.consistent_velocity(flat, flat.q0, np.ones(flat.nv))
    assert ct.transition(flat, flat.q0, v, ["B"]).singular  # branches meet there, before the lock
    spatial = slider_crank(1.0).compile(cut=["C"], regularize=False)  # dependent rows alone make nothing singular
    v = ct.consistent_velocity(spatial, spatial.q0, np.ones(spatial.nv))
    assert ct.transition(spatial, spatial.q0, v, ["A"]).singular is False
