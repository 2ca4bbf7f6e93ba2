"""Springs by tables, ropes, stops, bushings, cables, drag, fields, forces between points: against SciPy and their energies."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator
from scipy.spatial.transform import Rotation

import cotree as ct
from cotree.errors import DocumentError, ForceError
from cotree.io.mjcf import mjcf_text
from cotree.io.native.describing import plain

TABLE = [(-1.0, -20.0), (-0.1, -1.0), (0.0, 0.0), (0.2, 3.0), (1.0, 40.0)]
RUBS = [(-2.0, -2.0), (0.0, 0.0), (0.5, 0.8), (2.0, 1.5)]
MASS, MU = 0.5, 5.0
ANCHOR, TOP, LOW, SIDE = (np.array(x) for x in ((0.3, 0.0, 0.0), (0.0, 0.0, 0.2), (0.0, 0.1, -1.9), (-0.5, 0.2, 0.3)))
PLANET, WIND = np.array([0.0, 0.0, 3.0]), np.array([1.0, 0.5, 0.0])
START, SPEED = np.array([0.0, 0.0, -1.0]), np.array([0.5, -0.3, 2.0])


def push_of(length, rate, t):
    return 0.3 * length - 0.1 * rate + np.sin(3.0 * t)


def point_mass():
    mech = ct.Mechanism("point")
    ball = mech.body("ball", MASS, START, (1e-3, 1e-3, 1e-3))
    mech.joint("space", mech.ground, ball, ct.Translation())
    at = (ball, START)
    mech.nonlinear_spring("spring", mech.ground, ANCHOR, *at, TABLE, damping=RUBS)
    mech.rope("rope", mech.ground, TOP, *at, 300.0, length=1.0, damping=0.3)
    mech.bump_stop("stop", mech.ground, LOW, *at, 500.0, length=0.95, damping=0.2, exponent=1.5)
    mech.force_between("jack", mech.ground, SIDE, *at, push_of)
    mech.cable("cable", [("ground", ANCHOR), at, ("ground", SIDE)], 50.0, length=2.0, damping=0.1)
    mech.drag("air", ball, 0.02, wind=WIND)
    mech.central_gravity("planet", ball, MU, center=PLANET)
    return mech


def line(x, v, a):
    d = x - a
    r = np.linalg.norm(d)
    return d / r, r, d @ v / r


CURVE, DAMPER = (PchipInterpolator(*np.transpose(points)) for points in (TABLE, RUBS))


def straight(f, points, x):
    """The curve, straight beyond its ends."""
    low, high = points[0][0], points[-1][0]
    inside = np.clip(x, low, high)
    return f(inside) + f.derivative()(inside) * (x - inside)


def forces(t, x, v):
    """By name, written down once more."""
    out = {}
    e, r, u = line(x, v, ANCHOR)
    rest = np.linalg.norm(START - ANCHOR)
    out["spring"] = -(straight(CURVE, TABLE, r - rest) + straight(DAMPER, RUBS, u)) * e
    far = r
    e, r, u = line(x, v, TOP)
    out["rope"] = -300.0 * max(r - 1.0, 0.0) * max(0.0, 1.0 + 0.3 * u) * e
    e, r, u = line(x, v, LOW)
    out["stop"] = 500.0 * max(0.95 - r, 0.0) ** 1.5 * max(0.0, 1.0 - 0.2 * u) * e
    e, r, u = line(x, v, SIDE)
    out["jack"] = push_of(r, u, t) * e
    a, _, w = line(x, v, ANCHOR)
    out["cable"] = -50.0 * max(r + far - 2.0, 0.0) * max(0.0, 1.0 + 0.1 * (u + w)) * (e + a)
    out["air"] = -0.02 * np.linalg.norm(v - WIND) * (v - WIND)
    e, r, _ = line(x, v, PLANET)
    out["planet"] = -MU * MASS / r**2 * e
    return out


@pytest.fixture(scope="module")
def run():
    return ct.simulate(point_mass(), 1.5, v=SPEED, rtol=1e-11, atol=1e-11, output=76)


def test_the_motion_is_scipys(run):
    def rate(t, y):
        x, v = START + y[:3], y[3:]
        return np.append(v, sum(forces(t, x, v).values()) / MASS + (0.0, 0.0, -9.81))

    found = solve_ivp(rate, (0.0, 1.5), np.append(np.zeros(3), SPEED), "DOP853", run.t, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(run.q, found.y[:3].T, atol=1e-8)
    np.testing.assert_allclose(run.v, found.y[3:].T, atol=1e-7)
    for name in ("rope", "stop", "cable"):  # each has acted, and has not
        assert 0.0 < np.mean(run.element(name).force > 0.0) < 1.0


def test_energy_and_sensors(run):
    books = run.energy
    np.testing.assert_allclose(books.total - books.total[0], books.supplied - books.dissipated, atol=1e-8)
    assert books.dissipated[-1] > 1.0
    scalar = {"spring": 1, "rope": 1, "stop": 1, "jack": 1, "cable": 1, "planet": 1}
    for k in (3, 30, 60):
        x, v = START + run.q[k], run.v[k]
        for name, F in forces(run.t[k], x, v).items():
            element = run.element(name)
            assert element.power[k] == pytest.approx(F @ v, abs=1e-9)
            if name in scalar and name != "cable":
                assert abs(element.force[k]) == pytest.approx(np.linalg.norm(F), abs=1e-9)
            elif name == "air":
                np.testing.assert_allclose(element.force[k], F, atol=1e-9)


def test_derivatives(run):
    """Of forward dynamics by q and v, against differences; nothing acts at a kink here."""
    system, q, v, h = point_mass().compile(), run.q[30], run.v[30], 1e-6
    found = ct.forward_dynamics_derivatives(system, q, v, t=0.6)
    for k, e in enumerate(h * np.eye(3)):
        by_q = ct.forward_dynamics(system, q + e, v, t=0.6).v_dot - ct.forward_dynamics(system, q - e, v, t=0.6).v_dot
        by_v = ct.forward_dynamics(system, q, v + e, t=0.6).v_dot - ct.forward_dynamics(system, q, v - e, t=0.6).v_dot
        np.testing.assert_allclose(found.dq[:, k], by_q / (2 * h), rtol=1e-6, atol=1e-5)
        np.testing.assert_allclose(found.dv[:, k], by_v / (2 * h), rtol=1e-6, atol=1e-5)


# -- bushing --------------------------------------------------------------------------------------------------

POINT, AXES = np.array([0.1, 0.0, -1.0]), Rotation.from_euler("xyz", (0.3, -0.5, 0.8)).as_matrix()
HALF = np.random.default_rng(3).standard_normal((6, 6))
K, C = 10.0 * HALF @ HALF.T, np.diag([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])


def held(damping=0.0):
    mech = ct.Mechanism("held", gravity=(0, 0, 0))
    a = mech.body("a", 1.0, (0, 0, -0.5), (0.1, 0.2, 0.25))
    b = mech.body("b", 0.5, (0, 0, -1.2), (0.05, 0.06, 0.07))
    mech.joint("first", mech.ground, a, ct.Free())
    mech.joint("second", mech.ground, b, ct.Free())
    mech.bushing("rubber", "a", "b", POINT, K, damping, AXES)
    return mech


def test_a_bushing_has_the_energy_of_its_stiffness():
    """Energy from poses by SciPy's rotations; the wrench is its derivative, and momentum is kept."""
    system, rng = held().compile(), np.random.default_rng(5)
    q = ct.displace(system, system.q0, 0.4 * rng.standard_normal(12))
    T = ct.poses(system, q)
    A, B = (T[system.row_of(n)] for n in ("a", "b"))
    R = AXES.T @ A[:3, :3].T @ B[:3, :3] @ AXES
    at_a, at_b = (X[:3, :3] @ POINT + X[:3, 3] for X in (A, B))
    x = np.append(Rotation.from_matrix(R).as_rotvec(), AXES.T @ A[:3, :3].T @ (at_b - at_a))
    assert ct.energy(system, q).potential == pytest.approx(0.5 * x @ K @ x, rel=1e-12)
    tau, h = ct.inverse_dynamics(system, q), 1e-5
    for k, e in enumerate(h * np.eye(12)):
        after, before = (ct.energy(system, ct.displace(system, q, s * e)).potential for s in (1.0, -1.0))
        assert tau[k] == pytest.approx((after - before) / (2 * h), abs=1e-6)
    v = rng.standard_normal(12)
    change = ct.momentum(system, q, v + 1e-6 * ct.forward_dynamics(system, q, v).v_dot) - ct.momentum(system, q, v)
    turned = ct.displace(system, q, 1e-6 * v)
    np.testing.assert_allclose(ct.momentum(system, turned, v) - ct.momentum(system, q, v) + change, 0.0, atol=1e-9)


def test_a_bushing_takes_energy():
    mech = held(C)
    v = np.random.default_rng(6).standard_normal(12)
    run = ct.simulate(mech, 1.0, v=v, rtol=1e-11, atol=1e-11)
    books = run.energy
    assert books.dissipated[-1] > 0.1
    np.testing.assert_allclose(books.total - books.total[0], -books.dissipated, atol=1e-8)
    system = run.system
    p = np.array([ct.momentum(system, q, u) for q, u in zip(run.q, run.v, strict=True)])
    np.testing.assert_allclose(p - p[0], 0.0, atol=1e-8)
    assert run.element("rubber").force.shape == (len(run.t), 3)


# -- joints ---------------------------------------------------------------------------------------------------


def pendulum():
    mech = ct.Mechanism("pendulum", gravity=(0, -9.81, 0))
    arm = mech.body("arm", 1.0, (0, -1.0, 0), (0.2, 0.2, 0.2))
    mech.joint("pin", mech.ground, arm, ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.nonlinear_joint_spring("stop", "pin", TABLE, damping=RUBS, rest=0.1)
    mech.motor_curve("motor", "pin", [(-4.0, 3.0), (0.0, 2.0), (6.0, 0.0), (7.0, 0.0)], throttle=0.5)
    return mech


def test_tables_on_a_joint():
    mech = pendulum()
    run = ct.simulate(mech, 3.0, v=[2.0], rtol=1e-11, atol=1e-11, output=31)
    drive = PchipInterpolator([-4.0, 0.0, 6.0, 7.0], [1.5, 1.0, 0.0, 0.0])

    def rate(t, y):
        torque = drive(y[1]) - straight(CURVE, TABLE, y[0] - 0.1) - straight(DAMPER, RUBS, y[1])
        return y[1], (torque - 9.81 * np.sin(y[0])) / 1.2

    found = solve_ivp(rate, (0.0, 3.0), (0.0, 2.0), "DOP853", run.t, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(run.q[:, 0], found.y[0], atol=1e-8)
    books = run.energy
    np.testing.assert_allclose(books.total - books.total[0], books.supplied - books.dissipated, atol=1e-8)
    assert abs(books.supplied[-1]) > 0.1
    np.testing.assert_allclose(run.element("motor").torque, drive(run.v[:, 0]), atol=1e-10)
    system, q, v, h = run.system, run.q[7], run.v[7], 1e-6
    d = ct.forward_dynamics_derivatives(system, q, v)
    by_q = ct.forward_dynamics(system, q + h, v).v_dot - ct.forward_dynamics(system, q - h, v).v_dot
    by_v = ct.forward_dynamics(system, q, v + h).v_dot - ct.forward_dynamics(system, q, v - h).v_dot
    np.testing.assert_allclose((d.dq[0], d.dv[0]), (by_q / (2 * h), by_v / (2 * h)), rtol=1e-6)


# -- loops, files, mistakes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("formulation", ["index1", "odca"])
def test_elements_in_a_loop(formulation):
    """Generalized forces are the derivatives of the energy, and solvers see them."""
    mech, bare = ct.gallery.four_bar(), ct.gallery.four_bar()
    mech.cable(
        "cable", [("crank", (0.3, 0.4, 0)), ("coupler", (1.5, 1.1, 0)), ("rocker", (2.4, 0.7, 0))], 80.0, length=1.0
    )
    mech.nonlinear_spring("spring", "ground", (1, 2, 0), "coupler", (1.5, 1.1, 0), TABLE)
    system, other = mech.compile(), bare.compile()
    q = ct.assemble(system, system.q0 + 0.1)
    tau, h = ct.inverse_dynamics(other, q) - ct.inverse_dynamics(system, q), 1e-5
    for k, e in enumerate(h * np.eye(system.nv)):
        stored = [ct.energy(s, q + sign * e).potential for s in (system, other) for sign in (1, -1)]
        assert -tau[k] == pytest.approx((stored[0] - stored[1] - stored[2] + stored[3]) / (2 * h), abs=1e-6)
    found = ct.forward_dynamics(system, q, formulation=formulation).v_dot
    same = ct.forward_dynamics(other, q, tau=tau, formulation=formulation).v_dot
    np.testing.assert_allclose(found, same, rtol=1e-9)


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_files(tmp_path, suffix):
    for k, mech in enumerate((point_mass(), held(C), pendulum())):
        ct.save(mech, tmp_path / f"{k}{suffix}")
        again = ct.load(tmp_path / f"{k}{suffix}", functions={"push_of": push_of})
        assert plain(again) == plain(mech)
        assert type(again.elements.get("stop")) is type(mech.elements.get("stop"))
    with pytest.raises(DocumentError, match="'stop' on joint 'pin' acts by a table"):
        mjcf_text(pendulum())
    with pytest.raises(DocumentError, match="'stop' on joint 'pin' is not a damper"):
        ct.save(pendulum(), tmp_path / "arm.urdf")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda m, a: m.nonlinear_spring("x", "ground", a, "ball", a, [(0, 1)]), "force must be a table of 2 to 32 pairs"),
        (lambda m, a: m.nonlinear_spring("x", "ground", a, "ball", a, [(1, 1), (0, 0)]), "must increase from row to row"),
        (lambda m, a: m.nonlinear_spring("x", "ground", a, "ball", a, TABLE, [(0, 0), (1, -1)]), "must not drive"),
        (lambda m, a: m.nonlinear_spring("x", "ground", a, "ball", a, TABLE, length=-1), "length is -1"),
        (lambda m, a: m.rope("x", "ball", a, "ball", a, 1.0), "both ends on body 'ball'"),
        (lambda m, a: m.rope("x", "ground", a, "ball", a, -1.0), "stiffness is -1"),
        (lambda m, a: m.bump_stop("x", "ground", a, "ball", a, 1.0, exponent=0.5), "exponent 0.5"),
        (lambda m, a: m.bushing("x", "ball", "ball", a, 1.0), "both ends on body 'ball'"),
        (lambda m, a: m.bushing("x", "ground", "ball", a, 1.0, axes=np.ones((3, 3))), "columns are orthonormal"),
        (lambda m, a: m.bushing("x", "ground", "ball", a, [1, 2]), "stiffness must be a symmetric 6x6"),
        (lambda m, a: m.bushing("x", "ground", "ball", a, 1.0, -1.0), "damping has the negative eigenvalue -1"),
        (lambda m, a: m.cable("x", "ball", 1.0), "route must be a list of pairs"),
        (lambda m, a: m.cable("x", [("ball", a)], 1.0), "route has 1 points"),
        (lambda m, a: m.drag("x", "ball", -1.0), "positive coefficient"),
        (lambda m, a: m.central_gravity("x", "ground", 1.0), "a body that moves and a positive mu"),
        (lambda m, a: m.force_between("x", "ground", a, "ball", a, lambda angle: 0.0), "length, rate, position"),
    ],
)  # fmt: skip
def test_what_is_refused(make, said):
    mech = ct.Mechanism()
    mech.body("ball", 1.0, inertia=(1, 1, 1))
    with pytest.raises(ForceError, match=said):
        make(mech, (0, 0, 0))
    assert not mech.elements
