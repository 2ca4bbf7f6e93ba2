"""Files that have lost their end, YAML as its version 1.2 has it, and what is not a file at all."""

import os

import pytest

import cotree as ct
from cotree.errors import DocumentError, UnsafeFileError
from cotree.io.native.texts import YAML
from tests.model.builders import pendulum, refused

BY_HAND = """version: 1
bodies:
- {name: b, mass: MASS, com: [0, 0, 0], inertia: [1, 1, 1]}
"""


@pytest.mark.parametrize("extension", ["yaml", "toml", "json"])
def test_no_part_of_a_file_loads(tmp_path, extension):
    mech, path = pendulum(), tmp_path / f"a.{extension}"
    mech.joint_spring("k", "pivot", 50.0, 0.25)
    ct.save(mech, path)
    text = path.read_text()
    whole = len(text.rstrip())
    for cut in sorted({*range(0, whole, 5), *(k for k in range(whole) if text[k] == "\n"), whole - 1}):
        path.write_text(text[:cut])
        with pytest.raises(DocumentError):
            ct.load(path)
    path.write_text(text.rstrip())
    assert ct.load(path).joint_forces["k"].rest == 0.25


def test_the_end_is_missed_by_name(tmp_path):
    path = tmp_path / "a.yaml"
    ct.save(pendulum(), path)
    path.write_text(path.read_text().replace("end: {}", ""))
    with refused(DocumentError, "a.yaml: the file is truncated", "its last key 'end'", "remove last_key"):
        ct.load(path)
    path.write_text(path.read_text().replace("last_key: end", ""))
    assert list(ct.load(path).bodies) == list(pendulum().bodies)


@pytest.mark.parametrize("mass", ["1:30.0", "1:30", "yes", "1_000", "2020-01-01"])
def test_words_are_not_numbers(tmp_path, mass):
    path = tmp_path / "a.yaml"
    path.write_text(BY_HAND.replace("MASS", mass))
    with refused(DocumentError, f"bodies[0].mass: must be a number or nothing, got '{mass}'"):
        ct.load(path)


def test_words_of_yaml():
    words = ["1:30", "on", "No", "010", "0x1F", "0o17", "1e-5", ".5", "+.5E3", "-.inf", "~", "True", "2020-01-01", "="]
    means = ["1:30", "on", "No", 10, 31, 15, 1e-5, 0.5, 500.0, -float("inf"), None, True, "2020-01-01", "="]
    assert YAML.read(f"[{', '.join(words)}]") == means
    assert YAML.read("on: 1") == {"on": 1}
    assert YAML.read(YAML.write(words)) == words


@pytest.mark.parametrize("extension", ["json", "yaml", "urdf", "sdf", "xml"])
def test_pipes_are_not_read(tmp_path, extension):
    path = tmp_path / f"pipe.{extension}"
    os.mkfifo(path)
    with refused(UnsafeFileError, path.name, "a pipe or device", "to a file first"):
        ct.load(path)
