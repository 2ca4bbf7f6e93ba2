"""What a step leaves behind: states and impulses of the candidates, forces for the rows of the run, and impacts."""

from cotree.engine.kernel import kernel
from cotree.engine.records import matrix, vector
from cotree.engine.vectors import copy_rows, fill, inner
from cotree.integrate.contacts.steps.records import LOG, REPORT
from cotree.system.views import open_rows
from cotree.transitions.contacts.cones import OPEN, SLIP

CLOSING = 2.0  # an impact closes faster than so many times what forces could have made of it in a step


@kernel
def work_of_contacts(candidates, active, first, W, before, after, P):
    """Energy that the contacts have taken, -P (u- + u+) / 2."""
    total = 0.0
    for i in range(active.size):
        for r in range(first[i], first[i + 1]):
            total -= 0.5 * P[r] * (inner(W[r], before) + inner(W[r], after))
    return total


@kernel
def note(run, c, h, candidates, active, first, W, before, free, eta, P, modes, lost):
    """After the problem of a step is solved."""
    kept, report = matrix(c.arrays.kept), matrix(c.arrays.report)
    rows, begun = open_rows(c.here), c.impacts
    for i in range(candidates.size):
        candidates[i].state, candidates[i].pushed = OPEN, 0
        fill(kept[i], 0.0)
        fill(report[i], 0.0)
    for i in range(active.size):
        one, k, f = candidates[active[i]], active[i], first[i]
        pushes = one.normal == 0 or P[f] > 0.0
        one.state = modes[i] if pushes else OPEN
        if pushes and one.normal == 1 and one.tangents == 0:  # nothing holds it
            one.state = SLIP
        one.pushed = 1 if pushes else 0
        for r in range(f, first[i + 1]):
            kept[k, r - f] = P[r]
        put_report(rows, one, P[f : first[i + 1]], 1.0 / h, report[k])
        if one.normal == 1 and pushes and strikes(W[f], before, free, 0.5 * h * eta[f]):
            put_impact(run, c, h, k, rows, one, P[f : first[i + 1]])
    share_loss(c, begun, lost)
    if run.counts.steps == 0:
        copy_rows(report, matrix(c.arrays.first))


@kernel
def strikes(w, before, free, half):
    """Whether a gap closed faster than the forces of the step could have made it."""
    u, without = inner(w, before) - half, inner(w, free) + half
    return u < 0.0 and -u > CLOSING * abs(without - u)


@kernel
def put_report(rows, one, P, factor, out):
    """Force on the second body in the world, normal force, mode."""
    for r in range(P.size):
        row = rows.rows[one.row + r]
        if row.count == 1 and rows.pieces[row.first].iv < 0:
            w = rows.wrenches[row.first].Wb
            for j in range(3):
                out[j] += factor * one.sign * P[r] * w[3 + j]
    out[3] = factor * P[0]
    out[REPORT - 1] = one.state


@kernel
def put_impact(run, c, h, k, rows, one, P):
    """A row of the log, if there is room."""
    log = matrix(c.arrays.log)
    if c.impacts >= log.shape[0]:
        c.lost += 1
        return
    out, force = log[c.impacts], vector(c.arrays.totals)
    fill(force, 0.0)
    put_report(rows, one, P, 1.0, force)
    out[0], out[1] = run.clock.t_now + 0.5 * h, k
    for j in range(3):
        out[2 + j] = force[j]
    c.impacts += 1


@kernel
def share_loss(c, begun, lost):
    """The loss of the step, with the first impact of the step, and how many there are with each."""
    log = matrix(c.arrays.log)
    for k in range(begun, c.impacts):
        log[k, 5] = lost if k == begun else 0.0
        log[k, LOG - 1] = c.impacts - begun
