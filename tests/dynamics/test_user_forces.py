"""Forces given as functions: compiled, plain and constant ones agree, and each is given what it names."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings

import cotree as ct
from tests.random_mechanisms import act, cases, error, grid, inverse, make_case

some = settings(max_examples=25, deadline=None)


@numba.njit
def compiled_force(t, q, v, pose, position, velocity, omega):
    """Depends on everything."""
    f = -3.0 * position - 0.5 * velocity + np.cross(omega, velocity) + t * pose[:3, 0]
    return f + 0.1 * q[0] + 0.2 * v[-1]


@numba.njit
def compiled_motor(t, q, v):
    return 2.0 * t - 0.3 * q[0] - 0.7 * v[0]


def state_of_the_point(c, name, x):
    """Position and velocity of a body-fixed point (given in the reference assembly), pose and angular velocity."""
    row = c.system.row_of(name)
    C, V = ct.poses(c.system, c.state.q)[row], ct.twists(c.system, c.state.q, c.state.v, "spatial")[row]
    position = act(C @ inverse(c.tree.body(name).pose), x)
    return {"pose": C, "position": position, "velocity": V[3:] + np.cross(V[:3], position), "omega": V[:3]}


def forces_of(c, add):
    """Generalized forces with a load added to the mechanism."""
    mech = c.tree.mechanism()
    add(mech)
    system = mech.compile(group=c.system.group)
    return ct.inverse_dynamics(system, c.state.q, c.state.v, c.state.v_dot, t=1.7)


@pytest.mark.parametrize("frame", ["world", "body"])
@given(c=cases(max_bodies=5))
@some
def test_compiled_plain_and_constant(frame, c):
    name, x = c.a_body(), grid(c.rng, 1.0)
    point, known = c.tree.body(name).told(x), state_of_the_point(c, name, x)
    value = compiled_force.py_func(
        1.7, c.state.q, c.state.v, *(known[k] for k in ("pose", "position", "velocity", "omega"))
    )
    constant = forces_of(c, lambda mech: mech.force("load", name, value, point, frame))
    plain = forces_of(c, lambda mech: mech.force("load", name, compiled_force.py_func, point, frame))
    compiled = forces_of(c, lambda mech: mech.force("load", name, compiled_force, point, frame))
    assert error(plain, constant) < 1e-12
    assert error(compiled, plain) < 1e-13


@given(c=cases(max_bodies=5))
@some
def test_motors(c):
    q, v = c.state.q, c.state.v
    joint, _, suffix = c.system.coordinate_names[0].partition(".")
    results = [
        forces_of(c, lambda mech, torque=torque: mech.motor("motor", joint, torque, suffix or None))
        for torque in (compiled_motor.py_func(1.7, q, v), compiled_motor.py_func, compiled_motor)
    ]
    assert error(results[1], results[0]) < 1e-13
    assert error(results[2], results[0]) < 1e-13


@pytest.mark.parametrize("argument", ["t", "q", "v", "pose", "position", "velocity", "omega"])
@pytest.mark.parametrize("kind", ["force", "torque"])
def test_each_argument_by_its_name(kind, argument):
    """A function of one argument is given that one, whatever the mechanism looks like."""
    c = make_case(11, 6, "SO3xR3", root="Free", framed=0.5)
    name = c.system.body_names[-1]
    body = c.tree.body(name)
    x = body.com if kind == "torque" else np.array([0.25, 0.5, -1.0])
    given_to, scope = [], {}
    exec(f"def function({argument}):\n    seen.append({argument})\n    return 1.0, 2.0, 3.0", {"seen": given_to}, scope)
    mech = c.tree.mechanism()
    if kind == "force":
        mech.force("load", name, scope["function"], body.told(x))
    else:
        mech.torque("load", name, scope["function"])
    ct.forward_dynamics(mech.compile(group="SO3xR3"), c.state.q, c.state.v, t=4.5)
    known = {"t": 4.5, "q": c.state.q, "v": c.state.v, **state_of_the_point(c, name, x)}
    assert given_to
    assert error(given_to[0], known[argument]) < 1e-12


def test_arguments_in_any_order():
    """They go by name: (v, t) is not (t, v)."""
    c = make_case(2, 3, joints=("Revolute",), massless=0.0)
    first = forces_of(c, lambda mech: mech.motor("m", c.system.coordinate_names[0], lambda v, t: v[0] - 2.0 * t))
    second = forces_of(c, lambda mech: mech.motor("m", c.system.coordinate_names[0], lambda t, v: v[0] - 2.0 * t))
    bare = forces_of(c, lambda mech: None)
    assert np.array_equal(first, second)
    assert error(bare[0] - first[0], c.state.v[0] - 3.4) < 1e-12


def test_time_in_forward_dynamics_and_reactions():
    """A load that grows with time: acceleration and reactions follow it."""
    mech = ct.Mechanism(gravity=(0, 0, 0))
    body = mech.body("b", 2.0, (0, 0, 0), (1, 1, 1))
    mech.joint("slide", mech.ground, body, ct.Prismatic((1, 0, 0)))
    mech.force("push", body, lambda t: (4.0 * t, 3.0 * t, 0.0))
    result = ct.forward_dynamics(mech.compile(), [0.0], t=2.0)
    assert error(result.v_dot, [4.0]) < 1e-15
    assert error(result.reactions["slide"], [0, 0, 0, 0, -6.0, 0]) < 1e-14


def test_loads_and_motors_keep_their_own_values():
    """Constants and functions mixed in one mechanism do not change places."""
    c = make_case(4, 4, joints=("Revolute",), massless=0.0)
    names, one, two = c.system.coordinate_names, c.tree.bodies[1].name, c.tree.bodies[3].name

    def all_of(mech):
        mech.motor("first", names[0], 1.0)
        mech.force("second", one, lambda t: (t, 0.0, 0.0))
        mech.motor("third", names[2], lambda t: 3.0 * t)
        mech.torque("fourth", two, (0.0, 4.0, 0.0))

    bare, together = forces_of(c, lambda mech: None), forces_of(c, all_of)
    parts = [
        forces_of(c, lambda mech: mech.motor("first", names[0], 1.0)),
        forces_of(c, lambda mech: mech.force("second", one, (1.7, 0.0, 0.0))),
        forces_of(c, lambda mech: mech.motor("third", names[2], 3.0 * 1.7)),
        forces_of(c, lambda mech: mech.torque("fourth", two, (0.0, 4.0, 0.0))),
    ]
    assert error(together - bare, sum(p - bare for p in parts)) < 1e-12
