"""Some of the calls with wrong values that `make fuzz` makes; always the same ones."""

import signal
import warnings
from pathlib import Path

import numpy as np
import pytest

import cotree as ct
from tools import fuzz_calls
from tools.fuzz_calls import calls, finite, judged, report

SLOW = (
    "Run.view", "System.view", "Mechanism.view", "Run.plot", "Run.html", "read_step", "assembly_plan", "emergency_stop",
    "Mechanism.dock", "Mechanism.rolling", "Mechanism.knife_edge", "jacobian_second_partials",
    # compiled for them alone, or long
    "Mechanism.belt", "Mechanism.breaks", "Mechanism.rope", "Mechanism.bump_stop", "Mechanism.nonlinear_spring",
    "Mechanism.nonlinear_joint_spring", "Mechanism.cable", "Mechanism.bushing", "Mechanism.drag", "Mechanism.friction",
    "Mechanism.central_gravity", "Mechanism.impulse", "Mechanism.joint_impulse", "Mechanism.clutch", "Mechanism.actuator",
    "Mechanism.force_between", "Mechanism.motor_curve", "Mechanism.joint_inertia", "singularities", "assembly_modes",
    "sensitivities", "parameter_derivatives", "fit", "optimize", "floquet", "linearize_along", "export_fmu", "BatchStepper",
    "export_library", "export_page",
    "BatchStepper.step", "BatchStepper.reset", "Run.picture", "Mechanism.picture", "Run.movie", "regularization",
)  # fmt: skip


@pytest.fixture
def alarm():
    before = signal.getsignal(signal.SIGPROF)
    yield
    signal.signal(signal.SIGPROF, before)


@pytest.mark.usefixtures("alarm")
def test_wrong_values_give_errors_of_the_package(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fuzz_calls, "LIMIT", 300.0)  # what a busy machine takes its time for is not slow
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
    assert report([*good, (0, "f", "", "noted", "ValueError in motor 'm' at t = 1")], "raw")
    assert finite((1.0, np.zeros(3)))
    assert not finite((1.0, [np.array([np.nan])]))


def test_errors_of_functions_are_told_from_raw_ones():
    def drive(motion):
        mech = ct.gallery.planar_3r()
        mech.drive("d", "J1", motion)
        return ct.simulate(mech, 0.01)

    def late(t):
        if t > 0.0:
            raise ValueError("too late")
        return 0.0

    assert judged(drive, {"motion": late})[0] == "noted"
    assert judged(drive, {"motion": None})[0] == "clean"
    assert judged(lambda: {}["x"], {}) == ("raw", "? KeyError: 'x'")
    assert judged(Path("nowhere/x").read_text, {})[0] == "file"
    assert judged(lambda: np.full(3, np.nan), {})[0] == "nonfinite"
