"""Stretches of a run as linear maps of departures y = (x, u) from it: displacements x and changes u of the velocities.

dx/dt = u - Theta x, du/dt = dv_dot/dq x + dv_dot/dv u + dv_dot/dp. The constraints ask for J x + dg/dp = c, constant, zero but
for what was locked where it was, and J u + d(J v) x + d(J v)/dp = 0: departures are moved there in the metric of the masses at
some of the steps, since equations of second order drift.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.derivatives.parameters.nodes import Nodes, nodes_along
from cotree.derivatives.parameters.seeds import directions_of
from cotree.dynamics.api import mass_matrix
from cotree.judge import DEPENDENT
from cotree.studies.sensitivity.collocation import INNER, collocated
from cotree.studies.sensitivity.trace import Stretch
from cotree.studies.tangent import transport
from cotree.system.system import System

Array = NDArray[np.float64]
EVERY = 8  # steps between corrections


@dataclass(frozen=True, eq=False)
class Correction:
    """x := x - G (H x + gap - c), then u := u - K (J u + turned x + velocity)."""

    G: Array
    H: Array
    gap: Array
    K: Array
    J: Array
    turned: Array
    velocity: Array


@dataclass(frozen=True, eq=False)
class Linear:
    """One stretch: t (N + 1,), Phi (N, 2n, 2n), Gamma (N, 2n, P), corrections behind some steps, the first one before all; the
    derivatives at its first and last state."""

    t: Array
    Phi: Array
    Gamma: Array
    corrections: dict[int, Correction]
    nodes: Nodes


def linear_stretch(stretch: Stretch, names: tuple[str, ...], wanted: Array) -> Linear:
    """The maps of all steps; wanted: times at which departures must fulfil the constraints."""
    system, N, n = stretch.system, len(stretch.t) - 1, stretch.system.nv
    h = np.diff(stretch.t)
    times = stretch.t[:-1, None] + h[:, None] * np.array([0.0, *INNER])
    t = np.append(times.ravel(), stretch.t[-1])
    q = np.concatenate([stretch.q[:, :3].reshape(3 * N, -1), stretch.q[-1, 3:]])
    v = np.concatenate([stretch.v[:, :3].reshape(3 * N, -1), stretch.v[-1, 3:]])
    nodes = nodes_along(system, t, q, v, directions_of(system, names))
    index = 3 * np.arange(N)[:, None] + np.arange(4)
    A, B = _first_order(system, nodes, v)
    steps = collocated(h, A[index])
    Gamma = np.einsum("njas,njsp->nap", steps.R[..., n:], B[index])
    at = _anchors(N, stretch.t, wanted) if system.n_constraints else []
    return Linear(stretch.t, steps.Phi, Gamma, {k: _correction(system, nodes, q, 3 * k) for k in at}, nodes)


def _first_order(system: System, nodes: Nodes, v: Array) -> tuple[Array, Array]:
    """A (K, 2n, 2n), and the lower half of B (K, n, P)."""
    n = system.nv
    A = np.zeros((len(v), 2 * n, 2 * n))
    A[:, :n, n:] = np.eye(n)
    A[:, n:] = nodes.F[:, :, : 2 * n]
    carried = np.array([transport(system, e) for e in np.eye(n)]) if n else np.zeros((0, 0, 0))
    if carried.any():
        A[:, :n, :n] = -np.einsum("kc,cij->kij", v, carried)
    return A, nodes.F[:, :, 2 * n :]


def _anchors(N: int, t: Array, wanted: Array) -> list[int]:
    """Numbers of the states that are corrected: the first and the last, every eighth, and those that are wanted."""
    return sorted({0, N, *range(0, N, EVERY), *(int(k) for k in np.flatnonzero(np.isin(t, wanted)))})


def _correction(system: System, nodes: Nodes, q: Array, k: int) -> Correction:
    L = mass_factor(system, q[k])
    J, hold = nodes.J[k], system.holonomic
    K = nearest_inverse(L, J)
    G = K if hold.all() else nearest_inverse(L, J[hold])
    return Correction(G, J[hold], nodes.gap[k][hold], K, J, nodes.turned[k], nodes.velocity[k])


def mass_factor(system: System, q: Array) -> Array:
    """L with M = L L^T."""
    return np.asarray(np.linalg.cholesky(mass_matrix(system, q)), dtype=np.float64)


def nearest_inverse(L: Array, J: Array) -> Array:
    """X (n, rows): x = X b is the smallest in the metric L L^T with J x = b, also where rows depend on each other."""
    A = np.linalg.solve(L, J.T).T
    return np.asarray(np.linalg.solve(L.T, np.linalg.pinv(A, rcond=DEPENDENT)))
