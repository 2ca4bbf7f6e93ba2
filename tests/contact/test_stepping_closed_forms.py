"""Stepping through contacts against closed forms; figures as in the collection of contact benchmarks of the literature."""

from __future__ import annotations

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError, SwitchError
from tests.contact.scenes import G, ball, block


def stepped(mech, t_end, step, v=None, output=2, **given):
    """A run of a ball or block in coordinates of SO(3) x R^3, where v is (omega, velocity)."""
    system = mech.compile(group="SO3xR3") if isinstance(mech, ct.Mechanism) else mech
    return ct.simulate(system, t_end, v=v, step=step, contact="stepping", output=output, **given)


def test_a_block_below_the_angle_of_friction_stays_where_it_is():
    run = stepped(block(angle=20), 100.0, 0.02, output=6)
    floor = run.contact("floor")
    assert np.array_equal(run.q, np.broadcast_to(run.q[0], run.q.shape))
    assert not run.v.any()
    assert set(floor.state) == {"stick"}
    assert not floor.slip.any()
    assert not floor.gap.any()
    np.testing.assert_allclose(floor.normal_force, 9.218384609909762, rtol=1e-12)
    np.testing.assert_allclose(floor.force[:, 0], 3.3552176060248105, rtol=1e-10)


@pytest.mark.parametrize(("angle", "acceleration"), [(25, 0.589533391344447), (30, 1.5067163155498617)])
def test_a_block_above_it_slips_with_the_acceleration_of_coulomb(angle, acceleration):
    run = stepped(block(angle=angle), 1.0, 0.02)
    velocity = run.point("block", (0, 0, 0)).velocity[-1]
    np.testing.assert_allclose(velocity, (acceleration, 0, 0), rtol=1e-11, atol=1e-11)
    assert run.contact("floor").state[-1] == "slip"


def test_static_friction_holds_what_sliding_friction_would_not():
    held, pushed = (
        block(angle=20, friction=0.3, static_friction=0.4),
        block(angle=25, friction=0.3, static_friction=0.4),
    )
    assert not stepped(held, 1.0, 0.02).v.any()
    velocity = stepped(pushed, 1.0, 0.02).point("block", (0, 0, 0)).velocity[-1, 0]
    a = np.radians(25)
    expected = G * (np.sin(a) - 0.3 * np.cos(a))
    assert abs(velocity - expected) < 0.02 * G  # it is let go a step late
    assert velocity < expected


def test_a_sliding_block_stops_where_it_must():
    errors = [
        abs(stepped(block(friction=0.5), 1.3, h, v=(0, 0, 0, 5, 0, 0)).q[-1, 4] - 2.54841997961264)
        for h in (4e-3, 2e-3)
    ]
    assert errors[0] < 1e-4
    run = stepped(block(friction=0.5), 1.3, 2e-3, v=(0, 0, 0, 5, 0, 0))
    assert not run.v[-1].any()
    assert run.energy.dissipated[-1] == pytest.approx(12.5, rel=1e-5)


def test_a_ball_slides_until_it_rolls():
    run = stepped(ball(friction=0.2), 0.6, 1e-3, v=(0, 0, 0, 3, 0, 0))
    assert run.v[-1, 3] == pytest.approx(2.142857142857143, abs=2e-3)
    assert run.v[-1, 1] * 0.1 == pytest.approx(run.v[-1, 3], abs=1e-12)  # it rolls
    assert run.contact("floor").state[-1] == "stick"
    assert run.energy.kinetic[-1] / run.energy.kinetic[0] - 1.0 == pytest.approx(-0.2857142857, rel=5e-3)


@pytest.mark.parametrize(
    ("angle", "friction", "acceleration"),
    [(10, 0.2, 1.216777587794705), (30, 0.1, 4.055429078887465), (45, 0.25, 5.202538142580023)],
)
def test_a_ball_on_a_slope_rolls_or_slips(angle, friction, acceleration):
    run = stepped(ball(angle=angle, friction=friction), 1.0, 0.01)
    assert run.v[-1, 3] == pytest.approx(acceleration, rel=1e-10)


@pytest.mark.parametrize(
    ("friction", "velocity", "spin", "normal", "tangential"),
    [(0.05, 0.85, -0.375, 3.0, 0.15), (0.5, 0.7142857142857143, -0.7142857142857142, 3.0, 0.2857142857142857)],
)
def test_an_oblique_impact_sticks_or_slips(friction, velocity, spin, normal, tangential):
    run = stepped(ball(gravity=0.0, height=1e-3, friction=friction, restitution=0.5), 0.01, 1e-3, v=(0, 0, 0, 1, 0, -2))
    np.testing.assert_allclose(run.v[-1], (0, -spin * 10, 0, velocity, 0, 1.0), atol=1e-12)
    (hit,) = run.impacts
    np.testing.assert_allclose(hit.impulses["floor"], (tangential, 0, -normal), atol=1e-12)  # on ground, the body_a
    assert hit.energy_loss == pytest.approx(run.energy.kinetic[0] - run.energy.kinetic[-1], rel=1e-12)
    assert run.energy.lost[-1] == pytest.approx(hit.energy_loss, rel=1e-12)


def test_errors_through_impacts_fall_with_the_step():
    first = (0.4515236409857309, 1.2642661947600464, 1.9957344931569305, 2.654055961714126)
    worst = []
    for h in (4e-3, 2e-3, 1e-3):
        run = stepped(ball(height=1.0, restitution=0.9), 3.0, h)
        assert len(run.impacts) == 4
        worst.append(max(abs(i.t - t) for i, t in zip(run.impacts, first, strict=True)))
    assert worst[2] < worst[1] < worst[0] < 4 * 4e-3
    assert worst[2] < 0.5 * worst[0]


def test_bounces_end_at_rest_on_the_floor():
    run = stepped(ball(height=0.1, restitution=0.5), 2.0, 1e-3)
    assert not run.v[-1].any()
    assert abs(run.contact("floor").gap[-1]) < 1e-7
    assert run.energy.lost[-1] + run.energy.dissipated[-1] == pytest.approx(0.1 * G, rel=2e-2)
    assert np.diff(run.energy.total).max() < 1e-9


def test_what_stepping_is_not_for_is_refused_by_name():
    with pytest.raises(ChoiceError, match="give step= in seconds"):
        ct.simulate(ball(), 1.0, contact="stepping")
    with pytest.raises(ChoiceError, match="'rk4' does not step through contacts"):
        ct.simulate(ball(), 1.0, contact="stepping", method="rk4", step=1e-3)
    with pytest.raises(ChoiceError, match="steps through contacts; use contact='stepping'"):
        ct.simulate(ball(), 1.0, contact="events", method="moreau-jean", step=1e-3)
    mech = ball()
    mech.impulse("hit", "ball", (1, 0, 0), at=0.5)
    with pytest.raises(SwitchError, match="contact stepping does not know impulses"):
        ct.simulate(mech, 1.0, contact="stepping", step=1e-3)
