"""Laws that name what they need: own joints, other joints, compiled and not, against springs and dampers."""

import math

import numba
import numpy as np
import pytest
from numba.core import event

import cotree as ct
from cotree.engine.unstored_entry import meaning_of
from cotree.errors import ForceError, UnknownNameError


@numba.njit
def compiled(angle, rate):
    return -6.0 * (angle - 0.1) - 0.5 * rate


def plain(angle, rate):
    return -6.0 * (angle - 0.1) - 0.5 * rate


def by_other_words(position, velocity):
    return -6.0 * (position - 0.1) - 0.5 * velocity


@numba.njit
def rising(t):
    return (0.0, 10.0 * t, 1.0)


@numba.njit
def jumps(t, rate):
    return 1.0 / (0.0105 - t) if t < 0.01 else np.nan


@numba.njit
def raises(t):
    if t > 0.01:
        raise ValueError("too late")
    return 1.0


def four_bar(joint, torque=None):
    """With a spring and a damper on a joint, or a law in their place."""
    mech = ct.gallery.four_bar()
    if torque is None:
        mech.joint_spring("k", joint, 6.0, rest=0.1)
        mech.joint_damper("d", joint, 0.5)
    else:
        mech.motor("m", joint, torque)
    return mech.compile(cut=["D"] if torque is None else ["C"])


@pytest.mark.parametrize("joint", ["A", "C"])
def test_laws_of_a_joint_are_springs_and_dampers(joint):
    """In the tree and across a cut joint; compiled, plain and by the names of joints."""
    expected = ct.simulate(four_bar(joint), 0.3, step=2e-3, output=11)
    by_name = lambda joints: plain(joints[joint].angle, joints[joint].rate)  # noqa: E731
    for law in (compiled, plain, by_other_words, by_name):
        run = ct.simulate(four_bar(joint, law), 0.3, step=2e-3, output=11)
        for name in "ABCD":
            np.testing.assert_allclose(run.joint(name).angle, expected.joint(name).angle, atol=1e-9)
        np.testing.assert_allclose(
            run.element("m").force, plain(run.joint(joint).angle, run.joint(joint).rate), atol=1e-9
        )
    run = ct.simulate(four_bar(joint, compiled), 0.3, step=2e-3, output=11)
    one = ct.forward_dynamics(run.system, run.q[3], run.v[3])
    assert one.v_dot[0] == pytest.approx(expected.joint("A").acceleration[3], rel=1e-6)


def test_compiled_laws_are_called_as_compiled_code():
    run = ct.simulate(four_bar("A", compiled), 0.1)
    from cotree.formulations.compiled_laws import compiled_laws

    entry, others = compiled_laws(run.system)
    assert entry is not None
    assert others == ()


def with_motor(torque, t_end=0.01):
    """A run of a mechanism that is built and compiled anew."""
    mech = ct.gallery.four_bar()
    mech.motor("m", "A", torque)
    return ct.simulate(mech, t_end, step=1e-3)


def compilations_in(work):
    """Names of all functions that Numba compiles meanwhile."""
    with event.install_recorder("numba:compile") as recorder:
        work()
    return [each.data["dispatcher"].py_func.__name__ for _, each in recorder.buffer if each.is_start]


def test_a_law_is_compiled_once_for_all_runs():
    """Also one that is written anew in each of them, if it refers to nothing outside."""
    law = numba.njit(lambda v: -0.25 * v[0])
    assert "laws" in compilations_in(lambda: with_motor(law))
    assert compilations_in(lambda: with_motor(law)) == []

    def written_anew():
        return with_motor(numba.njit(lambda rate: -0.75 * math.sin(rate)))

    assert "laws" in compilations_in(written_anew)
    assert compilations_in(written_anew) == []


def test_laws_of_one_source_are_told_apart_by_what_they_refer_to():
    """Closures over numbers, functions inside of functions, and options of Numba."""
    damping = lambda c: numba.njit(lambda rate: -c * rate - 1.0)  # noqa: E731
    torques = [with_motor(damping(c)).element("m").force[-1] for c in (0.0, 3.0)]
    assert torques[0] == -1.0
    assert torques[1] != -1.0
    assert meaning_of(damping(1.0)) != meaning_of(damping(1.0))
    bare = lambda rate: 2.0 * rate  # noqa: E731
    assert meaning_of(numba.njit(bare)) == meaning_of(numba.njit(bare))
    assert meaning_of(numba.njit(bare)) != meaning_of(numba.njit(bare, fastmath=True))
    assert meaning_of(numba.njit("f8(f8)")(bare)) != meaning_of(numba.njit(bare))
    hidden = lambda rate: [plain(x, 0.0) for x in (rate,)][0]  # noqa: E731, RUF015
    assert meaning_of(numba.njit(hidden)) != meaning_of(numba.njit(hidden))


def test_a_law_that_cannot_be_called_as_compiled_code_is_tried_once():
    law = numba.njit(lambda v: -0.5 * v)  # of arrays that compiled code has no single number of
    mech = ct.Mechanism("slider", gravity=(0, 0, 0))
    mech.body("b", 2.0, (0, 0, 0), inertia=(1, 1, 1))
    mech.joint("f", "ground", "b", ct.Prismatic(axis=(1, 0, 0)))
    mech.motor("m", "f", law)
    runs = []
    first, second = (compilations_in(lambda: runs.append(ct.simulate(mech, 0.01, v=[1.0], step=1e-3))) for _ in "ab")
    assert first.count("laws") == 1
    assert second == []
    assert runs[0].v[-1, 0] == pytest.approx(np.exp(-0.01 / 4.0), abs=1e-10)


def test_a_law_does_not_depend_on_the_order_of_coordinates():
    """A stop on C, which is never hit, changes the coordinates but not the motion."""
    ends = []
    for stop in (False, True):
        mech = ct.gallery.four_bar()
        mech.motor("pd", "D", lambda angle, rate: 40.0 * (0.2 - angle) - 8.0 * rate)
        mech.motor("other", "A", lambda joints: 0.1 * joints["C"].rate + 0.0 * joints["C"].position)
        if stop:
            mech.joint_spring("never", "C", 0.0)
        run = ct.simulate(mech, 0.5, rtol=1e-10, atol=1e-10)
        ends.append(run.joint("D").angle[-1])
    assert ends[0] == pytest.approx(ends[1], abs=1e-8)


def test_loads_of_compiled_laws():
    mech = ct.Mechanism("ball", gravity=(0, 0, 0))
    mech.body("b", 2.0, (0, 0, 0), inertia=(1, 1, 1))
    mech.joint("f", "ground", "b", ct.Translation())
    mech.force("push", "b", rising, (0, 0, 0))
    run = ct.simulate(mech, 1.0, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(run.point("b").position[-1], (0.0, 10.0 / 12.0, 0.25), atol=1e-9)


def test_what_a_compiled_law_raises():
    run = ct.simulate(four_bar("A", jumps), 0.1, step=1e-3)
    assert run.status == "failed"
    assert "motor 'm' must return 1 finite number" in run.message
    with pytest.raises(ValueError, match="too late") as caught:
        ct.simulate(four_bar("A", raises), 0.1, step=1e-3)
    assert "in the function of motor 'm'" in caught.value.__notes__[0]


def test_inputs_of_a_stepper_beside_laws():
    """Torques that are set stay where functions are evaluated."""
    ends = []
    for law in (plain, compiled):
        stepper = ct.Stepper(four_bar("A", law), 1e-3)
        stepper.set(torque={"D": 3.0})
        stepper.step(50)
        ends.append(stepper.q)
    mech = ct.gallery.four_bar()
    mech.motor("m", "A", plain)
    mech.motor("c", "D", 3.0)
    expected = ct.simulate(mech.compile(cut=["C"]), 0.05, step=1e-3).q[-1]
    for end in ends:
        np.testing.assert_allclose(end, expected, atol=1e-12)


def test_what_is_refused():
    @numba.njit
    def with_joints(joints):
        return 0.0

    with pytest.raises(ForceError, match="'m': a function compiled by Numba cannot take joints"):
        ct.simulate(four_bar("A", with_joints), 0.1)
    with pytest.raises(UnknownNameError, match="no joint or coordinate 'E'"):
        ct.simulate(four_bar("A", lambda joints: joints["E"].angle), 0.1)
    mech = ct.Mechanism("ball")
    mech.body("b", 2.0, (0, 0, 0), inertia=(1, 1, 1))
    mech.joint("s", "ground", "b", ct.Spherical((0, 0, 0)))
    mech.motor("m", "s", lambda rate: -rate, coordinate="wx")
    ct.simulate(mech, 0.1)
    mech.motor("n", "s", lambda angle: -angle, coordinate="wy")
    with pytest.raises(ForceError, match="'n': the velocity that it acts along has no coordinate"):
        ct.simulate(mech, 0.1)
