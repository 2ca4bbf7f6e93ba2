"""The configuration group: difference undoes move, dexp_body undoes dexp_body_inv, and both are derivatives of move."""

import numpy as np
import pytest

import cotree as ct
from cotree.kinematics.configuration import dexp_body, dexp_body_inv, difference, move
from cotree.system.views import open_tables

JOINTS = {
    "free": lambda p: ct.Free(),
    "ball": lambda p: ct.Spherical(point=p),
    "plane": lambda p: ct.Planar(point=p, normal=(0, 0.6, 0.8)),
    "hinge": lambda p: ct.Revolute(point=p, axis=(0, 1, 0)),
    "crane": lambda p: ct.Schoenflies(axis=(0, 0, 1)),
}


def chain(group):
    """One joint of each kind of group after another."""
    mech = ct.Mechanism("chain")
    last = mech.ground
    for k, (name, joint) in enumerate(JOINTS.items()):
        body = mech.body(f"b{k}", mass=1.0 + k, com=(0.1 * k, 0.2, 0.3), inertia=(0.3, 0.4, 0.5))
        mech.joint(name, last, body, joint((0.1 * k, 0.0, 0.2)))
        last = body
    return mech.compile(group=group)


@pytest.fixture(params=["SE3", "SO3xR3"])
def case(request):
    """System, tables of links and dofs, a configuration and a step, with turns of about one radian."""
    system, rng = chain(request.param), np.random.default_rng(7)
    q = ct.displace(system, system.q0, rng.uniform(-0.8, 0.8, system.nv))
    tables = open_tables(system.here)
    return system, (tables.links, tables.dofs), q, rng.uniform(-0.8, 0.8, system.nv)


def moved(system, tables, q, step):
    out = np.empty(system.nq)
    move(*tables, q, step, out)
    return out


def filled(system, function, *arguments):
    out = np.full(system.nv, np.nan)
    function(*arguments, out)
    return out


def test_difference_undoes_move(case):
    system, tables, q, step = case
    there = moved(system, tables, q, step)
    np.testing.assert_allclose(filled(system, difference, *tables, q, there), step, rtol=0, atol=1e-13)


def test_dexp_undoes_its_inverse(case):
    system, tables, _, step = case
    v = np.linspace(-1.0, 1.0, system.nv)
    rate = filled(system, dexp_body_inv, *tables, step, v, False)
    assert np.abs(rate - v).max() > 0.05
    np.testing.assert_allclose(filled(system, dexp_body, *tables, step, rate), v, rtol=0, atol=1e-13)


def test_dexp_is_the_derivative_of_move(case):
    system, tables, q, step = case
    rate, h = np.linspace(-1.0, 1.0, system.nv), 1e-5
    ahead, behind = (moved(system, tables, q, step + s * rate) for s in (h, -h))
    by_differences = filled(system, difference, *tables, behind, ahead) / (2 * h)
    np.testing.assert_allclose(filled(system, dexp_body, *tables, step, rate), by_differences, rtol=0, atol=1e-9)
