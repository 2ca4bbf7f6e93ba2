"""Turns of joints that are cut, counted on where a run is resumed, from memory and from a file."""

import warnings

import numpy as np
import pytest

import cotree as ct
from tests.integrate.switching_rigs import wheel


def turning(t_end, **options):
    """A wheel at 2 rad/s that meets a stop at 8 rad, which is more than a turn, at 4 s; its joint is cut."""
    mech = wheel()
    mech.limit("axle", upper=8.0, restitution=1.0)
    system = mech.compile(coordinates="absolute")
    return ct.simulate(system, t_end, v=[0, 0, 2.0, 0, 0, 0], **options)


@pytest.mark.parametrize("output", [None, (0.0, 0.1), (0.0, 1.1, 3.3), "steps"])
def test_turns_are_counted_on_by_resume(output, tmp_path):
    first = turning(3.9, output=output)
    first.save(tmp_path / "run.h5")
    for run in (first, ct.load_run(tmp_path / "run.h5")):
        more = run.resume(6.0, output=(5.0, 6.0))
        assert [s.t for s in more.switches] == pytest.approx([4.0], abs=1e-9)
        assert more.v[-1][2] == pytest.approx(-2.0)


def test_turns_about_the_last_row_are_on_record():
    run = turning(6.0, output=(0.0, 0.1))
    assert run.phases[-1].rows == (2, 2)
    assert run.phases[0].counted["limit axle"] == pytest.approx(0.2, abs=0.6)
    assert run.resume(6.0, output=(5.0, 6.0)).switches[0].t == pytest.approx(4.0, abs=1e-9)


def test_a_file_without_turns_is_read(tmp_path):
    import h5py

    turning(1.0).save(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5", "a") as file:
        del file["phases/counted"], file.attrs["parts"]
    assert [p.counted for p in ct.load_run(tmp_path / "run.h5").phases] == [{}]


@pytest.mark.parametrize("torque", [0.0, 2.0])
def test_several_turns_in_one_step(torque):
    """Three joints on one axis: nothing bounds the steps, and turns of the one that is cut were lost in them. With a torque T
    on a shaft of inertia I the stop at c is reached when w t + T t^2 / (2 I) = c."""
    mech = ct.Mechanism("shafts", gravity=(0, 0, 0))
    for name, z, inertia in (("a", 0.0, 2.0), ("b", 1.0, 0.5)):
        mech.body(name, 1.0, (0, 0, z), (1, 1, inertia))
        mech.joint(name.upper(), "ground", name, ct.Revolute((0, 0, z), (0, 0, 1)))
    mech.joint("C", "a", "b", ct.Revolute((0, 0, 0.5), (0, 0, 1)))
    mech.motor("torque", "A", torque)
    mech.limit("C", lower=-23.7)
    system = mech.compile(cut=["C"])
    when = 2.37 if torque == 0.0 else -10.0 + np.sqrt(100.0 + 2.0 * 23.7)
    for run in (
        ct.simulate(system, 3.0, v={"A": 10.0}),
        ct.simulate(system, 1.3, v={"A": 10.0}).resume(3.0),
        ct.simulate(system, 1.9, v={"A": 10.0}, output=(0.0, 0.7)).resume(3.0),
    ):
        assert [s.t for s in run.switches] == pytest.approx([when], rel=1e-9)
        assert run.v[-1] == pytest.approx(np.full(2, run.v[-1, 0]))


def drag_link():
    """Crank, coupler and follower, all of which turn fully; one axis and one joint point the other way."""
    mech = ct.Mechanism("drag link", gravity=(0, 0, 0))
    A, B, D = (0.0, 0.0, 0.0), (0.0, 1.5, 0.0), (0.5, 0.0, 0.0)
    d = np.subtract(D, B)
    along = (1.2**2 - 1.6**2 + d @ d) / (2.0 * np.linalg.norm(d))
    x, y = d[:2] / np.linalg.norm(d)
    h = np.sqrt(1.2**2 - along**2)
    C = (B[0] + along * x - h * y, B[1] + along * y + h * x, 0.0)
    for name, ends in (("crank", (A, B)), ("coupler", (B, C)), ("follower", (C, D))):
        mech.body(name, 1.0, np.mean(ends, axis=0), (0.1, 0.1, 0.1))
    mech.joint("A", "ground", "crank", ct.Revolute(A, (0, 0, 1)))
    mech.joint("B", "crank", "coupler", ct.Revolute(B, (0, 0, -1)))
    mech.joint("C", "follower", "coupler", ct.Revolute(C, (0, 0, 1)))
    mech.joint("D", "ground", "follower", ct.Revolute(D, (0, 0, 1)))
    return mech


def test_turns_before_the_start_are_counted():
    """Angles around a planar loop add up: a limit is met at the same time whichever joint is cut."""
    when = []
    for cut in ("B", "C", "D"):
        free, mech = drag_link().compile(cut=[cut]), drag_link()
        mech.limit("D", upper=8.0)
        first = ct.simulate(free, 0.1, v=ct.consistent_velocity(free, free.q0, [3.0, 0.0, 0.0]), output=2)
        speed = 3.0 / first.v[0, 0]  # the same motion, whatever the metric has made of it
        first = ct.simulate(free, 2.4, v=speed * first.v[0], output=2)
        run = ct.simulate(mech.compile(cut=[cut]), 0.5, first.q[-1], first.v[-1], output=2)
        assert not run.warnings
        when.append(run.switches[0].t)
    assert when == pytest.approx([when[0]] * 3, abs=1e-6)


def test_turns_before_the_start_that_are_not_known():
    mech = ct.Mechanism("crank and rocker", gravity=(0, 0, 0))
    for name, com in (("crank", (0.2, 0, 0)), ("rod", (0.7, 0, 0.5)), ("rocker", (1.0, 0.5, 1.0))):
        mech.body(name, 1.0, com, (0.1, 0.1, 0.1))
    mech.joint("A", "ground", "crank", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("S1", "crank", "rod", ct.Spherical((0.4, 0, 0)))
    mech.joint("S2", "rod", "rocker", ct.Spherical((1.0, 0, 1.0)))
    mech.joint("D", "ground", "rocker", ct.Revolute((1.0, 1.0, 1.0), (1, 0, 0)))
    mech.limit("D", upper=1.5)
    system = mech.compile(cut=["D"])
    for turns in (0.0, 1.0):
        q = system.q0.copy()
        q[0] = 2.0 * np.pi * turns
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            run = ct.simulate(system, 0.01, q, output=2)
        words = [str(w) for w in run.warnings if w.kind == "start"]
        assert words == [str(w.message) for w in seen]
        assert len(words) == turns
    assert words[0].startswith(
        "limit 'limit D': joint 'D' is cut, so its number of full turns at the start is unknown, and 'A'"
    )
