"""Derivatives of what acts between two links: W on link b, -W on link a, be it an element or a constraint row.

Its generalized force is s_j W . S_j, s_j = 1 for coordinates on the way to b, -1 on the way to a. Coordinates that move both
links change nothing and feel nothing, so that only those of the loop count: `Path` lists them.
"""

from typing import Any, NamedTuple

import numpy as np

from cotree.derivatives.motion import own_screw_change
from cotree.derivatives.rows import block, six
from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.storage import twist


class Path(NamedTuple):
    """Coordinates between two links: their numbers, signs, and how many there are; how W changes along each (nv, 6)."""

    dof: Any
    sign: Any
    by_q: Any
    by_v: Any


PATH = 13  # numbers of a path for each coordinate


@kernel
def make_path(room, at, n):
    """A path of up to n coordinates, whose numbers are in a vector from entry `at` on."""
    by_q, by_v = block(room, at + n, n, 6), block(room, at + 7 * n, n, 6)
    return Path(np.empty(n, np.int64), room[at : at + n], by_q, by_v)


@kernel
def find_path(path, a, b, links):
    """Coordinates on the ways from both links to where they meet; returns their count."""
    n = 0
    while a != b:
        k, sign = (a, -1.0) if a > b else (b, 1.0)
        for j in range(links[k].iv, links[k].iv + links[k].nv):
            path.dof[n], path.sign[n] = j, sign
            n += 1
        if a > b:
            a = links[a].parent
        else:
            b = links[b].parent
    return n


@kernel
def add_change(tables, q, path, n, W, factor, dq):
    """dq[j, c] += factor d_c(s_j W . S_j) from the changes of W in `by_q`."""
    dofs = tables.dofs
    for y in range(n):
        c = path.dof[y]
        k, S = dofs[c].link, twist(tables.dof_work[c].S)
        carried = se3.minus(six(path.by_q, y, 0), se3.cobracket(S, W))
        for x in range(n):
            j = path.dof[x]
            i, X = dofs[j].link, twist(tables.dof_work[j].S)
            if i == k:
                s = se3.pair(X, six(path.by_q, y, 0)) + se3.pair(own_screw_change(tables, q, j, c), W)
            elif path.sign[x] == path.sign[y] and i > k:  # on one way: link k carries link i
                s = se3.pair(X, carried)
            else:
                s = se3.pair(X, six(path.by_q, y, 0))
            dq[j, c] += factor * path.sign[x] * s


@kernel
def add_change_by_velocity(tables, path, n, factor, dv):
    """dv[j, c] += factor s_j dW/dv_c . S_j."""
    for y in range(n):
        F = six(path.by_v, y, 0)
        for x in range(n):
            j = path.dof[x]
            dv[j, path.dof[y]] += factor * path.sign[x] * se3.pair(twist(tables.dof_work[j].S), F)
