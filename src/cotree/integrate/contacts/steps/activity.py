"""Which candidates act in a step, with their rows, columns and cones.

A point acts where its gap is not open at the middle of the step, g(q exp(h v / 2)) <= 0, and, where it pushed in the last step,
as long as it is within `NEAR` of the system's length. A brake acts always.
"""

import numpy as np

from cotree.constraints.row_wrench import add_pair, difference
from cotree.engine.kernel import kernel
from cotree.engine.records import matrix, vector
from cotree.engine.vectors import fill, inner
from cotree.integrate.contacts.steps.mobility import pair, put_column
from cotree.integrate.contacts.steps.records import candidates_of
from cotree.lie.storage import twist
from cotree.transitions.contacts.cones import SLIP, STICK

NEAR = 1e-7  # relative to the system's length: rounding must not let go of what is at rest


@kernel
def gap_of(one, g):
    """Gap of a candidate from the residuals of all rows."""
    return one.sign * (g[one.row] - one.at)


@kernel
def put_active(c, g, active):
    """Numbers of the candidates that act; how many."""
    candidates, n = candidates_of(c.arrays.candidates), 0
    for i in range(candidates.size):
        one = candidates[i]
        if one.normal == 1:
            gap = gap_of(one, g)
            if gap > (NEAR * c.length if one.pushed else 0.0):
                continue
        active[n] = i
        n += 1
    return n


@kernel
def put_rows_of(candidates, active, rows, tables, W, first):
    """Rows W of the active candidates, and where those of each begin."""
    fill_from(W)
    k = 0
    for i in range(active.size):
        one = candidates[active[i]]
        first[i] = k
        for r in range(one.row, one.row + one.normal + one.tangents):
            put_row(rows, r, one.sign, tables, W, k)
            k += 1
    first[active.size] = k


@kernel
def fill_from(W):
    for r in range(W.shape[0]):
        fill(W[r], 0.0)


@kernel
def put_row(rows, r, sign, tables, W, k):
    """Row k of W is row r of the system, with its sign."""
    row = rows.rows[r]
    for i in range(row.first, row.first + row.count):
        p = rows.pieces[i]
        if p.iv >= 0:
            W[k, p.iv] += p.ratio
        else:
            add_pair(W, k, p, rows.wrenches[i], tables.links, tables.dof_work)
    if sign < 0.0:
        for j in range(W.shape[1]):
            W[k, j] = -W[k, j]


@kernel
def put_columns(c, candidates, active, first, W, X):
    """Columns of all rows."""
    for i in range(active.size):
        one = candidates[active[i]]
        for r in range(first[i], first[i + 1]):
            put_column(c, one.block_a, W[r], X[r])
            if one.block_b != one.block_a:
                put_column(c, one.block_b, W[r], X[r])


@kernel
def put_operator(c, candidates, active, first, X, G):
    """G = W M^-1 W^T with the loops in force."""
    fill_from(G)
    for i in range(active.size):
        for j in range(i + 1):
            one, other = candidates[active[i]], candidates[active[j]]
            if not share(one, other):
                continue
            for r in range(first[i], first[i + 1]):
                for s in range(first[j], first[j + 1]):
                    G[r, s] = pair(c, one, other, X[r], X[s])
                    G[s, r] = G[r, s]


@kernel
def share(one, other):
    """Whether two candidates move a block in common."""
    a, b = one.block_a, one.block_b
    return (a >= 0 and (a == other.block_a or a == other.block_b)) or (
        b >= 0 and (b == other.block_a or b == other.block_b)
    )


@kernel
def put_rates(rows, work, candidates, active, first, out):
    """How the rates W v change while v does not: those of gaps and slips."""
    for i in range(active.size):
        one = candidates[active[i]]
        for k in range(first[i], first[i + 1]):
            row, total = rows.rows[one.row + k - first[i]], 0.0
            for j in range(row.first, row.first + row.count):
                p, w = rows.pieces[j], rows.wrenches[j]
                if p.iv < 0:
                    a, b = work[p.link_a], work[p.link_b]
                    total += difference(twist(a.a), twist(b.a), twist(w.Wa), twist(w.Wb))
                    total += difference(twist(a.V), twist(b.V), twist(w.Wa_dot), twist(w.Wb_dot))
            out[k] = one.sign * total


@kernel
def put_cones(c, candidates, active, first, W, v, h, cones, P):
    """Cones of the active candidates, and the impulses of the last step to begin with. What stuck in the last step has its
    static friction, what slid or was open that of sliding."""
    kept = matrix(c.arrays.kept)
    for i in range(active.size):
        one, cone = candidates[active[i]], cones[i]
        cone.first, cone.normal, cone.tangents = first[i], one.normal, one.tangents
        cone.mu = one.static if one.state == STICK else one.mu
        cone.radius = h * rubbing(one, inner(W[first[i]], v)) if one.torque > 0.0 else 0.0
        for r in range(first[i], first[i + 1]):
            P[r] = kept[active[i], r - first[i]]


@kernel
def rubbing(one, rate):
    """Friction of a brake at a rate."""
    if one.state != SLIP:
        return one.torque * one.ratio
    excess = (one.ratio - 1.0) * np.exp(-((rate / one.speed) ** 2)) if one.speed > 0.0 else 0.0
    return one.torque * (1.0 + excess) + one.viscous * abs(rate)


@kernel
def put_gaps_of(candidates, active, g, out):
    for i in range(active.size):
        out[i] = gap_of(candidates[active[i]], g)


@kernel
def room(c):
    """f, q_mid, v_mid, a of a step."""
    x = c.arrays
    return vector(x.f), vector(x.q_mid), vector(x.v_mid), vector(x.a)
