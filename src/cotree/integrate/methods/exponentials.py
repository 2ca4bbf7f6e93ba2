"""Lie-group methods whose stages are products of exponentials: no commutators and no dexp, beside Munthe-Kaas [Lie 7].

A state is q exp(h sum a_1l V_l) exp(h sum a_2l V_l) ..., with the velocities V_l of the stages as they are. With one stage in
each factor these are the methods of Crouch and Grossman (1993); with sums that are used again, the commutator-free ones of
Celledoni, Marthinsen and Owren (2003). Velocities are added as in a vector space, by the sums of the factors.
"""

from __future__ import annotations

import numpy as np

from cotree.engine.entry import entry
from cotree.engine.kernel import kernel
from cotree.engine.vectors import all_finite, copy
from cotree.formulations.acceleration import accelerate
from cotree.formulations.problem import power_of
from cotree.integrate.law_states import put_stage_states, work_of
from cotree.integrate.methods.contract import METHODS, NO_ERROR, Method
from cotree.integrate.methods.munthe_kaas import put_vectorial
from cotree.integrate.records import now, run_t, slopes_of, tableau_of, trial
from cotree.integrate.stabilization.projection import project
from cotree.kinematics.configuration import move, rates
from cotree.system.views import open_tables


@entry(run_t)
def step(run, h, _, __, ___):
    """From the present state to one tried, h later."""
    p, (a, b, c), k = run.problem, tableau_of(run), slopes_of(run)
    tables, here, there = open_tables(p.system), now(run), trial(run)
    t, s, vectorial = run.clock.t_now, b.size, run.options.vectorial
    factors = a.shape[0] // (s + 1)
    copy(here.v, k.q[0])
    copy(here.v_dot, k.v[0])
    copy(work_of(run)[3], k.w[0])
    if vectorial:
        rates(tables.links, tables.dofs, here.q, here.v, k.x[0])
    for j in range(1, s + 1):
        _put_state(h, a[j * factors : (j + 1) * factors], min(j, s), k, tables, here, there, vectorial)
        _put_states(run, h, a[j * factors : (j + 1) * factors], min(j, s))
        if j == s or not (all_finite(there.q) and all_finite(there.v)):
            return 0
        if p.near.careful:
            status = project(run, t + c[j] * h, 0.0, there.q, there.v)
            if status < 0:
                return status
        status = accelerate(p, t + c[j] * h, there.q, there.v, k.v[j])
        if status < 0:
            return status
        run.counts.evaluations += 1
        copy(power_of(p), k.w[j])
        copy(there.v, k.q[j])
        if vectorial:
            rates(tables.links, tables.dofs, there.q, there.v, k.x[j])
    return 0


@kernel
def _put_state(h, a, count, k, tables, here, there, vectorial):
    """The state that the first slopes lead to; a (factors, stages): weights of each exponential."""
    part, X = here.q.copy(), np.empty(here.v.size)
    copy(here.v, there.v)
    for f in range(a.shape[0]):
        empty = True
        X[:] = 0.0
        for l in range(count):
            w = h * a[f, l]
            if w != 0.0:
                empty = False
                for i in range(X.size):
                    X[i] += w * k.q[l, i]
                    there.v[i] += w * k.v[l, i]
        if not empty:
            move(tables.links, tables.dofs, part, X, there.q)
            copy(there.q, part)
    copy(part, there.q)
    if vectorial:
        dq = np.zeros(here.q.size)
        for f in range(a.shape[0]):
            for l in range(count):
                for i in range(dq.size):
                    dq[i] += h * a[f, l] * k.x[l, i]
        put_vectorial(tables.links, here.q, dq, there.q)


@kernel
def _put_states(run, h, a, count):
    """States of laws, by the sums of the factors."""
    weights = np.zeros(count)
    for l in range(count):
        for f in range(a.shape[0]):
            weights[l] += a[f, l]
    put_stage_states(run, h, weights, count)


def _method(stages: list[list[list[float]]], order: int) -> Method:
    """stages: for each stage after the first, and for the end, the weights of its exponentials."""
    s, most = len(stages), max(len(rows) for rows in stages)
    a = np.zeros((s + 1, most, s))
    for j, rows in enumerate(stages, 1):
        for f, row in enumerate(rows):
            a[j, f, : len(row)] = row
    weights = a.sum(axis=1)
    nodes = weights[:-1].sum(axis=1)
    return Method(a.reshape(-1, s), weights[-1], nodes, order, NO_ERROR, step=step, errors=None)


METHODS["crouch-grossman3"] = _method(
    [[[3 / 4]], [[119 / 216], [0, 17 / 108]], [[13 / 51], [0, -2 / 3], [0, 0, 24 / 17]]], order=3
)
METHODS["commutator-free4"] = _method(
    [
        [[1 / 2]],
        [[0, 1 / 2]],
        [[1 / 2], [-1 / 2, 0, 1]],
        [[1 / 4, 1 / 6, 1 / 6, -1 / 12], [-1 / 12, 1 / 6, 1 / 6, 1 / 4]],
    ],
    order=4,
)
