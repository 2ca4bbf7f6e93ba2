"""Functions of the user work on copies: they cannot change the state for their caller, or for one another."""

import numpy as np
import pytest
from numba import njit

import cotree as ct

START = (0.3, -0.4, 0.5), (1.0, 2.0, -1.0)


def arm(**motors):
    mech = ct.gallery.planar_3r()
    for joint, torque in motors.items():
        mech.motor(f"motor {joint}", joint, torque)
    return mech


def careless(q, v):
    q -= 0.7
    v *= 2.0
    return -3.0 * q[0] - v[0]


def careful(q, v):
    return -3.0 * (q[0] - 0.7) - 2.0 * v[0]


@njit("float64(float64[::1], float64[::1])")
def compiled(q, v):
    q -= 0.7
    v *= 2.0
    return -3.0 * q[0] - v[0]


def second(q, v):
    return 5.0 * q[0] - v[1]


@pytest.mark.parametrize("call", [ct.forward_dynamics, ct.inverse_dynamics])
@pytest.mark.parametrize("torque", [careless, compiled])
def test_a_motor_that_writes_into_its_arguments(call, torque):
    q, v = map(np.array, START)
    found, right = (call(arm(J1=f, J2=second).compile(), q, v) for f in (torque, careful))
    assert np.allclose(getattr(found, "v_dot", found), getattr(right, "v_dot", right), rtol=1e-12)
    assert np.array_equal(q, START[0])
    assert np.array_equal(v, START[1])


def test_a_force_that_writes_into_its_arguments():
    def push(q, v, pose, position):
        for x in (q, v, pose, position):
            x.fill(7.0)
        return (1.0, 2.0, 0.0)

    found, right = arm(J1=second), arm(J1=second)
    found.force("push", "link2", push)
    right.force("push", "link2", (1.0, 2.0, 0.0))
    q, v = map(np.array, START)
    one, two = (ct.forward_dynamics(mech.compile(), q, v).v_dot for mech in (found, right))
    assert np.allclose(one, two, rtol=1e-12)
    assert np.array_equal(q, START[0])


def test_an_event_that_writes_into_its_arguments():
    def event(t, q, v):
        q.fill(1.0)
        v.fill(1.0)
        return t - 0.05

    def other(t, q, v):
        return q[0] - 0.05

    run, plain = (ct.simulate(arm(), 0.1, v=START[1], events=e) for e in ([event, other], [other]))
    assert [e.t for e in run.events if e.name == "other"] == [e.t for e in plain.events]
    assert len(plain.events) == 1
    assert np.array_equal(run.q, plain.q)


def test_rows_of_the_user_that_write_into_their_arguments():
    mech, q = arm(), np.array(START[0])
    mech.constraint("rows", jacobian=lambda q, t: (q.fill(7.0), np.array([[1.0, 1.0, 0.0]]))[1])
    mech.constraint("next", jacobian=lambda q, t: np.array([[q[0], 1.0, 0.0]]))
    assert np.array_equal(ct.constraint_jacobian(mech.compile(), q), [[1.0, 1.0, 0.0], [0.3, 1.0, 0.0]])
    assert np.array_equal(q, START[0])
