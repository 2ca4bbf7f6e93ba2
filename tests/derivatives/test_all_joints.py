"""Derivatives for every joint, in relative and absolute coordinates and both groups: brackets, dual numbers and differences."""

import numpy as np
import pytest

import cotree as ct
from cotree.derivatives.constraints import constraint_changes, jets_of
from cotree.system.row_kinds import ASKED
from tests import closed_mechanisms
from tests.derivatives.differences import slope
from tests.derivatives.test_constrained_derivatives import kernel
from tests.random_mechanisms import error

P, A, B = (0.4, 0.1, -0.2), (0.6, 0.0, 0.8), (0.0, 1.0, 0.0)
JOINTS = {
    "Revolute": ct.Revolute(P, A),
    "Prismatic": ct.Prismatic(axis=A, point=P),
    "Helical": ct.Helical(P, A, 0.15),
    "Cylindrical": ct.Cylindrical(P, A),
    "Universal": ct.Universal(P, A, B),
    "Spherical": ct.Spherical(P),
    "Planar": ct.Planar(P, A),
    "PlanarTranslation": ct.PlanarTranslation(A),
    "Translation": ct.Translation(),
    "Schoenflies": ct.Schoenflies(A),
    "Free": ct.Free(),
    "Weld": ct.Weld(),
}
TOLERANCE = 1e-9


def two_bodies(joint, coordinates, group):
    """An arm on a hinge, and a body on it by that joint; a spring, a load in world axes."""
    mech = ct.Mechanism("two bodies")
    mech.body("arm", 2.0, (0.2, 0, 0), (0.1, 0.2, 0.3))
    mech.body("tip", 1.0, (0.6, 0.2, 0.1), (0.2, 0.1, 0.15))
    mech.joint("hinge", "ground", "arm", ct.Revolute((0, 0, 0), (0, 0.6, 0.8)))
    mech.joint("own", "arm", "tip", joint)
    mech.spring("coil", "ground", (1, 1, 0), "tip", (0.6, 0.2, 0.1), 20.0, 0.5, 0.4)
    mech.force("push", "tip", (1.0, -2.0, 0.5), point=(0.6, 0, 0))
    return mech.compile(coordinates=coordinates, group=group)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize("name", JOINTS)
def test_joint(name, coordinates, group):
    system, rng = two_bodies(JOINTS[name], coordinates, group), np.random.default_rng(7)
    q = ct.assemble(system, ct.displace(system, system.q0, 0.4 * rng.normal(size=system.nv)))
    v, tau = ct.consistent_velocity(system, q, rng.normal(size=system.nv)), rng.normal(size=system.nv)
    found, dual = (ct.forward_dynamics_derivatives(system, q, v, tau, method=m) for m in ("brackets", "dual"))
    J = ct.constraint_jacobian(system, q)
    for part in ("dq", "dv", "dtau"):
        assert error(getattr(found, part) @ kernel(J).T, getattr(dual, part) @ kernel(J).T) < TOLERANCE, part

    def answer(q, v):
        return ct.forward_dynamics(system, q, v, tau).v_dot

    z = kernel(J).T @ rng.normal(size=len(kernel(J)))
    closed = (lambda x: ct.assemble(system, x)) if len(J) else lambda x: x
    assert error(found.dq @ z, slope(lambda s: answer(closed(ct.displace(system, q, s * z)), v), 4e-3)) < TOLERANCE
    assert error(found.dv @ z, slope(lambda s: answer(q, v + s * z), 0.1)) < TOLERANCE


@pytest.mark.parametrize("name", ["four_bar", "stewart", "helical_jacks", "slider_crank", "sleigh"])
def test_carried_wrenches_against_jets(name):
    """Rows whose wrench a link carries have shorter formulas; the jets of their kinds say the same."""
    mech = ct.gallery.chaplygin_sleigh() if name == "sleigh" else getattr(closed_mechanisms, name)()
    system, rng = mech.compile(), np.random.default_rng(2)
    q = ct.assemble(system, ct.displace(system, system.q0, 0.05 * rng.normal(size=system.nv)))
    v = ct.consistent_velocity(system, q, rng.normal(size=system.nv))
    given = q, v, rng.normal(size=system.nv), rng.normal(size=system.n_constraints), 0.0
    owners, _ = jets_of(system)
    assert (owners[:, 2] != ASKED).any()
    short = constraint_changes(system, *given)
    owners[:, 2] = ASKED
    for a, b in zip(short, constraint_changes(system, *given), strict=True):
        assert error(a, b) < 1e-12
