"""Stops: bounces, rest and departure against closed forms."""

import numpy as np
import pytest

import cotree as ct
from tests.integrate.switching_rigs import TIGHT, G, Y, Z, arm, block, books_close, times, wheel, words


def ball(restitution, coordinates="relative", **options):
    """A ball dropped from 1 m above its stop; q is its height over the start."""
    mech = block(2.0, (0, -G, 0), Y)
    mech.limit("slide", lower=-1.0, restitution=restitution)
    return ct.simulate(mech.compile(coordinates), 6.0, **TIGHT, **options)


def bounces(e, t_end=6.0, most=60):
    """Times of the bounces and speeds before each."""
    t, u, out = np.sqrt(2 / G), np.sqrt(2 * G), []
    while t < t_end and len(out) < most:
        out.append((t, u))
        u *= e
        t += 2 * u / G
        if u == 0.0:
            break
    return np.array(out)


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize("e", [0.0, 0.5, 0.8, 1.0])
def test_a_bouncing_ball(e, coordinates):
    run = ball(e, coordinates, output=601)
    books_close(run)
    hits = run.switches
    expected = bounces(e)
    slow = expected[:, 1] * e < 1e-5  # below, the bounces end
    n = len(expected) if not slow.any() else int(np.argmax(slow))
    assert len(hits) >= n
    assert [s.t for s in hits[:n]] == pytest.approx(expected[:n, 0], abs=1e-7)
    losses = 0.5 * 2.0 * (1 - e**2) * expected[:n, 1] ** 2
    assert [s.energy_loss for s in hits[:n]] == pytest.approx(losses, rel=1e-5, abs=1e-8)
    assert [s.impulses["limit slide"][0] for s in hits[:n]] == pytest.approx(
        2.0 * (1 + e) * expected[:n, 1], rel=1e-6, abs=1e-9
    )
    height = run.q[:, 0] if coordinates == "relative" else run.q[:, 5]
    assert height.min() > -1.0 - 1e-9
    for k in range(min(n - 1, 4)):  # heights between bounces
        inside = (run.t > expected[k, 0]) & (run.t < expected[k + 1, 0])
        s = run.t[inside] - expected[k, 0]
        assert height[inside] == pytest.approx(-1 + e * expected[k, 1] * s - G * s**2 / 2, abs=1e-6)
    if e < 1.0:
        assert run.phases[-1].names == ("limit slide at its lower stop",)
        assert height[-1] == pytest.approx(-1.0, abs=1e-10)
        assert run.energy.lost[-1] == pytest.approx(2.0 * G, rel=1e-7)
        ends = expected[0, 0] * (1 + e) / (1 - e)
        assert run.phases[-1].begin == pytest.approx(ends, abs=1e-4)
        assert run.reactions("slide")[-1, 4] == pytest.approx(2.0 * G)


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_leaning_and_leaving_when_the_load_reverses(coordinates):
    """Pushed against an upper stop by F = 3 cos t, which pulls from t = pi / 2 on."""
    mech = block(2.0)
    mech.motor("load", "slide", lambda t: 3.0 * np.cos(t))
    mech.limit("slide", upper=0.5)
    run = ct.simulate(mech.compile(coordinates), 4.0, **TIGHT)
    books_close(run)
    hit, leave = run.switches
    x = lambda t: 1.5 * (1 - np.cos(t))  # noqa: E731
    assert x(hit.t) == pytest.approx(0.5, abs=1e-9)
    assert hit.changes == (("limit slide", "stays at its upper stop"),)
    assert leave.changes == (("limit slide", "leaves its stop"),)
    assert leave.t == pytest.approx(np.pi / 2, abs=1e-9)
    s = run.t[run.t > np.pi / 2]
    found = run.q[:, 0] if coordinates == "relative" else run.q[:, 4]
    assert found[run.t > np.pi / 2] == pytest.approx(0.5 - 1.5 * (np.cos(s) + s - np.pi / 2), abs=1e-7)


def test_two_limits_at_the_same_instant():
    """Two equal blocks side by side in one mechanism, and one coordinate with two stops of its own."""
    mech = ct.Mechanism("two", (0, -G, 0))
    for k in range(2):
        mech.body(f"b{k}", 1.0 + k, (k, 0, 0), (0.1, 0.1, 0.1))
        mech.joint(f"s{k}", "ground", f"b{k}", ct.Prismatic(Y, point=(k, 0, 0)))
        mech.limit(f"s{k}", lower=-1.0, restitution=0.5 * k)
    run = ct.simulate(mech, 0.8, **TIGHT)
    books_close(run)
    assert all(s.t == pytest.approx(np.sqrt(2 / G), abs=1e-9) for s in run.switches)
    assert {c for s in run.switches for c in s.changes} == {
        ("limit s0", "stays at its lower stop"),
        ("limit s1", "rebounds from its lower stop"),
    }
    t = 0.8 - np.sqrt(2 / G)
    assert run.q[-1] == pytest.approx([-1.0, -1.0 + 0.5 * np.sqrt(2 * G) * t - G * t**2 / 2], abs=1e-7)


def test_stops_of_coupled_joints_at_once():
    """An arm that falls stretched out: both joints reach their stops together by symmetry of the numbers given."""
    mech = arm()
    mech.limit("j1", lower=-1.0)
    mech.limit("j2", lower=-2.0, upper=0.2)
    run = ct.simulate(mech, 3.0, **TIGHT)
    books_close(run)
    assert run.q[:, 0].min() > -1.0 - 1e-9
    assert run.q[:, 1].max() < 0.2 + 1e-9
    assert len(run.switches) >= 2


@pytest.mark.parametrize("e", [0.0, 0.6])
def test_a_limit_hit_while_another_joint_is_locked(e):
    """Locked at j2, the arm is one body: the loss is (1 - e^2) of its kinetic energy."""
    mech = arm()
    mech.lock("j2")
    mech.limit("j1", lower=-0.7, restitution=e)
    run = ct.simulate(mech, 0.9, **TIGHT)
    books_close(run)
    hit = run.switches[1]
    M = ct.mass_matrix(run.system, hit.q)
    assert hit.q == pytest.approx([-0.7, 0.0], abs=1e-10)
    assert hit.v[1] == 0.0
    assert hit.v[0] == pytest.approx(-e * hit.v_before[0], abs=1e-12)
    assert hit.energy_loss == pytest.approx(0.5 * (1 - e**2) * M[0, 0] * hit.v_before[0] ** 2, rel=1e-10)
    assert (run.q[:, 1] == 0.0).all()


def test_a_limit_with_restitution_shoves_the_free_joint():
    """Newton's law for the joint that hits; the momentum of the other is kept."""
    mech = arm()
    mech.limit("j1", lower=-0.7, restitution=0.5)
    run = ct.simulate(mech, 0.6, **TIGHT)
    hit = run.switches[0]
    M = ct.mass_matrix(run.system, hit.q)
    assert hit.v[0] == pytest.approx(-0.5 * hit.v_before[0], rel=1e-12)
    assert (M @ hit.v)[1] == pytest.approx((M @ hit.v_before)[1], rel=1e-12)
    assert (M @ (hit.v - hit.v_before))[0] == pytest.approx(hit.impulses["limit j1"][0], rel=1e-12)


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_an_angle_beyond_pi(coordinates):
    """A wheel that turns nearly twice before its stop; in absolute coordinates turns are counted on the way."""
    mech = wheel()
    mech.limit("axle", upper=11.0, restitution=0.5)
    v = [3.0] if coordinates == "relative" else [0, 0, 3.0, 0, 0, 0]
    run = ct.simulate(mech.compile(coordinates), 5.0, v=v, **TIGHT)
    books_close(run)
    assert times(run, "rebounds from its upper stop") == pytest.approx([11 / 3], abs=1e-9)
    angle = run.v[-1] @ ([1] if coordinates == "relative" else [0, 0, 1, 0, 0, 0])
    assert angle == pytest.approx(-1.5)


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_a_limit_between_two_turns_in_both_directions(coordinates):
    """There and back between stops five turns apart, elastic."""
    mech = wheel()
    mech.limit("axle", lower=-16.0, upper=16.0, restitution=1.0)
    v = np.array([8.0]) if coordinates == "relative" else np.array([0, 0, 8.0, 0, 0, 0])
    run = ct.simulate(mech.compile(coordinates), 13.0, v=v, **TIGHT)
    books_close(run)
    assert [s.t for s in run.switches] == pytest.approx([2.0, 6.0, 10.0], abs=1e-8)
    assert [w for _, w in words(run)] == [f"rebounds from its {x} stop" for x in ("upper", "lower", "upper")]


@pytest.mark.parametrize("e", [0.0, 0.3, 0.5, 0.7, 1.0])
def test_three_stops_that_hit_each_other(e):
    """Bounces of coupled joints pile up on each other, thousands in a millisecond; an arm that comes to rest in the end."""
    mech = arm((1.0, 0.7, 0.5))
    for k in (1, 2, 3):
        mech.limit(f"j{k}", -0.5, 0.5, restitution=e)
    run = ct.simulate(mech, 4.0, **TIGHT)
    books_close(run, 1e-7)
    assert np.abs(run.q).max() < 0.5 + 1e-7
    if e < 0.6:
        assert run.q[-1] == pytest.approx([-0.5] * 3, abs=1e-7)
        assert set(run.phases[-1].names) == {f"limit j{k} at its lower stop" for k in (1, 2, 3)}


def test_a_start_at_a_stop():
    """Leaning from the start, moving away from the start, and moving into it: an impact at once."""
    for v, names in ((0.0, ("limit slide at its lower stop",)), (1.0, ())):
        mech = block(2.0, (0, -G, 0), Y)
        mech.limit("slide", lower=0.0)
        run = ct.simulate(mech, 0.1, v=[v])
        assert run.phases[0].names == names
        assert run.q[1, 0] == pytest.approx(v * run.t[1] - (v > 0) * G * run.t[1] ** 2 / 2, abs=1e-9)
    mech = block()
    mech.limit("slide", lower=0.0, restitution=0.5)
    run = ct.simulate(mech, 1.0, v=[-2.0])
    assert run.v[-1] == pytest.approx([1.0])
    assert run.switches[0].t == 0.0
    assert run.energy.lost == pytest.approx(np.full(201, 3.0))
    books_close(run)


def test_a_limit_that_is_taken_away():
    """It falls on when the floor opens."""
    mech = block(2.0, (0, -G, 0), Y)
    floor = mech.limit("slide", lower=-0.5)
    mech.unlock(floor, at=1.0)
    run = ct.simulate(mech, 1.5, **TIGHT)
    books_close(run)
    assert run.q[-1] == pytest.approx([-0.5 - G * 0.5**2 / 2], abs=1e-8)
    assert words(run)[-1] == ("limit slide", "is released")


def test_a_fast_body_is_not_let_through():
    """Coarse tolerances and large steps: the stop is 1 um thick for a joint that touches it from inside and turns back."""
    mech = pend = ct.Mechanism("pendulum", (0, -G, 0))
    pend.body("bar", 1.0, (0, -1, 0), (0.01, 0.01, 0.01))
    pend.joint("pivot", "ground", "bar", ct.Revolute((0, 0, 0), Z))
    mech.limit("pivot", upper=0.999)
    run = ct.simulate(mech, 6.0, q=[-1.0], rtol=1e-6, atol=1e-6)
    assert run.q.max() <= 0.999 + 1e-9
    assert len(run.switches) >= 1


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_a_stop_of_a_joint_that_a_lock_determines(e):
    """A stop of the coupler's joint and a lock of the crank at one instant: all stands still, and rounding is no rebound."""
    mech = ct.gallery.four_bar()
    free = ct.simulate(mech, 0.3)
    stop, side = free.q[-1][1], "upper" if free.v[-1][1] > 0.0 else "lower"
    mech.limit("B", restitution=e, **{side: stop})
    mech.lock("A", when=lambda q: q[1] - stop)
    run = ct.simulate(mech, 0.6)
    books_close(run, 1e-6)
    assert [w for w in words(run) if w[1] == "locks"] == [("lock A", "locks")]
    assert np.abs(run.v[-1]).max() < 1e-12


def test_a_driver_does_not_move_a_joint_through_its_stop():
    mech = ct.gallery.four_bar()
    mech.limit("D", upper=0.2)
    mech.drive("d", "A", lambda t: t, rate=lambda t: 1.0, acceleration=lambda t: 0.0)
    run = ct.simulate(mech, 1.0)
    assert run.status == "failed"
    for word in ("limit 'limit D'", "drive 'd'", "joint 'D'", "through it"):
        assert word in run.message


@pytest.mark.parametrize("upper", [False, True])
def test_impulses_of_stops_and_locks_have_one_sign(upper):
    """What acts on the child along the coordinate, M dv: of a stop and of a lock at the same place, and of the joint."""
    side = 1.0 if upper else -1.0
    stopped, locked = wheel(), wheel()
    stopped.limit("axle", **{"upper" if upper else "lower": side})
    locked.lock("axle", when=lambda q: q[0] - side)
    a, b = (ct.simulate(m, 1.0, v=[2.0 * side], **TIGHT).switches[0] for m in (stopped, locked))
    assert a.impulses["limit axle"] == pytest.approx([-4.0 * side])
    assert b.impulses["lock axle"] == pytest.approx([-4.0 * side])
    it = ct.transition(locked.compile(), [0.0], [2.0 * side], ["axle"])
    assert it.impulses["lock axle"] == pytest.approx([-4.0 * side])
    assert it.joint_impulses["axle"][2] == pytest.approx(-4.0 * side)
    assert it.impulse == pytest.approx([4.0 * side])  # Lam of M dv + J^T Lam = 0
