"""A thousand spoiled model files: each is a clean error that names the file, or a mechanism; in bounded time and memory."""

import contextlib
import resource
import signal
import sys
import warnings

import numpy as np
import pytest

import cotree as ct
from cotree.errors import CotreeError
from cotree.io.mjcf import read_mjcf
from tests.io.furnished import drawn
from tests.io.fuzzed import FILES, SDF, SYNTAXES, mjcf_bases, spoiled
from tests.io.robot_files import random_urdf

LONGEST = 60  # seconds for one file: not a measure of speed, only what tells a hang
MOST = 400 << 20  # bytes by which all of them together may raise the memory of the process
GROUP = 50


class HangError(BaseException):
    """Raised in whatever takes too long."""


@contextlib.contextmanager
def alarm(seconds):
    def ring(*_):
        raise HangError

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outcome(path):
    """The mechanism of a file, or the error of ours; any other error goes through."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ct.load(path, missing="zero") if path.suffix != ".xml" else ct.load(path)
        except CotreeError as error:
            return error


def check(path):
    got = outcome(path)
    if isinstance(got, CotreeError):
        assert str(got).startswith(f"{path.name}: ")
        assert len(str(got)) < 1000
        str(got).encode()  # it can be printed
    else:
        assert isinstance(got, ct.Mechanism)
    return got


GROUPS = [(kind, first) for kind, count in FILES.items() for first in range(0, count, GROUP)]


@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="without alarms a hang would not end")
@pytest.mark.parametrize(("kind", "first"), GROUPS)
def test_spoiled_files(tmp_path, monkeypatch, kind, first):
    monkeypatch.chdir(tmp_path)
    before = peak()
    for number in range(first, min(first + GROUP, FILES[kind])):
        name, data = spoiled(kind, number)
        (tmp_path / name).write_bytes(data)
        try:
            with alarm(LONGEST):
                check(tmp_path / name)
        except (Exception, HangError) as error:
            raise AssertionError(f"{kind} {number} ({name}): {error!r}") from error
    assert peak() - before < MOST


def peak():
    """Bytes, the most that the process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def test_there_are_a_thousand():
    """As the documentation says: all different, and of every kind."""
    files = {spoiled(kind, number) for kind, count in FILES.items() for number in range(count)}
    assert len(files) >= 1000
    for extension in (".json", ".yaml", ".toml", ".urdf", ".sdf", ".xml"):
        assert sum(name.endswith(extension) for name, _ in files) >= 50


def test_the_files_before_are_good(tmp_path):
    """Or all that is tested would be one and the same error."""
    texts = {"a.urdf": random_urdf(np.random.default_rng(0), 4), "b.sdf": SDF}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        assert ct.load(tmp_path / name).compile().nv > 0
    for text in mjcf_bases(np.random.default_rng(0)):
        assert read_mjcf(text).bodies
    for extension, _ in SYNTAXES:
        ct.save(drawn("tree", 1, 4), tmp_path / f"c.{extension}")
        assert ct.load(tmp_path / f"c.{extension}").compile().nv > 0
