"""Drivers and couplings: sum_i ratio_i q_i - motion(t) = 0.

A coordinate of the tree is read from q; that of a cut joint is measured across it.
"""

import numpy as np

from cotree.constraints.row_wrench import add_row, rate_between
from cotree.engine.kernel import kernel
from cotree.kinematics.cut_joint import cut_coordinate, cut_wrench
from cotree.lie import se3
from cotree.lie.storage import twist


@kernel
def put_residual(couplings, terms, cuts, work, q, motions, first, g):
    for k in range(couplings.size):
        c = couplings[k]
        total = -motions[c.slot, 0]
        for i in range(c.first, c.first + c.count):
            x = terms[i]
            total += x.ratio * (q[x.iq] if x.cut < 0 else cut_coordinate(cuts[x.cut], x.component, work))
        if c.period > 0.0:
            total -= c.period * np.round(total / c.period)
        g[first + c.row] = total


@kernel
def put_jacobian(couplings, terms, cuts, links, work, dof_work, first, J):
    for k in range(couplings.size):
        c = couplings[k]
        for i in range(c.first, c.first + c.count):
            x = terms[i]
            if x.cut < 0:
                J[first + c.row, x.iv] += x.ratio
            else:
                cut = cuts[x.cut]
                W = cut_wrench(cut, x.component, work)
                add_row(J, first + c.row, x.ratio, W, cut.link_a, cut.link_b, links, dof_work)


@kernel
def put_rate(couplings, motions, first, b):
    for k in range(couplings.size):
        b[first + couplings[k].row] = motions[couplings[k].slot, 1]


@kernel
def put_bias(couplings, terms, cuts, work, motions, first, eta):
    for k in range(couplings.size):
        c = couplings[k]
        eta[first + c.row] = motions[c.slot, 2]
        for i in range(c.first, c.first + c.count):
            x = terms[i]
            if x.cut >= 0:
                cut = cuts[x.cut]
                a, b = work[cut.link_a], work[cut.link_b]
                W = cut_wrench(cut, x.component, work)
                eta[first + c.row] -= x.ratio * rate_between(W, se3.cobracket(twist(b.V), W), a, b)
