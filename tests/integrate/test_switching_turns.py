"""Turns of joints that are cut, counted on where a run is resumed, from memory and from a file."""

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
        del file["phases/counted"]
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
