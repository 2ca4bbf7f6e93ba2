"""Runs whose topology changes, saved and loaded: phases, switches, systems, and going on from there."""

from dataclasses import fields, replace

import h5py
import numpy as np
import pytest

import cotree as ct
from cotree.integrate.events.event import Occurrence
from cotree.integrate.phases.phase import Switch, phases_after
from cotree.io import load_run, save_run
from cotree.model.constraints import Closing, Coupling
from tests.io.furnished import bits
from tests.io.runs import full_run
from tests.io.switching import RUNS, braked_pendulum, equal, functions, locked_arm
from tests.model.builders import pendulum


@pytest.fixture(scope="module", params=RUNS, ids=lambda make: make.__name__)
def pair(request, tmp_path_factory):
    run = request.param()
    path = tmp_path_factory.mktemp("runs") / "run.h5"
    save_run(run, path)
    return run, load_run(path, functions(run))


def test_these_runs_have_everything():
    """Every kind of thing that a topology can hold occurs in one of them."""
    runs = [make() for make in RUNS]
    phases = [p.topology for run in runs for p in run.phases]
    assert all(len(run.switches) >= 2 for run in runs)
    held = [c for p in phases for group in p.closed.values() for c in group.values()]
    assert {type(c) for c in held} == {Coupling, Closing}
    assert {c.word for c in held} == {"lock", "dock"}
    assert {c.word for p in phases for c in p.holds.values()} == {"brake", "limit"}
    for part in ("off", "dropped", "limits", "leaning"):
        assert any(getattr(p, part) for p in phases)
    assert {s for p in phases for s in p.brakes.values()} == {-1, 0, 1}
    assert {name for p in phases for name in p.off} == {"push", "shove"}


def test_rows_and_words_come_back(pair):
    run, other = pair
    for name in ("t", "q", "v", "work"):
        assert equal(getattr(other, name), getattr(run, name))
    assert other.work.shape == (len(run.t), 3)
    assert str(other) == str(run)
    assert [p.names for p in other.phases] == [p.names for p in run.phases]
    assert [(p.begin, p.end, p.rows) for p in other.phases] == [(p.begin, p.end, p.rows) for p in run.phases]
    assert [other.topology(t) for t in run.t] == [run.topology(t) for t in run.t]


def test_topologies_come_back(pair):
    run, other = pair
    for a, b in zip(run.phases, other.phases, strict=True):
        for part in ("off", "dropped", "brakes", "limits", "leaning", "holds"):
            assert getattr(a.topology, part) == getattr(b.topology, part)
        assert list(a.topology.closed) == list(b.topology.closed)
        for one, two in zip(a.topology.closed.values(), b.topology.closed.values(), strict=True):
            assert list(one) == list(two)
            for c, d in zip(one.values(), two.values(), strict=True):
                assert type(c) is type(d)
                if isinstance(c, Coupling):
                    assert c == d
                else:
                    assert (c.joint.dof, c.components, c.word, c.locks) == (d.joint.dof, d.components, d.word, d.locks)
                    assert equal(c.frame_a, d.frame_a)
                    assert equal(c.frame_b, d.frame_b)


def test_systems_in_force_are_made_again(pair):
    run, other = pair
    assert len(other.systems) == len(run.t)
    for a, b in zip(run.phases, other.phases, strict=True):
        assert a.system.constraint_names == b.system.constraint_names
        assert a.system.cut_joints == b.system.cut_joints
        assert bits(a.system.cuts) == bits(b.system.cuts)
        assert equal(a.system.elements.constants, b.system.elements.constants)
        kept = [[bits(table) for _, table in s.system.extra_rows.kinds] for s in (a, b)]
        assert kept[0] == kept[1]
        assert list(map(bits, a.system.row_tables)) == list(map(bits, b.system.row_tables))
    assert equal(other.violation, run.violation)
    assert equal(other.velocity_violation, run.velocity_violation)
    for joint in run.system.joint_names:
        if not any(joint in p.topology.dropped for p in run.phases):
            assert equal(other.reactions(joint), run.reactions(joint))


def test_switches_come_back(pair):
    run, other = pair
    assert [type(e) for e in other.events] == [type(e) for e in run.events]
    for a, b in zip(run.switches, other.switches, strict=True):
        for f in fields(Switch):
            x, y = getattr(a, f.name), getattr(b, f.name)
            if f.name in ("before", "system"):
                assert x.constraint_names == y.constraint_names
                assert x.cut_joints == y.cut_joints
            elif f.name == "impulses":
                assert list(x) == list(y)
                assert all(equal(x[n], y[n]) for n in x)
            elif isinstance(x, np.ndarray):
                assert equal(x, y)
            else:
                assert x == y
        assert (a.dof, a.singular) == (b.dof, b.singular)


def test_going_on_gives_the_same(pair):
    run, other = pair
    end = float(run.t[-1]) + 0.3
    a, b = run.resume(end), other.resume(end)
    assert a.t[-1] == end
    for name in ("t", "q", "v", "work"):
        assert equal(getattr(a, name), getattr(b, name))
    assert str(a) == str(b)
    assert [p.names for p in a.phases] == [p.names for p in b.phases]


def test_a_continued_run_can_be_saved(tmp_path):
    run = locked_arm().resume(0.7, events=ct.Event(lambda t: t - 0.65, "later"))
    save_run(run, tmp_path / "run.h5")
    other = load_run(tmp_path / "run.h5", functions(run))
    assert [e.name for e in other.events] == [e.name for e in run.events]
    assert [s.names for s in other.switches] == [s.names for s in run.switches]
    assert all(s.system.constraint_names == t.system.constraint_names
               for s, t in zip(run.switches, other.switches, strict=True))  # fmt: skip


def test_each_step_may_be_a_row(tmp_path):
    mech = pendulum()
    mech.lock("pivot", at=0.5, until=0.6)
    mech.lock("pivot", at=0.7)
    run = ct.simulate(mech, 1.0, output="steps")
    save_run(run, tmp_path / "run.h5")
    other = load_run(tmp_path / "run.h5")
    assert [p.rows for p in other.phases] == [p.rows for p in run.phases]
    assert equal(other.resume(1.2).v, run.resume(1.2).v)


def test_a_switch_belongs_to_the_phase_that_it_opens():
    run = braked_pendulum()
    after = phases_after(run.switches, run.phases)
    for s, k in zip(run.switches, after, strict=True):
        assert run.phases[k].begin == s.t == run.phases[k - 1].end
        assert run.phases[k].names == s.names
    assert phases_after(run.switches, run.phases[: after[-1]]) == [*after[:-1], after[-1]]
    assert phases_after(run.switches, ()) == [0] * len(after)


def test_a_switch_with_which_a_run_ended(tmp_path):
    """Nothing tells what was in force behind it but its names."""
    run = braked_pendulum()
    last = phases_after(run.switches, run.phases)[-1]
    cut = replace(run, phases=run.phases[:last])
    save_run(cut, tmp_path / "run.h5")
    other = load_run(tmp_path / "run.h5")
    assert other.switches[-1].system is None
    assert other.switches[-1].names == run.switches[-1].names
    assert other.switches[-1].before.constraint_names == run.switches[-1].before.constraint_names
    assert other.switches[0].system is not None


def test_other_programs_find_the_numbers(tmp_path):
    run = locked_arm()
    save_run(run, tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5") as file:
        assert list(file["switches/event"]) == [0, 2, 3]
        assert list(file["switches/energy_loss"]) == [s.energy_loss for s in run.switches]
        assert file["switches/energy_loss"].attrs["units"] == "J"
        assert list(file["phases/begin"]) == [p.begin for p in run.phases]
        assert file["work"].shape == (40, 3)


# -- files from before ---------------------------------------------------------------------------------------


def test_files_without_phases_and_lost_energy(tmp_path):
    run = full_run(pendulum())
    save_run(run, tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5", "r+") as file:
        assert "phases" not in file
        assert "switches" not in file
        del file["work"]
        file["work"] = run.work[:, :2]
    other = load_run(tmp_path / "run.h5")
    assert equal(other.work[:, :2], run.work[:, :2])
    assert not other.energy.lost.any()
    assert other.phases == ()
    assert all(type(e) is Occurrence for e in other.events)
    assert len(other.events) == 2
