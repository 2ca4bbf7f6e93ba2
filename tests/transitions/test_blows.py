"""Prescribed impulses and constraints that are let go in a transition."""

import numpy as np
import pytest

import cotree as ct

Z = (0, 0, 1)


def four_bar():
    system = ct.gallery.four_bar().compile()
    q = ct.assemble(system, system.q0, fixed=())
    return system, q, ct.consistent_velocity(system, q, [1.0, -0.3, 0.2])


def pendulum(stiff=False):
    m = ct.Mechanism("pendulum", gravity=(0, -9.81, 0))
    m.body("rod", mass=2.0, com=(0.5, 0, 0), inertia=(0.01, 0.2, 0.2))
    m.joint("A", m.ground, "rod", ct.Revolute((0, 0, 0), Z))
    return m


def test_a_hammer_on_a_pendulum():
    """A blow P at a distance r from the hinge: dw = P r / I; the hinge feels P (m c r / I - 1)."""
    system = pendulum().compile()
    P, r = 3.0, 0.8
    I = 0.2 + 2.0 * 0.5**2
    found = ct.transition(system, [0.0], [0.4], impulse={"rod": (0, 0, r * P, 0, P, 0)})
    assert found.dv == pytest.approx([P * r / I], rel=1e-14)
    assert found.joint_impulses["A"][3:] == pytest.approx([0, 2.0 * 0.5 * P * r / I - P, 0], abs=1e-13)
    assert found.joint_impulses["A"][:3] == pytest.approx([0, 0, 0], abs=1e-13)
    assert found.energy_loss == pytest.approx(0.0, abs=1e-15)
    assert "by the impulse" in str(found)


def test_the_centre_of_percussion_is_not_felt_by_the_hinge():
    system = pendulum().compile()
    r = 0.7 / (2.0 * 0.5)
    found = ct.transition(system, [0.0], [0.0], impulse={"rod": (0, 0, r, 0, 1, 0)})
    assert found.joint_impulses["A"] == pytest.approx(np.zeros(6), abs=1e-14)


@pytest.mark.parametrize("form", ["general", "redundant", "minimal"])
def test_balances_with_loops_locks_and_a_blow(form):
    system, q, v = four_bar()
    rng = np.random.default_rng(4)
    given = {"coupler": rng.normal(size=6), "A": 0.3}
    found = ct.transition(system, q, v, activate=["B"], form=form, impulse=given)
    generalized = ct.spatial_jacobian(system, q, "coupler").T @ given["coupler"]
    generalized[system.v_index("A")] += 0.3
    assert found.balance == pytest.approx(np.zeros(system.nv), abs=1e-12)
    M, J = ct.mass_matrix(system, q), ct.constraint_jacobian(found.system, q)
    KKT = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    want = np.linalg.lstsq(KKT, np.concatenate([M @ v + generalized, np.zeros(len(J))]), rcond=1e-12)[0][: system.nv]
    assert found.v == pytest.approx(want, abs=1e-10)
    change = ct.energy(system, q, found.v).kinetic - ct.energy(system, q, v).kinetic
    assert change == pytest.approx(found.supplied + found.impulse_work - found.energy_loss, abs=1e-12)
    assert found.energy_loss >= 0.0


def test_a_blow_on_a_closed_loop_loses_nothing():
    system, q, v = four_bar()
    found = ct.transition(system, q, v, impulse=[0.5, 0, 0])
    change = ct.energy(system, q, found.v).kinetic - ct.energy(system, q, v).kinetic
    assert found.impulse_work == pytest.approx(change, abs=1e-12)
    assert found.energy_loss == pytest.approx(0.0, abs=1e-13)
    assert ct.constraint_jacobian(system, q) @ found.v == pytest.approx(np.zeros(2), abs=1e-12)


def test_every_body_is_balanced():
    """What the joints transmit and the blow change the momentum of each body."""
    system, q, v = four_bar()
    blow = np.array([0.1, -0.2, 0.3, 0.4, 0.5, -0.6])
    found = ct.transition(system, q, v, impulse={"coupler": blow})
    still = np.zeros(system.nv)
    change = dict.fromkeys(system.body_names, 0)
    for name, wrench in found.joint_impulses.items():
        c = system.mechanism.joints[name]
        for body, sign in ((c.parent, -1.0), (c.child, 1.0)):
            if body != "ground":
                change[body] = change[body] + sign * wrench
    total = sum(change.values()) + blow
    dp = ct.momentum(system, q, found.dv) - ct.momentum(system, q, still)
    assert total == pytest.approx(dp, abs=1e-12)


def test_what_is_let_go_leaves_velocities_as_they_are():
    m = pendulum()
    m.drive("motor", "A", lambda t: 0.3 * t)
    system = m.compile()
    found = ct.transition(system, [0.0], [0.3], deactivate=["motor"])
    assert found.v == pytest.approx([0.3], abs=0)
    assert found.system.n_constraints == 0
    struck = ct.transition(system, [0.0], [0.3], deactivate="motor", impulse={"A": 0.7})
    assert struck.dv == pytest.approx([1.0], rel=1e-13)
    held = ct.transition(system, [0.0], [0.3], impulse={"A": 0.7})
    assert held.v == pytest.approx([0.3], abs=1e-14)
    assert held.multipliers == pytest.approx([0.7], rel=1e-12)


def test_a_cut_joint_is_let_go_while_another_locks():
    system, q, v = four_bar()
    cut = system.cut_joints[0]
    found = ct.transition(system, q, v, activate=["A"], deactivate=[cut])
    assert found.v[system.v_index("A")] == pytest.approx(0.0, abs=1e-14)
    assert found.dof == 2
    assert found.before is system
    assert found.balance == pytest.approx(np.zeros(system.nv), abs=1e-13)


def test_words_for_what_cannot_be():
    system, q, v = four_bar()
    tree = next(n for n in system.joint_names if n not in system.cut_joints)
    with pytest.raises(ct.errors.ArgumentError, match="part of the spanning tree"):
        ct.transition(system, q, v, deactivate=[tree])
    for name in ("nothing", ["A"]):
        with pytest.raises(ct.errors.UnknownNameError, match="is in force"):
            ct.transition(system, q, v, deactivate=[name])
    for name in ("crankk", 3):
        with pytest.raises(ct.errors.UnknownNameError, match="is not a coordinate or a body"):
            ct.transition(system, q, v, impulse={name: 1.0})
    with pytest.raises(ct.errors.ShapeError, match="six numbers"):
        ct.transition(system, q, v, impulse={"crank": 1.0})
