"""The Voronets equations as numbers, the lengths that choose their charts, and the rate of the constraint Jacobian."""

import itertools

import numpy as np
import pytest

import cotree as ct
from cotree.constraints.jacobian_rate import constraint_jacobian_rate
from tests.closed_mechanisms import FAMILIES, closed_pose, random_loop

Z = (0, 0, 1)


def sleigh_with_rocker():
    """A sleigh on a blade that carries a four-bar: a loop and a nonholonomic constraint."""
    m = ct.Mechanism("sleigh with rocker", gravity=(0.3, -9.81, 0))
    m.body("cart", mass=0.2, com=(0, 0, 0), inertia=(0.01, 0.01, 0.01))
    m.body("sleigh", mass=3, com=(0.3, 0.1, 0), inertia=(0.2, 0.3, 0.4))
    m.joint("xy", m.ground, "cart", ct.PlanarTranslation(Z, x_axis=(1, 0, 0)))
    m.joint("turn", "cart", "sleigh", ct.Revolute((0, 0, 0), Z))
    A, B, C, D = (0, 0, 0), (0.2, 0.3, 0), (0.9, 0.5, 0), (1.0, 0, 0)
    m.body("crank", mass=0.5, com=(0.1, 0.15, 0), inertia=(0.02, 0.02, 0.02))
    m.body("coupler", mass=0.7, com=(0.55, 0.4, 0), inertia=(0.05, 0.05, 0.05))
    m.body("rocker", mass=0.4, com=(0.95, 0.25, 0), inertia=(0.02, 0.02, 0.02))
    m.joint("A", "sleigh", "crank", ct.Revolute(A, Z))
    m.joint("B", "crank", "coupler", ct.Revolute(B, Z))
    m.joint("C", "coupler", "rocker", ct.Revolute(C, Z))
    m.joint("D", "sleigh", "rocker", ct.Revolute(D, Z))
    m.knife_edge("blade", "sleigh", (-0.4, 0, 0), (0, 1, 0))
    return m


def driven_arm():
    """A spherical wrist whose base is driven in time, and whose tip keeps a distance that changes."""
    m = ct.Mechanism("driven arm")
    m.body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.2, 0.3))
    m.body("hand", mass=0.7, com=(1.2, 0.1, 0), inertia=(0.03, 0.02, 0.04))
    m.joint("base", m.ground, "arm", ct.Universal((0, 0, 0), (0, 0, 1), (0, 1, 0)))
    m.joint("wrist", "arm", "hand", ct.Spherical((1, 0, 0)))
    m.drive("motor", "base", lambda t: 0.3 * np.sin(2 * t), coordinate="w1")
    m.distance("rope", m.ground, (0, 0, 2), "hand", (1.4, 0, 0), length=lambda t: np.sqrt(1.96 + 4) + 0.1 * np.sin(t))
    return m


def state_of(system, seed=0, t=0.0):
    rng = np.random.default_rng(seed)
    q = closed_pose(system, rng) if t == 0.0 else ct.assemble(system, system.q0, t=t)
    return q, ct.consistent_velocity(system, q, rng.normal(size=system.nv), t=t)


SYSTEMS = {
    "sleigh": lambda: sleigh_with_rocker().compile(cut=["C"]),
    "sleigh, bodies free": lambda: sleigh_with_rocker().compile(coordinates="absolute"),
    "sleigh on SO(3) x R3": lambda: sleigh_with_rocker().compile(coordinates="absolute", group="SO3xR3"),
    "disk": lambda: ct.gallery.rolling_disk().compile(),
    "arm": lambda: driven_arm().compile(),
    "bricard": lambda: ct.gallery.bricard().compile(regularize=False),
}


@pytest.fixture(params=SYSTEMS, scope="module")
def system(request):
    return SYSTEMS[request.param]()


def test_rate_of_the_jacobian_is_its_derivative_along_the_motion(system):
    q, v = state_of(system)
    h = 1e-5

    def at(s):
        return ct.constraint_jacobian(system, ct.displace(system, q, s * v), 0.0)

    differences = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    assert np.abs(constraint_jacobian_rate(system, q, v) - differences).max() < 1e-8 * max(1, np.abs(differences).max())


def test_its_product_with_the_velocity_is_minus_the_bias(system):
    q, v = state_of(system, 1)
    still = np.abs(ct.theory.constraint_rate(system, q)).max(initial=0.0) == 0.0
    if still:
        assert constraint_jacobian_rate(system, q, v) @ v == pytest.approx(-ct.constraint_bias(system, q, v), abs=1e-11)


def test_reduced_equations_give_the_acceleration_of_the_whole(system):
    q, v = state_of(system)
    want = ct.forward_dynamics(system, q, v, formulation="projection").v_dot
    found = ct.theory.reduced(system, q, v)
    assert found.v_dot == pytest.approx(want, abs=1e-9 * max(1.0, np.abs(want).max()))
    assert found.F @ found.velocity + found.shift == pytest.approx(v, abs=1e-10)


def test_basis_mass_and_rate_of_the_basis(system):
    """[Geo (54), (56), (59)]: J (F v2 + shift) is what the constraints ask for, F^T M F, and F-dot by differences."""
    q, v = state_of(system)
    found = ct.theory.reduced(system, q, v)
    J, b = ct.constraint_jacobian(system, q), ct.theory.constraint_rate(system, q)
    assert np.abs(J @ found.F).max(initial=0.0) < 1e-9
    assert J @ found.v == pytest.approx(b, abs=1e-9)
    assert found.mass == pytest.approx(found.F.T @ ct.mass_matrix(system, q) @ found.F, rel=1e-12, abs=1e-12)
    h = 1e-5

    def at(s):
        return ct.theory.reduced(system, ct.displace(system, q, s * found.v), None, found.independent, t=s).F

    differences = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    other = v + 1.0  # whose independent entries alone count
    kept = [system.v_index(name) for name in found.independent]
    other[kept] = v[kept]
    again = ct.theory.reduced(system, q, other, found.independent)
    assert again.v == pytest.approx(found.v, abs=1e-12)
    assert again.F_dot == pytest.approx(found.F_dot, rel=1e-9, abs=1e-9)
    assert found.F_dot == pytest.approx(differences, abs=1e-6 * max(1.0, np.abs(differences).max()))


@pytest.mark.parametrize("family", FAMILIES)
def test_random_loops(family):
    system = random_loop(
        np.random.default_rng(5), (family, family), "Cylindrical" if family == "schoenflies" else "Revolute"
    )
    system = system.compile(regularize=False)
    q, v = state_of(system, 2)
    want = ct.forward_dynamics(system, q, v, formulation="index1").v_dot
    assert ct.theory.reduced(system, q, v).v_dot == pytest.approx(want, abs=1e-8 * max(1.0, np.abs(want).max()))


def test_charts_of_the_user_describe_one_motion():
    system = SYSTEMS["sleigh"]()
    q, v = state_of(system)
    want = ct.forward_dynamics(system, q, v, formulation="index1").v_dot
    charts = 0
    for names in itertools.combinations(system.coordinate_names, 3):
        try:
            found = ct.theory.reduced(system, q, v, independent=names)
        except ct.errors.SingularError:
            continue
        charts += 1
        assert found.independent == names
        assert found.v_dot == pytest.approx(want, abs=1e-8)
        assert found.christoffel @ found.velocity == pytest.approx(found.coriolis, abs=1e-8)  # Geo (57) and (59)
        k = found.christoffel.shape[0]
        assert found.F[[system.v_index(n) for n in names]] == pytest.approx(np.eye(k), abs=0)
    assert charts > 5


def test_charts_that_are_none():
    system = SYSTEMS["sleigh"]()
    q, v = state_of(system)
    with pytest.raises(ct.errors.ChoiceError, match="3 independent velocities"):
        ct.theory.reduced(system, q, v, independent=["A"])
    with pytest.raises(ct.errors.ChoiceError, match="twice"):
        ct.theory.reduced(system, q, v, independent=["A", "A", "turn"])
    with pytest.raises(ct.errors.SingularError, match="cannot be the independent coordinates"):
        ct.theory.reduced(system, q, v, independent=["A", "B", "turn"])


def test_a_coordinate_without_inertia_is_named():
    m = ct.Mechanism("idle")
    m.body("a", mass=1.0, com=(1, 0, 0), inertia=(0.1, 0.1, 0.1))
    m.body("b", mass=1, com=(1, 0, 0), inertia=(0, 0, 0))
    m.joint("A", m.ground, "a", ct.Revolute((0, 0, 0), Z))
    m.joint("B", "a", "b", ct.Revolute((1, 0, 0), Z))
    with pytest.raises(ct.errors.SingularError, match="'B'"):
        ct.theory.reduced(m.compile(), [0, 0], [0, 0])


def test_kinetic_energy_is_that_of_the_independent_velocities():
    system = SYSTEMS["sleigh"]()
    q, v = state_of(system)
    found = ct.theory.reduced(system, q, v)
    assert 0.5 * found.velocity @ found.mass @ found.velocity == pytest.approx(
        ct.energy(system, q, v).kinetic, rel=1e-12
    )


def test_lengths_of_a_pendulum_on_a_circle():
    """A point mass held at a distance: at the angle a its x direction has cos^2 a along the rod [Geo, Figure 3]."""
    m = ct.Mechanism("circle", gravity=(0, -9.81, 0))
    a = 0.7
    m.body("mass", mass=2.0, com=(np.cos(a), np.sin(a), 0), inertia=(0, 0, 0))
    m.joint("xy", m.ground, "mass", ct.PlanarTranslation(Z, x_axis=(1, 0, 0)))
    m.distance("rod", m.ground, (0, 0, 0), "mass", (np.cos(a), np.sin(a), 0))
    found = ct.theory.projection_lengths(m.compile(), [0, 0])
    assert found.constrained == pytest.approx([np.cos(a) ** 2, np.sin(a) ** 2], abs=1e-14)
    assert found.free == pytest.approx([np.sin(a) ** 2, np.cos(a) ** 2], abs=1e-14)


def test_lengths_by_their_formula(system):
    q, _ = state_of(system)
    M, J = ct.mass_matrix(system, q), ct.constraint_jacobian(system, q)
    for level, rows in (("position", system.holonomic), ("velocity", np.ones(len(J), bool))):
        S = J[rows] @ np.linalg.solve(M, J[rows].T)
        along = np.einsum("ri,rs,si->i", J[rows], np.linalg.pinv(S, rcond=1e-10), J[rows]) / M.diagonal()
        found = ct.theory.projection_lengths(system, q, level)
        assert found.constrained == pytest.approx(along, abs=1e-8)
        assert found.constrained + found.free == pytest.approx(np.ones(system.nv), abs=1e-12)
        assert str(found).count("\n") == system.nv


def test_independent_coordinates_by_their_lengths(system):
    """As many as there are degrees of freedom, by the same steps as a pivoted QR; they serve as a chart."""
    from scipy.linalg import qr

    q, v = state_of(system)
    M, J = ct.mass_matrix(system, q), ct.constraint_jacobian(system, q)
    found = ct.theory.projection_lengths(system, q, "velocity")
    P = np.eye(system.nv) - np.linalg.solve(M, J.T) @ np.linalg.pinv(J @ np.linalg.solve(M, J.T), rcond=1e-10) @ J
    dof = round(np.trace(P))  # P takes velocities to admissible ones, e_i^T M P e_j is their inner product
    assert len(found.independent) == dof
    L, size = np.linalg.cholesky(M), np.sqrt(M.diagonal())
    order = qr(L.T @ P / size, pivoting=True)[2][:dof]
    best = np.linalg.svd((L.T @ P / size)[:, order], compute_uv=False)[-1]
    taken = [system.v_index(name) for name in found.independent]
    assert np.linalg.svd((L.T @ P / size)[:, taken], compute_uv=False)[-1] == pytest.approx(best, rel=1e-6)
    if dof:
        assert found.free[taken[0]] == pytest.approx(found.free.max())
        assert ct.theory.reduced(system, q, v, independent=found.independent).F.shape == (system.nv, dof)


def test_levels_differ_where_constraints_are_nonholonomic():
    system = SYSTEMS["sleigh"]()
    q, _ = state_of(system)
    position, velocity = (ct.theory.projection_lengths(system, q, level) for level in ("position", "velocity"))
    assert np.all(velocity.constrained >= position.constrained - 1e-12)
    assert np.abs(velocity.constrained - position.constrained).max() > 0.01
