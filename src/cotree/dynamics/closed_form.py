"""The closed forms of Geo 3.3 to 4.1 as the paper writes them: block matrices over the links, for tests.

K = A H stacks the Jacobians of all links, J their inertias, V = K v. Everything is in frames of the links, massless ones too,
that have the world's axes and the system's own origin in the reference assembly; `blocks.py` has them by body, for users.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.kinematics.derivatives import relation, screw_partials
from cotree.lie import Ad, ad, hat, inverse
from cotree.system.arguments import coordinates, velocities
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BlockMatrices:
    """A (6N, 6N) of Geo (23), H (6N, nv) block diagonal, K = A H (6N, nv) of Geo (22), J (6N, 6N); poses C of the links."""

    A: Array
    H: Array
    K: Array
    J: Array
    C: Array


def block_matrices(system: System, q: Any) -> BlockMatrices:
    """The constant and configuration-dependent blocks at q."""
    S, _, C = screw_partials(system, q)
    n, C = len(system.links) - 1, C[1:]
    A, H, J = np.zeros((6 * n, 6 * n)), np.zeros((6 * n, system.nv)), np.zeros((6 * n, 6 * n))
    for k in range(n):
        block = slice(6 * k, 6 * k + 6)
        link = system.links[k + 1]
        own = slice(link["iv"], link["iv"] + link["nv"])
        H[block, own] = Ad(inverse(C[k])) @ S[own].T
        J[block, block] = link_matrix(link)
        j = k
        while j >= 0:
            A[block, 6 * j : 6 * j + 6] = Ad(inverse(C[k]) @ C[j])
            j = system.links[j + 1]["parent"] - 1
    return BlockMatrices(A, H, A @ H, J, C)


def link_matrix(link: np.void) -> Array:
    """6x6 inertia of a link in its own frame, Geo (42): [[T + m c^ c^T, m c^], [-m c^, m I]]."""
    m, c = float(link["mass"]), hat(link["com"])
    a, b, d, e, f, g = link["inertia"]
    T = np.array([[a, b, d], [b, e, f], [d, f, g]])
    return np.block([[T + m * c @ c.T, m * c], [-m * c, m * np.eye(3)]])


def nilpotent(system: System, blocks: BlockMatrices) -> Array:
    """D of Geo (25): the relative configurations of neighbours only; A = (I - D)^-1."""
    D = np.zeros_like(blocks.A)
    for k in range(len(blocks.C)):
        j = system.links[k + 1]["parent"] - 1
        if j >= 0:
            D[6 * k : 6 * k + 6, 6 * j : 6 * j + 6] = blocks.A[6 * k : 6 * k + 6, 6 * j : 6 * j + 6]
    return D


def jacobian_rate(system: System, q: Any, v: Any) -> tuple[BlockMatrices, Array]:
    """(blocks, dK/dt), Geo (30): dK = A (dH - a (K - H)) with a = diag(ad of each link's relative twist).

    For one-dof joints a H = 0 and dH = 0, and what remains is -A a K.
    """
    q, v = coordinates(system, q), velocities(system, v)
    blocks = block_matrices(system, q)
    a = _diagonal([ad(X) for X in (blocks.H @ np.diag(v)).reshape(-1, 6, system.nv).sum(axis=2)])
    return blocks, blocks.A @ (_own_rate(system, q, v, blocks) - a @ (blocks.K - blocks.H))


def _own_rate(system: System, q: Array, v: Array, blocks: BlockMatrices) -> Array:
    """dH/dt: rates of the links' own screws in the links' frames, Geo (32)."""
    S, dS, _ = screw_partials(system, q)
    same = relation(system) == 1
    out = np.zeros_like(blocks.H)
    for j in range(system.nv):
        k = system.dofs["link"][j] - 1
        own = np.flatnonzero(same[:, j])
        rate = np.einsum("b,bx->x", v[own], dS[j, own]) - ad(v[own] @ S[own]) @ S[j]
        out[6 * k : 6 * k + 6, j] = Ad(inverse(blocks.C[k])) @ rate
    return out


def _diagonal(parts: list[Array]) -> Array:
    out = np.zeros((6 * len(parts), 6 * len(parts)))
    for k, part in enumerate(parts):
        out[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = part
    return out


def mass_matrix_closed(system: System, q: Any) -> Array:
    """K^T J K, Geo (51)."""
    blocks = block_matrices(system, q)
    return blocks.K.T @ blocks.J @ blocks.K


def coriolis_closed(system: System, q: Any, v: Any) -> Array:
    """K^T (J dK/dt - b^T J K), b = diag(ad_V): Geo (52) with the sign of its first term corrected.

    Its product with v is right; it is not the Christoffel matrix, and dM/dt - 2 C is not skew.
    """
    blocks, K_dot = jacobian_rate(system, q, v)
    V = blocks.K @ velocities(system, v)
    b = _diagonal([ad(X) for X in V.reshape(-1, 6)])
    return blocks.K.T @ (blocks.J @ K_dot - b.T @ blocks.J @ blocks.K)
