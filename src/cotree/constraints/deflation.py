"""Configurations on a set that is singular at every point, found as exactly as regular ones.

There the rows touch, and Newton's method on them alone stops at the root of rounding. That the rank stays low is a condition of
its own: with J N = 0 and W J = 0 at the configuration, W J'(u) N = -W J N. Both conditions together are regular where second
derivatives are what separates the rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.tangents import Tangent
from cotree.judge import REPORTED, SETTLED

Array = NDArray[np.float64]
STEPS = 6
BENT = 1e-4  # of unit velocities: second derivatives below this are none


def polished(tangent: Tangent) -> Tangent:
    """The tangent at a configuration next to its own at which the rows are closed and their rank is low to rounding."""
    n, q = tangent.dimension, tangent.q
    here = tangent
    for _ in range(STEPS if n and len(tangent.W) else 0):
        J, g = here.rows.jacobian(q), here.rows.residual(q)
        slopes = np.array([_turned(here, e).ravel() for e in np.eye(J.shape[1])]).T
        A = np.concatenate([J, slopes])
        b = np.concatenate([g, (here.W @ J @ here.N).T.ravel()])
        step = -np.linalg.lstsq(A, b, rcond=REPORTED)[0]
        q = here.rows.moved(q, step)
        here = _same_rank(here, q, n)
        if np.abs(step).max(initial=0.0) < SETTLED:
            break
    return here


def true_velocities(tangent: Tangent) -> Array:
    """(nv, d): velocities that keep the rank, at a polished configuration in general position on the set."""
    n = tangent.dimension
    if not n or not len(tangent.W):
        return tangent.N
    B = np.array([_turned(tangent, x).ravel() for x in tangent.N.T]).T
    s, Vt = np.linalg.svd(B)[1:]
    return np.asarray(tangent.N @ Vt[int(np.count_nonzero(s > BENT)) :].T)


def _turned(tangent: Tangent, u: Array) -> Array:
    """(n, m): W J'(u) N_k for each column of N, by differences, which are exact for quadratic functions."""
    rows, q, W = tangent.rows, tangent.q, tangent.W
    own = rows.bias(q, u)
    return np.array([-0.5 * (W @ (rows.bias(q, u + x) - own - rows.bias(q, x))) for x in tangent.N.T])


def _same_rank(tangent: Tangent, q: Array, n: int) -> Tangent:
    """The tangent at another configuration, taken to admit n velocities."""
    J = tangent.rows.jacobian(q)
    U, _, Vt = np.linalg.svd(J)
    rank = J.shape[1] - n
    return replace(tangent, q=q, N=Vt[rank:].T, W=U[:, rank:].T)
