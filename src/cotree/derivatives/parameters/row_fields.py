"""How constraint rows change with parameters that displace links or ends of rows: the jets of `row_changes` along a field."""

import numpy as np

from cotree.derivatives.row_changes import A_MIXED, A_STEP, B_MIXED, B_STEP
from cotree.derivatives.rows import put_six, six
from cotree.engine.kernel import kernel
from cotree.engine.spans import call_span
from cotree.lie import se3
from cotree.lie.storage import pose, twist
from cotree.system.views import open_rows

STEP, TWIST, RATE = 0, 24, 30  # columns of a field, see `fields`


@kernel
def ask(m, V, S, D):
    """What jets are asked for: the motions of links a and b along time and along a direction, and how their twists change."""
    for k in range(2):
        for c in range(3):
            m[6 * k, c], m[6 * k + 1, c] = V[k][0][c], V[k][1][c]
            m[6 * k + 2, c], m[6 * k + 3, c] = S[k][0][c], S[k][1][c]
            m[6 * k + 4, c], m[6 * k + 5, c] = D[k][0][c], D[k][1][c]


@kernel
def add_row_changes(here, tables, field, lam, owners, addresses, tips, gaps, dP, out, k):
    """Column k of out (3 rows): J v_dot - eta, J v - b, gaps; into dP the change of the wrenches of J^T lam."""
    rows = open_rows(here)
    m, which, jets, count = np.zeros((12, 3)), np.zeros(1), np.empty((1, 24)), lam.size
    ground = twist(tables.work[0].a)
    for r in range(count):
        out[2 * count + r, k] += gaps[r]
    for i in range(rows.pieces.size):
        p = rows.pieces[i]
        if p.iv >= 0:
            continue
        x, w, on_a, on_b = rows.kinds[owners[i, 0]], rows.wrenches[i], tables.work[p.link_a], tables.work[p.link_b]
        Wa, Wb, Wa_dot, Wb_dot = twist(w.Wa), twist(w.Wb), twist(w.Wa_dot), twist(w.Wb_dot)
        Va, Vb = twist(on_a.V), twist(on_b.V)
        aa, ab = se3.minus(twist(on_a.a), ground), se3.minus(twist(on_b.a), ground)
        Sa = se3.plus(six(field, p.link_a, STEP), se3.Ad(pose(on_a.C), twist(tips[i, :6])))
        Sb = se3.plus(six(field, p.link_b, STEP), se3.Ad(pose(on_b.C), twist(tips[i, 6:])))
        Da, Db = six(field, p.link_a, TWIST), six(field, p.link_b, TWIST)
        Aa, Ab = six(field, p.link_a, RATE), six(field, p.link_b, RATE)
        ask(m, (Va, Vb), (Sa, Sb), (Da, Db))
        which[0] = i
        call_span(addresses[owners[i, 0]], here, x.table, x.base, owners[i, 1], owners[i, 1] + 1, m, which, jets)
        a_s, a_ts, b_s, b_ts = six(jets, 0, A_STEP), six(jets, 0, A_MIXED), six(jets, 0, B_STEP), six(jets, 0, B_MIXED)
        h = se3.pair(ab, b_s) - se3.pair(aa, a_s) + se3.pair(Vb, b_ts) - se3.pair(Va, a_ts)
        h += se3.pair(Ab, Wb) - se3.pair(Aa, Wa) + se3.pair(Db, Wb_dot) - se3.pair(Da, Wa_dot)
        out[p.row, k] += h
        out[count + p.row, k] += se3.pair(Vb, b_s) - se3.pair(Va, a_s) + se3.pair(Db, Wb) - se3.pair(Da, Wa)
        if rows.rows[p.row].holonomic:
            out[2 * count + p.row, k] += se3.pair(Sb, Wb) - se3.pair(Sa, Wa)
        put_six(dP, p.link_b, 0, se3.plus_times(lam[p.row], b_s, six(dP, p.link_b, 0)))
        put_six(dP, p.link_a, 0, se3.plus_times(-lam[p.row], a_s, six(dP, p.link_a, 0)))
