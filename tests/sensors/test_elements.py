"""Force, power and work of single elements: closed forms, energies, drivers, brakes."""

import numpy as np
import pytest

import cotree as ct

from .rigs import loaded_four_bar


def test_work_of_all_elements_is_the_change_of_energy():
    run = ct.simulate(loaded_four_bar(), 2.0, rtol=1e-11, atol=1e-11)
    s, d, k, m, w = (run.element(n) for n in ("s", "dC", "kD", "mA", "wind"))
    np.testing.assert_allclose(m.work + w.work, run.energy.supplied, atol=1e-8)
    stretch, turned = s.length - 0.3, run.joint("D").angle - 0.2
    spring = 20.0 * (stretch[0] ** 2 - stretch**2)
    np.testing.assert_allclose(k.work, 2.5 * (turned[0] ** 2 - turned**2), atol=1e-8)
    np.testing.assert_allclose(d.work + s.work - spring, -run.energy.dissipated, atol=1e-8)
    np.testing.assert_allclose(m.force, 3.0 * np.cos(2.0 * run.t), atol=1e-12)
    np.testing.assert_allclose(m.power, m.torque * run.joint("A").rate, atol=1e-12)
    np.testing.assert_allclose(d.force, -0.7 * run.joint("C").rate, atol=1e-10)
    np.testing.assert_allclose(s.force, 40.0 * stretch + 3.0 * s.rate, atol=1e-10)
    np.testing.assert_allclose(w.power, run.point("rocker", (2.45, 0.7, 0)).velocity @ (1.0, -2.0, 0.5), atol=1e-10)
    np.testing.assert_allclose(w.force, [[1.0, -2.0, 0.5]] * len(run.t))
    assert max(x.work_error for x in (s, d, k, m, w)) < 1e-6


def test_the_estimate_of_the_error_of_work_is_one():
    """With few rows the work is less accurate, and says so."""
    full = ct.simulate(loaded_four_bar(), 2.0, rtol=1e-11, atol=1e-11)
    few = ct.simulate(loaded_four_bar(), 2.0, rtol=1e-11, atol=1e-11, output=21)
    error = abs(few.element("dC").work[-1] - full.element("dC").work[-1])
    assert error > 1e-9
    assert 0.05 * error < few.element("dC").work_error < 50.0 * error


def driven():
    mech = ct.gallery.four_bar()
    mech.drive(
        "speed", "A", lambda t: 0.8 * np.sin(t), rate=lambda t: 0.8 * np.cos(t), acceleration=lambda t: -0.8 * np.sin(t)
    )
    return mech


def test_a_driver():
    run = ct.simulate(driven(), 2.0, rtol=1e-10, atol=1e-10)
    e = run.element("speed")
    k = 77
    found = ct.forward_dynamics(run.system, run.q[k], run.v[k], t=run.t[k]).constraint_forces["speed"].along["A"]
    assert e.force[k] == pytest.approx(found)
    np.testing.assert_allclose(e.power, e.force * 0.8 * np.cos(run.t), atol=1e-8)
    np.testing.assert_allclose(e.work, run.energy.supplied, atol=1e-8)
    np.testing.assert_allclose(run.reaction("A").moment[:, 2], e.force, atol=1e-8)


def block(brake):
    """A sliding block on a spring, which a brake stops: friction 3 N, stiffness 100 N/m, 2 kg."""
    mech = ct.Mechanism("block", gravity=(0, 0, -9.81))
    mech.body("b", 2.0, (0, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("x", "ground", "b", ct.Prismatic(axis=(1, 0, 0)))
    mech.joint_spring("k", "x", 100.0)
    if brake:
        mech.brake("x", 3.0, name="f")
    return mech


def test_a_brake_slides_and_holds():
    run = ct.simulate(block(True), 3.0, q={"x": 0.2}, rtol=1e-10, atol=1e-12)
    f, x = run.element("f"), run.joint("x")
    assert len(run.phases) > 2
    still = np.abs(x.rate) < 1e-12
    assert still.sum() > 10
    sliding = ~still & (run.t > 0)
    np.testing.assert_allclose(f.force[sliding], -3.0 * np.sign(x.rate[sliding]), atol=1e-9)
    end = run.t > run.switches[-1].t
    np.testing.assert_allclose(f.force[end], 100.0 * x.angle[end], atol=1e-8)  # it holds against the spring
    np.testing.assert_allclose(f.work, -run.energy.dissipated, atol=1e-7)
    np.testing.assert_allclose(f.work + run.element("k").work, run.body_energy("b").kinetic, atol=1e-7)


def test_constraints_that_touch_bodies():
    mech = ct.Mechanism("rod", gravity=(0, 0, -9.81))
    mech.body("b", 2.0, (1, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("free", "ground", "b", ct.Translation())
    mech.distance("rope", "ground", (0, 0, 0), "b", (1, 0, 0))
    run = ct.simulate(mech, 1.0, rtol=1e-10, atol=1e-10)
    p = run.point("b")
    pull = 2.0 * (np.einsum("ki,ki->k", p.velocity, p.velocity) - 9.81 * p.position[:, 2])
    np.testing.assert_allclose(run.element("rope").force, pull, atol=1e-7)
    np.testing.assert_allclose(run.element("rope").work, 0.0, atol=1e-12)
    disk = ct.gallery.rolling_disk()
    run = ct.simulate(disk, 0.5)
    name = next(iter(disk.constraints))
    force = run.element(name).force
    weight = sum(b.properties.mass for b in disk.bodies.values()) * np.array(disk.gravity)
    masses = np.array([b.properties.mass for b in disk.bodies.values()])
    rate = sum(m * run.point(n).acceleration for m, n in zip(masses, disk.bodies, strict=True))
    np.testing.assert_allclose(force, rate - weight, atol=1e-8)


def test_a_lock_and_a_stop():
    mech = block(False)
    mech.limit("x", -0.1, 0.5, restitution=0.0, name="stop")
    mech.lock("x", at=1.5, name="lock")
    run = ct.simulate(mech, 2.0, q={"x": 0.2})
    lock = run.element("lock")
    assert np.all(lock.force[run.t < 1.5] == 0.0)
    late = run.t > 1.5
    np.testing.assert_allclose(lock.force[late], 100.0 * run.joint("x").angle[late], atol=1e-6)
    assert run.element("stop").force.shape == run.t.shape
