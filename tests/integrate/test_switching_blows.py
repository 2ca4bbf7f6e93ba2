"""Prescribed impulses in runs, and what joints transmit in every switch: beside closed forms, `ct.transition` and the balance
of each body."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import MotionError, SwitchError
from tests.integrate.switching_rigs import TIGHT, arm, block, books_close, pendulum, words


def test_a_pendulum_is_struck_at_its_tip():
    """Hanging at rest: I omega = p l; the pivot gives what the mass centre gains beyond the blow."""
    mech = pendulum(mass=2.0, length=0.5, inertia=0.1)
    mech.impulse("hammer", "bar", (3.0, 0, 0), point=(0, -1.0, 0), at=0.2)
    run = ct.simulate(mech, 0.5, **TIGHT)
    books_close(run)
    (switch,) = run.switches
    omega = 3.0 * 1.0 / (0.1 + 2.0 * 0.25)
    assert words(run) == [("hammer", "strikes")]
    assert switch.v == pytest.approx([omega], rel=1e-12)
    assert switch.supplied == pytest.approx(0.5 * 3.0 * omega, rel=1e-12)
    assert switch.energy_loss == pytest.approx(0.0, abs=1e-12)
    assert switch.impulses["hammer"] == pytest.approx([0, 0, 3.0, 3.0, 0, 0], abs=1e-12)
    assert switch.joint_impulses["pivot"] == pytest.approx([0, 0, 0, 2.0 * 0.5 * omega - 3.0, 0, 0], abs=1e-12)
    assert run.energy.supplied[-1] == pytest.approx(0.5 * 3.0 * omega, rel=1e-9)


@pytest.mark.parametrize("cut", ["A", "B", "C", "D"])
def test_a_linkage_is_struck(cut):
    """As `ct.transition` says, whichever joint is cut; a joint locks at the same instant, after the blow."""
    mech = ct.gallery.four_bar()
    mech.impulse("hammer", "coupler", (1.0, -2.0, 0), point=(1.5, 1.2, 0), moment=(0, 0, 0.5), at=0.1)
    plain = ct.simulate(mech.compile(cut=[cut]), 0.2)
    mech.lock("B", at=0.1)
    locked = ct.simulate(mech.compile(cut=[cut]), 0.2)
    books_close(plain, 1e-7)
    books_close(locked, 1e-7)
    for run, activate in ((plain, ()), (locked, ["B"])):
        (s,) = run.switches
        wanted = ct.transition(s.before, s.q, s.v_before, activate, impulse={"coupler": s.impulses["hammer"]})
        assert s.v == pytest.approx(wanted.v, abs=1e-9)
        assert s.energy_loss == pytest.approx(wanted.energy_loss, abs=1e-9)
        assert s.supplied == pytest.approx(wanted.impulse_work, abs=1e-9)
        for name, W in wanted.joint_impulses.items():
            assert s.joint_impulses[name][[2, 3, 4]] == pytest.approx(W[[2, 3, 4]], abs=1e-8)


def test_axes_of_the_body():
    mech = pendulum()
    mech.impulse("thruster", "bar", (1.0, 0, 0), point=(0, -1.0, 0), frame="body")
    run = ct.simulate(mech, 0.01, q=[1.3])
    assert run.switches[0].v == pytest.approx([1.0 / 0.6], rel=1e-12)
    turned = run.switches[0].impulses["thruster"][3:]
    assert turned == pytest.approx([np.cos(1.3), np.sin(1.3), 0], abs=1e-12)


def test_struck_at_each_event():
    """A swing that is pushed each time it comes through the lowest point forwards."""
    mech = pendulum()
    mech.joint_impulse("push", "pivot", 0.05, when=ct.Event(lambda q: q[0], direction=1))
    run = ct.simulate(mech, 4.0, q=[-0.2], **TIGHT)
    books_close(run)
    strikes = [s for s in run.switches if ("push", "strikes") in s.changes]
    assert len(strikes) == 3
    for s in strikes:
        assert s.v - s.v_before == pytest.approx([0.05 / 0.6], rel=1e-9)
        assert s.joint_impulses["pivot"][2] == pytest.approx(0.05, rel=1e-9)


@pytest.mark.parametrize("cut", [None, "D"])
def test_blow_along_a_coordinate_of_a_cut_joint(cut):
    """Work on the rate of that joint, whichever way it is measured."""
    mech = ct.gallery.four_bar()
    mech.joint_impulse("kick", "D", 0.7)
    run = ct.simulate(mech.compile(cut=[cut] if cut else None), 0.01)
    s = run.switches[0]
    system = ct.gallery.four_bar().compile(cut=["B"])
    want = ct.transition(system, system.q0, np.zeros(system.nv), impulse={"D": 0.7})
    assert ct.energy(run.system, s.q, s.v).kinetic == pytest.approx(ct.energy(system, want.q, want.v).kinetic, rel=1e-9)
    W, V = s.joint_impulses["D"], want.joint_impulses["D"]
    assert W[[2, 3, 4]] == pytest.approx(V[[2, 3, 4]], abs=1e-9)


def test_into_a_stop_and_away_from_it():
    """A block that leans on its stop: a blow into it moves nothing and goes into the joint; one away takes it off."""
    for push, rate in ((-3.0, 0.0), (3.0, 1.5)):
        mech = block(mass=2.0, gravity=(-9.81, 0, 0))
        mech.limit("slide", lower=0.0)
        mech.impulse("hammer", "block", (push, 0, 0), at=0.1)
        run = ct.simulate(mech, 0.2, **TIGHT)
        books_close(run)
        (s,) = [s for s in run.switches if s.t == 0.1]
        assert s.v == pytest.approx([rate], abs=1e-12)
        assert (("limit slide", "leaves its stop") in s.changes) == (rate > 0)
        assert s.joint_impulses["slide"][3] == pytest.approx(2.0 * rate - push, abs=1e-12)


def test_joint_impulses_balance_every_body():
    """An arm that locks, is stopped and rebounds: the momentum of each bar changes by what its joints give."""
    mech = arm((1.0, 0.7))
    mech.limit("j2", upper=0.4, lower=-0.6, restitution=0.5)
    mech.lock("j1", at=0.9)
    run = ct.simulate(mech, 1.2, **TIGHT)
    books_close(run)
    closing = [s for s in run.switches if s.impulses]
    assert len(closing) >= 2
    for s in closing:
        system = s.system
        gained = {}
        for k, name in enumerate(system.body_names, 1):
            V = ct.twists(system, s.q, s.v, "spatial")[k] - ct.twists(system, s.q, s.v_before, "spatial")[k]
            p, C = system.mechanism.bodies[name].properties, ct.poses(system, s.q)[k]
            c = C[:3, :3] @ p.com + C[:3, 3]
            force = p.mass * (V[3:] + np.cross(V[:3], c))
            gained[name] = np.concatenate([C[:3, :3] @ p.inertia @ C[:3, :3].T @ V[:3] + np.cross(c, force), force])
        assert s.joint_impulses["j2"] == pytest.approx(gained["bar2"], abs=1e-9)
        assert s.joint_impulses["j1"] == pytest.approx(gained["bar1"] + gained["bar2"], abs=1e-9)


def test_rates_that_are_just_set_to_zero_have_no_impulses():
    mech = arm((1.0, 0.7))
    mech.lock("j1", at=0.3)
    run = ct.simulate(mech, 0.4, stabilize=ct.Projection(transitions="naive"))
    with pytest.raises(MotionError, match="do not balance momentum"):
        _ = run.switches[0].joint_impulses


def test_results_keep_them(tmp_path):
    mech = ct.gallery.four_bar()
    mech.impulse("hammer", "coupler", (1.0, -2.0, 0), at=0.1)
    mech.joint_impulse("kick", "A", 0.2, at=0.15)
    run = ct.simulate(mech, 0.3)
    run.save(tmp_path / "run.h5")
    again = ct.load_run(tmp_path / "run.h5")
    for a, b in zip(run.switches, again.switches, strict=True):
        assert a.changes == b.changes
        for name, W in a.joint_impulses.items():
            assert b.joint_impulses[name] == pytest.approx(W, abs=1e-12)
    ct.save(mech, tmp_path / "model.json")
    assert "impulse 'hammer' on coupler, 2.23607 N s, at 0.1 s" in str(ct.load(tmp_path / "model.json").compile())
    rerun = ct.simulate(ct.load(tmp_path / "model.json"), 0.3)
    assert rerun.v[-1] == pytest.approx(run.v[-1], abs=0)


def test_a_clutch_engages_as_the_wheels_are():
    """Two flywheels: momentum about the common axis stays, rates become equal, and angles do not jump."""
    mech = ct.Mechanism("clutch", (0, 0, 0))
    for k, inertia in ((1, 2.0), (2, 3.0)):
        mech.body(f"wheel{k}", 1.0, (0, 0, k), (inertia, inertia, inertia))
        mech.joint(f"axle{k}", mech.ground, f"wheel{k}", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.clutch("clutch", "axle1", "axle2", at=1.0, until=2.0)
    run = ct.simulate(mech, 3.0, v=[5.0, 0.0], **TIGHT)
    books_close(run)
    engaged, released = run.switches
    assert engaged.v == pytest.approx([2.0, 2.0], abs=1e-12)
    assert engaged.energy_loss == pytest.approx(0.5 * 2 * 25 - 0.5 * 5 * 4)
    assert engaged.impulses["clutch"] == pytest.approx([-6.0])
    assert released.v == pytest.approx(released.v_before, abs=0)
    assert run.q[-1] == pytest.approx([5.0 + 2.0 * 2, 2.0 * 2], abs=1e-9)


def test_what_is_wrong():
    mech = pendulum()
    with pytest.raises(SwitchError, match="a blow on ground has no effect"):
        mech.impulse("x", mech.ground, (1, 0, 0))
    with pytest.raises(SwitchError, match="say when it engages"):
        mech.clutch("x", "pivot", "pivot")
    with pytest.raises(SwitchError, match="until must be later than at"):
        mech.clutch("x", "pivot", "pivot", at=1.0, until=0.5)
