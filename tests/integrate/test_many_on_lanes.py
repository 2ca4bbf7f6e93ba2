"""Runs on lanes: equal to single runs up to rounding, whatever happens in other lanes."""

import time

import numpy as np
import pytest

import cotree as ct
from cotree.engine.interpreted import INTERPRETED
from cotree.engine.lane_type import LANES, count
from cotree.errors import ArgumentError, ChoiceError
from cotree.gallery import four_bar, n_four_bar, pendulum_chain
from cotree.integrate.beginning import Beginning
from cotree.integrate.driver import Driver
from cotree.integrate.settings import Settings
from tests.integrate.lane_survey import compared, survey
from tests.random_mechanisms import error

pytestmark = pytest.mark.skipif(INTERPRETED or not count(), reason="lanes are compiled")


def off(runs, i, alone):
    return max(error(runs[i].q, alone.q), error(runs[i].v, alone.v), error(runs[i].work, alone.work))


def tried(run):
    """Part of the steps that were tried on lanes."""
    return run.statistics["steps_on_lanes"] / (run.statistics["steps"] + run.statistics["rejected"])


@pytest.mark.parametrize("seed", range(20))
def test_fixed_steps_of_random_mechanisms(seed):
    """Trees, loops, networks and mechanisms of the literature, both groups, relative and absolute coordinates."""
    found = survey(seed)
    assert found is None or found.off < 1e-12


@pytest.mark.parametrize("seed", range(20, 32))
def test_adaptive_steps_of_random_mechanisms(seed):
    """The same number of steps, of which the same are rejected."""
    found = survey(seed, rtol=1e-7)
    assert found is None or found.off < 1e-10


def test_steps_are_on_lanes():
    """And not left to the engine for single runs."""
    system = four_bar().compile()
    v = np.outer(np.linspace(0.5, 2.0, 6), ct.consistent_velocity(system, system.q0, {"A": 1.0}))
    runs = ct.simulate_many(system, 0.5, v=v, lanes=True, output=21)
    assert min(map(tried, runs)) == 1.0
    for i, run in enumerate(runs):
        alone = ct.simulate(system, 0.5, v=v[i], output=21)
        assert off(runs, i, alone) < 1e-12
        assert alone.statistics.keys() | {"steps_on_lanes"} == run.statistics.keys()
        for name in alone.statistics.keys() - {"method"}:
            assert run.statistics[name] == pytest.approx(alone.statistics[name], rel=1e-5, abs=1e-12)
        assert run.violation.max() < 1e-12


def mixed(length, mass, stiffness, damping):
    """A four-bar of its own size, with a spring, a damper and a constant torque."""
    mech = ct.Mechanism("mixed", gravity=(0.0, -9.81, 0.0))
    A, B, C, D = np.array([(0, 0, 0), (0.6, 0.8, 0), (2.4, 1.4, 0), (2.5, 0, 0)], dtype=float) * length
    for name, m, ends in (("crank", mass, (A, B)), ("coupler", 2.0, (B, C)), ("rocker", 1.0, (C, D))):
        mech.body(name, m, np.mean(ends, axis=0), np.eye(3) * 0.1 * m)
    bodies = ("ground", "crank", "coupler", "rocker", "ground")
    for name, parent, child, point in zip("ABCD", bodies, bodies[1:], (A, B, C, D), strict=False):
        mech.joint(name, parent, child, ct.Revolute(point, (0, 0, 1)))
    mech.spring("s", "ground", A, "coupler", C, stiffness=stiffness, damping=damping)
    mech.motor("m", "A", 0.3 * mass)
    return mech


@pytest.mark.parametrize("options", [{}, {"step": 0.005}, {"stabilize": "none", "method": "dop853"}])
def test_parameters_differ_from_lane_to_lane(options):
    rng = np.random.default_rng(3)
    given = {
        name: rng.uniform(*of, 7) for name, of in (("length", (0.5, 1.5)), ("mass", (0.5, 2.0)), ("stiffness", (0, 50)))
    }
    given["damping"] = rng.uniform(0.0, 2.0, 7) * (rng.random(7) < 0.7)  # some have none
    runs = ct.simulate_many(mixed, 0.3, parameters=given, lanes=True, output=13, **options)
    for i in range(7):
        alone = ct.simulate(mixed(**{name: x[i] for name, x in given.items()}), 0.3, output=13, **options)
        assert tried(runs[i]) == 1.0
        assert off(runs, i, alone) < 1e-11
        assert alone.work[-1].any()
    assert len({float(r.q[-1, 0]) for r in runs}) == 7


def test_singular_crossings_leave_others_untouched():
    """Two coupled four-bars pass where all cranks lie along the couplers; those that do not get there stay on lanes."""
    system = n_four_bar(2).compile()
    u = ct.consistent_velocity(system, system.start[0] if system.start[0] is not None else system.q0, {"A0": 1.0})
    speeds = np.array([0.2, -4.0, 0.3, -5.0, 0.1])
    runs = ct.simulate_many(system, 0.6, v=speeds[:, None] * u, lanes=True, output=7)
    for i, speed in enumerate(speeds):
        alone = ct.simulate_many(system, 0.6, v=(speed * u)[None], lanes=False, output=7)[0]
        assert runs.status[i] == alone.status
        assert len(runs[i].crossings) == len(alone.crossings) == (abs(speed) > 1)
        assert off(runs, i, alone) < (1e-6 if abs(speed) > 1 else 1e-12)
    assert all(0.0 < tried(runs[i]) < 1.0 for i in (1, 3))
    lone = ct.simulate_many(system, 0.6, v=speeds[[0, 2, 4], None] * u, lanes=True, output=7)
    for i, k in enumerate((0, 2, 4)):  # bit for bit what they are in other company
        assert np.array_equal(lone.q[i], runs.q[k])
        assert np.array_equal(lone.v[i], runs.v[k])


def test_failures_leave_others_untouched():
    """A motion that runs away to infinity, and a mechanism that cannot be built."""

    def build(mass, torque):
        mech = pendulum_chain(2)
        if mass < 0:
            mech.body("wrong", mass, (0, 0, 0), (1, 1, 1))
        mech.motor("m", "J1", torque)
        return mech

    torque = np.array([0.1, 1e300, 0.2, 0.3, 0.4, 0.5])
    mass = np.array([1.0, 1.0, 1.0, -1.0, 1.0, 1.0])
    runs = ct.simulate_many(build, 0.3, parameters={"mass": mass, "torque": torque}, lanes=True, step=0.01, output=4)
    assert [s == "done" for s in runs.status] == [True, False, True, False, True, True]
    assert "wrong" in runs.message[3]
    for i in (0, 2, 4, 5):
        alone = ct.simulate(build(1.0, torque[i]), 0.3, step=0.01, output=4)
        assert off(runs, i, alone) < 1e-12
        assert tried(runs[i]) == 1.0


def test_runs_that_go_alone():
    """User functions, implicit methods and other formulations: as single runs, bit for bit."""

    def pushed(size):
        mech = pendulum_chain(1)
        mech.motor("m", "J1", lambda t: size * t)
        return mech

    runs = ct.simulate_many(pushed, 0.1, parameters={"size": [1.0, 2.0]}, lanes=True, output=3)
    for i, size in enumerate((1.0, 2.0)):
        assert np.array_equal(runs.q[i], ct.simulate(pushed(size), 0.1, output=3).q)
        assert "steps_on_lanes" not in runs[i].statistics
    system = four_bar().compile()
    v = np.outer([0.5, 1.0], ct.consistent_velocity(system, system.q0, {"A": 1.0}))
    for options in (
        {"formulation": "voronets"},
        {"stabilize": "baumgarte"},
        {"method": "generalized-alpha", "step": 0.01},
    ):
        runs = ct.simulate_many(system, 0.05, v=v, lanes=True, output=3, **options)
        alone = ct.simulate(system, 0.05, v=v[1], output=3, **options)
        assert np.array_equal(runs.q[1], alone.q)


def test_more_members_than_seats_and_structures_that_differ():
    """Each gets the next free seat; a chain of other length is run alone."""
    rng = np.random.default_rng(1)
    n, lengths = 3 * LANES + 1, rng.uniform(0.5, 1.5, 3 * LANES + 1)
    ends = np.where(np.arange(n) == 5, 3, 2)
    runs = ct.simulate_many(
        lambda n, length: pendulum_chain(int(n), length), 0.2, parameters={"n": ends, "length": lengths}, lanes=True, output=3,
        threads=1,
    )  # fmt: skip
    for i in range(n):
        alone = ct.simulate(pendulum_chain(int(ends[i]), lengths[i]), 0.2, output=3)
        assert max(error(runs[i].q, alone.q), error(runs[i].v, alone.v)) < 1e-12
        assert ("steps_on_lanes" in runs[i].statistics) == (i != 5)


def test_which_members_share_lanes_does_not_depend_on_threads():
    """Each of eight threads takes one of the first eight members, so that one of them meets the other structure first."""
    n = 17
    ends = np.where(np.arange(n) == 5, 3, 2)

    def build(n, length):
        time.sleep(0.05)
        return pendulum_chain(int(n), length)

    given = {"n": ends, "length": np.linspace(0.5, 1.5, n)}
    one, eight = (
        ct.simulate_many(build, 0.2, parameters=given, lanes=True, output=3, threads=threads) for threads in (1, 8)
    )
    assert np.array_equal(one.q, eight.q, equal_nan=True)
    assert ["steps_on_lanes" in run.statistics for run in eight] == [i != 5 for i in range(n)]


def test_first_members_that_cannot_be_started():
    """The others share lanes all the same."""
    q = np.full((5, 1), 0.3)
    v = np.array([[1e200], [1e200], [0.1], [0.2], [0.3]])
    runs = ct.simulate_many(pendulum_chain(1), 0.2, q, v, lanes=True, output=3)
    alone = [ct.simulate(pendulum_chain(1), 0.2, q[i], v[i], output=3) for i in (2, 3, 4)]
    assert runs.status[2:] == ("done",) * 3
    assert all("steps_on_lanes" in runs[i].statistics for i in (2, 3, 4))
    assert max(error(runs[i + 2].q, alone[i].q) for i in range(3)) < 1e-12


def test_measured():
    q = np.linspace(0.1, 0.5, 3)[:, None]
    for lanes in (True, False):
        runs = ct.simulate_many(
            pendulum_chain(1), 0.3, q, lanes=lanes, output=5, measure=lambda run: float(np.abs(run.v).max())
        )
        whole = ct.simulate_many(pendulum_chain(1), 0.3, q, lanes=lanes, output=5)
        assert runs.measured == tuple(float(np.abs(r.v).max()) for r in whole)
        assert runs.q.shape == (3, 0, 1)
        assert runs.status == ("done",) * 3
        with pytest.raises(ArgumentError, match="not kept"):
            _ = runs[0]
    with pytest.raises(ArgumentError, match="measure is 3"):
        ct.simulate_many(pendulum_chain(1), 0.3, q, measure=3)


def test_gears_and_distances_on_lanes():
    """Rows of constraints beside the joints, with numbers of their own in each lane."""

    def build(ratio, length):
        mech = ct.Mechanism("geared", gravity=(0.0, -9.81, 0.0))
        for k in (1, 2):
            mech.body(f"bar{k}", 1.0, (k + 0.5, 0, 0), (0.1, 0.1, 0.1))
            mech.joint(f"J{k}", "ground", f"bar{k}", ct.Revolute((k, 0, 0), (0, 0, 1)))
        mech.gear("g", "J1", "J2", ratio)
        mech.body("ball", 1.0, (length, 0, 0), (0.1, 0.1, 0.1))
        mech.joint("free", "ground", "ball", ct.Free())
        mech.distance("d", "ground", (0, 0, 0), "ball", (length, 0, 0))
        return mech

    ratios, lengths = np.array([0.5, -0.7, 1.5]), np.array([1.0, 2.0, 0.5])
    runs = ct.simulate_many(build, 0.3, parameters={"ratio": ratios, "length": lengths}, lanes=True, output=7)
    for i in range(3):
        alone = ct.simulate(build(ratios[i], lengths[i]), 0.3, output=7)
        assert tried(runs[i]) == 1.0
        assert off(runs, i, alone) < 1e-12


def test_one_mechanism_of_the_survey_by_hand():
    """What is compared is not empty: a loop with a spatial chain, all steps on lanes."""
    system = four_bar().compile()
    v = np.outer([0.5, 1.0], ct.consistent_velocity(system, system.q0, {"A": 1.0}))
    found = compared(system, np.array([system.q0] * 2), v, 0.05, step=0.01)
    assert found.rows == 2
    assert found.shared == 1.0
    assert found.off < 1e-13


@pytest.mark.parametrize("lanes", [True, False])
def test_accuracy_of_each_run(monkeypatch, lanes):
    """As a single run estimates it; on lanes the second runs are on lanes too."""
    system = four_bar().compile()
    v = np.outer(np.linspace(0.5, 2.0, 6), ct.consistent_velocity(system, system.q0, {"A": 1.0}))
    alone = [ct.simulate(system, 0.5, v=u, output=21).accuracy for u in v]
    if lanes:
        monkeypatch.setattr("cotree.integrate.checks.accuracy.go", None)
    runs = ct.simulate_many(system, 0.5, v=v, lanes=lanes, output=21, accuracy=True)
    for run, expected in zip(runs, alone, strict=True):
        found = run.__dict__["accuracy"]
        assert found.position == pytest.approx(expected.position, rel=1e-4)
        assert found.angle == pytest.approx(expected.angle, rel=1e-4)
        assert (found.size, found.how) == (pytest.approx(expected.size, rel=1e-9), expected.how)
    with pytest.raises(ChoiceError, match="accuracy is 'yes'"):
        ct.simulate_many(system, 0.5, v=v, accuracy="yes")


@pytest.mark.parametrize("options", [{}, {"step": 2e-3}])
def test_a_driver_that_begins_again_is_as_good_as_a_new_one(options):
    """The same bits, with other tolerances or another step."""
    system, times = four_bar().compile(), np.linspace(0.0, 0.3, 7)
    v = ct.consistent_velocity(system, system.q0, {"A": 1.5})
    coarser = {"step": 4e-3} if options else {"rtol": 1e-6}
    first, other = (Settings(**given).resolved(system) for given in (options, coarser))
    driver = Driver(system, first, 0.0, system.q0, v, times, 0.3, ())
    beginning = Beginning(driver)
    driver.go()
    again, fresh = beginning.again(other, 0.3), Driver(system, other, 0.0, system.q0, v, times, 0.3, ())
    assert again is driver
    assert again.state.counts.steps == 0
    for one in (again, fresh):
        one.go()
    assert again.statistics() == fresh.statistics()
    assert all((x == y).all() for x, y in zip(again.rows(), fresh.rows(), strict=True))


@pytest.mark.parametrize("options", [{}, {"step": 2e-3}])
def test_a_driver_begins_again_from_another_state(options):
    """As many runs of `simulate_many` do with one driver: the same bits as a new one, counts and rows."""
    system, times = four_bar().compile(), np.linspace(0.0, 0.3, 7)
    settings = Settings(**options).resolved(system)
    v, u = (ct.consistent_velocity(system, system.q0, {"A": rate}) for rate in (1.5, -0.7))
    beginning = Beginning(Driver(system, settings, 0.0, system.q0, v, times, 0.3, ()))
    beginning.driver.go()
    assert beginning.serves(system, settings)
    assert not beginning.serves(four_bar().compile(), settings)
    again, fresh = beginning.elsewhere(system.q0, u), Driver(system, settings, 0.0, system.q0, u, times, 0.3, ())
    for one in (again, fresh):
        one.go()
    assert again.statistics() == fresh.statistics()
    assert all((x == y).all() for x, y in zip(again.rows(), fresh.rows(), strict=True))


def test_short_runs_whose_steps_cannot_be_coarser():
    """The first step of all takes as long with ten times the tolerances: such an estimate would be nothing."""
    system = pendulum_chain(2).compile()
    q = np.linspace(0.1, 0.4, 5)[:, None] * [1.0, -1.0]
    runs = ct.simulate_many(system, 0.01, q=q, lanes=True, output=3, accuracy=True)
    for run, x in zip(runs, q, strict=True):
        alone = ct.simulate(system, 0.01, q=x, output=3).accuracy
        assert run.of_lanes
        assert alone.angle > 0.0
        assert run.accuracy.how == alone.how
        assert run.accuracy.angle == pytest.approx(alone.angle, rel=1e-2, abs=1e-15)


def test_certificates_of_runs_on_lanes_are_those_of_single_runs():
    """Also where the first row is later than the start."""
    system = four_bar().compile()
    v = np.outer([0.5, 1.0, 2.0], ct.consistent_velocity(system, system.q0, {"A": 1.0}))
    for output in (np.linspace(0.0, 0.4, 9), np.linspace(0.1, 0.4, 7)):
        runs = ct.simulate_many(system, 0.4, v=v, lanes=True, output=output, accuracy=True)
        for run, u in zip(runs, v, strict=True):
            alone = ct.simulate(system, 0.4, v=u, output=output)
            assert run.of_lanes
            assert not alone.of_lanes
            assert error(run.energy.kinetic, alone.energy.kinetic) < 1e-12
            assert error(run.energy.potential, alone.energy.potential) < 1e-12
            assert run.accuracy.position == pytest.approx(alone.accuracy.position, rel=1e-3)
            assert run.accuracy.angle == pytest.approx(alone.accuracy.angle, rel=1e-3)
            assert str(run).splitlines()[0] == str(alone).splitlines()[0]
