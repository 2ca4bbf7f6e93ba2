"""Contact without slip: knife edges, and balls and thin disks that roll on a plane.

The material point of the body at the contact has the velocity of the surface there: n . (v_b(x) - v_a(x)) = 0 for two
tangents and the normal n. The contact x = c - r u moves over body and surface; u is the normal N for a ball, and for a
disk of axis a the direction in its plane nearest to it, u = (N - (N.a) a) / |N - (N.a) a|.
"""

import numpy as np

from cotree.constraints.row_wrench import force_at, force_rate, put_row, rate_between, velocity_at
from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, twist, vec
from cotree.lie.vec3 import axpy, cross, dot, scale, sub

# -- knife edge -----------------------------------------------------------------------------------------------


@kernel
def edge_wrench(edge, work):
    """Unit force along the forbidden direction; it moves with the body."""
    C = pose(work[edge.link].C)
    return force_at(se3.act(C, vec(edge.point)), mul_vec(C[0], vec(edge.direction)))


@kernel
def put_edge_jacobian(edges, links, work, dof_work, first, J):
    for k in range(edges.size):
        put_row(J, first + edges[k].row, edge_wrench(edges[k], work), 0, edges[k].link, links, dof_work)


@kernel
def put_edge_bias(edges, work, first, eta):
    for k in range(edges.size):
        w = work[edges[k].link]
        W = edge_wrench(edges[k], work)
        eta[first + edges[k].row] = -rate_between(W, se3.cobracket(twist(w.V), W), work[0], w)


# -- rolling --------------------------------------------------------------------------------------------------


@kernel
def surface_direction(r, k, work):
    """Tangents (k = 0, 1) and normal (2) of the plane."""
    return mul_vec(pose(work[r.link_a].C)[0], vec(r.axes[3 * k :]))


@kernel
def contact(r, work):
    """(x, u, s): contact, direction from it to the centre, sine of the disk's lean (1 for a ball)."""
    B = pose(work[r.link_b].C)
    c, N = se3.act(B, vec(r.center)), surface_direction(r, 2, work)
    u, s = N, 1.0
    if r.is_disk:
        a = mul_vec(B[0], vec(r.axis))
        u = cross(a, cross(N, a))
        s = np.sqrt(dot(u, u))
        u = scale(1.0 / s, u)
    return axpy(-r.radius, u, c), u, s


@kernel
def contact_velocity(r, work):
    """dx/dt of the contact as a moving point: dc/dt - r du/dt."""
    x, u, s = contact(r, work)
    Va, Vb = twist(work[r.link_a].V), twist(work[r.link_b].V)
    N = surface_direction(r, 2, work)
    c_dot, N_dot = velocity_at(Vb, axpy(r.radius, u, x)), cross(Va[0], N)
    u_dot = N_dot
    if r.is_disk:
        a = mul_vec(pose(work[r.link_b].C)[0], vec(r.axis))
        a_dot = cross(Vb[0], a)
        g_dot = axpy(-dot(N, a), a_dot, axpy(-dot(N_dot, a) - dot(N, a_dot), a, N_dot))
        u_dot = scale(1.0 / s, axpy(-dot(u, g_dot), u, g_dot))
    return axpy(-r.radius, u_dot, c_dot)


@kernel
def put_residual(rollings, work, first, g):
    """Height of the lowest point above the plane; the rows of the tangents hold velocities only."""
    for k in range(rollings.size):
        r = rollings[k]
        p = se3.act(pose(work[r.link_a].C), vec(r.plane_point))
        g[first + r.row + 2] = dot(sub(contact(r, work)[0], p), surface_direction(r, 2, work))


@kernel
def put_jacobian(rollings, links, work, dof_work, first, J):
    for k in range(rollings.size):
        r = rollings[k]
        x = contact(r, work)[0]
        for i in range(3):
            W = force_at(x, surface_direction(r, i, work))
            put_row(J, first + r.row + i, W, r.link_a, r.link_b, links, dof_work)


@kernel
def put_bias(rollings, work, first, eta):
    for k in range(rollings.size):
        r = rollings[k]
        x, x_dot = contact(r, work)[0], contact_velocity(r, work)
        a, b = work[r.link_a], work[r.link_b]
        for i in range(3):
            n = surface_direction(r, i, work)
            W_dot = force_rate(x, n, x_dot, cross(twist(a.V)[0], n))
            eta[first + r.row + i] = -rate_between(force_at(x, n), W_dot, a, b)


@kernel
def flat_disk(rollings, work):
    """1 + the number of a disk that lies flat on its plane, where no point of it is lowest; else 0."""
    for k in range(rollings.size):
        if contact(rollings[k], work)[2] < 1e-9:
            return k + 1
    return 0
