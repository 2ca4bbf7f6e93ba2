"""Derivatives of all compiled constraint rows in closed form, from the jets of their wrenches.

A piece of a row adds h = Wb . a_b - Wa . a_a + Wb_dot . V_b - Wa_dot . V_a to J v_dot - eta, Wb . V_b - Wa . V_a to J v, and
lam Wb, -lam Wa to the forces J^T lam. Along a coordinate c between its two links one of them is displaced by the screw S_c;
twists and accelerations change as `motion` says, wrenches and their rates as the jets of their kind. By velocities dh/dv_c has
dW/ds . V + W_dot . S_c + W . da/dv_c, since a rate of a wrench is linear in the twists. Coordinates that move both links alike
change nothing.

Most wrenches are the same on both links, and one of the links carries them: dW/ds = S_c x* W where c moves that link, and zero
elsewhere. Then jets need not be asked for. With V and a the differences of both links, V_k the twist of the carrier,
    dW/ds . V = S_c . P,    dW/ds . a + dW_dot/ds . V = S_c . R + dV_k/ds . P,    P = -V x* W,    R = ([V_k, V] - a) x* W,
so that what belongs to a piece is computed once for all coordinates.
"""

from cotree.derivatives.between import PATH, find_path, make_path
from cotree.derivatives.motion import acceleration_by_velocity, acceleration_change, own_screw_change, twist_change
from cotree.derivatives.rows import block, put_six, six
from cotree.engine.kernel import inlined, kernel
from cotree.engine.spans import call_span
from cotree.engine.vectors import fill_rows
from cotree.kinematics.motion import ZERO
from cotree.lie import se3
from cotree.lie.storage import twist
from cotree.system.row_kinds import ASKED
from cotree.system.views import open_rows

# columns of `out` of jets
A_STEP, A_MIXED, B_STEP, B_MIXED = 0, 6, 12, 18
CHANGES = 18  # numbers of a row of `changes`: three changes of a twist
# rows of `sums`: forces of a group of pieces on both links, and those of them that the first link carries, and the second one
ON_A, ON_B, BY_A, BY_B, SUMS = 0, 1, 2, 3, 4


@kernel
def room_of_rows(n):
    """Numbers that `put_changes` writes on its way."""
    return n * (PATH + 12 + CHANGES) + 6 * SUMS + 61


@kernel
def put_changes(here, tables, q, lam, owners, addresses, rates, room, by_q, by_v, velocity_dq, force_dq):
    """All four, into zeros; links have twists and accelerations, wrenches and their rates are measured.

    owners (pieces, 3): kind and place in its table of what each piece belongs to, and which link carries it; addresses of the
    kinds' jets.
    """
    rows, size, n = open_rows(here), force_dq.shape[0], 0
    path, at = make_path(room, 0, size), size * (PATH + 12 + CHANGES)
    step, changes = block(room, size * PATH, size, 12), block(room, size * (PATH + 12), size, CHANGES)
    sums, rest = block(room, at, SUMS, 6), room[at + 6 * SUMS :]
    pieces = rows.pieces
    for i in range(pieces.size):
        p = pieces[i]
        if p.iv >= 0:
            continue
        fresh = i == 0 or pieces[i - 1].iv >= 0 or pieces[i - 1].link_a != p.link_a or pieces[i - 1].link_b != p.link_b
        if fresh:
            n = find_path(path, p.link_a, p.link_b, tables.links)
            fill_rows(sums, 0, SUMS, 0.0)
            fill_rows(step, 0, n, 0.0)
            for y in range(n):
                _put_change(tables, rates, path.dof[y], p.link_b if path.sign[y] > 0.0 else p.link_a, y, changes)
        w, l, carrier = rows.wrenches[i], lam[p.row], owners[i, 2]
        _add_to(sums, ON_A, l, twist(w.Wa))
        _add_to(sums, ON_B, l, twist(w.Wb))
        if carrier == ASKED:
            _ask_all(here, tables, rows, i, l, owners, addresses, path, n, changes, rest, step, by_q, by_v, velocity_dq)
        else:
            _add_to(sums, BY_A + carrier, l, twist(w.Wb))
            _put_carried(tables, p, w, carrier, path, n, changes, by_q, by_v, velocity_dq)
        last = i + 1 == pieces.size or pieces[i + 1].link_a != p.link_a or pieces[i + 1].link_b != p.link_b
        if last or pieces[i + 1].iv >= 0:
            _add_carried_steps(tables, path, n, sums, step)
            _add_forces(tables, q, path, n, sums, step, force_dq)


@inlined
def _add_to(sums, r, factor, W):
    put_six(sums, r, 0, se3.plus_times(factor, W, six(sums, r, 0)))


@inlined
def _put_carried(tables, p, w, carrier, path, n, changes, by_q, by_v, velocity_dq):
    """Rows of a piece whose wrench a link carries."""
    W, W_dot, k = twist(w.Wb), twist(w.Wb_dot), p.link_b if carrier == 1 else p.link_a
    V = se3.minus(twist(tables.work[p.link_b].V), twist(tables.work[p.link_a].V))
    a = se3.minus(twist(tables.work[p.link_b].a), twist(tables.work[p.link_a].a))
    P = se3.times(-1.0, se3.cobracket(V, W))
    R = se3.cobracket(se3.minus(se3.bracket(twist(tables.work[k].V), V), a), W)
    for y in range(n):
        c, sign = path.dof[y], path.sign[y]
        S, D = twist(tables.dof_work[c].S), six(changes, y, 0)
        turned, h = 0.0, 0.0
        if (sign > 0.0) == (carrier == 1):
            turned, h = se3.pair(S, P), se3.pair(S, R) + se3.pair(D, P)
        velocity_dq[p.row, c] += turned + sign * se3.pair(D, W)
        by_q[p.row, c] += h + sign * (se3.pair(six(changes, y, 6), W) + se3.pair(D, W_dot))
        by_v[p.row, c] += turned + sign * (se3.pair(six(changes, y, 12), W) + se3.pair(S, W_dot))


@kernel
def _ask_all(here, tables, rows, i, l, owners, addresses, path, n, changes, room, step, by_q, by_v, velocity_dq):
    """The same by the jets of its kind, with the changes of its force on both links."""
    m, out, which = block(room, 0, 12, 3), block(room, 36, 1, 24), room[60:61]
    p, x, w = rows.pieces[i], rows.kinds[owners[i, 0]], rows.wrenches[i]
    Wa, Wb, Wa_dot, Wb_dot = twist(w.Wa), twist(w.Wb), twist(w.Wa_dot), twist(w.Wb_dot)
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


@inlined
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


@inlined
def _add_carried_steps(tables, path, n, sums, step):
    """How forces that a link carries change along the coordinates that move it, on both links alike."""
    for y in range(n):
        W = six(sums, BY_B if path.sign[y] > 0.0 else BY_A, 0)
        change = se3.cobracket(twist(tables.dof_work[path.dof[y]].S), W)
        put_six(step, y, 0, se3.plus(six(step, y, 0), change))
        put_six(step, y, 6, se3.plus(six(step, y, 6), change))


@inlined
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
