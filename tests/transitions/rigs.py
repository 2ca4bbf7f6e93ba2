"""Mechanisms, states and a second route to the jump of velocities, for the tests of transitions."""

import numpy as np

import cotree as ct
from tests.closed_mechanisms import CATALOGUE, closed_pose
from tests.constraints.rigs import to_absolute
from tests.random_mechanisms import random_state, random_tree

X, Y, Z = np.eye(3)


def jumped(M, J, b, v):
    """(dv, Lam) of [[M, J^T], [J, 0]] [dv; Lam] = [0; b - J v] by least squares; unknowns and equations scaled by M."""
    L = np.linalg.cholesky(M)
    A = np.linalg.solve(L, J.T).T
    size = np.linalg.norm(A, axis=1)
    A = A / np.where(size > 0, size, 1.0)[:, None]
    n, m = len(M), len(J)
    K = np.block([[np.eye(n), A.T], [A, np.zeros((m, m))]])
    rhs = np.concatenate([np.zeros(n), (b - J @ v) / np.where(size > 0, size, 1.0)])
    x = np.linalg.lstsq(K, rhs, rcond=1e-9)[0]
    return np.linalg.solve(L.T, x[:n]), x[n:] / np.where(size > 0, size, 1.0)


def null_space(J, n):
    """Orthonormal basis (n, dof) of the velocities that rows of different units allow."""
    if not len(J):
        return np.eye(n)
    size = np.linalg.norm(J, axis=1, keepdims=True)
    _, s, Vt = np.linalg.svd(J / np.where(size > 0, size, 1.0))
    return Vt[np.count_nonzero(s > 1e-9 * s[0]) :].T


def tree_case(seed, n=6, **options):
    """(tree, system, q, v, rng) of a random tree without massless bodies."""
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, n, massless=0.0, coordinates=("group", "second", "quaternion"), **options)
    system = tree.compile()
    state = random_state(rng, system)
    return tree, system, state.q, state.v, rng


def loop_case(name, seed):
    """(data, system, q, v, rng) of a closed mechanism in a closed configuration, with an admissible velocity."""
    rng = np.random.default_rng(seed)
    data = CATALOGUE[name][0]()
    system = data.compile()
    q = closed_pose(system, rng)
    v = ct.consistent_velocity(system, q, 2.0 * rng.normal(size=system.nv))
    return data, system, q, v, rng


def in_absolute(data, system, q, v, group="SE3"):
    """(system, q, v) of the same state in absolute coordinates."""
    other = data.compile(coordinates="absolute", group=group)
    return other, *to_absolute(system, other, q, v)


def lockable(system):
    """Joints that move and, where cut, have one coordinate or none that need be measured."""
    return [name for name, c in system.mechanism.joints.items() if c.joint.dof]


def some(rng, names, most=3):
    return [str(n) for n in rng.choice(names, size=min(len(names), int(rng.integers(1, most + 1))), replace=False)]


def body_momenta(data, system, q, v):
    """{body: (angular about the world's origin, linear)} from masses and twists, bodies told in the world frame."""
    C, V = ct.poses(system, q), ct.twists(system, q, v, "spatial")
    out = {}
    for b in data.bodies:
        k = system.row_of(b.name)
        R, c = C[k, :3, :3], C[k, :3, :3] @ b.com + C[k, :3, 3]
        w, u = V[k, :3], V[k, 3:]
        p = b.mass * (u + np.cross(w, c))
        out[b.name] = np.concatenate([R @ b.inertia @ R.T @ w + np.cross(c, p), p])
    return out
