"""Modes as motions: loops stay closed, frames tell their own velocities, pages and views hold the same poses."""

import json

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ShapeError, StudyError, UnknownNameError
from cotree.studies.eigen import eigen
from cotree.studies.modes import modes_of
from cotree.view.scene.frames import periodic
from tests.view.pages import Parsed, numbers, poses_in


@pytest.fixture(scope="module")
def linear():
    """A five-bar on springs: two modes and one loop."""
    mech = ct.gallery.five_bar()
    mech.joint_spring("left", "A1", 40.0)
    mech.joint_spring("right", "A2", 90.0)
    mech.joint_damper("oil", "A1", 1.0)
    return ct.linearize(mech, ct.equilibrium(mech).q)


def test_loops_are_closed_and_the_shape_is_the_mode(linear):
    first, second = modes_of(linear)
    for mode in (first, second):
        q = linear.motion(mode.column)
        assert q.shape == (32, linear.system.nq)
        assert max(np.abs(ct.constraint_residual(linear.system, x)).max() for x in q) < 1e-12
        turned = np.abs(
            [ct.poses(linear.system, x)[1:, 0, 1] - ct.poses(linear.system, linear.q)[1:, 0, 1] for x in q]
        ).max()
        assert 0.1 < turned < 0.35
        small = linear.motion(mode.column, 1e-5)
        assert np.abs((small[0] - linear.q) / 1e-5 - mode.shape.real).max() < 1e-4
        assert np.abs((small[8] - linear.q) / 1e-5 + mode.shape.imag).max() < 1e-4  # a quarter later
    assert str(first) == f"{linear.frequencies[first.column]:.4g} Hz, damping {first.damping:.3g}"


def test_frames_of_a_period_know_their_velocities(linear):
    system = linear.system
    found = periodic(system, linear.motion(0), 2.0)
    fine = periodic(system, linear.motion(0, frames=64), 2.0)
    assert len(found.t) == 33
    assert found.t[-1] == 2.0
    assert np.array_equal(found.centres[0], found.centres[-1])
    h = fine.t[1]
    for name, rate in (("centres", "speeds"), ("quaternions", None)):
        y = getattr(fine, name)[:-1]
        slope = (8.0 * (np.roll(y, -1, 0) - np.roll(y, 1, 0)) - np.roll(y, -2, 0) + np.roll(y, 2, 0)) / (12.0 * h)
        if rate is None:
            w, x, e, d = y[..., :1], y[..., 1:], slope[..., :1], slope[..., 1:]
            slope, rate = 2.0 * (w * d - e * x - np.cross(x, d)), "spins"
        assert np.abs(getattr(fine, rate)[:-1] - slope).max() < 1e-5
        assert np.abs(getattr(fine, rate)[::2] - getattr(found, rate)).max() < 1e-5


def test_page_holds_all_modes(linear, tmp_path):
    linear.html(tmp_path / "modes.html", amplitude=0.2)
    data = json.loads(Parsed((tmp_path / "modes.html").read_text()).texts["script#data"])
    assert [mode["name"] for mode in data["modes"]] == [f"{k}. {m}" for k, m in enumerate(modes_of(linear), start=1)]
    assert numbers(data["time"], "<f8")[-1] == 2.0
    for mode, entry in zip(modes_of(linear), data["modes"], strict=True):
        shown = poses_in(data | {"motion": entry["motion"]})[:-1]
        expected = ct.poses(linear.system, linear.motion(mode.column, 0.2))[:, 1:]
        assert np.abs(shown - expected).max() < 1e-6
        assert {name: size for name, size, _ in entry["parts"]} == pytest.approx(
            dict(zip(linear.system.v_names, np.abs(mode.shape), strict=True)), abs=1e-6
        )


def test_live_view_plays_the_mode_that_is_set(linear):
    pytest.importorskip("viser", reason="the package viser is not installed: no live views")
    with linear.view(amplitude=0.2, open=False, wait=False) as viewer:
        assert viewer.playing
        assert viewer.mode == 0
        assert len(viewer.modes) == 2
        viewer.pause()
        viewer.mode, viewer.time = 1, 0.5
        wanted = periodic(linear.system, linear.motion(modes_of(linear)[1].column, 0.2), 2.0)
        places = np.array([node.position for node in viewer.stage.bodies]) + viewer.frames.origin
        assert np.abs(places - wanted.centres[8] - wanted.origin).max() < 1e-12
        with pytest.raises(UnknownNameError, match="mode is 2; give a number from 0 to 1"):
            viewer.mode = 2


def test_what_cannot_be_played_is_named(linear, tmp_path):
    with pytest.raises(ShapeError, match="mode is 7; give the number of one of the 4 columns"):
        linear.motion(7)
    with pytest.raises(ShapeError, match="frames is 1"):
        linear.motion(0, frames=1)
    with pytest.raises(StudyError, match="the loops do not close at an amplitude of 3; give a smaller one"):
        linear.motion(0, 3.0)
    with pytest.raises(StudyError, match=r"no mode of this linearization moves a body.* not shown, mode 1: the loops"):
        linear.html(tmp_path / "modes.html", amplitude=3.0)


def test_where_loops_close_at_no_amplitude(linear, monkeypatch):
    monkeypatch.setattr("cotree.studies.modes._closed", lambda *given: None)
    with pytest.raises(StudyError, match="mode 0: the loops do not close along it at any amplitude that can be seen"):
        linear.motion(0)


def test_mode_of_velocities_alone():
    """A damped slide without a spring: one eigenvector is free, the other decays; a sleigh's speed moves nothing else."""
    mech = ct.Mechanism("slide", gravity=(0, 0, 0))
    mech.body("block", 2.0, (0, 0, 0), (1, 1, 1))
    mech.joint("A", "ground", "block", ct.Prismatic(axis=(1, 0, 0)))
    mech.joint_damper("oil", "A", 4.0)
    linear = ct.linearize(mech)
    assert [str(mode) for mode in modes_of(linear)] == ["no oscillation, halves in 0.3466 s", "no oscillation, free"]
    still = ct.linearize(mech)
    object.__setattr__(still, "Z", np.zeros_like(still.Z))
    with pytest.raises(StudyError, match="mode 0 does not move any body"):
        still.motion(0)


def test_eigenvectors_satisfy_their_equation_where_entries_are_rounding_errors():
    """A matrix that LAPACK balances until its eigenvectors are wrong by the size of its eigenvalues."""
    A = np.zeros((5, 5))
    A[0, 4], A[1, 3], A[4, 2], A[4, 4] = 0.075, 3.3, -18.0, -15.0
    A[2, 0], A[3, 4], A[4, 0], A[4, 1] = -6.9e-16, 1.1e-18, -2.4e-14, -2.8e-32
    for B in (A, A.T, np.diag([1.0, 2.0, 2.0]), np.zeros((0, 0))):
        values, vectors = eigen(B)
        assert np.abs(B @ vectors - vectors * values).max(initial=0.0) < 1e-12
        assert np.allclose(np.linalg.norm(vectors, axis=0), 1.0)
