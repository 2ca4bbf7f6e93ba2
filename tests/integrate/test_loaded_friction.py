"""Friction that grows with the load: closed forms, and integrations by SciPy that solve for friction in their own way."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import cotree as ct
from cotree.errors import ChoiceError, MotionError, StudyError, SwitchError

G, TIGHT = 9.81, {"rtol": 1e-11, "atol": 1e-11}


def incline(angle: float, mu: float, **more: float) -> ct.Mechanism:
    mech = ct.Mechanism("incline")
    block = mech.body("block", mass=2, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("slide", mech.ground, block, ct.Prismatic(axis=(np.cos(angle), 0, np.sin(angle))))
    mech.friction("slide", coefficient=mu, **more)
    return mech


def test_a_thrust_bearing_and_a_slide_under_torque_in_closed_form():
    """coefficient * thrust_radius * weight slows a shaft; coefficient * (weight + moment about the axis / radius) a slide."""
    shaft = ct.Mechanism("shaft")
    shaft.body("rotor", mass=2.0, com=(0, 0, 0), inertia=(0.2, 0.2, 0.3))
    shaft.joint("A", shaft.ground, "rotor", ct.Revolute((0, 0, 0), (0, 0, 1)))
    shaft.friction("A", coefficient=0.2, thrust_radius=0.05)
    run = ct.simulate(shaft, 1.0, v={"A": 3.0}, output=3)
    torque = 0.2 * 0.05 * 2.0 * G
    assert run.joint("A").rate[-1] == pytest.approx(3.0 - torque / 0.3, rel=1e-10)
    assert run.element("friction A").force[0] == pytest.approx(-torque, rel=1e-12)
    slide = incline(0.0, 0.2, radius=0.05)
    slide.torque("twist", "block", (-0.4, 0.0, 0.0))
    run = ct.simulate(slide, 0.5, v={"slide": 3.0}, output=3)
    assert run.joint("slide").rate[-1] == pytest.approx(3.0 - 0.5 * 0.2 * (G + 0.4 / 0.05 / 2.0), rel=1e-10)


def test_block_on_an_incline():
    """Up with g (sin + mu cos), then down again with g (sin - mu cos), or held where static friction suffices."""
    up, down = G * (np.sin(0.3) + 0.2 * np.cos(0.3)), G * (np.sin(0.3) - 0.2 * np.cos(0.3))
    run = ct.simulate(incline(0.3, 0.2), 2.0, v={"slide": 3.0}, **TIGHT)
    assert run.q[-1, 0] == pytest.approx(4.5 / up - down * (2.0 - 3.0 / up) ** 2 / 2, abs=1e-10)
    friction = run.element("friction slide")
    assert friction.force[[0, -1]] == pytest.approx([-0.4 * G * np.cos(0.3), 0.4 * G * np.cos(0.3)], rel=1e-12)
    assert friction.work[-1] == pytest.approx(-run.energy.dissipated[-1], rel=1e-10)
    held = ct.simulate(incline(0.3, 0.2, static_coefficient=0.4), 2.0, v={"slide": 3.0}, **TIGHT)
    assert held.q[-1, 0] == pytest.approx(4.5 / up, abs=1e-10)
    assert held.events[-1].t == pytest.approx(3.0 / up, abs=1e-10)
    assert held.element("friction slide").force[-1] == pytest.approx(2 * G * np.sin(0.3), rel=1e-10)


def test_block_gives_way_where_the_angle_of_friction_is_reached():
    """A block pulled by a growing force along the incline slides when it exceeds mu_s m g cos + m g sin."""
    mech = incline(0.3, 0.2, static_coefficient=0.4)
    mech.force("pull", "block", lambda t: (30 * t * np.cos(0.3), 0, 30 * t * np.sin(0.3)))
    run = ct.simulate(mech, 1.0, **TIGHT)
    slips = (0.4 * np.cos(0.3) + np.sin(0.3)) * 2 * G / 30
    assert run.events[-1].t == pytest.approx(slips, abs=1e-9)
    x = slips + np.linspace(0, 1 - slips, 2)
    a, b = 15.0, -G * (np.sin(0.3) + 0.2 * np.cos(0.3))  # x'' = a t + b
    t = x[1]
    closed = a * (t**3 - slips**3) / 6 + b * (t - slips) ** 2 / 2 - a * slips**2 / 2 * (t - slips)
    assert run.q[-1, 0] == pytest.approx(closed, abs=1e-9)


def drawer(span: float, com: float = 0.0) -> ct.Mechanism:
    mech = ct.Mechanism("drawer", gravity=(0, 0, -G))
    box = mech.body("box", mass=2, com=(0, com, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("slide", mech.ground, box, ct.Prismatic(axis=(1, 0, 0), point=(0, 0, 0)))
    mech.friction("slide", coefficient=0.25, span=span)
    return mech


def test_pads_of_a_drawer():
    """Pulled off its axis a drawer rubs on two pads: 2 mu F d / s where the pull alone loads them."""
    mech = drawer(0.5)
    mech.gravity = (0, 0, 0)
    mech.force("pull", "box", (10, 0, 0), (0, 0.3, 0))
    run = ct.simulate(mech, 1.0, **TIGHT)
    assert run.q[-1, 0] == pytest.approx(5 * (1 - 2 * 0.25 * 0.3 / 0.5) / 2, rel=1e-10)
    mech = drawer(0.14)  # 2 mu d / s > 1: it cannot be pulled out, however strongly
    mech.gravity = (0, 0, 0)
    mech.force("pull", "box", (1e4, 0, 0), (0, 0.3, 0))
    assert ct.simulate(mech, 1.0).q[-1, 0] == 0.0


def tied(how: str) -> ct.Mechanism:
    """Two blocks on one line that move alike, one of them with friction."""
    mech = ct.Mechanism("tied", gravity=(0, 0, -G))
    for name, mass, y in (("one", 2.0, 0.0), ("two", 3.0, 1.0)):
        mech.body(name, mass=mass, com=(0, y, 0), inertia=(0.1, 0.1, 0.1))
        mech.joint(f"slide {name}", mech.ground, name, ct.Prismatic(axis=(1, 0, 0), point=(0, y, 0)))
    if how == "user":
        mech.constraint("tie", jacobian=lambda q: [[1.0, -1.0]], residual=lambda q: [q[0] - q[1]])
    else:
        mech.gear("tie", "slide one", "slide two", 1.0)
    mech.friction("slide one", coefficient=0.2)
    return mech


@pytest.mark.parametrize("how", ["gear", "user"])
def test_rows_of_the_user_beside_it(how: str):
    """Solvers work in place: what the user's functions gave is not there any more at the second evaluation."""
    run = ct.simulate(tied(how), 0.5, v={"slide one": 2.0, "slide two": 2.0}, **TIGHT)
    slowing = 0.2 * 2 * G / 5
    assert run.q[-1] == pytest.approx([2 * 0.5 - slowing * 0.125] * 2, abs=1e-9)


def test_a_pull_against_which_the_load_falls():
    """Pulled at the guide with its mass beside it, a box at rest is loaded less the more it rubs: repetition would swing."""
    mech = drawer(0.14, com=0.3)
    mech.force("pull", "box", (100, 0, 0), (0, 0, 0))
    run = ct.simulate(mech, 0.01, **TIGHT)
    assert run.status == "done"
    a = 2 * run.q[-1, 0] / 0.01**2
    friction = 100 - 2 * a
    # two pads: (weight / 2) up each, and the moment of what accelerates the mass beside the guide by the span
    side = np.hypot(G, 2 * a * 0.3 / 0.14)
    assert friction == pytest.approx(0.25 * 2 * side, rel=1e-6)


def test_friction_that_loads_its_own_pads():
    """With its mass beside the guide friction turns the box against the pads, which makes more friction, without end where the
    pads are close: mu m g / sqrt(1 - (2 mu d / s)^2) about the vertical, with the weight d beside the guide carried by moments
    about the guide, which do not load the pads."""
    run = ct.simulate(drawer(0.5, com=0.3), 0.1, v={"slide": 1.0}, **TIGHT)
    force = 0.25 * 2 * G / np.sqrt(1 - (2 * 0.25 * 0.3 / 0.5) ** 2)
    assert run.element("friction slide").force == pytest.approx(-force, rel=1e-12)
    assert run.q[-1, 0] == pytest.approx(0.1 - force / 2 * 0.01 / 2, rel=1e-12)
    with pytest.raises(MotionError, match=r"'friction slide' at t = 0 s: .* jams: the friction makes a load"):
        ct.simulate(drawer(0.14, com=0.3), 0.1, v={"slide": 1.0})


def test_jam_beside_a_joint_at_rest():
    mech = drawer(0.14, com=0.3)
    mech.body("other", mass=1, com=(0, 0, 0), inertia=(1, 1, 1))
    mech.joint("still", mech.ground, "other", ct.Prismatic(axis=(1, 0, 0)))
    mech.friction("still", coefficient=0.2)
    with pytest.raises(SwitchError, match="no forces at rest are in balance with it: the joint jams"):
        ct.simulate(mech, 0.1, v={"slide": 1.0})


def bearing_pendulum(mu: float, radius: float, **more: float) -> ct.Mechanism:
    mech = ct.Mechanism("bearing", gravity=(0, 0, -G))
    rod = mech.body("rod", mass=1.5, com=(0, 0, -0.4), inertia=(0.1, 0.1, 0.02))
    mech.joint("A", mech.ground, rod, ct.Revolute(point=(0, 0, 0), axis=(0, 1, 0)))
    mech.friction("A", coefficient=mu, radius=radius, **more)
    return mech


def pendulum_acceleration(phi: float, w: float, sense: float, k: float) -> float:
    """Torque k |F| of a bearing, k = mu r, F by Newton's law with the acceleration that it leaves: by bisection."""
    m, l, inertia = 1.5, 0.4, 0.1 + 1.5 * 0.16

    def acceleration(torque: float) -> float:
        return (-m * G * l * np.sin(phi) - sense * torque) / inertia

    def left(torque: float) -> float:
        along = m * G * np.cos(phi) + m * l * w * w
        return torque - k * np.hypot(m * l * acceleration(torque) + m * G * np.sin(phi), along)

    return acceleration(brentq(left, 0.0, 100.0, xtol=1e-15, rtol=1e-15))


def test_pendulum_in_a_bearing_beside_scipy():
    """Half swings one after the other, each ended by an event; friction is solved for by bisection there."""
    k, t, x, sense, turns = 0.3 * 0.05, 0.0, np.array([1.0, 0.0]), -1.0, []
    while t < 3.0:

        def slope(t: float, x: np.ndarray, sense: float = sense) -> list[float]:
            return [x[1], pendulum_acceleration(x[0], x[1], sense, k)]

        def stop(t: float, x: np.ndarray) -> float:
            return x[1]

        stop.terminal, stop.direction = True, -sense
        found = solve_ivp(slope, (t, 3.0), x, method="DOP853", rtol=1e-12, atol=1e-13, events=stop)
        t, x = found.t[-1], found.y[:, -1]
        if found.status == 1:
            turns.append(t)
            x, sense = np.array([x[0], 0.0]), -sense
    run = ct.simulate(bearing_pendulum(0.3, 0.05), 3.0, q={"A": 1.0}, rtol=1e-12, atol=1e-12)
    assert len(turns) >= 3
    assert abs(run.q[-1, 0] - x[0]) < 1e-9
    assert abs(run.v[-1, 0] - x[1]) < 1e-8
    balance = run.energy.total + run.energy.dissipated - run.energy.supplied
    assert np.ptp(balance) < 1e-9
    force = run.reaction("A").force
    size = 0.3 * 0.05 * np.linalg.norm(force, axis=1)
    sliding = np.abs(run.v[:, 0]) > 1e-6
    assert np.abs(run.element("friction A").force)[sliding] == pytest.approx(size[sliding], rel=1e-10)


def test_decay_of_small_swings():
    """Of small swings a bearing takes 2 mu r / l from the amplitude in each half swing, as Coulomb has it, until it sticks."""
    run = ct.simulate(bearing_pendulum(0.2, 0.004), 2.0, q={"A": 0.01}, rtol=1e-11, atol=1e-13)
    assert run.joint("A").angle.min() == pytest.approx(-(0.01 - 2 * 0.2 * 0.004 / 0.4), rel=2e-4)
    assert abs(run.joint("A").rate[-1]) == 0.0
    assert abs(run.joint("A").angle[-1]) < 0.2 * 0.004 / 0.4


POINTS = {"A": (0.0, 0.0), "B": (0.6, 0.8), "C": (2.4, 1.4), "D": (2.5, 0.0)}
MASSES, INERTIAS = np.array([1.0, 2.0, 1.0]), np.array([0.1, 0.6, 0.2])
ENDS = (("A", "B"), ("B", "C"), ("D", "C"))
K = {"A": 0.02, "B": 0.03, "C": 0.01, "D": 0.02}  # coefficient * radius


def four_bar() -> ct.Mechanism:
    mech = ct.Mechanism("four-bar", gravity=(0, -G, 0))
    for k, (a, b) in enumerate(ENDS):
        com = (np.array(POINTS[a]) + POINTS[b]) / 2
        mech.body(f"bar{k}", mass=MASSES[k], com=(*com, 0), inertia=(1, 1, INERTIAS[k]))
    for name, parent, child in (
        ("A", "ground", "bar0"),
        ("B", "bar0", "bar1"),
        ("C", "bar1", "bar2"),
        ("D", "ground", "bar2"),
    ):
        mech.joint(name, parent, child, ct.Revolute(point=(*POINTS[name], 0), axis=(0, 0, 1)))
        mech.friction(name, coefficient=0.1, radius=10 * K[name])
    return mech


def planar_terms(x: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, ...]:
    """Absolute planar coordinates (com, angle) of the three bars: rows A, B, C, D of two each, J and its bias -dJ/dt u."""
    J, bias, rows = np.zeros((8, 9)), np.zeros(8), ((0, None), (1, 0), (2, 1), (2, None))
    for r, (name, (child, parent)) in enumerate(zip("ABCD", rows, strict=True)):
        for body, sign in ((child, 1.0), (parent, -1.0)):
            if body is None:
                continue
            a, b = (np.array(POINTS[n]) for n in ENDS[body])
            s0 = np.array(POINTS[name]) - (a + b) / 2
            c, s = np.cos(x[3 * body + 2]), np.sin(x[3 * body + 2])
            arm = np.array([c * s0[0] - s * s0[1], s * s0[0] + c * s0[1]])
            J[2 * r : 2 * r + 2, 3 * body : 3 * body + 2] += sign * np.eye(2)
            J[2 * r : 2 * r + 2, 3 * body + 2] += sign * np.array([-arm[1], arm[0]])
            bias[2 * r : 2 * r + 2] += sign * arm * u[3 * body + 2] ** 2
    return J, bias


def planar_acceleration(x: np.ndarray, u: np.ndarray) -> np.ndarray:
    """Friction moments from the joint forces of the last iterate, until they stay."""
    J, eta = planar_terms(x, u)
    M = np.diag(np.column_stack([MASSES, MASSES, INERTIAS]).ravel())
    f0 = np.zeros(9)
    f0[1::3] = -MASSES * G
    w = np.array([u[2], u[5] - u[2], u[8] - u[5], u[8]])  # child less parent
    KKT = np.block([[M, J.T], [J, np.zeros((8, 8))]])
    moments = np.zeros(4)
    for _ in range(100):
        f = f0.copy()
        f[2] += moments[0] - moments[1]
        f[5] += moments[1] - moments[2]
        f[8] += moments[2] + moments[3]
        solved = np.linalg.solve(KKT, np.concatenate([f, eta]))
        lam = solved[9:].reshape(4, 2)
        new = -np.sign(w) * np.array(list(K.values())) * np.linalg.norm(lam, axis=1)
        done, moments = np.abs(new - moments).max() < 1e-14, new
        if done:
            break
    return solved[:9]


@pytest.fixture(scope="module")
def reference() -> np.ndarray:
    """State after 0.25 s, before any bearing turns back; crank at 2 rad/s at the start."""
    x = np.array([v for (a, b) in ENDS for v in (*(np.array(POINTS[a]) + POINTS[b]) / 2, 0.0)])
    J, _ = planar_terms(x, np.zeros(9))
    u = np.linalg.solve(np.vstack([J, np.eye(9)[2]]), np.append(np.zeros(8), 2.0))

    def slope(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[9:], planar_acceleration(y[:9], y[9:])])

    return solve_ivp(slope, (0, 0.25), np.concatenate([x, u]), method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]


def test_one_ratio_of_static_friction():
    """Static and sliding friction have one ratio, for the constant part and for that of the load; both must say so."""
    for given in (
        {"coulomb": 0.1, "static": 0.3, "coefficient": 0.2, "radius": 0.01},
        {"coulomb": 1.0, "coefficient": 0.2, "radius": 0.1, "static_coefficient": 0.4},
        {"static": 0.5, "coefficient": 0.2, "radius": 0.01},
    ):
        with pytest.raises(SwitchError, match="static"):
            ct.gallery.four_bar().friction("A", **given)
    both = {"coulomb": 0.1, "static": 0.2, "coefficient": 0.2, "static_coefficient": 0.4, "radius": 0.01}
    assert ct.gallery.four_bar().friction("A", **both).static_ratio == pytest.approx(2.0)
    with pytest.raises(SwitchError, match="-5"):
        drawer(0.5).brake("slide", -5.0, coefficient=0.2, name="more")


def test_a_jam_on_the_way_keeps_what_was_computed():
    mech = ct.Mechanism("drawer", gravity=(0, 0, -G))
    box = mech.body("box", mass=2, com=(0, 0.3, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("slide", mech.ground, box, ct.Prismatic(axis=(1, 0, 0), point=(0, 0, 0)))
    mech.brake("slide", 0.0, at=0.2, coefficient=0.25, span=0.14, name="pads")
    run = ct.simulate(mech, 1.0, v={"slide": 1.0})
    assert run.status == "failed"
    assert "'pads'" in run.message
    assert 0.19 < run.t[-1] <= 0.2


@pytest.mark.parametrize("formulation", ["auto", "index1", "projection", "voronets", "odca"])
def test_four_bar_with_bearings_beside_scipy(formulation: str, reference: np.ndarray):
    """All four bearings rub, one of them at the cut joint; the reference is in absolute planar coordinates."""
    run = ct.simulate(four_bar(), 0.25, v={"A": 2.0}, formulation=formulation, rtol=1e-11, atol=1e-11)
    assert len(run.events) == 1  # which switches the bearings on: none has turned back
    assert run.joint("A").angle[-1] == pytest.approx(reference[2], abs=1e-9)
    assert run.joint("C").angle[-1] == pytest.approx(reference[8] - reference[5], abs=1e-9)
    assert run.joint("D").rate[-1] == pytest.approx(reference[17], abs=1e-8)
    balance = run.energy.total + run.energy.dissipated - run.energy.supplied
    assert np.ptp(balance) < 1e-8
    for name, k in K.items():
        size = k * np.linalg.norm(run.reaction(name).force[:, :2], axis=1)
        assert np.abs(run.element(f"friction {name}").force[1:-1]) == pytest.approx(size[1:-1], rel=1e-9)


def test_absolute_coordinates_agree(reference: np.ndarray):
    run = ct.simulate(four_bar().compile("absolute"), 0.25, v={"A": 2.0}, rtol=1e-11, atol=1e-11)
    assert run.joint("A").angle[-1] == pytest.approx(reference[2], abs=1e-8)


def test_file_and_text(tmp_path):
    mech = incline(0.3, 0.2, static_coefficient=0.4, span=0.1)
    ct.save(mech, tmp_path / "incline.json")
    loaded = ct.load(tmp_path / "incline.json")
    assert loaded.devices["friction slide"] == mech.devices["friction slide"]
    assert "0.2 of the load, static 2 times that" in str(mech.compile())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"coefficient": 0.2}, "needs a lever; give the radius= of its bearing"),
        ({"coefficient": -0.2, "radius": 0.1}, "give a positive coulomb"),
        ({"coefficient": 0.2, "radius": -0.1}, "none of the lengths negative"),
        ({"coulomb": 0.2, "radius": 0.1}, "need coefficient="),
        ({"coefficient": 0.2, "radius": 0.1, "static_coefficient": 0.1}, "less than the coefficient"),
        ({"coulomb": 1, "static": 2, "coefficient": 0.2, "radius": 0.1, "static_coefficient": 0.3}, "only one ratio"),
    ],
)
def test_mistakes(given: dict, words: str):
    mech = ct.gallery.pendulum_chain(1)
    with pytest.raises(SwitchError, match=words):
        mech.friction("J1", **given)


def test_refusals():
    mech = incline(0.3, 0.2)
    with pytest.raises(SwitchError, match="transmits no force along its axis"):
        mech.friction("slide", coefficient=0.2, thrust_radius=0.1, name="other")
    ball = mech.body("ball", mass=1, com=(0, 0, 0), inertia=(1, 1, 1))
    mech.joint("S", "block", ball, ct.Spherical(point=(0, 0, 0)))
    with pytest.raises(SwitchError, match="this is a Spherical"):
        mech.friction("S", coefficient=0.2, coordinate="wx")
    with pytest.raises(ChoiceError, match="does not know load-dependent friction"):
        ct.simulate(incline(0.3, 0.2), 1.0, method="generalized-alpha", step=1e-2)
    with pytest.raises(StudyError, match=r"ct.equilibrium does not know load-dependent friction .*'friction slide'"):
        ct.equilibrium(incline(0.3, 0.2))
    breaks = four_bar()
    breaks.breaks("C", force=1e5)
    with pytest.raises(SwitchError, match="do not know such friction"):
        ct.simulate(breaks, 0.1)
    twice = incline(0.3, 0.5)
    twice.friction("slide", coefficient=0.5, name="again")
    with pytest.raises(SwitchError, match="hold the same motion"):
        ct.simulate(twice, 0.1)
