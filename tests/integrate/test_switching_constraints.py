"""Constraints and joints that are switched on and off: ropes, drives, chains that break."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import SwitchError
from tests.constraints.rigs import four_bar
from tests.integrate.switching_rigs import TIGHT, G, Y, Z, arm, block, books_close, times, wheel, words


def stone(length=1.0):
    """A stone on a rope of 1 m that is slack until it is taut; the stone starts 0.6 m beside the hook and falls."""
    mech = ct.Mechanism("stone", (0, -G, 0))
    mech.body("stone", 2.0, (0.6, 0, 0), (0.01, 0.01, 0.01))
    mech.joint("free", "ground", "stone", ct.Translation())
    mech.distance("rope", "ground", (0, 0, 0), "stone", (0.6, 0, 0), length)
    names = mech.compile(cut=None).coordinate_names
    x, y = (next(i for i, n in enumerate(names) if n.endswith(e)) for e in ("vx", "vy"))
    mech.activate("rope", when=ct.Event(lambda q: (0.6 + q[x]) ** 2 + q[y] ** 2 - length**2, "taut", direction=1))
    return mech, x, y


def test_a_rope_snaps_taut():
    """It takes the velocity along itself away, and then swings: kinetic energy and angle by hand."""
    mech, x, y = stone()
    run = ct.simulate(mech.compile(), 1.0, q=np.zeros(3), **TIGHT)
    books_close(run)
    assert words(run) == [("rope", "is activated")]
    snap = run.switches[0]
    assert snap.t == pytest.approx(np.sqrt(2 * 0.8 / G), abs=1e-9)
    e, u = np.array([0.6, -0.8]), np.array([0.0, -np.sqrt(2 * G * 0.8)])
    after = u - e * (e @ u)
    assert snap.v[[x, y]] == pytest.approx(after, abs=1e-9)
    assert snap.energy_loss == pytest.approx(0.5 * 2.0 * (e @ u) ** 2, rel=1e-9)
    assert np.abs(snap.impulses["rope"]) == pytest.approx([2.0 * abs(e @ u)], rel=1e-9)
    late = run.t > snap.t
    r = np.hypot(0.6 + run.q[late, x], run.q[late, y])
    assert r == pytest.approx(np.ones(late.sum()), abs=1e-9)


def test_a_drive_is_handed_over_and_taken_back():
    """Turned at 2 rad/s for a second, free for a second under friction, then taken back at what the drive says."""
    mech = wheel()
    mech.joint_damper("bearing", "axle", 0.4)
    mech.drive("motor", "axle", lambda t: 2.0 * t, rate=lambda t: 2.0, acceleration=lambda t: 0.0)
    mech.deactivate("motor", at=1.0)
    run = ct.simulate(mech, 2.0, v=[2.0], **TIGHT)
    books_close(run)
    assert words(run) == [("motor", "is deactivated")]
    free = run.t >= 1.0
    assert run.v[free, 0] == pytest.approx(2.0 * np.exp(-0.2 * (run.t[free] - 1.0)), abs=1e-9)
    assert run.topology(1.5) == ("without motor",)
    assert run.topology(0.5) == ()


def test_a_drive_that_is_activated_gives_its_rate_at_once():
    """A clutch: the wheel is at rest, and from 1 s on driven as 3 (t - 1)."""
    mech = wheel()
    mech.drive("motor", "axle", lambda t: 3.0 * (t - 1.0), rate=lambda t: 3.0, acceleration=lambda t: 0.0)
    mech.activate("motor", at=1.0)
    mech.deactivate("motor", at=2.0)
    run = ct.simulate(mech, 3.0, **TIGHT)
    books_close(run)
    on, off = run.switches
    assert on.v == pytest.approx([3.0])
    assert on.supplied == pytest.approx(2.0 * 3.0 * 3.0)
    assert on.energy_loss == pytest.approx(0.5 * 2.0 * 9.0)
    assert on.energy_loss > 0.0
    assert run.q[-1] == pytest.approx([6.0], abs=1e-8)
    assert off.impulses == {}


def test_a_chain_that_breaks():
    """The last bar flies off: its momentum and that of the rest are what they were, then it falls freely."""
    mech = arm((1.0, 0.7, 0.5))
    mech.deactivate("j3", at=0.4)
    run = ct.simulate(mech, 0.8, **TIGHT)
    books_close(run)
    snap = run.switches[0]
    assert (snap.v == snap.v_before).all()
    V = run.poses()[:, run.system.row_of("bar3")]
    mid = V @ [1.95, 0, 0, 1]
    late = run.t >= 0.4
    s = run.t[late] - 0.4
    i = int(np.argmax(late))
    twist = ct.twists(run.system, run.q[i], run.v[i], "spatial")[run.system.row_of("bar3")]
    u = twist[3:] + np.cross(twist[:3], mid[i, :3])
    expected = mid[i, :3] + np.outer(s, u) + np.outer(s**2, [0, -G / 2, 0])
    assert mid[late, :3] == pytest.approx(expected, abs=1e-8)
    assert run.phases[1].names == ("without j3",)


def test_the_same_break_in_absolute_coordinates():
    mech = arm((1.0, 0.7, 0.5))
    mech.deactivate("j3", at=0.4)
    one, two = (
        ct.simulate(mech, 0.8, output=17, **TIGHT),
        ct.simulate(mech.compile("absolute"), 0.8, output=17, **TIGHT),
    )
    for name in one.system.body_names:
        a, b = one.poses()[:, one.system.row_of(name)], two.poses()[:, two.system.row_of(name)]
        np.testing.assert_allclose(b, a, atol=1e-8)


def test_a_four_bar_that_breaks_is_a_double_and_a_single_pendulum():
    mech = four_bar()
    mech.deactivate("C", at=0.3)
    run = ct.simulate(mech, 0.8, **TIGHT)
    books_close(run)
    snap = run.switches[0]
    assert (snap.v == snap.v_before).all()
    assert [p.system.n_constraints > 0 for p in run.phases] == [True, False]
    after = four_bar()
    del after.joints["C"]
    system = after.compile()
    order = [list(run.system.coordinate_names).index(n) for n in system.coordinate_names]
    free = ct.simulate(system, 0.5, q=snap.q[order], v=snap.v[order], **TIGHT)
    assert run.q[-1][order] == pytest.approx(free.q[-1], abs=1e-8)


def test_a_motor_that_is_shut_off():
    mech = wheel()
    mech.motor("motor", "axle", lambda t: 1.0 + t)
    mech.deactivate("motor", at=1.0)
    mech.activate("motor", at=2.0)
    run = ct.simulate(mech, 3.0, **TIGHT)
    books_close(run)
    assert run.v[-1] == pytest.approx([0.5 * (1.5 + 3.5)], abs=1e-9)
    assert run.energy.supplied[-1] == pytest.approx(2.5**2)


def test_a_gear_is_engaged():
    """Two wheels of 2 and 4 kg m^2, ratio 1: the common rate keeps the sum of momenta in that ratio."""
    mech = wheel()
    mech.body("other", 1.0, (1, 0, 0), (4.0, 4.0, 4.0))
    mech.joint("shaft", "ground", "other", ct.Revolute((1, 0, 0), Z))
    mech.gear("clutch", "axle", "shaft", 1.0)
    mech.activate("clutch", when=lambda t: t - 0.5)
    run = ct.simulate(mech, 1.0, v=[3.0, 0.0], **TIGHT)
    assert run.status == "done", run.message
    books_close(run)
    assert times(run, "is activated") == pytest.approx([0.5], abs=1e-12)
    assert run.v[-1] == pytest.approx([1.0, 1.0])
    assert run.q[-1] == pytest.approx([2.0, 0.5])  # it holds as it is: 1.5 rad stay between them
    assert run.energy.lost[-1] == pytest.approx(0.5 * 2 * 9 - 0.5 * 6)


def clutch(ratio=1.0, gap=(), **coupling):
    """Two shafts with a gear or coupling between them that is engaged at 0.5 s; let go and engaged again at times `gap`."""
    mech = ct.Mechanism("clutch", (0, 0, 0))
    for name, x, inertia in (("a", 0.0, 2.0), ("b", 2.0, 0.5)):
        mech.body(name, 1.0, (x, 0, 0), (inertia, inertia, inertia))
        mech.joint(name.upper(), "ground", name, ct.Revolute((x, 0, 0), Z))
    if coupling:
        mech.coupling("clutch", {"A": 1.0, "B": -ratio}, **coupling)
    else:
        mech.gear("clutch", "A", "B", ratio)
    mech.activate("clutch", at=0.5)
    for t, on in gap:
        (mech.activate if on else mech.deactivate)("clutch", at=t)
    return mech


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize(
    ("ratio", "coupling"), [(1.0, {}), (-2.0, {}), (1.0, {"offset": 0.7}), (3.0, {"offset": lambda t: 0.2 * t})]
)
def test_a_clutch_holds_as_it_is(ratio, coupling, coordinates):
    """Nothing moves in no time: angles go on from where they are, at rates that keep A - ratio B moving as it is asked to."""
    system = clutch(ratio, **coupling).compile(coordinates)
    v = [10.0, 0.0] if coordinates == "relative" else [0, 0, 10.0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    run = ct.simulate(system, 1.0, v=v, output=101, **TIGHT)
    books_close(run)
    A, B = (np.unwrap(np.arctan2(run.poses()[:, k, 1, 0], run.poses()[:, k, 0, 0])) for k in (1, 2))
    rate = 0.2 if callable(coupling.get("offset")) else 0.0
    held = A[50:] - ratio * B[50:] - rate * (run.t[50:] - 0.5)
    assert held == pytest.approx(5.0, abs=1e-8)
    w = (10.0 * 2.0 * ratio**2 + rate * 0.5) / (2.0 * ratio**2 + 0.5)  # 2 (w - 10) ratio = -0.5 (w - rate) / ratio
    assert np.diff(A[50:]) / 0.01 == pytest.approx(w, abs=1e-6)
    assert run.violation[50:].max() < 1e-8


def test_a_clutch_engaged_again_holds_anew(tmp_path):
    mech = clutch(gap=((0.6, False), (0.7, True)))
    mech.motor("pull", "A", 5.0)
    whole = ct.simulate(mech, 1.0, v=[10.0, 0.0], **TIGHT)
    assert whole.topology(0.55) == ("clutch offset by 5.3125",)
    assert whole.topology(0.65) == ("without clutch",)
    assert whole.topology(0.9) != whole.topology(0.55)
    half = ct.simulate(mech, 0.55, v=[10.0, 0.0], **TIGHT)
    half.save(tmp_path / "run.h5")
    for run in (half, ct.load_run(tmp_path / "run.h5")):
        more = run.resume(1.0, output=11)
        assert more.q[-1] == pytest.approx(whole.q[-1], abs=1e-8)
        assert more.topology(1.0) == whole.topology(1.0)


def test_a_transition_takes_a_clutch_as_it_is():
    system = clutch().compile()
    it = ct.transition(system, [5.0, 0.0], [10.0, 0.0], ["clutch"])
    assert it.v == pytest.approx([8.0, 8.0])
    assert ct.constraint_residual(it.system, [5.0, 0.0]) == pytest.approx([0.0], abs=1e-15)


def driven(mech):
    mech.drive("d", "slide", lambda t: 3.0 * t, rate=lambda t: 3.0)
    return "d"


def tied(mech):
    mech.distance("d", "ground", (0, 0, 0), "block", (1, 0, 0), 0.6)
    return "d"


def rolled(mech):
    mech.rolling("d", "block", (0, 0, 0.5), 0.5, plane_point=(0, 0, -0.1))
    return "d"


def own_rows(mech):
    mech.constraint("d", lambda q: [[1.0]], residual=lambda q: [q[0] - 0.5])
    return "d"


@pytest.mark.parametrize(
    ("add", "words"),
    [
        (driven, ("drive 'd'", "joint 'slide' is -2.9 m", "motor")),
        (tied, ("distance 'd'", "the points are +0.5 m", "length")),
        (rolled, ("rolling 'd'", "body 'block' is +0.1 m away from contact", "reach the plane first")),
        (own_rows, ("constraint 'd'", "residual is -0.4")),
    ],
)
def test_what_does_not_hold_cannot_be_activated(add, words):
    """At 1 s the block has gone 0.1 m."""
    mech = block()
    mech.activate(add(mech), at=1.0)
    run = ct.simulate(mech, 2.0, v=[0.1])
    assert run.status == "failed"
    assert run.t[-1] <= 1.0
    for word in (*words, "at t = 1 s", "when="):
        assert word in run.message
    with pytest.raises(SwitchError, match="cannot be activated"):
        ct.transition(mech.compile(), [0.1], [0.1], ["d"], t=1.0)


def test_a_drive_is_activated_where_it_holds():
    """The block at 0.1 m/s and the motion 3 t - 2.9 meet at 1 s."""
    mech = block()
    mech.drive("d", "slide", lambda t: 3.0 * t - 2.9, rate=lambda t: 3.0)
    mech.activate("d", when=lambda t, q: q[0] - 3.0 * t + 2.9)
    run = ct.simulate(mech, 2.0, v=[0.1], **TIGHT)
    books_close(run)
    assert times(run, "is activated") == pytest.approx([1.0], abs=1e-9)
    assert run.q[-1] == pytest.approx([3.1], abs=1e-9)


def test_rows_and_rests_of_a_lift():
    """A prismatic joint held by a drive that stands still, dropped while it holds a weight: it falls from rest."""
    mech = ct.Mechanism("lift", (0, -G, 0))
    mech.body("cabin", 3.0, (0, 0, 0), (1, 1, 1))
    mech.joint("shaft", "ground", "cabin", ct.Prismatic(Y))
    mech.drive("winch", "shaft", 0.0)
    mech.deactivate("winch", when=lambda t: t - 0.25)
    run = ct.simulate(mech, 1.0, **TIGHT)
    books_close(run)
    assert run.q[-1] == pytest.approx([-G * 0.75**2 / 2], abs=1e-9)


def test_what_lets_go_comes_first():
    """A drive handed over to a lock at one instant, in whatever order the two were written."""
    for lock_first in (True, False):
        mech = wheel()
        mech.drive("turn", "axle", lambda t: 2.0 * t, rate=lambda t: 2.0, acceleration=lambda t: 0.0)
        if lock_first:
            mech.lock("axle", at=0.5)
        mech.deactivate("turn", at=0.5)
        if not lock_first:
            mech.lock("axle", at=0.5)
        run = ct.simulate(mech, 1.0, v=[2.0])
        assert run.status == "done"
        assert run.q[-1] == pytest.approx([1.0], abs=1e-12)
