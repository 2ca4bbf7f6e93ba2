"""Distance of two points: |x_b - x_a| - length(t) = 0, velocity e . (dx_b/dt - dx_a/dt) along the line e between them."""

import numpy as np

from cotree.constraints.row_wrench import force_at, force_rate, put_row, rate_between, velocity_at
from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import axpy, dot, scale, sub


@kernel
def line(d, work):
    """(x_a, x_b, e, length); no direction at zero length."""
    a, b = se3.act(pose(work[d.link_a].C), vec(d.point_a)), se3.act(pose(work[d.link_b].C), vec(d.point_b))
    r = sub(b, a)
    length = np.sqrt(dot(r, r))
    return a, b, scale(1.0 / length if length > 0.0 else 0.0, r), length


@kernel
def line_rate(d, work):
    """(W, dW/dt): the force along the line, whose direction turns with the part of the relative velocity across it."""
    a, b, e, length = line(d, work)
    x_dot = velocity_at(twist(work[d.link_b].V), b)
    r_dot = sub(x_dot, velocity_at(twist(work[d.link_a].V), a))
    e_dot = scale(1.0 / length if length > 0.0 else 0.0, axpy(-dot(e, r_dot), e, r_dot))
    return force_at(b, e), force_rate(b, e, x_dot, e_dot)


@kernel
def put_residual(distances, work, motions, first, g):
    for k in range(distances.size):
        d = distances[k]
        g[first + d.row] = line(d, work)[3] - motions[d.slot, 0]


@kernel
def put_jacobian(distances, links, work, dof_work, first, J):
    for k in range(distances.size):
        d = distances[k]
        _, b, e, _ = line(d, work)
        put_row(J, first + d.row, force_at(b, e), d.link_a, d.link_b, links, dof_work)


@kernel
def put_rate(distances, motions, first, b):
    for k in range(distances.size):
        b[first + distances[k].row] = motions[distances[k].slot, 1]


@kernel
def put_bias(distances, work, motions, first, eta):
    for k in range(distances.size):
        d = distances[k]
        W, W_dot = line_rate(d, work)
        eta[first + d.row] = motions[d.slot, 2] - rate_between(W, W_dot, work[d.link_a], work[d.link_b])
