"""Energy and momentum: sums over the bodies, balances of power and of impulse."""

import numpy as np
import pytest
from hypothesis import given, settings

import cotree as ct
from tests.random_mechanisms import cases, derivative, error, make_case

from .loads import with_springs
from .motion import runge_kutta

some = settings(max_examples=40, deadline=None)
FLOATING = {"root": "Free", "massless": 0.2}


def bodies_in_motion(c):
    """For each body: mass, mass centre, inertia in world axes, angular velocity, velocity of the mass centre."""
    V = ct.twists(c.system, c.state.q, c.state.v, "spatial")
    for row, C in enumerate(ct.poses(c.system, c.state.q)[1:], 1):
        body = c.tree.body(c.system.body_names[row - 1])
        if c.system.bodies[row]["link"] == 0:
            continue  # fixed to ground
        R, x = C[:3, :3] @ body.pose[:3, :3].T, C[:3, :3] @ body.told(body.com) + C[:3, 3]
        yield body.mass, x, R @ body.inertia @ R.T, V[row, :3], V[row, 3:] + np.cross(V[row, :3], x)


@given(cases())
@some
def test_energy_is_a_sum_over_bodies(c):
    found = ct.energy(c.system, c.state.q, c.state.v)
    kinetic = sum(0.5 * m * u @ u + 0.5 * w @ I @ w for m, _, I, w, u in bodies_in_motion(c))
    potential = -sum(m * x @ c.tree.gravity for m, x, *_ in bodies_in_motion(c))
    assert error(found.kinetic, kinetic) < 1e-13
    assert error(found.potential, potential) < 1e-13
    assert found.total == found.kinetic + found.potential
    assert error(found.kinetic, 0.5 * c.state.v @ ct.mass_matrix(c.system, c.state.q) @ c.state.v) < 1e-13


@given(cases())
@some
def test_momentum_is_a_sum_over_bodies(c):
    point = c.rng.normal(size=3)
    linear = sum((m * u for m, *_, u in bodies_in_motion(c)), np.zeros(3))
    spin = sum((I @ w + np.cross(x - point, m * u) for m, x, I, w, u in bodies_in_motion(c)), np.zeros(3))
    found = ct.momentum(c.system, c.state.q, c.state.v, point)
    assert error(found, [*spin, *linear]) < 1e-13
    about_origin = ct.momentum(c.system, c.state.q, c.state.v)
    assert error(found[:3], about_origin[:3] - np.cross(point, linear)) < 1e-13


@given(cases())
@some
def test_mass_centre(c):
    found = ct.center_of_mass(c.system, c.state.q, c.state.v)
    assert error(found.mass, sum(m for m, *_ in bodies_in_motion(c))) < 1e-14
    assert error(found.position, sum(m * x for m, x, *_ in bodies_in_motion(c)) / found.mass) < 1e-13
    assert error(found.mass * found.velocity, ct.momentum(c.system, c.state.q, c.state.v)[3:]) < 1e-13

    def position(s):
        return ct.center_of_mass(c.system, ct.displace(c.system, c.state.q, s * c.state.v)).position

    assert error(found.velocity, derivative(position)) < 1e-9


def rate_along_the_motion(c, system, f, tau):
    """Time derivative of f(q, v) under the forces of the system and tau."""
    q, v = c.state.q, c.state.v
    v_dot = ct.forward_dynamics(system, q, v, tau).v_dot
    return derivative(lambda s: f(ct.displace(system, q, s * v), v + s * v_dot), h=1e-3)


@given(cases(max_bodies=6, massless=0.0))
@some
def test_power(c):
    """dE/dt = tau . v with springs and gravity; dampers take the power of their forces."""
    s, loaded = c.state, with_springs(c)
    system = loaded.system
    found = rate_along_the_motion(c, system, lambda q, v: ct.energy(system, q, v).total, s.tau)
    lost = loaded.dissipation(s.q, s.v)
    v_dot = ct.forward_dynamics(system, s.q, s.v, s.tau).v_dot
    size = abs(s.v @ ct.mass_matrix(system, s.q) @ v_dot) + np.abs(s.tau * s.v).sum() + lost
    assert abs(found - (s.tau @ s.v - lost)) < 1e-8 * max(1.0, size)


@given(cases(max_bodies=6, **FLOATING))
@some
def test_momentum_of_a_floating_system(c):
    """Gravity alone changes the momentum: force m g, and no moment about the mass centre; springs within do not."""
    system = with_springs(c, to_ground=False).system
    tau = c.state.tau.copy()
    tau[[i for i, n in enumerate(system.coordinate_names) if n.startswith("joint b0")]] = 0.0
    rate = rate_along_the_motion(c, system, lambda q, v: ct.momentum(system, q, v), tau)
    now = ct.center_of_mass(system, c.state.q, c.state.v)
    weight = now.mass * c.tree.gravity
    size = max(1.0, np.abs(ct.forward_dynamics(system, c.state.q, c.state.v, tau).v_dot).max())
    assert error(rate / size, np.array([*np.cross(now.position, weight), *weight]) / size) < 1e-9


@given(cases(max_bodies=6))
@some
def test_rate_of_momentum_is_the_force_of_ground(c):
    """Gravity, and what the joints at ground transmit."""
    s, n = c.state, c.system
    rate = rate_along_the_motion(c, n, lambda q, v: ct.momentum(n, q, v), s.tau)
    result = ct.forward_dynamics(n, s.q, s.v, s.tau)
    now = ct.center_of_mass(n, s.q, s.v)
    weight = now.mass * c.tree.gravity
    total = np.array([*np.cross(now.position, weight), *weight])
    fixed = {"ground"} | {name for name in n.body_names if n.bodies[n.row_of(name)]["link"] == 0}
    for j in c.tree.joints:
        if j.inner in fixed and j.outer not in fixed:
            total += result.reactions[j.name] * (-1.0 if j.backward else 1.0)
    size = max(1.0, np.abs(result.v_dot).max())
    assert error(rate / size, total / size) < 1e-9


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
@pytest.mark.parametrize("coordinates", ["group", "second", "first", "cayley", "quaternion"])
def test_energy_is_kept(coordinates, group):
    """Free evolution by 200 classical Runge-Kutta steps in the coordinates."""
    c = make_case(7, 4, group, joints=("Spherical", "Revolute", "Planar"), root="Free", coordinates=(coordinates,),
                  massless=0.0, choices=(0.3, 0.7))  # fmt: skip
    system = with_springs(c, 2, dampers=False).system
    before = ct.energy(system, c.state.q, c.state.v)
    q, v, _ = runge_kutta(system, c.state.q, c.state.v, step=1e-3, steps=200)
    after = ct.energy(system, q, v)
    assert abs(after.kinetic - before.kinetic) > 1e-2  # it does move
    assert abs(after.total - before.total) < 1e-7 * max(1.0, abs(before.total))


def test_energy_and_work_balance_over_time():
    """With dampers and constant joint forces, the energy that is missing is the work that was done."""
    c = make_case(3, 4, joints=("Revolute", "Spherical", "Prismatic"), massless=0.0, choices=(0.3, 0.7))
    loaded, tau = with_springs(c), c.state.tau
    system = loaded.system
    q, v, work = runge_kutta(
        system, c.state.q, c.state.v, tau, step=1e-3, steps=200, power=lambda q, v: tau @ v - loaded.dissipation(q, v)
    )
    gained = ct.energy(system, q, v).total - ct.energy(system, c.state.q, c.state.v).total
    assert abs(work) > 1e-2
    assert abs(gained - work) < 1e-7 * max(1.0, abs(work))
