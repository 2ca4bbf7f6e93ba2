"""One step of the variational equations dy/dt = A(t) y + B(t), of order six: Lobatto IIIA with four nodes, of which two are the
ends. It is A-stable, so that steps of implicit methods suit too, and its transpose is the step of the adjoint equations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
ROOT = np.sqrt(5.0)
INNER = ((5.0 - ROOT) / 10.0, (5.0 + ROOT) / 10.0)
WEIGHTS = np.array(
    [
        [11.0 + ROOT, 25.0 - ROOT, 25.0 - 13.0 * ROOT, -1.0 + ROOT],
        [11.0 - ROOT, 25.0 + 13.0 * ROOT, 25.0 + ROOT, -1.0 - ROOT],
        [10.0, 50.0, 50.0, 10.0],
    ]
) / 120.0  # fmt: skip


class Steps(NamedTuple):
    """Of N steps: Phi (N, s, s) with y_end = Phi y_begin + sum_j R_j B_j; R (N, 4, s, s): weights of the four nodes."""

    Phi: Array
    R: Array


def collocated(h: Array, A: Array) -> Steps:
    """From lengths of the steps (N,) and A (N, 4, s, s) at their nodes."""
    N, _, s, _ = A.shape
    system = np.zeros((N, 3, s, 3, s))
    for i in range(3):
        for j in range(3):
            system[:, i, :, j, :] = -h[:, None, None] * WEIGHTS[i, j + 1] * A[:, j + 1]
        system[:, i, :, i, :] += np.eye(s)
    last = np.zeros((3 * s, s))
    last[2 * s :] = np.eye(s)
    W = np.linalg.solve(system.reshape(N, 3 * s, 3 * s).swapaxes(1, 2), np.broadcast_to(last, (N, 3 * s, s)))
    rows = W.swapaxes(1, 2).reshape(N, s, 3, s)  # y_end = sum_i rows_i (right-hand side i)
    R = np.einsum("nais,ij->njas", rows, WEIGHTS) * h[:, None, None, None]
    Phi = rows.sum(axis=2) + R[:, 0] @ A[:, 0]
    return Steps(np.asarray(Phi), np.asarray(R))
