"""The estimated error of a run, against the true one; sensitive motions are not certified."""

from dataclasses import replace

import numpy as np
import pytest

import cotree as ct
from cotree.errors import SingularError
from cotree.integrate.checks.accuracy import coarser
from cotree.integrate.checks.run_warnings import why_not_repeated


def start(mech):
    return {"q": getattr(mech, "q_start", None), "v": getattr(mech, "v_start", None)}


def true_errors(run, reference):
    """Largest distance of mass centres [m], and of orientations [rad], over the rows of a run."""
    s, bodies = run.system, run.system.mechanism.bodies
    centres = [np.append(bodies[name].properties.com, 1.0) for name in s.body_names]
    place, angle = 0.0, 0.0
    for a, b in zip(run.q, reference.q, strict=True):
        for A, B, c in zip(ct.poses(s, a)[1:], ct.poses(s, b)[1:], centres, strict=True):
            place = max(place, np.linalg.norm((A - B) @ c))
            angle = max(angle, np.linalg.norm(A[:3, :3] - B[:3, :3]) / np.sqrt(2.0))
    return place, angle


SETTINGS = {
    "adaptive": {},
    "coarse": {"rtol": 1e-5, "atol": 1e-5},
    "rk4": {"step": 5e-3},
    "euler": {"method": "euler", "step": 1e-3},
}


@pytest.mark.parametrize("options", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("name", ["four_bar", "planar_3r"])
def test_the_estimate_is_near_the_true_error(name, options):
    mech = getattr(ct.gallery, name)()
    run = ct.simulate(mech, 1.0, **options)
    reference = ct.simulate(mech, 1.0, rtol=1e-12, atol=1e-12, method="dop853")
    place, angle = true_errors(run, reference)
    assert place / 8.0 < run.accuracy.position < 8.0 * place
    assert angle / 8.0 < run.accuracy.angle < 8.0 * angle
    assert "position error about" in str(run)


SENSITIVE = {
    "rk4": {"step": 1e-3},
    "generalized-alpha": {"method": "generalized-alpha", "rtol": 1e-7, "atol": 1e-7},
}


@pytest.mark.parametrize("options", SENSITIVE.values(), ids=SENSITIVE)
@pytest.mark.parametrize("name", ["spherical_five_bar", "spherical_double_pendulum"])
def test_sensitive_motions_are_not_certified(name, options):
    """Energy and loops are kept, and the bodies are elsewhere by 0.26 to 1.6."""
    mech = getattr(ct.gallery, name)()
    run = ct.simulate(mech, 1.0, **start(mech), **options)
    assert "accuracy" in [w.kind for w in run.warnings]
    assert "do not trust the positions of this run" in str(run)
    assert "energy" not in [w.kind for w in run.warnings]


def test_and_with_the_defaults_they_are():
    mech = ct.gallery.spherical_double_pendulum()
    run = ct.simulate(mech, 1.0, **start(mech)).trusted()
    assert 1e-5 < run.accuracy.relative < 1e-2


def test_coarser_steps():
    mech = ct.gallery.pendulum_chain(1)
    assert coarser(ct.simulate(mech, 0.1, step=0.01))[0].step == 0.02
    larger = coarser(ct.simulate(mech, 0.1, rtol=1e-9, atol=1e-7))[0]
    assert (larger.rtol, larger.atol) == (1e-8, 1e-6)


def test_runs_with_functions_are_repeated_only_when_asked():
    calls = []
    mech = ct.gallery.planar_3r()
    mech.motor("m", "J1", lambda t: calls.append(t) or 0.1)
    run = ct.simulate(mech, 0.2)
    before = len(calls)
    assert "position error not checked because the model has Python functions" in str(run)
    assert len(calls) == before
    assert run.accuracy.relative < 1e-6
    assert len(calls) > before


def test_long_runs_are_repeated_only_when_asked():
    run = ct.simulate(ct.gallery.four_bar(), 0.5)
    assert why_not_repeated(run) == ""
    run.statistics["evaluations"] = 10**7
    assert "the run was long" in str(run)


def test_a_second_run_that_does_not_come_to_the_end(monkeypatch):
    """Nothing is known then, and that is said."""
    run = ct.simulate(ct.gallery.four_bar(), 0.5)
    short = replace(run, t=run.t[:9], q=run.q[:9], v=run.v[:9], status="failed", message="its steps went to zero")
    monkeypatch.setattr("cotree.integrate.checks.accuracy.go", lambda *args: short)
    assert run.accuracy.relative == np.inf
    assert "only reached 0.02 s: its steps went to zero" in str(run)


def test_a_second_run_that_cannot_begin(monkeypatch):
    def fails(*args):
        raise SingularError("coordinate 'A' has no inertia")

    run = ct.simulate(ct.gallery.four_bar(), 0.5)
    monkeypatch.setattr("cotree.integrate.checks.accuracy.go", fails)
    assert "do not trust the positions of this run" in str(run)
    assert "failed: coordinate 'A'" in str(run)


def test_one_row():
    run = ct.simulate(ct.gallery.four_bar(), 0.5, output=[0.25])
    assert run.accuracy.relative == 0.0
    assert "position error" not in str(run)


def test_tolerances_below_rounding():
    mech = ct.gallery.planar_3r()
    run = ct.simulate(mech, 0.01, rtol=1e-15, atol=1e-15)
    assert any("smaller than rounding errors allow" in str(w) for w in run.warnings)


def test_open_loops_are_a_warning():
    mech = ct.gallery.four_bar()
    run = ct.simulate(mech, 20.0, stabilize="none", rtol=1e-4, atol=1e-4)
    assert "constraints" in [w.kind for w in run.warnings]
    assert "constraints" not in [w.kind for w in ct.simulate(mech, 20.0, rtol=1e-4, atol=1e-4).warnings]
