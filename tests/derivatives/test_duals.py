"""Closed forms by Lie brackets against the same kernels on dual numbers: joints and coordinates of all kinds, elements, loops,
redundant rows, rolling, drives. Both are exact, so that they agree to rounding."""

import numpy as np
import pytest

import cotree as ct
from cotree.derivatives.constrained import carefully
from cotree.derivatives.duals import along, by_state
from cotree.errors import ChoiceError, SingularError
from tests import closed_mechanisms
from tests.derivatives.test_constrained_derivatives import state
from tests.derivatives.test_tree_derivatives import loaded
from tests.random_mechanisms import error, make_case

CLOSED = ("four_bar", "stewart", "sarrus", "delta", "helical_jacks", "slider_crank")
TOLERANCE = 1e-11


def agree(found, expected, tolerance=TOLERANCE):
    for name in ("dq", "dv", "dtau" if hasattr(found, "dtau") else "da"):
        assert error(getattr(found, name), getattr(expected, name)) < tolerance, name


def both(f, *state):
    return [f(*state, method=method) for method in ("brackets", "dual")]


@pytest.mark.parametrize("seed", range(16))
def test_trees_with_elements(seed):
    system, s = loaded(seed)
    agree(*both(ct.inverse_dynamics_derivatives, system, s.q, s.v, s.v_dot))
    agree(*both(ct.forward_dynamics_derivatives, system, s.q, s.v, s.tau), 1e-9)


@pytest.mark.parametrize("coordinates", ["first", "cayley", "second", "group", "quaternion"])
def test_kinds_of_coordinates(coordinates):
    c = make_case(1, 4, joints=("Spherical", "Planar", "Free", "Cylindrical"), coordinates=(coordinates,))
    agree(*both(ct.inverse_dynamics_derivatives, c.system, c.state.q, c.state.v, c.state.v_dot))


def test_links_that_do_not_come_depth_first():
    """Three arms whose links are added in turns; of each, those above it must be found again."""
    mech = ct.Mechanism("arms")
    ends = [mech.ground] * 3
    for k in range(12):
        p = (0.3 * (k // 3), 0.1 * (k % 3), 0.05 * k)
        body = mech.body(f"b{k}", 1.0, p, (0.1, 0.2, 0.3))
        mech.joint(f"j{k}", ends[k % 3], body, (ct.Revolute(p, np.eye(3)[k % 2]), ct.Spherical(p))[k % 5 == 0])
        ends[k % 3] = body
    system = mech.compile()
    rng = np.random.default_rng(4)
    q = ct.displace(system, system.q0, rng.normal(size=system.nv))
    agree(*both(ct.inverse_dynamics_derivatives, system, q, *rng.normal(size=(2, system.nv))))


def closed_systems():
    for name in CLOSED:
        yield name, getattr(closed_mechanisms, name)().compile(regularize=name == "slider_crank")
    yield "absolute", closed_mechanisms.four_bar().compile(coordinates="absolute")
    yield "absolute, SO(3) x R3", closed_mechanisms.stewart().compile(coordinates="absolute", group="SO3xR3")
    for name in ("bicycle", "rolling_disk", "snakeboard"):
        yield name, getattr(ct.gallery, name)().compile()


@pytest.mark.parametrize(("name", "system"), [pytest.param(*pair, id=pair[0]) for pair in closed_systems()])
def test_loops_redundant_rows_and_rolling(name, system):
    """v_dot and multipliers, in all directions, also those that the constraints do not allow."""
    q, v, tau = state(system)
    brackets, dual = both(carefully, system, q, v, tau, 0.0)
    agree(brackets, dual, 1e-10)
    for which in ("lam_dq", "lam_dv", "lam_dtau"):
        assert error(getattr(brackets, which), getattr(dual, which)) < 1e-9, which
    assert error(brackets.changes.velocity_dq, dual.changes.velocity_dq) < TOLERANCE
    by_q, _, _ = by_state(system, q, v, np.zeros(system.nv), np.zeros(system.n_constraints), 0.0)
    J = ct.constraint_jacobian(system, q)[system.holonomic]
    assert error(by_q.gap[system.holonomic], J) < 1e-9


def test_drives_distances_and_springs_in_loops():
    mech = ct.gallery.four_bar()
    mech.spring("coil", "crank", (0.6, 0.8, 0), "rocker", (2.5, 0, 0), 30.0, 1.0, 0.5)
    mech.joint_spring("torsion", "D", 4.0)
    mech.joint_damper("oil", "C", 0.3)
    bob = mech.body("bob", 1.0, (1.5, 2.0, 0.0), (0.1, 0.1, 0.1))
    mech.joint("free", mech.ground, bob, ct.Free())
    mech.distance("rod", "coupler", (1.5, 1.1, 0.0), "bob", (1.5, 2.0, 0.0))
    mech.drive("motor", "A", lambda t: 0.3 * np.sin(t))
    system = mech.compile()
    q = ct.assemble(system, system.q0, t=0.7)
    v = ct.consistent_velocity(system, q, 0.1 * np.arange(system.nv), t=0.7)
    agree(*both(ct.forward_dynamics_derivatives, system, q, v, np.ones(system.nv), 0.7), 1e-9)


def test_forces_that_are_functions_are_differenced_on_both_routes():
    mech = ct.gallery.pendulum_chain(2)
    joint = next(iter(mech.joints))
    mech.motor("m", joint, lambda t, angle, rate: np.sin(3 * angle) - rate**3)
    system = mech.compile()
    agree(*both(ct.inverse_dynamics_derivatives, system, [0.3, 0.1], [0.5, 0.2], [1.0, 0.0], 0.2))
    agree(*both(ct.forward_dynamics_derivatives, system, [0.3, 0.1], [0.5, 0.2], [1.0, 0.0], 0.2))


def test_energies():
    """d(kinetic + potential) along a motion is the power of inverse dynamics; by v the kinetic energy gives M v."""
    system, s = loaded(3)
    one, none = np.eye(system.nv), np.zeros((system.nv, system.nv))
    rows = np.zeros(system.n_constraints)
    found = along(system, s.q, s.v, s.v_dot, rows, 0.0, (none, one, none))
    assert error(found.energy[0], ct.mass_matrix(system, s.q) @ s.v) < 1e-12
    assert not found.energy[1].any()


def test_refusals():
    system = ct.gallery.pendulum_chain(1).compile()
    with pytest.raises(ChoiceError, match="brackets"):
        ct.inverse_dynamics_derivatives(system, system.q0, method="duals")
    with pytest.raises(ChoiceError, match="dual"):
        ct.forward_dynamics_derivatives(system, system.q0, method="brakets")
    mech = ct.gallery.pendulum_chain(1)
    body = next(iter(mech.bodies))
    mech.spring("none", "ground", (0.1, 0, 0), body, (0.1, 0, 0), 5.0, 0.3)
    for method in ("brackets", "dual"):
        with pytest.raises(SingularError, match="'none' has no length"):
            ct.inverse_dynamics_derivatives(mech, [0.0], method=method)
    with pytest.raises(SingularError, match="'none' has no length"):
        ct.energy_derivatives(mech, [0.0])
