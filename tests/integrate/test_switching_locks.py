"""Locks in simulations: held exactly, by every method and formulation; schedules of all kinds."""

import json
from pathlib import Path

import numpy as np
import pytest

import cotree as ct
from tests.closed_mechanisms import CATALOGUE
from tests.integrate.switching_rigs import TIGHT, arm, books_close, pendulum, times, wheel, words

DATA = json.loads((Path(__file__).parents[1] / "transitions" / "data_planar_3r.json").read_text())
METHODS = [
    ("dopri5", None), ("dop853", None), ("generalized-alpha", None),
    ("euler", 1e-3), ("midpoint", 1e-3), ("rk4", 2e-3), ("dopri5", 2e-3), ("generalized-alpha", 2e-3),
]  # fmt: skip


def held(run, system, joints, rounding=0.0):
    """All coordinates of locked joints are constant to the last bit, or to rounding, after the last lock has closed."""
    first = np.sort(np.append(system.links["iq"], system.nq))
    starts = [int(system.links[k]["iq"]) for name in joints for k in system.joint_links[name]]
    places = [i for a in starts for i in range(a, int(first[first > a][0]))]
    after = run.t > run.switches[-1].t
    assert after.sum() > 3
    assert places
    moved = np.ptp(run.q[after][:, places], axis=0)
    assert moved.max() <= rounding, (joints, moved)


@pytest.mark.parametrize(("method", "step"), METHODS)
def test_locked_coordinates_are_constant_in_trees(method, step):
    """The planar 3R and a double pendulum of ball joints, one of them locked."""
    mech = ct.gallery.planar_3r()
    mech.lock("J2", at=0.2)
    run = ct.simulate(mech, 0.5, method=method, step=step, output=26)
    assert run.status == "done", run.message
    held(run, run.system, ["J2"])
    balls = ct.gallery.spherical_double_pendulum()
    name = list(balls.joints)[1]
    balls.lock(name, at=0.01)
    run = ct.simulate(balls, 0.05, method=method, step=step and step / 10, output=26)
    assert run.status == "done", run.message
    held(run, run.system, [name], 1e-16 if method == "generalized-alpha" else 0.0)  # whose unknowns are solved for
    assert np.abs(run.v[-1]).max() > 0.1


@pytest.mark.parametrize("formulation", ["index1", "projection", "voronets", "odca"])
@pytest.mark.parametrize("stabilize", ["none", "baumgarte", "partition", "projection"])
def test_locked_coordinates_are_constant_in_loops(formulation, stabilize):
    """A five-bar with one joint locked that is in the tree, and one that is locked from the start."""
    mech = CATALOGUE["five-bar"][0]().mechanism()
    mech.lock("j1", at=0.2)
    system = mech.compile(cut=["j3"])
    if (formulation, stabilize) == ("odca", "partition"):
        pytest.skip("not offered")
    run = ct.simulate(system, 0.6, formulation=formulation, stabilize=stabilize, output=31)
    assert run.status == "done", run.message
    held(run, system, ["j1"])
    assert np.abs(run.v[-1]).max() > 0.1
    assert run.violation.max() < (1e-4 if stabilize in ("none", "baumgarte") else 1e-9)


@pytest.mark.parametrize(("method", "step"), METHODS)
def test_locked_coordinates_are_constant_in_loops_by_every_method(method, step):
    mech = CATALOGUE["delta"][0]().mechanism()
    mech.lock("R1", at=0.05)
    run = ct.simulate(mech, 0.2, method=method, step=step and step / 4, output=21)
    assert run.status == "done", run.message
    held(run, run.system, ["R1"])


def test_a_locked_cut_joint_stays_to_rounding():
    """Across the cut the angle is no coordinate: it stays as well as loops stay closed."""
    mech = CATALOGUE["five-bar"][0]().mechanism()
    mech.lock("j1", at=0.2)
    one = ct.simulate(mech.compile(cut=["j3"]), 0.6, output=31, **TIGHT)
    two = ct.simulate(mech.compile(cut=["j1"]), 0.6, output=31, **TIGHT)
    books_close(two)
    for name in one.system.body_names:
        a, b = one.poses()[:, one.system.row_of(name)], two.poses()[:, two.system.row_of(name)]
        np.testing.assert_allclose(b, a, atol=1e-7)


@pytest.mark.parametrize("kind", ["consistent", "naive"])
def test_the_recorded_switches(kind):
    """The planar 3R, J2 then J3, against figures that were computed without this package."""
    mech = ct.gallery.planar_3r()
    mech.lock("J2", at=0.7)
    mech.lock("J3", at=1.2)
    run = ct.simulate(mech, DATA["t_end"], stabilize=ct.Projection(transitions=kind), rtol=1e-12, atol=1e-12)
    assert run.status == "done"
    for switch, record in zip(run.switches, DATA[kind]["switches"], strict=True):
        assert switch.t == record["t"]
        assert switch.q == pytest.approx(record["q"], abs=1e-9)
        assert switch.v_before == pytest.approx(record["v_before"], abs=1e-8)
        assert switch.v == pytest.approx(record["v_after"], abs=1e-8)
        assert switch.energy_loss == pytest.approx(
            record["kinetic_before"] - record["kinetic_after"], rel=1e-7, abs=1e-7
        )
        if kind == "consistent":
            impulse = np.concatenate([*switch.impulses.values()])
            assert impulse == pytest.approx(-np.array(record["impulse"][-1:]), rel=1e-7)  # as it acts on the child
    assert run.q[-1] == pytest.approx(DATA[kind]["q_end"], abs=1e-7)
    assert run.v[-1] == pytest.approx(DATA[kind]["v_end"], abs=1e-7)
    if kind == "consistent":
        books_close(run)


def test_locks_in_quick_succession():
    """Three locks 1 us apart, and the same three at once: nearly the same."""
    one, two = arm((1.0, 0.7, 0.5)), arm((1.0, 0.7, 0.5))
    for k in range(3):
        one.lock(f"j{k + 1}", at=0.3 + k * 1e-6)
        two.lock(f"j{k + 1}", at=0.3)
    a, b = (ct.simulate(m, 0.6, **TIGHT) for m in (one, two))
    for run in (a, b):
        books_close(run)
        assert np.abs(run.v[-1]).max() == 0.0
        assert "came to a stop" in str(run)
    assert [s.t for s in a.switches] == pytest.approx([0.3, 0.3 + 1e-6, 0.3 + 2e-6], abs=1e-12)
    assert [s.t for s in b.switches] == [0.3]
    assert a.q[-1] == pytest.approx(b.q[-1], abs=1e-5)
    assert a.energy.lost[-1] == pytest.approx(b.energy.lost[-1], rel=1e-4)


def test_lock_until_and_again():
    """A wheel that is stopped for ever by the first lock; a pendulum that starts again from rest where it was held."""
    mech = pendulum()
    mech.lock("pivot", at=0.2, until=0.5)
    mech.lock("pivot", at=0.8, until=0.9)
    run = ct.simulate(mech, 1.2, q=[1.0], **TIGHT)
    books_close(run)
    assert words(run) == [("lock pivot", "locks"), ("lock pivot", "unlocks")] * 2
    assert [s.t for s in run.switches] == [0.2, 0.5, 0.8, 0.9]
    plain = ct.simulate(pendulum(), 0.3, q=run.switches[0].q, **TIGHT)
    again = run.switches[2]
    assert again.q == pytest.approx(plain.q[-1], abs=1e-9)
    assert again.v_before == pytest.approx(plain.v[-1], abs=1e-9)
    assert run.topology(0.3) == ("lock pivot",)
    assert run.topology(0.6) == run.topology(0.0) == ()
    assert run.topology(0.2) == ("lock pivot",)


def test_unlock_and_lock_of_two_joints_at_the_same_time():
    """At 0.3 s one lets go and the other closes: the order in which they were written does not matter."""
    runs = []
    for order in (0, 1):
        mech = arm()
        mech.lock("j1", until=0.3)
        steps = [lambda m: m.lock("j2", at=0.3), lambda m: m.lock("j2", at=0.6, until=0.7)]
        for f in steps if order else steps[:1]:
            f(mech)
        runs.append(ct.simulate(mech, 0.5, **TIGHT))
        books_close(runs[-1])
    assert runs[0].q == pytest.approx(runs[1].q, abs=1e-12)
    switch = runs[0].switches[-1]
    assert set(switch.changes) == {("lock j1", "unlocks"), ("lock j2", "locks")}
    M = ct.mass_matrix(runs[0].system, switch.q)
    assert (M @ switch.v)[0] == pytest.approx((M @ switch.v_before)[0], rel=1e-12)


def test_a_lock_at_the_start_takes_velocity_away_at_once():
    mech = arm()
    mech.lock("j2", at=0.0)
    run = ct.simulate(mech, 0.2, v=[1.0, 2.0], **TIGHT)
    books_close(run)
    assert run.switches[0].t == 0.0
    assert run.v[0, 1] == 0.0
    M = ct.mass_matrix(run.system, run.q[0])
    assert M[0] @ run.v[0] == pytest.approx(M[0] @ [1.0, 2.0], rel=1e-13)
    assert run.energy.lost[0] == pytest.approx(run.switches[0].energy_loss)


@pytest.mark.parametrize("direction", [-1, 0, 1])
def test_lock_when_an_event_happens(direction):
    """A swinging pendulum is caught as it passes 0.3 rad: falling, rising or whichever comes first."""
    mech = pendulum()
    mech.lock("pivot", when=ct.Event(lambda q: q[0] - 0.3, "here", direction=direction))
    run = ct.simulate(mech, 3.0, q=[1.0], **TIGHT)
    books_close(run)
    assert [s.changes for s in run.switches] == [(("lock pivot", "locks"),)]
    caught = run.switches[0]
    assert caught.q == pytest.approx([0.3], abs=1e-10)
    assert np.sign(caught.v_before[0]) == (1 if direction == 1 else -1)
    assert run.q[-1] == pytest.approx([0.3], abs=1e-10)
    assert run.energy.lost[-1] == pytest.approx(ct.energy(run.system, caught.q, caught.v_before).kinetic, rel=1e-9)


def test_unlock_when_and_lock_again_when():
    """A wheel under a motor: locked at each rate of 1, let go a second later: as often as it happens."""
    mech = wheel()
    mech.motor("motor", "axle", 1.0)
    lock = mech.lock("axle", when=lambda v: v[0] - 1.0)
    mech.unlock(lock, when=lambda t: np.sin(np.pi * t / 3))
    run = ct.simulate(mech, 10.0, **TIGHT)
    books_close(run)
    assert times(run, "locks") == pytest.approx([2.0, 5.0, 8.0], abs=1e-8)
    assert times(run, "unlocks") == pytest.approx([3.0, 6.0, 9.0], abs=1e-8)
    assert run.energy.lost[-1] == pytest.approx(3.0)


def test_naive_runs_are_naive_from_the_start():
    """A lock at the first instant: the other rates stay as they are, or jump with it."""
    jumps = {}
    for kind in ("consistent", "naive"):
        mech = ct.gallery.planar_3r()
        mech.lock("J2")
        run = ct.simulate(mech, 0.01, q=[0.3, -0.4, 0.9], v=[1.0, 2.0, -3.0], stabilize=ct.Projection(transitions=kind))
        jumps[kind] = run.switches[0].v
    assert jumps["naive"] == pytest.approx([1.0, 0.0, -3.0], abs=1e-15)
    assert abs(jumps["consistent"][0] - 1.0) > 0.1
