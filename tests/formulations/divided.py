"""Divide and conquer beside the index-1 system: what every test of it asks, and the descriptions that a mechanism has."""

import numpy as np

import cotree as ct
from cotree.constraints.time_functions import ACCELERATION, motion_values
from cotree.dynamics.user_forces import element_values
from cotree.formulations.odca.division import division
from cotree.formulations.odca.solve import accelerate
from tests.closed_mechanisms import closed_pose
from tests.random_mechanisms import error

WAYS = (
    {},
    {"group": "SO3xR3"},
    {"regularize": False},
    {"coordinates": "absolute"},
    {"coordinates": "absolute", "group": "SO3xR3", "regularize": False},
)


def both(system, q, v=None, tau=None, t=0.0):
    """(index1, odca)."""
    return [ct.forward_dynamics(system, q, v, tau, formulation=name, t=t) for name in ("index1", "odca")]


def check(system, q, v=None, tau=None, t=0.0, tolerance=1e-9, rank=None):
    """Accelerations, rank and constraint forces are those of the index-1 system; multipliers and reactions where unique."""
    dense, divided = both(system, q, v, tau, t)
    assert error(divided.v_dot, dense.v_dot) < tolerance
    assert divided.rank == (dense.rank if rank is None else rank)
    J = ct.constraint_jacobian(system, q, t)
    assert error(J.T @ divided.multipliers, J.T @ dense.multipliers) < tolerance
    if dense.unique:
        assert error(divided.multipliers, dense.multipliers) < 10 * tolerance
        for name, W in dense.reactions.items():
            size = max(1.0, *(np.abs(X).max() for X in dense.reactions.values()))
            assert np.abs(divided.reactions[name] - W).max() < 10 * tolerance * size
    return divided


def state(system, rng, move=0.3, t=0.0):
    """Closed configuration off the reference, admissible velocity, any joint forces."""
    q = closed_pose(system, rng, move) if t == 0.0 else ct.assemble(system, system.q0, t=t)
    return q, ct.consistent_velocity(system, q, rng.normal(size=system.nv), t=t), 5.0 * rng.normal(size=system.nv)


def mixed(mech, **options):
    """Every other joint cut besides what the loops ask for: some bodies hang from each other, some float."""
    return mech.compile(cut=list(mech.joints)[::2], **options)


def pivots(system, q, v, tau, t=0.0):
    """(rank, least pivot kept, largest left out), relative to the mobility of the parts along the row."""
    d, ratios = division(system), np.empty(2)
    v_dot, lam = np.empty(system.nv), np.empty(system.n_constraints)
    values, motions = element_values(system, q, v, t), motion_values(system, t, ACCELERATION)
    rank = accelerate(system.here, d.here, values, motions, tau, q, v, v_dot, lam, ratios)
    return rank, *ratios


def size_of(system, body):
    """Dimension of the algebra in which a body moves."""
    d = division(system)
    return int(d.parts[d.part_of[system.bodies["link"][system.row_of(body)]]]["size"])


def reached(system, body, rng, samples=8):
    """Orthonormal basis (6, d) of all spatial twists that a body can have anywhere in the tree, cut joints apart."""
    spans = []
    for _ in range(samples):
        q = ct.displace(system, system.q0, rng.normal(size=system.nv))
        spans.append(ct.spatial_jacobian(system, q, body))
    return basis_of(np.hstack(spans))


def basis_of(X):
    U, s, _ = np.linalg.svd(X)
    return U[:, : int((s > 1e-9 * s[0]).sum())]


def closed(B):
    """Basis of the algebra that the columns of B generate, by brackets of all pairs: an independent route to it."""
    while True:
        more = basis_of(np.column_stack([B, *(bracket(x, y) for x in B.T for y in B.T)]))
        if more.shape[1] == B.shape[1]:
            return B
        B = more


def bracket(x, y):
    return np.concatenate([np.cross(x[:3], y[:3]), np.cross(x[:3], y[3:]) - np.cross(y[:3], x[3:])])
