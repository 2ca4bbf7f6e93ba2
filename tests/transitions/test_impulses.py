"""Impulses of a transition: body by body, in relative and absolute coordinates, and the work of drivers."""

import numpy as np
import pytest

import cotree as ct
from tests.constraints.rigs import four_bar, to_absolute
from tests.random_mechanisms import error
from tests.transitions.rigs import body_momenta, in_absolute, jumped, lockable, loop_case, some, tree_case


def check_bodies(data, system, q, v, it):
    """What a body's momentum changes by came through its joints."""
    before, after = body_momenta(data, system, q, v), body_momenta(data, system, q, it.v)
    through = {name: np.zeros(6) for name in before} | {"ground": np.zeros(6)}
    for name, wrench in it.joint_impulses.items():
        connection = system.mechanism.joints[name]
        through[connection.child] += wrench
        through[connection.parent] -= wrench
    size = max(1.0, max(np.abs(x).max() for x in through.values()))
    for name, x in after.items():
        assert np.abs(x - before[name] - through[name]).max() < 1e-9 * size, name


@pytest.mark.parametrize("seed", range(8))
def test_trees(seed):
    tree, _, _, _, _ = tree_case(seed, 5)
    data = tree.unframed()
    system = data.compile()
    rng = np.random.default_rng(seed)
    q = ct.displace(system, system.q0, 0.5 * rng.normal(size=system.nv))
    v = rng.normal(size=system.nv)
    names = some(rng, lockable(system), 2)
    it = ct.transition(system, q, v, names)
    check_bodies(data, system, q, v, it)
    other, x, u = in_absolute(data, system, q, v)
    two = ct.transition(other, x, u, names)
    check_bodies(data, other, x, u, two)
    for name, wrench in it.joint_impulses.items():
        assert error(two.joint_impulses[name], wrench) < 1e-8, name


@pytest.mark.parametrize("name", ["four-bar", "slider-crank with a ball", "Sarrus", "3-UPU", "Stewart", "delta"])
def test_loops(name):
    data, system, q, v, rng = loop_case(name, 7)
    names = some(rng, lockable(system), 2)
    it = ct.transition(system, q, v, names)
    check_bodies(data, system, q, v, it)
    other, x, u = in_absolute(data, system, q, v)
    two = ct.transition(other, x, u, names)
    check_bodies(data, other, x, u, two)
    for joint in it.joint_impulses:
        if not (it.undetermined or two.undetermined):
            assert error(two.joint_impulses[joint], it.joint_impulses[joint]) < 1e-7, joint


def test_a_pendulum_that_is_stopped_by_hand():
    """m l^2 w about the pivot; the bearing takes m l w along x when it hangs down."""
    mech = ct.Mechanism(gravity=(0, -9.81, 0))
    mech.body("bob", 2.0, (0, -0.5, 0), (0.1, 0.1, 0.1))
    mech.joint("pivot", "ground", "bob", ct.Revolute((0, 0, 0), (0, 0, 1)))
    it = ct.transition(mech.compile(), [0.0], [3.0], ["pivot"])
    assert it.impulse == pytest.approx([(0.1 + 2 * 0.25) * 3.0])
    assert it.impulses == {"lock pivot": pytest.approx([-1.8])}  # on the bob, as that of its joint
    assert it.joint_impulses["pivot"] == pytest.approx([0, 0, -1.8, -3.0, 0, 0])
    assert it.energy_loss == pytest.approx(0.5 * 0.6 * 9)
    assert (it.dof_before, it.dof, it.singular, it.undetermined) == (1, 0, False, ())
    assert "transition of mechanism by lock pivot: 1 DOF before, 0 after" in str(it)


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_the_work_of_drivers(coordinates):
    """A lock beside a crank that is driven: T+ - T- = supplied - energy_loss, with the driver's own impulse times its rate."""
    mech = ct.gallery.planar_3r()
    mech.drive("turn", "J1", lambda t: 0.7 * t, rate=lambda t: 0.7, acceleration=lambda t: 0.0)
    system = mech.compile()
    q, v = np.array([0.0, 0.4, -1.0]), np.array([0.7, -2.0, 1.5])
    if coordinates == "absolute":
        other = mech.compile("absolute")
        q, v = to_absolute(system, other, q, v)
        system = other
    M = ct.mass_matrix(system, q)
    for form in ("general", "redundant", "minimal"):
        it = ct.transition(system, q, v, ["J2"], form=form)
        assert 0.5 * (it.v @ M @ it.v - v @ M @ v) == pytest.approx(it.supplied - it.energy_loss, rel=1e-10)
        J, b = ct.constraint_jacobian(it.system, q), ct.theory.constraint_rate(it.system, q)
        assert error(it.dv, jumped(M, J, b, v)[0]) < 1e-10
        assert it.energy_loss > 1.0
        assert abs(it.supplied) > 1.0
        assert J @ it.v == pytest.approx(b, abs=1e-10)


def test_a_driver_that_is_switched_on_supplies_what_a_flywheel_gains():
    mech = ct.Mechanism()
    mech.body("wheel", 1.0, (0, 0, 0), (1, 1, 2.0))
    mech.joint("axle", "ground", "wheel", ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.drive("motor", "axle", lambda t: 3 * t, rate=lambda t: 3.0, acceleration=lambda t: 0.0)
    mech.activate("motor", at=1.0)
    system = mech.compile()
    assert ct.simulate(system, 0.5).v[-1] == 0.0
    it = ct.transition(system, [0.0], [1.0], ["motor"])
    assert it.v == pytest.approx([3.0])
    assert it.supplied == pytest.approx(2.0 * 2.0 * 3.0)  # impulse 4, rate 3
    assert it.energy_loss == pytest.approx(0.5 * 2 * 4)


def test_a_redundant_lock_of_the_four_bar():
    """Either lock alone stops it, both together too; then their impulses are one choice among many."""
    system = four_bar().compile()
    v = ct.consistent_velocity(system, system.q0, [1.0, 0, 0][: system.nv])
    one, two, both = (ct.transition(system, system.q0, v, names) for names in (["A"], ["D"], ["A", "D"]))
    for it in (one, two, both):
        assert np.abs(it.v).max() < 1e-14
        assert it.energy_loss == pytest.approx(ct.energy(system, system.q0, v).kinetic, rel=1e-12)
        assert it.dof == 0
    assert "lock A" not in one.undetermined
    assert {"lock A", "lock D"} <= set(both.undetermined)
