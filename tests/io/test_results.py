"""Results files: what is saved is loaded, bit for bit, with a system that computes the same."""

import sys
from dataclasses import replace

import h5py
import numpy as np
import pytest

import cotree as ct
from cotree.errors import DocumentError, MissingFunctionError, MissingPackageError, RunWarning, ShapeError
from cotree.io import load_run, save_run
from cotree.io.results import hdf5_files
from tests.io.furnished import bits
from tests.io.runs import full_run
from tests.model.builders import four_bar, pendulum, refused
from tests.random_mechanisms import random_tree


def changed(path, **attributes):
    with h5py.File(path, "r+") as file:
        file.attrs.update(attributes)


def test_a_simulation_comes_back(tmp_path):
    run = ct.simulate(four_bar(), 0.3, output=7, events=ct.Event(lambda t: t - 0.2, "late"))
    save_run(run, tmp_path / "four_bar.h5")
    again = ct.load_run(tmp_path / "four_bar.h5")
    assert type(again) is ct.Run
    for name in ("t", "q", "v"):
        assert getattr(again, name).tobytes() == getattr(run, name).tobytes()
        assert getattr(again, name).shape == getattr(run, name).shape
    assert again.poses().tobytes() == run.poses().tobytes()
    assert again.energy.total.tobytes() == run.energy.total.tobytes()
    assert again.violation.tobytes() == run.violation.tobytes()
    assert (again.status, again.message, again.statistics) == (run.status, run.message, run.statistics)
    assert str(again) == str(run)
    assert [e.name for e in again.events] == ["late"]


def test_connections_may_be_cut_as_well(tmp_path):
    mech = four_bar()
    run = full_run(mech, cut=(mech.joints[name] for name in ("A",)))
    save_run(run, tmp_path / "run.h5")
    assert load_run(tmp_path / "run.h5").system.cut_joints == ("A",)


OPTIONS = [
    {}, {"coordinates": "absolute"}, {"group": "SO3xR3", "coordinates": "absolute"}, {"cut": ["A"]}, {"cut": "B"},
    {"regularize": False}, {"cut": [], "group": "auto"},
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_everything_comes_back(tmp_path, options):
    run = full_run(four_bar(), **options)
    save_run(run, tmp_path / "run.h5")
    again = load_run(tmp_path / "run.h5")
    for name in ("t", "q", "v", "work"):
        assert getattr(again, name).tobytes() == getattr(run, name).tobytes()
    assert again.system.constraint_names == run.system.constraint_names
    assert again.system.cut_joints == run.system.cut_joints
    assert again.system.choices == run.system.choices
    assert bits(again.system.cuts) == bits(run.system.cuts)
    assert again.poses().tobytes() == run.poses().tobytes()
    assert (again.status, again.message, again.settings) == (run.status, run.message, run.settings)
    assert np.isnan(again.statistics.pop("none"))
    assert again.statistics == {"steps": 7, "rejected": 1, "method": "rk4", "largest": 0.1}
    assert again.crossings == run.crossings
    assert len(again.events) == 2
    for a, b in zip(again.events, run.events, strict=True):
        assert (a.name, a.t, a.terminal, a.index) == (b.name, b.t, b.terminal, b.index)
        assert a.q.tobytes() == b.q.tobytes()
        assert a.v.tobytes() == b.v.tobytes()


@pytest.mark.parametrize("seed", range(6))
def test_trees_of_all_joints_come_back(tmp_path, seed):
    run = full_run(random_tree(np.random.default_rng(seed), 6).mechanism(), seed)
    save_run(run, tmp_path / "run.h5")
    again = load_run(tmp_path / "run.h5")
    assert again.q.tobytes() == run.q.tobytes()
    assert again.poses().tobytes() == run.poses().tobytes()


def test_a_run_of_no_length_and_without_events(tmp_path):
    run = full_run(pendulum())
    nothing = {name: getattr(run, name)[:0] for name in ("t", "q", "v", "work", "events", "crossings")}
    save_run(replace(run, message="", statistics={}, **nothing), tmp_path / "run.h5")
    assert load_run(tmp_path / "run.h5").q.shape == (0, 1)


def test_other_programs_find_names_and_units(tmp_path):
    mech = ct.Mechanism("mixed")
    mech.body("a", 1, (0, 0, 0), (1, 1, 1))
    mech.body("b", 1, (1, 0, 0), (1, 1, 1))
    mech.joint("ball", "ground", "a", ct.Spherical())
    mech.joint("slide", "a", "b", ct.Prismatic((1, 0, 0)))
    save_run(full_run(mech), tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        assert list(file["q"].attrs["names"]) == ["ball.qw", "ball.qx", "ball.qy", "ball.qz", "slide"]
        assert list(file["q"].attrs["units"]) == ["1", "1", "1", "1", "m"]
        assert list(file["v"].attrs["names"]) == ["ball.wx", "ball.wy", "ball.wz", "slide"]
        assert list(file["v"].attrs["units"]) == ["rad/s", "rad/s", "rad/s", "m/s"]
        assert file["t"].attrs["units"] == "s"
        assert list(file["work"].attrs["names"]) == ["supplied", "dissipated", "lost"]
        head = {key: file.attrs[key] for key in ("format", "version", "cotree", "name", "status")}
        assert head == {
            "format": "cotree run",
            "version": 1,
            "cotree": ct.__version__,
            "name": "mixed",
            "status": "event",
        }
        assert ct.io.from_json(file["model"].asstr()[()]).name == "mixed"


def test_many_names_find_room(tmp_path, monkeypatch):
    """Attributes of old HDF5 hold 64 kB."""
    names = [f"a joint with rather a long name, number {k}" for k in range(6000)]
    with h5py.File(tmp_path / "run.h5", "w", libver=hdf5_files.LIBVER) as file:
        file["q"] = np.zeros((1, 6000))
        file["q"].attrs["names"] = np.array(names, dtype=object)
    with h5py.File(tmp_path / "run.h5") as file:
        assert list(file["q"].attrs["names"]) == names


def test_functions_may_be_given_or_missing(tmp_path):
    mech = pendulum()

    def wind(t):
        return 2.0 * t

    mech.motor("m", "pivot", wind)
    run = full_run(mech)
    save_run(run, tmp_path / "run.h5")
    with pytest.warns(RunWarning, match="functions are missing, so the run cannot be resumed") as said:
        without = load_run(tmp_path / "run.h5")
    assert [w.message.kind for w in said] == ["missing"]
    assert "motor 'm' (torque); pass functions={'wind': ...}" in str(without.warnings[0])
    assert without.poses().tobytes() == run.poses().tobytes()
    assert "without the functions of motor 'm' (torque)" in repr(without.system.mechanism)
    again = load_run(tmp_path / "run.h5", functions={"wind": wind})
    assert "without" not in repr(again.system.mechanism)
    tau = [ct.inverse_dynamics(r.system, r.q[0], r.v[0], None, 3.0) for r in (run, again)]
    assert tau[0] == tau[1]


def test_nothing_is_computed_without_functions(tmp_path):
    """What needs them raises by name, and the rest is as it was."""
    mech = pendulum()
    mech.motor("m", "pivot", lambda t: 2.0 * t)
    run = ct.simulate(mech, 0.2, output=3)
    run.save(tmp_path / "run.h5")
    with pytest.warns(RunWarning, match="'m' .torque"):
        without = load_run(tmp_path / "run.h5")
    assert without.energy.balance.tobytes() == run.energy.balance.tobytes()
    assert "warning: functions are missing" in str(without)
    for needs in (
        lambda: without.resume(0.4),
        lambda: ct.simulate(without.system, 0.1),
        lambda: without.reactions("pivot"),
        lambda: ct.forward_dynamics(without.system, without.q[0]),
        lambda: ct.inverse_dynamics(without.system, without.q[0], without.v[0], without.v[0]),
    ):
        with refused(MissingFunctionError, "function", "functions={'m.torque': ...}"):
            needs()
    without.save(tmp_path / "again.h5")
    functions = {"m.torque": lambda t: 2.0 * t}
    assert not [w for w in load_run(tmp_path / "again.h5", functions).warnings if w.kind == "missing"]
    whole = load_run(tmp_path / "run.h5", functions).resume(0.4)
    assert whole.q[-1] == run.resume(0.4).q[-1]


def test_drives_without_functions_are_not_judged(tmp_path):
    mech = four_bar()
    mech.drive("turn", "A", lambda t: 5.0 * t)
    mech.constraint("own", rows=1, jacobian=lambda q: np.zeros((1, 3)), residual=lambda q: np.zeros(1))
    run = ct.simulate(mech, 0.2, output=3)
    run.save(tmp_path / "run.h5")
    with pytest.warns(RunWarning, match="drive 'turn' .motion."):
        without = load_run(tmp_path / "run.h5")
    assert without.violation.max() < 1e-9
    assert "not counting drive 'turn', constraint 'own', whose functions are missing" in str(without)
    assert not [w for w in without.warnings if w.kind == "constraints"]
    without.html(tmp_path / "run.html")
    assert without.to_dataframe().shape == run.to_dataframe().shape
    with refused(MissingFunctionError, "this needs the function '"):
        without.reactions("A")


def test_nothing_is_known_where_all_functions_are_missing(tmp_path):
    mech = pendulum()
    mech.drive("turn", "pivot", lambda t: 5.0 * t)
    ct.simulate(mech, 0.2, output=3).save(tmp_path / "run.h5")
    with pytest.warns(RunWarning):
        text = str(load_run(tmp_path / "run.h5"))
    assert "constraints could not be checked: the functions of drive 'turn' are missing" in text


def test_switches_that_wait_for_a_missing_function(tmp_path):
    mech = pendulum()
    mech.lock("pivot", when=lambda t: t - 0.1)
    run = ct.simulate(mech, 0.05, output=3)
    run.save(tmp_path / "run.h5")
    with pytest.warns(RunWarning, match="lock 'lock pivot' .when."):
        without = load_run(tmp_path / "run.h5")
    np.testing.assert_array_equal(without.reactions("pivot"), run.reactions("pivot"))
    with refused(MissingFunctionError, "'lock pivot.when'"):
        without.resume(0.2)


def test_stand_ins_are_said_in_a_run():
    mech = pendulum()
    mech.motor("m", "pivot", lambda t: 2.0 * t)
    mech = ct.io.from_json(ct.io.to_json(mech), missing="zero")
    with pytest.warns(RunWarning, match="taken as zero: motor 'm'"):
        run = ct.simulate(mech, 0.05, output=2)
    assert [w.kind for w in run.warnings] == ["missing"]


# -- refused -------------------------------------------------------------------------------------------------


def test_only_runs_are_saved(tmp_path):
    with refused(ShapeError, "only a Run can be saved", "ct.simulate"):
        save_run(3, tmp_path / "run.h5")


def test_files_of_another_kind(tmp_path):
    (tmp_path / "a.h5").write_text("hello")
    with refused(DocumentError, "a.h5", "not an HDF5 file"):
        load_run(tmp_path / "a.h5")
    h5py.File(tmp_path / "b.h5", "w").close()
    with refused(DocumentError, "b.h5", "not a Cotree results file", "ct.load"):
        load_run(tmp_path / "b.h5")
    with pytest.raises(FileNotFoundError, match=r"^\[Errno 2\] No such file or directory: .*"):
        load_run(tmp_path / "c.h5")


def test_later_versions_and_other_coordinates(tmp_path):
    path = tmp_path / "run.h5"
    save_run(full_run(pendulum()), path)
    with h5py.File(path, "r+") as file:
        names = file["v"].attrs["names"]
        file["v"].attrs["names"] = np.array(["other"], dtype=object)
    with refused(DocumentError, "run.h5", "v has the entries other, but the model compiles to pivot", "simulate again"):
        load_run(path)
    with h5py.File(path, "r+") as file:
        file["v"].attrs["names"] = names
        del file["q"]
        file["q"] = np.zeros((5, 2))
        file["q"].attrs["names"] = names
    with refused(DocumentError, "run.h5", "q has"):
        load_run(path)
    changed(path, version=99)
    with refused(DocumentError, "run.h5", "version 99", "later version of Cotree"):
        load_run(path)


def test_a_broken_model_is_placed(tmp_path):
    path = tmp_path / "run.h5"
    save_run(full_run(pendulum()), path)
    with h5py.File(path, "r+") as file:
        text = file["model"].asstr()[()]
        del file["model"]
        file["model"] = text.replace('"mass": 2.0', '"mass": -2.0')
    with refused(DocumentError, "run.h5: model: bodies[0].mass: must be positive or zero, got -2.0"):
        load_run(path)


def test_without_the_package(tmp_path, monkeypatch):
    run = full_run(pendulum())
    monkeypatch.setitem(sys.modules, "h5py", None)
    for call in (lambda: save_run(run, tmp_path / "run.h5"), lambda: load_run(tmp_path / "run.h5")):
        with refused(MissingPackageError, "the package h5py", "pip install 'cotree[results]'"):
            call()
