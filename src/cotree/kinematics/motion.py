"""Relative motion of one link: E(q), its screws in the world and its bias, for every kind of coordinates.

C_k = C_p E(q);  V_k = V_p + sum_j S_j v_j;  dV_k/dt = dV_p/dt + sum_j S_j dv_j/dt + bias. A screw that is carried moves
with the child, dS/dt = [V_k, S], another with the parent, dS/dt = [V_p, S].
"""

from cotree.engine.kernel import inlined, kernel
from cotree.lie import cayley, quaternion, se3, so3
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, put_twist, twist, vec
from cotree.lie.vec3 import axpy, sub
from cotree.system.tables import CAYLEY, FIRST, GROUP, SCREW

ZERO = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
IDENTITY = ((1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0))


@kernel
def screw_motion(dof, angle):
    """exp(Y q) of a unit screw, Geo (11): rotation about its foot, and slide along."""
    R = so3.exp_unit(vec(dof.Y), angle)
    foot = vec(dof.foot)
    return (R, axpy(angle, vec(dof.slide), sub(foot, mul_vec(R, foot))))


@kernel
def group_element(link, q):
    """N(q) in the joint frame: quaternion or angle about e3, then the translations present."""
    i = link.iq
    R = IDENTITY[0]
    if link.rotations == 3:
        R = quaternion.to_rotation((q[i], q[i + 1], q[i + 2], q[i + 3]))
        i += 4
    elif link.rotations == 1:
        R = so3.exp_unit((0.0, 0.0, 1.0), q[i])
        i += 1
    x = y = z = 0.0
    if link.translations & 1:
        x = q[i]
        i += 1
    if link.translations & 2:
        y = q[i]
        i += 1
    if link.translations & 4:
        z = q[i]
    return (R, (x, y, z))


@kernel
def canonical_sum(link, dofs, x):
    """sum_j Y_j x_j over the link's screws; x starts at the link's first."""
    X = ZERO
    for j in range(link.nv):
        X = se3.plus_times(x[j], twist(dofs[link.iv + j].Y), X)
    return X


@inlined
def group_motion(link, q):
    """E(q) of a coordinate-free joint."""
    N = group_element(link, q)
    if link.inverted:
        N = se3.inverse(N)
    return se3.compose(se3.compose(pose(link.before), N), pose(link.after))


@kernel
def relative_pose(link, dofs, q):
    """E(q), the displacement of the link against its parent."""
    if link.kind == SCREW:
        dof = dofs[link.iv]
        return screw_motion(dof, q[link.iq])
    if link.kind == GROUP:
        return group_motion(link, q)
    if link.kind == FIRST:
        return se3.exp(canonical_sum(link, dofs, q[link.iq :]))
    if link.kind == CAYLEY:
        return cayley.cay(canonical_sum(link, dofs, q[link.iq :]))
    return IDENTITY


@inlined
def put_group_screws(link, dofs, dof_work, P, C):
    """S_j of a coordinate-free joint; P, C: displacements of parent and link."""
    for j in range(link.iv, link.iv + link.nv):
        Y = twist(dofs[j].Y)
        put_twist(dof_work[j].S, se3.Ad(C, Y) if dofs[j].carried else se3.Ad(P, Y))


@kernel
def put_chart_screws(link, dofs, dof_work, q, P):
    """S_j in coordinates of the first kind or Cayley parameters, Geo (20)."""
    X = canonical_sum(link, dofs, q[link.iq :])
    for j in range(link.iv, link.iv + link.nv):
        Y = twist(dofs[j].Y)
        H = se3.dexp_spatial(X, Y) if link.kind == FIRST else cayley.dcay_spatial(X, Y)
        put_twist(dof_work[j].S, se3.Ad(P, H))


@inlined
def group_twist_and_bias(link, dofs, dof_work, v, V_parent):
    """(sum_j S_j v_j, bias) of a link with several dofs whose screws are carried or not."""
    V, carried = ZERO, ZERO
    for j in range(link.iv, link.iv + link.nv):
        S = twist(dof_work[j].S)
        V = se3.plus_times(v[j], S, V)
        if dofs[j].carried:
            carried = se3.plus_times(v[j], S, carried)
    return V, se3.plus(se3.bracket(V_parent, V), se3.bracket(V, carried))


@kernel
def chart_bias(link, dofs, q, v, P):
    """What the screws' own change in coordinates of the first kind or Cayley parameters adds to the bias."""
    X, U = canonical_sum(link, dofs, q[link.iq :]), canonical_sum(link, dofs, v[link.iv :])
    return se3.Ad(P, se3.ddexp_spatial(X, U, U) if link.kind == FIRST else cayley.ddcay_spatial(X, U, U))
