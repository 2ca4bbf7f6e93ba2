"""Forces, motors, drivers and rows given as functions, in whole runs: against SciPy over `forward_dynamics`, closed forms."""

import numba
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import cotree as ct
from cotree.formulations.compiled_laws import compiled_laws
from tests.integrate.references import by_scipy, pendulum, point_mass


@numba.njit
def wind(t, position, velocity):
    """Pulls to a point that moves, and brakes."""
    target = np.array([0.3 * np.sin(2.0 * t), 0.2, -0.5])
    return 4.0 * (target - position) - 0.3 * velocity


@numba.njit
def twist(pose, omega):
    return 0.2 * pose[:3, 0] - 0.1 * omega


@numba.njit
def servo(t, q, v):
    return 3.0 * np.cos(t) - 2.0 * q[0] - 0.4 * v[0]


def arm(plain=False, **options):
    """Revolute, ball and slide in a row, with a function of each kind."""
    mech = ct.Mechanism("arm")
    upper = mech.body("upper", 2.0, (0.3, 0, 0), (0.02, 0.1, 0.1))
    lower = mech.body("lower", 1.0, (0.8, 0.1, 0), (0.02, 0.05, 0.06))
    tool = mech.body("tool", 0.5, (1.2, 0.1, 0.1), (0.01, 0.01, 0.02))
    mech.joint("shoulder", mech.ground, upper, ct.Revolute((0, 0, 0), (0, 1, 1)))
    mech.joint("elbow", upper, lower, ct.Spherical((0.6, 0, 0)))
    mech.joint("slide", lower, tool, ct.Prismatic((1, 0.2, 0)))
    mech.joint_spring("stop", "slide", 50.0)
    wind_, twist_, servo_ = (f.py_func if plain else f for f in (wind, twist, servo))
    mech.force("wind", tool, wind_, (1.3, 0.1, 0.1))
    mech.torque("twist", lower, twist_, frame="body")
    mech.motor("servo", "shoulder", servo_)
    return mech.compile(**options)


def test_forces_and_motors_of_an_arm():
    """Measured: 4e-9 with defaults, 3e-11 at 1e-11."""
    system, times = arm(), np.linspace(0, 1, 6)
    q, v = by_scipy(system, times)
    for tolerance, bound in ((1e-8, 1e-6), (1e-11, 1e-9)):
        run = ct.simulate(system, 1.0, rtol=tolerance, atol=tolerance, output=6)
        assert run.status == "done"
        assert np.abs(run.q - q).max() < bound
        assert np.abs(run.v - v).max() < 10 * bound
    assert np.abs(q[-1] - q[0]).max() > 0.1


def test_compiled_laws_of_loads_and_lines_are_those_of_python():
    """All that compiled code can give them, far from the origin and with links that turn: no number is asked of Python."""

    def push(t, position, velocity, omega):
        return -2.0 * (position - np.array([100.0, 0.5, 0.0])) - 0.3 * velocity + 0.1 * omega * t

    def pull(length, rate, position, velocity):
        return -3.0 * (length - 0.4) - 0.2 * rate + 0.1 * position - 0.05 * velocity

    def built(compiled):
        mech = ct.Mechanism("far")
        upper = mech.body("upper", 2.0, (100.3, 0, 0), (0.02, 0.1, 0.1))
        lower = mech.body("lower", 1.0, (100.8, 0.1, 0), (0.02, 0.05, 0.06))
        mech.joint("shoulder", mech.ground, upper, ct.Revolute((100, 0, 0), (0, 1, 1)))
        mech.joint("elbow", upper, lower, ct.Spherical((100.6, 0, 0)))
        mech.force("push", lower, numba.njit(push) if compiled else push, (100.9, 0.1, 0))
        mech.force_between(
            "pull", upper, (100.2, 0.1, 0), lower, (100.7, 0.2, 0), numba.njit(pull) if compiled else pull
        )
        return mech.compile()

    system = built(True)
    assert compiled_laws(system)[1] == ()
    runs = [ct.simulate(s, 0.5, output=6) for s in (system, built(False))]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-9
    assert np.abs(runs[0].q[-1] - runs[0].q[0]).max() > 0.01


def test_plain_and_compiled_functions_give_the_same_run():
    runs = [ct.simulate(arm(plain), 0.5, output=6) for plain in (True, False)]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-12
    assert runs[0].statistics["steps"] == runs[1].statistics["steps"]


def test_functions_on_a_closed_loop():
    """Four-bar with a motor of time and state on its crank and a force on its coupler, fixed steps as well."""
    mech = ct.gallery.four_bar()
    mech.motor("servo", "A", lambda t, v: 20.0 * np.sin(5.0 * t) - v[0])
    mech.force("drag", "coupler", lambda velocity: -2.0 * velocity, (1.5, 1.1, 0))
    system, times = mech.compile(cut=["C"]), np.linspace(0, 1, 6)
    q, _ = by_scipy(system, times)
    assert np.abs(ct.simulate(system, 1.0, output=6, rtol=1e-11, atol=1e-11).q - q).max() < 1e-8
    assert np.abs(ct.simulate(system, 1.0, output=6, step=2e-3).q - q).max() < 1e-6


def test_motor_of_time_against_the_closed_form():
    """m x'' + k x = F cos(w t) from rest: x = F/(k - m w^2) (cos(w t) - cos(w0 t))."""
    m, k, F, w = 2.0, 30.0, 5.0, 2.5
    mech = point_mass(mass=m)
    mech.joint_spring("spring", "way", k, coordinate="vx")
    mech.motor("shaker", "way", lambda t: F * np.cos(w * t), coordinate="vx")
    run = ct.simulate(mech, 3.0, rtol=1e-11, atol=1e-11)
    exact = F / (k - m * w**2) * (np.cos(w * run.t) - np.cos(np.sqrt(k / m) * run.t))
    assert np.abs(run.q[:, 0] - exact).max() < 1e-9


@pytest.mark.parametrize("derivatives", [False, True])
def test_driven_base_against_the_closed_form(derivatives):
    """Base A sin(w t), mass behind a spring: y'' + w0^2 y = A w^2 sin(w t), y = B (sin(w t) - w/w0 sin(w0 t)).

    The base starts with a jerk, at the rate A w; the mass, seen from the ground, at rest: y' = -A w at the start.
    """
    A, w, k, m = 0.2, 3.0, 40.0, 1.5
    w0 = np.sqrt(k / m)
    mech = ct.Mechanism("shaken", gravity=(0, 0, 0))
    base, mass = mech.body("base", 1.0, (0, 0, 0), (1, 1, 1)), mech.body("mass", m, (1, 0, 0), (1, 1, 1))
    mech.joint("base", mech.ground, base, ct.Prismatic((1, 0, 0)))
    mech.joint("mass", base, mass, ct.Prismatic((1, 0, 0)))
    mech.joint_spring("spring", "mass", k)
    given = {"rate": lambda t: A * w * np.cos(w * t), "acceleration": lambda t: -A * w * w * np.sin(w * t)}
    mech.drive("shake", "base", lambda t: A * np.sin(w * t), **(given if derivatives else {}))
    run = ct.simulate(mech, 3.0, v=[A * w, -A * w], rtol=1e-10, atol=1e-10)
    B = A * w**2 / (w0**2 - w**2)
    exact = B * np.sin(w * run.t) - (A * w + B * w) / w0 * np.sin(w0 * run.t)
    assert np.abs(run.v[0] - (A * w, -A * w)).max() < 1e-9  # as given, for it is admissible
    assert np.abs(run.q[:, 0] - A * np.sin(w * run.t)).max() < 1e-13
    assert np.abs(run.q[:, 1] - exact).max() < 1e-8


def test_driven_loop_follows_its_driver():
    """Crank of the four-bar by a function of time; closed all the while, and the rates match those of the loop."""
    mech = ct.gallery.four_bar()
    mech.drive("turn", "A", lambda t: 0.3 * np.sin(2 * t))
    system = mech.compile(cut=["C"])
    run = ct.simulate(system, 2.0)
    a = system.velocity_index("A")
    assert run.status == "done"
    assert np.abs(run.q[:, a] - 0.3 * np.sin(2 * run.t)).max() < 1e-12
    assert np.abs(run.v[:, a] - 0.6 * np.cos(2 * run.t)).max() < 1e-8
    assert run.violation.max() < 1e-12
    free = ct.gallery.four_bar().compile(cut=["C"])
    for q, v in zip(run.q[::50], run.v[::50], strict=True):
        assert np.abs(ct.constraint_residual(free, q)).max() < 1e-12
        assert np.abs(ct.constraint_jacobian(free, q) @ v).max() < 1e-11


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_distance_of_prescribed_length(coordinates):
    """Point on a line that is let out, l = 1 + 0.3 t: l^2 angle' is kept, angle = w0/0.3 (1 - 1/l)."""
    mech = point_mass()
    mech.distance("line", mech.ground, (0, 0, 0), "point", (1, 0, 0), lambda t: 1.0 + 0.3 * t)
    system = mech.compile(coordinates=coordinates)
    v = [0.3, 2.0, 0.0] if coordinates == "relative" else [0, 0, 0, 0.3, 2.0, 0.0]
    run = ct.simulate(system, 3.0, v=v, rtol=1e-10, atol=1e-10)
    place = (run.poses()[:, 1] @ (1, 0, 0, 1))[:, :3]
    length = 1.0 + 0.3 * run.t
    angle = 2.0 / 0.3 * (1.0 - 1.0 / length)
    exact = length * np.array([np.cos(angle), np.sin(angle), 0 * angle])
    assert np.abs(place - exact.T).max() < 1e-8


def test_rows_of_the_user_with_a_residual():
    """A bead on the parabola y = x^2/2 + c sin t in the plane z = 0: (1 + x^2) x'' + x (x'^2 - c sin t + g) = 0."""
    c, g = 0.1, 9.81
    mech = point_mass((0, -g, 0), at=(0, 0, 0))
    mech.constraint(
        "wire", lambda q: [[-q[0], 1.0, 0.0], [0.0, 0.0, 1.0]],
        residual=lambda q, t: [q[1] - q[0] ** 2 / 2 - c * np.sin(t), q[2]], rows=2,
    )  # fmt: skip
    run = ct.simulate(mech, 3.0, q=[1.0, 0.5, 0.0], v=[0, c, 0], rtol=1e-10, atol=1e-10)
    exact = solve_ivp(
        lambda t, y: [y[1], -y[0] * (y[1] ** 2 - c * np.sin(t) + g) / (1 + y[0] ** 2)], (0, 3), [1.0, 0.0], "DOP853",
        run.t, rtol=1e-12, atol=1e-12,
    )  # fmt: skip
    assert np.abs(run.v[0] - (0, c, 0)).max() < 1e-9
    assert np.abs(run.q[:, 0] - exact.y[0]).max() < 1e-7
    assert np.abs(run.q[:, 1] - run.q[:, 0] ** 2 / 2 - c * np.sin(run.t)).max() < 1e-13


def sleigh(rate=None):
    """Sleigh in the plane whose blade is a row of the user; it may be forced to slip at a given rate."""
    mech = ct.Mechanism("sleigh", gravity=(0, 0, 0))
    body = mech.body("sleigh", 2.0, (0.4, 0, 0), (0.3, 0.3, 0.3))
    mech.joint("floor", mech.ground, body, ct.Planar((0, 0, 0), (0, 0, 1)))
    if rate == "knife edge":
        mech.knife_edge("blade", body, (0, 0, 0), (0, 1, 0))
    else:
        mech.constraint("blade", lambda q: np.array([[0.0, 0.0, 1.0]]), rate=rate)
    return mech.compile()


def test_rows_of_the_user_without_a_residual():
    """The same as a knife edge; and slipping sideways at 0.3 cos(2 t) against SciPy."""
    v = [1.5, 0.2, 0.0]
    runs = [ct.simulate(sleigh(kind), 2.0, v=v) for kind in (None, "knife edge")]
    assert np.abs(runs[0].q - runs[1].q).max() < 1e-7
    slipping, times = sleigh(lambda t: np.array([0.3 * np.cos(2 * t)])), np.linspace(0, 2, 5)
    run = ct.simulate(slipping, 2.0, v=[1.5, 0.2, 0.3], rtol=1e-10, atol=1e-10, output=5)
    assert np.abs(run.v[:, 2] - 0.3 * np.cos(2 * run.t)).max() < 1e-12
    assert np.abs(run.q - by_scipy(slipping, times, v=[1.5, 0.2, 0.3])[0]).max() < 1e-7


def test_a_start_is_passed_to_the_functions():
    """A force of time is that of the run's own clock."""
    mech = point_mass()
    mech.force("push", "point", lambda t: (t, 0.0, 0.0))
    run = ct.simulate(mech, (1.0, 3.0), output=3)
    assert run.t.tolist() == [1.0, 2.0, 3.0]
    assert run.q[:, 0] == pytest.approx([(t**3 - 1) / 6 - (t - 1) / 2 for t in run.t], abs=1e-12)


def test_functions_see_copies():
    """What a function does to its arguments changes nothing."""
    mech = pendulum()

    def rude(q, v):
        q[:], v[:] = 7.0, 7.0
        return 0.0

    mech.motor("rude", "hinge", rude)
    free, rude_run = (ct.simulate(m, 1.0, [0.5], step=ct.Adaptive(max_step=0.02)) for m in (pendulum(), mech))
    assert np.array_equal(free.q, rude_run.q)
