"""Links that break where their load reaches a bound: at the time and with the motion that closed forms say."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import SwitchError, UnknownNameError
from tests.integrate.switching_rigs import TIGHT, G, X, Y, Z, books_close, wheel, words


def lift(**words):
    """A mass of 2 kg that hangs on a rope, pulled down by 10 N a second."""
    mech = ct.Mechanism("lift", (0, -G, 0))
    mech.body("mass", 2.0, (0, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("slide", mech.ground, "mass", ct.Prismatic(Y))
    mech.distance("rope", mech.ground, (0, 3, 0), "mass", (0, 0, 0), **words)
    mech.force("pull", "mass", lambda t: (0, -10.0 * t, 0))
    return mech


def test_a_rope_tears():
    bound = 2 * G + 7.0
    mech = lift(breaks_at=bound)
    run = ct.simulate(mech, 1.0, **TIGHT)
    books_close(run)
    (s,) = run.switches
    assert s.changes == (("rope", "breaks"),)
    assert s.t == pytest.approx(0.7, abs=1e-9)
    assert s.v == pytest.approx(s.v_before, abs=0)
    fallen = G * 0.3 + (10.0 / 2) * (1.0**2 - 0.7**2) / 2
    assert run.v[-1] == pytest.approx([-fallen], rel=1e-8)
    assert run.topology(0.9) == ("without rope",)
    assert "distance 'rope' breaks at 26.62 N" in str(mech.compile())


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_a_pin_breaks_and_the_bar_flies_on(coordinates):
    """A bar on a hinge turned by a torque: m omega^2 l = F; then straight on, with momentum as it was."""
    mech = ct.Mechanism("sling", (0, 0, 0))
    mech.body("bar", 2.0, 0.5 * X, (0.1, 0.1, 0.1))
    mech.joint("pin", mech.ground, "bar", ct.Revolute((0, 0, 0), Z), breaks_at=9.0)
    mech.torque("motor", "bar", lambda t: (0, 0, 0.6 if t < 5 else 0.0))
    run = ct.simulate(mech.compile(coordinates=coordinates), 4.0, **TIGHT)
    books_close(run, 1e-7)
    (s,) = run.switches
    inertia, tangential = 0.1 + 2 * 0.25, 2 * 0.5 * 1.0  # angular acceleration 1 rad/s^2
    omega = np.sqrt(np.sqrt(9.0**2 - tangential**2) / (2.0 * 0.5))
    assert inertia == 0.6
    assert s.t == pytest.approx(omega, abs=1e-7)
    before, after = (ct.momentum(run.system, s.q, v) for v in (s.v_before, run.v[-1]))
    assert ct.momentum(run.system, run.q[-1], run.v[-1])[3:] == pytest.approx(before[3:], abs=1e-7)
    assert after is not None


def plank(inertia, pin, rope):
    """A plank of 1 kg on a pin at one end and a rope at the other; its mass centre in the middle, 1 m from each."""
    mech = ct.Mechanism("plank", (0, -G, 0))
    mech.body("plank", 1.0, X, (inertia, inertia, inertia))
    mech.joint("pin", mech.ground, "plank", ct.Revolute((0, 0, 0), Z), breaks_at=pin)
    mech.distance("rope", mech.ground, (2, 3, 0), "plank", (2, 0, 0), breaks_at=rope)
    return mech


def test_one_break_sets_off_another():
    """With an inertia of 10 kg m^2 the pin carries mg/2 before the rope breaks and 10/11 mg after it; the rope breaks at the
    start already."""
    run = ct.simulate(plank(10.0, 0.7 * G, 0.4 * G), 0.5, **TIGHT)
    books_close(run)
    assert set(words(run)) == {("rope", "breaks"), ("pin", "breaks")}
    assert all(s.t == 0.0 for s in run.switches)
    fallen = ct.poses(run.system, run.q[-1])[1] @ [1, 0, 0, 1]
    assert fallen[:3] == pytest.approx([1, -0.5 * G * 0.25, 0], abs=1e-8)
    kept = ct.simulate(plank(10.0, 0.95 * G, 0.4 * G), 0.1)
    assert words(kept) == [("rope", "breaks")]
    assert words(ct.simulate(plank(10.0, 0.7 * G, 0.6 * G), 0.1)) == []


def test_a_moment_breaks_a_weld():
    """A beam that is clamped and loaded at its end, more and more."""
    mech = ct.Mechanism("cantilever", (0, 0, 0))
    mech.body("beam", 1.0, X, (0.1, 0.3, 0.3))
    mech.joint("clamp", mech.ground, "beam", ct.Weld(), breaks_at=(None, 8.0))
    mech.force("load", "beam", lambda t: (0, -5.0 * t, 0), point=(2, 0, 0))
    run = ct.simulate(mech, 1.0, **TIGHT)
    assert run.switches[0].changes == (("clamp", "breaks"),)
    assert run.switches[0].t == pytest.approx(0.8, abs=1e-9)


def test_locks_and_docks_break():
    mech = wheel(2.0)
    mech.lock("axle", breaks_at=3.0)
    mech.torque("motor", "wheel", lambda t: (0, 0, 4.0 * t))
    run = ct.simulate(mech, 1.0, **TIGHT)
    books_close(run)
    broken = run.switches[-1]
    assert broken.changes == (("lock axle", "breaks"),)
    assert broken.t == pytest.approx(0.75, abs=1e-9)
    assert run.v[-1] == pytest.approx([0.5 * 4 * (1 - 0.75**2) / 2], rel=1e-8)
    mech = ct.Mechanism("grip", (0, 0, 0))
    mech.body("a", 1.0, (0, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("slide", mech.ground, "a", ct.Prismatic(X))
    mech.dock("grip", mech.ground, "a", ct.Weld(), at=0.0, breaks_at=2.0)
    mech.force("pull", "a", lambda t: (4.0 * t, 0, 0))
    run = ct.simulate(mech, 1.0, **TIGHT)
    assert run.switches[-1].changes == (("grip", "breaks"),)
    assert run.switches[-1].t == pytest.approx(0.5, abs=1e-9)


def doubts(mech, t_end=0.01):
    """Which links a run has doubts about, because of their loads."""
    run = ct.simulate(mech, t_end)
    return [w for w in run.warnings if w.kind == "loads"]


@pytest.mark.parametrize("name", ["B", "C", "D"])
def test_loads_that_are_not_unique_are_reported(name):
    """With gravity across its plane the hinges of a planar loop share a load that rigid bodies do not determine, also a hinge
    whose constraints across the plane are not kept; with all loads in the plane there is nothing to be shared."""
    mech = ct.gallery.four_bar()
    mech.breaks(name, force=1e5)
    assert doubts(mech) == []
    mech.gravity = (0.0, -3.0, -9.0)
    (found,) = doubts(mech)
    assert "undetermined" in str(found)
    assert repr(name) in str(found)


def test_loads_that_become_undetermined_are_reported():
    """The load across the plane comes after the start."""
    mech = ct.gallery.four_bar()
    mech.breaks("C", force=1e5)
    mech.force("push", "coupler", lambda t: (0, 0, 5.0 * t))
    assert len(doubts(mech)) == 1


def test_files_keep_bounds(tmp_path):
    mech = plank(10.0, (0.7 * G, 3.0), 0.4 * G)
    ct.save(mech, tmp_path / "plank.json")
    again = ct.load(tmp_path / "plank.json")
    assert [again.devices[n] for n in mech.devices] == list(mech.devices.values())


def test_what_is_wrong():
    mech = lift()
    with pytest.raises(UnknownNameError, match="is not a joint, constraint, lock or dock; did you mean 'rope'"):
        mech.breaks("ropes", force=3.0)
    with pytest.raises(SwitchError, match="give one or both as positive numbers"):
        mech.breaks("rope")
    with pytest.raises(SwitchError, match="positive numbers"):
        mech.breaks("rope", force=-1.0)
    with pytest.raises(SwitchError, match="give force= alone"):
        mech.breaks("rope", force=1.0, moment=2.0)
    with pytest.raises(SwitchError, match="a pair of force and moment"):
        mech.joint("x", mech.ground, "mass", ct.Free(), breaks_at=(1, 2, 3))
    mech.distance("slide", mech.ground, (0, 4, 0), "mass", (0, 0, 0))
    with pytest.raises(SwitchError, match="more than one"):
        mech.breaks("slide", force=1.0)
