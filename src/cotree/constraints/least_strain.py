"""Starts of mechanisms with beams: nodes that nothing else leads go with their beam, which bends no more than it has to.

Values and rates by name say where a few joints are and how fast they move. With rigid links loops do the rest; the nodes of a
beam have coordinates of their own. Of all admissible x they take the one with the least energy of strain, x = x0 + N z with
    min |S x - d|,   and of these the one nearest to x0 in the metric of the mass matrix,
N a basis of what loops and held columns leave free, orthonormal in that metric. A beam that can move as a rigid body does.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.rank import count
from cotree.dynamics.forces.beam import angular_first, with_bending_between
from cotree.kinematics.jacobians import body_jacobian
from cotree.kinematics.poses import poses
from cotree.lie import Ad, inverse
from cotree.model.beams import element_line
from cotree.model.force_elements import BeamChain
from cotree.system.system import System

Array = NDArray[np.float64]
RIGID = 1e-11  # of the highest frequency: what is lower is the motion of a rigid body, found with rounding


class Strains(NamedTuple):
    """Of all elements at a configuration: X / L in the metric of the energy, and how they change, (6 n,) and (6 n, nv)."""

    values: Array
    slopes: Array


def chains(system: System) -> list[BeamChain]:
    """Its beams."""
    return [f for f in system.mechanism.elements.values() if isinstance(f, BeamChain)]


def bends(system: System) -> bool:
    return bool(chains(system))


def strains(system: System, q: Array) -> Strains:
    """Rows sqrt(K / L) X of each element, so that half of their square is the energy."""
    from cotree.lie import dexp_body_inv, log_se3  # which are compiled

    at, values, slopes = poses(system, q), [], []
    for chain in chains(system):
        G = [at[system.row_of(n)] @ F for n, F in zip(chain.nodes, chain.frames, strict=True)]
        V = [Ad(inverse(F)) @ body_jacobian(system, q, n) for n, F in zip(chain.nodes, chain.frames, strict=True)]
        for k, weight in enumerate(_weights(chain)):
            C = inverse(G[k]) @ G[k + 1]
            X = log_se3(C)
            values.append(weight * X)
            slopes.append(weight[:, None] * (dexp_body_inv(X) @ (V[k + 1] - Ad(inverse(C)) @ V[k])))
    return Strains(np.concatenate(values), np.concatenate(slopes))


def _weights(chain: BeamChain) -> Array:
    """sqrt(K / L) of each element, (n, 6), angular part first."""
    K, C = np.array(chain.stiffness), np.array(chain.damping)
    lengths = [element_line(A, B)[0] for A, B in pairwise(chain.frames)]
    return np.array([np.sqrt(angular_first(with_bending_between(K, C, L)[0]) / L) for L in lengths])


def least_strained(S: Array, d: Array, J: Array, r: Array, L: Array, free: NDArray[np.intp]) -> Array:
    """The x, zero but for its free entries, with J x = r and S x nearest to d, and smallest; L: root of the mass matrix of the
    free entries, B = S L^-T. Singular values of B N are the frequencies of what may vibrate."""
    U, s, Vt = np.linalg.svd(np.linalg.solve(L, J[:, free].T).T, full_matrices=True)  # J L^-T
    rank, B = count(s), np.linalg.solve(L, S[:, free].T).T
    w, N = Vt[:rank].T @ ((U[:, :rank].T @ r) / s[:rank]), Vt[rank:].T
    z = np.linalg.lstsq(B @ N, d - B @ w, rcond=RIGID)[0]
    x = np.zeros(J.shape[1])
    x[free] = np.linalg.solve(L.T, w + N @ z)
    return x
