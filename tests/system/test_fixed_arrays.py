"""Arrays of mechanisms and systems cannot be written to: nothing changes behind the back of what was compiled."""

import numpy as np
import pytest

import cotree as ct


def arrays_of(mech):
    body, spring = mech.bodies["coupler"], mech.springs["spring"]
    yield from (mech.gravity, body.properties.com, body.properties.inertia, spring.point_a, spring.point_b)
    yield from (mech.loads["load"].value, mech.loads["load"].point, mech.joint_forces["motor"].torque)


def four_bar():
    mech = ct.gallery.four_bar()
    mech.spring("spring", "ground", (0, 0, 0), "coupler", (1, 1, 0), 3.0)
    mech.force("load", "coupler", (1, 0, 0), (1, 1, 0))
    mech.motor("motor", "A", 2.0)
    return mech


def test_the_start_of_a_system_stays():
    system = ct.gallery.four_bar().compile()
    before = ct.simulate(system, 0.1, progress=False).q
    with pytest.raises(ValueError, match="read-only"):
        system.q0[0] += 0.3
    assert np.array_equal(ct.simulate(system, 0.1, progress=False).q, before)


def test_numbers_of_a_mechanism_stay():
    for a in arrays_of(four_bar()):
        with pytest.raises(ValueError, match="read-only"):
            a[...] = 0.0


def test_the_arrays_given_are_still_the_user_s_own():
    gravity, com, inertia = np.array([0.0, -9.81, 0.0]), np.array([0.3, 0.4, 0.0]), 0.1 * np.eye(3)
    a, b, R = np.zeros(3), np.array([0.6, 0.8, 0.0]), np.eye(3)
    mech = ct.Mechanism("copies", gravity=gravity)
    mech.body("b", 1.0, com, inertia, shape=ct.Rod(a, b))
    mech.body("c", 1.0, com, inertia, shape=ct.Box(a, b + 1.0, R))
    mech.joint("J", "ground", "b", ct.Revolute(a, (0, 0, 1)))
    for x in (gravity, com, inertia, a, b, R):
        x[...] = 7.0
    assert tuple(mech.gravity) == (0.0, -9.81, 0.0)
    assert tuple(mech.bodies["b"].properties.com) == (0.3, 0.4, 0.0)
    assert mech.bodies["b"].shape == ct.Rod((0, 0, 0), (0.6, 0.8, 0.0))
    assert mech.bodies["c"].shape == ct.Box((0, 0, 0), (1.6, 1.8, 1.0), ((1, 0, 0), (0, 1, 0), (0, 0, 1)))


@pytest.mark.parametrize("call", [ct.mass_matrix, ct.poses, ct.constraint_residual, ct.assemble])
def test_arrays_that_cannot_be_written_to_are_taken(call):
    system = ct.gallery.four_bar().compile()
    assert np.array_equal(call(system, system.q0), call(system, system.q0.copy()))
