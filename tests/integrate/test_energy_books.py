"""The books of energy: change of energy = work supplied - work dissipated, whatever does the work."""

import numpy as np
import pytest

import cotree as ct
from tests.integrate.references import pendulum, point_mass

Z = (0, 0, 1)


def double_pendulum():
    mech = ct.Mechanism("double pendulum", gravity=(0, -9.81, 0))
    upper = mech.body("upper", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
    lower = mech.body("lower", 0.7, (1.4, 0.1, 0), (0.05, 0.05, 0.05))
    mech.joint("top", mech.ground, upper, ct.Revolute((0, 0, 0), Z))
    mech.joint("middle", upper, lower, ct.Revolute((1, 0, 0), Z))
    return mech


def four_bar():
    return ct.gallery.four_bar()


def joint_dampers(mech):
    for joint in list(mech.joints)[:2]:
        mech.joint_damper(f"damper {joint}", joint, 0.8)


def line_damper(mech):
    body = list(mech.bodies)[-1]
    mech.spring("strut", mech.ground, (1.0, -1.0, 0), body, mech.bodies[body].properties.com, 30.0, damping=4.0)


def constant_motor(mech):
    mech.motor("motor", next(iter(mech.joints)), 6.0)


def motor_of_time(mech):
    mech.motor("motor", next(iter(mech.joints)), lambda t, v: 8.0 * np.sin(3.0 * t) - 0.2 * v[0])


def constant_loads(mech):
    body = list(mech.bodies)[-1]
    mech.force("push", body, (3.0, 4.0, 0.0), mech.bodies[body].properties.com)
    mech.force("thrust", body, (0.0, 2.0, 0.0), (1.0, 0.3, 0.0), frame="body")
    mech.torque("turn", body, (0.0, 0.0, 1.5))


def loads_of_time(mech):
    body = list(mech.bodies)[-1]
    mech.force("wave", body, lambda t: (5.0 * np.cos(4.0 * t), 2.0 * t, 0.0), (1.2, 0.3, 0.0))
    mech.force("drag", body, lambda velocity: -1.5 * velocity, (1.2, 0.3, 0.0))


def driver(mech):
    mech.drive("drive", next(iter(mech.joints)), lambda t: 0.4 * np.sin(3.0 * t))


def prescribed_distance(mech):
    """Rod from a point on the right to the last body, which grows and shrinks."""
    body = list(mech.bodies)[-1]
    com = np.array(mech.bodies[body].properties.com)
    start = np.linalg.norm(com - (4.0, 0.7, 0.0))
    mech.distance("line", mech.ground, (4.0, 0.7, 0), body, com, lambda t: start + 0.1 * (1 - np.cos(2.0 * t)))


WORKERS = (
    joint_dampers, line_damper, constant_motor, motor_of_time, constant_loads, loads_of_time, driver, prescribed_distance,
)  # fmt: skip
OF_THE_TREE = (motor_of_time, driver)  # they read v or count turns


def books(mech, t_end=2.0, **words):
    """(run, greatest open amount relative to the energies about)."""
    run = ct.simulate(mech.compile(), t_end, **words)
    e = run.energy
    size = max(1.0, *(np.abs(x).max() for x in (e.kinetic, e.supplied, e.dissipated, e.potential - e.potential[0])))
    assert run.status == "done"
    assert np.abs(e.supplied).max() + e.dissipated.max() > 0.05  # work was done
    return run, np.abs(e.balance).max() / size


@pytest.mark.parametrize("make", [double_pendulum, four_bar])
@pytest.mark.parametrize("work", WORKERS)
def test_books_close(make, work):
    """Defaults: 1e-6 relative; and closer with the tolerance."""
    opened = []
    for tolerance in (1e-5, 1e-8, 1e-11):
        mech = make()
        work(mech)
        opened.append(books(mech, rtol=tolerance, atol=tolerance)[1])
    assert opened[1] < 1e-6
    assert opened[2] < 1e-9
    assert opened[2] < max(0.01 * opened[0], 1e-10)  # with functions steps are short at any tolerance


@pytest.mark.parametrize("make", [double_pendulum, four_bar])
@pytest.mark.parametrize("work", [w for w in WORKERS if w not in OF_THE_TREE])
@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_books_close_in_absolute_coordinates(make, work, group):
    mech = make()
    work(mech)
    run = ct.simulate(mech.compile(coordinates="absolute", group=group), 1.0)
    relative = ct.simulate(mech.compile(), 1.0)
    e = run.energy
    assert run.status == relative.status == "done"
    assert np.abs(e.balance).max() < 1e-6 * max(1.0, np.abs(e.kinetic).max())
    assert np.abs(e.supplied - relative.energy.supplied).max() < 1e-5
    assert np.abs(e.dissipated - relative.energy.dissipated).max() < 1e-5


@pytest.mark.parametrize("make", [double_pendulum, four_bar])
@pytest.mark.parametrize("work", [joint_dampers, line_damper])
def test_dissipated_work_only_grows(make, work):
    mech = make()
    work(mech)
    run, _ = books(mech, 3.0, output=601)
    assert np.all(np.diff(run.energy.dissipated) >= 0.0)
    assert np.all(run.energy.supplied == 0.0)
    assert run.energy.total[-1] < run.energy.total[0]


@pytest.mark.parametrize("method", ["midpoint", "rk4", "dopri5"])
def test_fixed_steps_and_rows_between_them(method):
    """Books of fixed steps converge like the method, also at rows between the steps."""
    opened = []
    for step in (0.02, 0.01):
        mech = double_pendulum()
        loads_of_time(mech)
        joint_dampers(mech)
        opened.append(books(mech, 1.0, step=step, method=method, output=173)[1])
    assert opened[0] / opened[1] > {"midpoint": 3.0, "rk4": 6.0, "dopri5": 6.0}[method]
    assert opened[1] < {"midpoint": 1e-2, "rk4": 1e-5, "dopri5": 1e-6}[method]


def test_work_of_a_constant_force_is_force_times_way():
    mech = point_mass()
    mech.force("push", "point", (3.0, -1.0, 0.0))
    run = ct.simulate(mech, 2.0, v=[0.0, 1.0, 0.0])
    assert np.abs(run.energy.supplied - run.q @ (3.0, -1.0, 0.0)).max() < 1e-10
    assert np.all(run.energy.dissipated == 0.0)


def test_work_of_a_damper_in_closed_form():
    """m x'' = -d x': x' = u exp(-d t/m), dissipated 1/2 m u^2 (1 - exp(-2 d t/m))."""
    mech = point_mass()
    mech.joint_damper("damper", "way", 2.0, coordinate="vx")
    run = ct.simulate(mech, 2.0, v=[3.0, 0, 0], rtol=1e-10, atol=1e-10)
    assert np.abs(run.energy.dissipated - 4.5 * (1 - np.exp(-4.0 * run.t))).max() < 1e-8


def test_work_of_a_driver_in_closed_form():
    """A pendulum turned at a constant rate: the driver supplies exactly what gravity takes.

    No coordinate is free here, so that only the error of the work limits the step.
    """
    mech = pendulum()
    mech.drive("turn", "hinge", lambda t: 2.0 * t)
    run = ct.simulate(mech, 2.0)
    assert np.abs(run.energy.supplied - 9.81 * (1 - np.cos(2.0 * run.t))).max() < 1e-6


def test_books_of_user_rows_with_a_rate():
    """The bead on a wire that moves up and down: the wire does the work."""
    mech = point_mass((0, -9.81, 0), at=(0, 0, 0))
    mech.constraint(
        "wire", lambda q: [[-q[0], 1.0, 0.0]], residual=lambda q, t: [q[1] - q[0] ** 2 / 2 - 0.3 * np.sin(2 * t)]
    )  # fmt: skip
    run = ct.simulate(mech, 2.0, q=[1.0, 0.5, 0.0], v=[0.0, 0.6, 0.0])
    assert np.abs(run.energy.supplied).max() > 0.5
    assert np.abs(run.energy.balance).max() < 1e-6 * np.abs(run.energy.kinetic).max()


def test_certificate_tells_the_books():
    mech = double_pendulum()
    joint_dampers(mech)
    constant_motor(mech)
    text = str(ct.simulate(mech, 1.0))
    assert "supplied" in text
    assert "dissipated" in text
    assert "energy balance closes to within" in text
    assert "largest change" in str(ct.simulate(double_pendulum(), 1.0))
