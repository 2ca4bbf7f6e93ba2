"""Bodies with many neighbours: copies that are welded to each other give the same accelerations in logarithmic depth."""

import numpy as np
import pytest

import cotree as ct
from cotree.formulations.odca.division import division
from cotree.formulations.odca.forward import by_division
from tests.random_mechanisms import error

Z = (0.0, 0.0, 1.0)
UP = np.array(Z)


def around(k, n, radius=1.0):
    a = 2.0 * np.pi * k / n
    return np.array([radius * np.cos(a), radius * np.sin(a), 0.0])


def star(n):
    """n arms on a hub that floats."""
    mech = ct.Mechanism(f"star of {n}", gravity=(0, -9.81, 0))
    mech.body("hub", 2.0 + 0.1 * n, (0.1, 0, 0), (1.0, 1.2, 1.5))
    mech.joint("free", mech.ground, "hub", ct.Free())
    for k in range(n):
        mech.body(f"arm{k}", 1.0 + 0.01 * k, around(k, n, 1.5), (0.1, 0.2, 0.2))
        mech.joint(f"j{k}", "hub", f"arm{k}", ct.Revolute(around(k, n), (0.1 * k % 1, 0.3, 1)))
    return mech


def plate(n):
    """A plate on n legs that stand on ground by ball joints: n - 1 loops."""
    mech = ct.Mechanism(f"plate on {n} legs", gravity=(0, 0, -9.81))
    mech.body("plate", 5.0, (0.1, 0.05, 1), (1.0, 1.0, 2.0))
    for k in range(n):
        foot, head = around(k, n, 1.3), around(k, n) + UP
        knee = 0.5 * (foot + head) + 0.2 * UP
        mech.body(f"low{k}", 0.5, 0.5 * (foot + knee), (0.1, 0.1, 0.1))
        mech.body(f"up{k}", 0.4, 0.5 * (head + knee), (0.1, 0.1, 0.1))
        mech.joint(f"foot{k}", mech.ground, f"low{k}", ct.Spherical(foot))
        mech.joint(f"knee{k}", f"low{k}", f"up{k}", ct.Spherical(knee))
        mech.joint(f"head{k}", f"up{k}", "plate", ct.Spherical(head))
    return mech


def planets(n):
    """A sun with n planets on a carrier, geared to it."""
    mech = ct.Mechanism(f"sun with {n} planets", gravity=(0, -9.81, 0))
    mech.body("sun", 3.0, (0, 0, 0), (1, 1, 2))
    mech.body("carrier", 2.0, (0.1, 0, 0), (1, 1, 1.5))
    mech.joint("S", mech.ground, "sun", ct.Revolute((0, 0, 0), Z))
    mech.joint("C", mech.ground, "carrier", ct.Revolute((0, 0, 0), Z))
    for k in range(n):
        mech.body(f"planet{k}", 0.3, around(k, n), (0.1, 0.1, 0.2))
        mech.joint(f"P{k}", "carrier", f"planet{k}", ct.Revolute(around(k, n), Z))
        mech.coupling(f"g{k}", {"S": 1.0, "C": -3.0, f"P{k}": 2.0})
    return mech


MAKE = {"star": star, "plate": plate, "planets": planets}


CASES = [
    ("star", "relative"),
    ("star", "absolute"),
    ("plate", "relative"),
    ("plate", "absolute"),
    ("planets", "relative"),
]


@pytest.mark.parametrize(("name", "coordinates"), CASES)
def test_accelerations_and_forces(name, coordinates):
    """Of thirteen neighbours, beside index 1, with a load on the hub and joint forces."""
    mech = MAKE[name](13)
    hub = {"star": "hub", "plate": "plate", "planets": "carrier"}[name]
    mech.force("load", hub, (3.0, -2.0, 1.0), point=(0.3, 0.2, 0.1))
    system = mech.compile(coordinates=coordinates)
    d = division(system)
    assert (d.parts["share"] < 1.0).sum() >= 3
    rng = np.random.default_rng(3)
    v = ct.consistent_velocity(system, system.q0, rng.normal(size=system.nv))
    tau = rng.normal(size=system.nv)
    v_dot, lam, rank, _ = by_division(system, system.q0, v, tau, 0.0)
    want = ct.forward_dynamics(system, system.q0, v, tau, formulation="index1")
    assert error(v_dot, want.v_dot) < 1e-9
    assert rank == want.rank
    J = ct.constraint_jacobian(system, system.q0)
    assert error(J.T @ lam, J.T @ want.multipliers) < 1e-8


@pytest.mark.parametrize("n", [3, 8, 9, 10, 33, 100, 400, 1000])
@pytest.mark.parametrize("name", MAKE)
def test_depth(name, n):
    """At most 2 log2 n + 6."""
    plan = division(MAKE[name](n).compile()).plan
    assert plan.depth <= 2.0 * np.log2(n) + 6.0
    assert plan.widest <= 18


def test_copies_share_the_mass():
    d = division(star(40).compile())
    hub = d.parts[d.parts["link"] == d.parts["link"][0]]
    assert len(hub) == 10
    assert hub["share"].sum() == pytest.approx(1.0)
    assert hub["nv"].tolist() == [6] + 9 * [0]


def test_few_neighbours_are_left_alone():
    assert (division(star(8).compile()).parts["share"] == 1.0).all()


def test_the_plan_names_copies():
    text = str(ct.theory.assembly_plan(star(12)))
    assert "copy of hub (6)" in text
    assert "weld of copies" in text
