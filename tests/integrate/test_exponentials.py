"""Lie-group methods by products of exponentials: orders on both groups, and steps as a few lines of NumPy take them."""

import numpy as np
import pytest

import cotree as ct
from cotree.integrate.methods.contract import METHODS

ORDERS = {"crouch-grossman3": 3, "commutator-free4": 4}


def bodies(coordinates="auto"):
    """A floating body that turns fast, with a ball joint to another one: motions that do not commute."""
    mech = ct.Mechanism("tumbling")
    mech.body("a", 1.0, (0.2, 0.1, 0.4), (0.05, 0.04, 0.02))
    mech.body("b", 0.7, (0.5, -0.1, 0.6), (0.02, 0.03, 0.04))
    mech.joint("free", "ground", "a", ct.Free(coordinates=coordinates))
    mech.joint("ball", "a", "b", ct.Spherical((0.4, 0.0, 0.5)))
    return mech


V = np.array([1.5, -1.0, 2.0, 0.3, 0.2, -0.4, -1.0, 0.5, 1.5])
KINDS = {"SE3": ("auto", "SE3"), "SO3xR3": ("auto", "SO3xR3"), "quaternions": ("quaternion", "SE3")}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ORDERS)
def test_orders(method, kind):
    coordinates, group = KINDS[kind]
    system = bodies(coordinates).compile(group=group)

    def end(steps):
        return ct.simulate(system, 0.5, v=V, step=0.5 / steps, method=method, output=[0.5]).poses()[-1]

    exact = ct.simulate(system, 0.5, v=V, rtol=1e-13, atol=1e-13, output=[0.5]).poses()[-1]
    ratio = np.abs(end(16) - exact).max() / np.abs(end(32) - exact).max()
    assert np.log2(ratio) == pytest.approx(ORDERS[method], abs=0.5)


@pytest.mark.parametrize("method", ORDERS)
def test_orders_with_closed_loops(method):
    system = ct.gallery.four_bar().compile("absolute", group="auto")
    v = ct.consistent_velocity(system, system.q0, np.linspace(1, 2, 18))

    def end(steps):
        return ct.simulate(system, 0.4, v=v, step=0.4 / steps, method=method, output=[0.4]).poses()[-1]

    exact = ct.simulate(system, 0.4, v=v, rtol=1e-12, atol=1e-12, output=[0.4]).poses()[-1]
    ratio = np.abs(end(20) - exact).max() / np.abs(end(40) - exact).max()
    assert np.log2(ratio) == pytest.approx(ORDERS[method], abs=0.6)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_one_step_by_hand(group):
    """Commutator-free: the two exponentials at the end in the order in which they act on a body-fixed velocity."""
    system, h = bodies().compile(group=group), 0.05
    q, v = system.q0, V

    def slope(x, u):
        return u, ct.forward_dynamics(system, x, u).v_dot

    def moved(x, *steps):
        for s in steps:
            x = ct.displace(system, x, h * s)
        return x

    k1 = slope(q, v)
    k2 = slope(moved(q, k1[0] / 2), v + h / 2 * k1[1])
    k3 = slope(moved(q, k2[0] / 2), v + h / 2 * k2[1])
    k4 = slope(moved(q, k1[0] / 2, k3[0] - k1[0] / 2), v + h * k3[1])
    first, second = (
        (3 * k1[0] + 2 * k2[0] + 2 * k3[0] - k4[0]) / 12,
        (-k1[0] + 2 * k2[0] + 2 * k3[0] + 3 * k4[0]) / 12,
    )
    run = ct.simulate(system, h, v=v, step=h, method="commutator-free4", output="steps")
    assert run.q[-1] == pytest.approx(moved(q, first, second), abs=1e-13)
    assert run.v[-1] == pytest.approx(v + h / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]), abs=1e-12)
    assert np.abs(run.q[-1] - moved(q, second, first)).max() > 1e-9


def test_tableaux():
    """Sums of the factors are Runge-Kutta methods of the same order."""
    for name, order in ORDERS.items():
        m = METHODS[name]
        s = len(m.b)
        a = m.a.reshape(s + 1, -1, s).sum(axis=1)[:-1]
        assert m.b.sum() == pytest.approx(1.0, abs=1e-15)
        for k in range(2, order + 1):
            assert m.b @ m.c ** (k - 1) == pytest.approx(1 / k, abs=1e-15)
        assert m.b @ a @ m.c == pytest.approx(1 / 6, abs=1e-15)
        assert not m.adaptive
    with pytest.raises(ct.errors.ChoiceError, match="'commutator-free4' has no step control"):
        ct.simulate(ct.gallery.four_bar(), 1.0, method="commutator-free4")
