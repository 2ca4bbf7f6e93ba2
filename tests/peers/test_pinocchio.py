"""Random branched trees with joints of every type, orientation and kind of coordinates, against Pinocchio."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import cotree as ct
from tests.random_mechanisms import JOINTS, State, TreeData, random_state, random_tree, relative_error
from tests.tiers import some

pin = pytest.importorskip("pinocchio")

from .pinocchio_tree import SWAP, PinTree  # noqa: E402  (needs pinocchio)

TREES = range(24)
TOLERANCE = 1e-10
each_tree = pytest.mark.parametrize("seed", some(range(200), len(TREES)))


@dataclass(frozen=True)
class Pair:
    """One tree, in both programs, at one state."""

    tree: TreeData
    system: ct.System
    peer: PinTree
    state: State
    q: np.ndarray  # pin's
    T: np.ndarray
    T_dot: np.ndarray


@cache
def pair(seed):
    rng = np.random.default_rng(seed)
    root = (None, "Free", None, "Planar")[seed % 4]
    tree = random_tree(rng, int(rng.integers(2, 41)), root=root)
    system = tree.compile(group=("SE3", "SO3xR3")[seed // 4 % 2])
    peer = PinTree(tree, system)
    state = random_state(rng, system)
    return Pair(tree, system, peer, state, peer.q(state.q), *peer.transformation(state.q, state.v))


def bodies(p):
    """Some bodies of the tree, the last among them."""
    return [*p.system.body_names[:: max(1, p.system.n_bodies // 3)], p.system.body_names[-1]]


def mass_matrix(p):
    M = pin.crba(p.peer.model, p.peer.data, p.q)
    return np.triu(M) + np.triu(M, 1).T


def test_every_joint_occurs():
    """All joints, in all of their coordinates and both orientations, are among the trees; so are massless bodies."""
    trees = [pair(seed).tree for seed in TREES]
    found = {(j.kind, j.coordinates, j.backward) for tree in trees for j in tree.joints}
    kinds = {name: getattr(ct, name).kinds for name in JOINTS}
    assert found == {(name, kind, turned) for name in JOINTS for kind in kinds[name] for turned in (False, True)}
    assert max(len(tree.bodies) for tree in trees) > 35
    assert any(body.mass == 0.0 for tree in trees for body in tree.bodies)


@each_tree
def test_poses(seed):
    p = pair(seed)
    pin.framesForwardKinematics(p.peer.model, p.peer.data, p.q)
    for name, C in zip(p.system.body_names, ct.poses(p.system, p.state.q)[1:], strict=True):
        assert relative_error(C, p.peer.data.oMf[p.peer.frame_of[name]].homogeneous) < TOLERANCE


@each_tree
def test_mass_matrix(seed):
    p = pair(seed)
    assert relative_error(ct.mass_matrix(p.system, p.state.q), p.T.T @ mass_matrix(p) @ p.T) < TOLERANCE


@each_tree
def test_inverse_dynamics(seed):
    p, s = pair(seed), pair(seed).state
    a = p.T @ s.v_dot + p.T_dot @ s.v
    tau = p.T.T @ pin.rnea(p.peer.model, p.peer.data, p.q, p.T @ s.v, a)
    assert relative_error(ct.inverse_dynamics(p.system, s.q, s.v, s.v_dot), tau) < TOLERANCE


@each_tree
def test_forward_dynamics(seed):
    p, s = pair(seed), pair(seed).state
    a = pin.aba(p.peer.model, p.peer.data, p.q, p.T @ s.v, np.linalg.solve(p.T.T, s.tau))
    v_dot = np.linalg.solve(p.T, a - p.T_dot @ s.v)
    assert relative_error(ct.forward_dynamics(p.system, s.q, s.v, s.tau).v_dot, v_dot) < TOLERANCE


@each_tree
def test_coriolis_matrix(seed):
    p, s = pair(seed), pair(seed).state
    C = pin.computeCoriolisMatrix(p.peer.model, p.peer.data, p.q, p.T @ s.v)
    expected = p.T.T @ (C @ p.T + mass_matrix(p) @ p.T_dot)
    assert relative_error(ct.theory.coriolis_matrix(p.system, s.q, s.v), expected) < TOLERANCE


@each_tree
@pytest.mark.parametrize("frame", ["body", "spatial"])
def test_jacobians(seed, frame):
    p, s = pair(seed), pair(seed).state
    jacobian = ct.body_jacobian if frame == "body" else ct.spatial_jacobian
    where = pin.LOCAL if frame == "body" else pin.WORLD
    pin.computeJointJacobians(p.peer.model, p.peer.data, p.q)
    pin.updateFramePlacements(p.peer.model, p.peer.data)
    for name in bodies(p):
        J = pin.getFrameJacobian(p.peer.model, p.peer.data, p.peer.frame_of[name], where)[SWAP]
        assert relative_error(jacobian(p.system, s.q, name), J @ p.T) < TOLERANCE


@each_tree
@pytest.mark.parametrize("frame", ["body", "spatial"])
def test_jacobian_derivatives(seed, frame):
    p, s = pair(seed), pair(seed).state
    model, data, where = p.peer.model, p.peer.data, pin.LOCAL if frame == "body" else pin.WORLD
    pin.computeJointJacobiansTimeVariation(model, data, p.q, p.T @ s.v)
    pin.updateFramePlacements(model, data)
    for name in bodies(p):
        k = p.peer.frame_of[name]
        J = pin.getFrameJacobian(model, data, k, where)[SWAP]
        J_dot = pin.getFrameJacobianTimeVariation(model, data, k, where)[SWAP]
        expected = J_dot @ p.T + J @ p.T_dot
        found = ct.jacobian_derivative(p.system, s.q, s.v, name, frame)
        assert relative_error(found, expected, scale=np.linalg.norm(J)) < TOLERANCE  # it is zero for some bodies


@each_tree
def test_reactions(seed):
    """What each joint that moves transmits to the user's child; welds are in the balances of tests/dynamics."""
    p, s = pair(seed), pair(seed).state
    found = ct.forward_dynamics(p.system, s.q, s.v, s.tau)
    pin.rnea(p.peer.model, p.peer.data, p.q, p.T @ s.v, p.T @ found.v_dot + p.T_dot @ s.v)
    pin.forwardKinematics(p.peer.model, p.peer.data, p.q)  # for oMi
    reactions, data = found.reactions, p.peer.data
    size = max(np.abs(W).max() for W in reactions.values())
    for j in (joint.data for joint in p.peer.joints):
        k = p.peer.carrier[j.outer]
        W = data.oMi[k].act(data.f[k]).vector[SWAP] * (-1.0 if j.backward else 1.0)
        assert np.abs(reactions[j.name] - W).max() < TOLERANCE * size
