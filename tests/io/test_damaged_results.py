"""Damaged and hostile results files: every one gives an error with a name, or a run that can be looked at."""

import shutil

import h5py
import numpy as np
import pytest

import cotree as ct
from cotree.errors import CotreeError, DocumentError, UnsafeFileError
from tests.io.damaged_results import damaged, good_file
from tests.model.builders import refused


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    path = tmp_path_factory.mktemp("results") / "good.h5"
    good_file(path)
    return path


@pytest.mark.parametrize("seeds", [range(k, k + 10) for k in range(0, 60, 10)])
@pytest.mark.filterwarnings("ignore")
def test_damage_is_named(good, seeds):
    for seed in seeds:
        path = damaged(good, seed)
        try:
            words = f"{path.name}{ct.load_run(path)}"
        except CotreeError as error:
            words = str(error)
        assert words.startswith(path.name), f"seed {seed}"


def edited(good, tmp_path, edit):
    path = tmp_path / "run.h5"
    shutil.copy(good, path)
    with h5py.File(path, "r+") as file:
        edit(file)
    return path


def put(file, name, value, **options):
    del file[name]
    if options:
        file.create_dataset(name, **options)
    else:
        file[name] = value


LINKS = {
    "t is a link (ExternalLink)": lambda f: put(f, "t", h5py.ExternalLink("other.h5", "/t")),
    "t is a link (SoftLink)": lambda f: put(f, "t", h5py.SoftLink("/q")),
    "t stores its numbers in another file": lambda f: put(
        f, "t", None, shape=(9,), dtype="f8", external=[("/etc/passwd", 0, 72)]
    ),
    "t expands to more than a file of": lambda f: put(f, "t", None, shape=(10**12,), dtype="f8", chunks=(10**6,)),
    "more than 200 parts": lambda f: [f.create_group(f"g{k}") for k in range(201)],
}


@pytest.mark.parametrize("words", LINKS)
def test_nothing_outside_is_read(good, tmp_path, words):
    with refused(UnsafeFileError, "run.h5", words):
        ct.load_run(edited(good, tmp_path, LINKS[words]))


def test_virtual_arrays(good, tmp_path):
    def virtual(file):
        layout = h5py.VirtualLayout(shape=(9,), dtype="f8")
        layout[:] = h5py.VirtualSource(str(good), "t", shape=(9,))
        del file["t"]
        file.create_virtual_dataset("t", layout)

    with refused(UnsafeFileError, "t stores its numbers in another file"):
        ct.load_run(edited(good, tmp_path, virtual))


SPOILED = {
    "q: the checksum differs": lambda f: f["q"].write_direct(np.ones(f["q"].shape)),
    "settings: the checksum differs": lambda f: put_kept(f, "settings", "{}"),
    "t: times must ascend": lambda f: put(f, "t", f["t"][()][::-1]),
    "work: has 4 columns": lambda f: put(f, "work", np.zeros((9, 4))),
    "work: an array of shape (3, 3)": lambda f: put(f, "work", np.zeros((3, 3))),
    "t: contains NaN": lambda f: put(f, "t", np.full(9, np.nan)),
    "t: expected numbers, found complex128": lambda f: put(f, "t", np.zeros(9) + 1j),
    "status is 'well'": lambda f: f.attrs.update(status="well"),
    "message is np.int64(3)": lambda f: f.attrs.update(message=3),
    "phases/rows: must be integers from 0 to 9": lambda f: put(f, "phases/rows", np.full((4, 2), 99)),
    "phases: their times, rows and topologies are inconsistent": lambda f: put(f, "phases/topology", "[]"),
    "statistics: 'steps' is missing": lambda f: put(f, "statistics", '{"method": "x"}'),
    "statistics: next_step is -1": lambda f: put(
        f, "statistics", '{"steps": 1, "rejected": 0, "method": "x", "next_step": -1}'
    ),
    "settings: Expected": lambda f: put(f, "settings", '{"method": 3}'),
    "crossings: Expected `array`": lambda f: put(f, "crossings", "5"),
    "model: must be a single string": lambda f: put(f, "model", np.array([1.0])),
    "events/t: missing": lambda f: f["events"].pop("t"),
    "phases/topology: damaged": lambda f: put(f, "statistics", "[" * 100000),
}
SPOILED["statistics: damaged, or not written by Cotree (RecursionError"] = SPOILED.pop("phases/topology: damaged")


def put_kept(file, name, value):
    attributes = dict(file[name].attrs)
    put(file, name, value)
    file[name].attrs.update(attributes)


@pytest.mark.parametrize("words", SPOILED)
def test_the_place_is_named(good, tmp_path, words):
    with refused(DocumentError, f"run.h5: {words}"):
        ct.load_run(edited(good, tmp_path, SPOILED[words]))


def test_a_dock_that_is_not_there(good, tmp_path):
    def closed(file):
        text = file["phases/topology"].asstr()[()]
        frame = str(np.eye(4).tolist())
        entry = f'{{"body_a": "ground", "body_b": "ground", "frame_a": {frame}, "frame_b": {frame}, "held": null, '
        text = text.replace('"closed": {}', f'"closed": {{"x": {{"x": {entry}"word": "dock", "locks": ""}}}}}}', 1)
        put(file, "phases/topology", text)

    with refused(DocumentError, "'x' is closed, but is not a dock of the model"):
        ct.load_run(edited(good, tmp_path, closed))


def test_another_order_of_bytes_is_read(good, tmp_path):
    run = ct.load_run(edited(good, tmp_path, lambda f: put_kept(f, "q", f["q"][()].astype(">f8"))))
    assert run.q.dtype == np.dtype("=f8")
    assert run.q.tobytes() == ct.load_run(good).q.tobytes()


def test_pipes(tmp_path):
    import os

    os.mkfifo(tmp_path / "a.h5")
    with refused(UnsafeFileError, "a.h5", "a pipe or device"):
        ct.load_run(tmp_path / "a.h5")


@pytest.mark.parametrize("part", ["phases", "phases/counted", "switches", "warnings", "events/index"])
def test_parts_that_were_lost_are_missed(good, tmp_path, part):
    """Without them the run would go on as if nothing had been locked."""
    with refused(DocumentError, "run.h5", f"{part.split('/')[0]}", "missing"):
        ct.load_run(edited(good, tmp_path, lambda file: file.__delitem__(part)))
