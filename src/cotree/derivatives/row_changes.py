"""Derivatives of all compiled constraint rows in closed form, from the jets of their wrenches.

A piece of a row adds h = Wb . a_b - Wa . a_a + Wb_dot . V_b - Wa_dot . V_a to J v_dot - eta, Wb . V_b - Wa . V_a to J v, and
lam Wb, -lam Wa to the forces J^T lam. Along a coordinate c between its two links one of them is displaced by the screw S_c;
twists and accelerations change as `motion` says, wrenches and their rates as the jets of their kind. By velocities dh/dv_c has
dW/ds . V + W_dot . S_c + W . da/dv_c, since a rate of a wrench is linear in the twists. Coordinates that move both links alike
change nothing.
"""

from cotree.derivatives.between import PATH, find_path, make_path
from cotree.derivatives.motion import acceleration_by_velocity, acceleration_change, own_screw_change, twist_change
from cotree.derivatives.rows import block, put_six, six
from cotree.engine.kernel import kernel
from cotree.engine.spans import call_span
from cotree.engine.vectors import fill_rows
from cotree.kinematics.motion import ZERO
from cotree.lie import se3
from cotree.lie.storage import twist
from cotree.system.views import open_rows

# columns of `out` of jets
A_STEP, A_MIXED, B_STEP, B_MIXED = 0, 6, 12, 18
CHANGES = 18  # numbers of a row of `changes`: three changes of a twist


@kernel
def room_of_rows(n):
    """Numbers that `put_changes` writes on its way."""
    return n * (PATH + 12 + CHANGES) + 73


@kernel
def put_changes(here, tables, q, lam, owners, addresses, rates, room, by_q, by_v, velocity_dq, force_dq):
    """All four, into zeros; links have twists and accelerations, wrenches and their rates are measured.

    owners (pieces, 2): kind and place in its table of what each piece belongs to; addresses of the kinds' jets.
    """
    rows, size, n = open_rows(here), force_dq.shape[0], 0
    path, at = make_path(room, 0, size), size * (PATH + 12 + CHANGES)
    step, changes = block(room, size * PATH, size, 12), block(room, size * (PATH + 12), size, CHANGES)
    sums, m = block(room, at, 2, 6), block(room, at + 12, 12, 3)
    out, which = block(room, at + 48, 1, 24), room[at + 72 : at + 73]
    pieces = rows.pieces
    for i in range(pieces.size):
        p = pieces[i]
        if p.iv >= 0:
            continue
        fresh = i == 0 or pieces[i - 1].iv >= 0 or pieces[i - 1].link_a != p.link_a or pieces[i - 1].link_b != p.link_b
        if fresh:
            n = find_path(path, p.link_a, p.link_b, tables.links)
            fill_rows(sums, 0, 2, 0.0)
            fill_rows(step, 0, n, 0.0)
            for y in range(n):
                _put_change(tables, rates, path.dof[y], p.link_b if path.sign[y] > 0.0 else p.link_a, y, changes)
        x, w, l = rows.kinds[owners[i, 0]], rows.wrenches[i], lam[p.row]
        Wa, Wb, Wa_dot, Wb_dot = twist(w.Wa), twist(w.Wb), twist(w.Wa_dot), twist(w.Wb_dot)
        put_six(sums, 0, 0, se3.plus_times(l, Wa, six(sums, 0, 0)))
        put_six(sums, 1, 0, se3.plus_times(l, Wb, six(sums, 1, 0)))
        which[0] = i
        Va, Vb = twist(tables.work[p.link_a].V), twist(tables.work[p.link_b].V)
        ground = twist(tables.work[0].a)
        aa, ab = se3.minus(twist(tables.work[p.link_a].a), ground), se3.minus(twist(tables.work[p.link_b].a), ground)
        for y in range(n):
            c, on_b = path.dof[y], path.sign[y] > 0.0
            S, D = twist(tables.dof_work[c].S), six(changes, y, 0)
            _ask(m, Va, Vb, S, D, on_b)
            call_span(addresses[owners[i, 0]], here, x.table, x.base, owners[i, 1], owners[i, 1] + 1, m, which, out)
            a_s, a_ts, b_s, b_ts = six(out, 0, A_STEP), six(out, 0, A_MIXED), six(out, 0, B_STEP), six(out, 0, B_MIXED)
            W, W_dot, sign = (Wb, Wb_dot, 1.0) if on_b else (Wa, Wa_dot, -1.0)
            turned = se3.pair(Vb, b_s) - se3.pair(Va, a_s)
            h = se3.pair(ab, b_s) - se3.pair(aa, a_s) + se3.pair(Vb, b_ts) - se3.pair(Va, a_ts)
            h += sign * (se3.pair(six(changes, y, 6), W) + se3.pair(D, W_dot))
            velocity_dq[p.row, c] += turned + sign * se3.pair(D, W)
            by_q[p.row, c] += h
            by_v[p.row, c] += turned + sign * (se3.pair(six(changes, y, 12), W) + se3.pair(S, W_dot))
            put_six(step, y, 0, se3.plus_times(l, a_s, six(step, y, 0)))
            put_six(step, y, 6, se3.plus_times(l, b_s, six(step, y, 6)))
        last = i + 1 == pieces.size or pieces[i + 1].link_a != p.link_a or pieces[i + 1].link_b != p.link_b
        if last or pieces[i + 1].iv >= 0:
            _add_forces(tables, q, path, n, sums, step, force_dq)


@kernel
def _put_change(tables, rates, c, link, y, changes):
    """How twist and acceleration of a link change along coordinate c, and the latter by its velocity."""
    put_six(changes, y, 0, twist_change(tables, rates, c, link))
    put_six(changes, y, 6, acceleration_change(tables, rates, c, link))
    put_six(changes, y, 12, acceleration_by_velocity(tables, rates, c, link))


@kernel
def _ask(m, Va, Vb, S, D, on_b):
    """The motions of both links: along time, and along a coordinate that moves one of them."""
    Sa, Da, Sb, Db = (ZERO, ZERO, S, D) if on_b else (S, D, ZERO, ZERO)
    for k in range(3):
        m[0, k], m[1, k], m[6, k], m[7, k] = Va[0][k], Va[1][k], Vb[0][k], Vb[1][k]
        m[2, k], m[3, k], m[8, k], m[9, k] = Sa[0][k], Sa[1][k], Sb[0][k], Sb[1][k]
        m[4, k], m[5, k], m[10, k], m[11, k] = Da[0][k], Da[1][k], Db[0][k], Db[1][k]


@kernel
def _add_forces(tables, q, path, n, sums, step, force_dq):
    """force_dq[j, c] += d_c(s_j W . S_j) of the forces W on both links together."""
    for y in range(n):
        c = path.dof[y]
        k, S = tables.dofs[c].link, twist(tables.dof_work[c].S)
        for x in range(n):
            j = path.dof[x]
            i, X, side = tables.dofs[j].link, twist(tables.dof_work[j].S), 1 if path.sign[x] > 0.0 else 0
            s = se3.pair(X, six(step, y, 6 * side))
            if i == k:
                s += se3.pair(own_screw_change(tables, q, j, c), six(sums, side, 0))
            elif path.sign[x] == path.sign[y] and i > k:  # on one way: link k carries link i
                s += se3.pair(se3.bracket(S, X), six(sums, side, 0))
            force_dq[j, c] += path.sign[x] * s
