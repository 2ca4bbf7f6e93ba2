"""Nothing physical depends on which joint is cut, on the order of construction, or on the coordinates."""

import numpy as np
import pytest

import cotree as ct
from tests.closed_mechanisms import CATALOGUE, closed_pose, reversed_joints
from tests.descriptions import displacements, same_configuration, same_velocity, spatial_twists, worst_difference

NAMES = tuple(CATALOGUE)


def constrained_accelerations(
    system: ct.System, q: np.ndarray, v: np.ndarray, regularized: bool
) -> dict[str, np.ndarray]:
    """Spatial accelerations of the bodies, by least squares on [[M, J^T], [J, 0]]."""
    J = ct.constraint_jacobian(system, q, regularized=regularized)
    eta = ct.constraint_bias(system, q, v, regularized=regularized)
    n, m = system.nv, len(J)
    A = np.zeros((n + m, n + m))
    A[:n, :n], A[:n, n:], A[n:, :n] = ct.mass_matrix(system, q), J.T, J
    b = np.concatenate([-ct.inverse_dynamics(system, q, v), eta])
    v_dot = np.linalg.lstsq(A, b, rcond=1e-10)[0][:n]
    assert np.abs(J @ v_dot - eta).max(initial=0.0) < 1e-8 * max(1.0, np.abs(eta).max(initial=0.0))
    return dict(zip(("ground", *system.body_names), ct.accelerations(system, q, v, v_dot, "spatial"), strict=True))


def admissible_twists(system: ct.System, q: np.ndarray, regularized: bool = True) -> np.ndarray:
    """Projector onto the twists of all bodies, by name, that the constraints allow."""
    J = ct.constraint_jacobian(system, q, regularized=regularized)
    s, Vt = np.linalg.svd(J)[1:]
    null = Vt[np.count_nonzero(s > 1e-7) :].T
    V = np.vstack([ct.spatial_jacobian(system, q, b) @ null for b in sorted(system.body_names)])
    U, s, _ = np.linalg.svd(V, full_matrices=False)
    U = U[:, s > 1e-9]
    return U @ U.T


class Reference:
    """A closed state with its admissible twists and its accelerations."""

    def __init__(self, name: str, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.data = CATALOGUE[name][0]()
        self.system = self.data.compile()
        self.q = closed_pose(self.system, rng)
        self.v = ct.consistent_velocity(self.system, self.q, rng.normal(size=self.system.nv))
        self.twists = admissible_twists(self.system, self.q)
        self.accelerations = constrained_accelerations(self.system, self.q, self.v, True)

    def check(self, system: ct.System, regularized: bool = True) -> None:
        """The same bodies can be in the same places, move alike and accelerate alike."""
        q = same_configuration(system, displacements(self.system, self.q))
        assert np.abs(ct.constraint_residual(system, q, regularized=regularized)).max(initial=0.0) < 1e-11
        assert np.abs(admissible_twists(system, q, regularized) - self.twists).max() < 1e-8
        v = same_velocity(system, q, spatial_twists(self.system, self.q, self.v))
        assert np.abs(ct.constraint_jacobian(system, q, regularized=regularized) @ v).max(initial=0.0) < 1e-9
        assert worst_difference(constrained_accelerations(system, q, v, regularized), self.accelerations) < 1e-7


@pytest.mark.parametrize("name", NAMES)
def test_all_rows_or_those_kept(name):
    reference = Reference(name)
    reference.check(reference.system, regularized=False)
    reference.check(reference.data.compile(regularize=False))


@pytest.mark.parametrize("name", NAMES)
def test_any_cut(name):
    """Every joint in turn; loops that it does not open are cut as the search likes."""
    reference = Reference(name)
    for joint in reference.system.joint_names[:8]:
        reference.check(reference.data.compile(cut=[joint]))


@pytest.mark.parametrize("name", NAMES)
def test_any_order_and_orientation(name):
    reference, rng = Reference(name), np.random.default_rng(7)
    for _ in range(3):
        reference.check(reversed_joints(reference.data, rng).shuffled(rng).compile())


@pytest.mark.parametrize("group", ["SE3", "SO3xR3", "auto"])
@pytest.mark.parametrize("name", NAMES)
def test_absolute_coordinates(name, group):
    reference = Reference(name)
    reference.check(reference.data.compile(coordinates="absolute", group=group))


@pytest.mark.parametrize("name", NAMES)
def test_mixed_coordinates(name):
    """Enough cuts that some bodies float."""
    reference = Reference(name)
    names = reference.system.joint_names
    system = reference.data.compile(cut=names[: len(names) // 2 + 1])
    assert any(system.graph.edges[a][0] == 0 and a >= len(names) for a in system.tree.edge[1:]), "nothing floats"
    reference.check(system)


@pytest.mark.parametrize("name", ["four-bar", "Sarrus", "3-PRRR", "Bennett"])
def test_body_frames(name):
    """Bodies and joints described in frames of their own."""
    reference, rng = Reference(name), np.random.default_rng(2)
    reference.check(reference.data.framed(rng).told_locally(rng).compile())
