"""Hostile and broken MJCF: an error of ours that names the file and the place, or a mechanism."""

import pytest

import cotree as ct
from cotree.errors import DocumentError, NotFiniteError, UnconnectedError, UnsafeFileError
from cotree.io.mjcf import guarding, import_mjcf, read_mjcf
from tests.io.mjcf_files import INERTIAL, model
from tests.io.test_mjcf import ARM
from tests.model.builders import refused

HOSTILE = [
    ('<!DOCTYPE mujoco [<!ENTITY x "y">]>' + model(ARM), "DOCTYPE"),
    ('<!DOCTYPE mujoco [<!ENTITY x SYSTEM "file:///etc/hostname">]>' + model(ARM), "DOCTYPE"),
    ("<mujoco>" + "<body>" * 500 + "</body>" * 500 + "</mujoco>", "more than 400 levels deep"),
    ("<mujoco>" + "<a/>" * 100_001 + "</mujoco>", "more than 100000 elements"),
    (model("".join(f'<include file="f{k}.xml"/>' for k in range(101))), "more than 100 files are included"),
]


@pytest.mark.parametrize(("text", "words"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_are_not_read(tmp_path, text, words):
    path = tmp_path / "m.xml"
    path.write_text(text)
    for where, given in (("m.xml: ", path), ("MJCF: ", text)):
        with refused(UnsafeFileError, where, words):
            read_mjcf(given)


def test_models_that_are_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(guarding, "MOST_BYTES", 1000)
    with refused(UnsafeFileError, "MJCF: the text has more than 1000 bytes"):
        read_mjcf(model(ARM) + " " * 1000)
    (tmp_path / "inner.xml").write_text(f"<mujocoinclude>{ARM}{' ' * 900}</mujocoinclude>")
    (tmp_path / "m.xml").write_text(model('<include file="inner.xml"/>'))
    with refused(UnsafeFileError, "m.xml: include 'inner.xml': the file has more than"):
        ct.load(tmp_path / "m.xml")


def test_long_chains_are_read():
    n = 120
    links = "".join(f'<body name="b{k}" pos="1 0 0"><joint name="j{k}"/>{INERTIAL}' for k in range(n)) + "</body>" * n
    assert read_mjcf(model(links)).compile().nv == n


def test_includes_that_hide_something(tmp_path):
    (tmp_path / "inner.xml").write_text(f'<!DOCTYPE a [<!ENTITY x "y">]><mujocoinclude>{ARM}</mujocoinclude>')
    (tmp_path / "m.xml").write_text(model('<include file="inner.xml"/>'))
    with refused(UnsafeFileError, "m.xml: include 'inner.xml': ", "DOCTYPE"):
        ct.load(tmp_path / "m.xml")


SITES = '<equality><connect site1="s" site2="t"/></equality>'
BROKEN = [
    ("<mujoco><worldbody></mujoco>", DocumentError, "not valid XML"),
    ("<robot/>", DocumentError, "the root element is <robot>; an MJCF file has <mujoco>"),
    (model('<body name="a"><joint/></body>'), DocumentError, "mass and inertia of moving bodies"),
    (model('<body name="a"><joint type="helical"/></body>'), DocumentError, "MuJoCo cannot read the model: XML Error"),
    (model(ARM.replace('mass="1.5"', 'mass="-1"')), DocumentError, "MuJoCo cannot read"),
    (model(ARM.replace('"0.2 0.3 0.4"', '"0.2 0.3 4"')), DocumentError, "A + B >= C"),
    (model(ARM.replace('pos="1 0 0"', 'pos="nan 0 0"')), NotFiniteError, "body 'b': pose contains NaN"),
    (model(ARM.replace('name="j"', 'name="j" damping="nan"')), NotFiniteError, "damping is nan"),
    (model(ARM.replace("<joint", '<site name="s"/><site name="t"/><joint', 1), SITES), UnconnectedError, "'a' with itself"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "error", "words"), BROKEN, ids=range(len(BROKEN)))
def test_broken_models(text, error, words):
    with refused(error, "MJCF: ", words):
        read_mjcf(text)


def test_files_that_are_no_text(tmp_path):
    path = tmp_path / "m.xml"
    path.write_bytes('<?xml version="1.0" encoding="latin-1"?><mujoco model="\xe9"/>'.encode("latin-1"))
    with refused(DocumentError, "m.xml: this is not UTF-8 text"):
        ct.load(path)
    path.write_bytes(b"\xef\xbb\xbf" + model(ARM).encode())
    assert ct.load(path).bodies


def test_what_mujoco_warns_of_is_noted_and_no_log_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    imported = import_mjcf(model(ARM.replace('name="j"', 'name="j" margin="nan"')))
    assert any(note.startswith("MuJoCo warns: ") and "NaN" in note for note in imported.remarks)
    assert not list(tmp_path.iterdir())
