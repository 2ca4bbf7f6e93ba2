"""Warnings of runs as data: noted, judged, stored, continued, and errors where strictness is asked for."""

import copy
import pickle
import warnings
from dataclasses import replace

import pytest

import cotree as ct
from cotree.errors import RunWarning, UntrustedRunError
from cotree.integrate.trust import KINDS, announce, warning


def falling(**options):
    mech = ct.Mechanism("pendulum")
    rod = mech.body("rod", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("A", mech.ground, rod, ct.Revolute(point=(0, 0, 0), axis=(0, 1, 0)))
    return ct.simulate(mech, 1.0, **options)


def test_a_good_run_has_none():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = falling(strict=True)
    assert run.warnings == ()
    assert "warning" not in str(run)


def test_energy_that_is_missing_is_a_warning():
    run = falling(method="euler", step=0.02)
    assert [w.kind for w in run.warnings] == ["energy", "accuracy"]
    assert "do not trust this run" in str(run)


def test_strict_raises_and_gives_the_run():
    with pytest.raises(UntrustedRunError, match="more energy came or went") as caught:
        falling(method="euler", step=0.02, strict=True)
    assert caught.value.run.status == "done"


def test_strict_raises_for_a_failed_run():
    run = replace(falling(), status="failed", message="it failed here")
    with pytest.raises(UntrustedRunError, match="it failed here"):
        announce(run, strict=True)


def test_what_was_noted_is_said_once_and_stays():
    noted = warning("start", "the start was moved", 0.0)
    run = replace(falling(), noted=(noted,))
    with pytest.warns(RunWarning, match="the start was moved"):
        announce(run, strict=False)
    assert run.warnings == (noted,)
    assert "warning: the start was moved" in str(run)
    assert run.resume(1.5).noted == (noted,)


def test_in_results_files(tmp_path):
    run = replace(falling(), noted=(warning("start", "the start was moved"), warning("input", "degrees?", 0.5)))
    run.save(tmp_path / "run.h5")
    found = ct.load_run(tmp_path / "run.h5").noted
    assert [(w.kind, str(w), w.t) for w in found] == [
        ("start", "the start was moved", None),
        ("input", "degrees?", 0.5),
    ]


def test_a_warning_is_copied_and_pickled():
    w = warning("rank", "which rows?", 2.0)
    for other in (copy.deepcopy(w), pickle.loads(pickle.dumps(w))):
        assert (other.kind, str(other), other.t) == ("rank", "which rows?", 2.0)


def test_kinds_are_known():
    with pytest.raises(AssertionError):
        warning("whatever", "text")
    assert all(text[0].islower() for text in KINDS.values())
