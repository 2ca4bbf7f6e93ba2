"""How the equations of motion and of the constraints change with parameters, for a state, an acceleration and multipliers held.

A parameter displaces link i by the screw X_i; its twist and acceleration change by D = [X, V] + alpha and
A = [X, a] + [alpha, V] + gamma, as along a coordinate (`motion`), where a twist Z before a joint that link k carries has
    X += Z, alpha += [V_k, Z], gamma += [a_k, Z] + [V_k, [V_k, Z]]
for everything beyond. The rate of momentum p = J a + V x* J V changes by X x* p + J gamma + B alpha (`composites`), and by
dJ a + V x* dJ V where the inertia changes itself. With all wrenches of elements and constraints counted to the links,
    d tau_j = d S_j . P_j + S_j . d P_j.
"""

import numpy as np

from cotree.derivatives.parameters.acting import add_element_changes, add_element_wrenches
from cotree.derivatives.parameters.row_fields import add_row_changes
from cotree.derivatives.rows import put_six, six
from cotree.dynamics import inertia
from cotree.dynamics.energy_momentum import link_inertia
from cotree.engine.kernel import kernel
from cotree.engine.vectors import fill_rows
from cotree.kinematics.motion import ZERO
from cotree.lie import se3
from cotree.lie.mat3 import congruence, mul_vec
from cotree.lie.storage import pose, twist
from cotree.lie.vec3 import add, dot, neg, scale

# columns of `field`, one row per link: X, alpha, gamma, X of the joint itself, D, A
STEP, ALPHA, GAMMA, OWN, TWIST, RATE = 0, 6, 12, 18, 24, 30
FIELD = 36
# columns of `known`, one row per link: rigid inertia, momentum, rate of momentum
MASS, MOMENTUM, OWN_WRENCH, KNOWN = 0, 10, 16, 22


@kernel
def put_parameter_changes(here, tables, values, q, v, v_dot, lam, owners, addresses, d, out):
    """out (nv + 3 rows, P): derivatives of ID + J^T lam, of J v_dot - eta, of J v - b and of the gaps, into zeros.

    Links have twists and accelerations; wrenches of rows and their rates are measured. d: `Directions`.
    """
    n, links = v.size, tables.links
    known, P, dP = np.empty((links.size, KNOWN)), np.zeros((links.size, 6)), np.zeros((links.size, 6))
    field = np.zeros((links.size, FIELD))
    _put_known(tables, known, P)
    add_element_wrenches(here, tables, values, q, v, lam, P)
    _sum_up(links, P)
    for k in range(d.moves.size):
        fill_rows(dP, 0, links.size, 0.0)
        fill_rows(field, 0, links.size, 0.0)
        if d.moves[k] != 0:
            _put_field(tables, d.before[k], d.behind[k], field)
        _put_inertial(tables, known, field, d.moves[k] != 0, d.inertia[k], d.gravity[k], dP)
        add_element_changes(tables, values, q, v, field, d, k, dP, out)
        if addresses.size > 0:
            add_row_changes(here, tables, field, lam, owners, addresses, d.tips[k], d.gaps[k], dP, out[n:], k)
        _sum_up(links, dP)
        for i in range(1, links.size):
            X = six(field, i, OWN)
            for j in range(links[i].iv, links[i].iv + links[i].nv):
                S = twist(tables.dof_work[j].S)
                out[j, k] += se3.pair(se3.bracket(X, S), six(P, i, 0)) + se3.pair(S, six(dP, i, 0))
                out[j, k] += d.rotors[k, j] * v_dot[j]


@kernel
def _sum_up(links, P):
    """Wrenches of links become those of links with all that they carry."""
    for i in range(links.size - 1, 0, -1):
        for c in range(6):
            P[links[i].parent, c] += P[i, c]


@kernel
def _put_known(tables, known, P):
    """Inertia, momentum and its rate of each link; the last also into P."""
    for i in range(1, tables.links.size):
        J, V = link_inertia(tables.links[i], tables.work[i]), twist(tables.work[i].V)
        inertia.store_rigid(known[i], J)
        L = inertia.momentum(J, V)
        p = se3.plus(inertia.momentum(J, twist(tables.work[i].a)), se3.cobracket(V, L))
        put_six(known, i, MOMENTUM, L)
        put_six(known, i, OWN_WRENCH, p)
        put_six(P, i, 0, p)


@kernel
def _put_field(tables, before, behind, field):
    """X, alpha, gamma, D and A of all links."""
    for i in range(1, tables.links.size):
        up = tables.links[i].parent
        for c in range(18):
            field[i, c] = field[up, c]
        add_twist(tables.work[up], before[i], 1.0, field, i)
        put_six(field, i, OWN, six(field, i, STEP))
        add_twist(tables.work[i], behind[i], -1.0, field, i)
        X, alpha, V, a = six(field, i, STEP), six(field, i, ALPHA), twist(tables.work[i].V), twist(tables.work[i].a)
        put_six(field, i, TWIST, se3.plus(se3.bracket(X, V), alpha))
        A = se3.plus(se3.plus(se3.bracket(X, a), se3.bracket(alpha, V)), six(field, i, GAMMA))
        put_six(field, i, RATE, A)


@kernel
def add_twist(w, xi, sign, field, i):
    """A twist that link w carries displaces link i; xi: as it is in the reference assembly."""
    used = 0.0
    for c in range(6):
        used += abs(xi[c])
    if used == 0.0:
        return
    Z, V, a = se3.times(sign, se3.Ad(pose(w.C), twist(xi))), twist(w.V), twist(w.a)
    alpha = se3.bracket(V, Z)
    put_six(field, i, STEP, se3.plus(six(field, i, STEP), Z))
    put_six(field, i, ALPHA, se3.plus(six(field, i, ALPHA), alpha))
    gamma = se3.plus(se3.bracket(a, Z), se3.bracket(V, alpha))
    put_six(field, i, GAMMA, se3.plus(six(field, i, GAMMA), gamma))


@kernel
def _put_inertial(tables, known, field, moves, changes, gravity, dP):
    """Changes of the rates of momentum of all links."""
    g = (gravity[0], gravity[1], gravity[2])
    heavy = dot(g, g) > 0.0
    for i in range(1, tables.links.size):
        J, V = inertia.load_rigid(known[i]), twist(tables.work[i].V)
        F = ZERO
        if moves:
            X, alpha, L = six(field, i, STEP), six(field, i, ALPHA), six(known, i, MOMENTUM)
            F = se3.cobracket(X, six(known, i, OWN_WRENCH))
            more = se3.minus(six(field, i, GAMMA), se3.bracket(V, alpha))
            F = se3.plus(F, inertia.momentum(J, more))
            F = se3.plus(F, se3.plus(se3.cobracket(alpha, L), se3.cobracket(V, inertia.momentum(J, alpha))))
        if heavy:
            F = se3.plus(F, inertia.momentum(J, ((0.0, 0.0, 0.0), neg(g))))
        used = 0.0
        for c in range(10):
            used += abs(changes[i, c])
        if used > 0.0:
            dJ = moved(pose(tables.work[i].C), inertia.load_rigid(changes[i]))
            F = se3.plus(F, inertia.momentum(dJ, twist(tables.work[i].a)))
            F = se3.plus(F, se3.cobracket(V, inertia.momentum(dJ, V)))
        put_six(dP, i, 0, F)


@kernel
def moved(C, J):
    """A rigid inertia (m, h, I about the origin), not that of a body perhaps, displaced by C = (R, p)."""
    R, p = C
    m, h, I = J
    T, x = congruence(R, I), mul_vec(R, h)
    a, b = _apart(p, x), _apart(p, p)
    return (
        m,
        add(x, scale(m, p)),
        (
            T[0] + 2.0 * a[0] + m * b[0], T[1] + a[1] + a[3] + m * b[1], T[2] + a[2] + a[6] + m * b[2],
            T[3] + 2.0 * a[4] + m * b[4], T[4] + a[5] + a[7] + m * b[5], T[5] + 2.0 * a[8] + m * b[8],
        ),
    )  # fmt: skip


@kernel
def _apart(a, b):
    """(a . b) 1 - b a^T, nine numbers."""
    s = dot(a, b)
    return (
        s - b[0] * a[0], -b[0] * a[1], -b[0] * a[2],
        -b[1] * a[0], s - b[1] * a[1], -b[1] * a[2],
        -b[2] * a[0], -b[2] * a[1], s - b[2] * a[2],
    )  # fmt: skip
