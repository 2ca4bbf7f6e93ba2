"""Many runs: each the same as alone, bit for bit; failures stay where they are."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, ChoiceError, CotreeError, ShapeError, StudyError, UnknownNameError
from cotree.gallery import four_bar, pendulum_chain
from cotree.integrate import members


def same(run, other):
    return [run.t.tobytes(), run.q.tobytes(), run.v.tobytes(), run.status] == [
        other.t.tobytes(), other.q.tobytes(), other.v.tobytes(), other.status,
    ]  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"step": 0.01, "method": "rk4"}], ids=["adaptive", "fixed"])
def test_many_starts_of_a_tree(options):
    system = pendulum_chain(3).compile()
    q, v = np.random.default_rng(2).standard_normal((2, 6, 3))
    runs = ct.simulate_many(system, 0.3, q, v, output=7, threads=3, **options)
    assert runs.q.shape == runs.v.shape == (6, 7, 3)
    assert runs.status == ("done",) * 6
    for i in range(6):
        alone = ct.simulate(system, 0.3, q[i], v[i], output=7, **options)
        assert same(runs[i], alone)
        assert np.array_equal(runs.q[i], alone.q)
        assert np.array_equal(runs.v[i], alone.v)
    assert [r.statistics for r in runs] == [runs[i].statistics for i in range(len(runs))]


def test_many_starts_of_a_loop():
    system = four_bar().compile()
    speeds = np.outer([0.5, 1.0, 2.0, 4.0], ct.consistent_velocity(system, system.q0, {"A": 1.0}))
    runs = ct.simulate_many(system, 0.2, v=speeds, output=[0.1, 0.2])
    assert np.array_equal(runs.t, [0.1, 0.2])
    assert all(same(runs[i], ct.simulate(system, 0.2, v=speeds[i], output=[0.1, 0.2])) for i in range(4))
    assert max(r.violation.max() for r in runs) < 1e-9


@pytest.mark.parametrize("lanes", [False, True])
def test_starts_by_name(lanes):
    """Values of each run hold exactly, those for all too; the rest is what a single run has."""
    given = {"q": {"A": [0.1, 0.3, 0.2]}, "v": {"A": 1.5}}
    runs = ct.simulate_many(four_bar(), 0.2, **given, step=ct.Adaptive(max_step=0.01), output=3, lanes=lanes)
    assert [run.joint("A").angle[0] for run in runs] == [0.1, 0.3, 0.2]
    assert [run.joint("A").rate[0] for run in runs] == [1.5] * 3
    for i, angle in enumerate(given["q"]["A"]):
        alone = ct.simulate(four_bar(), 0.2, q={"A": angle}, v={"A": 1.5}, step=ct.Adaptive(max_step=0.01), output=3)
        assert np.allclose(runs.q[i], alone.q, rtol=0, atol=1e-12)
        assert runs[i].statistics["steps"] == alone.statistics["steps"] >= 20


def test_starts_of_joints_with_several_coordinates_by_name():
    mech = ct.Mechanism("two", gravity=(0, 0, 0))
    mech.body("a", 1.0, (0, 0, 0), (1, 1, 1))
    mech.joint("P", "ground", "a", ct.Planar(point=(0, 0, 0), normal=(0, 0, 1)))
    rates = np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]])
    runs = ct.simulate_many(mech, 0.1, v={"P": rates})
    assert np.array_equal(runs.v[:, 0], rates)
    one = ct.simulate_many(mech, 0.1, q={"P": [0.1, 0.2, 0.3]}, v={"P": rates})
    assert np.array_equal(one.q[:, 0], [[0.1, 0.2, 0.3]] * 2)


def test_parameters():
    lengths = np.array([0.5, 1.0, 2.0])
    runs = ct.simulate_many(
        lambda length: pendulum_chain(1, length), 0.2, [0.4], parameters={"length": lengths}, output=3
    )
    alone = [ct.simulate(pendulum_chain(1, x), 0.2, [0.4], output=3) for x in lengths]
    assert all(same(runs[i], alone[i]) for i in range(3))
    assert len({r.q[-1, 0] for r in runs}) == 3


@pytest.mark.parametrize("choices", [None, {}, {"cut": ["B"]}, {"coordinates": "absolute", "group": "SO3xR3"}])
def test_numbers_of_a_mechanism_are_parameters(choices):
    """By their names, of a mechanism or a system; runs of a system have its coordinates."""
    mech = four_bar()
    given = mech if choices is None else mech.compile(**choices)
    numbers = {"crank.mass": np.array([0.5, 1.0, 2.0]), "gravity.y": np.array([-9.81, -1.6, -3.7])}
    runs = ct.simulate_many(given, 0.2, v={"A": 1.0}, parameters=numbers, output=3)
    assert runs.status == ("done",) * 3
    for i, run in enumerate(runs):
        changed = ct.with_parameters(mech, {name: x[i] for name, x in numbers.items()})
        alone = ct.simulate(changed, 0.2, v={"A": 1.0}, output=3)
        assert np.allclose(run.joint("A").angle, alone.joint("A").angle, rtol=0, atol=1e-7)
        assert run.system.coordinate_names == (given.compile() if choices is None else given).coordinate_names
    assert len({run.joint("A").angle[-1].round(6) for run in runs}) == 3


def test_a_number_that_cannot_be_ends_its_run_alone():
    runs = ct.simulate_many(pendulum_chain(1), 0.1, parameters={"link1.mass": [1.0, -1.0]}, output=3)
    assert runs.status == ("done", "failed")
    assert "mass is -1" in runs.message[1]


def test_failures_are_isolated():
    """A mechanism that cannot be built, and a run that goes beyond all numbers, between two that are good."""

    def build(mass):
        mech = pendulum_chain(1)
        if mass < 0:
            mech.body("wrong", mass, (0, 0, 0), (1, 1, 1))
        mech.motor("m", "J1", lambda t: 1e300 * mass if mass > 100 else 0.0)
        return mech

    runs = ct.simulate_many(build, 0.05, parameters={"mass": [1.0, -1.0, 1e9, 2.0]}, output=3)
    assert runs.status[0] == runs.status[3] == "done"
    assert runs.status[1] == "failed"
    assert runs.status[2] != "done"
    assert "wrong" in runs.message[1]
    assert np.isnan(runs.q[1]).all()
    assert np.isfinite(runs.q[[0, 3]]).all()
    with pytest.raises(CotreeError, match="wrong"):
        _ = runs[1]


@pytest.mark.parametrize(
    ("error", "words", "given", "options"),
    [
        (ShapeError, "number of runs is not told", pendulum_chain, {}),
        (ShapeError, "number of runs is 2 or 3", pendulum_chain, {"q": np.zeros((2, 3)), "v": np.zeros((3, 3))}),
        (ShapeError, "q must be an array", pendulum_chain, {"q": np.zeros((2, 4))}),
        (ShapeError, "v must be an array", pendulum_chain, {"v": [[np.nan, 0, 0]]}),
        (ShapeError, "2 of 'J1', 3 of 'J2'", pendulum_chain, {"q": {"J1": [0, 1], "J2": [0, 1, 2]}}),
        (ShapeError, r"v\['J1'\] of system .* finite", pendulum_chain, {"v": {"J1": [np.nan, 0.0]}}),
        (ShapeError, r"give a number", pendulum_chain, {"v": {"J1": np.zeros((2, 3))}}),
        (CotreeError, "'J9'", pendulum_chain, {"v": {"J9": [0.0, 1.0]}}),
        (ArgumentError, "did you mean 'threads'", pendulum_chain, {"thread": 2}),
        (ShapeError, "threads is 0", pendulum_chain, {"q": np.zeros((2, 3)), "threads": 0}),
        (ChoiceError, "need times", pendulum_chain, {"q": np.zeros((2, 3)), "output": "steps"}),
        (UnknownNameError, "no parameter 'n'", pendulum_chain, {"parameters": {"n": [1, 2]}}),
        (ArgumentError, "values by name", pendulum_chain, {"parameters": {}}),
        (ArgumentError, "arguments of the function", lambda: pendulum_chain, {}),
        (ShapeError, "one value for each run", lambda: pendulum_chain, {"parameters": {"n": 3}}),
        (ArgumentError, "returned 3", lambda: lambda n: n, {"parameters": {"n": [3]}}),
        (ArgumentError, "needs a Mechanism or a System", lambda: 5, {}),
    ],
)
def test_wrong_arguments(error, words, given, options):
    with pytest.raises(error, match=words):
        ct.simulate_many(given(), 0.1, **options)
    with pytest.raises(ShapeError, match="later than the start"):
        ct.simulate_many(pendulum_chain(1), -1.0, [[0.0]])


@pytest.mark.parametrize("lanes", [False, True])
def test_no_more_threads_than_runs_are_started(monkeypatch, lanes):
    """A million of them were started one by one, until the machine had no more."""
    asked = []
    monkeypatch.setattr(members, "ThreadPoolExecutor", lambda n: asked.append(n) or ThreadPoolExecutor(min(n, 9)))
    runs = ct.simulate_many(pendulum_chain(1), 0.05, np.zeros((3, 1)), lanes=lanes, threads=1000, output=2)
    assert runs.status == ("done",) * 3
    assert asked == [3]


@pytest.mark.parametrize("lanes", [False, True])
@pytest.mark.parametrize("error", [ZeroDivisionError, StudyError])
def test_errors_of_a_measurement_name_the_run(lanes, error):
    """Also those of the package, which are not taken for failures of the run."""

    def measure(run):
        if run.q[0, 0] > 0.25:
            raise error("in vain")
        return run.q[-1, 0]

    with pytest.raises(error) as found:
        ct.simulate_many(pendulum_chain(1), 0.1, [[0.1], [0.2], [0.3]], measure=measure, lanes=lanes, threads=1)
    assert "in run 2 of simulate_many" in found.value.__notes__


def test_errors_while_building_name_the_run():
    def build(length):
        if length > 1.5:
            raise ZeroDivisionError
        return pendulum_chain(1, length)

    with pytest.raises(ZeroDivisionError) as found:
        ct.simulate_many(build, 0.1, parameters={"length": [1.0, 2.0]}, output=3)
    assert "in run 1 of simulate_many" in found.value.__notes__
