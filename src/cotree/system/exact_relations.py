"""The least change of directions and points that makes near relations exact: Newton's method with least-norm steps."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.judge import MOST, ROUNDING
from cotree.lie import hat
from cotree.system.near_relations import Geometry, Relations

Array = NDArray[np.float64]
STEPS = 8
DENSE = 600  # unknowns up to which matrices are dense


def inexactness(geometry: Geometry, found: Relations) -> float:
    """How far the directions and points as given are from what they nearly fulfil."""
    D, P, C = _unknowns(geometry, found)
    U = np.array(geometry.directions).reshape(-1, 3)
    off = np.abs(U - found.signs[:, None] * found.means[found.classes]).max(initial=0.0)
    return float(max(off, np.abs(_system(geometry, found, D, P, C)[0]).max(initial=0.0)))


def made_exact(geometry: Geometry, found: Relations) -> tuple[Array, Array] | None:
    """(directions, points) that fulfil all relations to rounding; None where there are none nearby."""
    D, P, C = _unknowns(geometry, found)
    sizes = np.cumsum([D.size, P.size, C.size])
    for _ in range(STEPS):
        F, rows = _system(geometry, found, D, P, C)
        if np.abs(F).max(initial=0.0) < ROUNDING:
            break
        x = _least_norm(rows, F, int(sizes[-1]))
        dD, dP, dC, _ = np.split(x, sizes)
        D, P, C = D - dD.reshape(-1, 3), P - dP.reshape(-1, 3), C - dC.reshape(-1, 3)
    D = D / np.linalg.norm(D, axis=1, keepdims=True)
    if np.abs(_system(geometry, found, D, P, C)[0]).max(initial=0.0) > 100.0 * ROUNDING:
        return None
    return found.signs[:, None] * D[found.classes], P


def _unknowns(geometry: Geometry, found: Relations) -> tuple[Array, Array, Array]:
    """Directions of the classes, points of the joints, and where lines meet."""
    P = np.array(geometry.points).reshape(-1, 3).copy()
    return found.means.copy(), P, np.array([c for c, _ in found.meeting]).reshape(-1, 3)


def _system(
    geometry: Geometry, found: Relations, D: Array, P: Array, C: Array
) -> tuple[Array, list[list[tuple[int, Array]]]]:
    """(F, for each part of F its derivatives (first column, matrix)) of all relations; columns D, P, C."""
    of = {k: int(found.classes[d]) for k, d in geometry.lines.items()}
    at_P, at_C = D.size, D.size + P.size
    values: list[Array] = [0.5 * (np.sum(D * D, axis=1) - 1.0)]
    parts: list[list[tuple[int, Array]]] = [[(3 * k, D[k][None])] for k in range(len(D))]
    for i, k in found.perpendicular:
        values.append(np.array([D[i] @ D[k]]))
        parts.append([(3 * i, D[k][None]), (3 * k, D[i][None])])
    for a, b, c in found.coplanar:
        values.append(np.array([np.linalg.det(D[[a, b, c]])]))
        normals = np.cross(D[b], D[c]), np.cross(D[c], D[a]), np.cross(D[a], D[b])
        parts.append([(3 * x, n[None]) for x, n in zip((a, b, c), normals, strict=True)])
    for i, k, d in found.coaxial:
        gap = P[k] - P[i]
        values.append(np.cross(gap, D[d]))
        parts.append([(at_P + 3 * k, -hat(D[d])), (at_P + 3 * i, hat(D[d])), (3 * d, hat(gap))])
    for m, (_, members) in enumerate(found.meeting):
        for i in members:
            gap = P[i] - C[m]
            if i in of:
                d = of[i]
                values.append(np.cross(gap, D[d]))
                parts.append([(at_P + 3 * i, -hat(D[d])), (at_C + 3 * m, hat(D[d])), (3 * d, hat(gap))])
            else:
                values.append(gap)
                parts.append([(at_P + 3 * i, np.eye(3)), (at_C + 3 * m, -np.eye(3))])
    return np.concatenate(values), parts


def _least_norm(parts: list[list[tuple[int, Array]]], F: Array, unknowns: int) -> Array:
    """The shortest x with J x = F, of all that come nearest to it."""
    if unknowns > DENSE:
        return _least_norm_sparse(parts, F, unknowns)
    J, row = np.zeros((len(F), unknowns)), 0
    for blocks in parts:
        for first, A in blocks:
            J[row : row + len(A), first : first + A.shape[1]] += A
        row += len(blocks[0][1])
    return np.asarray(np.linalg.lstsq(J, F, rcond=MOST)[0])


def _least_norm_sparse(parts: list[list[tuple[int, Array]]], F: Array, unknowns: int) -> Array:
    """The same by iterations."""
    from scipy.sparse import coo_matrix  # here: it takes a while to load, and few mechanisms need it
    from scipy.sparse.linalg import lsmr

    i: list[Any] = []
    j: list[Any] = []
    v: list[Any] = []
    row = 0
    for blocks in parts:
        for first, A in blocks:
            r, c = np.indices(A.shape)
            for into, x in ((i, row + r.ravel()), (j, first + c.ravel()), (v, A.ravel())):
                into.append(x)
        row += len(blocks[0][1])
    J = coo_matrix((np.concatenate(v), (np.concatenate(i), np.concatenate(j))), shape=(row, unknowns)).tocsr()
    return np.asarray(lsmr(J, F, atol=1e-15, btol=1e-15, conlim=1.0 / MOST, maxiter=4 * unknowns)[0])
