"""Derivatives of forward dynamics with loops: redundant, overconstrained, non-holonomic, along what the constraints allow."""

import warnings

import numpy as np
import pytest

import cotree as ct
from cotree.derivatives.constrained import carefully, constrained_derivatives
from cotree.errors import SingularError
from tests import closed_mechanisms
from tests.derivatives.differences import slope
from tests.random_mechanisms import error

MECHANISMS = ("four_bar", "double_parallelogram", "stewart", "sarrus", "delta", "reg_spherical")
GALLERY = ("bicycle", "rolling_disk")
TOLERANCE = 1e-9


def systems():
    for name in MECHANISMS:
        for regularize in (True, False):
            yield f"{name} {regularize}", getattr(closed_mechanisms, name)().compile(regularize=regularize)
    yield "four_bar absolute", closed_mechanisms.four_bar().compile(coordinates="absolute")
    for name in GALLERY:
        yield name, getattr(ct.gallery, name)().compile()


def kernel(J):
    """Orthonormal rows that J does nothing to."""
    if not len(J):
        return np.eye(J.shape[1])
    _, s, Vt = np.linalg.svd(J)
    return Vt[np.count_nonzero(s > 1e-9 * s[0]) :]


def state(system, seed=0):
    rng = np.random.default_rng(seed)
    q = ct.assemble(system, ct.displace(system, system.q0, 0.05 * rng.normal(size=system.nv)))
    return q, ct.consistent_velocity(system, q, rng.normal(size=system.nv)), rng.normal(size=system.nv)


@pytest.mark.parametrize(("name", "system"), [pytest.param(*pair, id=pair[0]) for pair in systems()])
def test_by_differences(name, system):
    """Along configurations that the loops allow, velocities and forces; multipliers too where they are determined."""
    q, v, tau = state(system)
    found, J = ct.forward_dynamics_derivatives(system, q, v, tau), ct.constraint_jacobian(system, q)

    def answer(q, v, tau):
        f = ct.forward_dynamics(system, q, v, tau)
        return np.append(f.v_dot, f.multipliers if full else [])

    full = np.linalg.matrix_rank(J, 1e-9) == len(J)
    rows = len(J) if full else 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for z in kernel(J[system.holonomic])[:2]:
            dq = slope(lambda s, z=z: answer(ct.assemble(system, ct.displace(system, q, s * z)), v, tau), 5e-3)
            assert error(np.append(found.dq @ z, (found.dmultipliers.dq @ z)[:rows]), dq) < TOLERANCE
        for z in kernel(J)[:2]:
            dv = slope(lambda s, z=z: answer(q, v + s * z, tau), 0.1)
            assert error(np.append(found.dv @ z, (found.dmultipliers.dv @ z)[:rows]), dv) < TOLERANCE
        e = np.eye(system.nv)[-1]
        dtau = slope(lambda s: answer(q, v, tau + s * e), 0.1)
        assert error(np.append(found.dtau @ e, (found.dmultipliers.dtau @ e)[:rows]), dtau) < TOLERANCE


@pytest.mark.parametrize("name", MECHANISMS)
def test_compiled_and_step_by_step(name):
    """The compiled route against the one over `forward_dynamics`, with redundant rows."""
    system = getattr(closed_mechanisms, name)().compile(regularize=False)
    q, v, tau = state(system)
    ct.forward_dynamics(system, q, v, tau)  # from here on the rank is known
    quick, careful = (f(system, q, v, tau, 0.0) for f in (constrained_derivatives, carefully))
    Z, N = (kernel(A).T for A in (careful.J[system.holonomic], careful.J))
    assert error(quick.v_dot, careful.v_dot) < TOLERANCE
    assert error(quick.dq @ Z, careful.dq @ Z) < TOLERANCE
    assert error(quick.dv @ N, careful.dv @ N) < TOLERANCE
    assert error(quick.dtau, careful.dtau) < TOLERANCE


def test_drivers_and_springs_in_loops():
    mech = ct.gallery.four_bar()
    mech.spring("coil", "crank", (0.6, 0.8, 0), "rocker", (2.5, 0, 0), 30.0, 1.0, 0.5)
    mech.joint_spring("torsion", "D", 4.0)
    mech.joint_damper("oil", "C", 0.3)
    for cut in ("A", "C"):
        system = mech.compile(cut=[cut])
        q, v, tau = state(system)
        found = ct.forward_dynamics_derivatives(system, q, v, tau)
        z = kernel(ct.constraint_jacobian(system, q))[0]
        dq = slope(
            lambda s, z=z, q=q, v=v, tau=tau, system=system: (
                ct.forward_dynamics(system, ct.assemble(system, ct.displace(system, q, s * z)), v, tau).v_dot
            ),
            5e-3,
        )
        dv = slope(
            lambda s, z=z, q=q, v=v, tau=tau, system=system: ct.forward_dynamics(system, q, v + s * z, tau).v_dot, 0.1
        )
        assert error(found.dq @ z, dq) < TOLERANCE
        assert error(found.dv @ z, dv) < TOLERANCE


def test_singular_states_are_named():
    system = closed_mechanisms.flat_parallelogram().compile()
    with pytest.raises(SingularError, match="singular configuration"):
        ct.forward_dynamics_derivatives(system, system.q0)
    v = ct.consistent_velocity(system, system.q0, [1.0, 0.0, 0.0])
    with pytest.raises(SingularError):
        ct.forward_dynamics_derivatives(system, system.q0, v)
