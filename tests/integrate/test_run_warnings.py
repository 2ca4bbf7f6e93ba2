"""Warnings of runs as data: noted, judged, stored, continued, and errors where strictness is asked for."""

import copy
import pickle
import warnings
from dataclasses import replace

import numpy as np
import pytest

import cotree as ct
from cotree.errors import RunWarning, UntrustedRunError
from cotree.integrate.checks.run_warnings import KINDS, announce, warning


def falling(**options):
    mech = ct.Mechanism("pendulum")
    rod = mech.body("rod", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("A", mech.ground, rod, ct.Revolute(point=(0, 0, 0), axis=(0, 1, 0)))
    return ct.simulate(mech, 1.0, **options)


def test_a_good_run_has_none():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = falling().trusted()
    assert run.warnings == ()
    assert "warning" not in str(run)


def test_energy_that_is_missing_is_a_warning():
    run = falling(method="euler", step=0.02)
    assert [w.kind for w in run.warnings] == ["energy", "accuracy"]
    assert "do not trust this run" in str(run)


def test_rounding_errors_of_a_mechanism_at_rest_are_no_energy():
    """A gear of 10000 leaves rates of 1e-17 rad/s, with a kinetic energy that nothing accounts for."""
    mech = ct.Mechanism("still", (0, 0, 0))
    for name, x in (("a", 0.0), ("b", 1.0)):
        mech.body(name, 1.0 + x, (x, 0, 0), (0.1, 0.1, 0.1))
        mech.joint(f"pin {name}", mech.ground, name, ct.Revolute((x, 0, 0), (0, 0, 1)))
    mech.gear("train", "pin a", "pin b", 1e4)
    run = ct.simulate(mech, 0.1, {"pin a": 0.5})
    assert 0.0 < np.abs(run.v).max() < 1e-15
    assert run.warnings == ()


def test_trusted_raises_and_gives_the_run():
    with pytest.raises(UntrustedRunError, match="energy changed by more") as caught:
        falling(method="euler", step=0.02).trusted()
    assert caught.value.run.status == "done"


def test_trusted_raises_for_a_failed_run():
    run = replace(falling(), status="failed", message="it failed here")
    with pytest.raises(UntrustedRunError, match="it failed here"):
        run.trusted()


def test_what_was_noted_is_said_once_and_stays():
    noted = warning("start", "the start was moved", 0.0)
    run = replace(falling(), noted=(noted,))
    with pytest.warns(RunWarning, match="the start was moved"):
        announce(run)
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


@pytest.mark.parametrize("kind", ["joint damper", "spring"])
def test_dampers_that_supply_energy(kind):
    def mech(damping):
        made = ct.gallery.four_bar()
        if kind == "spring":
            made.spring("coil", "ground", (0, 2, 0), "coupler", (1.5, 1.1, 0), stiffness=10.0, damping=damping)
        else:
            made.joint_damper("coil", "A", damping)
        return ct.simulate(made, 0.05).warnings

    (found,) = mech(-0.3)
    assert found.kind == "input"
    assert "'coil' has the damping -0.3, which supplies energy" in str(found)
    assert mech(0.3) == ()


# -- dimensions that are rounded ---------------------------------------------------------------------------------


def tilted_slider_crank(decimals):
    """In a plane across all axes, with points and axes in so many decimals, as drawings give them."""
    x = np.array([np.cos(0.7), np.sin(0.7), 0.4]) / np.sqrt(1.16)
    y = np.cross([0.3, -0.2, 1.0], x)
    y /= np.linalg.norm(y)
    along, axis = np.round(x, decimals), np.round(np.cross(x, y), decimals)
    O, A, B = (np.round(a * x + b * y, decimals) for a, b in ((0.1, 0.2), (0.25, 0.4), (0.9, 0.2)))
    mech = ct.Mechanism("slider-crank")
    for name, com in (("crank", (O + A) / 2), ("rod", (A + B) / 2), ("slide", B)):
        mech.body(name, 1.0, com, (0.02, 0.02, 0.02))
    mech.joint("O", mech.ground, "crank", ct.Revolute(O, axis))
    mech.joint("A", "crank", "rod", ct.Revolute(A, axis))
    mech.joint("B", "rod", "slide", ct.Revolute(B, axis))
    mech.joint("slide", mech.ground, "slide", ct.Prismatic(along))
    return mech


def test_axes_that_are_parallel_but_for_their_last_digits():
    """They are made parallel, and the mechanism moves as the exact one. With tolerance=0 the run is held by what they differ
    in, and says so."""
    exact, *rounded = (ct.simulate(tilted_slider_crank(n), 0.2) for n in (12, 8, 6, 5))
    for run in rounded:
        assert np.abs(run.q - exact.q).max() < 1e-3
        assert not run.warnings
    close, coarse = (ct.simulate(tilted_slider_crank(n).compile(tolerance=0.0), 0.2) for n in (6, 5))
    assert np.ptp(close.q[:, 0]) < 1e-9
    assert [[w.kind for w in run.warnings] for run in (close, coarse)] == [["rank"], ["freedom"]]
    assert "uncertain: 1 DOF more" in str(coarse.warnings[0])
