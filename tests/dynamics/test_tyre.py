"""Tyres: the brush model against formulas and integrations of its own, energy, standing still, a single-track model."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

import cotree as ct
from cotree.errors import ForceError

R, K, C, MU, CX, CY, HALF, LOW, G = 0.3, 2e5, 0.05, 0.9, 6e4, 5e4, 0.06, 0.1, 9.81
GIVEN = {"radius": R, "stiffness": K, "friction": MU, "longitudinal": CX, "lateral": CY, "damping": C, "low_speed": LOW}


def brush(ux: float, uy: float, rolling: float, load: float) -> tuple[float, float, float]:
    """(Fx, Fy, aligning moment), by integrals over the bristles: parabolic pressure, deflection limited by friction."""
    sx, sy = np.array([ux, uy]) / np.hypot(rolling, LOW)
    most = MU * load
    pull = np.array([CX * sx, CY * sy])
    size = np.linalg.norm(pull)
    if size == 0.0:
        return 0.0, 0.0, 0.0
    # bristles at xi from 0 (leading edge) to 1: adhesion 2 size xi, limit 6 most xi (1 - xi)
    slide = max(0.0, 1.0 - size / (3.0 * most))
    xi, w = np.polynomial.legendre.leggauss(8)
    force = lever = 0.0
    for a, b, sticks in ((0.0, slide, True), (slide, 1.0, False)):
        x, weight = a + (b - a) * (xi + 1) / 2, w * (b - a) / 2
        density = 2.0 * size * x if sticks else 6.0 * most * x * (1.0 - x)
        force += weight @ density
        lever += weight @ (density * (2.0 * x - 1.0)) * HALF  # behind the centre
    fx, fy = -force * pull / size
    return fx, fy, lever * pull[1] / size * rolling / np.hypot(rolling, LOW)


def free_wheel(**more: float) -> ct.Mechanism:
    mech = ct.Mechanism("wheel", gravity=(0, 0, -G))
    wheel = mech.body("wheel", mass=10, com=(0, 0, R), inertia=(0.6, 1.2, 0.6))
    mech.joint("free", mech.ground, wheel, ct.Free())
    mech.tyre("tyre", wheel, **{**GIVEN, "half_length": HALF, **more})
    return mech


@pytest.mark.parametrize(
    ("speed", "side", "spin"),
    [(20, 0, 60), (20, 1, 70), (20, 9, 10), (-5, 0.5, -20), (3, -2, 0), (0, 0, 0), (20, 0.2, 67)],
)
def test_forces_of_a_wheel_beside_bristles(speed: float, side: float, spin: float):
    system = free_wheel().compile()
    q = {"free.z": -0.004}
    run = ct.simulate(
        system, 1e-9, q=q, v={"free.vx": speed - spin * R, "free.vy": side, "free.wy": spin}, step=1e-9, output=[0.0]
    )
    tyre, depth = run.element("tyre"), 0.004
    load, rolling = K * depth, spin * (R - depth)
    fx, fy, moment = brush(speed - rolling, side, rolling, load)
    assert tyre.normal[0] == pytest.approx(load, rel=1e-12)
    assert tyre.deflection[0] == pytest.approx(depth, rel=1e-12)
    assert (tyre.longitudinal[0], tyre.lateral[0]) == pytest.approx((fx, fy), rel=1e-10, abs=1e-9)
    assert tyre.aligning[0] == pytest.approx(moment, rel=1e-9, abs=1e-10)
    assert tyre.force[0] == pytest.approx([fx, fy, load], rel=1e-10, abs=1e-9)
    if speed:
        assert tyre.slip_angle[0] == pytest.approx(np.arctan2(side, abs(speed)), rel=1e-12, abs=1e-15)
    if abs(rolling) > 1:
        assert tyre.slip[0] == pytest.approx((rolling - speed) / np.hypot(rolling, LOW), rel=1e-10)


def test_energy_of_a_wheel_that_leans_and_jumps():
    """Dropped with camber, yaw, spin and side slip: what the tyre stores, dissipates and moves is all there is."""
    start = {"free.z": 0.02, "free.vx": 8.0, "free.vy": 1.0, "free.wy": 20.0, "free.wx": 0.8, "free.wz": 1.0}
    v = {k: x for k, x in start.items() if k != "free.z"}
    run = ct.simulate(free_wheel(), 0.25, q={"free.z": 0.02}, v=v, rtol=1e-11, atol=1e-11)
    e = run.energy
    assert np.abs(e.total + e.dissipated - e.supplied - e.total[0]).max() < 1e-7 * e.total[0]
    assert run.element("tyre").normal.max() > 500.0
    assert run.element("tyre").normal[0] == 0.0
    assert e.dissipated[-1] > 1.0


def test_energy_of_a_wheel_that_turns_with_little_slip():
    """The aligning moment does work where the wheel turns about the normal; it is none where the tread slides as a whole."""
    spin = 8.0 / (R - 0.004)
    v = {"free.vx": 8.0 - spin * R, "free.vy": 0.1, "free.wy": spin, "free.wz": 3.0}
    run = ct.simulate(free_wheel(), 0.01, q={"free.z": -0.004}, v=v, rtol=1e-11, atol=1e-11)
    turned = run.orientation("wheel").angular_velocity[:, 2]
    work = np.trapezoid(run.element("tyre").aligning * turned, run.t)
    assert abs(work) > 1e-3
    assert np.abs(run.energy.balance).max() < 1e-8


def test_braking_beside_scipy():
    """A quarter car: travels, hops and spins; SciPy integrates it with formulas of its own."""
    mech = ct.Mechanism("quarter", gravity=(0, 0, -G))
    carrier = mech.body("carrier", mass=30, com=(0, 0, R), inertia=(1, 1, 1))
    wheel = mech.body("wheel", mass=10, com=(0, 0, R), inertia=(0.6, 1.2, 0.6))
    mech.joint("plane", mech.ground, carrier, ct.PlanarTranslation(normal=(0, 1, 0)))
    mech.joint("spin", carrier, wheel, ct.Revolute(point=(0, 0, R), axis=(0, 1, 0)))
    mech.tyre("tyre", wheel, **GIVEN)
    mech.motor("brake", "spin", -150.0)

    def slope(t: float, y: np.ndarray) -> list[float]:
        _, h, _, vx, vz, w = y  # h: height of the centre
        depth = R - h
        load = K * depth * max(0.0, 1.0 - C * vz) if depth > 0.0 else 0.0
        fx = brush(vx - w * h, 0.0, w * h, load)[0] if load > 0.0 else 0.0
        return [vx, vz, w, fx / 40, load / 40 - G, (-150.0 - fx * h) / 1.2]

    found = solve_ivp(slope, (0, 0.3), [0, R, 0, 20, 0, 66], method="DOP853", rtol=1e-11, atol=1e-12, max_step=1e-3).y[
        :, -1
    ]
    run = ct.simulate(mech, 0.3, v=_start(mech), rtol=1e-11, atol=1e-11)
    centre = run.point("wheel", (0, 0, R))
    assert centre.position[-1, [0, 2]] == pytest.approx(found[:2], abs=1e-8)
    assert centre.velocity[-1, [0, 2]] == pytest.approx(found[3:5], abs=1e-7)
    assert run.joint("spin").rate[-1] == pytest.approx(found[5], abs=1e-7)
    e = run.energy
    assert np.abs(e.total + e.dissipated - e.supplied - e.total[0]).max() < 1e-8 * e.total[0]


def _start(mech: ct.Mechanism) -> np.ndarray:
    """20 m/s along x, 66 rad/s."""
    system, v = mech.compile(), np.zeros(3)
    for k, name in enumerate(system.v_names):
        u = np.zeros(3)
        u[k] = 1.0
        if name == "spin":
            v[k] = 66.0
        elif abs(ct.twists(system, system.q0, u)[1, 3]) > 0.5:
            v[k] = 20.0
    return v


def test_wheel_at_rest_stays_regular():
    """On a slope a locked wheel creeps with the speed at which the brush holds its weight."""
    slope = 0.1
    mech = ct.Mechanism("parked", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    wheel = mech.body("wheel", mass=10, com=(0, 0, R), inertia=(0.6, 1.2, 0.6))
    mech.joint("plane", mech.ground, wheel, ct.PlanarTranslation(normal=(0, 1, 0)))
    mech.tyre("tyre", wheel, **GIVEN)
    run = ct.simulate(mech, 1.0)
    tyre = run.element("tyre")
    assert tyre.longitudinal[-1] == pytest.approx(-10 * G * np.sin(slope), rel=1e-3)
    creep = run.point("wheel", (0, 0, R)).velocity[-1, 0]
    assert brush(creep, 0.0, 0.0, tyre.normal[-1])[0] == pytest.approx(tyre.longitudinal[-1], rel=1e-9)
    assert 0.0 < creep < LOW


def test_steady_cornering_of_a_single_track():
    """Side force and yaw moment of two axles in balance, m v r = F1 cos + F2, a F1 cos = b F2, with the same brush."""
    a, b, depth, steer, mass = 1.2, 1.4, 0.02, 0.02, 800.0
    mech = ct.Mechanism("single track", gravity=(0, 0, 0))
    car = mech.body("car", mass=mass, com=(0, 0, 0.5), inertia=(300, 1000, 1200))
    mech.joint("road", mech.ground, car, ct.Planar(point=(0, 0, 0.5), normal=(0, 0, 1)))
    for name, x, angle in (("front", a, steer), ("rear", -b, 0.0)):
        wheel = mech.body(name, mass=1e-3, com=(x, 0, R - depth), inertia=(1e-2, 1e-2, 1e-2))
        axis = (-np.sin(angle), np.cos(angle), 0)
        mech.joint(f"{name} axle", car, wheel, ct.Revolute(point=(x, 0, R - depth), axis=axis))
        mech.tyre(name + " tyre", wheel, **{**GIVEN, "damping": 0.0}, axis=axis)
    spin = 15.0 / (R - depth)
    run = ct.simulate(mech, 4.0, v={"road.vx": 15.0, "front axle": spin, "rear axle": spin}, output=[0, 4.0])
    R_, velocity = run.poses()[-1, 1, :3, :3], run.point("car", (0, 0, 0.5)).velocity[-1]
    vx, vy, _ = R_.T @ velocity
    yaw = run.v[-1, run.system.v_index("road.wz")]

    def left(unknown: np.ndarray) -> list[float]:
        side, r = unknown
        along, across = (
            np.cos(steer) * vx + np.sin(steer) * (side + a * r),
            np.cos(steer) * (side + a * r) - np.sin(steer) * vx,
        )
        front = brush(0.0, across, along, K * depth)[1]
        rear = brush(0.0, side - b * r, vx, K * depth)[1]
        return [mass * vx * r - front * np.cos(steer) - rear, a * front * np.cos(steer) - b * rear]

    side, r = fsolve(left, [0.0, 0.1], xtol=1e-12)
    assert yaw == pytest.approx(r, rel=2e-3)
    assert vy == pytest.approx(side, rel=5e-3)
    tyre = run.element("front tyre")
    assert abs(tyre.slip_angle[-1]) < 0.1
    assert tyre.normal[-1] == pytest.approx(K * depth, rel=1e-9)


def test_file_and_mistakes(tmp_path):
    mech = free_wheel(road=(0, 0, -0.1), normal=(0, 0.1, 1), axis=(0.1, 1, 0))
    ct.save(mech, tmp_path / "wheel.json")
    found, own = ct.load(tmp_path / "wheel.json").elements["tyre"], mech.elements["tyre"]
    for field in ("center", "axis", "road", "normal"):
        assert getattr(found, field) == pytest.approx(getattr(own, field), abs=1e-15)
    assert (found.longitudinal, found.lateral, found.half_length) == (CX, CY, HALF)
    wheel = mech.bodies["wheel"]
    with pytest.raises(ForceError, match="radius is 0; it must be positive"):
        mech.tyre("other", wheel, radius=0, stiffness=1)
    with pytest.raises(ForceError, match="give a body that moves"):
        mech.tyre("other", "ground", radius=1, stiffness=1)
    with pytest.raises(ForceError, match="neither may be zero"):
        mech.tyre("other", wheel, radius=1, stiffness=1, axis=(0, 0, 0))
