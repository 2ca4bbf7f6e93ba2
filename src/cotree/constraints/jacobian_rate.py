"""The rate of the constraint Jacobian along a motion, and with unit velocities its partial derivatives [Geo (38)].

A row is a wrench W: J_j = W . S_j along the two paths to ground, so that dJ_j/dt = dW/dt . S_j + W . dS_j/dt, where the
screws S_j change by Lie brackets [Geo (27)]. Rows of the user are differentiated numerically.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints import contact, distance, user_rows
from cotree.constraints.extra_rows import first_row
from cotree.constraints.finite_differences import derivative
from cotree.constraints.loops import cut_row_wrench, universal_normal
from cotree.constraints.row_wrench import force_at, force_rate
from cotree.engine.kernel import kernel
from cotree.engine.vectors import all_finite
from cotree.kinematics.coordinates import displace
from cotree.kinematics.cut_joint import cut_frames, cut_wrench
from cotree.kinematics.derivatives import put_rates
from cotree.kinematics.sweep import move_all
from cotree.lie import se3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import twist, vec
from cotree.lie.vec3 import add, cross, scale
from cotree.system.arguments import coordinates, not_finite, of_system, velocities
from cotree.system.system import System
from cotree.system.views import open_cuts, open_rows, open_tables

Array = NDArray[np.float64]


@kernel
def _add_path(J_dot, row, factor, W, W_dot, link, links, dof_work, rates):
    while link > 0:
        for j in range(links[link].iv, links[link].iv + links[link].nv):
            J_dot[row, j] += factor * (se3.pair(twist(rates[j]), W) + se3.pair(twist(dof_work[j].S), W_dot))
        link = links[link].parent


@kernel
def _add_row(J_dot, row, factor, W, W_dot, link_a, link_b, tables, rates):
    _add_path(J_dot, row, factor, W, W_dot, link_b, tables.links, tables.dof_work, rates)
    _add_path(J_dot, row, -factor, W, W_dot, link_a, tables.links, tables.dof_work, rates)


@kernel
def _carried(W, V):
    """Rate of a wrench that moves with a body."""
    return se3.cobracket(V, W)


@kernel
def _cut_wrench_rate(cut, k, A, B, Va, Vb):
    """(W, dW/dt) of row k of a cut joint."""
    T, V = (A, Va) if cut.on_a else (B, Vb)
    normal = universal_normal(cut, A, B)
    W = cut_row_wrench(cut, k, T, normal)
    if not cut.universal:
        return W, _carried(W, V)
    a, b = mul_vec(A[0], vec(cut.axis_a)), mul_vec(B[0], vec(cut.axis_b))
    turning = add(cross(cross(Va[0], a), b), cross(a, cross(Vb[0], b)))
    s = cut.select[6 * k + 3]
    own = (scale(s, normal), (0.0, 0.0, 0.0))
    return W, se3.plus(_carried(se3.minus(W, own), V), (scale(s, turning), (0.0, 0.0, 0.0)))


@kernel
def _put_cuts(cuts, first, tables, rates, J_dot):
    for c in range(cuts.size):
        cut = cuts[c]
        A, B = cut_frames(cut, tables.work)
        Va, Vb = twist(tables.work[cut.link_a].V), twist(tables.work[cut.link_b].V)
        for k in range(cut.kept):
            W, W_dot = _cut_wrench_rate(cut, k, A, B, Va, Vb)
            _add_row(J_dot, first + cut.row + k, 1.0, W, W_dot, cut.link_a, cut.link_b, tables, rates)


@kernel
def _put_couplings(rows, cuts, first, tables, rates, J_dot):
    for k in range(rows.couplings.size):
        c = rows.couplings[k]
        for i in range(c.first, c.first + c.count):
            x = rows.terms[i]
            if x.cut >= 0:
                cut = cuts[x.cut]
                W = cut_wrench(cut, x.component, tables.work)
                W_dot = _carried(W, twist(tables.work[cut.link_b].V))
                _add_row(J_dot, first + c.row, x.ratio, W, W_dot, cut.link_a, cut.link_b, tables, rates)


@kernel
def _put_distances(distances, first, tables, rates, J_dot):
    for k in range(distances.size):
        d = distances[k]
        W, W_dot = distance.line_rate(d, tables.work)
        _add_row(J_dot, first + d.row, 1.0, W, W_dot, d.link_a, d.link_b, tables, rates)


@kernel
def _put_edges(edges, first, tables, rates, J_dot):
    for k in range(edges.size):
        W = contact.edge_wrench(edges[k], tables.work)
        W_dot = _carried(W, twist(tables.work[edges[k].link].V))
        _add_row(J_dot, first + edges[k].row, 1.0, W, W_dot, 0, edges[k].link, tables, rates)


@kernel
def _put_rollings(rollings, first, tables, rates, J_dot):
    for k in range(rollings.size):
        r = rollings[k]
        x, x_dot = contact.contact(r, tables.work)[0], contact.contact_velocity(r, tables.work)
        turn = twist(tables.work[r.link_a].V)[0]
        for i in range(3):
            n = contact.surface_direction(r, i, tables.work)
            W, W_dot = force_at(x, n), force_rate(x, n, x_dot, cross(turn, n))
            _add_row(J_dot, first + r.row + i, 1.0, W, W_dot, r.link_a, r.link_b, tables, rates)


@kernel
def _jacobian_rate(here, q, v, J_dot):
    tables, rows, cuts = open_tables(here), open_rows(here), open_cuts(here)
    move_all(tables, q, v)
    rates = np.empty((tables.dofs.size, 6))
    put_rates(tables.links, tables.dofs, tables.work, tables.dof_work, q, v, rates)
    first = first_row(cuts)
    _put_cuts(cuts, 0, tables, rates, J_dot)
    _put_couplings(rows, cuts, first, tables, rates, J_dot)
    _put_distances(rows.distances, first, tables, rates, J_dot)
    _put_edges(rows.edges, first, tables, rates, J_dot)
    _put_rollings(rows.rollings, first, tables, rates, J_dot)
    _put_cuts(rows.closings, first, tables, rates, J_dot)
    return all_finite(q) and all_finite(v) and all_finite(J_dot.ravel())


@of_system
def constraint_jacobian_rate(system: System, q: ArrayLike, v: ArrayLike, t: float = 0.0) -> Array:
    """(n_constraints, nv): dJ_c/dt along the velocity v [Geo (38)].

    It is linear in v, so that unit velocities give the partial derivatives. Closed form for all constraints but the user's
    own functions, which are differentiated numerically.
    """
    q, v = coordinates(system, q), velocities(system, v)
    J_dot = np.zeros((system.n_constraints, system.nv))
    if not _jacobian_rate(system.here, q, v, J_dot):
        not_finite(system, "constraint_jacobian_rate", q=q, v=v)
    own = sum(c.rows for c in system.extra_rows.user)
    if own:
        J_dot[-own:] = derivative(lambda s: _user_jacobian(system, displace(system, q, s * v), t, own), 0.0, 1)
    return J_dot


def _user_jacobian(system: System, q: Array, t: float, own: int) -> Array:
    J = np.zeros((own, system.nv))
    user_rows.put_jacobian(system, q, t, J)
    return J
