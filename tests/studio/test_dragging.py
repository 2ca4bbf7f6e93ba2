"""Bodies pulled by a point: they come as near as inverse kinematics and a scan say, loops closed, limits kept."""

import numpy as np
import pytest

import cotree as ct
from cotree.studio import Bench, dragging
from cotree.studio.dragging import pulled, within_limits


@pytest.fixture(scope="module")
def five_bar():
    return Bench.of_gallery("five_bar")


def test_a_place_within_reach_is_reached_as_by_inverse_kinematics(five_bar):
    start = five_bar.q.copy()
    grip = five_bar.grip("rod1", np.array([-0.2, 0.7, 0.0]))
    place = np.array([-0.1, 0.62, 0.0])
    left = five_bar.drag(grip, place)
    assert left < 1e-8
    assert five_bar.closure() < 1e-12
    np.testing.assert_allclose(grip.place(five_bar.system, five_bar.q), place, atol=1e-8)
    again = five_bar.grip("rod1", np.array([-0.3, 0.5, 0.1]))  # where the rod has turned
    np.testing.assert_allclose(again.place(five_bar.system, five_bar.q), [-0.3, 0.5, 0.1], atol=1e-12)
    other = ct.inverse_kinematics(five_bar.system, {"rod1": (grip.point, place)}, q=start)
    np.testing.assert_allclose(five_bar.q, other.q, atol=1e-6)
    five_bar.q = start


def test_out_of_reach_it_comes_as_near_as_a_scan_finds():
    bench = Bench.of_gallery("four_bar")
    grip = bench.grip("crank", np.array([0.6, 0.8, 0.0]))
    place = np.array([0.9, 0.6, 0.5])
    left = bench.drag(grip, place)
    assert bench.closure() < 1e-12
    angles = np.linspace(-0.9, 0.9, 1801)  # the tip of the crank goes round A
    tips = np.array(
        [0.6 * np.cos(angles) - 0.8 * np.sin(angles), 0.6 * np.sin(angles) + 0.8 * np.cos(angles), 0 * angles]
    )
    assert left == pytest.approx(np.linalg.norm(tips.T - place, axis=1).min(), abs=1e-3)
    before = bench.q.copy()
    q, far = pulled(bench.system, before, grip, np.array([-1.0, 0.5, 0.0]), stopped=lambda: True)
    assert q is before
    assert far > 1.0


def test_a_drag_ends_on_its_way_but_not_for_what_its_first_step_takes(clock, monkeypatch):
    """Code is compiled in the first step: that alone took longer than a drag may take."""
    bench = Bench.of_gallery("four_bar")
    grip, place, start = bench.grip("crank", np.array([0.6, 0.8, 0.0])), np.array([0.8, 0.6, 0.0]), bench.q.copy()
    plain, steps = dragging._step, []

    def lasting(*given):
        clock.now += 10.0 if not steps else seconds
        steps.append(1)
        return plain(*given)

    monkeypatch.setattr(dragging, "_step", lasting)
    for seconds in (0.0, 0.3):
        bench.q, clock.now = start, 0.0
        steps.clear()
        left = bench.drag(grip, place)
        assert (left < 1e-8) == (seconds == 0.0)
        assert (len(steps) == 3) == (seconds == 0.3)  # the first, and two of 0.3 s each


def test_limits_stop_bodies_and_sliders():
    mech = ct.Mechanism("door", gravity=(0, 0, 0))
    door = mech.body("door", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("hinge", mech.ground, door, ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.limit("hinge", -0.4, 0.4)
    bench = Bench(mech)
    bench.drag(bench.grip("door", np.array([1.0, 0, 0])), np.array([0.0, 1.0, 0.0]))
    assert 0.3 < bench.q[0] <= 0.4
    assert not bench.move("hinge", 1.0)
    assert bench.q[0] <= 0.4
    assert not bench.move("hinge", -1.0)
    assert bench.q[0] >= -0.4
    assert within_limits(bench.system, np.array([0.9]))(np.array([1.2]))  # where it is beyond already, it may move
    plain = Bench.of_gallery("pendulum_chain")
    assert within_limits(plain.system, plain.q)(plain.q + 9.0)


def test_limits_hold_beside_friction_that_grows_with_the_load():
    mech = ct.Mechanism("door", gravity=(0, 0, 0))
    door = mech.body("door", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("hinge", mech.ground, door, ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.limit("hinge", -0.4, 0.4)
    mech.friction("hinge", coefficient=0.1, radius=0.01)
    system = mech.compile()
    assert not within_limits(system, np.array([0.0]))(np.array([1.0]))
    assert within_limits(system, np.array([0.0]))(np.array([0.3]))
