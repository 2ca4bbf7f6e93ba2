"""RATTLE on Lie groups (Hante, Arnold: RATTLie, 2021): variational, of second order, for mass matrices that are constant.

Momenta p = M v of the two ends from the discrete Lagrangian h T(V) - h/2 (U(q0) + U(q1)), q1 = q0 exp(h V):

    dexp_body_inv(-h V)^T M V = M v0 + h/2 f(q0, v0) - J0^T Lam0,   g(q1) = 0
    M v1 = dexp_body_inv(h V)^T M V + h/2 f(q1, v1) - J1^T Lam1,    J1 v1 = b

with the forces f applied, that is without gyroscopic terms. Constraints hold at positions and velocities; without friction the
method is symplectic and symmetric, and the energy has no drift however long the run. It asks for coordinates in which the
kinetic energy does not depend on the configuration, as absolute ones.
"""

from __future__ import annotations

import numpy as np

from cotree.dynamics.api import mass_matrix
from cotree.engine.entry import NOTHING, call, entry
from cotree.engine.kernel import kernel
from cotree.engine.records import vector
from cotree.engine.status import NO_SOLUTION
from cotree.engine.vectors import all_finite, copy, inner, largest
from cotree.errors import ChoiceError
from cotree.formulations.problem import power_of, terms_of
from cotree.formulations.solve import projection
from cotree.integrate.law_states import work_of
from cotree.integrate.methods.contract import IMPLICIT, METHODS, NO_ERROR, Method
from cotree.integrate.records import now, run_t, slopes_of, trial
from cotree.judge import DEPENDENT, SETTLED
from cotree.kinematics.configuration import dexp_body_inv, move
from cotree.kinematics.coordinates import displace
from cotree.model.features import declare
from cotree.system.system import System
from cotree.system.views import open_tables

ITERATIONS = 100
CONSTANT = 1e-10  # relative change of a mass matrix that counts as none


@entry(run_t)
def step(run, h, _, __, ___):
    """From the present state to one tried, h later."""
    p, here, there = run.problem, now(run), trial(run)
    n, m, t = p.nv, p.rows, run.clock.t_now
    V, lam, x = np.empty(n), np.zeros(m), np.empty(n)
    status = call(run.entries.equations, p.here, t, here.q, here.v, NOTHING)
    if status < 0:
        return status
    M, J, start = terms_of(p).M.copy(), terms_of(p).J.copy(), np.empty(n)
    put_impulse(run, M, here.v, 0.5 * h, start)
    for j in range(n):
        V[j] = here.v[j] + 0.5 * h * here.v_dot[j]
        start[j] += inner(M[j], here.v)
    status = put_middle(run, h, M, J, start, V, lam)
    if status < 0:
        return status
    put_transposed(run, h, V, M, x)
    copy(V, there.v)
    status = put_velocity(run, h, M, x)
    if status < 0:
        return status
    w = slopes_of(run).w
    copy(work_of(run)[3], w[0])
    copy(power_of(p), w[1])
    w[1, 0] -= 2.0 / h * inner(vector(p.arrays.lam), terms_of(p).b)
    return 0


@kernel
def put_middle(run, h, M, J, start, V, lam):
    """V and J0^T Lam0 of the step by iterations with the matrices of its start; the end of the step in q; status."""
    p, tables, here, there = run.problem, open_tables(run.problem.system), now(run), trial(run)
    n, m = V.size, lam.size
    left, more, eta = np.empty(n), np.empty(m), np.empty(m)
    dV, before = np.empty(n), np.inf
    for _ in range(ITERATIONS):
        move(tables.links, tables.dofs, here.q, h * V, there.q)
        if not (all_finite(there.q) and all_finite(V)):
            return NO_SOLUTION
        status = call(run.entries.equations, p.here, run.clock.t_now + h, there.q, V, NOTHING)
        if status < 0:
            return status
        run.counts.evaluations += 1
        g = terms_of(p).g
        put_transposed(run, -h, V, M, left)
        for j in range(n):
            left[j] = start[j] - left[j]
            for r in range(m):
                left[j] -= J[r, j] * lam[r]
        for r in range(m):
            eta[r] = -g[r] / h
        status = projection(M.copy(), J.copy(), left, eta, DEPENDENT, dV, more)
        if status < 0:
            return status
        for j in range(n):
            V[j] += dV[j]
        for r in range(m):
            lam[r] += more[r]
        size = largest(dV)
        if size <= SETTLED * (1.0 + largest(V)) or (size < 1e-9 * (1.0 + largest(V)) and size >= 0.5 * before):
            move(tables.links, tables.dofs, here.q, h * V, there.q)
            return 0
        before = size
    return NO_SOLUTION


@kernel
def put_velocity(run, h, M, p1):
    """v at the end of the step from the momentum p1 without the last half of the forces, which may depend on it; status."""
    p, there = run.problem, trial(run)
    n, t = p.nv, run.clock.t_now + h
    force, x, lam = np.empty(n), np.empty(n), vector(p.arrays.lam)
    for _ in range(ITERATIONS):
        status = call(run.entries.equations, p.here, t, there.q, there.v, NOTHING)
        if status < 0:
            return status
        run.counts.evaluations += 1
        put_impulse(run, M, there.v, 0.5 * h, force)
        for j in range(n):
            force[j] += p1[j]
        status = projection(M.copy(), terms_of(p).J.copy(), force, terms_of(p).b, DEPENDENT, x, lam)
        if status < 0:
            return status
        size = 0.0
        for j in range(n):
            size = max(size, abs(x[j] - there.v[j]))
            there.v[j] = x[j]
        if not size < np.inf:
            return NO_SOLUTION
        if size <= SETTLED * (1.0 + largest(x)):
            return 0
    return NO_SOLUTION


@kernel
def put_impulse(run, M, v, h, out):
    """h f, f the applied forces of the last evaluation: those of the equations of motion without ad_v^T M v."""
    f, s = terms_of(run.problem).f, 1.0 / (1.0 + largest(v))
    back = np.empty(v.size)
    put_transposed(run, s, v, M, out)
    put_transposed(run, -s, v, M, back)
    for j in range(v.size):  # dexp_body_inv(X) - dexp_body_inv(-X) = ad_X
        out[j] = h * (f[j] - (out[j] - back[j]) / s)


@kernel
def put_transposed(run, s, V, M, out):
    """out = dexp_body_inv(s V)^T M V, the columns of all links at once: those of different links do not mix."""
    tables = open_tables(run.problem.system)
    links, n = tables.links, V.size
    Psi, unit, column, p = s * V, np.empty(n), np.empty(n), np.empty(n)
    for j in range(n):
        p[j] = inner(M[j], V)
    for k in range(6):
        unit[:] = 0.0
        for i in range(links.size):
            if links[i].nv > k:
                unit[links[i].iv + k] = 1.0
        dexp_body_inv(links, tables.dofs, Psi, unit, False, column)
        for i in range(links.size):
            if links[i].nv > k:
                first = links[i].iv
                out[first + k] = inner(column[first : first + links[i].nv], p[first : first + links[i].nv])


RATTLIE = declare(
    "method 'rattlie'",
    ChoiceError,
    refuses={
        "laws": "it does not integrate what laws keep; use another method, such as 'rk4'",
        "non-holonomic rows": "it is for constraints on positions; use another method, such as 'rk4'",
    },
    on=(IMPLICIT,),
)


def suits(system: System) -> None:
    """Refuse systems for which the equations above do not hold."""
    RATTLIE.admit(system.features)
    M, moved = (
        mass_matrix(system, displace(system, system.q0, s * np.linspace(0.3, 1.1, system.nv))) for s in (0.0, 1.0)
    )
    if np.abs(M - moved).max(initial=0.0) > CONSTANT * np.abs(M).max(initial=0.0):
        raise ChoiceError(
            "method 'rattlie' needs a mass matrix that does not depend on the configuration; "
            "use compile(coordinates='absolute', group='SE3')"
        )


METHODS["rattlie"] = Method(
    a=np.zeros((2, 2)), b=np.array([0.5, 0.5]), c=np.array([0.0, 1.0]), order=2, error=NO_ERROR,
    step=step, errors=None, implicit=True, projects_stages=False, weighs_work=False, suits=suits,
)  # fmt: skip
