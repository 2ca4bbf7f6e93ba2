"""Coriolis matrix C_ab = Gamma_abc v^c, O(n depth), by composite inertias in the world frame.

C = sum_k S^T (J S-dot + B(J, V) S), B(J, V) = ((V x*) J - J (V x) + (J V) xbar*) / 2, so that M-dot - 2C is skew and
C v has the right value; for coordinates whose rates are the velocities C is made of the Christoffel symbols.
"""

import numpy as np

from cotree.dynamics import inertia
from cotree.dynamics.energy_momentum import link_inertia
from cotree.engine.kernel import kernel
from cotree.kinematics.derivatives import put_rates
from cotree.kinematics.sweep import move_all
from cotree.lie import se3
from cotree.lie.storage import twist


@kernel
def connection(J, V, X):
    """B(J, V) X of a rigid inertia."""
    a = se3.cobracket(V, inertia.momentum(J, X))
    b = inertia.momentum(J, se3.bracket(V, X))
    c = se3.cobracket(X, inertia.momentum(J, V))
    return se3.times(0.5, se3.plus(se3.minus(a, b), c))


@kernel
def coriolis_matrix(tables, q, v, C):
    """Fill the (nv, nv) matrix."""
    move_all(tables, q, v)
    n = tables.links.size
    rates = np.empty((tables.dofs.size, 6))
    put_rates(tables.links, tables.dofs, tables.work, tables.dof_work, q, v, rates)
    B = np.zeros((n, 6, 6))
    composites = np.zeros((n, 10))
    basis = np.eye(6)
    for i in range(1, n):
        J, V = link_inertia(tables.links[i], tables.work[i]), twist(tables.work[i].V)
        inertia.store_rigid(composites[i], J)
        for k in range(6):
            column = connection(J, V, twist(basis[k]))
            for r in range(3):
                B[i, r, k], B[i, 3 + r, k] = column[0][r], column[1][r]
    for i in range(n - 1, 0, -1):
        composites[tables.links[i].parent] += composites[i]
        B[tables.links[i].parent] += B[i]
    C[:] = 0.0
    for i in range(1, n):
        J = inertia.load_rigid(composites[i])
        for j in range(tables.links[i].iv, tables.links[i].iv + tables.links[i].nv):
            S, dS = twist(tables.dof_work[j].S), twist(rates[j])
            F1 = se3.plus(inertia.momentum(J, dS), _times(B[i], S))
            F2 = inertia.momentum(J, S)
            F3 = _transposed_times(B[i], S)
            k = i
            while k > 0:
                for a in range(tables.links[k].iv, tables.links[k].iv + tables.links[k].nv):
                    Sa = twist(tables.dof_work[a].S)
                    C[a, j] = se3.pair(Sa, F1)
                    if k != i:
                        C[j, a] = se3.pair(twist(rates[a]), F2) + se3.pair(Sa, F3)
                k = tables.links[k].parent


@kernel
def _times(A, X):
    y = np.empty(6)
    for r in range(6):
        y[r] = (A[r, 0] * X[0][0] + A[r, 1] * X[0][1] + A[r, 2] * X[0][2]) + (
            A[r, 3] * X[1][0] + A[r, 4] * X[1][1] + A[r, 5] * X[1][2]
        )
    return twist(y)


@kernel
def _transposed_times(A, X):
    y = np.empty(6)
    for r in range(6):
        y[r] = (A[0, r] * X[0][0] + A[1, r] * X[0][1] + A[2, r] * X[0][2]) + (
            A[3, r] * X[1][0] + A[4, r] * X[1][1] + A[5, r] * X[1][2]
        )
    return twist(y)
