"""Directions that constraints leave open, in independent coordinates, and how displacements from a motion are carried along."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.formulations.linalg import pivoted_qr
from cotree.judge import DEPENDENT
from cotree.lie import bracket
from cotree.system.system import System
from cotree.system.tables import GROUP

Array = NDArray[np.float64]


class Basis(NamedTuple):
    """Columns of Z (n, k) span the kernel of the rows; `free` are the k coordinates that each column has alone."""

    Z: Array
    free: NDArray[np.intp]


def kernel_basis(J: Array, weights: Array, size: float = 0.0) -> Basis:
    """Of rows J (m, n), which may depend on each other; coordinates with large J / weights are the dependent ones.
    size: of the numbers that J was made from, below whose rounding errors rows count as zero."""
    n = J.shape[1]
    J = J[np.abs(J).max(axis=1, initial=0.0) > DEPENDENT * size]
    if not len(J):
        return Basis(np.eye(n), np.arange(n))
    columns = np.ascontiguousarray((J / weights).T)
    pivot, beta = np.empty(n, np.int64), np.empty(max(min(columns.shape), 1))
    rank = int(pivoted_qr(columns, beta, pivot, DEPENDENT))
    dependent, free = pivot[:rank], np.sort(pivot[rank:])
    Z = np.zeros((n, n - rank))
    Z[free, np.arange(n - rank)] = 1.0
    Z[dependent] = -np.linalg.lstsq(J[:, dependent], J[:, free], rcond=None)[0]
    return Basis(Z, free)


def transport(system: System, v: Array) -> Array:
    """Theta (nv, nv): a displacement x from a motion changes by dx/dt = dv - Theta x, dv the difference of the velocities.

    Zero but for joints on groups, where it is the bracket with the joint's own velocity.
    """
    out = np.zeros((system.nv, system.nv))
    for link in system.links:
        if link["kind"] != GROUP:
            continue
        own = np.arange(link["iv"], link["iv"] + link["nv"])
        turns = {0: [], 1: [2], 3: [0, 1, 2]}[int(link["rotations"])]
        parts = [*turns, *(3 + k for k in range(3) if link["translations"] & (1 << k))]
        carried = system.dofs["carried"][own]
        direct = bool(turns) and len(parts) > len(turns) and carried[0] != carried[-1]
        E = np.zeros((len(parts), 6))
        E[np.arange(len(parts)), parts] = 1.0
        if direct:
            E[len(turns) :] = 0.0
        ad = np.array([bracket(v[own] @ E, e) for e in E]).T
        block = np.zeros((len(parts), len(parts)))
        block[:] = ad[parts]
        if direct:
            block[len(turns) :] = 0.0
        out[np.ix_(own, own)] = block
    return out
