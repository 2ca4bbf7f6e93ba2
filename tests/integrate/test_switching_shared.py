"""Brakes that share a load: forces of each are not unique, and they hold as long as both together can."""

import numpy as np
import pytest

import cotree as ct
from tests.constraints.rigs import four_bar
from tests.integrate.switching_rigs import TIGHT, books_close, same_motion, times

RAMP = 12.0


def loaded(torque_a, torque_d, ratio=1.0, push=RAMP):
    """The four-bar with brakes on both its bearings in ground and a motor that pushes harder and harder."""
    mech = four_bar()
    mech.motor("motor", "A", lambda t: push * t)
    if torque_a:
        mech.brake("A", torque_a, static_ratio=ratio)
    if torque_d:
        mech.brake("D", torque_d, static_ratio=ratio)
    return mech


def release(torque_a, torque_d, ratio=1.0, push=RAMP):
    """When virtual work of weights and motor along the only motion exceeds what the brakes can take; by differences."""
    system = four_bar().compile(cut=["C"])
    names = list(system.coordinate_names)
    a = names.index("A")

    def closed(s):
        q = system.q0.copy()
        q[a] = s
        return ct.assemble(system, q, fixed=["A"])

    h = 1e-4
    one, two = closed(h), closed(-h)
    weight = -(ct.energy(system, one, 0 * one).potential - ct.energy(system, two, 0 * two).potential) / (2 * h)
    slope = (one[names.index("D")] - two[names.index("D")]) / (2 * h)
    most = ratio * (torque_a + torque_d * abs(slope))
    return [(s * most - weight) / push for s in (1, -1)], slope, weight


@pytest.mark.parametrize(
    ("torque_a", "torque_d", "ratio", "cut"),
    [(20.0, 15.0, 1.0, ["B"]), (4.0, 40.0, 1.0, ["C"]), (20.0, 15.0, 1.25, ["A"])],
)
def test_the_four_bar_lets_go_when_both_together_hold_no_more(torque_a, torque_d, ratio, cut):
    mech = loaded(torque_a, torque_d, ratio)
    (forward, _), _, weight = release(torque_a, torque_d, ratio)
    run = ct.simulate(mech.compile(cut=cut), forward + 0.3, output=61, **TIGHT)
    books_close(run, 1e-7)
    assert abs(weight) < ratio * torque_a + ratio * torque_d
    assert times(run, "slips")[0] == pytest.approx(forward, abs=1e-6)
    before = run.t < forward
    assert before.sum() > 10
    assert np.abs(run.v[before]).max() < 1e-15
    assert set(run.phases[-1].names) == {"brake A slides", "brake D slides"}


def test_it_moves_as_with_motors_that_rub():
    """After they have let go each brake is a constant torque against its joint."""
    run = ct.simulate(loaded(20.0, 15.0), 3.6, output=[0.0, 3.0, 3.2, 3.4, 3.6], **TIGHT)
    (t0, _), slope, _ = release(20.0, 15.0)
    assert t0 < 3.0
    mech = four_bar()
    mech.motor("motor", "A", lambda t: RAMP * t - 20.0)
    mech.motor("rub", "D", -15.0 * np.sign(slope))
    other = ct.simulate(mech, (t0, 3.6), output=[3.0, 3.2, 3.4, 3.6], **TIGHT)
    kept = run.t >= 3.0
    assert len(run.phases) == 2
    np.testing.assert_allclose(run.q[kept], other.q, atol=1e-5)


def test_one_of_them_alone():
    for torques in ((30.0, 0.0), (0.0, 30.0)):
        run = ct.simulate(loaded(*torques), 5.0, output=51, **TIGHT)
        books_close(run, 1e-7)
        assert times(run, "slips")[0] == pytest.approx(release(*torques)[0][0], abs=1e-7)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_in_absolute_coordinates(group):
    mech = loaded(20.0, 15.0)
    one = ct.simulate(mech, 4.5, output=46, **TIGHT)
    two = ct.simulate(mech.compile("absolute", group=group), 4.5, output=46, **TIGHT)
    assert times(two, "slips") == pytest.approx(times(one, "slips"), abs=1e-6)
    same_motion(one, two, 1e-5)


def test_both_brakes_stop_a_moving_four_bar_together():
    """A single dof: all brakes come to rest at one instant, and stay."""
    mech = four_bar()
    mech.brake("A", 25.0, at=0.1)
    mech.brake("D", 25.0, at=0.1)
    system = mech.compile()
    v = ct.consistent_velocity(system, system.q0, [1.5, 0, 0])
    run = ct.simulate(system, 2.0, v=v, **TIGHT)
    books_close(run)
    stops = [s for s in run.switches if any(w == "sticks" for _, w in s.changes)]
    assert len(stops) == 1
    assert {n for n, _ in stops[0].changes} == {"brake A", "brake D"}
    after = run.t > stops[0].t
    assert np.abs(run.v[after]).max() < 1e-15
    assert (run.q[after] == run.q[-1]).all()
