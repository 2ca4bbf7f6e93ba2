"""Object of non-holonomy: brackets of the admissible velocities [Geo (60)]."""

import numpy as np
import pytest

import cotree as ct
from cotree.constraints.nonholonomy import structure_constants
from cotree.constraints.rank import null_space
from tests.constraints.rigs import arm, four_bar, random_state, two_joints
from tests.constraints.test_knife_edge import sleigh
from tests.constraints.test_rolling import ball, disk

KINDS = ({}, {"coordinates": "absolute"}, {"coordinates": "absolute", "group": "SO3xR3"})
ALL = arm(
    ct.Planar(),
    ct.Spherical((1, 0, 0)),
    ct.Free(),
    ct.Schoenflies(),
    ct.Cylindrical(),
    ct.Translation(),
    ct.Universal(),
)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_structure_constants_are_brackets_of_the_steps(group):
    """To second order, going along x and then y differs from y and then x by their bracket."""
    system = ALL.compile(group=group)
    q, _ = random_state(system, 15)
    x, y = np.random.default_rng(16).standard_normal((2, system.nv))
    bracket = np.einsum("dbc,b,c->d", structure_constants(system), x, y)
    h = 1e-4
    there = ct.displace(system, ct.displace(system, q, h * x), h * y)
    back = ct.displace(system, ct.displace(system, q, h * y), h * x)
    np.testing.assert_allclose((there - back) / h**2, ct.theory.coordinate_rates(system, q, bracket), atol=2e-3)
    assert np.abs(bracket).max() > 0.1


@pytest.mark.parametrize("kinds", KINDS)
def test_knife_edge_is_not_integrable(kinds):
    """w = -sin(a) dx + cos(a) dy at the edge: dw(turn, forward) = -1."""
    system = sleigh().compile(**kinds)
    q, _ = random_state(system, 17) if not kinds else (system.q0, None)
    A = object_at(system, q)
    row = system.constraint_names.index("edge")
    np.testing.assert_allclose(np.abs(A[row]), [[0, 1], [1, 0]], atol=1e-9)
    np.testing.assert_allclose(np.delete(A, row, axis=0), 0.0, atol=1e-9)
    assert not ct.theory.is_holonomic(system, q)


def object_at(system, q):
    """In a basis of unit turn and unit speed at the edge, whatever the coordinates."""
    J = ct.spatial_jacobian(system, q, "sleigh")
    F = null_space(ct.constraint_jacobian(system, q))
    edge = ct.poses(system, q)[system.row_of("sleigh")][:3, 3]
    forward = ct.poses(system, q)[system.row_of("sleigh")][:3, 0]
    G = np.array([J[2], forward @ (J[3:] - np.cross(edge, J[:3].T).T)]) @ F
    return ct.theory.object_of_nonholonomy(system, q, basis=F @ np.linalg.inv(G))


def test_default_basis_spans_the_same():
    system = sleigh().compile()
    A = ct.theory.object_of_nonholonomy(system, system.q0)
    assert A.shape == (1, 2, 2)
    np.testing.assert_allclose(np.abs(A[0]), [[0, 1], [1, 0]], atol=1e-9)


@pytest.mark.parametrize("kinds", KINDS)
def test_distances_and_loops_are_integrable(kinds):
    mech = two_joints()
    mech.distance("rod", "b1", (1, 0.5, 0), "ground", (0, 3, 1))
    system = mech.compile(**kinds)
    A = ct.theory.object_of_nonholonomy(system, system.q0)
    assert A.shape == (system.n_constraints, 1, 1)
    mech = arm(ct.Spherical((0, 0, 0)), ct.Free())
    mech.distance("rod", "b1", (1, 0.5, 0), "b0", (0, 3, 1), length=lambda t: 2.0 + t)
    system = mech.compile(**kinds)
    q = ct.assemble(system, random_state(system, 18)[0], t=0.3)
    A = ct.theory.object_of_nonholonomy(system, q, 0.3)
    assert A.shape == (system.n_constraints, 8, 8)
    np.testing.assert_allclose(A, 0.0, atol=1e-8)
    assert ct.theory.is_holonomic(system, q, 0.3)


def spatial_loop(joint):
    """Two spherical joints and one more: several dofs, so that there are pairs of velocities to try."""
    mech = ct.Mechanism("loop")
    mech.body("a", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
    mech.body("b", 1.0, (0.5, 0.5, 0), (0.1, 0.1, 0.1))
    mech.joint("s", "ground", "a", ct.Spherical((0, 0, 0)))
    mech.joint("m", "a", "b", joint)
    mech.joint("e", "ground", "b", ct.Spherical((0, 1, 0)))
    return mech


LOOP_JOINTS = [
    ct.Universal((1, 0, 0), (1, 0, 0), (0, 1, 1)),
    ct.Spherical((1, 0, 0)),
    ct.Cylindrical((1, 0, 0), (1, 1, 0)),
]


@pytest.mark.parametrize("joint", LOOP_JOINTS, ids=lambda j: type(j).__name__)
@pytest.mark.parametrize("kinds", KINDS)
def test_loops_with_several_dofs(joint, kinds):
    system = spatial_loop(joint).compile(**kinds)
    q = ct.assemble(system, system.q0)
    A = ct.theory.object_of_nonholonomy(system, q)
    assert A.shape[1] >= 2
    np.testing.assert_allclose(A, 0.0, atol=1e-8)
    assert ct.theory.is_holonomic(system, q)
    assert ct.theory.object_of_nonholonomy(four_bar().compile(), np.zeros(3)).shape == (2, 1, 1)


def test_rolling_ball():
    """Row along t: t.dc - r (N x t).omega, so that A(X, Y) = -r (N x t).(omega_X x omega_Y) in world axes."""
    system, r = ball(0.4).compile(group="SO3xR3"), 0.4
    q = ct.displace(system, system.q0, [0.5, -0.3, 0.8, 1.0, 2.0, 0.0])
    q[4:] = [1.0, 2.0, 0.0]
    q[4:] += np.array([0, 0, r]) - ct.poses(system, q)[1][:3] @ [0, 0, r, 1] + [1.0, 2.0, 0.0]
    assert ct.constraint_residual(system, q)[2] == pytest.approx(0.0, abs=1e-12)
    J = ct.constraint_jacobian(system, q)
    F = null_space(J)
    w = ct.spatial_jacobian(system, q, "ball")[:3] @ F
    A = ct.theory.object_of_nonholonomy(system, q, basis=F)
    for k in range(2):
        t = J[k, 3:]
        expected = -r * np.einsum("i,ixy->xy", np.cross([0, 0, 1], t), np.cross(w[:, :, None], w[:, None, :], axis=0))
        np.testing.assert_allclose(A[k], expected, atol=1e-9)
        assert np.abs(A[k]).max() > 0.1
    np.testing.assert_allclose(A[2], 0.0, atol=1e-9)
    assert not ct.theory.is_holonomic(system, q)


def test_rolling_disk_is_not_integrable():
    system = disk().compile()
    assert not ct.theory.is_holonomic(system, system.q0)


@pytest.mark.parametrize(
    ("jacobian", "rate", "integrable"),
    [
        (lambda q: [[1.0, 1.0, 0.0]], lambda t: [t], True),
        (lambda q: [[1.0, q[0], 0.0]], None, True),  # two variables: an integrating factor exists
        (lambda q: [[1.0, q[2], 0.0]], None, False),
        (lambda q: [[1.0, 0.0, 0.0]], lambda q: [q[1]], False),  # q0' = q1: not a law of q and t
        (lambda q, t: [[1.0, t, 0.0]], None, False),
    ],
)
def test_velocity_rows_that_are_integrable_or_not(jacobian, rate, integrable):
    mech = arm(*(ct.Prismatic(axis=e) for e in np.eye(3)))
    mech.constraint("own", jacobian, rate=rate)
    system = mech.compile()
    assert ct.theory.is_holonomic(system, [0.3, 0.4, 0.5], 0.2) is integrable


def test_basis_of_the_wrong_shape():
    system = sleigh().compile()
    with pytest.raises(ct.errors.ShapeError, match="basis must be an array with 3 rows"):
        ct.theory.object_of_nonholonomy(system, system.q0, basis=np.eye(2))
    with pytest.raises(ct.errors.ShapeError, match=r"basis must be an array with 3 rows .* got \[\[1\], None\]"):
        ct.theory.object_of_nonholonomy(system, system.q0, basis=[[1], None])
    with pytest.raises(ct.errors.NotFiniteError, match="object_of_nonholonomy: basis contains NaN"):
        ct.theory.object_of_nonholonomy(system, system.q0, basis=np.full((3, 1), np.nan))
