"""Motions that nothing resists: forward dynamics says which coordinate, however rounding falls."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import SingularError
from cotree.lie import exp_se3
from tests.model.builders import refused

SEEDS = range(25)


def direction(rng):
    a = rng.normal(size=3)
    return a / np.linalg.norm(a)


def expect(mech, rng, coordinate, **choices):
    """At the reference and somewhere else, the coordinate is named."""
    system = mech.compile(**choices)
    for step in (np.zeros(system.nv), rng.normal(size=system.nv)):
        with refused(SingularError, repr(coordinate), "mass or inertia about the axis"):
            ct.forward_dynamics(system, ct.displace(system, system.q0, step))


def test_a_point_mass_on_its_own_axis():
    mech = ct.Mechanism()
    mech.body("bead", 1, (0, 0, 2))
    mech.joint("wire", "ground", "bead", ct.Revolute((0, 0, 0), (0, 0, 1)))
    expect(mech, np.random.default_rng(0), "wire")


@pytest.mark.parametrize("scale", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("seed", SEEDS)
def test_on_an_axis_anywhere(seed, scale):
    rng = np.random.default_rng(seed)
    p, e = scale * rng.normal(size=3), direction(rng)
    mech = ct.Mechanism()
    mech.body("bead", 1, p + 0.7 * e)
    mech.joint("wire", "ground", "bead", ct.Revolute(p, e))
    expect(mech, rng, "wire")


@pytest.mark.parametrize("scale", [1.0, 1e3])
@pytest.mark.parametrize("seed", SEEDS)
def test_at_the_end_of_a_chain(seed, scale):
    """Here rounding used to leave an inertia of either sign, and accelerations that looked right."""
    rng = np.random.default_rng(seed)
    p, e = scale * rng.normal(size=3), direction(rng)
    mech = ct.Mechanism()
    mech.body("arm", 1, scale * rng.normal(size=3), (1, 1, 1))
    mech.body("bead", 1, p + 0.7 * e)
    mech.joint("shoulder", "ground", "arm", ct.Revolute(scale * rng.normal(size=3), direction(rng)))
    mech.joint("wire", "arm", "bead", ct.Revolute(p, e))
    expect(mech, rng, "wire")


@pytest.mark.parametrize("seed", SEEDS)
def test_two_joints_on_one_axis(seed):
    """Only their sum is determined."""
    rng = np.random.default_rng(seed)
    p, e = rng.normal(size=3), direction(rng)
    mech = ct.Mechanism()
    mech.body("ring", 0)
    mech.body("wheel", 1, rng.normal(size=3), (1, 1, 1))
    mech.joint("outer", "ground", "ring", ct.Revolute(p, e))
    mech.joint("inner", "ring", "wheel", ct.Revolute(p - e, e))
    expect(mech, rng, "outer")


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_floating_point_mass_has_no_rotation(seed, group):
    rng = np.random.default_rng(seed)
    mech = ct.Mechanism()
    mech.body("speck", 1, rng.normal(size=3), pose=exp_se3(rng.normal(size=6)))
    mech.joint("float", "ground", "speck", ct.Free())
    system = mech.compile(group=group)
    with refused(SingularError, "'float.w"):
        ct.forward_dynamics(system, ct.displace(system, system.q0, rng.normal(size=6)))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_point_mass_in_the_middle_of_a_ball_joint(seed):
    rng = np.random.default_rng(seed)
    p = rng.normal(size=3)
    mech = ct.Mechanism()
    mech.body("speck", 1, p)
    mech.joint("ball", "ground", "speck", ct.Spherical(p))
    system = mech.compile()
    with refused(SingularError, "'ball.w"):
        ct.forward_dynamics(system, ct.displace(system, system.q0, rng.normal(size=3)))


def test_a_gimbal_lock():
    """Coordinates of the second kind: the first and the third axis coincide at a right angle of the second."""
    mech = ct.Mechanism()
    mech.body("top", 1, (0, 0, 0), (1, 1, 1))
    mech.joint("gimbal", "ground", "top", ct.Spherical(coordinates="second"))
    system = mech.compile()
    assert np.all(np.isfinite(ct.forward_dynamics(system, [0.3, 1.5, 0.1], [1, 2, 3]).v_dot))
    with refused(SingularError, "joint 'gimbal'", "gimbal lock"):
        ct.forward_dynamics(system, [0.3, np.pi / 2, 0.1], [1, 2, 3])


@pytest.mark.parametrize("size", [1e-6, 1e-3, 1.0, 1e3])
@pytest.mark.parametrize("distance", [0.0, 1.0, 100.0])
def test_small_inertia_is_no_singularity(size, distance):
    """A motor shaft as thin as a hair is accelerated as it should be."""
    mech = ct.Mechanism(gravity=(0, 0, 0))
    moment = 1e-3 * size**2
    mech.body("shaft", 1e-3, (distance, 0, 0), (moment, moment, moment))
    mech.joint("bearing", "ground", "shaft", ct.Revolute((distance, 0, 0), (0, 0, 1)))
    mech.body("table", 1, (0, 1, 0), (1, 1, 1))
    mech.joint("floor", "ground", "table", ct.Revolute((0, 0, 0), (0, 0, 1)))
    system = mech.compile()
    if size == 1e-6 and distance == 100.0:  # 1e-16 of the distance squared: no digit is left
        with refused(SingularError, "'bearing'"):
            ct.forward_dynamics(system, [0.2, 0.1], tau=[1e-6, 0])
    else:
        arm = 0.5 * np.hypot(distance, 1.0)  # from the middle of the two mass centres
        digits = 1e-14 * max(1.0, (arm / size) ** 2)
        assert ct.forward_dynamics(system, [0.2, 0.1], tau=[1e-6, 0]).v_dot[0] == pytest.approx(
            1e-6 / moment, rel=digits
        )
