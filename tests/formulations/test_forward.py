"""Constrained forward dynamics: every formulation and every choice of coordinates gives the same accelerations."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ChoiceError
from cotree.lie import quaternion_of

MECHANISMS = {
    "four_bar": ct.gallery.four_bar,
    "spherical": ct.gallery.spherical_four_bar,
    "bennett": ct.gallery.bennett,
    "bricard": ct.gallery.bricard,
    "sarrus": ct.gallery.sarrus,
    "three_prrr": ct.gallery.three_prrr,
    "ladder": lambda: ct.gallery.n_four_bar(3, angle=1.0),
    "double_parallelogram": ct.gallery.double_parallelogram,
    "flat": lambda: ct.gallery.parallelogram(angle=0.0, gravity=(0, -9.81, 0)),
    "parallelogram": lambda: ct.gallery.parallelogram(gravity=(0, -9.81, 0)),
}
FORMULATIONS = ("index1", "projection", "voronets")


def admissible_state(system, seed, move=0.1):
    rng = np.random.default_rng(seed)
    q = ct.assemble(system, ct.displace(system, system.q0, move * rng.standard_normal(system.nv)))
    return q, ct.consistent_velocity(system, q, rng.standard_normal(system.nv))


def flat_state(system):
    """Flat parallelogram turning on its own branch; other admissible rates have no acceleration that closes the loop."""
    rates = {"A": 3.0, "B": -3.0, "C": 3.0, "D": 3.0}
    return system.q0, np.array([rates[name] for name in system.coordinate_names])


def in_system(system, other, q, v):
    """The state (q, v) of `system` in the coordinates of `other`: by names, or by poses in absolute coordinates."""
    if other.coordinates == "relative":
        place = [system.velocity_index(name) for name in other.coordinate_names]
        return q[place], v[place]
    C, V = ct.poses(system, q), ct.twists(system, q, v)
    qs, vs = [], []
    for name in other.body_names:
        R, p = C[system.row_of(name)][:3, :3], C[system.row_of(name)][:3, 3]
        w, u = V[system.row_of(name)][:3], V[system.row_of(name)][3:]
        qs += [*quaternion_of(R), *p]
        vs += [*w, *(R @ u if other.group == "SO3xR3" else u)]
    return np.array(qs), np.array(vs)


def body_accelerations(system, q, v, v_dot, names):
    A = ct.accelerations(system, q, v, v_dot, "spatial")
    return np.array([A[system.row_of(name)] for name in names])


@pytest.mark.parametrize("name", MECHANISMS)
def test_formulations_and_coordinates_agree(name):
    mech = MECHANISMS[name]()
    system = mech.compile()
    q, v = flat_state(system) if name == "flat" else admissible_state(system, 1)
    expected = None
    for other in (
        system,
        mech.compile(cut=system.cut_joints, regularize=False),
        mech.compile(coordinates="absolute"),
        mech.compile(coordinates="absolute", group="SO3xR3", regularize=False),
    ):
        state = in_system(system, other, q, v)
        for formulation in FORMULATIONS:
            found = ct.forward_dynamics(other, *state, formulation=formulation)
            A = body_accelerations(other, *state, found.v_dot, system.body_names)
            expected = A if expected is None else expected
            assert np.abs(A - expected).max() < 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize("name", ["four_bar", "bennett", "three_prrr"])
def test_the_acceleration_obeys_gauss_principle(name):
    """Among all accelerations that the constraints allow, the one nearest to the free one in the metric of M."""
    system = MECHANISMS[name]().compile()
    q, v = admissible_state(system, 2)
    M, J = ct.mass_matrix(system, q), ct.constraint_jacobian(system, q)
    v_dot = ct.forward_dynamics(system, q, v).v_dot
    free = np.linalg.solve(M, -ct.inverse_dynamics(system, q, v))
    assert np.allclose(J @ v_dot, ct.constraint_bias(system, q, v), atol=1e-8)
    null = np.linalg.svd(J)[2][np.linalg.matrix_rank(J, tol=1e-9) :]
    assert np.abs(null @ M @ (v_dot - free)).max() < 1e-8 * np.abs(M @ free).max()


@pytest.mark.parametrize("formulation", FORMULATIONS)
@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
@pytest.mark.parametrize("name", ["four_bar", "sarrus", "bennett"])
def test_reactions_balance_every_body(name, coordinates, formulation):
    """Newton and Euler for each body from the reactions of all its joints; also where they are not unique."""
    mech = MECHANISMS[name]()
    system = mech.compile()
    q, v = admissible_state(system, 3)
    other = mech.compile(coordinates=coordinates)
    q, v = in_system(system, other, q, v)
    found = ct.forward_dynamics(other, q, v, formulation=formulation)
    reactions, C = found.reactions, ct.poses(other, q)
    V, A = ct.twists(other, q, v, "spatial"), ct.accelerations(other, q, v, found.v_dot, "spatial")
    for body in mech.bodies.values():
        k, p = other.row_of(body.name), body.properties
        R, com = C[k][:3, :3], C[k][:3, :3] @ p.com + C[k][:3, 3]
        w, dw = V[k][:3], A[k][:3]
        a = A[k][3:] + np.cross(dw, com) + np.cross(w, V[k][3:] + np.cross(w, com))
        theta = R @ p.inertia @ R.T
        force = p.mass * (a - mech.gravity)
        moment = theta @ dw + np.cross(w, theta @ w) + np.cross(com, force)
        total = np.zeros(6)
        for joint in mech.joints.values():
            total += reactions[joint.name] * ((joint.child == body.name) - float(joint.parent == body.name))
        assert np.allclose(total, [*moment, *force], atol=1e-8 * (1 + np.abs(total).max()))


def test_uniqueness_of_reactions_is_told():
    four_bar, crank = ct.gallery.four_bar().compile(), _slider_crank()
    assert not ct.forward_dynamics(four_bar, four_bar.q0).unique
    assert ct.forward_dynamics(crank, crank.q0).unique


def _slider_crank():
    """A spatial loop without redundancy: R S S P."""
    mech = ct.Mechanism("RSSP")
    crank = mech.body("crank", 1, (0, 0, 0.1), (0.1, 0.1, 0.1))
    rod = mech.body("rod", 1, (0.5, 0.2, 0.1), (0.1, 0.1, 0.1))
    slide = mech.body("slide", 1, (1, 0.4, 0), (0.1, 0.1, 0.1))
    mech.joint("R", mech.ground, crank, ct.Revolute((0, 0, 0), (1, 0, 0)))
    mech.joint("S", crank, rod, ct.Spherical((0, 0, 0.2)))
    mech.joint("U", rod, slide, ct.Universal((1, 0.4, 0), (0, 0, 1), (0, 1, 0)))
    mech.joint("P", mech.ground, slide, ct.Prismatic((1, 0, 0)))
    return mech.compile(cut=["U"])


def test_joint_torques_act():
    """Static balance: the torque on the crank that inverse dynamics of the reduced system demands holds the four-bar."""
    system = ct.gallery.four_bar().compile()
    q, zero = system.q0, np.zeros(system.nv)
    F = np.linalg.svd(ct.constraint_jacobian(system, q))[2][-1]
    crank = system.velocity_index("A")
    tau = zero.copy()
    tau[crank] = F @ ct.inverse_dynamics(system, q) / F[crank]
    assert np.abs(ct.forward_dynamics(system, q, zero, tau).v_dot).max() < 1e-12


def test_unknown_formulation():
    with pytest.raises(ChoiceError, match="lagrange"):
        ct.forward_dynamics(ct.gallery.four_bar().compile(), np.zeros(3), formulation="lagrange")


def test_reactions_with_other_constraints():
    """A driver acts within its joint; a distance beside it shares the load of ground."""
    mech = ct.gallery.four_bar()
    mech.drive("hold", "A", 0.0)
    system = mech.compile(cut=["C"])
    found = ct.forward_dynamics(system, system.q0)
    assert np.abs(found.v_dot).max() < 1e-12
    assert np.allclose(sum(found.reactions[j][3:] for j in ("A", "D")), (0, 4 * 9.81, 0))
    mech.distance("rod", mech.ground, (0, 0, 0), "rocker", (2.4, 1.4, 0))
    system = mech.compile(cut=["C"])
    found = ct.forward_dynamics(system, system.q0)
    held = sum(found.reactions[j] for j in ("A", "D")) + found.constraint_forces["rod"].wrenches["rocker"]
    assert np.allclose(held[3:], (0, 4 * 9.81, 0))
