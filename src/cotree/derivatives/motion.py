"""How twists and accelerations of links change along the coordinates, by Lie brackets in the world frame.

A unit step along coordinate c displaces every link at or beyond its joint by the screw S_c. Of such a link i
    d_c V_i = [S_c, V_i] + alpha_c,             d V_i / d v_c = S_c,
    d_c a_i = [S_c, a_i] + [alpha_c, V_i] + gamma_c,   d a_i / d v_c = [S_c, V_i] + beta_c,   d a_i / d v_dot_c = S_c,
where alpha, beta and gamma belong to the coordinate alone, whatever is beyond it:
    alpha_c = [V_k, S_c] + d_c(V_k),  beta_c = dS_c/dt + alpha_c,  gamma_c = d_c(a_k) + [a_k, S_c] + [V_k, alpha_c],
k the link of c, and d_c(V_k), d_c(a_k) what its own joint makes of them. d_c is the derivative along `displace`.
"""

from cotree.derivatives.rows import put_six, six
from cotree.engine.kernel import inlined, kernel
from cotree.kinematics.motion import ZERO, canonical_sum
from cotree.lie import cayley, se3
from cotree.lie.storage import pose, twist
from cotree.system.tables import FIRST, GROUP, SCREW

ALPHA, BETA, GAMMA = 0, 6, 12  # columns of the rows of `rates`, one row per coordinate
RATES = 18


@kernel
def put_motion_rates(tables, q, v, v_dot, rates):
    """alpha, beta and gamma of all coordinates; links are placed and moved and have their accelerations in `a`."""
    for i in range(1, tables.links.size):
        link = tables.links[i]
        if link.kind == SCREW:
            S, V, a = twist(tables.dof_work[link.iv].S), twist(tables.work[i].V), twist(tables.work[i].a)
            alpha = se3.bracket(V, S)
            put_six(rates, link.iv, ALPHA, alpha)
            put_six(rates, link.iv, BETA, se3.times(2.0, alpha))
            put_six(rates, link.iv, GAMMA, se3.plus(se3.bracket(a, S), se3.bracket(V, alpha)))
        elif link.kind == GROUP:
            _put_group(tables, i, v, v_dot, rates)
        else:
            _put_chart(tables, i, q, v, v_dot, rates)


@kernel
def _put_group(tables, i, v, v_dot, rates):
    """Joints without coordinates of their own: screws that the link carries move with it, the others do not."""
    link = tables.links[i]
    V, V_parent = twist(tables.work[i].V), twist(tables.work[link.parent].V)
    U, A = ZERO, ZERO  # what carried screws give of the velocity and the acceleration
    for j in range(link.iv, link.iv + link.nv):
        if tables.dofs[j].carried:
            U = se3.plus_times(v[j], twist(tables.dof_work[j].S), U)
            A = se3.plus_times(v_dot[j], twist(tables.dof_work[j].S), A)
    for c in range(link.iv, link.iv + link.nv):
        S = twist(tables.dof_work[c].S)
        own = se3.bracket(S, U)
        of_a = se3.plus(se3.bracket(S, A), se3.bracket(se3.minus(V, U), own))
        S_dot = se3.bracket(V if tables.dofs[c].carried else V_parent, S)
        _put(rates, c, S, S_dot, V, twist(tables.work[i].a), own, of_a)


@kernel
def _put_chart(tables, i, q, v, v_dot, rates):
    """Coordinates of the first kind or Cayley's."""
    link = tables.links[i]
    P, V, V_parent = pose(tables.work[link.parent].C), twist(tables.work[i].V), twist(tables.work[link.parent].V)
    X, U = canonical_sum(link, tables.dofs, q[link.iq :]), canonical_sum(link, tables.dofs, v[link.iv :])
    A = canonical_sum(link, tables.dofs, v_dot[link.iv :])
    for c in range(link.iv, link.iv + link.nv):
        S, Y = twist(tables.dof_work[c].S), twist(tables.dofs[c].Y)
        own = se3.Ad(P, map_slope(link, X, Y, U))
        second = se3.plus(map_slope(link, X, Y, A), map_curvature(link, X, Y, U, U))
        of_a = se3.plus(se3.Ad(P, second), se3.bracket(V_parent, own))
        S_dot = se3.plus(se3.bracket(V_parent, S), se3.Ad(P, map_slope(link, X, U, Y)))
        _put(rates, c, S, S_dot, V, twist(tables.work[i].a), own, of_a)


@kernel
def _put(rates, c, S, S_dot, V, a, own, of_a):
    """From the changes `own` and `of_a` of the link's twist and acceleration by its own joint."""
    alpha = se3.plus(se3.bracket(V, S), own)
    put_six(rates, c, ALPHA, alpha)
    put_six(rates, c, BETA, se3.plus(S_dot, alpha))
    put_six(rates, c, GAMMA, se3.plus(of_a, se3.plus(se3.bracket(a, S), se3.bracket(V, alpha))))


@kernel
def map_slope(link, X, U, Y):
    """Derivative along U of the spatial differential at X, applied to Y."""
    return se3.ddexp_spatial(X, U, Y) if link.kind == FIRST else cayley.ddcay_spatial(X, U, Y)


@kernel
def map_curvature(link, X, U, T, Y):
    """Its second derivative along U and T."""
    return se3.d2dexp_spatial(X, U, T, Y) if link.kind == FIRST else cayley.d2dcay_spatial(X, U, T, Y)


@kernel
def own_screw_change(tables, q, j, c):
    """d_c S_j of two coordinates of one link."""
    link = tables.links[tables.dofs[j].link]
    if link.kind == GROUP:
        if tables.dofs[j].carried:
            return se3.bracket(twist(tables.dof_work[c].S), twist(tables.dof_work[j].S))
        return ZERO
    if link.kind == SCREW:
        return ZERO
    X = canonical_sum(link, tables.dofs, q[link.iq :])
    H = map_slope(link, X, twist(tables.dofs[c].Y), twist(tables.dofs[j].Y))
    return se3.Ad(pose(tables.work[link.parent].C), H)


@inlined
def twist_change(tables, rates, c, link):
    """d_c V of a link at or beyond coordinate c."""
    return se3.plus(se3.bracket(twist(tables.dof_work[c].S), twist(tables.work[link].V)), six(rates, c, ALPHA))


@inlined
def acceleration_change(tables, rates, c, link):
    """d_c a of such a link."""
    w, alpha = tables.work[link], six(rates, c, ALPHA)
    turned = se3.plus(se3.bracket(twist(tables.dof_work[c].S), twist(w.a)), se3.bracket(alpha, twist(w.V)))
    return se3.plus(turned, six(rates, c, GAMMA))


@inlined
def acceleration_by_velocity(tables, rates, c, link):
    """d a / d v_c of such a link."""
    bracket = se3.bracket(twist(tables.dof_work[c].S), twist(tables.work[link].V))
    return se3.plus(bracket, six(rates, c, BETA))
