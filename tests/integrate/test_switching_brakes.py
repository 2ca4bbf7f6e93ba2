"""Brakes against closed forms: where and when they stop something, when they let go, and what they take."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import cotree as ct
from tests.integrate.switching_rigs import TIGHT, G, arm, block, books_close, pendulum, same_motion, times, wheel, words


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize(("make", "joint", "inertia"), [(wheel, "axle", 2.0), (block, "slide", 2.0)])
def test_something_free_is_stopped(make, joint, inertia, coordinates):
    """T = I w / t, angle = I w^2 / 2T; afterwards it does not move at all."""
    mech = make()
    mech.brake(joint, 0.5, at=1.0)
    v = [3.0]
    system = mech.compile(coordinates)
    if coordinates == "absolute":
        v = [0, 0, 3.0, 0, 0, 0] if joint == "axle" else [0, 0, 0, 3.0, 0, 0]
    run = ct.simulate(system, 20.0, v=v, **TIGHT)
    books_close(run)
    assert words(run) == [(f"brake {joint}", "is applied"), (f"brake {joint}", "sticks")]
    assert times(run, "sticks") == pytest.approx([1.0 + inertia * 3.0 / 0.5], rel=1e-9)
    stop = run.switches[-1]
    assert np.abs(stop.v).max() < 1e-15
    assert run.energy.dissipated[-1] == pytest.approx(0.5 * inertia * 9.0, rel=1e-9)
    assert run.energy.lost[-1] == 0.0
    after = run.t > stop.t
    assert np.ptp(run.q[after], axis=0).max() < 1e-14
    if coordinates == "relative":
        assert run.q[-1, 0] == pytest.approx(3.0 + inertia * 9.0 / (2 * 0.5), rel=1e-9)
        assert np.ptp(run.q[after], axis=0).max() == 0.0
        assert (run.v[after] == 0.0).all()


def turning_points(q, torque, weight):
    """Angles at which a pendulum with dry friction turns, the last one where it stays; weight = m g l."""
    out = [q]
    while weight * abs(np.sin(q)) > torque:
        s = -np.sign(q)
        nearer = brentq(lambda x, s=s: weight * np.sin(x) + s * torque, -1.5, 1.5)  # force vanishes on the way there

        def left(x, q=q, s=s):
            return weight * (np.cos(x) - np.cos(q)) - torque * s * (x - q)

        q = brentq(left, nearer, s * 3.1, xtol=1e-15)
        out.append(q)
    return out


@pytest.mark.parametrize("method", ["dopri5", "dop853"])
def test_a_pendulum_comes_to_rest(method):
    """Its turning points by the balance of work; it sticks at each for an instant, and for ever where friction carries it."""
    torque, weight, inertia = 0.8, 2.0 * G * 0.5, 0.1 + 2.0 * 0.25
    mech = pendulum()
    mech.brake("pivot", torque)
    run = ct.simulate(mech, 12.0, q=[1.2], method=method, **TIGHT)
    books_close(run)
    expected = turning_points(1.2, torque, weight)
    assert len(expected) > 4
    assert [s.changes for s in run.switches] == [(("brake pivot", "is applied"),), (("brake pivot", "sticks"),)]
    assert run.switches[-1].q[0] == pytest.approx(expected[-1], abs=1e-8)
    turns = [p.end for p in run.phases[:-1]]  # at each but the last it turns back at once
    swings = [half_swing(a, b, torque, weight, inertia) for a, b in pairwise(expected)]
    assert turns == pytest.approx(np.cumsum(swings), rel=1e-7)
    after = run.t > turns[-1]
    assert after.sum() > 10
    assert (run.q[after] == run.q[-1]).all()
    assert run.energy.dissipated[-1] == pytest.approx(torque * np.abs(np.diff(expected)).sum(), rel=1e-8)


def half_swing(start, end, torque, weight, inertia):
    """Time from one turning point to the next; angle = middle + half sin(u) takes the ends' singularity away."""
    middle, half = 0.5 * (start + end), 0.5 * (end - start)

    def dt(u):
        x = middle + half * np.sin(u)
        work = weight * (np.cos(x) - np.cos(start)) - torque * abs(x - start)
        return half * np.cos(u) / np.sqrt(2 / inertia * work)

    return abs(quad(dt, -np.pi / 2, np.pi / 2, epsabs=1e-12)[0])


@pytest.mark.parametrize(("ratio", "coordinates"), [(1.0, "relative"), (1.5, "relative"), (1.5, "absolute")])
def test_a_ramp_of_force_tears_it_loose(ratio, coordinates):
    """It lets go at ratio F / k and then moves by x'' = (k t - F) / m."""
    m, F, k = 2.0, 3.0, 4.0
    mech = block(m)
    mech.motor("pull", "slide", lambda t: k * t)
    mech.brake("slide", F, static_ratio=ratio)
    run = ct.simulate(mech.compile(coordinates), 3.0, **TIGHT)
    books_close(run)
    t0 = ratio * F / k
    assert times(run, "slips") == pytest.approx([t0], abs=1e-7)
    s = np.maximum(run.t - t0, 0.0)
    x = ((ratio - 1) * F * s**2 / 2 + k * s**3 / 6) / m
    found = run.q[:, 0] if coordinates == "relative" else run.q[:, 4]
    assert found == pytest.approx(x, abs=1e-6)
    assert run.topology(0.5 * t0) == ("brake slide holds",)
    assert run.topology(t0 + 0.1) == ("brake slide slides",)


@pytest.mark.parametrize(("torque", "holds"), [(9.82, True), (9.80, False)])
def test_engaged_at_rest_under_load(torque, holds):
    """A bar held level: m g l = 9.81."""
    mech = pendulum()
    mech.brake("pivot", torque)
    run = ct.simulate(mech, 1.0, q=[np.pi / 2], **TIGHT)
    books_close(run)
    assert run.phases[0].names == ("brake pivot holds" if holds else "brake pivot slides",)
    assert (run.q == np.pi / 2).all() == holds
    if holds:
        assert run.reactions("pivot")[:, 2] == pytest.approx(np.full(201, G), rel=1e-12)


def test_static_ratio_decides_at_rest():
    for ratio, holds in ((1.0, False), (1.5, True)):
        mech = pendulum()
        mech.brake("pivot", 8.0, static_ratio=ratio)
        run = ct.simulate(mech, 0.2, q=[np.pi / 2])
        assert run.phases[0].names == ("brake pivot holds" if holds else "brake pivot slides",)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_two_brakes_on_an_arm(group):
    """The same motion whether the joints are in the tree or cut."""
    mech = arm()
    mech.brake("j1", 8.0, at=0.2)
    mech.brake("j2", 2.0, at=0.1, static_ratio=1.2)
    one = ct.simulate(mech, 4.0, output=41, **TIGHT)
    books_close(one)
    assert {n for n, w in words(one) if w == "sticks"} == {"brake j1", "brake j2"}
    two = ct.simulate(mech.compile("absolute", group=group), 4.0, output=41, **TIGHT)
    books_close(two)
    assert words(two) == words(one)
    assert [s.t for s in two.switches] == pytest.approx([s.t for s in one.switches], abs=1e-6)
    same_motion(one, two, 1e-6)


def test_a_brake_that_is_released_and_applied_again():
    mech = wheel()
    mech.brake("axle", 0.5, at=1.0, until=2.0)
    mech.brake("axle", 0.5, at=3.0, until=5.0)
    run = ct.simulate(mech, 6.0, v=[3.0], **TIGHT)
    books_close(run)
    assert run.v[-1] == pytest.approx([3.0 - 3 * 0.25])
    assert [w for _, w in words(run)] == ["is applied", "is released"] * 2
    assert run.topology(1.5) == ("brake axle slides",)
    assert run.topology(2.5) == ()


def test_one_coordinate_of_a_cylindrical_joint():
    """The turn is braked, the slide goes on."""
    mech = ct.Mechanism(gravity=(0, 0, 0))
    mech.body("bolt", 2.0, (0, 0, 0), (0.5, 0.5, 0.5))
    mech.joint("sleeve", "ground", "bolt", ct.Cylindrical((0, 0, 0), (0, 0, 1)))
    names = mech.compile().coordinate_names
    turn, slide = (next(n for n in names if n.endswith(e)) for e in ("wz", "vz"))
    mech.brake("sleeve", 0.25, coordinate=turn.split(".")[1])
    v = np.zeros(2)
    v[names.index(turn)], v[names.index(slide)] = 1.0, 0.3
    run = ct.simulate(mech, 3.0, v=v, **TIGHT)
    books_close(run)
    assert times(run, "sticks") == pytest.approx([2.0], abs=1e-9)
    assert run.v[-1, names.index(slide)] == pytest.approx(0.3)
    assert run.v[-1, names.index(turn)] == 0.0


def test_a_load_that_comes_and_goes_while_all_is_at_rest():
    """10 N for a moment against 3 N that hold."""
    mech = block()
    mech.motor("blow", "slide", lambda t: 10.0 * np.exp(-(((t - 5.0) / 0.1) ** 2)))
    mech.brake("slide", 3.0)
    run = ct.simulate(mech, 10.0)
    assert times(run, "slips") == pytest.approx([5.0 - 0.1 * np.sqrt(np.log(10 / 3))], abs=1e-6)
