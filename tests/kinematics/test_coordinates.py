"""Rates of the coordinates and finite steps along the velocities."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.linalg import expm

import cotree as ct
from tests.random_mechanisms import PLAIN, cases, derivative, error

some = settings(max_examples=40, deadline=None)


@given(cases())
@some
def test_rates_are_the_derivative_of_a_step(c):
    q, v = c.state.q, c.state.v
    assert (
        error(ct.theory.coordinate_rates(c.system, q, v), derivative(lambda s: ct.displace(c.system, q, s * v))) < 1e-9
    )


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_a_step_is_the_exponential_of_each_body(group):
    """C exp(v) with SciPy's exponential, on SE(3), or of the rotation alone with the position moved along; q + v of a hinge."""
    mech = ct.Mechanism("two bodies, one on a hinge")
    for name, x in (("a", 0.3), ("b", -0.5), ("arm", 0.2)):
        mech.body(name, 1.0, (x, 0.1, 0.2), (1.0, 1.0, 1.0))
    mech.joint("on a", "ground", "a", ct.Free())
    mech.joint("on b", "ground", "b", ct.Free())
    mech.joint("hinge", "a", "arm", ct.Revolute((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    system = mech.compile(group=group)
    q = ct.displace(system, system.q0, np.linspace(-0.9, 1.2, system.nv))
    v = np.linspace(1.4, -1.1, system.nv)
    before, after = (ct.poses(system, x) for x in (q, ct.displace(system, q, v)))
    for name in ("a", "b"):
        row, first = system.row_of(name), system.v_index(f"on {name}.wx")
        X = np.zeros((4, 4))
        X[:3, :3], X[:3, 3] = ct.lie.hat(v[first : first + 3]), v[first + 3 : first + 6]
        moved = before[row] @ expm(X)
        if group == "SO3xR3":
            moved[:3, 3] = before[row][:3, 3] + X[:3, 3]
        assert error(after[row], moved) < 1e-14
    hinge = system.v_index("hinge")
    assert ct.displace(system, q, v)[system.q_index("hinge")] == q[system.q_index("hinge")] + v[hinge]


@given(cases())
@some
def test_steps_along_one_velocity_add(c):
    """They are the flow of a constant velocity: s, then 1 - s, is 1."""
    q, v = c.state.q, c.state.v
    twice = ct.displace(c.system, ct.displace(c.system, q, 0.3 * v), 0.7 * v)
    assert error(twice, ct.displace(c.system, q, v)) < 1e-13


@given(cases(joints=PLAIN))
@some
def test_plain_coordinates(c):
    """Where rates are velocities a step is a sum."""
    q, v = c.state.q, c.state.v
    assert c.system.nq == c.system.nv
    assert np.array_equal(ct.theory.coordinate_rates(c.system, q, v), v)
    assert np.array_equal(ct.displace(c.system, q, v), q + v)


@given(cases(joints=("Free", "Spherical"), coordinates=("group", "quaternion")))
@some
def test_quaternions_stay_unit(c):
    q = ct.displace(c.system, c.state.q, c.state.v)
    for link in c.system.links:
        if link["rotations"] == 3:
            assert abs(np.linalg.norm(q[link["iq"] : link["iq"] + 4]) - 1.0) < 1e-15 * 4


@given(cases(joints=("Free", "Spherical"), coordinates=("group",)))
@some
def test_normalize(c):
    """Quaternions of any length count as their unit ones; everything else is left alone."""
    q = c.state.q.copy()
    for link in c.system.links[1:]:
        q[link["iq"] : link["iq"] + 4] *= 1.7
    assert error(ct.normalize(c.system, q), c.state.q) < 1e-15 * 4
    assert error(ct.poses(c.system, q), ct.poses(c.system, c.state.q)) < 1e-14


def test_sizes_and_names():
    """A spherical joint has 4 entries in q and 3 in v, a free joint 7 and 6; names are one per velocity."""
    mech = ct.Mechanism()
    a = mech.body("a", 1, (0, 0, 0), (1, 1, 1))
    b = mech.body("b", 1, (1, 0, 0), (1, 1, 1))
    c = mech.body("c", 1, (1, 1, 0), (1, 1, 1))
    mech.joint("base", mech.ground, a, ct.Free())
    mech.joint("ball", a, b, ct.Spherical((0.5, 0, 0)))
    mech.joint("hinge", b, c, ct.Revolute((1, 0.5, 0), (0, 0, 1)))
    system = mech.compile()
    assert (system.nq, system.nv) == (12, 10)
    base = [f"base.{x}" for x in ("wx", "wy", "wz", "vx", "vy", "vz")]
    assert system.coordinate_names == (*base, "ball.wx", "ball.wy", "ball.wz", "hinge")
    assert np.array_equal(system.q0, [1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
