"""Derivatives of the acceleration with every element and law that acts, in loops, against differences of the acceleration."""

import numpy as np
import pytest

import cotree as ct
from tests.derivatives.differences import slope
from tests.derivatives.test_constrained_derivatives import kernel
from tests.random_mechanisms import error

TOLERANCE = 1e-8


def rig():
    """A four-bar in the plane with a free body beside it."""
    mech = ct.gallery.four_bar()
    bob = mech.body("bob", 1.0, (1.5, 2.0, 0.3), (0.1, 0.2, 0.15))
    mech.joint("free", mech.ground, bob, ct.Free())
    return mech


def bushing(mech):
    mech.bushing("rubber", "coupler", "bob", (1.5, 1.5, 0.1), (3, 4, 5, 60, 70, 80), (0.3, 0.4, 0.5, 6, 7, 8))


def belt(mech):
    mech.belt("belt", "A", "D", 0.2, 0.3, 50.0, 2.0)


def tyre(mech):
    mech.tyre("tyre", "bob", 0.4, 2e3, friction=0.8, damping=0.3, axis=(0, 0, 1), road=(0, 1.75, 0), normal=(0, 1, 0))


def pid(mech):
    mech.pid("servo", "A", target=0.3, kp=20.0, ki=5.0, kd=3.0, filter=0.05)


def actuator(mech):
    mech.actuator("jack", "ground", (0, 3, 0), "coupler", (1.5, 1.1, 0), target=1.2, kp=40.0, ki=3.0, kd=4.0)


def line(mech):
    mech.force_between("line", "coupler", (1.5, 1.1, 0), "bob", (1.5, 2, 0.3), lambda length, rate: -(length**2) - rate)


def law(mech):
    mech.motor("motor", "D", ct.Law(lambda angle, rate, s: (np.sin(angle) - rate + s, -s + angle), states={"s": 0.7}))


ELEMENTS = (bushing, belt, tyre, pid, actuator, line, law)


def state(system, seed=3):
    rng = np.random.default_rng(seed)
    q = ct.assemble(system, ct.displace(system, system.q0, 0.1 * rng.normal(size=system.nv)))
    return q, ct.consistent_velocity(system, q, rng.normal(size=system.nv))


CASES = [(f, c) for f in ELEMENTS for c in ("relative", "absolute") if (f, c) != (belt, "absolute")]  # it counts turns


@pytest.mark.parametrize(("add", "coordinates"), [pytest.param(*x, id=f"{x[0].__name__}-{x[1]}") for x in CASES])
def test_acceleration_with_an_element(add, coordinates):
    mech = rig()
    add(mech)
    system = mech.compile(coordinates=coordinates)
    q, v = state(system)
    found = ct.forward_dynamics_derivatives(system, q, v)
    bare = rig().compile(coordinates=coordinates)
    assert error(ct.forward_dynamics(bare, q, v).v_dot, found.v_dot) > 1e-6  # it acts
    for z in kernel(ct.constraint_jacobian(system, q)):
        dq = slope(
            lambda s, z=z: ct.forward_dynamics(system, ct.assemble(system, ct.displace(system, q, s * z)), v).v_dot,
            2e-3,
        )
        dv = slope(lambda s, z=z: ct.forward_dynamics(system, q, v + s * z).v_dot, 1e-2)
        assert error(found.dq @ z, dq) < TOLERANCE
        assert error(found.dv @ z, dv) < TOLERANCE


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_conserved_momenta_on_dual_numbers(coordinates):
    """Rows of momenta have no closed forms: they are differenced, and dual numbers say the same."""
    mech = ct.Mechanism("two bodies", gravity=(0, 0, 0))
    mech.body("a", 2.0, (0, 0, 0), (0.3, 0.4, 0.5))
    mech.body("b", 1.0, (1, 0, 0.2), (0.1, 0.2, 0.15))
    mech.joint("base", "ground", "a", ct.Free())
    mech.joint("hinge", "a", "b", ct.Revolute((0.5, 0, 0), (0, 1, 0)))
    mech.joint_damper("oil", "hinge", 0.4)
    mech.conserve("spin", "angular momentum", (0, 0, 1), 0.5)
    mech.conserve("drift", "linear momentum", (1, 0, 0), 0.2)
    system = mech.compile(coordinates=coordinates)
    q, v = state(system)
    found, dual = (ct.forward_dynamics_derivatives(system, q, v, method=m) for m in ("brackets", "dual"))
    for name in ("dq", "dv", "dtau"):
        assert error(getattr(found, name), getattr(dual, name)) < TOLERANCE
        assert error(getattr(found.dmultipliers, name), getattr(dual.dmultipliers, name)) < TOLERANCE
    J = ct.constraint_jacobian(system, q)
    for z in kernel(J[system.holonomic]):
        dq = slope(
            lambda s, z=z: ct.forward_dynamics(system, ct.assemble(system, ct.displace(system, q, s * z)), v).v_dot,
            2e-3,
        )
        assert error(found.dq @ z, dq) < TOLERANCE
