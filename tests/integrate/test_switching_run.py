"""What a run with switches offers: rows, phases, reactions, saving state and going on."""

import numpy as np
import pytest

import cotree as ct
from tests.closed_mechanisms import CATALOGUE
from tests.integrate.switching_rigs import TIGHT, Y, arm, block, books_close, pendulum


def busy():
    """An arm with all kinds of devices."""
    mech = arm((1.0, 0.7, 0.5))
    mech.lock("j2", at=0.2, until=0.45)
    mech.brake("j3", 1.5, at=0.1)
    mech.limit("j1", lower=-1.2, restitution=0.4)
    mech.lock("j3", at=0.9)
    return mech


@pytest.fixture(scope="module")
def run():
    return ct.simulate(busy(), 1.5, output=151, **TIGHT)


def test_rows_are_those_asked_for(run):
    """Each time once; at the time of a switch the velocities after it."""
    books_close(run)
    assert run.t == pytest.approx(np.linspace(0, 1.5, 151), abs=0.0)
    for switch in run.switches:
        at = np.flatnonzero(run.t == switch.t)
        if len(at):
            assert (run.v[at[0]] == switch.v).all()
            assert (run.q[at[0]] == switch.q).all()
    assert {s.t for s in run.switches} >= {0.1, 0.2, 0.45, 0.9}


def test_phases_follow_each_other(run):
    begins, ends = [p.begin for p in run.phases], [p.end for p in run.phases]
    assert begins[0] == 0.0
    assert ends[-1] == 1.5
    assert begins[1:] == ends[:-1]
    assert [p.rows[0] for p in run.phases][1:] == [p.rows[1] for p in run.phases][:-1]
    assert (run.phases[0].rows[0], run.phases[-1].rows[1]) == (0, 151)
    for phase in run.phases:
        a, b = phase.rows
        assert (run.t[a:b] >= phase.begin).all()
        assert (run.t[a:b] <= phase.end).all()
        for t in run.t[a:b]:
            assert run.topology(t) == phase.names
        assert str(phase).startswith(f"{phase.begin:.9g} to {phase.end:.9g} s: ")
    assert run.topology(-1.0) == ()


def test_switches_tell_what_is_in_force(run):
    for switch in run.switches:
        assert run.topology(switch.t) == switch.names
        assert np.abs(ct.constraint_jacobian(switch.system, switch.q, switch.t) @ switch.v).max(initial=0.0) < 1e-9
        assert not switch.singular
        assert switch.dof == 3 - len(switch.system.constraints)
        for name, _ in switch.changes:
            assert repr(name) in str(switch)
    assert "lock j2" in str(run)
    assert "at the end: " in str(run)


def test_reactions_are_those_of_each_phase(run):
    for joint in ("j1", "j3"):
        found = run.reactions(joint)
        for phase in run.phases:
            a, b = phase.rows
            for k in range(a, b, 7):
                it = ct.forward_dynamics(phase.system, run.q[k], run.v[k], t=run.t[k])
                assert found[k] == pytest.approx(it.reactions[joint], abs=1e-9)
                if "lock j2" in phase.names:
                    assert it.v_dot[1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("t", [0.15, 0.2, 0.3, 0.7, 0.9])
def test_going_on_gives_the_same(run, t):
    """Across switches, at the time of a switch and right behind one."""
    first = ct.simulate(busy(), t, output=np.arange(0, t + 1e-9, 0.01), **TIGHT)
    both = first.resume(1.5, output=np.linspace(0, 1.5, 151))
    assert both.status == "done"
    assert both.t[-1] == 1.5
    assert [c for s in both.switches for c in s.changes] == [c for s in run.switches for c in s.changes]
    assert [s.t for s in both.switches] == pytest.approx([s.t for s in run.switches], abs=1e-8)
    assert both.q[-1] == pytest.approx(run.q[-1], abs=1e-7)
    assert both.energy.lost[-1] == pytest.approx(run.energy.lost[-1], rel=1e-8)
    assert np.abs(both.energy.balance).max() < 1e-8 * 50
    assert len(both.systems) == len(both.t)


def test_going_on_from_a_row_before_the_end():
    """A run whose last row comes before a switch that it has passed: it is gone on from the row, and the switch happens."""
    mech = pendulum()
    mech.lock("pivot", at=0.7)
    run = ct.simulate(mech, 1.0, q=[1.0], output=[0.0, 0.5], **TIGHT).resume(1.0, output=[0.5, 0.6, 0.8, 1.0])
    whole = ct.simulate(mech, 1.0, q=[1.0], output=[0.0, 0.5, 0.6, 0.8, 1.0], **TIGHT)
    assert [s.t for s in run.switches] == [0.7]
    assert run.q == pytest.approx(whole.q, abs=1e-9)
    assert [p.rows for p in run.phases] == [(0, 2), (2, 3), (3, 5)]
    assert run.topology(0.6) == ()
    assert np.abs(run.energy.balance).max() < 1e-9


def test_each_step_as_a_row():
    run = ct.simulate(busy(), 1.5, output="steps", **TIGHT)
    books_close(run)
    assert (np.diff(run.t) >= 0.0).all()
    assert {0.1, 0.2, 0.45, 0.9} <= set(run.t)


def test_user_events_go_on_beside_switches():
    """Events that are no switches are found in all phases, once each; a terminal one ends the run."""
    low = ct.Event(lambda q: q[0] + 0.5, "low")
    run = ct.simulate(busy(), 1.5, events=[low])
    plain = [e for e in run.events if e.name == "low"]
    assert len(plain) >= 1
    assert plain[0].q[0] == pytest.approx(-0.5, abs=1e-8)
    ended = ct.simulate(busy(), 1.5, events=[ct.Event(lambda q: q[0] + 0.5, "low", terminal=True)])
    assert ended.status == "event"
    assert ended.t[-1] == pytest.approx(plain[0].t, abs=1e-8)
    assert ended.phases[-1].end == ended.t[-1]


def test_a_switch_at_the_very_end():
    mech = pendulum()
    mech.lock("pivot", at=1.0)
    run = ct.simulate(mech, 1.0, q=[1.0])
    assert run.status == "done"
    assert len(run.t) == 201


def test_a_start_later_than_the_switches():
    """What was due before t_start is in force from the start."""
    mech = pendulum()
    mech.lock("pivot", at=1.0, until=3.0)
    run = ct.simulate(mech, (2.0, 4.0), q=[1.0], **TIGHT)
    assert run.topology(2.5) == ("lock pivot",)
    assert run.switches[0].t == 2.0
    assert run.q[:50] == pytest.approx(np.ones((50, 1)), abs=0.0)
    assert run.q[-1, 0] < 0.9


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_stewart_platform(coordinates):
    """One leg locked: its length stays; all legs locked: dead stop, and the run says so."""
    mech = CATALOGUE["Stewart"][0]().mechanism()
    system = mech.compile(coordinates)
    mech.lock("leg1", at=0.02)
    run = ct.simulate(mech.compile(coordinates), 0.06, output=7)
    assert run.status == "done", run.message
    assert run.switches[0].dof == 5
    for k in range(2, 7):
        mech.lock(f"leg{k}", at=0.04)
    run = ct.simulate(mech.compile(coordinates), 0.06, output=7)
    assert run.status == "done", run.message
    assert run.switches[-1].dof == 0
    assert np.abs(run.v[-1]).max() < 1e-12
    assert "came to a stop at t = 0.04 s: no degrees of freedom remain" in str(run)
    assert np.ptp(run.poses()[4:], axis=0).max() < 1e-12
    assert system.nv == run.system.nv


def test_stewart_platform_in_both_coordinates():
    mech = CATALOGUE["Stewart"][0]().mechanism()
    mech.lock("leg1", at=0.02)
    one, two = (ct.simulate(mech.compile(c), 0.1, output=6, **TIGHT) for c in ("relative", "absolute"))
    assert one.switches[0].energy_loss == pytest.approx(two.switches[0].energy_loss, rel=1e-7)
    a, b = one.poses()[:, one.system.row_of("platform")], two.poses()[:, two.system.row_of("platform")]
    np.testing.assert_allclose(a, b, atol=1e-8)


def test_devices_that_change_nothing_leave_a_run_as_it_was():
    """A brake with nothing to brake, a limit far away, a lock later than the end: rows as without them."""
    mech, plain = arm(), arm()
    mech.limit("j1", lower=-100.0)
    mech.lock("j2", at=99.0)
    a, b = (ct.simulate(m, 1.0, **TIGHT) for m in (mech, plain))
    assert a.q == pytest.approx(b.q, abs=1e-9)
    assert a.switches == ()


def test_a_weight_on_a_stop_and_a_lock_agree():
    """Reactions of a stop that is leant on and of a lock: the weight."""
    runs = []
    for kind in ("limit", "lock"):
        mech = block(2.0, (0, -9.81, 0), Y)
        mech.limit("slide", lower=0.0) if kind == "limit" else mech.lock("slide")
        runs.append(ct.simulate(mech, 0.5).reactions("slide"))
    assert runs[0] == pytest.approx(runs[1], abs=1e-12)
    assert runs[0][:, 4] == pytest.approx(np.full(201, 19.62))
