"""What a run offers: going on, each step, reactions, files and tables."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ShapeError, UnknownNameError
from tests.integrate.furnished import furnished
from tests.integrate.references import pendulum
from tests.model.builders import refused


def same_rows(a, b):
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in ("t", "q", "v", "work"))


# -- going on ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [{}, {"method": "dop853"}, {"stabilize": "partition"}, {"formulation": "voronets"}])
def test_resumed_runs_equal_one_long_run(system, words):
    long = ct.simulate(system, 2.0, output=41, rtol=1e-10, atol=1e-10, **words)
    short = ct.simulate(system, 0.8, output=17, rtol=1e-10, atol=1e-10, **words)
    both = short.resume(2.0)
    assert both.t == pytest.approx(long.t, abs=1e-12)  # as many rows a second as before
    for name in ("q", "v", "work"):
        assert getattr(both, name) == pytest.approx(getattr(long, name), abs=1e-7), name
    assert both.settings == long.settings
    assert (both.status, both.message) == ("done", "")
    assert np.abs(both.energy.balance).max() < 1e-7
    assert both.violation.max() < 1e-12


def test_counts_and_work_are_added(system):
    """Fixed steps, so that the parts are exactly the whole."""
    long = ct.simulate(system, 2.0, output=41, step=0.01)
    short = ct.simulate(system, 1.0, output=21, step=0.01)
    both = short.resume(2.0)
    assert (short.statistics["steps"], both.statistics["steps"], long.statistics["steps"]) == (100, 200, 200)
    second = both.statistics["evaluations"] - short.statistics["evaluations"]
    assert second == pytest.approx(short.statistics["evaluations"], abs=3)
    assert both.statistics["velocity_correction"] > short.statistics["velocity_correction"]
    assert np.abs(both.q - long.q).max() < 1e-12
    assert both.work == pytest.approx(long.work, abs=1e-12)
    assert both.work[20].tolist() == short.work[-1].tolist()
    assert np.all(np.diff(both.work[:, 1]) >= 0.0)  # a damper takes, and never gives back
    assert both.work[-1, 1] > 1.5 * short.work[-1, 1] > 0.1


def test_events_and_crossings_of_both_parts(turning):
    event = ct.Event(lambda q: q[0] - 2.0, "two radians")
    first = ct.simulate(furnished(), 0.5, output=6, events=event)
    both = first.resume(3.0, output=26, events=event)
    assert first.events == ()
    assert first.crossings == ()
    assert [e.t for e in both.events] == pytest.approx([e.t for e in turning.events], abs=1e-9)
    assert [c.t for c in both.crossings] == pytest.approx([c.t for c in turning.crossings], abs=1e-7)
    assert len(turning.crossings) == 3
    third = both.resume(4.2)
    assert third.events == both.events  # and none without asking
    assert third.crossings[:3] == both.crossings
    assert [c.kind for c in third.crossings] == ["passed"] * 4


def test_going_on_behind_a_terminal_event():
    fall = ct.Event(lambda q: q[0], "bottom", terminal=True)
    first = ct.simulate(pendulum(), 3.0, [0.5], rtol=1e-10, atol=1e-10, events=fall)
    assert first.status == "event"
    whole = ct.simulate(pendulum(), 3.0, [0.5], rtol=1e-10, atol=1e-10, output=[3.0])
    both = first.resume(3.0)
    assert (both.status, both.message) == ("done", "")
    assert both.q[-1] == pytest.approx(whole.q[-1], abs=1e-7)
    assert [e.name for e in both.events] == ["bottom"]
    again = first.resume(3.0, events=fall)  # not the same one twice, but the next
    assert again.status == "event"
    assert again.t[-1] == pytest.approx(3.0 * first.t[-1], abs=1e-7)  # a quarter of a period, three quarters


def test_output_of_the_second_part(system):
    first = ct.simulate(system, 0.5, output="steps")
    both = first.resume(1.0, output="steps")
    assert len(both.t) == both.statistics["steps"] + 1
    assert first.resume(1.0, output=[0.7, 0.9]).t[-2:].tolist() == [0.7, 0.9]
    assert len(first.resume(1.0, output=6).t) == len(first.t) + 5


@pytest.mark.parametrize("passed", [lambda t: t > 0.3, lambda t: t >= 0.3, lambda t: t - 0.3, lambda t: 0.3 - t])
def test_what_happens_where_a_run_ends_and_goes_on_happens_once(passed):
    """An event, and a lock: in the first part where it has happened at its end, else in the second."""
    both = ct.simulate(pendulum(), 0.3, [1.0], events=passed).resume(0.6, events=passed)
    assert [e.t for e in both.events] == [pytest.approx(0.3, abs=1e-13)]
    locked = pendulum()
    locked.lock(next(iter(locked.joints)), when=passed)
    both = ct.simulate(locked, 0.3, [1.0]).resume(0.6)
    assert [s.t for s in both.switches] == [pytest.approx(0.3, abs=1e-13)]
    assert both.v[-1, 0] == 0.0


@pytest.mark.parametrize("t_end", [0.5, 0.2, -1.0])
def test_the_past_is_refused(system, t_end):
    run = ct.simulate(system, 0.5, output=3)
    with refused(ShapeError, f"t_end is {t_end!r}", "later than 0.5 s, where the run ended"):
        run.resume(t_end)


@pytest.mark.parametrize("t_end", [float("nan"), float("inf"), "later", None, [1.0, 2.0]])
def test_times_that_are_none_are_refused(system, t_end):
    run = ct.simulate(system, 0.5, output=3)
    with refused(ShapeError, f"t_end is {t_end!r}", "time in seconds"):
        run.resume(t_end)


def test_a_run_that_failed_before_its_first_row():
    """It can be printed, and says why it ended; there is nothing to go on from."""
    mech = pendulum()
    mech.motor("motor", "hinge", lambda t: 0.0 if t < 0.3 else np.nan)
    run = ct.simulate(mech, 2.0, output=[1.0, 2.0])
    assert (run.status, len(run.t)) == ("failed", 0)
    text = str(run).splitlines()
    assert text[0].startswith("pendulum: failed, no output time reached, ")
    assert "'motor'" in text[1]
    assert len(text) == 2
    with refused(ShapeError, "no state to resume from", "simulate again"):
        run.resume(3.0)


# -- each step -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [{}, {"method": "dop853"}, {"step": 0.03}])
def test_output_of_each_step(system, words):
    run = ct.simulate(system, 1.0, output="steps", **words)
    assert (run.t[0], run.t[-1]) == (0.0, 1.0)
    assert np.all(np.diff(run.t) > 0.0)
    assert len(run.t) == len(run.q) == len(run.v) == len(run.work) == run.statistics["steps"] + 1
    exact = ct.simulate(system, 1.0, output=run.t, rtol=1e-11, atol=1e-11)
    assert np.abs(run.q - exact.q).max() < (1e-3 if "step" in words else 1e-6)


# -- reactions -----------------------------------------------------------------------------------------------


def test_reactions_at_the_rows(turning):
    system = turning.system
    for joint in ("A", "B", "C", "D"):
        found = turning.reactions(joint)
        assert found.shape == (31, 6)
        for k in (0, 7, 30):
            at = ct.forward_dynamics(system, turning.q[k], turning.v[k], t=turning.t[k])
            assert found[k] == pytest.approx(at.reaction(joint), abs=1e-12)


def test_reactions_of_a_pendulum_against_newton():
    """Point mass on a metre: the pivot pulls it with w^2 + g cos(q) newtons along the rod, and with nothing else."""
    run = ct.simulate(pendulum(), 2.0, [1.0], output=21)
    q, w = run.q[:, 0], run.v[:, 0]
    pull = w**2 + 9.81 * np.cos(q)
    exact = np.stack([*np.zeros((3, 21)), -pull * np.sin(q), pull * np.cos(q), np.zeros(21)], axis=1)
    assert run.reactions("hinge") == pytest.approx(exact, abs=1e-10)
    assert np.ptp(pull) > 10.0


def test_reactions_of_a_joint_that_is_none(turning):
    with refused(UnknownNameError, "'elbow'"):
        turning.reactions("elbow")


# -- files and tables ----------------------------------------------------------------------------------------


def test_a_run_goes_on_from_its_file(system, tmp_path):
    pytest.importorskip("h5py")
    run = ct.simulate(system, 0.5, output=6, events=ct.Event(lambda t: t - 0.3, "late"))
    run.save(tmp_path / "run.h5")
    again = ct.load_run(tmp_path / "run.h5")
    assert same_rows(again, run)
    assert (again.settings, again.statistics, str(again)) == (run.settings, run.statistics, str(run))
    more, expected = again.resume(1.0), run.resume(1.0)
    assert same_rows(more, expected)
    assert more.statistics == expected.statistics
    assert [(e.name, e.t) for e in more.events] == [(e.name, e.t) for e in expected.events]
    more.save(tmp_path / "more.h5")
    assert same_rows(ct.load_run(tmp_path / "more.h5"), expected)


def test_labelled_dataset(turning):
    pytest.importorskip("xarray")
    data = turning.to_xarray()
    assert data["q"].sel(coordinate="D").values.tobytes() == turning.q[:, turning.system.velocity_index("D")].tobytes()
    assert data["v"].sel(velocity="B", time=turning.t[4]) == turning.v[4, turning.system.velocity_index("B")]
    assert data["pose"].sel(body="coupler").values == pytest.approx(turning.poses()[:, 2])
    assert data["dissipated_work"].values.tolist() == turning.work[:, 1].tolist()
    assert data["time"].attrs["units"] == "s"
    assert data["total_energy"].attrs["units"] == "J"
    assert data.attrs["status"] == "done"


def test_table(turning):
    pytest.importorskip("pandas")
    table = turning.to_dataframe()
    assert table.index.name == "time"
    assert table.index.tolist() == turning.t.tolist()
    for k, name in enumerate(turning.system.coordinate_names):
        assert table[f"q[{name}]"].tolist() == turning.q[:, k].tolist()
        assert table[f"v[{name}]"].tolist() == turning.v[:, k].tolist()
    assert table["total_energy"].tolist() == turning.energy.total.tolist()
    assert table["supplied_work"].tolist() == turning.work[:, 0].tolist()


def test_nothing_that_moves():
    """A mechanism whose only joint is a weld: it stays, and says so."""
    mech = ct.Mechanism("block")
    mech.body("block", 1.0, (0, 0, 1), (0.1, 0.1, 0.1))
    mech.joint("weld", mech.ground, "block", ct.Weld())
    run = ct.simulate(mech, 2.0, output=3)
    assert run.status == "done"
    np.testing.assert_array_equal(run.t, [0.0, 1.0, 2.0])
    assert run.energy.kinetic.max() == 0.0
