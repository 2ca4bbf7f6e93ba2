"""States between two states: the quintic in the algebra that agrees with poses, velocities and accelerations at both ends.

Of sixth order in positions: q(theta) = q_0 exp(Psi(theta)), v = dexp_body(Psi) dPsi/dt, dPsi/dt = dexp_body_inv(Psi) v at the
ends.
"""

import numpy as np

from cotree.engine.kernel import kernel
from cotree.kinematics.configuration import dexp_body, dexp_body_inv, difference, move

NUDGE = 1e-4  # of a step: difference quotients along it are exact to 1e-8 of a bracket term, which is small itself


@kernel
def between(tables, start, end, h, theta, q_out, v_out):
    """State at a fraction theta of the step of size h from one state to the other."""
    between_in(np.empty((6, start[1].size)), tables, start, end, h, theta, q_out, v_out)


@kernel
def between_in(room, tables, start, end, h, theta, q_out, v_out):
    """The same on numbers or lanes, with room for six vectors of velocities."""
    (q0, v0, a0), (q1, v1, a1) = start, end
    n = v0.size
    x1, d1, ahead, behind, Psi, rate = room[0], room[1], room[2], room[3], room[4], room[5]
    difference(tables.links, tables.dofs, q0, q1, x1)
    dexp_body_inv(tables.links, tables.dofs, x1, v1, False, d1)
    s = NUDGE * h
    _nudged(s, x1, d1, v1, a1, Psi, rate)
    dexp_body_inv(tables.links, tables.dofs, Psi, rate, False, ahead)
    _nudged(-s, x1, d1, v1, a1, Psi, rate)
    dexp_body_inv(tables.links, tables.dofs, Psi, rate, False, behind)
    for j in range(n):
        x, d, e, c, g = x1[j], h * v0[j], h * d1[j], h * h * a0[j], h * h * (ahead[j] - behind[j]) / (2.0 * s)
        c3 = 10.0 * x - 6.0 * d - 4.0 * e - 1.5 * c + 0.5 * g
        c4 = -15.0 * x + 8.0 * d + 7.0 * e + 1.5 * c - g
        c5 = 6.0 * x - 3.0 * (d + e) - 0.5 * c + 0.5 * g
        Psi[j] = theta * (d + theta * (0.5 * c + theta * (c3 + theta * (c4 + theta * c5))))
        rate[j] = (d + theta * (c + theta * (3.0 * c3 + theta * (4.0 * c4 + theta * 5.0 * c5)))) / h
    move(tables.links, tables.dofs, q0, Psi, q_out)
    dexp_body(tables.links, tables.dofs, Psi, rate, v_out)


@kernel
def _nudged(s, x, d, v, a, x_out, v_out):
    """(x + s d, v + s a)."""
    for j in range(x.size):
        x_out[j] = x[j] + s * d[j]
        v_out[j] = v[j] + s * a[j]
