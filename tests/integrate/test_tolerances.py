"""Tolerances: what errors are relative to, small motions, and the warning where they are not resolved."""

import numpy as np
import pytest

import cotree as ct
from cotree.integrate.checks.small_motions import unresolved
from tests.integrate.references import pendulum


def oscillator(rotor=False, joint="prismatic"):
    """1 rad/s, alone or beside a slow heavy rotor."""
    mech = ct.Mechanism("oscillator", gravity=(0, 0, 0))
    block = mech.body("block", mass=1.0, com=(0, 0, 0), inertia=(1.0, 1.0, 1.0))
    if joint == "prismatic":
        mech.joint("x", mech.ground, block, ct.Prismatic(axis=(1, 0, 0)))
        mech.joint_spring("k", "x", 1.0)
    elif joint == "revolute":
        mech.joint("x", mech.ground, block, ct.Revolute(point=(0, 0, 0), axis=(1, 0, 0)))
        mech.joint_spring("k", "x", 1.0)
    else:
        mech.joint("x", mech.ground, block, ct.Spherical((0, 0, 0)))
        mech.torque("k", "block", lambda pose: -0.5 * np.array([pose[2, 1] - pose[1, 2], 0, 0]))
    if rotor:
        wheel = mech.body("wheel", mass=100.0, com=(0, 5, 0), inertia=(10, 10, 10))
        mech.joint("turn", mech.ground, wheel, ct.Revolute(point=(0, 5, 0), axis=(0, 0, 1)))
    return mech


def swung(amplitude, rotor=False, **options):
    mech = oscillator(rotor)
    q, v = ([amplitude, 0.0], [0.0, 0.05]) if rotor else ([amplitude], None)
    run = ct.simulate(mech, 20 * np.pi, q, v, **options)
    return run, np.abs(run.q[:, 0] - amplitude * np.cos(run.t)).max() / amplitude


@pytest.mark.parametrize(
    ("amplitude", "options", "error"),
    [
        (1e-8, {"atol": 1e-16}, 1e-6),
        (1e-6, {"atol": 1e-14}, 1e-6),
        (1e-6, {"atol": 1e-12, "rtol": 1e-6, "method": "generalized-alpha"}, 1e-2),
        (1e-6, {"atol": 1e-14, "method": "dop853"}, 1e-6),
    ],
)
@pytest.mark.parametrize("rotor", [False, True])
def test_small_motions_with_a_small_tolerance(amplitude, options, error, rotor):
    run, found = swung(amplitude, rotor, **options)
    assert found < error
    assert run.warnings == ()


@pytest.mark.parametrize("joint", ["prismatic", "revolute", "spherical"])
def test_every_joint_counts_from_its_reference(joint):
    """As accurate at 1e-7 as at 1e-2 for the same ratio of tolerance to motion."""
    errors = []
    for amplitude in (1e-2, 1e-7):
        mech = oscillator(joint=joint)
        v = [amplitude] + [0.0] * (mech.compile().nv - 1)
        run = ct.simulate(mech, 6.0, v=v, rtol=1e-6, atol=1e-6 * amplitude, step=ct.Adaptive(max_step=np.inf))
        errors.append(np.abs(run.v[:, 0] / amplitude - np.cos(run.t)).max())
    assert max(errors) < 1e-4
    assert errors[1] < 2.0 * errors[0]


def test_turns_do_not_make_errors_smaller():
    """A pendulum that has turned a thousand times is followed with as many steps as at the start."""
    turns = 2000 * np.pi
    near, far = ct.simulate(pendulum(), 2.0, [1.0]), ct.simulate(pendulum(), 2.0, [1.0 + turns])
    assert far.q[-1] - turns == pytest.approx(near.q[-1], abs=1e-8)
    assert far.statistics["steps"] == pytest.approx(near.statistics["steps"], rel=0.1)


def test_a_motion_that_is_not_resolved_is_said():
    """The balance of energy does not show it: the rotor has all of the energy."""
    run, error = swung(1e-6, rotor=True)
    assert error > 0.05
    assert [w.kind for w in run.warnings] == ["accuracy"]
    assert str(run.warnings[0]).startswith("'x' moved by 2e-06 (m, rad, m/s or rad/s) at most, which atol=1e-08")
    assert "use atol=1e-13 or smaller" in str(run)
    better, error = swung(1e-6, rotor=True, atol=1e-13)
    assert error < 1e-4
    assert better.warnings == ()


def test_what_does_not_move_is_no_small_motion():
    run, _ = swung(1.0, rotor=True)
    assert unresolved(run) == ([], 0.0)
    still = ct.simulate(oscillator(rotor=True), 1.0, v=[0.0, 1.0])
    assert still.warnings == ()


def test_a_short_run_is_no_small_motion():
    """After 0.1 us all has moved by 1e-6 at most, in one step, which is exact."""
    run = ct.simulate(ct.gallery.four_bar(), 1e-7)
    assert np.abs(run.v).max() < 1e-5
    assert "accuracy" not in [w.kind for w in run.warnings]


def test_coordinates_of_loops_follow_from_others():
    """A loop all of which moves by micrometres is said; what is driven follows its drive and is not."""
    mech = ct.gallery.parallelogram(0.6)
    mech.joint_spring("k", "A", 1.0)
    run = ct.simulate(
        mech,
        20.0,
        v=1e-7 * ct.consistent_velocity(mech.compile(), mech.compile().q0, [1, 0, 0, 0][: mech.compile().nv]),
    )
    assert "accuracy" in [w.kind for w in run.warnings]
    mech.drive("crank", "A", lambda t: 1e-7 * np.sin(t))
    assert "accuracy" not in [w.kind for w in ct.simulate(mech, 20.0).warnings]


@pytest.mark.parametrize("method", ["dopri5", "generalized-alpha"])
def test_tolerances_by_name_are_for_what_they_name(method, tmp_path):
    """As many steps and the same errors as with that tolerance for all, where the other coordinate is easy; files keep it."""
    small, most = {"x": 1e-14}, 1e-3 if method == "dopri5" else 0.1
    run, error = swung(1e-6, rotor=True, method=method, atol=small)
    everywhere, _ = swung(1e-6, rotor=True, method=method, atol=1e-14)
    assert error < most
    assert abs(run.statistics["steps"] / everywhere.statistics["steps"] - 1.0) < 0.01
    assert swung(1e-6, rotor=True, method=method)[0].statistics["steps"] < 0.5 * run.statistics["steps"]
    assert not [w for w in run.warnings if w.kind == "accuracy"]
    run.save(tmp_path / "run.h5")
    assert ct.load_run(tmp_path / "run.h5").settings.atol == small


def test_large_tolerances_by_name_let_one_coordinate_be_coarse():
    coarse, usual = (swung(0.5, rotor=True, atol=atol)[0] for atol in ({"x": 1e-2}, 1e-8))
    assert coarse.statistics["steps"] < 0.5 * usual.statistics["steps"]
    named = swung(0.5, rotor=True, atol={"turn": 1e-8})[0]
    assert named.q.tobytes() == usual.q.tobytes()


def test_wrong_tolerances_by_name():
    with pytest.raises(ct.errors.UnknownNameError, match="no coordinate 'y'"):
        ct.simulate(oscillator(), 1.0, atol={"y": 1e-9})
    with pytest.raises(ct.errors.ShapeError, match=r"atol\['x'\] is 0; give a positive number"):
        ct.simulate(oscillator(), 1.0, atol={"x": 0})
