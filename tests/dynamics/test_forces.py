"""Force elements: generalized forces against differences of the potential and against J^T W."""

import numpy as np
import pytest
from hypothesis import given, settings

import cotree as ct
from tests.random_mechanisms import act, cases, derivative, error, grid, inverse, make_case

from .loads import with_springs

some = settings(max_examples=40, deadline=None)


def generalized_force(system, plain, q, v=None):
    """What the elements of `system` do along the coordinates: less of it is needed from the joints."""
    return ct.inverse_dynamics(plain, q, v) - ct.inverse_dynamics(system, q, v)


def slope(system, q, f):
    """Derivatives of f(q) along the velocities."""
    return np.array([derivative(lambda s, e=e: f(ct.displace(system, q, s * e))) for e in np.eye(system.nv)])


@given(cases(max_bodies=5))
@some
def test_springs_pull_down_the_slope(c):
    """Q = -d(potential), line springs and joint springs."""
    loaded = with_springs(c, dampers=False)
    found = generalized_force(loaded.system, c.system, c.state.q)
    assert error(found, -slope(c.system, c.state.q, loaded.potential)) < 1e-7


@given(cases(max_bodies=5))
@some
def test_gravity_pulls_down_the_slope(c):
    """At rest the joints must hold the slope of the energy that the package tells, springs included."""
    loaded = with_springs(c)
    found = ct.inverse_dynamics(loaded.system, c.state.q)
    assert error(found, slope(c.system, c.state.q, lambda q: ct.energy(loaded.system, q).potential)) < 1e-7


@given(cases())
@some
def test_energy_of_springs(c):
    loaded = with_springs(c)
    both, gravity = (ct.energy(s, c.state.q).potential for s in (loaded.system, c.system))
    assert error(both - gravity, loaded.potential(c.state.q)) < 1e-12


@given(cases(max_bodies=5))
@some
def test_dampers_resist(c):
    """Q = -d(dissipation / 2)/dv for the dampers; the springs' part does not depend on v."""
    loaded, q, v = with_springs(c), c.state.q, c.state.v
    found = generalized_force(loaded.system, c.system, q, v) - generalized_force(loaded.system, c.system, q)
    expected = [derivative(lambda s, e=e: 0.5 * loaded.dissipation(q, v + s * e)) for e in np.eye(c.system.nv)]
    assert error(found, -np.array(expected)) < 1e-9


@given(cases(massless=0.0))
@some
def test_forward_dynamics_sees_the_same_forces(c):
    loaded, s = with_springs(c), c.state
    Q = generalized_force(loaded.system, c.system, s.q, s.v)
    with_elements = ct.forward_dynamics(loaded.system, s.q, s.v, s.tau).v_dot
    assert error(with_elements, ct.forward_dynamics(c.system, s.q, s.v, s.tau + Q).v_dot) < 1e-10


@pytest.mark.parametrize("frame", ["world", "body"])
@pytest.mark.parametrize("what", ["force", "force at the mass centre", "torque"])
@given(c=cases())
@some
def test_loads(what, frame, c):
    """Q = J_s^T W with the wrench about the world's origin."""
    name = c.a_body()
    body, value, x = c.tree.body(name), c.rng.normal(size=3), grid(c.rng, 1.0)
    mech = c.tree.mechanism()
    if what == "torque":
        mech.torque("load", name, value, frame=frame)
    elif what == "force":
        mech.force("load", name, value, body.told(x), frame=frame)
    else:
        x = body.com
        mech.force("load", name, value, frame=frame)
    C = ct.poses(c.system, c.state.q)[c.system.row_of(name)]
    f = C[:3, :3] @ value if frame == "body" else value
    at = act(C @ inverse(body.pose), x)
    W = np.array([*f, 0, 0, 0]) if what == "torque" else np.array([*np.cross(at, f), *f])
    J = ct.spatial_jacobian(c.system, c.state.q, name)
    found = generalized_force(mech.compile(group=c.system.group), c.system, c.state.q, c.state.v)
    assert error(found, J.T @ W) < 1e-11


@given(cases())
@some
def test_motors(c):
    """A motor on a coordinate is an entry of tau."""
    names = c.system.coordinate_names
    i = int(c.rng.integers(len(names)))
    joint, _, suffix = names[i].partition(".")
    mech = c.tree.mechanism()
    mech.motor("motor", joint, 2.5, suffix or None)
    found = generalized_force(mech.compile(group=c.system.group), c.system, c.state.q, c.state.v)
    assert error(found, 2.5 * np.eye(len(names))[i]) < 1e-12


def test_several_loads_add():
    """Two loads on one body, a spring between bodies that are welded together, two motors on one joint."""
    c = make_case(5, 5, joints=("Revolute", "Spherical"), massless=0.0)
    mech = c.tree.mechanism()
    extra = mech.body("extra", 0.0)
    last = c.tree.bodies[-1].name
    mech.joint("weld", last, extra, ct.Weld())
    mech.force("up", last, (0, 0, 3))
    mech.force("down", last, (0, 0, -3))
    mech.torque("turn", last, (1, 2, 3))
    mech.torque("turn back", "extra", (-1, -2, -3))
    mech.spring("inside", last, (1, 0, 0), extra, (0, 2, 0), 100.0, length=0.1)
    one = next(n for n in c.system.coordinate_names if "." not in n)
    mech.motor("forth", one, 4.0)
    mech.motor("back", one, -4.0)
    assert error(generalized_force(mech.compile(), c.system, c.state.q, c.state.v), np.zeros(c.system.nv)) < 1e-11


def test_spring_at_zero_length():
    """Without a direction there is no force; nothing becomes NaN."""
    mech = ct.Mechanism(gravity=(0, 0, 0))
    body = mech.body("b", 1.0, (0, 0, 0), (1, 1, 1))
    mech.joint("slide", mech.ground, body, ct.Prismatic((1, 0, 0)))
    mech.spring("spring", mech.ground, (0, 0, 0), body, (0, 0, 0), 10.0)
    system = mech.compile()
    assert ct.forward_dynamics(system, [0.0], [1.0]).v_dot == [0.0]
    assert ct.forward_dynamics(system, [0.5], [0.0]).v_dot == [-5.0]
