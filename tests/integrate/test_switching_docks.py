"""Docking: floating bodies, an arm that grips a hook, misses, and letting go."""

import numpy as np
import pytest

import cotree as ct
from tests.integrate.switching_rigs import TIGHT, Z, arm, books_close, words


def craft(joint, offset=0.0, masses=(2.0, 3.0), **options):
    """Two bodies that float towards each other along x, 1 m apart; their ports are at x = 0.5."""
    mech = ct.Mechanism("craft", (0, 0, 0))
    for k, (m, x) in enumerate(zip(masses, (0.0, 1.0), strict=True)):
        y = offset * k
        mech.body(f"b{k}", m, (x, y, 0), (0.2 + 0.1 * k, 0.3, 0.4))
        mech.joint(f"f{k}", "ground", f"b{k}", ct.Free())
    mech.dock("port", "b0", "b1", joint, **options)
    return mech


def port(kind, offset=0.0):
    """Joint frames on both bodies: at the right end of b0, at the left end of b1."""
    one, two = np.eye(4), np.eye(4)
    one[:3, 3], two[:3, 3] = (0.3, 0, 0), (0.7, offset, 0)
    return kind(frame_parent=one, frame_child=two)


def start(system, rates):
    v = np.zeros(system.nv)
    for name, x in rates.items():
        v[system.coordinate_names.index(name)] = x
    return v


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize("kind", [ct.Weld, ct.Spherical])
def test_two_bodies_dock(kind, coordinates):
    """They meet where the ports do; momenta are those before; the loss is half the reduced mass times the speed squared."""
    mech = craft(port(kind))
    system = mech.compile(coordinates)
    v = np.zeros(12)
    v[3], v[9] = 0.5, -0.3
    run = ct.simulate(system, 2.0, v=v, **TIGHT)
    books_close(run)
    assert words(run) == [("port", "closes")]
    meet = run.switches[0]
    assert meet.t == pytest.approx(0.4 / 0.8, abs=1e-9)
    common = (2.0 * 0.5 - 3.0 * 0.3) / 5.0
    assert meet.v[[3, 9]] == pytest.approx([common, common], abs=1e-10)
    assert meet.energy_loss == pytest.approx(0.5 * (2 * 3 / 5) * 0.8**2, rel=1e-9)
    assert ct.momentum(system, run.q[-1], run.v[-1]) == pytest.approx(ct.momentum(system, run.q[0], run.v[0]), abs=1e-9)
    assert run.topology(1.0) == ("port",)


@pytest.mark.parametrize("kind", [ct.Weld, ct.Spherical])
def test_spinning_bodies_keep_their_momentum(kind):
    """Off centre and spinning, docked at a time: all six momenta stay, about any point."""
    mech = craft(ct.Weld() if kind is ct.Weld else ct.Spherical((0.5, 0, 0)), offset=0.2, at=0.3)
    system = mech.compile()
    v = np.array([0.3, -0.2, 0.5, 0.1, 0.2, 0.0, -0.4, 0.1, 0.2, -0.1, 0.0, 0.3])
    run = ct.simulate(system, 1.0, v=v, **TIGHT)
    books_close(run)
    first = ct.momentum(system, run.q[0], run.v[0])
    for k in (0, 59, 61, 120, -1):
        assert ct.momentum(system, run.q[k], run.v[k]) == pytest.approx(first, abs=1e-9)
    assert run.switches[0].energy_loss > 0.01
    if kind is ct.Weld:
        V = ct.twists(system, run.q[-1], run.v[-1], "spatial")
        assert V[1] == pytest.approx(V[2], abs=1e-9)


@pytest.mark.parametrize(("offset", "closes"), [(5e-4, True), (2e-3, False)])
def test_a_miss(offset, closes):
    """They pass each other at a distance: within a millimetre they catch, otherwise they fly on."""
    one, two = np.eye(4), np.eye(4)
    one[:3, 3], two[:3, 3] = (0.3, 0, 0), (0.7, 0, 0)
    mech = craft(ct.Spherical(frame_parent=one, frame_child=two))
    system = mech.compile()
    q = system.q0.copy()
    q[-2] += offset
    run = ct.simulate(system, 2.0, q=q, v=start(system, {"f0.vx": 0.5, "f1.vx": -0.3}), **TIGHT)
    books_close(run)
    assert bool(run.switches) == closes
    if not closes:
        assert run.energy.lost[-1] == 0.0
        assert run.v[-1] == pytest.approx(run.v[0])


def test_undocking_by_name():
    """Off centre, so that they spin once docked; let go, they fly apart with the velocities they have."""
    mech = craft(ct.Weld(), offset=0.2, at=0.4)
    mech.unlock("port", at=1.0)
    system = mech.compile()
    run = ct.simulate(system, 2.0, v=start(system, {"f0.vx": 0.5, "f1.vx": -0.3}), **TIGHT)
    books_close(run)
    assert [w for _, w in words(run)] == ["closes", "opens"]
    opens = run.switches[1]
    assert (opens.t, opens.energy_loss, opens.impulses) == (1.0, 0.0, {})
    assert (opens.v == opens.v_before).all()
    centres = [run.poses()[k, 1:] @ [0, 0, 0, 1] for k in (120, 200)]
    assert np.abs(centres[1] - centres[0]).max() > 0.01


def test_it_does_not_dock_again_at_once():
    """Let go at rest against each other, the bodies float side by side: the dock stays open."""
    mech = craft(port(ct.Weld))
    mech.unlock("port", at=1.0)
    system = mech.compile()
    run = ct.simulate(system, 2.0, v=start(system, {"f0.vx": 0.5, "f1.vx": -0.3}), **TIGHT)
    assert run.status == "done", run.message
    assert words(run) == [("port", "closes"), ("port", "opens")]


def test_a_dock_that_was_let_go_closes_again_after_its_frames_have_parted(tmp_path):
    """A spring between the bodies, slack while they are docked, throws them apart and draws them back."""
    mech = craft(port(ct.Weld), within=0.005)
    mech.spring("spring", "b0", (0.0, 0.0, 0.0), "b1", (1.0, 0.0, 0.0), 40.0, length=0.6)
    mech.force("push", "b1", lambda t: (2.0 if 1.0 < t < 1.1 else 0.0, 0.0, 0.0), (1, 0, 0))
    mech.unlock("port", at=1.0)
    system = mech.compile()
    v = start(system, {"f0.vx": 0.5, "f1.vx": -0.3})
    run = ct.simulate(system, 2.0, v=v, **TIGHT)
    assert words(run) == [("port", "closes"), ("port", "opens"), ("port", "closes")]
    _, opens, again = run.switches
    parted = next(p.begin for p in run.phases if p.begin > opens.t)  # 5 mm apart, one phase ends without a switch
    assert opens.t < parted < again.t
    assert [p.topology.released for p in run.phases if p.begin == opens.t] == [{"port"}]
    half = ct.simulate(system, 1.02, v=v, output=103, **TIGHT)
    assert half.phases[-1].topology.released == {"port"}
    half.save(tmp_path / "run.h5")
    back = ct.load_run(tmp_path / "run.h5", functions={"push.force": mech.loads["push"].value.function})
    assert [s.t for s in back.resume(2.0).switches] == pytest.approx([s.t for s in run.switches], abs=1e-8)


def gripper(**options):
    """The planar 3R with a hook in reach of its tip."""
    mech = ct.gallery.planar_3r()
    tip, hook = np.eye(4), np.eye(4)
    tip[:3, 3], hook[:3, 3] = (3.0, 0, 0), options.pop("hook")
    mech.dock("hook", "ground", "link3", ct.Revolute((0, 0, 0), Z, frame_parent=hook, frame_child=tip), **options)
    return mech


def test_an_arm_grips_a_hook():
    """The tip's path is known from a run without the hook, which is put where the tip passes; a loop closes there."""
    free = ct.simulate(ct.gallery.planar_3r(), 0.5, output=51, **TIGHT)
    tip = free.poses()[40, 3] @ [3.0, 0, 0, 1]
    run = ct.simulate(gripper(hook=tip[:3], within=1e-3), 1.0, output=101, **TIGHT)
    books_close(run)
    assert words(run)[0] == ("hook", "closes")
    caught = run.switches[0]
    assert caught.t == pytest.approx(0.4, abs=1e-6)
    ends = run.poses()[run.t > caught.t, 3] @ [3.0, 0, 0, 1]
    assert np.abs(ends - tip).max() < 1e-6
    J = ct.spatial_jacobian(run.system, caught.q, "link3")
    rows = np.array([J[3] - tip[1] * J[2], J[4] + tip[0] * J[2]])  # rates of the tip, point of link3 at the hook
    M = ct.mass_matrix(run.system, caught.q)
    K = np.block([[M, rows.T], [rows, np.zeros((2, 2))]])
    dv = np.linalg.solve(K, np.concatenate([np.zeros(3), -rows @ caught.v_before]))[:3]
    assert caught.v - caught.v_before == pytest.approx(dv, abs=1e-8)
    assert caught.dof == 1


def test_a_dock_at_a_time_closes_wherever_the_bodies_are():
    mech = gripper(hook=(1.0, 1.0, 0.0), at=0.2, until=0.4)
    run = ct.simulate(mech, 0.6, **TIGHT)
    books_close(run)
    assert [w for _, w in words(run)] == ["closes", "opens"]
    assert run.switches[1].v == pytest.approx(run.switches[1].v_before, abs=0.0)
    closed = (run.t > 0.2) & (run.t < 0.4)
    point = np.linalg.solve(run.poses()[closed][0, 3], [1.0, 1.0, 0.0, 1.0])  # of the link, at the hook
    assert np.abs(run.poses()[closed][:, 3] @ point - [1.0, 1.0, 0.0, 1.0]).max() < 1e-9


def test_a_dock_between_bars_of_one_arm():
    """A bar closes on the one before the last: relative turning stops, as if its joints were locked."""
    mech, other = arm((1.0, 0.7, 0.5)), arm((1.0, 0.7, 0.5))
    mech.dock("clamp", "bar1", "bar3", ct.Weld(), at=0.25)
    other.lock("j2", at=0.25)
    other.lock("j3", at=0.25)
    one, two = (ct.simulate(m, 0.8, **TIGHT) for m in (mech, other))
    books_close(one)
    assert one.q == pytest.approx(two.q, abs=1e-8)
    assert one.energy.lost[-1] == pytest.approx(two.energy.lost[-1], rel=1e-8)
