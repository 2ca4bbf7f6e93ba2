"""Rows between parts: what joints of the tree hold [DCA (7) to (13)], and all other rows by their wrenches.

In coordinates of the child's algebra a joint's screws are the columns of sigma = Q (R; 0). The first columns of Q span the
joint's motion, the others are D, its orthogonal complement: D^T (alpha_b - alpha_a - bias) = 0.
"""

import numpy as np

from cotree.constraints.row_wrench import NULL
from cotree.engine.arena import base_of, matrix, vector
from cotree.engine.entry import NOTHING as NO_VECTOR
from cotree.engine.kernel import kernel
from cotree.engine.spans import call_span
from cotree.formulations.odca.leaf import add_wrench, put_coordinates, rotation, twist_of
from cotree.formulations.odca.tables import JOINT
from cotree.lie import se3
from cotree.lie.storage import put_twist, twist
from cotree.lie.vec3 import dot
from cotree.system.views import open_rows

NOTHING = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@kernel
def put_joints(parts, algebras, links, work, dof_work, A, first, last):
    """Q, R and the bias of all joints; the links' `a` is spent. Returns 0 or 1 + the dof that its joint has twice."""
    for i in range(first, last):
        part = parts[i]
        g = algebras[part.algebra]
        status = _put_factor(part, g, dof_work, A) if part.nv == 1 else _put_factors(part, g, dof_work, A)
        if status > 0:
            return status
        bias, link = NOTHING, part.link
        top = parts[part.parent].link if part.parent >= 0 else 0
        while link != top:
            bias = se3.plus(bias, twist(work[link].a))
            put_twist(work[link].a, NOTHING)
            link = links[link].parent
        put_coordinates(g, A, part.u_at, bias, part.bias_at)
    return 0


@kernel
def _put_factor(part, g, dof_work, A):
    """The same for a single screw: one reflection, Q = 1 - beta x x^T."""
    n, base = part.size, base_of(A)
    x, Q = vector(base, part.alpha_at, n), matrix(base, part.Q_at, n, n)
    put_coordinates(g, A, part.u_at, twist(dof_work[part.iv].S), part.alpha_at)
    if n == 1:
        Q[0, 0], A[part.R_at] = 1.0, x[0]
        return 0 if x[0] != 0.0 else part.iv + 1
    size = 0.0
    for i in range(n):
        size += x[i] * x[i]
    if not size > 0.0:
        return part.iv + 1
    pivot = -np.sqrt(size) if x[0] > 0.0 else np.sqrt(size)
    A[part.R_at] = pivot
    x[0] -= pivot
    beta = -1.0 / (pivot * x[0])
    for i in range(n):
        s = beta * x[i]
        for l in range(n):
            Q[i, l] = -s * x[l]
        Q[i, i] += 1.0
    return 0


@kernel
def _put_factors(part, g, dof_work, A):
    """sigma = Q (R; 0) by reflections. Q has its columns as columns; R is stored by rows, nv x nv."""
    n, k, q = part.size, part.nv, part.Q_at
    for i in range(n * n):
        A[q + i] = 0.0
    for i in range(n):
        A[q + i * n + i] = 1.0
    x = part.alpha_at  # scratch until the accelerations are there
    for j in range(k):
        put_coordinates(g, A, part.u_at, twist(dof_work[part.iv + j].S), part.z_at)
        size = 0.0
        for i in range(n):
            s = 0.0
            for l in range(n):
                s += A[q + l * n + i] * A[part.z_at + l]
            A[x + i] = s
            size += s * s
        rest = 0.0
        for i in range(j, n):
            rest += A[x + i] * A[x + i]
        for i in range(j):
            A[part.R_at + i * k + j] = A[x + i]
        if not rest > 1e-20 * size:
            return part.iv + j + 1
        pivot = -np.sqrt(rest) if A[x + j] > 0.0 else np.sqrt(rest)
        A[part.R_at + j * k + j] = pivot
        A[x + j] -= pivot  # now the reflection's vector
        beta = -1.0 / (pivot * A[x + j])
        for i in range(n):
            s = 0.0
            for l in range(j, n):
                s += A[q + i * n + l] * A[x + l]
            s *= beta
            for l in range(j, n):
                A[q + i * n + l] -= s * A[x + l]
    return 0


@kernel
def put_dual(part, j, A, at):
    """Covector on the part's algebra that reads the rate of the joint's dof j: row j of R^-1 Q_1^T."""
    n, k = part.size, part.nv
    # solve R^T y = e_j, forward; the covector is Q_1 y
    for i in range(n):
        A[at + i] = 0.0
    y = np.zeros(6)
    for i in range(k):
        s = 1.0 if i == j else 0.0
        for l in range(i):
            s -= A[part.R_at + l * k + i] * y[l]
        y[i] = s / A[part.R_at + i * k + i]
    for i in range(n):
        for l in range(k):
            A[at + i] += A[part.Q_at + i * n + l] * y[l]


@kernel
def pull_back(parts, algebras, i, A, covector, factor, at):
    """Add to a covector of the parent's algebra what one of part i's algebra reads from the parent's twists."""
    part = parts[i]
    above = parts[part.parent]
    g, h = algebras[part.algebra], algebras[above.algebra]
    W = wrench_of(g, A, part.u_at, covector)
    add_wrench(h, A, above.u_at, factor, W, at)


@kernel
def wrench_of(g, A, u_at, at):
    """A wrench whose work on twists of the algebra is this covector: along e_l, and a moment along w_k for the rest."""
    force = (0.0, 0.0, 0.0)
    for l in range(g.translations):
        x = A[at + g.rotations + l]
        force = (force[0] + x * g.e[3 * l], force[1] + x * g.e[3 * l + 1], force[2] + x * g.e[3 * l + 2])
    moment = (0.0, 0.0, 0.0)
    for k in range(g.rotations):
        w, u = rotation(g, A, u_at, k)
        x = A[at + k] - (u[0] * force[0] + u[1] * force[1] + u[2] * force[2])
        moment = (moment[0] + x * w[0], moment[1] + x * w[1], moment[2] + x * w[2])
    return (moment, force)


@kernel
def put_joint_rows(groups, touches, parts, algebras, rotors, A, first, last):
    """Rows of the tree's joints: D^T on the child, minus D^T in the parent's coordinates; right-hand side D^T bias.

    A rotor of inertia I along a dof pushes with -I times the dof's acceleration: a row that reads it, with compliance 1 / I.
    """
    base = base_of(A)
    for i in range(first, last):
        part = parts[i]
        if part.group < 0:
            continue
        group = groups[part.group]
        n, k, m = part.size, part.nv, group.rows
        own = touches[group.touch].C_at
        C, Q = matrix(base, own, m, n), matrix(base, part.Q_at, n, n)
        bias, c = vector(base, part.bias_at, n), vector(base, group.c_at, m)
        held = m - part.rotors
        for r in range(held):
            s = 0.0
            for l in range(n):
                x = Q[l, k + r]
                C[r, l] = x
                s += x * bias[l]
            c[r] = s
        if group.soft_at >= 0:
            _put_soft_rows(part, group, rotors, A, own, held)
        if group.touches > 1:
            size, other = parts[part.parent].size, touches[group.touch + 1].C_at
            D = matrix(base, other, m, size)
            for r in range(m):
                for l in range(size):
                    D[r, l] = 0.0
                pull_back(parts, algebras, i, A, own + r * n, -1.0, other + r * size)


@kernel
def _put_soft_rows(part, group, rotors, A, own, r):
    """Rows of the rotors of a joint, from row r of its group on."""
    n = part.size
    for i in range(r):
        A[group.soft_at + i] = 0.0
    for j in range(part.nv):
        if rotors[part.iv + j] > 0.0:
            put_dual(part, j, A, own + r * n)
            s = 0.0
            for l in range(n):
                s += A[own + r * n + l] * A[part.bias_at + l]
            A[group.c_at + r], A[group.soft_at + r] = s, 1.0 / rotors[part.iv + j]
            r += 1


@kernel
def _add(group, touches, parts, algebras, A, which, row, factor, W):
    """factor W . V of the group's touch number `which`, into its row; notes in the row's scale when W does work on some motion
    of the part: what is out of its plane leaves rounding errors only."""
    if which < 0:
        return
    t = touches[group.touch + which]
    part = parts[t.part]
    g, n = algebras[part.algebra], part.size
    C, (M, F) = vector(base_of(A), t.C_at + row * n, n), W
    moment, force, works = NULL * NULL * dot(M, M), NULL * NULL * dot(F, F), False
    for k in range(g.rotations):
        X = rotation(g, A, part.u_at, k)
        x = se3.pair(X, W)
        C[k] += factor * x
        works = works or x * x > moment + dot(X[1], X[1]) * force
    for l in range(g.translations):
        x = g.e[3 * l] * F[0] + g.e[3 * l + 1] * F[1] + g.e[3 * l + 2] * F[2]
        C[g.rotations + l] += factor * x
        works = works or x * x > force
    if works:
        A[group.scale_at + row] = 1.0


@kernel
def _which(group, touches, parts, part):
    """Number of the touch of a part, or of a copy of it, -1 for ground."""
    if part < 0:
        return -1
    if group.sorted:
        return _found(group, touches, parts, parts[part].link)
    for k in range(group.touches):
        if parts[touches[group.touch + k].part].link == parts[part].link:
            return k
    return -1


@kernel
def _found(group, touches, parts, link):
    """Number of the touch of a link, among touches in the order of the parts, which is that of their links."""
    first, last = 0, group.touches
    while first < last:
        k = (first + last) // 2
        if parts[touches[group.touch + k].part].link < link:
            first = k + 1
        else:
            last = k
    return first if first < group.touches and parts[touches[group.touch + first].part].link == link else -1


@kernel
def put_other_rows(here, groups, touches, parts, algebras, part_of, part_of_dof, A, first, last):
    """Coefficients of all rows that are not joints of the tree, from their wrenches, which are measured; part_of: part of each
    link, -1 for ground."""
    kinds, rows, pieces, wrenches = open_rows(here)
    for i in range(first, last):
        group = groups[i]
        if group.kind == JOINT:
            continue
        for k in range(group.touches):
            t = touches[group.touch + k]
            for j in range(group.rows * parts[t.part].size):
                A[t.C_at + j] = 0.0
        kind = kinds[group.kind]
        call_span(
            kind.wrenches, here, kind.table, kind.base, group.index, group.index + 1, NO_VECTOR, NO_VECTOR, NO_VECTOR
        )
        for r in range(group.rows):
            A[group.scale_at + r] = 0.0  # until a part is met on which the row does work
            row = rows[group.row + r]
            for j in range(row.first, row.first + row.count):
                p = pieces[j]
                if p.iv >= 0:
                    _add_rate(group, touches, parts, algebras, A, part_of_dof[p.iv], p.iv, r, p.ratio)
                else:
                    b, a = twist(wrenches[j].Wb), twist(wrenches[j].Wa)
                    _add(
                        group, touches, parts, algebras, A, _which(group, touches, parts, part_of[p.link_b]), r, 1.0, b
                    )
                    _add(
                        group, touches, parts, algebras, A, _which(group, touches, parts, part_of[p.link_a]), r, -1.0, a
                    )


@kernel
def _add_rate(group, touches, parts, algebras, A, i, iv, row, ratio):
    """ratio times the rate of a joint's dof: the dual covector on the child, pulled back to the parent with a minus."""
    part = parts[i]
    put_dual(part, iv - part.iv, A, part.alpha_at)
    t = touches[group.touch + _which(group, touches, parts, i)]
    A[group.scale_at + row] = 1.0
    for l in range(part.size):
        A[t.C_at + row * part.size + l] += ratio * A[part.alpha_at + l]
    if part.parent >= 0:
        above = touches[group.touch + _which(group, touches, parts, part.parent)]
        at = above.C_at + row * parts[part.parent].size
        pull_back(parts, algebras, i, A, part.alpha_at, -ratio, at)


@kernel
def put_right_hand_sides(groups, parts, rows, part_of_dof, eta, A):
    """c of the rows that are not joints of the tree, from their eta for resting links; rates carry the joints' biases."""
    for i in range(groups.size):
        group = groups[i]
        if group.kind == JOINT:
            continue
        for k in range(group.rows):
            A[group.c_at + k] = eta[group.row + k]
            row = rows.rows[group.row + k]
            for j in range(row.first, row.first + row.count):
                x = rows.pieces[j]
                if x.iv >= 0:
                    part = parts[part_of_dof[x.iv]]
                    put_dual(part, x.iv - part.iv, A, part.alpha_at)
                    for l in range(part.size):
                        A[group.c_at + k] += x.ratio * A[part.alpha_at + l] * A[part.bias_at + l]


@kernel
def put_scales(groups, touches, parts, A, first, last):
    """Mobility of the free parts along each row, by which its pivots are judged; rows that do no work become zero, with 1."""
    for i in range(first, last):
        group = groups[i]
        for r in range(group.rows):
            if A[group.scale_at + r] == 0.0:
                for k in range(group.touches):
                    t = touches[group.touch + k]
                    n = parts[t.part].size
                    for l in range(n):
                        A[t.C_at + r * n + l] = 0.0
        _put_mobility(group, touches, parts, A)


@kernel
def put_joint_scales(groups, touches, parts, A, first, last):
    """The same for joints of the tree; their rows all do work."""
    for i in range(first, last):
        if parts[i].group >= 0:
            _put_mobility(groups[parts[i].group], touches, parts, A)


@kernel
def _put_mobility(group, touches, parts, A):
    base, m = base_of(A), group.rows
    scale = vector(base, group.scale_at, m)
    for r in range(m):
        scale[r] = 0.0
    for k in range(group.touches):
        t = touches[group.touch + k]
        n = parts[t.part].size
        C, zeta = matrix(base, t.C_at, m, n), matrix(base, parts[t.part].zeta_at, n, n)
        for r in range(m):
            s = 0.0
            for l in range(n):
                s += C[r, l] * C[r, l] * zeta[l, l]
            scale[r] += s
    for r in range(m):
        if not scale[r] > 0.0:
            scale[r] = 1.0


@kernel
def add_joint_forces(parts, algebras, dof_work, A):
    """Forces along the joints' dofs, as covectors on child and parent."""
    for i in range(parts.size):
        part = parts[i]
        for j in range(part.nv):
            tau = dof_work[part.iv + j].tau
            if tau != 0.0:
                put_dual(part, j, A, part.alpha_at)
                for l in range(part.size):
                    A[part.force_at + l] += tau * A[part.alpha_at + l]
                if part.parent >= 0:
                    above = parts[part.parent]
                    pull_back(parts, algebras, i, A, part.alpha_at, -tau, above.force_at)


@kernel
def put_rates(parts, algebras, A, x, first, last):
    """Rates of the joints' dofs from the parts' accelerations: R^-1 Q_1^T (alpha_b - alpha_a - bias)."""
    y = np.zeros(6)
    for i in range(first, last):
        part = parts[i]
        g = algebras[part.algebra]
        n, k, d = part.size, part.nv, part.z_at
        if part.parent >= 0:
            above = parts[part.parent]
            X = twist_of(algebras[above.algebra], A, above.u_at, above.alpha_at)
            put_coordinates(g, A, part.u_at, X, d)
        else:
            for l in range(n):
                A[d + l] = 0.0
        for j in range(k):
            s = 0.0
            for l in range(n):
                s += A[part.Q_at + l * n + j] * (A[part.alpha_at + l] - A[d + l] - A[part.bias_at + l])
            y[j] = s
        for j in range(k - 1, -1, -1):
            s = y[j]
            for l in range(j + 1, k):
                s -= A[part.R_at + j * k + l] * y[l]
            y[j] = s / A[part.R_at + j * k + j]
            x[part.iv + j] = y[j]
