"""Drivers and couplings: sum_i ratio_i q_i - motion(t) = 0.

A coordinate of the tree is read from q; that of a cut joint from the relative pose N = T_a^-1 T_b, its rate is a component
of Ad_T^-1 (V_b - V_a), the joint's free direction, T = T_b.
"""

import numpy as np

from cotree._kernel import kernel
from cotree.constraints.between import add_row, rate_between
from cotree.constraints.loops import cut_frames, unwrapped
from cotree.lie import se3
from cotree.lie.storage import twist


@kernel
def cut_coordinate(cut, component, work):
    """Angle (of a screw joint with its turns) or displacement along the joint's free direction."""
    A, B = cut_frames(cut, work)
    R, p = se3.compose(se3.inverse(A), B)
    if component >= 3:
        return p[component - 3]
    angle = np.arctan2(R[3] - R[1], R[0] + R[4])
    return angle if cut.pitch == 0.0 else unwrapped(angle, p[2] / cut.pitch)


@kernel
def cut_wrench(cut, component, work):
    """W with W . (V_b - V_a) the coordinate's rate; it moves with b."""
    w, v = np.float64(component < 3), np.float64(component >= 3)
    x, y, z = np.float64(component % 3 == 0), np.float64(component % 3 == 1), np.float64(component % 3 == 2)
    return se3.coAd(cut_frames(cut, work)[1], ((w * x, w * y, w * z), (v * x, v * y, v * z)))


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
