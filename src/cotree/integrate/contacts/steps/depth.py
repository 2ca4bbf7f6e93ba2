"""Penetrations of what stays closed, taken out after a step along the mobility, 0 <= g + G tau, tau >= 0."""

import numpy as np

from cotree.constraints import all_rows
from cotree.engine.kernel import kernel
from cotree.engine.records import matrix, vector
from cotree.engine.vectors import copy, fill, inner
from cotree.integrate.contacts.steps.activity import gap_of
from cotree.integrate.contacts.steps.mobility import put_back, put_sum
from cotree.integrate.contacts.steps.records import cone_t
from cotree.kinematics.configuration import move
from cotree.kinematics.sweep import place_all
from cotree.system.views import open_rows
from cotree.transitions.contacts.solving import put_impulses

DEEP = 1e-12  # relative to the system's length: penetrations below are left
LEAVING = 1e-9  # m/s: what parts faster than that comes out by itself


@kernel
def take_out(c, tables, candidates, active, first, W, X, G, P, there):
    """q at the end of the step without penetrations."""
    closed, g, deepest = np.empty(active.size, np.int64), np.empty(active.size), 0.0
    n = 0
    for i in range(active.size):
        if candidates[active[i]].normal == 1 and P[first[i]] > 0.0 and inner(W[first[i]], there.v) <= LEAVING:
            closed[n] = i
            n += 1
    if n == 0:
        return
    every = np.zeros(open_rows(c.here).rows.size)
    place_all(tables, there.q)
    all_rows.gaps_by(open_rows(c.here).kinds, c.here, there.q, matrix(c.arrays.motions), every)
    for i in range(n):
        g[i] = gap_of(candidates[active[closed[i]]], every)
        deepest = max(deepest, -g[i])
    c.deepest = max(c.deepest, deepest)
    if deepest <= DEEP * c.length:
        return
    c.corrected += 1
    lift(c, tables, candidates, active, first, X, G, closed[:n], g[:n], there)


@kernel
def lift(c, tables, candidates, active, first, X, G, closed, g, there):
    """The correction."""
    n, most = closed.size, first[active.size]
    A, tau, u = np.empty((n, n)), np.zeros(n), np.zeros(n)
    cones, modes, P = np.empty(n, cone_t), np.zeros(n, np.int64), np.zeros(most)
    for i in range(n):
        cones[i].first, cones[i].normal, cones[i].tangents, cones[i].mu, cones[i].radius = i, 1, 0, 0.0, 0.0
        for j in range(n):
            A[i, j] = G[first[closed[i]], first[closed[j]]]
    put_impulses(A, g, cones, tau, u, modes)
    for i in range(n):
        P[first[closed[i]]] = tau[i]
    nv = X.shape[1]
    y, sizes, dq, moved = np.empty(nv), np.empty(nv), np.empty(nv), np.empty(there.q.size)
    fill(dq, 0.0)
    put_sum(c, candidates, active, first, X, P, y, sizes)
    put_back(c, y, dq)
    c.lifted += inner(vector(c.arrays.f), dq)
    move(tables.links, tables.dofs, there.q, dq, moved)
    copy(moved, there.q)
