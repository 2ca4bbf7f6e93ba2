"""The block matrices of [Geo] 3.3 to 4.1 by body: V = K v with K = A H, the mass matrix K^T J K, Coriolis terms and parts.

Each block is in the frame of its body, where `ct.poses` has it, so that the blocks of K are what `ct.body_jacobian` gives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.dynamics.by_body import body_inertia
from cotree.errors import UnknownNameError
from cotree.kinematics.jacobians import body_jacobian, jacobian_derivative
from cotree.kinematics.poses import poses
from cotree.lie import Ad, ad, inverse
from cotree.model.checks import shown
from cotree.model.mechanism import Body, nearest
from cotree.system.arguments import coordinates, of_system, velocities
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BlockMatrices:
    """Blocks of six rows for each body in the order of `body_names`; `rows(body)` is the slice of one.

    A (6n, 6n): motions of bodies by those of the ones below them in the tree [Geo (23)]; D (6n, 6n): of neighbours only, with
    A = (1 - D)^-1 [Geo (25)]; H (6n, nv): motion of each body against its parent [Geo (17)]; K = A H [Geo (22)]; J (6n, 6n):
    inertias [Geo (42)]. At the velocity v: V = K v [Geo (24)]; a and b, the brackets ad with the relative and with the whole
    twist of each body [Geo (31), (53)]; dH [Geo (32)] and dK = A (dH - a (K - H)) [Geo (30)], the rates of H and K.
    """

    body_names: tuple[str, ...]
    v: Array
    A: Array
    D: Array
    H: Array
    K: Array
    J: Array
    a: Array
    b: Array
    dH: Array
    dK: Array

    def rows(self, body: Body | str) -> slice:
        """Rows of a body."""
        name = body.name if isinstance(body, Body) else body
        if not isinstance(name, str) or name not in self.body_names:
            raise UnknownNameError(f"no body {shown(name)} among these blocks{nearest(name, self.body_names)}")
        k = self.body_names.index(name)
        return slice(6 * k, 6 * k + 6)

    @property
    def V(self) -> Array:
        """(6n,): the bodies' twists."""
        return self.K @ self.v

    @property
    def mass(self) -> Array:
        """(nv, nv): K^T J K [Geo (51)]."""
        return self.K.T @ self.J @ self.K

    @property
    def coriolis(self) -> Array:
        """(nv, nv): K^T (J dK - b^T J K) [Geo (52), its sign corrected], which gives with v what `coriolis_matrix` does."""
        return self.K.T @ (self.J @ self.dK - self.b.T @ self.J @ self.K)

    @property
    def gyroscopic(self) -> Array:
        """(nv,): the part -K^T b^T J V of coriolis v, that of bodies which turn; it does no work [Geo (53)]."""
        return -self.K.T @ self.b.T @ self.J @ self.V

    @property
    def convective(self) -> Array:
        """(nv,): the other part of coriolis v, K^T J dK v: inertia forces of accelerations that velocities alone cause."""
        return self.K.T @ self.J @ self.dK @ self.v


@of_system
def block_matrices(system: System, q: ArrayLike, v: ArrayLike | None = None) -> BlockMatrices:
    """Compute kinematics and inertia of the tree as block matrices, each block in the frame of its body.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    v : array_like of shape (nv,), optional
        Velocities; zero by default.

    Returns
    -------
    BlockMatrices
        The matrices of Geo 3.3 to 4.1 by their letters.

    Examples
    --------
    >>> system = ct.gallery.pendulum_chain(2).compile()
    >>> ct.theory.block_matrices(system, system.q0).K.shape
    (12, 2)
    """
    q, v = coordinates(system, q), velocities(system, v)
    names, C, n = system.body_names, poses(system, q)[1:], system.n_bodies
    vertices, own = _parents(system), _own_columns(system)
    A, D, J = np.eye(6 * n), np.zeros((6 * n, 6 * n)), np.zeros((6 * n, 6 * n))
    K, H, dH = np.zeros((6 * n, system.nv)), np.zeros((6 * n, system.nv)), np.zeros((6 * n, system.nv))
    for k, name in enumerate(names):
        rows, columns = slice(6 * k, 6 * k + 6), own[k]
        J[rows, rows] = body_inertia(system, name)
        K[rows] = body_jacobian(system, q, name)
        H[rows, columns], dH[rows, columns] = (
            K[rows, columns],
            jacobian_derivative(system, q, v, name)[:, columns],
        )
        above = vertices[k]
        if above >= 0:
            D[rows, 6 * above : 6 * above + 6] = Ad(inverse(C[k]) @ C[above])
            A[rows] += D[rows, 6 * above : 6 * above + 6] @ A[6 * above : 6 * above + 6]
    a, b = _diagonal(H @ v), _diagonal(K @ v)
    return BlockMatrices(names, v, A, D, H, K, J, a, b, dH, A @ (dH - a @ (K - H)))


def _parents(system: System) -> list[int]:
    """Place of each body's parent in the tree among the bodies; -1 for ground."""
    place = {vertex: row - 1 for row, vertex in enumerate(system.tree.order)}
    return [place[system.tree.parent[vertex]] for vertex in system.tree.order[1:]]


def _own_columns(system: System) -> list[list[int]]:
    """Velocities of the joint that carries each body; none for one that is welded."""
    out, links = [], system.links
    parents = _parents(system)
    for k in range(system.n_bodies):
        link, end = int(system.bodies["link"][k + 1]), int(system.bodies["link"][parents[k] + 1])
        columns: list[int] = []
        while link != end:
            first = int(links[link]["iv"])
            columns += range(first, first + int(links[link]["nv"]))
            link = int(links[link]["parent"])
        out.append(sorted(columns))
    return out


def _diagonal(twists: Array) -> Array:
    """ad of each body's twist, in its block."""
    out = np.zeros((len(twists), len(twists)))
    for k in range(0, len(twists), 6):
        out[k : k + 6, k : k + 6] = ad(twists[k : k + 6])
    return out
