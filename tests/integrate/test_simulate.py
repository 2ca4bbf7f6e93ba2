"""Whole simulations with nothing set: loops stay closed, energy is kept, singular configurations are passed."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cotree as ct
from cotree.errors import ChoiceError

LOOPS = {
    "four_bar": ct.gallery.four_bar,
    "spherical": ct.gallery.spherical_four_bar,
    "bennett": ct.gallery.bennett,
    "bricard": ct.gallery.bricard,
}


@pytest.mark.parametrize("name", LOOPS)
def test_released_loops_keep_closure_and_energy(name):
    run = ct.simulate(LOOPS[name](), 10.0)
    total = run.energy.total
    assert run.status == "done"
    assert run.violation.max() < 1e-12
    assert run.velocity_violation.max() < 1e-11
    assert np.abs(total - total[0]).max() < 1e-6 * max(1.0, np.abs(run.energy.kinetic).max())
    assert run.energy.kinetic.max() > 0.1  # it did move


def joint_points(run):
    """(times, joints, 3): each joint's point on its child, in the world."""
    joints, rows = run.system.mechanism.joints.values(), {n: k + 1 for k, n in enumerate(run.system.body_names)}
    poses = run.poses()
    return np.stack([(poses[:, rows[j.child]] @ [*j.joint.point, 1.0])[:, :3] for j in joints], axis=1)


@pytest.mark.parametrize("name", LOOPS)
def test_joint_points_against_a_tight_run(name):
    """Within 1e-5 m all along; measured 5e-6, 1e-7, 4e-6, 7e-6."""
    system = LOOPS[name]().compile()
    run, reference = ct.simulate(system, 10.0), ct.simulate(system, 10.0, rtol=1e-11, atol=1e-11)
    assert np.linalg.norm(joint_points(run) - joint_points(reference), axis=2).max() < 1e-5


@pytest.mark.parametrize("angle", [0.6, 0.0])
def test_parallelogram_through_its_singular_configurations(angle):
    """Crank rate 3 rad/s without gravity, also started flat: the crank turns steadily and stays on its branch."""
    system = ct.gallery.parallelogram(angle).compile(cut=["C"])
    v = np.zeros(3)
    for name, rate in (("A", 3.0), ("B", -3.0), ("D", 3.0)):
        v[system.velocity_index(name)] = rate
    run = ct.simulate(system, 10.0, v=v)
    assert np.abs(run.q[:, system.velocity_index("A")] - 3.0 * run.t).max() < 1e-6
    assert np.abs(run.q[:, system.velocity_index("D")] - 3.0 * run.t).max() < 1e-6


@pytest.mark.parametrize("n", [2, 10, 40])
def test_n_four_bars_against_their_one_dof_equation(n):
    """Crank tips at 1 m/s from upright; all cranks turn alike: (n + 1)/3 + n kilogram square metres under gravity."""
    run = ct.simulate(ct.gallery.n_four_bar(n), 10.0)
    names = run.system.coordinate_names
    inertia, weight = (n + 1) / 3 + n, 9.81 * ((n + 1) / 2 + n)
    exact = solve_ivp(
        lambda t, y: [y[1], -weight * np.cos(y[0]) / inertia], (0, 10), [np.pi / 2, 1.0], t_eval=run.t, rtol=1e-12,
        atol=1e-12, method="DOP853",
    )  # fmt: skip
    assert run.violation.max() < 1e-12
    assert np.abs(run.energy.balance).max() < 1e-6 * run.energy.kinetic.max()
    assert [c.branch for c in run.crossings] == ["same"] * 10
    assert np.abs(run.q[:, names.index("A0")] - (exact.y[0] - np.pi / 2)).max() < 1e-5


def heavy_top(group):
    """The box of [Lie 5.1] on a spherical joint, no gravity, body frame at the mass centre."""
    mech = ct.Mechanism("heavy top", gravity=(0, 0, 0))
    pose = np.eye(4)
    pose[0, 3] = 0.5
    top = mech.body("top", 21.6, (0, 0, 0), (0.36, 0.306, 0.09), pose=pose)
    mech.joint("pivot", mech.ground, top, ct.Spherical((0, 0, 0)))
    return mech.compile(coordinates="absolute", group=group)


def test_se3_keeps_the_pivot_of_the_heavy_top_and_so3xr3_does_not():
    """[Lie 5.1]: RK4 with 1e-3 s, ten seconds, not stabilized; kinetic energy 13.97 kJ at the start."""
    drift = {}
    w = np.array([0.0, 20 * np.pi, 10 * np.pi])
    for group in ("SE3", "SO3xR3"):
        run = ct.simulate(
            heavy_top(group), 10.0, v=[*w, *np.cross(w, (0.5, 0, 0))], step=1e-3, stabilize="none", output=11
        )
        assert run.energy.kinetic[0] == pytest.approx(13970, rel=1e-3)
        drift[group] = np.linalg.norm(run.poses()[-1, 1] @ (-0.5, 0, 0, 1) - (0, 0, 0, 1))
    assert drift["SE3"] < 1e-11  # rounding errors of 40,000 stages; measured 1.4e-12
    assert drift["SO3xR3"] > 1e-6


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("midpoint", 2), ("rk4", 4), ("dopri5", 5)])
@pytest.mark.parametrize("coordinates", ["group", "quaternion", "second", "first", "cayley"])
def test_observed_order_on_a_spherical_pendulum(method, order, coordinates):
    mech = ct.Mechanism("top")
    top = mech.body("top", 1.0, (0.2, 0.1, 0.4), (0.05, 0.04, 0.02))
    mech.joint("pivot", mech.ground, top, ct.Spherical((0, 0, 0), coordinates=coordinates))
    system = mech.compile()
    v = [0.5, -0.3, 1.0]

    def end(steps):
        run = ct.simulate(system, 0.5, v=v, step=0.5 / steps, method=method, output=[0.5])
        return run.poses()[-1]

    exact = ct.simulate(system, 0.5, v=v, rtol=1e-13, atol=1e-13, output=[0.5]).poses()[-1]
    steps = 40 if order < 4 else 16
    ratio = np.abs(end(steps) - exact).max() / np.abs(end(2 * steps) - exact).max()
    assert np.log2(ratio) == pytest.approx(order, abs=0.4)


def test_time_reversal():
    system = ct.gallery.four_bar().compile()
    there = ct.simulate(system, 2.0, rtol=1e-11, atol=1e-11)
    back = ct.simulate(system, 2.0, there.q[-1], -there.v[-1], rtol=1e-11, atol=1e-11)
    assert np.abs(back.q[-1] - system.q0).max() < 1e-7


@pytest.mark.parametrize("formulation", ["index1", "projection", "voronets"])
def test_formulations_give_the_same_motion(formulation):
    system = ct.gallery.bennett().compile()
    run = ct.simulate(system, 3.0, formulation=formulation)
    assert np.abs(run.q[-1] - ct.simulate(system, 3.0, rtol=1e-11, atol=1e-11).q[-1]).max() < 1e-5


def test_output_times():
    system = ct.gallery.four_bar().compile()
    assert ct.simulate(system, 1.0, output=5).t.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert ct.simulate(system, 1.0, output=[0.3, 0.1]).t.tolist() == [0.1, 0.3]
    assert "steps" in str(ct.simulate(system, 0.1))


def test_bad_input():
    system = ct.gallery.four_bar().compile()
    for words in ({"method": "leapfrog"}, {"formulation": "magic"}, {"stabilize": "glue"}):
        with pytest.raises(ChoiceError, match=next(iter(words.values()))):
            ct.simulate(system, 1.0, **words)


def test_chaplygin_sleigh_against_its_exact_solution():
    """v' = a w^2, (I + m a^2) w' = -m a v w: v = V tanh(k t + s0), w = W sech(k t + s0) (Neimark and Fufaev)."""
    m, I, a = 2.0, 0.3, 0.4
    mech = ct.Mechanism("sleigh", gravity=(0, 0, 0))
    sleigh = mech.body("sleigh", m, (a, 0, 0), (I, I, I))
    mech.joint("floor", mech.ground, sleigh, ct.Planar((0, 0, 0), (0, 0, 1)))
    mech.knife_edge("blade", sleigh, (0, 0, 0), (0, 1, 0))
    v0, w0 = 0.2, 1.5
    run = ct.simulate(mech, 3.0, v=[w0, v0, 0.0], rtol=1e-10, atol=1e-10)
    energy = 0.5 * m * v0**2 + 0.5 * (I + m * a * a) * w0**2
    V, W = np.sqrt(2 * energy / m), np.sqrt(2 * energy / (I + m * a * a))
    s = m * a * V / (I + m * a * a) * run.t + np.arctanh(v0 / V)
    assert np.allclose(run.v[:, 1], V * np.tanh(s), atol=1e-8)
    assert np.allclose(run.v[:, 0], W / np.cosh(s), atol=1e-8)
    assert run.velocity_violation.max() < 1e-13


def test_the_last_row_of_many_steps():
    """12,500 steps of 0.4 ms add up to 5e-13 s less than 5 s; the last row was left out, with status "done"."""
    run = ct.simulate(ct.gallery.pendulum_chain(1), 5.0, method="euler", step=4e-4, output=11)
    assert run.t == pytest.approx(np.linspace(0.0, 5.0, 11))
    assert run.t[-1] == 5.0
