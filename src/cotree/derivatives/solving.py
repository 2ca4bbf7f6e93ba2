"""M^-1 X for a tree, many columns at once, by the articulated bodies that forward dynamics leaves behind: O(n) a column.

Columns are taken in blocks. Of each block a link has six rows of sums: forces on the way to the root, accelerations on the way
back. They lie at fixed distances, so that the compiler finds vector instructions without checks. A link shares its rows with
the last of its children, so that a chain has one set, which stays in the cache.
"""

import numpy as np

from cotree.derivatives.rows import put_six
from cotree.engine.kernel import inlined, kernel
from cotree.lie.storage import twist
from cotree.lie.vec3 import axpy, dot
from cotree.system.tables import GROUP

BLOCK = 256  # columns
SCREWS = 13  # numbers of a row of `screws`


@kernel
def put_screws(tables, screws):
    """Screws by which the bodies were released, U and 1/d beside them: rows (S, U, 1/d) of the coordinates."""
    for i in range(1, tables.links.size):
        link = tables.links[i]
        for j in range(link.iv, link.iv + link.nv):
            S = twist(tables.dof_work[j].S)
            if _is_shifted(link, j):
                v = S[1]
                for k in range(link.iv + link.rotations, link.iv + link.nv):
                    e = twist(tables.dof_work[k].S)[1]
                    v = axpy(-dot(e, S[1]), e, v)
                S = (S[0], v)
            put_six(screws, j, 0, S)
            put_six(screws, j, 6, twist(tables.dof_work[j].U))
            screws[j, 12] = tables.dof_work[j].d


@inlined
def _is_shifted(link, j):
    """Whether a rotation was released about the floating origin, see `articulated`."""
    return link.kind == GROUP and link.rotations > 0 and link.translations > 0 and j < link.iv + link.rotations


@kernel
def _shift_rows(tables, X, back):
    """Forces for the shifted rotations; with `back` the accelerations of the translations from those of the rotations."""
    for i in range(1, tables.links.size):
        link = tables.links[i]
        if not _is_shifted(link, link.iv):
            continue
        for j in range(link.iv, link.iv + link.rotations):
            v = twist(tables.dof_work[j].S)[1]
            for k in range(link.iv + link.rotations, link.iv + link.nv):
                b = dot(twist(tables.dof_work[k].S)[1], v)
                to, of = (k, j) if back else (j, k)
                for n in range(X.shape[1]):
                    X[to, n] -= b * X[of, n]


@kernel
def _put_slots(links, slots, last):
    """Set of rows of each link, and the last child of each; returns how many sets there are."""
    for i in range(links.size):
        last[i] = 0
    for i in range(1, links.size):
        last[links[i].parent] = i
    count = 1
    slots[0] = 0
    for i in range(1, links.size):
        if last[links[i].parent] == i:
            slots[i] = slots[links[i].parent]
        else:
            slots[i] = count
            count += 1
    return count


@kernel
def solve_tree(tables, screws, X):
    """X := M^-1 X in place, for X of nv rows; rows of a multiple of four numbers are solved fastest."""
    _shift_rows(tables, X, False)
    links = tables.links
    places = np.empty((2, links.size), np.int64)
    slots, last = places[0], places[1]
    count, width = _put_slots(links, slots, last), min(BLOCK, X.shape[1])
    sums = np.empty((count, 6 * BLOCK))
    for first in range(0, X.shape[1], width):
        _solve_block(links, screws, X, first, min(width, X.shape[1] - first), sums, slots, last)
    _shift_rows(tables, X, True)


@kernel
def _solve_block(links, screws, X, first, width, sums, slots, last):
    for i in range(links.size - 1, 0, -1):
        link, p = links[i], sums[slots[i]]
        if last[i] == 0:
            _clear(p, width)
        for j in range(link.iv + link.nv - 1, link.iv - 1, -1):
            _inward(screws, j, X[j, first : first + width], p)
        if slots[i] != slots[link.parent] and link.parent > 0:
            _add(sums[slots[link.parent]], p, width)
    _clear(sums[0], width)
    for i in range(1, links.size):
        link, a = links[i], sums[slots[i]]
        if slots[i] != slots[link.parent]:
            _clear(a, width)
            _add(a, sums[slots[link.parent]], width)
        for j in range(link.iv, link.iv + link.nv):
            _outward(screws, j, X[j, first : first + width], a)


@inlined
def _clear(p, width):
    for r in range(6):
        for k in range(width):
            p[r * BLOCK + k] = 0.0


@inlined
def _add(p, other, width):
    for r in range(6):
        for k in range(width):
            p[r * BLOCK + k] += other[r * BLOCK + k]


@inlined
def _inward(screws, j, u, p):
    """u := u - S . p, p := p + U u / d, for all columns."""
    a, b, c, d, e, f = screws[j, 0], screws[j, 1], screws[j, 2], screws[j, 3], screws[j, 4], screws[j, 5]
    s = screws[j, 12]
    A, B, C = s * screws[j, 6], s * screws[j, 7], s * screws[j, 8]
    D, E, F = s * screws[j, 9], s * screws[j, 10], s * screws[j, 11]
    for k in range(u.size):
        x = (u[k] - (a * p[k] + b * p[BLOCK + k] + c * p[BLOCK * 2 + k])) - (
            d * p[BLOCK * 3 + k] + e * p[BLOCK * 4 + k] + f * p[BLOCK * 5 + k]
        )
        u[k] = x
        p[k] += A * x
        p[BLOCK + k] += B * x
        p[BLOCK * 2 + k] += C * x
        p[BLOCK * 3 + k] += D * x
        p[BLOCK * 4 + k] += E * x
        p[BLOCK * 5 + k] += F * x


@inlined
def _outward(screws, j, u, p):
    """u := (u - U . a) / d, a := a + S u, for all columns."""
    a, b, c, d, e, f = screws[j, 0], screws[j, 1], screws[j, 2], screws[j, 3], screws[j, 4], screws[j, 5]
    s = screws[j, 12]
    A, B, C = s * screws[j, 6], s * screws[j, 7], s * screws[j, 8]
    D, E, F = s * screws[j, 9], s * screws[j, 10], s * screws[j, 11]
    for k in range(u.size):
        x = (s * u[k] - (A * p[k] + B * p[BLOCK + k] + C * p[BLOCK * 2 + k])) - (
            D * p[BLOCK * 3 + k] + E * p[BLOCK * 4 + k] + F * p[BLOCK * 5 + k]
        )
        u[k] = x
        p[k] += a * x
        p[BLOCK + k] += b * x
        p[BLOCK * 2 + k] += c * x
        p[BLOCK * 3 + k] += d * x
        p[BLOCK * 4 + k] += e * x
        p[BLOCK * 5 + k] += f * x
