"""All compiled rows, those of the cut joints and of other constraints alike: one loop for each thing that is asked of them.

Kinds of rows measure gaps, wrenches and their rates (`cotree.system.row_kinds`); everything else follows from the wrenches that
were measured last. `rows` is from `open_rows`; `motions` (slots, 3): value, rate and acceleration of functions of time.
"""

from cotree.constraints.row_wrench import add_pair, clear_null_row, difference
from cotree.engine.entry import NOTHING
from cotree.engine.kernel import kernel
from cotree.engine.spans import call_span
from cotree.lie.storage import twist
from cotree.system.views import open_rows

SHIFT = 40  # bits for the number of a constraint in the table of its kind


def undefined_at(status: int) -> tuple[int, int]:
    """(kind, place in its table) of the constraint to which a status of `put_wrenches` refers."""
    return status >> SHIFT, (status & ((1 << SHIFT) - 1)) - 1


@kernel
def put_gaps(here, q, motions, g):
    """What the rows are off; the links are placed."""
    gaps_by(open_rows(here).kinds, here, q, motions, g)


@kernel
def gaps_by(kinds, here, q, motions, g):
    """The same by these kinds, of numbers or lanes; here: what their sweeps are opened from."""
    for k in range(kinds.size):
        x = kinds[k]
        call_span(x.gaps, here, x.table, x.base, 0, x.table.n, motions, q, g)


@kernel
def put_wrenches(here):
    """Wrenches of all rows; the links are placed. Returns 0, or which constraint has one that is not defined here, see
    `undefined_at`."""
    return wrenches_by(open_rows(here).kinds, here)


@kernel
def wrenches_by(kinds, here):
    """The same by these kinds, of numbers or lanes."""
    status = 0
    for k in range(kinds.size):
        x = kinds[k]
        bad = call_span(x.wrenches, here, x.table, x.base, 0, x.table.n, NOTHING, NOTHING, NOTHING)
        if bad != 0 and status == 0:
            status = (k << SHIFT) + bad
    return status


@kernel
def put_rates(here):
    """How the wrenches change; they are measured, and the links have moved."""
    rates_by(open_rows(here).kinds, here)


@kernel
def rates_by(kinds, here):
    """The same by these kinds, of numbers or lanes."""
    for k in range(kinds.size):
        x = kinds[k]
        call_span(x.rates, here, x.table, x.base, 0, x.table.n, NOTHING, NOTHING, NOTHING)


@kernel
def put_jacobian(rows, links, dof_work, J):
    """Add the rows; J must be zero before. Screws common to both sides of a closed loop cancel."""
    for r in range(rows.rows.size):
        row = rows.rows[r]
        for i in range(row.first, row.first + row.count):
            p = rows.pieces[i]
            if p.iv >= 0:
                J[r, p.iv] += p.ratio
            else:
                add_pair(J, r, p, rows.wrenches[i], links, dof_work)
        if row.count == 1 and rows.pieces[row.first].iv < 0:
            clear_null_row(J, r, rows.pieces[row.first], rows.wrenches[row.first], links, dof_work)


@kernel
def put_velocities(rows, work, v, out):
    """J v, without the matrix; the links have moved."""
    for r in range(rows.rows.size):
        row, total = rows.rows[r], 0.0
        for i in range(row.first, row.first + row.count):
            p, w = rows.pieces[i], rows.wrenches[i]
            if p.iv >= 0:
                total += p.ratio * v[p.iv]
            else:
                total += difference(twist(work[p.link_a].V), twist(work[p.link_b].V), twist(w.Wa), twist(w.Wb))
        out[r] = total


@kernel
def put_speeds(rows, motions, b):
    """b with J v = b; it is zero but for functions of time."""
    for r in range(rows.rows.size):
        if rows.rows[r].slot >= 0:
            b[r] = motions[rows.rows[r].slot, 1]


@kernel
def put_bias(rows, work, motions, eta):
    """eta with J v_dot = eta; `a` of the links must hold their accelerations for v_dot = 0, and rates are measured."""
    for r in range(rows.rows.size):
        row, total = rows.rows[r], 0.0
        if row.slot >= 0:
            total = motions[row.slot, 2]
        for i in range(row.first, row.first + row.count):
            p, w = rows.pieces[i], rows.wrenches[i]
            if p.iv < 0:
                a, b = work[p.link_a], work[p.link_b]
                total -= difference(twist(a.a), twist(b.a), twist(w.Wa), twist(w.Wb))
                total -= difference(twist(a.V), twist(b.V), twist(w.Wa_dot), twist(w.Wb_dot))
        eta[r] = total
