"""Forward and inverse dynamics: inverse of each other, and the equations of motion written with matrices."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings

import cotree as ct
from cotree.errors import ArgumentError, StudyWarning
from tests.random_mechanisms import cases, error, relative_error

some = settings(max_examples=60, deadline=None)


@given(cases(max_bodies=12, massless=0.3))
@some
def test_inverse_of_forward(c):
    s = c.state
    v_dot = ct.forward_dynamics(c.system, s.q, s.v, s.tau).v_dot
    size = np.linalg.norm(ct.mass_matrix(c.system, s.q), 2) * np.linalg.norm(v_dot)  # of the terms that cancel
    assert relative_error(ct.inverse_dynamics(c.system, s.q, s.v, v_dot), s.tau, scale=size) < 1e-12


@given(cases(max_bodies=12, massless=0.3))
@some
def test_forward_of_inverse(c):
    s = c.state
    tau = ct.inverse_dynamics(c.system, s.q, s.v, s.v_dot)
    found = ct.forward_dynamics(c.system, s.q, s.v, tau).v_dot
    assert relative_error(found, s.v_dot) < 1e-15 * np.linalg.cond(ct.mass_matrix(c.system, s.q)) + 1e-12


@given(cases())
@some
def test_equations_of_motion(c):
    """M dv/dt + C v - gravity = tau, the gravity term from the Jacobians of the mass centres."""
    s, g = c.state, np.zeros(c.system.nv)
    poses = dict(zip(c.system.body_names, ct.poses(c.system, s.q)[1:], strict=True))
    for body in c.tree.bodies:
        J = ct.spatial_jacobian(c.system, s.q, body.name)
        x = poses[body.name][:3, :3] @ body.told(body.com) + poses[body.name][:3, 3]
        g += J.T @ np.concatenate([np.cross(x, body.mass * c.tree.gravity), body.mass * c.tree.gravity])
    M, C = ct.mass_matrix(c.system, s.q), ct.theory.coriolis_matrix(c.system, s.q, s.v)
    assert error(ct.inverse_dynamics(c.system, s.q, s.v, s.v_dot), M @ s.v_dot + C @ s.v - g) < 1e-12
    v_dot = np.linalg.solve(M, s.tau - C @ s.v + g)
    assert (
        relative_error(ct.forward_dynamics(c.system, s.q, s.v, s.tau).v_dot, v_dot) < 1e-15 * np.linalg.cond(M) + 1e-12
    )


@given(cases())
@some
def test_nothing_given_is_zero(c):
    """None stands for zero velocities, accelerations and joint forces."""
    q, zero = c.state.q, np.zeros(c.system.nv)
    assert np.array_equal(ct.inverse_dynamics(c.system, q), ct.inverse_dynamics(c.system, q, zero, zero))
    assert np.array_equal(ct.forward_dynamics(c.system, q).v_dot, ct.forward_dynamics(c.system, q, zero, zero).v_dot)


def test_results_do_not_share_memory():
    """A second call leaves the first result alone."""
    mech = ct.Mechanism()
    mech.joint("j", mech.ground, mech.body("b", 1, (1, 0, 0), (1, 1, 1)), ct.Revolute((0, 0, 0), (0, 1, 0)))
    system = mech.compile()
    first = ct.forward_dynamics(system, [0.0]).v_dot
    kept = first.copy()
    ct.forward_dynamics(system, [1.0], [3.0])
    assert np.array_equal(first, kept)


@pytest.mark.parametrize("angle", [0.0, 0.5, 3.0])
def test_pendulum(angle):
    """(I + m l^2) q'' = -m g l sin q."""
    m, l, I, g = 2.0, 0.7, 0.05, 9.81
    mech = ct.Mechanism(gravity=(0, 0, -g))
    bob = mech.body("bob", m, (0, 0, -l), (I, I, I))
    mech.joint("hinge", mech.ground, bob, ct.Revolute((0, 0, 0), (1, 0, 0)))
    found = ct.forward_dynamics(mech.compile(), [angle], [1.3]).v_dot[0]
    assert abs(found + m * g * l * np.sin(angle) / (I + m * l**2)) < 1e-14


def test_free_fall_and_euler():
    """A free body: its mass centre falls, its spin obeys Euler's equations, on SE(3) and on SO(3) x R3."""
    I, w, u = np.array([1.0, 2.0, 2.5]), np.array([1.0, -2.0, 3.0]), np.array([0.5, 1.0, -1.0])
    mech = ct.Mechanism(gravity=(0, 0, -9.81))
    body = mech.body("b", 3.0, (0, 0, 0), I)
    mech.joint("j", mech.ground, body, ct.Free())
    spin = -np.cross(w, I * w) / I
    for group in ("SE3", "SO3xR3"):
        system = mech.compile(group=group)
        v_dot = ct.forward_dynamics(system, system.q0, [*w, *u]).v_dot
        fall = np.array([0, 0, -9.81]) - (np.cross(w, u) if group == "SE3" else 0.0)
        assert error(v_dot, [*spin, *fall]) < 1e-14


def test_nothing_moves():
    """A mechanism of welds alone has no coordinates; everything about it is empty or zero but what the weld carries."""
    mech = ct.Mechanism()
    mech.joint("weld", mech.ground, mech.body("b", 1, (0, 0, 1), (1, 1, 1)), ct.Weld())
    system = mech.compile()
    assert (system.nq, system.nv, system.n_bodies) == (0, 0, 1)
    result = ct.forward_dynamics(system, [])
    assert result.v_dot.shape == (0,)
    assert np.allclose(result.reactions["weld"], [0, 0, 0, 0, 0, 9.81])
    assert ct.inverse_dynamics(system, []).shape == (0,)
    assert ct.mass_matrix(system, []).shape == (0, 0)
    assert ct.body_jacobian(system, [], "b").shape == (6, 0)
    assert ct.energy(system, []).total == 0.0
    assert error(ct.poses(system, [])[1], np.eye(4)) == 0.0


def test_accelerations_have_two_names():
    """`a` as in `inverse_dynamics_derivatives`, or `v_dot` as in the result of `forward_dynamics`."""
    system = ct.gallery.pendulum_chain(2).compile()
    q, v, a = [0.3, 0.1], [0.5, -0.2], [1.0, 2.0]
    assert np.array_equal(ct.inverse_dynamics(system, q=q, v=v, a=a), ct.inverse_dynamics(system, q, v, a))
    with pytest.raises(ArgumentError, match="given twice"):
        ct.inverse_dynamics(system, q, v, a, a=a)


def loop_warnings(call):
    """What a call warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(w.message) for w in caught if issubclass(w.category, StudyWarning)]


def test_forces_of_an_opened_loop_are_warned_of_once():
    """They depend on the cut, and are not those of a motor."""
    mech = ct.gallery.four_bar()
    for cut in ("C", "B"):
        system = mech.compile(cut=[cut])
        first = loop_warnings(lambda system=system: ct.inverse_dynamics(system, system.q0))
        assert len(first) == 1
        assert f"cut at '{cut}'" in first[0]
        assert "ct.actuator_forces" in first[0]
        assert not loop_warnings(lambda system=system: ct.inverse_dynamics(system, system.q0))
    q = np.zeros((2, 3))
    systems = ct.Systems([mech.compile(), mech.compile()])
    for call in (
        lambda: ct.inverse_dynamics(mech, q[0]),
        lambda: ct.inverse_dynamics(mech.compile(), q, q, q),
        lambda: ct.inverse_dynamics(systems, q, q, q),
        lambda: ct.inverse_dynamics(mech.compile(), q[0], a=q[0], t=0.5),
    ):
        assert len(loop_warnings(call)) == 1


def test_forces_of_trees_and_those_that_are_meant_are_not():
    mech, chain = ct.gallery.four_bar(), ct.gallery.pendulum_chain(2)
    q = np.zeros((2, 3))
    free = mech.compile(coordinates="absolute")
    for call in (
        lambda: ct.inverse_dynamics(mech, q[0], tree=True),
        lambda: ct.inverse_dynamics(mech.compile(), q, q, q, tree=True),
        lambda: ct.inverse_dynamics(free, free.q0),
        lambda: ct.inverse_dynamics(chain, np.zeros(2)),
        lambda: ct.inverse_dynamics(chain.compile(), np.zeros((3, 2))),
    ):
        assert not loop_warnings(call)


def test_functions_of_the_package_do_not_warn_of_the_opened_tree():
    mech = ct.gallery.four_bar()
    system = mech.compile()
    q, v = system.q0, np.zeros(3)
    for call in (
        lambda: ct.actuator_forces(system, q, actuators=["A"]),
        lambda: ct.forward_dynamics(system, q, v),
        lambda: ct.forward_dynamics_derivatives(system, q, v),
        lambda: ct.theory.reduced(system, q, v),
        lambda: ct.equilibrium(mech),
        lambda: ct.linearize(mech),
        lambda: ct.simulate(mech, 0.01),
    ):
        assert not loop_warnings(call)
