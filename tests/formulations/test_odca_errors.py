"""What divide and conquer refuses, by name, and what it must not refuse."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ConstraintError, InertiaError, NotFiniteError, SingularError
from tests.model.builders import four_bar, pendulum, refused

from .divided import check

Z = (0, 0, 1)


def bead(joint, inertia=(0, 0, 0), mass=1.0):
    """A point mass on one joint to ground."""
    mech = ct.Mechanism("wire")
    mech.body("bead", mass, (0.5, 0.2, 0.3), inertia)
    mech.joint("hook", "ground", "bead", joint)
    return mech.compile()


def test_massless_body():
    mech = pendulum()
    mech.body("string", 0.0, (0, 0, 0))
    mech.joint("knot", "bob", "string", ct.Revolute((1, 0, 0), Z))
    mech.body("end", 1.0, (2, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("eye", "string", "end", ct.Revolute((1, 0, 0), (1, 0, 0)))
    system = mech.compile()
    with refused(InertiaError, "body 'string'", "'odca'", "'auto'"):
        ct.forward_dynamics(system, system.q0, formulation="odca")


def test_massless_body_that_is_welded():
    mech = pendulum()
    mech.body("label", 0.0, (1, 0, 0))
    mech.joint("glue", "bob", "label", ct.Weld())
    check(mech.compile(), [0.3], [1.0], [0.2])


@pytest.mark.parametrize(
    "joint",
    [ct.Spherical((0, 0, 0)), ct.Free(), ct.Planar((0, 0, 0), Z), ct.Universal((0, 0, 0), (1, 0, 0), (0, 1, 0))],
)
def test_point_mass_in_an_algebra_with_turns_about_it(joint):
    system, rng = bead(joint), np.random.default_rng(1)
    for step in (np.zeros(system.nv), *rng.normal(size=(5, system.nv))):
        with refused(InertiaError, "moved by joint 'hook'", "'odca'", "'auto'"):
            ct.forward_dynamics(system, ct.displace(system, system.q0, step), formulation="odca")


@pytest.mark.parametrize("seed", range(10))
def test_rods_without_thickness(seed):
    """No inertia about an axis of any direction: refused where the body can turn about it, harmless where it cannot."""
    rng = np.random.default_rng(seed)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    theta, c = R @ np.diag([0.0, 1.0, 1.0]) @ R.T, rng.normal(size=3)
    for joint, works in (
        (ct.Free(), False),
        (ct.Spherical(c), False),
        (ct.Spherical(c + 0.7 * R[:, 0]), False),
        (ct.Planar((0, 0, 0), R[:, 0]), False),
        (ct.Revolute(c, R[:, 0]), False),
        (ct.Spherical(c + 0.7 * R[:, 1]), True),
        (ct.Planar((0, 0, 0), R[:, 1]), True),
        (ct.Revolute(c + 0.7 * R[:, 1], R[:, 0]), True),
    ):
        mech = ct.Mechanism("rod")
        mech.body("rod", 1.0, c, theta)
        mech.joint("hook", "ground", "rod", joint)
        system = mech.compile()
        q = ct.displace(system, system.q0, rng.normal(size=system.nv))
        if works:
            check(system, q, rng.normal(size=system.nv), rng.normal(size=system.nv))
        else:
            with refused(InertiaError, "moved by joint 'hook'"):
                ct.forward_dynamics(system, q, formulation="odca")


@pytest.mark.parametrize(
    "joint", [ct.Revolute((0, 0, 0), Z), ct.Prismatic(Z), ct.Helical((0, 0, 0), Z, 0.2), ct.Translation()]
)
def test_point_mass_in_an_algebra_that_moves_it(joint):
    system, rng = bead(joint), np.random.default_rng(0)
    q = ct.displace(system, system.q0, rng.normal(size=system.nv))
    check(system, q, rng.normal(size=system.nv), rng.normal(size=system.nv))


def test_point_mass_on_its_own_axis():
    system = bead(ct.Revolute((0.5, 0.2, 0.0), Z))
    with refused(InertiaError, "moved by joint 'hook'"):
        ct.forward_dynamics(system, system.q0, formulation="odca")


def test_inertia_without_mass():
    """A flywheel without mass turns; it cannot be moved along."""
    check(bead(ct.Revolute((0.5, 0.2, 0.3), Z), (1, 1, 1), 0.0), [0.3], [1.0], [0.2])
    system = bead(ct.Prismatic(Z), (1, 1, 1), 0.0)
    with refused(InertiaError, "moved by joint 'hook'"):
        ct.forward_dynamics(system, system.q0, formulation="odca")


def test_chain_of_point_masses():
    """The second one moves in the plane, where it has no inertia about itself, though the joints' motion has: 'auto' works."""
    mech = ct.Mechanism("beads")
    mech.body("first", 1.0, (1, 0, 0))
    mech.body("second", 1.0, (2, 0, 0))
    mech.joint("a", "ground", "first", ct.Revolute((0, 0, 0), Z))
    mech.joint("b", "first", "second", ct.Revolute((1, 0, 0), Z))
    system = mech.compile()
    assert np.all(np.isfinite(ct.forward_dynamics(system, system.q0).v_dot))
    with refused(InertiaError, "moved by joint 'b'"):
        ct.forward_dynamics(system, system.q0, formulation="odca")


def test_body_named_behind_a_joint_of_several_links():
    mech = pendulum()
    mech.body("bead", 1.0, (1.5, 0, 0))
    mech.joint("cross", "bead", "bob", ct.Universal((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    system = mech.compile()
    with refused(InertiaError, "moved by joint 'cross'"):
        ct.forward_dynamics(system, system.q0, formulation="odca")


def test_rows_of_the_user():
    mech = four_bar()
    mech.constraint("own", lambda q: np.array([[1.0, 0.0, 0.0]]))
    system = mech.compile()
    with refused(ConstraintError, "'own'", "'odca'", "'auto'"):
        ct.forward_dynamics(system, system.q0, formulation="odca")
    system = ct.gallery.satellite(conserve=True).compile()
    with refused(ConstraintError, "'angular momentum'"):
        ct.forward_dynamics(system, system.q0, formulation="odca")


@pytest.mark.parametrize("backward", [False, True])
def test_gimbal_lock(backward):
    """Where two of three axes fall together a joint in coordinates of the second kind has one motion twice."""
    mech = pendulum()
    mech.body("ball", 1.0, (1, 0, 0), (0.1, 0.2, 0.15))
    mech.joint(
        "eye", *(("ball", "bob") if backward else ("bob", "ball")), ct.Spherical((1, 0, 0), coordinates="second")
    )
    system = mech.compile()
    q = np.array([0.2, 0.1, np.pi / 2, 0.3])
    with refused(SingularError, "joint 'eye'", "gimbal lock"):
        ct.forward_dynamics(system, q, formulation="odca")
    check(system, q - np.array([0, 0, 0.2, 0]), np.ones(4), np.ones(4))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("which", ["q", "v", "tau"])
def test_numbers_that_are_none(which, place, bad):
    system = four_bar().compile()
    state = {name: np.zeros(3) for name in ("q", "v", "tau")}
    state[which][place] = bad
    with pytest.raises(NotFiniteError, match=which):
        ct.forward_dynamics(system, **state, formulation="odca")


def test_after_a_refusal_the_tables_are_as_before():
    """A state that is refused leaves nothing behind."""
    mech = pendulum()
    mech.body("ball", 1.0, (1, 0, 0), (0.1, 0.2, 0.15))
    mech.joint("eye", "bob", "ball", ct.Spherical((1, 0, 0), coordinates="second"))
    system, q = mech.compile(), np.array([0.2, 0.1, 0.4, 0.3])
    before = ct.forward_dynamics(system, q, np.ones(4), formulation="odca").v_dot
    with pytest.raises(SingularError):
        ct.forward_dynamics(system, [0.2, 0.1, np.pi / 2, 0.3], formulation="odca")
    assert np.array_equal(ct.forward_dynamics(system, q, np.ones(4), formulation="odca").v_dot, before)
