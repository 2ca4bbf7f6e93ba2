"""`sweep`: points, results, failures, messages; in this process."""

import functools
import threading
import warnings
from concurrent.futures import Future

import numpy as np
import pytest
from scipy import stats

import cotree as ct
from cotree.errors import (
    ArgumentError,
    ChoiceError,
    CopyError,
    DocumentError,
    ModelWarning,
    ShapeError,
    StudyError,
    StudyWarning,
)
from cotree.studies.sweeps import progress, workers
from cotree.studies.sweeps.journal import Journal
from tests.model.builders import refused
from tests.studies.sweep_rigs import G, acceleration, as_long, doubtful, motion, pendulum

pytest.importorskip("xarray")
LENGTHS = {"length": [0.5, 1.0, 1.5]}


def here(*args, **more):
    return ct.sweep(*args, workers=1, **more)


def test_a_grid_has_one_dimension_per_parameter():
    found = here(pendulum, {"length": np.array([0.5, 1.0, 1.5]), "mass": [1, 2]}, acceleration)
    assert found.value.dims == ("length", "mass")
    np.testing.assert_allclose(found.value, np.repeat(G / np.array([[0.5], [1.0], [1.5]]), 2, axis=1), rtol=1e-12)
    assert found.value.sel(length=1.0, mass=2) == pytest.approx(G)
    assert set(found.status.values.ravel()) == {"done"}
    assert found.attrs["sampling"] == "grid"


def test_runs_are_measured_with_t_end():
    """Alone and together, to the bit; and beside runs of their own."""
    found = here(pendulum, {**LENGTHS, "mass": 2.0}, motion, t_end=0.5, rtol=1e-10, output=11)
    assert found.identical(here(pendulum, {**LENGTHS, "mass": 2.0}, motion, t_end=0.5, rtol=1e-10, output=11, batch=1))
    assert found.end.dims == ("length", "end_0")
    assert found.mass == 2.0
    assert (found.rows == 11).all()
    for i, length in enumerate(LENGTHS["length"]):
        run = ct.simulate(pendulum(length, 2.0), 0.5, rtol=1e-10, output=11)
        assert found.speed[i] == np.abs(run.v).max()


def test_runs_start_where_they_are_asked_to():
    found = here(pendulum, LENGTHS, motion, t_end=0.5, v={"hinge": 2.0}, step=ct.Adaptive(max_step=0.01), output=11)
    for i, length in enumerate(LENGTHS["length"]):
        run = ct.simulate(pendulum(length), 0.5, v={"hinge": 2.0}, step=ct.Adaptive(max_step=0.01), output=11)
        assert found.speed[i] == np.abs(run.v).max()


def absolute(length):
    return pendulum(length, inertia=0.1).compile(coordinates="absolute")


def test_a_system_may_be_built():
    found = here(absolute, LENGTHS, lambda run: run.q[0], t_end=0.1)
    assert found.value.shape == (3, 7)


@pytest.mark.parametrize("sampling", ["random", "latin", "sobol"])
def test_samples(sampling):
    given = {"length": (0.5, 1.5), "mass": stats.norm(2.0, 0.1)}
    found, again = (here(pendulum, given, acceleration, sampling=sampling, samples=64, seed=3) for _ in range(2))
    other = here(pendulum, given, acceleration, sampling=sampling, samples=64, seed=4)
    assert found.identical(again)
    assert not (found.length == other.length).all()
    assert found.value.dims == ("sample",)
    np.testing.assert_allclose(found.value, G / found.length, rtol=1e-12)
    assert 0.5 < found.length.min() < found.length.max() < 1.5
    loose = 5 if sampling == "random" else 1
    assert abs(found.length.mean() - 1.0) < 0.02 * loose
    assert abs(found.mass.mean() - 2.0) < 0.01 * loose
    assert abs(found.mass.std() - 0.1) < 0.01 * loose
    if sampling == "latin":  # one in each slice
        assert sorted(np.floor((found.length.values - 0.5) * 64)) == list(range(64))


def test_a_table_of_points():
    given = {"length": [0.5, 1.0], "mass": [3.0, 4.0]}
    found = here(pendulum, given, lambda mech: mech.bodies["bob"].properties.mass, sampling="table")
    assert found.value.values.tolist() == [3.0, 4.0]
    assert found.length.dims == ("sample",)
    with refused(ShapeError, "length has 2, mass has 1"):
        here(pendulum, {**given, "mass": [1.0]}, acceleration, sampling="table")


def test_failures_are_collected():
    def fussy(mech):
        if mech.bodies["bob"].properties.mass == 3:
            raise RuntimeError("no threes")
        return {"count": 1, "word": "good", "true": True, "z": 1j}

    with pytest.warns(StudyWarning, match="4 of 6 points failed, at first length=1, mass=3: measure: RuntimeError"):
        found = here(pendulum, {"length": [1.0, 2.0], "mass": [1, 2, 3]}, fussy)
    assert found.status.values.tolist() == [["done", "done", "failed"], ["failed"] * 3]
    assert found.message[1, 0] == "ValueError: too long"
    assert found.message[0, 2] == "measure: RuntimeError: no threes"
    assert found["count"].dtype == float
    assert np.isnan(found["count"][1, 0])
    assert found.word.values[0].tolist() == ["good", "good", ""]
    assert found.z[0, 0] == 1j
    with pytest.warns(StudyWarning, match="3 of 3 points failed"):
        found = here(pendulum, LENGTHS, lambda mech: 1 / 0)
    assert "value" not in found


def driven(torque):
    mech = pendulum()
    mech.motor("m", "hinge", (lambda t: {}["x"]) if torque < 0 else torque)
    return mech


def test_runs_that_fail_leave_the_others():
    """A function that raises, and a torque beyond numbers, in one batch with good ones."""
    with pytest.warns(StudyWarning, match="2 of 4 points failed"):
        found = here(driven, {"torque": [1.0, -1.0, 1e308, 2.0]}, motion, t_end=0.1)
    assert found.status.values.tolist() == ["done", "failed", "failed", "done"]
    assert found.message[1].item().startswith("KeyError: 'x'")
    assert found.message[2].item()
    assert found.speed[3] == np.abs(ct.simulate(driven(2.0), 0.1).v).max()


def test_warnings_are_kept_with_their_points():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = here(pendulum, {"length": [0.5, 1.0]}, doubtful)
    assert found.warnings.values.tolist() == ["a doubt", "a doubt"]
    started = here(lambda k: four_bar_open(k), {"k": [0.0, 0.1]}, lambda run: 1.0, t_end=0.01)
    assert started.warnings[0] == ""
    assert "start" in started.warnings[1].item()
    with pytest.warns(ModelWarning):  # shown again afterwards
        doubtful(None)


def four_bar_open(gap):
    mech = ct.gallery.four_bar()
    mech.q_start = np.array([gap, 0.0, 0.0])
    return mech


def test_warnings_of_threads_are_not_mixed():
    found, gate = {}, threading.Barrier(4)

    def run(k):
        def measure(mech):
            gate.wait(300)
            warnings.warn(f"of {k}", ModelWarning, stacklevel=2)
            gate.wait(300)
            return 1.0

        found[k] = here(pendulum, {"length": [0.5, 1.0]}, measure, progress=False)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert {k: set(f.warnings.values) for k, f in found.items()} == {k: {f"of {k}"} for k in range(4)}


LATIN = {"sampling": "latin", "samples": 4}
REFUSED = [
    (ArgumentError, ["pendulum has no argument 'lenght'", "did you mean 'length'?"], {"parameters": {"lenght": [1.0]}}),
    (ArgumentError, ["build needs 'a'"], {"build": lambda a, length: pendulum()}),
    (ArgumentError, ["build is 5"], {"build": 5}),
    (ArgumentError, ["measure is None", "returns numbers"], {"measure": None}),
    (StudyError, ["at length=0.5: build returned None", "must return a Mechanism"], {"build": lambda length: None}),
    (StudyError, ["measure returned None", "must return numbers"], {"measure": lambda mech: None}),
    (StudyError, ["measure returned {}"], {"measure": lambda mech: {}}),
    (StudyError, ["measure returned 1 for 'status'"], {"measure": lambda mech: {"status": 1, "b": 2}}),
    (StudyError, ["for 'value' at length=0.5", "shape (4,)", "shape (2,)", "same names and shapes"], {"measure": as_long}),
    (ArgumentError, ["parameters is []"], {"parameters": []}),
    (ArgumentError, ["parameter 'status'"], {"parameters": {"status": [1.0]}}),
    (ShapeError, ["parameter 'length' is [[1.0]]"], {"parameters": {"length": [[1.0]]}}),
    (ShapeError, ["parameter 'length' is [[1.0], []]"], {"parameters": {"length": [[1.0], []]}}),
    (ShapeError, ["not finite"], {"parameters": {"length": [1.0, np.nan]}}),
    (ShapeError, ["all parameters have one value"], {"parameters": {"length": 1.0}}),
    (ShapeError, ["more than 10000000 points"], {"parameters": {"length": range(10_000), "mass": range(10_000)}}),
    (ChoiceError, ["sampling is 'latine'"], {"sampling": "latine"}),
    (ArgumentError, ["samples= is for random"], {"samples": 4}),
    (ShapeError, ["samples is None"], {"sampling": "latin"}),
    (ShapeError, ["seed is -1"], {"sampling": "latin", "samples": 4, "seed": -1}),
    (ShapeError, ["parameter 'length' is [0.5, 1.0, 1.5]", "range (lower, upper)"], {"sampling": "latin", "samples": 4}),
    (ShapeError, ["give a range or a distribution"], {"parameters": {"length": 1.0}, "sampling": "latin", "samples": 4}),
    (ShapeError, ["give 4 or 8"], {"sampling": "sobol", "samples": 5, "parameters": {"length": (1, 2)}}),
    (ShapeError, ["cannot be sampled"], {"sampling": "latin", "samples": 4, "parameters": {"length": stats.t}}),
    (ShapeError, ["distribution has values"], {**LATIN, "parameters": {"length": stats.norm(np.nan)}}),
    (ShapeError, ["workers is 0"], {"workers": 0}),
    (ArgumentError, ["give client= or workers=, not both"], {"client": "tcp://127.0.0.1:9"}),
    (ShapeError, ["batch is 0"], {"batch": 0}),
    (ChoiceError, ["progress is 'no'"], {"progress": "no"}),
    (ShapeError, ["t_end is -1"], {"t_end": -1.0}),
    (ArgumentError, ["step= is of the runs"], {"step": 0.1}),
    (ShapeError, ["v is {'hinge': [1, 2]}", "one start for all"], {"t_end": 1.0, "v": {"hinge": [1, 2]}}),
    (ShapeError, ["q is [[1.0], [2.0]]", "one start for all"], {"t_end": 1.0, "q": [[1.0], [2.0]]}),
    (ArgumentError, ["sweep has no argument 'tend'; did you mean 't_end'?"], {"tend": 0.1}),
]  # fmt: skip


@pytest.mark.parametrize(("error", "words", "changed"), REFUSED, ids=lambda x: x[0][:30] if isinstance(x, list) else "")
def test_mistakes(error, words, changed):
    options = {"workers": 1, "build": pendulum, "parameters": LENGTHS, "measure": acceleration, **changed}
    with refused(error, *words):
        ct.sweep(**options)


def test_functions_that_cannot_be_sent():
    lock = threading.Lock()
    with refused(CopyError, "measure cannot be sent to other processes", "workers=1"):
        ct.sweep(pendulum, LENGTHS, lambda mech: lock.locked(), workers=2)
    assert here(pendulum, LENGTHS, lambda mech: lock.locked()).value.values.tolist() == [False] * 3
    packed = workers.packed(workers.Study(pendulum, acceleration))
    assert workers.evaluate_packed(packed, ct.__version__, [1], [{"length": 2.0}])[0].message == "ValueError: too long"
    lost = workers.evaluate_packed(packed.replace(b"acceleration", b"accelaration"), ct.__version__, [1], [{}])
    assert lost[0].message.startswith("the functions cannot be loaded in a worker process: ")
    other = workers.evaluate_packed(packed, "0.0", [1], [{"length": 1.0}])
    assert other[0].message.startswith("a worker has Cotree ")


def test_workers_without_cotree(monkeypatch):
    def compute(self, indices, points):
        done = Future()
        done.set_exception(ModuleNotFoundError("No module named 'cotree'"))
        return done

    monkeypatch.setattr(workers.Here, "compute", compute)
    with refused(StudyError, "a worker cannot compute: No module named 'cotree'; install the same packages there"):
        here(pendulum, LENGTHS, acceleration)


def test_progress(capsys, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    with pytest.warns(StudyWarning):
        here(pendulum, {"length": [1.0, 2.0]}, acceleration, progress=True)
    told = capsys.readouterr().err
    assert "2/2" in told
    assert "1 failed" in told
    here(pendulum, LENGTHS, acceleration, progress=False)
    assert capsys.readouterr().err == ""


# -- files ---------------------------------------------------------------------------------------------------


def counted(calls, k=None):
    """A measurement that is written down, and interrupted at one."""

    def measure(mech):
        if len(calls) == k:
            calls.append("stop")
            raise KeyboardInterrupt
        calls.append(1)
        return {"a": acceleration(mech), "n": 7, "w": "é", "z": np.array([[1j, np.nan]])}

    return measure


@pytest.fixture
def _quiet_closures(monkeypatch):
    """Lists in closures are not part of what a function is here."""
    monkeypatch.setattr("cotree.studies.sweeps.sweeping.fingerprint", lambda f: f.__name__)


@pytest.mark.usefixtures("_quiet_closures")
def test_interrupted_and_resumed(tmp_path):
    given, path, calls = {"length": np.linspace(0.5, 2.0, 10)}, tmp_path / "x.sweep", []
    with pytest.warns(StudyWarning, match="1 of 10"):
        whole = here(pendulum, given, counted([]))
    with pytest.warns(StudyWarning, match="interrupted after 6 of 10 points; the same call resumes"):
        part = here(pendulum, given, counted(calls, 6), path=path, batch=2)
    assert part.status.values.tolist() == ["done"] * 6 + ["missing"] * 4
    assert ct.load_sweep(path).identical(part)
    with pytest.warns(StudyWarning, match="1 of 10"):
        assert here(pendulum, given, counted(calls), path=path, batch=2).identical(whole)
    assert len(calls) == 10  # 6, the interruption, and the 3 others that can be measured
    with pytest.warns(StudyWarning, match="1 of 10"):
        assert here(pendulum, given, counted([], 0), path=path, batch=2).identical(whole)
    assert ct.load_sweep(path).identical(whole)


@pytest.mark.usefixtures("_quiet_closures")
def test_files_that_were_cut_off_or_damaged(tmp_path):
    """Anywhere: everything is computed again that cannot be read, and nothing else comes out."""
    given, path, calls = {"length": [0.5, 1.0, 1.5]}, tmp_path / "x.sweep", []
    whole = here(pendulum, given, counted([]), path=path)
    data = path.read_bytes()
    assert data.count(b"\n") == 4
    for size in range(0, len(data), 37):
        path.write_bytes(data[:size])
        calls.clear()
        assert here(pendulum, given, counted(calls), path=path).identical(whole)
        assert len(calls) == 3 - max(0, data[:size].count(b"\n") - 1)
    assert path.read_bytes().count(b"\n") == 4
    second = data.index(b"\n") + 50
    path.write_bytes(data[:second] + b"?" + data[second + 1 :])
    with pytest.warns(StudyWarning, match="1 damaged lines"):
        assert here(pendulum, given, counted(calls), path=path).identical(whole)


def test_files_of_others(tmp_path):
    path = tmp_path / "x.sweep"
    here(pendulum, LENGTHS, acceleration, path=path)
    for what, call in {
        "columns, axes": lambda: here(pendulum, {"length": [1.0]}, acceleration, path=path),
        "measure": lambda: here(pendulum, LENGTHS, lambda mech: 1.0, path=path),
        "build": lambda: here(functools.partial(pendulum, mass=2.0), LENGTHS, acceleration, path=path),
        "t_end, batch": lambda: here(pendulum, LENGTHS, acceleration, path=path, t_end=1.0),
    }.items():
        with refused(StudyError, "x.sweep holds results of another study", f"{what} differ", "give another path"):
            call()
    journal = Journal(tmp_path / "y.sweep", {})
    with refused(StudyError, "y.sweep is in use by another sweep"):
        here(pendulum, LENGTHS, acceleration, path=tmp_path / "y.sweep")
    journal.close()
    for text in ("a poem", "a poem\nof two lines\n", ""):
        (tmp_path / "poem").write_text(text)
        if text:
            with refused(DocumentError, "poem is not a file of a sweep"):
                here(pendulum, LENGTHS, acceleration, path=tmp_path / "poem")
            assert (tmp_path / "poem").read_text() == text
        with refused(DocumentError, "poem is not a file of a sweep"):
            ct.load_sweep(tmp_path / "poem")
    path.write_bytes(b"")
    again = here(pendulum, LENGTHS, acceleration, path=path)
    assert again.value.shape == (3,)


def test_versions(tmp_path, monkeypatch):
    path = tmp_path / "x.sweep"
    here(pendulum, LENGTHS, acceleration, path=path)
    monkeypatch.setattr("cotree.studies.sweeps.journal.__version__", "9.9")
    with pytest.warns(StudyWarning, match=r"x.sweep was begun with Cotree .*; results of 9.9 are added"):
        here(pendulum, LENGTHS, acceleration, path=path)
