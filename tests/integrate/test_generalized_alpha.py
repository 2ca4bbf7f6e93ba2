"""Generalized-alpha: second order on groups and closed loops, stiff springs, redundant and singular loops, its own steps."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cotree as ct
from cotree.errors import ChoiceError, ForceError, ShapeError

ALPHA = {"method": "generalized-alpha"}


def orders(errors):
    """Observed orders when the step is halved again and again."""
    e = np.array(errors)
    return np.log2(e[:-1] / e[1:])


@pytest.mark.parametrize("radius", [1.0, 0.8, 0.3])
@pytest.mark.parametrize("coordinates", ["group", "quaternion", "second"])
def test_second_order_on_a_spherical_pendulum(coordinates, radius):
    mech = ct.Mechanism("top")
    top = mech.body("top", 1.0, (0.2, 0.1, 0.4), (0.05, 0.04, 0.02))
    mech.joint("pivot", mech.ground, top, ct.Spherical((0, 0, 0), coordinates=coordinates))
    system, v = mech.compile(), [0.5, -0.3, 1.0]
    exact = ct.simulate(system, 0.5, v=v, rtol=1e-13, atol=1e-13, output=[0.5])
    found = []
    for steps in (80, 160, 320):
        run = ct.simulate(system, 0.5, v=v, step=0.5 / steps, output=[0.5], method=ct.GeneralizedAlpha(radius))
        found.append([np.abs(run.poses() - exact.poses()).max(), np.abs(run.v - exact.v).max()])
    assert orders(found) == pytest.approx(2.0, abs=0.15)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_second_order_on_a_top_held_by_constraints(group):
    """The free body's group carries the motion, the pivot is three rows."""
    mech = ct.Mechanism("top")
    pose = np.eye(4)
    pose[:3, 3] = (0.2, 0.1, 0.4)
    top = mech.body("top", 1.0, (0, 0, 0), (0.05, 0.04, 0.02), pose=pose)
    mech.joint("pivot", mech.ground, top, ct.Spherical((0, 0, 0)))
    system = mech.compile(coordinates="absolute", group=group)
    w = np.array([0.5, -0.3, 1.0])
    v = [*w, *np.cross(w, pose[:3, 3])]
    exact = ct.simulate(system, 0.5, v=v, rtol=1e-12, atol=1e-12, output=[0.5])
    found = []
    for steps in (50, 100, 200):
        run = ct.simulate(system, 0.5, v=v, step=0.5 / steps, output=[0.5], **ALPHA)
        found.append([np.abs(run.poses() - exact.poses()).max(), np.abs(run.v - exact.v).max()])
        assert run.violation.max() < 1e-13
    assert orders(found) == pytest.approx(2.0, abs=0.25)


@pytest.mark.parametrize("stabilize", ["projection", "none"])
def test_second_order_on_a_four_bar_in_positions_velocities_and_multipliers(stabilize):
    system = ct.gallery.four_bar().compile()
    exact = ct.simulate(system, 0.6, rtol=1e-12, atol=1e-12, output=[0.6])
    found = []
    for steps in (100, 200, 400):
        run = ct.simulate(system, 0.6, step=0.6 / steps, stabilize=stabilize, output=[0.6], **ALPHA)
        lam, other = (ct.forward_dynamics(system, r.q[-1], r.v[-1]).multipliers for r in (run, exact))
        found.append([np.abs(run.q - exact.q).max(), np.abs(run.v - exact.v).max(), np.abs(lam - other).max()])
        assert run.violation.max() < 1e-11
    assert orders(found) == pytest.approx(2.0, abs=0.35)


def spring_pendulum(stiffness):
    """0.1 kg on a spring of one metre, released level; the plane and the spring are the only hold."""
    mech = ct.Mechanism("ball on a spring")
    ball = mech.body("ball", 0.1, (1, 0, 0), (1e-3, 1e-3, 1e-3))
    mech.joint("free", mech.ground, ball, ct.Free())
    mech.spring("rod", mech.ground, (0, 0, 0), ball, (1, 0, 0), stiffness)
    return mech.compile()


def angle_of_a_pendulum(times):
    """Of a point mass on a rigid rod, one metre, released level."""
    return solve_ivp(
        lambda t, y: [y[1], -9.81 * np.cos(y[0])], (0, times[-1]), [0, 0], t_eval=times, rtol=1e-12, atol=1e-12,
        method="DOP853",
    ).y[0]  # fmt: skip


@pytest.mark.parametrize("stiffness", [1e7, 1e8, 1e9])
def test_stiff_spring_pendulum_follows_the_rigid_one(stiffness):
    """Vibrates at 1e4 to 1e5 rad/s, the step is 1e-3 s: the slow motion comes out, to second order."""
    system, found = spring_pendulum(stiffness), []
    for step in (2e-3, 1e-3):
        run = ct.simulate(system, 2.0, step=step, output=21, **ALPHA)
        assert run.status == "done", run.message
        x, angle = run.poses()[:, 1] @ (1, 0, 0, 1), angle_of_a_pendulum(run.t)
        found.append(max(np.abs(x[:, 0] - np.cos(angle)).max(), np.abs(x[:, 2] - np.sin(angle)).max()))
    assert found[1] < 4e-5
    assert orders(found) == pytest.approx(2.0, abs=0.3)


def test_stiff_pendulum_would_cost_explicit_steps_without_end():
    system = spring_pendulum(1e9)
    explicit = ct.simulate(system, 2e-3, rtol=1e-5, atol=1e-5).statistics["steps"] * 1000
    run = ct.simulate(system, 2.0, rtol=1e-5, atol=1e-5, output=21, **ALPHA)
    assert run.statistics["evaluations"] < 0.05 * 6 * explicit
    x = run.poses()[:, 1] @ (1, 0, 0, 1)
    assert np.abs(x[:, 0] - np.cos(angle_of_a_pendulum(run.t))).max() < 1e-2


def test_bushing_keeps_its_matrix():
    """A rod in two springs of 1e8 N/m instead of a bearing: three evaluations a step, one of them for the output."""
    mech = ct.Mechanism("bushing")
    rod = mech.body("rod", 1.0, (0.5, 0, 0), (0.01, 0.09, 0.09))
    mech.joint("plane", mech.ground, rod, ct.Planar((0, 0, 0), (0, 1, 0)))
    mech.spring("x", mech.ground, (-1, 0, 0), rod, (0, 0, 0), 1e8)
    mech.spring("z", mech.ground, (0, 0, 1), rod, (0, 0, 0), 1e8)
    run = ct.simulate(mech, 2.0, step=1e-3, output=21, **ALPHA)
    rigid = ct.Mechanism("pendulum")
    rod = rigid.body("rod", 1.0, (0.5, 0, 0), (0.01, 0.09, 0.09))
    rigid.joint("bearing", rigid.ground, rod, ct.Revolute((0, 0, 0), (0, 1, 0)))
    exact = ct.simulate(rigid, 2.0, output=21)
    assert np.abs(run.q[:, 0] - exact.q[:, 0]).max() < 3e-5
    assert run.statistics["evaluations"] < 4 * run.statistics["steps"]


@pytest.mark.parametrize("stabilize", ["projection", "none"])
@pytest.mark.parametrize("name", ["bennett", "bricard"])
def test_redundant_loops(name, stabilize):
    system = getattr(ct.gallery, name)().compile()
    run = ct.simulate(system, 3.0, step=2e-3, stabilize=stabilize, output=21, **ALPHA)
    exact = ct.simulate(system, 3.0, rtol=1e-10, atol=1e-10, output=21)
    assert run.violation.max() < 1e-10
    assert run.velocity_violation.max() < (1e-12 if stabilize == "projection" else 1e-3)
    assert np.abs(run.q - exact.q).max() < 2e-4
    assert run.statistics["greatest_rank"] < system.n_constraints or name == "bricard"


@pytest.mark.parametrize("angle", [0.6, 0.0])
@pytest.mark.parametrize(
    "words", [{"step": 1e-3}, {"step": np.pi / 1500}, {"step": 1e-2, "stabilize": "none"}, {"rtol": 1e-6}]
)
def test_parallelogram_through_its_singular_configurations(angle, words):
    """Crank rate 3 rad/s; the second step lands on the flat configuration."""
    system = ct.gallery.parallelogram(angle).compile(cut=["C"])
    v = np.zeros(3)
    for name, rate in (("A", 3.0), ("B", -3.0), ("D", 3.0)):
        v[system.velocity_index(name)] = rate
    run = ct.simulate(system, 10.0, v=v, **words, **ALPHA)
    assert np.abs(run.q[:, system.velocity_index("A")] - 3.0 * run.t).max() < 1e-6
    assert np.abs(run.q[:, system.velocity_index("D")] - 3.0 * run.t).max() < 1e-6
    assert run.violation.max() < 1e-10
    assert len(run.crossings) in (9, 10)


@pytest.mark.parametrize("stabilize", ["projection", "none"])
def test_chaplygin_sleigh_to_second_order(stabilize):
    """The exact solution as in test_simulate.py."""
    m, I, a, v0, w0 = 2.0, 0.3, 0.4, 0.2, 1.5
    mech = ct.Mechanism("sleigh", gravity=(0, 0, 0))
    sleigh = mech.body("sleigh", m, (a, 0, 0), (I, I, I))
    mech.joint("floor", mech.ground, sleigh, ct.Planar((0, 0, 0), (0, 0, 1)))
    mech.knife_edge("blade", sleigh, (0, 0, 0), (0, 1, 0))
    energy = 0.5 * m * v0**2 + 0.5 * (I + m * a * a) * w0**2
    V, W = np.sqrt(2 * energy / m), np.sqrt(2 * energy / (I + m * a * a))
    found = []
    for step in (1e-2, 5e-3, 2.5e-3):
        run = ct.simulate(mech, 3.0, v=[w0, v0, 0.0], step=step, stabilize=stabilize, output="steps", **ALPHA)
        s = m * a * V / (I + m * a * a) * run.t + np.arctanh(v0 / V)
        found.append([np.abs(run.v[:, 1] - V * np.tanh(s)).max(), np.abs(run.v[:, 0] - W / np.cosh(s)).max()])
        assert run.velocity_violation.max() < 1e-13
    assert np.max(found[-1]) < 2e-6
    assert orders(found) == pytest.approx(2.0, abs=0.1)


def test_energy_without_damping_and_with():
    """Spectral radius 1 keeps the energy of a conservative motion within bounds; 0 takes more."""
    system, lost = ct.gallery.bennett().compile(), {}
    for radius in (1.0, 0.0):
        run = ct.simulate(system, 10.0, step=2e-3, method=ct.GeneralizedAlpha(radius))
        lost[radius] = np.abs(run.energy.balance).max() / run.energy.kinetic.max()
    assert lost[1.0] < 1e-4
    assert lost[0.0] > 2 * lost[1.0]


def test_motor_and_driver_of_time_and_the_energy_books():
    """Against dopri5; a free crank with a damper and a motor, and a loop that is driven."""
    mech = ct.gallery.four_bar()
    mech.motor("motor", "A", lambda t: 5.0 * np.sin(3.0 * t))
    mech.joint_damper("damper", "B", 0.3)
    for mechanism in (mech, _driven()):
        system = mechanism.compile(cut=["C"])
        run = ct.simulate(system, 0.5, step=5e-4, output=11, **ALPHA)
        exact = ct.simulate(system, 0.5, rtol=1e-10, atol=1e-10, output=11)
        assert np.abs(run.q - exact.q).max() < 1e-4
        assert np.abs(run.v - exact.v).max() < 2e-3
        assert np.abs(run.work - exact.work).max() < 2e-3 * np.abs(exact.work).max()
        assert np.abs(exact.work).max() > 0.01


def _driven():
    mech = ct.gallery.four_bar()
    motion = (lambda t: 0.5 * np.sin(4 * t), lambda t: 2.0 * np.cos(4 * t), lambda t: -8.0 * np.sin(4 * t))
    mech.drive("turn", "A", motion[0], rate=motion[1], acceleration=motion[2])
    return mech


def test_tolerances_mean_something():
    """A hundredth of the tolerance is met by errors of about a twentieth, and by more steps."""
    system = ct.gallery.bennett().compile()
    exact, errors, steps = ct.simulate(system, 2.0, rtol=1e-11, atol=1e-11, output=11), [], []
    for tolerance in (1e-4, 1e-6):
        run = ct.simulate(system, 2.0, rtol=tolerance, atol=tolerance, output=11, **ALPHA)
        errors.append(np.abs(run.q - exact.q).max())
        steps.append(run.statistics["steps"])
        assert run.statistics["rejected"] < 0.2 * steps[-1]
    assert errors[0] < 3e-2
    assert errors[1] < 0.12 * errors[0]
    assert steps[1] > 2 * steps[0]


def test_steps_that_are_too_long_end_in_words():
    run = ct.simulate(spring_pendulum(1e9), 2.0, step=0.5, **ALPHA)
    assert run.status == "failed"
    assert "reduce the step size" in run.message


def test_bad_input():
    system = ct.gallery.four_bar().compile()
    for radius in (-0.1, 1.5, "much"):
        with pytest.raises(ShapeError, match="spectral_radius"):
            ct.simulate(system, 1.0, method=ct.GeneralizedAlpha(radius))
    with pytest.raises(ChoiceError, match="baumgarte"):
        ct.simulate(system, 1.0, stabilize="baumgarte", **ALPHA)
    mech = ct.gallery.four_bar()
    mech.motor("m", "A", lambda t: 1.0 if t < 0.1 else np.nan)
    assert ct.simulate(mech.compile(cut=["C"]), 1.0, step=1e-2, **ALPHA).status == "failed"
    mech = ct.gallery.four_bar()
    mech.motor("m", "A", lambda t: 1 / 0)
    with pytest.raises((ForceError, ZeroDivisionError)):
        ct.simulate(mech.compile(cut=["C"]), 1.0, step=1e-2, **ALPHA)


def test_second_order_of_the_index_3_system_in_few_steps():
    """[Lie (1)]: a pendulum as a free body with five constraint equations, beside its angle from an equation of one line."""
    mech = ct.Mechanism("pendulum", gravity=(0, -9.81, 0))
    rod = mech.body("rod", 2.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("hinge", mech.ground, rod, ct.Revolute((0, 0, 0), (0, 0, 1)))
    system = mech.compile(coordinates="absolute")
    weight, inertia = 2.0 * 9.81 * 0.5, 0.1 + 2.0 * 0.25
    exact = solve_ivp(lambda t, y: [y[1], -weight * np.cos(y[0]) / inertia], (0, 0.1), [0, 0], rtol=1e-12, atol=1e-13)
    errors = []
    for h in (0.02, 0.01):
        run = ct.simulate(system, 0.1, method="generalized-alpha", step=h, stabilize="none", output=[0.1])
        R = run.poses()[-1, 1, :3, :3]
        errors.append(abs(np.arctan2(R[1, 0], R[0, 0]) - exact.y[0, -1]))
        assert np.abs(run.violation).max() < 1e-9
    assert 3.2 < errors[0] / errors[1] < 4.8


def test_reactions_of_a_driven_pendulum():
    """[Lie (1)]: the multiplier of a drive at the end of a step; its work is the energy gained, to second order."""
    mech = ct.Mechanism("pendulum", gravity=(0, -9.81, 0))
    rod = mech.body("rod", 2.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("hinge", mech.ground, rod, ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.drive("d", "hinge", lambda t: 0.5 * t + 2.0 * t**2)
    run = ct.simulate(
        mech, 0.1, v={"hinge": 0.5}, method="generalized-alpha", step=0.01, stabilize="none", output=[0.0, 0.1]
    )
    assert run.q[-1, 0] == pytest.approx(0.07, abs=1e-9)
    gained = np.diff(run.energy.total)[0]
    assert gained == pytest.approx(0.3 * (0.9**2 - 0.5**2) + 9.81 * np.sin(0.07), rel=1e-3)
    assert run.energy.supplied[-1] == pytest.approx(gained, rel=2e-3)
