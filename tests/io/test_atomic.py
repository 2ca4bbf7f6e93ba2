"""Saving: a file is there whole or not at all, and what was there before survives everything that goes wrong."""

import gc
import os
import weakref
from collections import namedtuple

import pytest

import cotree as ct
from cotree.errors import ChoiceError, DocumentError
from cotree.io.atomic import replacing, write_whole
from cotree.io.results import hdf5_files
from tests.io.runs import full_run
from tests.model.builders import pendulum, refused


def model(path):
    ct.save(pendulum(), path)


WRITERS = {
    "a.json": model, "a.yaml": model, "a.toml": model, "a.urdf": model, "a.xml": model,
    "a.h5": lambda path: full_run(pendulum()).save(path),
    "a.html": lambda path: ct.simulate(pendulum(), 0.01, output=2).html(path),
    "a.png": lambda path: ct.simulate(pendulum(), 0.01, output=2).plot(path),
    "a.csv": lambda path: ct.simulate(pendulum(), 0.01, output=9).joint(next(iter(pendulum().joints))).to_csv(path),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
def test_what_was_there_survives_a_failure(tmp_path, monkeypatch, name):
    path = tmp_path / name
    path.write_bytes(b"what was there")

    def full(draft, place):
        assert os.path.getsize(draft) > 100
        raise OSError(28, "No space left on device", str(draft))

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        with pytest.raises(OSError, match="No space") as caught:
            WRITERS[name](path)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"what was there"
    assert os.listdir(tmp_path) == [name]
    WRITERS[name](path)
    assert path.read_bytes() != b"what was there"
    assert os.listdir(tmp_path) == [name]


@pytest.mark.parametrize("name", ["a.json", "a.yaml", "a.toml", "a.urdf", "a.xml"])
@pytest.mark.parametrize("half", ["\ud800", "a\udc80"])
def test_names_that_cannot_be_encoded(tmp_path, name, half):
    mech = ct.Mechanism("x")
    mech.joint("J", mech.ground, mech.body(half, 1, (0, 0, 0), (1, 1, 1)), ct.Revolute((0, 0, 0), (0, 0, 1)))
    path = tmp_path / name
    path.write_bytes(b"what was there")
    with refused(DocumentError, "a lone surrogate", "U+D" if half == "\ud800" else "U+DC80", "change the name"):
        ct.save(mech, path)
    assert path.read_bytes() == b"what was there"


def test_large_results_are_written_where_there_is_room(tmp_path, monkeypatch):
    monkeypatch.setattr(hdf5_files, "IN_MEMORY", 0)
    run, path = full_run(pendulum()), tmp_path / "run.h5"
    run.save(path)
    assert ct.load_run(path).q.tobytes() == run.q.tobytes()
    before = path.read_bytes()
    monkeypatch.setattr(hdf5_files.shutil, "disk_usage", lambda _: namedtuple("Usage", "free")(1000))
    with refused(DocumentError, "needs about 17 MB", "0 MB are free", "fewer rows"):
        run.save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["run.h5"]


def test_links_modes_devices_and_folders(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640
    write_whole("/dev/null", b"nothing")
    assert not os.path.isfile("/dev/null")
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"")
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(tmp_path / "no" / "x.json", b"")
    assert str(caught.value) == f"[Errno 2] No such file or directory: '{tmp_path / 'no' / 'x.json'}'"


def test_interrupted(tmp_path):
    def half():
        with replacing(tmp_path / "a") as draft:
            draft.write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert os.listdir(tmp_path) == []


def test_pictures_of_an_unknown_kind(tmp_path):
    run = ct.simulate(pendulum(), 0.01, output=2)
    with refused(ChoiceError, "'x.xyz'", "unknown image format '.xyz'", "known formats are", "png"):
        run.plot(tmp_path / "x.xyz")
    figure = weakref.ref(run.plot(tmp_path / "x"))
    assert os.listdir(tmp_path) == ["x.png"]
    gc.collect()
    assert figure() is None, "figures are not kept"
