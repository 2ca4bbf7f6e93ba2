"""Christoffel symbols and Coriolis matrices: brackets, Binet's tensor, differences, the literal formulas of METHODS 5."""

import numpy as np
import pytest
from hypothesis import given, settings

import cotree as ct
from cotree.dynamics.closed_form import block_matrices, coriolis_closed
from cotree.lie import ad, bracket
from tests.random_mechanisms import ONE_DOF, cases, derivative, dofs_of, error, make_case

some = settings(max_examples=30, deadline=None)
HOLONOMIC = ("second", "first", "cayley")  # rates of the coordinates are the velocities


def mass_matrix_partials(c):
    """[a, b, c]: derivative of M_ab along velocity c, by differences."""
    q = c.state.q
    parts = [
        derivative(lambda s, e=e: ct.mass_matrix(c.system, ct.displace(c.system, q, s * e)))
        for e in np.eye(c.system.nv)
    ]
    return np.moveaxis(np.array(parts), 0, 2)


def structure_constants(c):
    """[d, b, c] with [E_b, E_c] = sum_d E_d: of the left-invariant fields of coordinate-free joints."""
    out = np.zeros((c.system.nv,) * 3)
    for name, connection in c.system.mechanism.joints.items():
        joint, own = connection.joint, dofs_of(c.system, name)
        if joint.dof < 2 or joint.kind not in ("group", "quaternion"):
            continue
        Z = joint.screws().T
        direct = c.system.group == "SO3xR3" and isinstance(joint, ct.Free)
        for b, x in enumerate(Z):
            for e, y in enumerate(Z):
                if not (direct and (b >= 3 or e >= 3)):  # on the product the translations commute with everything
                    out[own, own[b], own[e]] = bracket(x, y)[list(joint.free)]
    return out


@given(cases(max_bodies=5, joints=(*ONE_DOF, "Universal", "Spherical", "Planar", "Free"), coordinates=HOLONOMIC))
@some
def test_by_differences(c):
    """Gamma_abc = (d_c M_ab + d_b M_ac - d_a M_bc) / 2, Geo (46), where velocities are rates; symmetric in b and c."""
    dM = mass_matrix_partials(c)
    expected = 0.5 * (dM + dM.transpose(0, 2, 1) - dM.transpose(2, 0, 1))
    found = ct.theory.christoffel(c.system, c.state.q)
    assert error(found, expected) < 1e-8
    assert error(found, found.transpose(0, 2, 1)) < 1e-12


@given(cases(max_bodies=4))
@some
def test_connection_by_differences(c):
    """For velocities that are no rates: Koszul's formula, with the structure constants of the group."""
    dM, M = mass_matrix_partials(c), ct.mass_matrix(c.system, c.state.q)
    low = np.einsum("ad,dbc->abc", M, structure_constants(c))  # [a, b, c] = E_a . [E_b, E_c]
    derivatives = dM + dM.transpose(0, 2, 1) - dM.transpose(2, 0, 1)
    brackets = np.einsum("acb->abc", low) + np.einsum("bac->abc", low) + np.einsum("cab->abc", low)
    assert error(ct.theory.christoffel(c.system, c.state.q), 0.5 * (derivatives + brackets)) < 1e-8


@given(cases(max_bodies=6))
@some
def test_brackets_and_binet(c):
    brackets, binet = (ct.theory.christoffel(c.system, c.state.q, form) for form in ("brackets", "binet"))
    assert error(brackets, binet) < 1e-12


def chain_data(c):
    """(K, J): [k, a] the body Jacobian columns of a chain of one-dof joints, and the inertias of its links."""
    blocks, n = block_matrices(c.system, c.state.q), len(c.system.links) - 1
    K = blocks.K.reshape(n, 6, c.system.nv).transpose(0, 2, 1)
    J = np.array([blocks.J[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] for k in range(n)])
    return K, J


CHAINS = cases(max_bodies=6, joints=ONE_DOF, branching=0.0, massless=0.0)


def bracket_sum(K, J, a, b, e):
    """Right-hand side of Geo (47) with the sum over the links that all three dofs move."""
    total = 0.0
    for k in range(max(a, b, e), len(J)):
        x, y, z, I = K[k, a], K[k, b], K[k, e], J[k]
        total += 0.5 * (z @ I @ ad(x) @ y + y @ I @ ad(x) @ z + x @ I @ ad(y) @ z)
    return total


@given(CHAINS)
@some
def test_restricted_bracket_formula(c):
    """Geo (47) as METHODS 5 reads it, for a < b <= c and for b <= a < c; it holds for b <= c and any a."""
    (K, J), n = chain_data(c), c.system.nv
    found = ct.theory.christoffel(c.system, c.state.q)
    for a, b, e in np.ndindex(n, n, n):
        if b <= e:
            assert error(found[a, b, e], bracket_sum(K, J, a, b, e)) < 1e-12


@given(CHAINS)
@some
def test_restricted_binet_formula(c):
    """The corrected Geo (48) for b <= c and any a: sum over k >= max(a, c), columns at the mass centre."""
    (K, _), n = chain_data(c), c.system.nv
    found = ct.theory.christoffel(c.system, c.state.q)
    for a, b, e in np.ndindex(n, n, n):
        if b <= e:
            total = 0.0
            for k in range(max(a, e), n):
                link = c.system.links[k + 1]
                xx, xy, xz, yy, yz, zz = link["inertia"]
                T = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
                B = 0.5 * np.trace(T) * np.eye(3) - T
                w, v = K[k, :, :3], K[k, :, 3:] + np.cross(K[k, :, :3], link["com"])
                total += link["mass"] * v[a] @ np.cross(w[b], v[e]) + w[b] @ B @ np.cross(w[e], w[a])
            assert error(found[a, b, e], total) < 1e-12


@pytest.mark.parametrize("seed", range(3))
def test_the_range_of_the_bracket_formula_matters(seed):
    """For b > c the same sum is not the symbol."""
    c = make_case(seed, 4, joints=("Revolute",), massless=0.0, branching=0.0)
    found = ct.theory.christoffel(c.system, c.state.q)
    assert error(found[0, 3, 1], bracket_sum(*chain_data(c), 0, 3, 1)) > 1e-3


@given(cases(max_bodies=6))
@some
def test_matrix_is_the_symbols_times_velocity(c):
    """C_ab = Gamma_abc v^c, Geo (49)."""
    C = ct.theory.coriolis_matrix(c.system, c.state.q, c.state.v)
    assert error(C, ct.theory.christoffel(c.system, c.state.q) @ c.state.v) < 1e-12


@given(cases())
@some
def test_rate_of_the_mass_matrix(c):
    """dM/dt = C + C^T, so that dM/dt - 2C is skew."""
    q, v = c.state.q, c.state.v
    M_dot = derivative(lambda s: ct.mass_matrix(c.system, ct.displace(c.system, q, s * v)))
    C = ct.theory.coriolis_matrix(c.system, q, v)
    assert error(C + C.T, M_dot) < 1e-8


@given(cases())
@some
def test_forces(c):
    """C v is what inverse dynamics gives for the motion, less what it gives at rest; the closed form has the same product."""
    q, v = c.state.q, c.state.v
    h = ct.inverse_dynamics(c.system, q, v) - ct.inverse_dynamics(c.system, q)
    assert error(ct.theory.coriolis_matrix(c.system, q, v) @ v, h) < 1e-12
    assert error(coriolis_closed(c.system, q, v) @ v, h) < 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_closed_form_is_not_the_christoffel_matrix(seed):
    """C of Geo (52), corrected, has the right product with v but dM/dt - 2C is not skew."""
    c = make_case(seed, 5, joints=ONE_DOF, massless=0.0, branching=0.0)
    q, v = c.state.q, c.state.v
    C, closed = ct.theory.coriolis_matrix(c.system, q, v), coriolis_closed(c.system, q, v)
    assert error(closed @ v, C @ v) < 1e-12
    assert error(closed, C) > 1e-3
    assert error(closed + closed.T, C + C.T) > 1e-3


@given(cases())
@some
def test_linear_in_the_velocity(c):
    q, v, w = c.state.q, c.state.v, c.state.v_dot
    one, two = (ct.theory.coriolis_matrix(c.system, q, x) for x in (v, w))
    assert error(ct.theory.coriolis_matrix(c.system, q, 2.0 * v - w), 2.0 * one - two) < 1e-12


def test_planar_double_pendulum():
    """h = m l1 r2 sin(q2): the textbook symbols."""
    m, l1, r2, q = 1.5, 0.8, 0.5, np.array([0.3, 0.9])
    mech = ct.Mechanism()
    upper = mech.body("upper", 1.0, (0.4, 0, 0), (0.1, 0.1, 0.1))
    lower = mech.body("lower", m, (l1 + r2, 0, 0), (0.1, 0.1, 0.1))
    mech.joint("shoulder", mech.ground, upper, ct.Revolute((0, 0, 0), (0, 0, 1)))
    mech.joint("elbow", upper, lower, ct.Revolute((l1, 0, 0), (0, 0, 1)))
    h = m * l1 * r2 * np.sin(q[1])
    expected = [[[0, -h], [-h, -h]], [[h, 0], [0, 0]]]
    assert error(ct.theory.christoffel(mech.compile(), q), expected) < 1e-14
