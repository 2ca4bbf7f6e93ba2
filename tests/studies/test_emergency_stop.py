"""Emergency stops: where arms halt, with momentum kept and without; the space that they pass."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import SwitchError, UnknownNameError
from cotree.studies import swept
from cotree.studies.swept import body_points, hull_volume, shape_points


@pytest.fixture(scope="module")
def falling_arm():
    """The planar 3R of [VTM 6], locked from the middle outwards, the base last."""
    tip = ("link3", (3.0, 0.0, 0.0))
    return ct.emergency_stop(
        ct.gallery.planar_3r(), at=0.7, locks={"J2": 0.7, "J3": 1.2, "J1": 1.6}, watch=tip, t_end=2.0
    )


def test_both_come_to_rest_in_different_places(falling_arm):
    """Angles at rest: those of the states at the last switch; the two ways are 0.42 m apart."""
    for stop in (falling_arm.consistent, falling_arm.naive):
        assert stop.rest_time == pytest.approx(1.6, abs=1e-12)
        assert np.array_equal(stop.run.q[-1], stop.run.switches[-1].q)
        q = stop.run.q[-1]
        angles = np.cumsum(q)
        tip = [np.cos(angles).sum(), np.sin(angles).sum(), 0.0]
        assert stop.point == pytest.approx(tip, abs=1e-12)
    assert falling_arm.point_apart == pytest.approx(0.4238, abs=1e-3)
    assert max(falling_arm.apart.values()) > 0.1
    assert "0.4238 m apart" in str(falling_arm)


def test_momentum_is_kept_by_one_only(falling_arm):
    """[VTM] figures 2 to 4: 15.8 % of the base joint's momentum, 28.2 % of the kinetic energy go the naive way; 0.38 % else."""
    for stop, lost_momentum, lost_energy in (
        (falling_arm.consistent, 0.0, 0.0038),
        (falling_arm.naive, 0.1579, 0.2823),
    ):
        s = stop.run.switches[0]
        M = ct.mass_matrix(stop.run.system, s.q)
        before, after = M @ s.v_before, M @ s.v
        assert 1.0 - after[0] / before[0] == pytest.approx(lost_momentum, abs=1e-4)
        assert s.energy_loss / (0.5 * s.v_before @ before) == pytest.approx(lost_energy, abs=1e-4)
        assert np.abs(stop.run.energy.balance).max() < 1e-5


def test_sliding_brakes_do_not_care():
    """Brakes stick where the rate is zero: there is nothing to jump, and both predictions are the same."""
    brakes = {"J1": 1500.0, "J2": 2500.0, "J3": 1200.0, "J4": 100.0, "J5": 80.0, "J6": 30.0}
    stop = ct.emergency_stop(ct.gallery.rx130(), at=0.1, brakes=brakes, t_end=1.0)
    assert stop.consistent.rest_time == pytest.approx(0.16, abs=0.01)
    assert stop.point_apart < 1e-12
    run = stop.consistent.run
    assert run.energy.dissipated[-1] == pytest.approx(run.energy.total[0] - run.energy.total[-1], abs=1e-5)


@pytest.mark.parametrize("output", [3, 201, 2001])
def test_rest_is_that_of_the_last_joint_however_far_apart_rows_are(output):
    """Wheels that stop after 65, 115 and 90 ms, between the same two rows or not; a lock that closes later moves nothing."""
    mech = ct.Mechanism("wheels", gravity=(0, 0, 0))
    for name in "abc":
        mech.body(name, mass=1, com=(0, 0, 0), inertia=(1, 1, 1))
        mech.joint(name, "ground", name, ct.Revolute((0, 0, 0), (0, 0, 1)))
    brakes = {"a": 1 / 0.065, "b": 1 / 0.115, "c": 1 / 0.09}
    start = {"q": [0.0] * 3, "v": [1.0, 1.0, -1.0], "t_end": 12.0}
    stop = ct.emergency_stop(mech, at=0.0, brakes=brakes, locks={"a": 5.0}, output=output, **start)
    for one in (stop.consistent, stop.naive):
        assert one.rest_time == pytest.approx(0.115, abs=1e-9)
    assert "at rest 0.115 s later" in str(stop)


@pytest.mark.parametrize("output", [3, 4001])
@pytest.mark.parametrize("brakes", [{"J1": 10.0, "J2": 1.0}, {"J1": 10.0, "J2": 3.0}])
def test_joints_that_stick_and_slip_again_between_rows(brakes, output):
    """Sliding in the other joint breaks one of the two loose again; each comes last in one of the cases."""
    mech = ct.Mechanism("arm", gravity=(0, 0, 0))
    for name, x in (("one", 0.0), ("two", 1.0)):
        mech.body(name, shape=ct.Rod((x, 0, 0), (x + 1, 0, 0), 0.05), density=1000)
    mech.joint("J1", "ground", "one", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("J2", "one", "two", ct.Revolute((1, 0, 0), (0, 0, 1)))
    stop = ct.emergency_stop(mech, at=0.0, brakes=brakes, t_end=20.0, q=[0, 1.0], v=[0.5, 8.0], output=output)
    changes = [word for s in stop.consistent.run.switches for _, word in s.changes]
    assert "slips" in changes
    assert changes[-1] == "sticks"
    assert stop.consistent.rest_time == stop.consistent.run.switches[-1].t


def test_rest_without_a_switch_is_not_before_the_motion_has_died_down():
    """A damper stops the second wheel, long after the brake has stopped the first: it was the time of the stop itself."""
    mech = ct.Mechanism("wheels", gravity=(0, 0, 0))
    for name in "ab":
        mech.body(name, mass=1, com=(0, 0, 0), inertia=(1, 1, 1))
        mech.joint(name, "ground", name, ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint_damper("d", "b", 10.0)
    stop = ct.emergency_stop(mech, at=0.0, brakes={"a": 10.0}, t_end=8.0, q=[0.0, 0.0], v=[1.0, 1.0], output=801)
    assert 1.5 < stop.consistent.rest_time < 3.0  # exp(-10 t) is below 1e-9 after 2.07 s


def test_drives_and_motors_are_shut_off():
    arm = ct.gallery.planar_3r()
    arm.drive("d", "J1", lambda t: 2.0 * t, rate=lambda t: 2.0, acceleration=lambda t: 0.0)
    arm.motor("m", "J3", 5.0)
    stop = ct.emergency_stop(arm, at=0.2, locks={"J1": 0.2, "J2": 0.2}, t_end=0.4, q=np.zeros(3), v=[2.0, 0.0, 0.0])
    names = stop.consistent.run.topology(0.3)
    assert "without d" in names
    assert "without m" in names
    assert stop.consistent.rest_time is None  # joint 3 swings on
    assert "still moving" in str(stop)
    assert arm.devices == {}  # the user's own mechanism is as it was
    assert arm.actions == []


def test_space_that_is_passed():
    """A bar that turns once round its end: a disk, nearly, of its length and thickness."""
    mech = ct.Mechanism("hand", gravity=(0, 0, 0))
    bar = mech.body("bar", shape=ct.Box((0.5, 0.0, 0.0), (1.0, 0.02, 0.1)), density=1000.0)
    mech.joint("A", mech.ground, bar, ct.Revolute((0, 0, 0), (0, 0, 1)))
    run = ct.simulate(mech, 1.0, v=[2.0 * np.pi], output=361)
    found = swept(run)
    assert found.high == pytest.approx([1.0, 1.0, 0.05], abs=1e-3)
    assert found.low == pytest.approx([-1.0, -1.0, -0.05], abs=1e-3)
    assert found.volumes["bar"] == pytest.approx(np.pi * 0.1, rel=1e-3)


def test_points_of_shapes():
    """Hulls of the points have the volumes of the shapes, round ones up to the chords."""
    box = ct.Box((1, 2, 3), (1.0, 2.0, 0.5), rotation=np.eye(3)[[1, 2, 0]])
    assert hull_volume(shape_points(box)) == pytest.approx(1.0)
    rod = ct.Cylinder((0, 0, 0), (0, 1, 2), 0.3)
    assert hull_volume(shape_points(rod)) == pytest.approx(np.pi * 0.09 * np.sqrt(5), rel=0.05)
    assert hull_volume(shape_points(ct.Sphere((1, 0, 0), 2.0))) == pytest.approx(4 / 3 * np.pi * 8, rel=0.15)
    assert shape_points(None) is None
    assert hull_volume(np.zeros((5, 3))) == 0.0
    system = ct.gallery.planar_3r().compile()
    assert len(body_points(system, "link1")) == 8


def test_refused():
    arm = ct.gallery.planar_3r()
    with pytest.raises(SwitchError, match=r"give brakes= \(torques\) or locks= \(times\)"):
        ct.emergency_stop(arm, at=0.1)
    with pytest.raises(UnknownNameError, match="J9"):
        ct.emergency_stop(arm, at=0.1, brakes={"J9": 1.0})
    with pytest.raises(SwitchError, match=r"the run ends at 0.1 s, before the stop at 1e\+200 s; give a later t_end"):
        ct.emergency_stop(ct.gallery.planar_3r(), at=1e200, brakes={"J1": 1.0}, t_end=0.1)


def test_plot(falling_arm, tmp_path):
    pytest.importorskip("matplotlib")
    figure = falling_arm.plot(tmp_path / "stop.png")
    assert (tmp_path / "stop.png").stat().st_size > 10_000
    titles = [axes.get_title() for axes in figure.axes]
    assert "momentum conserved" in titles
    assert "rates set to zero" in titles
    assert any("0.424 m apart" in title for title in titles)
    assert all(axes.get_xlabel() and axes.get_ylabel() for axes in figure.axes)
