"""Whether a rest position is stable: by its stiffness where forces have a potential, else by eigenvalues of small motions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.judge import NEGLIGIBLE
from cotree.studies.statics import Statics

Array = NDArray[np.float64]

GROWING = (
    1e-6  # of the largest eigenvalue: growth that counts; eigenvalues that coincide are exact to the root of rounding
)


THIN = 1e-13  # of the stiffness of each coordinate alone: no stiffness of what bends, and hardly stretches


def kind_of(now: Statics, bends: bool = False) -> str:
    """ "stable", "unstable" or "indifferent". bends: there are beams, whose stiffnesses are far apart."""
    K, C = now.K, now.C
    size = float(np.abs(K).max(initial=0.0))
    if not len(K):
        return "stable"  # nothing can move
    damped = float(np.linalg.eigvalsh(0.5 * (C + C.T))[0]) >= -NEGLIGIBLE * float(np.abs(C).max())
    if np.abs(K - K.T).max() <= NEGLIGIBLE * size and damped:
        least = float(np.linalg.eigvalsh(0.5 * (K + K.T))[0])
        if bends:
            return _by_own_stiffness(K)
        # what rounding leaves of forces in balance does not count as a stiffness either
        nothing = max(NEGLIGIBLE * size, 1e-12 * now.scale)
        return "stable" if least > nothing else "indifferent" if least >= -nothing else "unstable"
    return _by_motion(now, size)


def _by_own_stiffness(K: Array) -> str:
    """The same in units in which each coordinate alone has a stiffness of one."""
    units = np.sqrt(np.abs(K.diagonal()))
    scaled = 0.5 * (K + K.T) / np.outer(units, units) if units.all() else K
    least = float(np.linalg.eigvalsh(scaled)[0])
    return "stable" if least > THIN else "indifferent" if least >= -THIN else "unstable"


def _by_motion(now: Statics, size: float) -> str:
    """M x'' + C x' + K x = 0, as a system of first order."""
    n = len(now.K)
    M = now.M + 1e-12 * np.eye(n)  # displacements that move no mass follow at once
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, now.K), -np.linalg.solve(M, now.C)]])
    values = np.linalg.eigvals(A)
    if values.real.max() > GROWING * np.abs(values).max():
        return "unstable"
    return "stable" if np.linalg.svd(now.K, compute_uv=False)[-1] > NEGLIGIBLE * size else "indifferent"
