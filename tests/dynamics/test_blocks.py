"""Block matrices by body, and inertia, energy and momentum of each: against Jacobians, differences and totals."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import InertiaError, MassError, UnknownNameError
from cotree.lie import exp_so3, pose
from tests.random_mechanisms import random_tree


def mixed():
    """Joints of one and of several degrees of freedom, a weld, a reversed joint, body frames of their own."""
    mech = ct.Mechanism("mixed", gravity=(0.3, -9.0, 1.0))
    rng = np.random.default_rng(2)
    for k, name in enumerate("abcdef"):
        frame = pose(exp_so3(rng.normal(size=3)), rng.normal(size=3)) if k % 2 else None
        mech.body(name, 1 + 0.3 * k, rng.normal(size=3), (1.0, 1.2, 1.4), pose=frame)
    mech.joint("free", "ground", "a", ct.Free())
    mech.joint("ball", "b", "a", ct.Spherical((0.2, 0.1, 0)))
    mech.joint("cross", "b", "c", ct.Universal((1, 0, 0), (1, 0, 0), (0, 1, 0)))
    mech.joint("weld", "c", "d", ct.Weld())
    mech.joint("hinge", "d", "e", ct.Revolute((0, 1, 0), (0.6, 0, 0.8)))
    mech.joint("tube", "a", "f", ct.Cylindrical((0, 0, 1), (0, 0.6, 0.8)))
    return mech


SYSTEMS = {
    "mixed": lambda: mixed().compile(),
    "mixed on SO(3) x R3": lambda: mixed().compile(group="SO3xR3"),
    "mixed, absolute": lambda: mixed().compile("absolute", group="auto"),
    "random tree": lambda: random_tree(np.random.default_rng(4), 7, massless=0.2).compile(),
}


@pytest.fixture(params=SYSTEMS)
def state(request):
    system, rng = SYSTEMS[request.param](), np.random.default_rng(7)
    q = ct.displace(system, system.q0, 0.5 * rng.normal(size=system.nv))
    return system, q, rng.normal(size=system.nv)


def test_kinematics(state):
    system, q, v = state
    m = ct.theory.block_matrices(system, q, v)
    assert m.body_names == system.body_names
    for name in system.body_names:
        assert m.K[m.rows(name)] == pytest.approx(ct.body_jacobian(system, q, name), abs=1e-12)
        assert m.V[m.rows(name)] == pytest.approx(ct.twists(system, q, v, "body")[system.row_of(name)], abs=1e-12)
    assert np.allclose(m.A @ m.H, m.K, atol=1e-11)
    assert m.A @ (np.eye(len(m.D)) - m.D) == pytest.approx(np.eye(len(m.D)), abs=1e-11)
    assert not np.any(np.linalg.matrix_power(m.D, system.n_bodies))  # nilpotent
    own = np.abs(m.H).reshape(-1, 6, system.nv).max(axis=1) > 0
    assert own.sum(axis=0).max() <= 1  # each velocity belongs to one body


def test_rates_by_differences(state):
    system, q, v = state
    m, h = ct.theory.block_matrices(system, q, v), 1e-5
    ahead, back = (ct.theory.block_matrices(system, ct.displace(system, q, s * h * v), v) for s in (1, -1))
    assert (ahead.K - back.K) / (2 * h) == pytest.approx(m.dK, abs=2e-7)
    assert (ahead.H - back.H) / (2 * h) == pytest.approx(m.dH, abs=2e-7)


def test_dynamics(state):
    system, q, v = state
    m = ct.theory.block_matrices(system, q, v)
    assert m.mass == pytest.approx(ct.mass_matrix(system, q), abs=1e-10)
    C = ct.theory.coriolis_matrix(system, q, v)
    assert m.coriolis @ v == pytest.approx(C @ v, abs=1e-9)
    assert m.gyroscopic + m.convective == pytest.approx(C @ v, abs=1e-9)
    assert abs(v @ m.gyroscopic) < 1e-10  # does no work
    assert np.abs(m.gyroscopic).max() > 1e-2


def test_energy_and_momentum_by_body(state):
    system, q, v = state
    of_bodies, total = ct.theory.energy_by_body(system, q, v), ct.energy(system, q, v)
    assert set(of_bodies) == set(system.body_names)
    assert sum(e.kinetic for e in of_bodies.values()) == pytest.approx(total.kinetic, rel=1e-12)
    assert sum(e.potential for e in of_bodies.values()) == pytest.approx(total.potential, rel=1e-10, abs=1e-10)
    parts, point = ct.theory.momentum_by_body(system, q, v, (1, 2, 3)), (1, 2, 3)
    assert sum(parts.values()) == pytest.approx(ct.momentum(system, q, v, point), rel=1e-11, abs=1e-11)


def test_one_body_by_hand():
    """1 kg at 2 m from the hinge, with 0.5 kg m2 about its mass centre, 3 rad/s."""
    mech = ct.Mechanism("arm", gravity=(0, -10, 0))
    mech.body("arm", 1, (2, 0, 0), (0.1, 0.5, 0.5))
    mech.body("post", 1, (0, 5, 0), (1, 1, 1))
    mech.joint("hinge", "ground", "arm", ct.Revolute())
    mech.joint("fixed", "ground", "post", ct.Weld())
    q, v = [np.pi / 2], [3.0]
    energies = ct.theory.energy_by_body(mech, q, v)
    assert (energies["arm"].kinetic, energies["arm"].potential) == pytest.approx((0.5 * 4.5 * 9, 20.0))
    assert energies["post"] == ct.dynamics.Energy(0.0, 0.0)
    assert ct.theory.momentum_by_body(mech, q, v)["arm"] == pytest.approx([0, 0, 13.5, -6, 0, 0], abs=1e-12)
    assert ct.theory.body_inertia(mech, "arm")[2, 2] == pytest.approx(4.5)
    assert not np.any(ct.theory.body_inertia(mech, "ground"))
    with pytest.raises(UnknownNameError, match=r"no body 'amr' among these blocks.*did you mean 'arm'"):
        ct.theory.block_matrices(mech, q).rows("amr")


# -- 6x6 on input --------------------------------------------------------------------------------------------


def test_a_matrix_in_place_of_mass_properties():
    mech, other = ct.Mechanism(), ct.Mechanism()
    mech.body("a", 2.5, (1, -2, 0.5), [[1, 0.1, 0], [0.1, 1.2, 0.2], [0, 0.2, 0.9]])
    mech.joint("J", "ground", "a", ct.Free())
    matrix = ct.theory.body_inertia(mech, "a")
    p = other.body("a", inertia=matrix).properties
    want = mech.bodies["a"].properties
    assert p.mass == pytest.approx(2.5, rel=1e-15)
    assert p.com == pytest.approx(want.com, abs=1e-14)
    assert p.inertia == pytest.approx(want.inertia, abs=1e-13)
    agreed = other.body("b", 2.5, (1, -2, 0.5), matrix, inertia_about="origin").properties
    assert agreed.inertia == pytest.approx(want.inertia, abs=1e-13)
    assert other.body("none", inertia=np.zeros((6, 6))).properties.mass == 0.0


def test_matrices_that_cannot_be():
    mech = ct.Mechanism()
    good = np.diag([1.0, 1, 1, 2, 2, 2])
    with pytest.raises(MassError, match="mass is 3, but the 6x6 inertia has 2"):
        mech.body("a", 3, inertia=good)
    with pytest.raises(MassError, match=r"com is \(1, 0, 0\), but the 6x6 inertia has \[0.0, 0.0, 0.0\]"):
        mech.body("a", com=(1, 0, 0), inertia=good)
    with pytest.raises(InertiaError, match="leave inertia_about out"):
        mech.body("a", inertia=good, inertia_about="com")
    for i, j in ((3, 4), (0, 3), (0, 1), (5, 5)):
        bad = good.copy()
        bad[i, j] += 0.1
        with pytest.raises(InertiaError, match="not of the form"):
            mech.body("a", inertia=bad)
    light = np.zeros((6, 6))
    light[0, 4], light[1, 3], light[3, 1], light[4, 0] = -1, 1, 1, -1
    with pytest.raises(InertiaError, match="not of the form"):
        mech.body("a", inertia=light)
