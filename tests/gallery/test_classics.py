"""The classics of the gallery: counts, starts, and their motion by a second route."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cotree as ct
from cotree import gallery
from cotree.errors import ModelError
from cotree.gallery.delta_robot import APART, BASE, PLACE, PLATFORM, arm_angle, arm_directions
from cotree.gallery.slider_cranks import ANGLE, CRANK, ROD, SPEED
from tests.closed_mechanisms import REG_U_BAR
from tests.descriptions import same_state, worst_difference
from tests.gallery.test_papers import admissible_state, body_accelerations

G = 9.81
MECHANISMS = {  # and their dof
    "pendulum chain": (gallery.pendulum_chain, 3),
    "spatial pendulum chain": (lambda: gallery.pendulum_chain(2, spatial=True), 6),
    "slider-crank": (gallery.slider_crank, 1),
    "Delta": (gallery.delta, 3),
    "Chaplygin sleigh": (gallery.chaplygin_sleigh, 2),
    "rolling disk": (gallery.rolling_disk, 3),
    "bicycle": (gallery.bicycle, 3),
    "spinning top": (gallery.spinning_top, 3),
    "four-bar of unit bars": (gallery.dca_four_bar, 1),
    "four-bar of unit bars, long base": (lambda: gallery.dca_four_bar(1.8), 1),
    "seven-bar": (gallery.seven_bar, 2),
    "folding four-bar": (gallery.folding_four_bar, 1),
    "toggle four-bar": (gallery.toggle_four_bar, 1),
    "four-bar of Reg": (gallery.reg_four_bar, 1),
}
STARTS = tuple(name for name, (make, _) in MECHANISMS.items() if make().q_start is not None)
TIGHT = {"rtol": 1e-11, "atol": 1e-11}


@pytest.mark.parametrize("name", MECHANISMS)
def test_mobility_here_and_elsewhere(name):
    make, dof = MECHANISMS[name]
    mech = make()
    system = mech.compile()
    assert np.abs(ct.constraint_residual(system, system.q0)).max(initial=0.0) < 1e-15
    q, _ = admissible_state(system, 1, mech.q_start, size=0.1)
    for at in (system.q0, q):
        found = ct.mobility(system, at)
        assert (found.differential, found.local, found.singular) == (dof, dof, False)


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_body_can_be_drawn(name):
    assert all(body.shape is not None for body in MECHANISMS[name][0]().bodies.values())


@pytest.mark.parametrize("name", STARTS)
def test_starts_are_admissible(name):
    mech = MECHANISMS[name][0]()
    system, q, v = mech.compile(), mech.q_start, mech.v_start
    assert (q.shape, v.shape) == ((system.nq,), (system.nv,))
    assert np.abs(ct.constraint_residual(system, q)).max(initial=0.0) < 1e-15
    assert np.abs(ct.constraint_jacobian(system, q) @ v).max(initial=0.0) < 2e-15 * max(1.0, np.abs(v).max())


@pytest.mark.parametrize("name", MECHANISMS)
def test_accelerations_in_absolute_coordinates(name):
    mech = MECHANISMS[name][0]()
    system, other = mech.compile(), mech.compile(coordinates="absolute")
    q, v = admissible_state(system, 2, mech.q_start, size=0.1)
    expected = body_accelerations(system, q, v)
    assert worst_difference(body_accelerations(other, *same_state(other, system, q, v)), expected) < 1e-9


def by_lagrange(mass, potential_slope, coriolis, times, start):
    """(k, n) angles: mass(x) x'' = -coriolis(x, x') - potential_slope(x)."""
    n = len(start) // 2

    def rates(t, y):
        x, u = y[:n], y[n:]
        return np.concatenate([u, np.linalg.solve(mass(x), -coriolis(x, u) - potential_slope(x))])

    return solve_ivp(rates, (0, times[-1]), start, "DOP853", times, rtol=1e-12, atol=1e-12).y[:n].T


def chain_angles(n, moment, m, weights, times, start):
    """Angles from straight down of n bars in a row: the textbook's equations, c_ij cos(x_i - x_j) being the mass matrix.

    moment: c_ij [kg m^2], weights: m g times lever [N m].
    """
    c, w = np.array(moment), np.array(weights)
    return by_lagrange(
        lambda x: c * np.cos(np.subtract.outer(x, x)),
        lambda x: w * np.sin(x),
        lambda x, u: (c * np.sin(np.subtract.outer(x, x))) @ u**2,
        times, start,
    )  # fmt: skip


def uniform_chain(mech, n, times, length=1.0):
    """The same for the gallery's chain, all bars straight at its start."""
    p = mech.bodies["link1"].properties
    m, I = p.mass, p.inertia[2, 2]
    below = n - 1 - np.arange(n)
    c = m * length**2 * (0.5 + np.minimum.outer(below, below))
    c[np.diag_indices(n)] = I + m * length**2 * (0.25 + below)
    return chain_angles(n, c, m, m * G * length * (0.5 + below), times, [np.pi / 2] * n + [0.0] * n)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_pendulum_chain(n):
    """Two seconds, released level."""
    mech, times = gallery.pendulum_chain(n), np.linspace(0, 2, 21)
    run = ct.simulate(mech, 2.0, output=times, **TIGHT)
    assert np.abs(np.cumsum(run.q, axis=1) - uniform_chain(mech, n, times)).max() < 1e-7


def test_a_chain_has_a_bar():
    with pytest.raises(ModelError, match="n is 0; a chain has at least one bar"):
        gallery.pendulum_chain(0)


def test_spatial_chain_without_a_throw_stays_in_the_plane():
    mech, times = gallery.pendulum_chain(3, spatial=True), np.linspace(0, 1, 11)
    run = ct.simulate(mech, 1.0, mech.q_start, np.zeros(9), output=times, **TIGHT)
    x = uniform_chain(mech, 3, times)
    assert run.poses()[:, 1:, 0, 1] == pytest.approx(-np.sin(x), abs=1e-8)  # each bar points along -y of its own
    assert np.abs(run.poses()[:, 1:, 2, 1]).max() < 1e-10


def test_spatial_chain_keeps_its_momentum_about_the_vertical():
    run = ct.simulate(gallery.pendulum_chain(3, spatial=True), 2.0, output=21, **TIGHT)
    momentum = np.array([ct.momentum(run.system, q, v)[1] for q, v in zip(run.q, run.v, strict=True)])
    p = run.system.mechanism.bodies["link1"].properties
    assert momentum[0] == pytest.approx(p.inertia[2, 2] * 3 + p.mass * (0.25 + 2.25 + 6.25), rel=1e-12)  # 1 rad/s
    assert momentum == pytest.approx(np.full(21, momentum[0]), rel=1e-9)
    assert np.abs(run.energy.balance).max() < 1e-7
    assert np.abs(run.poses()[:, 3, 2, 1]).max() > 0.1  # out of the plane


def test_slider_crank():
    """Four turns: piston by the closed form, crank by its one equation of motion, 1/2 M' w^2 + M w' + V' = 0."""
    mech, times = gallery.slider_crank(), np.linspace(0, 2, 41)
    (m1, I1), (m2, I2), (m3, _) = ((b.properties.mass, b.properties.inertia[2, 2]) for b in mech.bodies.values())

    def reduced(x):
        """(M, V) of the crank's angle; complex x gives derivatives."""
        s, c = np.sin(x), np.cos(x)
        along = np.sqrt(ROD**2 - (CRANK * s) ** 2)  # of the rod
        turn = -CRANK * c / along
        middle = np.array([-CRANK * s + turn * CRANK * s / 2, CRANK * c + turn * along / 2])  # of the rod, per w
        piston = -CRANK * s + turn * CRANK * s
        M = I1 + m1 * CRANK**2 / 4 + I2 * turn**2 + m2 * (middle**2).sum() + m3 * piston**2
        return M, G * (m1 + m2) * CRANK * s / 2

    def rates(t, y):
        M, V = reduced(y[0] + 1e-30j)
        return [y[1], -(M.imag / 2e-30 * y[1] ** 2 + V.imag / 1e-30) / M.real]

    run = ct.simulate(mech, 2.0, output=times, **TIGHT)
    angle = solve_ivp(rates, (0, 2), [ANGLE, SPEED], "DOP853", times, rtol=1e-12, atol=1e-12).y[0]
    assert np.abs(ANGLE + run.q[:, 0] - angle).max() < 1e-7
    assert angle[-1] - ANGLE > 2 * np.pi
    x = CRANK * np.cos(angle) + np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)
    assert run.q[:, run.system.velocity_index("slide")] == pytest.approx(x - x[0], abs=1e-7)


def test_delta_moves_without_turning():
    """Thrown, a quarter of a second, before an arm is stretched: level, the arms where inverse kinematics has them."""
    system = gallery.delta().compile()
    v = ct.consistent_velocity(system, system.q0, np.random.default_rng(0).standard_normal(system.nv))
    run = ct.simulate(system, 0.25, v=v, output=26, **TIGHT)
    C = run.poses()[:, run.system.row_of("platform")]
    assert np.abs(C[:, :3, :3] - np.eye(3)).max() < 1e-11
    places = C[:, :3, 3] + PLACE
    assert np.ptp(places, axis=0).min() > 0.01
    for k in range(3):
        turned = run.q[:, motor_place(run.system, k)]
        expected = [arm_angle(p, k) - arm_angle(PLACE, k) for p in places]
        assert turned == pytest.approx(expected, abs=1e-9)
    assert np.abs(run.energy.balance).max() < 1e-8


def motor_place(system, k):
    """Where in q the angle of motor k is: ball joints have one entry more than they have velocities."""
    before = system.velocity_index(f"motor{k + 1}")
    return before + sum(name.endswith(".wx") for name in system.coordinate_names[:before])


def test_delta_is_symmetric():
    """Three equal arms, rods in pairs of equal length."""
    mech = gallery.delta()
    ends = [np.linalg.norm(np.subtract(b.shape.a, b.shape.b)) for n, b in mech.bodies.items() if n.startswith("rod")]
    assert ends == pytest.approx([0.7] * 6, abs=1e-14)
    for k in range(3):
        out, side = arm_directions(k)
        a, b = (np.array(mech.joints[f"ball{k + 1}{x}"].joint.point) for x in "ab")
        assert (b - a) == pytest.approx(2 * APART * side, abs=1e-14)
        assert (a + b) / 2 - PLACE == pytest.approx(PLATFORM * out, abs=1e-14)
        assert mech.joints[f"motor{k + 1}"].joint.point == pytest.approx(BASE * out)


@pytest.mark.parametrize(("make", "angle"), [(gallery.dca_four_bar, 0.8), (gallery.folding_four_bar, 0.7)])
def test_rhombi_are_pendulums(make, angle):
    """b1 and b3 turn, 1 + 1/4 each, b2 does not: 3.5 x'' = -2 g sin x; also through the flat state, on the same branch."""
    times = np.linspace(0, 5, 51)
    run = ct.simulate(make(), 5.0, output=times, **TIGHT)
    x = chain_angles(1, [[3.5]], 1.0, [2 * G], times, [angle, 0.0])
    assert np.abs(angle + run.q[:, 0] - x[:, 0]).max() < 1e-7
    assert (x.min() < -0.6) & (x.max() > 0.6)


def test_seven_bar_is_a_double_pendulum():
    """All sides equal: b1, b3 and b2 with the lower loop's hinges, then b4, b6 and b5 below."""
    times = np.linspace(0, 3, 31)
    run = ct.simulate(gallery.seven_bar(), 3.0, output=times, **TIGHT)
    moment = [[3.5 + 3, 1 + 1], [1 + 1, 2.5 + 1]]  # c_12: two bars at 1/2, one at 1
    x = chain_angles(2, moment, 1.0, [G * (1 + 1 + 3), G * 2], times, [0.6, -0.3, 0.0, 0.0])
    C = run.poses()
    for body, start, k in (("b1", 0.6, 0), ("b4", -0.3, 1)):
        R = C[:, run.system.row_of(body), :2, :2]
        turned = np.arctan2(R[:, 1, 0], R[:, 0, 0])
        assert np.abs(np.sin(start + turned - x[:, k])).max() < 1e-7


def test_toggle_passes_its_stretched_state():
    """Ten seconds from rest: energy kept, the loop closed, and the rocker on both sides of straight down."""
    run = ct.simulate(gallery.toggle_four_bar(), 10.0, **TIGHT)
    assert run.status == "done"
    assert np.abs(run.energy.balance).max() < 1e-7
    rocker = -0.7 + run.q[:, run.system.velocity_index("q4")]
    assert (rocker.min() < -0.6) & (rocker.max() > 0.1)


@pytest.mark.parametrize("flat", [False, True])
def test_rows_of_reg_are_the_printed_ones(flat):
    """To the six digits that [Reg 7.1] prints; without asking, for the mechanism prefers the paper's cut."""
    rows = gallery.reg_four_bar(flat).compile().loop_rows[0].select
    assert np.abs(rows[:, 2]).max() < 1e-15
    projectors = [np.linalg.pinv(U) @ U for U in (rows[:, [0, 1, 3, 4, 5]], REG_U_BAR)]
    assert np.abs(projectors[0] - projectors[1]).max() < 1e-6
