"""The face of the solver in Python: impulses or forces within their cones, and what is to be known about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.judge import DEPENDENT
from cotree.transitions.contacts.cones import EXACT, MODES, OPEN, SLIP, STICK
from cotree.transitions.contacts.solving import put_impulses

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ConeSolution:
    """P and u = G P + b, block by block; residual of the natural map, relative to the largest b; modes: "open", "stick",
    "slip" of each cone; undetermined: cones whose impulses others could take over without a change of u. Their impulses are
    those of least squares, each weighed with its own mobility."""

    P: Array
    u: Array
    residual: float
    codes: NDArray[np.int64]
    undetermined: tuple[int, ...]

    @property
    def solved(self) -> bool:
        """Whether the residual is below 1e-10."""
        return self.residual <= EXACT

    @property
    def modes(self) -> tuple[str, ...]:
        return tuple(MODES[k] for k in self.codes)


def solve_cones(G: Array, b: Array, cones: Any, P: Array | None = None, judge: bool = True) -> ConeSolution:
    """Impulses of cones with u = G P + b: G (n, n) need not be symmetric nor regular, `cones` from `cone_table`. P: where to
    begin; judge: whether `undetermined` is looked for. Complete only if `.solved`."""
    P = np.zeros(len(b)) if P is None else np.array(P, dtype=np.float64)
    u, codes = np.empty(len(b)), np.zeros(len(cones), np.int64)
    residual = float(put_impulses(np.ascontiguousarray(G), np.ascontiguousarray(b), cones, P, u, codes))
    return ConeSolution(P, u, residual, codes, undetermined(G, cones, P, codes) if judge else ())


def undetermined(G: Array, cones: Any, P: Array, codes: NDArray[np.int64]) -> tuple[int, ...]:
    """Cones whose impulses G does not determine in their modes: sticking ones may change all their rows, slipping ones their
    size."""
    columns, owners = [], []
    for i, cone in enumerate(cones):
        f, k = int(cone["first"]), int(cone["normal"] + cone["tangents"])
        scale = np.sqrt(max(np.trace(G[f : f + k, f : f + k]) / k, 0.0)) or 1.0
        if codes[i] == OPEN or (cone["normal"] and not P[f] > 0.0):
            continue
        if codes[i] == STICK:
            moving = [r for r in range(f, f + k) if G[r, r] > DEPENDENT * scale**2]
            columns += [np.eye(len(P))[r] / scale for r in moving]
            owners += [i] * len(moving)
        elif cone["normal"]:
            x = np.zeros(len(P))
            x[f : f + k] = P[f : f + k] / np.linalg.norm(P[f : f + k]) / scale
            columns.append(x)
            owners.append(i)
    if not columns:
        return ()
    C = np.array(columns)
    _, s, V = np.linalg.svd(C @ G @ C.T)
    null = V[s <= DEPENDENT * s[0]]
    part = np.abs(null).max(axis=0, initial=0.0)
    return tuple(sorted({owner for owner, x in zip(owners, part, strict=True) if x > 1e-6}))


def directions(cones: Any, P: Array, u: Array, codes: NDArray[np.int64]) -> dict[int, Array]:
    """Direction of slip of each cone that slips: that of u_T, or against P_T where u_T is zero."""
    out = {}
    for i in np.flatnonzero(codes == SLIP):
        f = int(cones[i]["first"] + cones[i]["normal"])
        rows = slice(f, f + int(cones[i]["tangents"]))
        x = u[rows] if np.linalg.norm(u[rows]) > 0.0 else -P[rows]
        size = np.linalg.norm(x)
        out[int(i)] = x / size if size > 0.0 else np.eye(len(x))[0]
    return out
