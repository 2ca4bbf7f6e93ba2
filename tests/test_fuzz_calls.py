"""Some of the calls with wrong values that `make fuzz` makes; always the same ones."""

import signal
import warnings

import numpy as np
import pytest

from tools.fuzz_calls import calls, finite, report

SLOW = (
    "Run.view", "System.view", "Mechanism.view", "Run.plot", "Run.html", "read_step", "assembly_plan", "emergency_stop",
    "Mechanism.dock", "Mechanism.rolling", "Mechanism.knife_edge", "jacobian_second_partials",
)  # fmt: skip


@pytest.fixture
def alarm():
    before = signal.getsignal(signal.SIGALRM)
    yield
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("alarm")
def test_wrong_values_give_errors_of_the_package(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = [r for r in calls(7, 0, 300, without=SLOW) if r[3] != "begun"]
    kinds = [r[3] for r in found]
    assert report(found, "raw"), capsys.readouterr().out
    assert kinds.count("raw") == 0, capsys.readouterr().out
    assert kinds.count("clean") > 150


def test_the_report_tells_bad_endings():
    good = [(k, "f", "", "clean", "") for k in range(2000)]
    assert report(good, "raw")
    assert report([*good, (0, "f", "", "raw", "a.py:3 TypeError: x")], "raw")
    for kind in ("slow", "nonfinite", "crash"):
        assert not report([*good, (0, "f", "x=1", kind, "")], "raw")
    assert not report([*good[:100], (0, "f", "", "raw", "")], "raw")
    assert finite((1.0, np.zeros(3)))
    assert not finite((1.0, [np.array([np.nan])]))
