"""Runs by events against closed forms: bounces, stick, slip, impacts, rocking, rolling."""

import json
from pathlib import Path

import numpy as np
import pytest

import cotree as ct
from cotree.errors import MotionError, RunWarning, SwitchError

DATA = json.loads((Path(__file__).parents[1] / "reference/data/contact_closed_forms.json").read_text())
G = 9.81
FLOOR = ct.Plane((0, 0, 0), (0, 0, 1))
FINE = {"rtol": 1e-11, "atol": 1e-11}


def tilted(degrees):
    a = np.radians(degrees)
    return (G * np.sin(a), 0.0, -G * np.cos(a))


def box(friction, gravity=(0.0, 0.0, -G), size=0.5):
    mech = ct.Mechanism("box", gravity=gravity)
    body = mech.body(
        "box", mass=1.0, com=(0, 0, size / 2), inertia=(0.04,) * 3, shape=ct.Box((0, 0, size / 2), (size,) * 3)
    )
    mech.joint("free", mech.ground, body, ct.Free())
    mech.contact("floor", mech.ground, FLOOR, body, None, friction)
    return mech


def ball(friction=0.0, gravity=(0.0, 0.0, -G), restitution=0.0, gap=0.0, r=0.1):
    mech, z = ct.Mechanism("ball", gravity=gravity), r + gap
    body = mech.body("ball", mass=1.0, com=(0, 0, z), inertia=(0.4 * r * r,) * 3, shape=ct.Sphere((0, 0, z), r))
    mech.joint("free", mech.ground, body, ct.Free())
    mech.contact("floor", mech.ground, FLOOR, body, None, friction, restitution)
    return mech


def block(friction, static=None, belt=None):
    """A block on a spring, x and z free, on a floor or on a belt that moves."""
    mech = ct.Mechanism("block")
    body = mech.body("block", mass=1.0, com=(0, 0, 0.1), inertia=(0.01,) * 3)
    mech.joint("xz", mech.ground, body, ct.PlanarTranslation((0, 1, 0), x_axis=(1, 0, 0)))
    mech.joint_spring("spring", "xz", 1.0, coordinate="vx")
    under = mech.ground
    if belt is not None:
        under = mech.body("belt", mass=1.0, com=(0, 0, -0.1), inertia=(0.01,) * 3)
        mech.joint("belt", mech.ground, under, ct.Prismatic(axis=(1, 0, 0)))
        mech.drive("go", "belt", lambda t: belt * t, rate=lambda t: belt, acceleration=lambda t: 0.0)
    mech.contact("floor", under, FLOOR, body, ct.Point((0, 0, 0)), friction, 0.0, static)
    return mech


def times(run, word):
    return [e.t for e in run.events if word in str(e)]


def balanced(run, energy=1e-8):
    """Nothing created or lost without a word."""
    assert run.status == "done", run.message
    assert np.abs(run.energy.balance).max() < energy
    assert not run.warnings, run.warnings
    lost, rubbed = run.energy.lost, run.energy.dissipated
    assert np.diff(lost).min(initial=0.0) >= -1e-12
    assert np.diff(rubbed).min(initial=0.0) >= -1e-12
    return run


def test_bouncing_ball_through_its_last_bounce():
    given = DATA["bouncing_ball"]
    run = balanced(ct.simulate(ball(restitution=0.9, gap=1.0), 10.0, output=11))
    np.testing.assert_allclose([i.t for i in run.impacts[:6]], given["first_impacts_s"], rtol=0, atol=1e-11)
    (end,) = run.statistics["bounces_ended"]
    assert end[0] == pytest.approx(given["zeno_time_s"], abs=1e-8)
    assert run.energy.lost[-1] == pytest.approx(given["energy_lost_total_J"], abs=1e-8)
    assert run.contact("floor").normal_force[-1] == pytest.approx(G, abs=1e-10)
    assert run.contact("floor").state[-1] != "open"
    assert run.contact("floor").gap.min() > -1e-12
    assert len(run.impacts) < 200


def test_block_below_the_friction_angle_does_not_move_at_all():
    case = DATA["block_on_incline"]["cases"][0]
    run = balanced(ct.simulate(box(case["mu"], tilted(case["angle_deg"])), 100.0, output=11))
    assert np.array_equal(run.q, np.repeat(run.q[:1], 11, axis=0))
    assert not run.v.any()
    floor = run.contact("floor")
    np.testing.assert_allclose(floor.normal_force, case["normal"], rtol=1e-10)
    np.testing.assert_allclose(floor.force[:, 0], case["friction"], rtol=1e-10)
    assert set(floor.state) == {"stick"}
    assert len(floor.points) == 8
    assert "not determined" in str(run)


def test_block_above_the_friction_angle():
    case = DATA["block_on_incline"]["cases"][1]
    run = balanced(ct.simulate(box(case["mu"], tilted(case["angle_deg"])), 0.2, output=3))
    assert run.point("box").velocity[-1, 0] == pytest.approx(0.2 * case["accel"], abs=1e-9)
    assert run.contact("floor").force[-1] == pytest.approx([case["friction"], 0.0, -case["normal"]], abs=1e-8)


def test_sliding_block_stops():
    given = DATA["sliding_block"]
    run = balanced(ct.simulate(box(0.5), 1.2, v={"free": [0, 0, 0, 5.0, 0, 0]}, output=5))
    assert times(run, "sticks")[0] == pytest.approx(given["stop_time"], abs=1e-8)
    assert run.point("box").position[-1, 0] == pytest.approx(given["stop_distance"], abs=1e-8)
    assert run.energy.dissipated[-1] == pytest.approx(12.5, abs=1e-9)
    assert not run.v[-1].any()


def test_coulomb_oscillator_turns_and_stops():
    given = DATA["coulomb_oscillator"]
    run = balanced(ct.simulate(block(1 / G), 25.0, q=[12.0, 0.0], v=[6.0, 0.0], output=5, **FINE))
    found = [(e.t, e.q[0]) for e in run.events if e.t > 0.0]
    np.testing.assert_allclose(found, given["turning_points"], rtol=0, atol=1e-8)
    assert run.q[-1, 0] == pytest.approx(given["rest"]["x"], abs=1e-8)
    assert run.contact("floor").state.tolist()[-1] == "stick"


def test_belt_sticks_and_slips():
    given = DATA["belt_stick_slip"]
    run = ct.simulate(block(0.25, 0.4, 0.5), 28.0, v={"belt": 0.5}, output=5, **FINE)
    assert np.abs(run.energy.balance).max() < 1e-8
    slips = [e for e in run.events if "slips" in str(e)][1:]
    sticks = [e for e in run.events if "sticks" in str(e)]
    assert sticks[1].t - slips[0].t == pytest.approx(given["slip_time"], abs=1e-8)
    assert slips[1].t - sticks[1].t == pytest.approx(given["stick_time"], abs=1e-8)
    assert slips[1].q[0] == pytest.approx(0.4 * G, abs=1e-8)
    assert sticks[1].q[0] == pytest.approx(0.1 * G, abs=1e-8)


def test_ball_slides_until_it_rolls():
    given = DATA["slide_to_roll"]
    run = balanced(ct.simulate(ball(0.2), 1.0, v={"free": [0, 0, 0, 3.0, 0, 0]}, output=3, **FINE))
    assert times(run, "sticks")[0] == pytest.approx(given["t_roll"], abs=1e-8)
    assert run.point("ball").velocity[-1, 0] == pytest.approx(given["v_roll"], abs=1e-8)
    assert run.energy.dissipated[-1] / 4.5 == pytest.approx(given["energy_fraction_lost"], abs=1e-8)
    slip = run.contact("floor").slip
    assert slip[-1] < 1e-14


@pytest.mark.parametrize("case", DATA["sphere_oblique_impact"]["cases"], ids=lambda c: str(c["mu"]))
def test_oblique_impact_of_a_ball(case):
    start = {"free": [0, 0, 0, 1.0, 0, -2.0]}
    run = balanced(ct.simulate(ball(case["mu"], restitution=0.5), 0.01, v=start, output=2))
    (hit,) = run.impacts
    np.testing.assert_allclose(hit.impulses["floor"], [case["pt"], 0.0, -case["pn"]], atol=1e-12)
    after = run.point("ball").velocity[0]
    np.testing.assert_allclose(after[[0, 2]], case["v_plus"], atol=1e-12)
    assert hit.energy_loss == pytest.approx(run.energy.lost[-1])


@pytest.mark.parametrize("case", DATA["sphere_on_incline"]["cases"], ids=lambda c: f"{c['angle_deg']}-{c['mu']}")
def test_ball_on_an_incline(case):
    run = balanced(ct.simulate(ball(case["mu"], tilted(case["angle_deg"])), 0.1, output=2, **FINE))
    assert run.point("ball").velocity[-1, 0] == pytest.approx(0.1 * case["accel"], abs=1e-9)
    assert run.contact("floor").force[-1, 0] == pytest.approx(case["friction_over_m"], abs=1e-8)
    assert run.contact("floor").state[-1] == ("stick" if case["state"] == "roll" else "slip")


def test_rocking_block_until_it_stands():
    given = DATA["housner_rocking_block"]
    b, h = given["data"]["half_width"], given["data"]["half_height"]
    mech = ct.Mechanism("block")
    inertia = (b * b + h * h) / 3.0
    body = mech.body("block", mass=1.0, com=(0, 0, h), inertia=(inertia,) * 3)
    mech.joint("plane", mech.ground, body, ct.Planar((b, 0, 0), (0, 1, 0)))  # turns about the right corner
    for name, x in (("left", -b), ("right", b)):
        mech.contact(name, mech.ground, FLOOR, body, ct.Point((x, 0, 0)), 5.0)
    start = {"plane.angle": given["data"]["theta0"], "plane.x": 0.0, "plane.y": 0.0}
    run = balanced(ct.simulate(mech, 3.0, q=start, output=7, **FINE))
    first = run.impacts[0]
    assert first.t == pytest.approx(given["quarter_period_s"], abs=1e-8)
    event = next(e for e in run.switches if e.t == first.t)
    rate = [ct.spatial_jacobian(run.system, event.q, "block")[1] @ v for v in (event.v_before, event.v)]
    assert rate[1] / rate[0] == pytest.approx(given["ratio_omega"], abs=1e-10)
    (end,) = run.statistics["bounces_ended"]
    assert set(end[1]) == {"left", "right"}
    assert not run.v[-1].any()
    assert run.contact("left").normal_force[-1] + run.contact("right").normal_force[-1] == pytest.approx(G)


def test_rimless_wheel_walks_down():
    given = DATA["rimless_wheel"]
    n, slope = given["data"]["spokes"], given["data"]["slope"]
    alpha, w = np.pi / n, given["after_impact"]["thetadot"]
    mech = ct.Mechanism("wheel", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    hub = mech.body("wheel", mass=1.0, com=(0, 0, 0), inertia=(3e-9,) * 3)  # all mass in the hub, but for this
    mech.joint("plane", mech.ground, hub, ct.Planar((0, 0, 0), (0, 1, 0)))
    floor = ct.Plane((0, 0, -np.cos(alpha)), (0, 0, 1))
    for k in range(n):
        a = (2 * k + 1) * alpha
        mech.contact(f"spoke {k}", mech.ground, floor, hub, ct.Point((np.sin(a), 0, -np.cos(a))), 1.0)
    system = mech.compile()
    v = np.linalg.lstsq(
        ct.spatial_jacobian(system, system.q0, "wheel"), [0, w, 0, w * np.cos(alpha), 0, w * np.sin(alpha)]
    )
    run = balanced(ct.simulate(system, 3.2, v=v[0], output=3, **FINE))
    steps = [i.t for i in run.impacts]
    np.testing.assert_allclose(np.diff([0.0, *steps]), given["step_time_s"], rtol=0, atol=1e-8)
    np.testing.assert_allclose([i.energy_loss for i in run.impacts], given["energy_lost_per_step"], atol=1e-8)


def test_three_balls_that_touch_are_one_impact_and_named():
    mech, bodies = ct.Mechanism("cradle", gravity=(0, 0, 0)), []
    for k in range(3):
        bodies.append(mech.body(f"b{k}", mass=1.0, com=(k, 0, 0), inertia=(0.1,) * 3))
        mech.joint(f"j{k}", mech.ground, bodies[-1], ct.Prismatic(axis=(1, 0, 0), point=(k, 0, 0)))
    for k in range(2):
        at = (k + 0.5, 0, 0)
        mech.contact(f"c{k}", bodies[k], ct.Plane(at, (1, 0, 0)), bodies[k + 1], ct.Point(at), 0.0, 1.0)
    run = ct.simulate(mech, 1.0, v=[1.0, 0, 0], output=3)
    np.testing.assert_allclose(run.v[-1], DATA["newton_cradle_3"]["newton_lcp_simultaneous"], atol=1e-12)
    assert run.impacts[0].simultaneous
    assert run.energy.kinetic[-1] == pytest.approx(0.5, abs=1e-12)
    assert "several contacts at once" in str(run)


def rod(friction, angle, speed):
    """A rod that slides on its lower end."""
    mech, e = ct.Mechanism("rod"), np.array([np.cos(angle), 0, np.sin(angle)])
    body = mech.body("rod", mass=1.0, com=e, inertia=(1 / 3,) * 3)
    mech.joint("plane", mech.ground, body, ct.Planar((0, 0, 0), (0, 1, 0)))
    mech.contact("tip", mech.ground, FLOOR, body, ct.Point((0, 0, 0)), friction)
    system = mech.compile()
    v = np.linalg.lstsq(ct.spatial_jacobian(system, system.q0, "rod"), [0, 0, 0, speed, 0, 0])[0]
    return system, v


def test_painleve_is_named_and_never_a_number():
    given = DATA["painleve_rod"]
    low, high = given["interval_mu_1_4"]
    for angle, bad in ((low - 0.01, False), (0.5 * (low + high), True), (high + 0.01, False)):
        system, v = rod(1.4, angle, -3.0)
        if bad:
            with pytest.raises(MotionError, match=r"contact 'tip'.*Painleve"):
                ct.simulate(system, 0.05, v=v, output=2)
        else:
            ct.simulate(system, 0.02, v=v, output=2).trusted()
    system, v = rod(0.99 * given["critical_mu"], np.arctan(2.0), -3.0)
    ct.simulate(system, 0.02, v=v, output=2).trusted()
    system, v = rod(1.4, 0.5 * (low + high), 3.0)  # dragged, not pushed
    ct.simulate(system, 0.02, v=v, output=2).trusted()


@pytest.mark.parametrize(("rate", "word"), [(-1.0, "sticks"), (-3.0, "opens")])
def test_a_rod_that_turns_towards_the_paradox_sticks_or_lifts_before_it(rate, word):
    """Genot and Brogliato (1999): a motion that slides comes there in a singular point only."""
    system, _ = rod(1.4, DATA["painleve_rod"]["interval_mu_1_4"][0] - 0.02, -3.0)
    v = np.linalg.lstsq(ct.spatial_jacobian(system, system.q0, "rod"), [0, rate, 0, -3.0, 0, 0])[0]
    run = ct.simulate(system, 0.02, v=v, output=3).trusted()
    assert times(run, word)[0] < 0.006


def test_friction_that_makes_more_of_its_own_load_is_not_solved():
    from cotree.formulations.rubbing import put_sizes, rub_t

    rubs, values = np.array([(0, 0, 1.4)], rub_t), np.zeros((1, 3))
    assert put_sizes(rubs, np.ones(1), np.array([[0.5]]), np.zeros(1, np.int64), values)
    assert values[0, 0] == pytest.approx(1.4 / 0.3)
    assert not put_sizes(rubs, np.ones(1), np.array([[0.8]]), np.zeros(1, np.int64), values)


def test_impacts_without_a_solution_are_named(monkeypatch):
    monkeypatch.setattr("cotree.transitions.contacts.hitting.KNOWN", -1.0)
    monkeypatch.setattr("cotree.transitions.contacts.hitting.by_sticking", lambda *_: None)
    mech = box(0.3)
    with pytest.raises(MotionError, match=r"contacts 'floor.*' hit at t = .*no impulses within their friction cones"):
        ct.simulate(mech, 1.0, v={"free.vz": -1.0}, contact="events")


def test_doubt_is_a_warning(monkeypatch):
    from cotree.transitions.contacts import deciding

    monkeypatch.setattr(deciding, "doubtful", lambda *_: (0,))
    with pytest.warns(RunWarning, match="several motions or none"):
        ct.simulate(ball(0.2), 0.01, v={"free": [0, 0, 0, 1.0, 0, 0]}, output=2)


def test_what_is_refused_beside_contacts():
    mech = ball(gap=0.1)
    arm = mech.body("arm", mass=1.0, com=(1, 0, 1), inertia=(0.1,) * 3)
    mech.joint("pin", mech.ground, arm, ct.Revolute((1, 0, 1), (0, 1, 0)))
    mech.friction("pin", 0.1, name="rub", coefficient=0.2, radius=0.01)
    with pytest.raises(SwitchError, match=r"'rub' grows with the load.*has contacts"):
        ct.simulate(mech, 0.1, output=2)
    deep = ball(gap=-0.01)
    with pytest.raises(SwitchError, match=r"'ground' and 'ball' overlap by 0\.01 m"):
        ct.simulate(deep, 0.1, output=2)
    run = ct.simulate(ball(restitution=0.5), 0.01, v=[0, 0, 0, 0, 0, -1.0], output=2)
    with pytest.raises(SwitchError, match="'floor' took part in the switch"):
        _ = run.switches[0].joint_impulses


def test_a_run_goes_on_where_it_ended():
    whole = ct.simulate(ball(0.2), 0.6, v=[0, 0, 0, 3.0, 0, 0], output=4, **FINE)
    first = ct.simulate(ball(0.2), 0.2, v=[0, 0, 0, 3.0, 0, 0], output=2, **FINE)
    both = first.resume(0.6, output=3)
    np.testing.assert_allclose(both.q[-1], whole.q[-1], atol=1e-8)
    assert both.contact("floor").state.tolist() == ["slip", "slip", "slip", "stick"]


def test_a_loop_hits_a_wall_alike_in_all_coordinates():
    """A four-bar whose rocker has a tip that meets a plane: the same bounces however the loop is described."""
    ends = []
    for options in ({}, {"coordinates": "absolute"}, {"cut": ["B"]}):
        mech = ct.gallery.four_bar()
        rocker = list(mech.bodies)[-1]
        mech.contact("wall", "ground", ct.Plane((2.2, 0, 0), (1, 0, 0)), rocker, ct.Point((2.4, 1.4, 0)), 0.3, 0.5)
        system = mech.compile(**options)
        run = ct.simulate(system, 1.5, v={"A": 1.5}, output=4, **FINE)
        assert run.status == "done", run.message
        assert np.abs(run.energy.balance).max() < 1e-7
        assert run.contact("wall").gap.min() > -1e-10
        ends.append((len(run.impacts), [i.t for i in run.impacts][:3], run.point(rocker).position[-1]))
    assert ends[0][0] > 0
    for other in ends[1:]:
        assert other[0] == ends[0][0]
        np.testing.assert_allclose(other[1], ends[0][1], atol=1e-8)
        np.testing.assert_allclose(other[2], ends[0][2], atol=1e-7)
