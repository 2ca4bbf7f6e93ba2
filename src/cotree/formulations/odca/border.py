"""Rows over many bodies as a border of the divided system.

Such a row would keep all its bodies as handles until the last is there. It is left out of the plan instead: with the other
rows C and those of the border B, the divided system gives alpha for any forces and right-hand sides c, and
    (B A B^T) mu = b - B alpha_0,   alpha = alpha_0 + A B^T mu,
where alpha_0 is the solution without the border and A B^T that for the wrenches of its rows, one after the other, with c = 0.
Each is one pass up and down with the factors that are there, so that r rows cost r + 1 passes and a matrix of r x r. Border
rows that depend on others are found by its pivots, as at the nodes, and left out.

Places in the array of the border: the matrix, its pivots' scales, mu and room beside it, then what the passes overwrite (z of
the parts, c of the rows).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.engine.arena import base_in, integers, matrix, vector
from cotree.engine.entry import NOTHING, call, entry
from cotree.engine.kernel import kernel
from cotree.formulations.odca.merge import factor_by_pivots
from cotree.formulations.odca.tables import AGAIN, FIRST, division_t, open_parts


def room_of(parts: NDArray[np.void], groups: NDArray[np.void]) -> tuple[int, int]:
    """(rows of the border, floats that it needs)."""
    r = int(groups["rows"][groups["sorted"]].sum())
    return r, r * (r + 3) + int(parts["size"].sum() + groups["rows"].sum()) if r else 0


@kernel
def _rows_times_alpha(d, out):
    """B alpha at the accelerations that are there."""
    _, parts, groups, touches = open_parts(d)
    base, at = base_in(d.arrays.arena), 0
    for i in range(d.border_first, d.border_last):
        group = groups[i]
        for r in range(group.rows):
            s = 0.0
            for k in range(group.touch, group.touch + group.touches):
                part = parts[touches[k].part]
                B = vector(base, touches[k].C_at + r * part.size, part.size)
                alpha = vector(base, part.alpha_at, part.size)
                for l in range(part.size):
                    s += B[l] * alpha[l]
            out[at] = s
            at += 1


@kernel
def _push(d, group, r, factor):
    """Add to the free accelerations z of the parts what `factor` times the wrenches of a row do."""
    _, parts, _, touches = open_parts(d)
    base = base_in(d.arrays.arena)
    for k in range(group.touch, group.touch + group.touches):
        part = parts[touches[k].part]
        n = part.size
        B, z = vector(base, touches[k].C_at + r * n, n), vector(base, part.z_at, n)
        zeta = matrix(base, part.zeta_at, n, n)
        for i in range(n):
            s = 0.0
            for l in range(n):
                s += zeta[i, l] * B[l]
            z[i] += factor * s


@kernel
def _exchange(d, keep, put_back):
    """Keep z of all parts and c of all rows and leave zeros, or put them back."""
    _, parts, groups, _ = open_parts(d)
    r = d.border_rows
    base, kept, at = base_in(d.arrays.arena), base_in(d.arrays.border), r * (r + 3)
    for i in range(parts.size):
        z, saved = vector(base, parts[i].z_at, parts[i].size), vector(kept, at, parts[i].size)
        at += parts[i].size
        for l in range(z.size):
            if keep:
                saved[l] = z[l]
            z[l] = saved[l] if put_back else 0.0
    for i in range(groups.size):
        c, saved = vector(base, groups[i].c_at, groups[i].rows), vector(kept, at, groups[i].rows)
        at += groups[i].rows
        for l in range(c.size):
            if keep:
                saved[l] = c[l]
            c[l] = saved[l] if put_back else 0.0


@kernel
def _again(d):
    call(d.entries.solve, d.here, AGAIN, NOTHING, NOTHING, NOTHING)


@kernel
def _put_left(d, mu):
    """b - B alpha, what the border's rows lack."""
    groups, base, at = open_parts(d).groups, base_in(d.arrays.arena), 0
    _rows_times_alpha(d, mu)
    for i in range(d.border_first, d.border_last):
        c = vector(base, groups[i].c_at, groups[i].rows)
        for r in range(c.size):
            mu[at] = c[r] - mu[at]
            at += 1


@kernel
def _put_matrix(d, S, scale):
    """S = B A B^T, a row by a pass, and the scales of its pivots; spends the accelerations."""
    groups, base, at = open_parts(d).groups, base_in(d.arrays.arena), 0
    _exchange(d, True, False)
    for i in range(d.border_first, d.border_last):
        given = vector(base, groups[i].scale_at, groups[i].rows)
        for r in range(given.size):
            scale[at] = given[r]
            _push(d, groups[i], r, 1.0)
            _again(d)
            _rows_times_alpha(d, S[at])
            _exchange(d, False, False)
            at += 1
    _exchange(d, False, True)


@kernel
def _solve_factored(L, order, mu, x):
    """mu = S^+ mu by the factors; zero in rows left out. x: room."""
    n = mu.size
    for i in range(n):
        s = mu[order[i]]
        for k in range(i):
            s -= L[i, k] * x[k]
        x[i] = s / L[i, i] if L[i, i] != 0.0 else 0.0
    for i in range(n - 1, -1, -1):
        s = x[i]
        for k in range(i + 1, n):
            s -= L[k, i] * x[k]
        x[i] = s / L[i, i] if L[i, i] != 0.0 else 0.0
    for i in range(n):
        mu[order[i]] = x[i]


@entry(division_t)
def impose(d, which, _, __, ___):
    """The border's rows on a solution without them; FIRST: their matrix is formed, AGAIN: its factors are there. Returns
    their rank beside the other rows where it is formed."""
    opened = open_parts(d)
    parts, groups, touches = opened.parts, opened.groups, opened.touches
    r, base, own = d.border_rows, base_in(d.arrays.arena), base_in(d.arrays.border)
    S, scale, mu = matrix(own, 0, r, r), vector(own, r * r, r), vector(own, r * (r + 1), r)
    order, rank, at = integers(base_in(d.arrays.border_order), 0, r), 0, 0
    _put_left(d, mu)
    if which == FIRST:
        _put_matrix(d, S, scale)
        rank = factor_by_pivots(S, scale, order, d.ratios)
    _solve_factored(S, order, mu, vector(own, r * (r + 2), r))
    if which == AGAIN:
        _exchange(d, True, True)
    for i in range(d.border_first, d.border_last):
        for k in range(groups[i].rows):
            _push(d, groups[i], k, mu[at])
            at += 1
    _again(d)
    _exchange(d, False, True)
    _put_forces(parts, groups, touches, d.border_first, d.border_last, base, mu)
    return rank


@kernel
def _put_forces(parts, groups, touches, first, last, base, mu):
    """Multipliers of the border's rows, and their forces among those on the parts."""
    at = 0
    for i in range(first, last):
        group = groups[i]
        lam = vector(base, group.lambda_at, group.rows)
        for r in range(group.rows):
            lam[r] = mu[at]
            for k in range(group.touch, group.touch + group.touches):
                part = parts[touches[k].part]
                B, F = vector(base, touches[k].C_at + r * part.size, part.size), vector(base, part.force_at, part.size)
                for l in range(part.size):
                    F[l] += mu[at] * B[l]
            at += 1
