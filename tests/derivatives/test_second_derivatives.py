"""Second derivatives of inverse dynamics: against differences of the first ones, and against Geo's Christoffel symbols."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import FunctionError, NotFiniteError, SingularError
from tests.derivatives.differences import along_q, along_v
from tests.derivatives.test_tree_derivatives import loaded
from tests.random_mechanisms import error, make_case

TOLERANCE = 1e-9


def by_differences(system, q, v, a):
    """(qq, qv, vv, qa) from `inverse_dynamics_derivatives`."""
    n, first = system.nv, ct.inverse_dynamics_derivatives
    shape = (n, n, n)
    return (
        along_q(system, lambda x: first(system, x, v, a).dq.ravel(), q, 5e-3).reshape(shape),
        along_v(lambda u: first(system, q, u, a).dq.ravel(), v).reshape(shape),
        along_v(lambda u: first(system, q, u, a).dv.ravel(), v).reshape(shape),
        along_q(system, lambda x: ct.mass_matrix(system, x).ravel(), q, 5e-3).reshape(shape).transpose(0, 2, 1),
    )


@pytest.mark.parametrize("seed", range(6))
def test_trees_with_elements(seed):
    system, s = loaded(seed)
    found = ct.theory.inverse_dynamics_second_derivatives(system, s.q, s.v, s.v_dot)
    for name, x, y in zip(found._fields, found, by_differences(system, s.q, s.v, s.v_dot), strict=True):
        assert error(x, y) < TOLERANCE, name


@pytest.mark.parametrize("coordinates", ["first", "cayley", "second", "quaternion"])
def test_kinds_of_coordinates(coordinates):
    c = make_case(2, 3, joints=("Spherical", "Free"), coordinates=(coordinates,))
    s = c.state
    found = ct.theory.inverse_dynamics_second_derivatives(c.system, s.q, s.v, s.v_dot)
    for name, x, y in zip(found._fields, found, by_differences(c.system, s.q, s.v, s.v_dot), strict=True):
        assert error(x, y) < TOLERANCE, name


@pytest.mark.parametrize("seed", range(4))
def test_christoffel_symbols(seed):
    """By two velocities the forces have Gamma[a, b, c] + Gamma[a, c, b], whatever the state [Geo (47)]."""
    c = make_case(seed, 5)
    s, gamma = c.state, ct.theory.christoffel(c.system, c.state.q)
    found = ct.theory.inverse_dynamics_second_derivatives(c.system, s.q, s.v, s.v_dot)
    assert error(found.vv, gamma + gamma.transpose(0, 2, 1)) < 1e-12
    assert error(found.qv, ct.theory.inverse_dynamics_second_derivatives(c.system, s.q, s.v, None).qv) < 1e-12


def test_refusals():
    mech = ct.gallery.pendulum_chain(1)
    body = next(iter(mech.bodies))
    mech.spring("none", "ground", (0.1, 0, 0), body, (0.1, 0, 0), 5.0, 0.3)
    with pytest.raises(SingularError, match="'none' has no length"):
        ct.theory.inverse_dynamics_second_derivatives(mech, [0.0])
    with pytest.raises(NotFiniteError):
        ct.theory.inverse_dynamics_second_derivatives(ct.gallery.pendulum_chain(1), [np.inf])
    mech = ct.gallery.pendulum_chain(1)
    mech.motor("m", next(iter(mech.joints)), lambda angle: angle**3)
    with pytest.raises(FunctionError, match="functions of the state"):
        ct.theory.inverse_dynamics_second_derivatives(mech, [0.1])
