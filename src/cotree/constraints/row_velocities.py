"""J v of all compiled rows, from the twists of the links, without the matrix: O(number of rows)."""

from cotree.constraints.contact import contact, edge_wrench, surface_direction
from cotree.constraints.distance import line
from cotree.constraints.extra_rows import first_row
from cotree.constraints.loops import held, selected, universal_normal
from cotree.constraints.row_wrench import force_at
from cotree.engine.kernel import kernel
from cotree.kinematics.cut_joint import cut_frames, cut_rate, relative
from cotree.lie import se3
from cotree.lie.storage import twist


@kernel
def put_loop_velocities(cuts, work, out):
    """Rows of the cut joints; the links have moved."""
    for c in range(cuts.size):
        cut = cuts[c]
        A, B = cut_frames(cut, work)
        X = held(cut, A if cut.on_a else B, universal_normal(cut, A, B), relative(work, cut.link_a, cut.link_b))
        for k in range(cut.kept):
            out[cut.row + k] = selected(cut, k, X)


@kernel
def put_other_velocities(others, cuts, work, v, out):
    """Rows beside those of the cut joints."""
    couplings, terms, distances, edges, rollings, closings = others
    first = first_row(cuts)
    for k in range(couplings.size):
        c, total = couplings[k], 0.0
        for i in range(c.first, c.first + c.count):
            x = terms[i]
            if x.cut < 0:
                total += x.ratio * v[x.iv]
            else:
                total += x.ratio * cut_rate(cuts[x.cut], x.component, work)
        out[first + c.row] = total
    for k in range(distances.size):
        d = distances[k]
        _, b, e, _ = line(d, work)
        out[first + d.row] = se3.pair(relative(work, d.link_a, d.link_b), force_at(b, e))
    for k in range(edges.size):
        out[first + edges[k].row] = se3.pair(twist(work[edges[k].link].V), edge_wrench(edges[k], work))
    for k in range(rollings.size):
        r = rollings[k]
        x, X = contact(r, work)[0], relative(work, r.link_a, r.link_b)
        for i in range(3):
            out[first + r.row + i] = se3.pair(X, force_at(x, surface_direction(r, i, work)))
    put_loop_velocities(closings, work, out[first:])
