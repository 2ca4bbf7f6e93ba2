"""Contacts that slip in directions that are known: their friction follows from the normal force, lam_T = -mu s lam_N.

The operator of the normal forces is A = G_NN - G_NT mu s. It has one solution whatever the forces if and only if A is a
P-matrix, all of whose principal minors are positive; for one contact A > 0. Otherwise it has none, or several (Painleve).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.transitions.contacts.cones import EXACT, SLIP, STICK, cone_table
from cotree.transitions.contacts.solve import ConeSolution, directions, solve_cones, undetermined

Array = NDArray[np.float64]
COUNTED = 12  # contacts whose minors are looked at, 2^12 of them
CLOSED = 1e-13  # relative: singular values of rows that others determine
POSITIVE = 1e-12  # of a minor, in units of the diagonal without friction


def solve_slipping(
    G: Array, b: Array, cones: Any, slip: Mapping[int, Any], static: Any = None, judge: bool = True
) -> ConeSolution:
    """Forces of contacts of which some slip: slip: their directions (unit vectors along the tangents), by number. The others
    stick, open or begin to slip; static: (m,) friction that they must overcome first, that of the cones otherwise.

    Those that begin to slip do so with the friction of the cones, against their tangential acceleration.
    """
    begun: set[int] = set()
    while True:
        used = cones.copy()
        if static is not None:
            free = [i for i in range(len(cones)) if i not in begun and i not in slip]
            used["mu"][free] = np.maximum(np.asarray(static, dtype=np.float64)[free], cones["mu"][free])
        found = _solve(G, b, used, slip, judge)
        new = {int(i) for i in np.flatnonzero(found.codes == SLIP)} - begun - set(slip)
        if static is None or not found.solved or not new:
            return found
        begun |= new


def _solve(G: Array, b: Array, cones: Any, slip: Mapping[int, Any], judge: bool = True) -> ConeSolution:
    rows, columns = _reduction(cones, slip)
    slides = np.array([i in slip for i in range(len(cones))], dtype=bool)
    less = cone_table(cones["normal"], np.where(slides, 0, cones["tangents"]), cones["mu"], cones["radius"])
    found = solve_cones(rows @ G @ columns, rows @ b, less, judge=judge)
    P = columns @ found.P
    codes = np.where(slides & (found.codes > 0), SLIP, found.codes)
    return ConeSolution(P, G @ P + b, found.residual, codes, found.undetermined)


def _reduction(cones: Any, slip: Mapping[int, Any]) -> tuple[Array, Array]:
    """Rows that are solved for, and how forces follow from theirs: P = columns p."""
    n = int((cones["normal"] + cones["tangents"]).sum())
    rows, columns, unit = [], [], np.eye(n)
    for i, cone in enumerate(cones):
        f, k = int(cone["first"]), int(cone["normal"] + cone["tangents"])
        if i not in slip:
            rows += list(unit[f : f + k])
            columns += list(unit[f : f + k])
            continue
        x = unit[f].copy()
        x[f + 1 : f + k] = -cone["mu"] * np.asarray(slip[i], dtype=np.float64)
        rows.append(unit[f])
        columns.append(x)
    return np.array(rows).reshape(-1, n), np.array(columns).reshape(-1, n).T


def all_closed(
    G: Array, b: Array, cones: Any, slip: Mapping[int, Any], static: Any, judge: bool = True
) -> ConeSolution | None:
    """The forces with which nothing opens or begins to slip, by linear equations; None where they leave their cones. Holds its
    digits also where bodies are of very unlike inertia."""
    rows, columns = _reduction(cones, slip)
    A, c = rows @ G @ columns, rows @ b
    if not A.any():
        return None
    p = np.linalg.lstsq(A, -c, rcond=CLOSED)[0]
    size, rounding = max(float(np.abs(b).max(initial=0.0)), 1e-300), 1e-14 * np.abs(A).max() * np.abs(p).max()
    if np.abs(A @ p + c).max(initial=0.0) > EXACT * size + rounding:
        return None
    P = columns @ p
    for i, cone in enumerate(cones):
        f, n, k = int(cone["first"]), int(cone["normal"]), int(cone["tangents"])
        N = float(P[f]) if n else 0.0
        bound = static[i] * N + cone["radius"]
        if (n and not N > 0.0) or (i not in slip and k and float(np.linalg.norm(P[f + n : f + n + k])) >= bound):
            return None
    codes = np.array([SLIP if i in slip else STICK for i in range(len(cones))])
    u = G @ P + b
    u[rows.any(axis=0)] = 0.0
    return ConeSolution(P, u, 0.0, codes, undetermined(G, cones, P, codes) if judge else ())


def paradox(G: Array, cones: Any, slip: Mapping[int, Any]) -> tuple[int, ...] | None:
    """The smallest group of slipping contacts whose operator A is not a P-matrix; empty where all minors are positive, None
    where there are too many to look at."""
    if len(slip) > COUNTED:
        return None
    normals = [int(cones[i]["first"]) for i in slip]
    if not normals:
        return ()
    _, columns = _reduction(cones, slip)
    A = G[normals] @ columns[:, [int(np.flatnonzero(columns[f])[0]) for f in normals]]
    size = np.sqrt(np.maximum(np.diag(G)[normals], 1e-300))
    A = A / size[:, None] / size
    for k in range(1, len(normals) + 1):
        for group in combinations(range(len(normals)), k):
            if not np.linalg.det(A[np.ix_(group, group)]) > POSITIVE:
                return tuple(list(slip)[i] for i in group)
    return ()


def doubtful(
    G: Array, cones: Any, found: ConeSolution, known: Mapping[int, Any] = MappingProxyType({})
) -> tuple[int, ...] | None:
    """The same of a solution: of its slipping contacts, the sticking ones giving way; known: directions of those that slipped
    before."""
    stick = np.concatenate(
        [
            np.arange(c["first"], c["first"] + c["normal"] + c["tangents"])
            for c, k in zip(cones, found.codes, strict=True)
            if k == 1
        ]
        or [np.zeros(0, np.int64)]
    ).astype(np.int64)
    reduced = G
    if len(stick):
        reduced = G - G[:, stick] @ np.linalg.pinv(G[np.ix_(stick, stick)], rcond=1e-10) @ G[stick]
    every = directions(cones, found.P, found.u, found.codes) | {i: known[i] for i in known if found.codes[i] == SLIP}
    slip = {i: s for i, s in every.items() if cones[i]["normal"]}
    return paradox(reduced, cones, slip)
