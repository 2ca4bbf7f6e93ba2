"""Derivatives by dual numbers: the kernels of inverse dynamics, rows and energy, run on numbers with their derivatives.

This is the second route to what the closed forms by Lie brackets give. Nothing is shared with them but the kernels of the
dynamics themselves, which know nothing of derivatives.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.all_rows import gaps_by, put_bias, put_jacobian, put_velocities, rates_by, wrenches_by
from cotree.constraints.time_functions import ACCELERATION, motion_values
from cotree.derivatives.dual_case import OF_DUALS, DualCase, dual_tables, own_case, turns
from cotree.dynamics.elements import spring_state
from cotree.dynamics.energy_momentum import energy
from cotree.dynamics.inverse import inverse_dynamics
from cotree.dynamics.user_forces import element_values
from cotree.engine.dual_records import dual_matrix_at, dual_vector
from cotree.engine.dual_type import DIRECTIONS
from cotree.engine.kernel import kernel
from cotree.engine.records import arrays, at_t, opener
from cotree.engine.vectors import fill, fill_rows
from cotree.kinematics.sweep import place_all
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]
_rows = OF_DUALS.rows
VECTORS = ("q", "v", "w", "lam", "zero", "eta", "g", "tau", "speed", "h", "energy")
MATRICES = ("values", "motions", "J")
case_t = np.dtype([("system", at_t), ("arrays", arrays(*VECTORS, *MATRICES))], align=True)
_case_at = opener(case_t)


@kernel
def _evaluate(here):
    """tau = ID(q, v, w) + J^T lam, h = J w - eta, speed = J v, g, and the energies, all on duals."""
    case = _case_at(here)
    a, tables = case.arrays, dual_tables(case.system)
    q, v, w, lam = dual_vector(a.q), dual_vector(a.v), dual_vector(a.w), dual_vector(a.lam)
    n, m, tau = v.size, lam.size, dual_vector(a.tau)
    values = dual_matrix_at(a.values.at, a.values.m // 3, 3)
    if m > 0:
        rows, J, eta = _rows(case.system), dual_matrix_at(a.J.at, m, n), dual_vector(a.eta)
        g, h, speed = dual_vector(a.g), dual_vector(a.h), dual_vector(a.speed)
        motions = dual_matrix_at(a.motions.at, a.motions.m // 3, 3)
        inverse_dynamics(tables, values, q, v, dual_vector(a.zero), tau)  # leaves what the bias is made of
        fill(g, 0.0)
        gaps_by(rows.kinds, case.system, q, motions, g)
        wrenches_by(rows.kinds, case.system)
        fill_rows(J, 0, m, 0.0)
        put_jacobian(rows, tables.links, tables.dof_work, J)
        rates_by(rows.kinds, case.system)
        put_bias(rows, tables.work, motions, eta)
        put_velocities(rows, tables.work, v, speed)
        for r in range(m):
            h[r] = -eta[r]
            for j in range(n):
                h[r] += J[r, j] * w[j]
    inverse_dynamics(tables, values, q, v, w, tau)
    for r in range(m):
        for j in range(n):
            tau[j] += J[r, j] * lam[r]
    energy(tables, q, v, dual_vector(a.energy))


@kernel
def short_spring(here, q):
    """1 + the number of a spring of no length, which has no direction to differentiate; 0 for none."""
    tables = open_tables(here)
    place_all(tables, q)
    springs = tables.elements.springs
    for k in range(springs.size):
        if spring_state(springs[k], tables.work)[2] == 0.0:
            return k + 1
    return 0


class DualEquations(NamedTuple):
    """Values and derivatives along the directions, (rows, directions): of ID(q, v, v_dot) + J^T lam, of J v_dot - eta, of J v,
    of the gaps g, and of the kinetic and the potential energy."""

    force: Array
    motion: Array
    speed: Array
    gap: Array
    energy: Array


def _case(system: System) -> DualCase:
    n, nq, m = system.nv, system.nq, system.n_constraints
    sizes = {"q": nq, "energy": 2, "J": m * n, **dict.fromkeys(("v", "w", "zero", "tau"), n)}
    sizes |= dict.fromkeys(("lam", "eta", "g", "speed", "h"), m)
    sizes |= {"values": 3 * len(system.elements.constants), "motions": 3 * len(system.extra_rows.constants)}
    return DualCase(system, case_t, sizes)


def along(
    system: System, q: Array, v: Array, v_dot: Array, lam: Array, t: float, steps: tuple[Array, Array, Array]
) -> DualEquations:
    """The derivatives along directions of the state; steps: those of q (as velocities), v and v_dot, (nv, directions) each."""
    case = own_case(system, "duals", _case)
    a, count = case.arrays, steps[0].shape[1]
    a["values"][:, 0] = element_values(system, q, v, t).ravel()
    if system.n_constraints:
        a["motions"][:, 0] = motion_values(system, t, ACCELERATION).ravel()
    given = {
        "q": (q, turns(system, q, steps[0])),
        "v": (v, steps[1]),
        "w": (v_dot, steps[2]),
        "lam": (lam, np.zeros((len(lam), count))),
    }
    parts: list[list[Array]] = [[], [], [], [], []]
    for first in range(0, count, DIRECTIONS):
        width = case.put(given, first)
        _evaluate(case.here)
        for part, name in zip(parts, ("tau", "h", "speed", "g", "energy"), strict=True):
            part.append(a[name][:, 1 : 1 + width].copy())
    return DualEquations(*(np.hstack(part) if part else np.zeros((0, 0)) for part in parts))


def by_state(
    system: System, q: Array, v: Array, v_dot: Array, lam: Array, t: float
) -> tuple[DualEquations, DualEquations, DualEquations]:
    """The derivatives by q (along `displace`), by v and by v_dot, one column for each coordinate."""
    n = system.nv
    one, none = np.eye(n), np.zeros((n, 2 * n))
    steps = np.hstack([one, none]), np.hstack([none[:, :n], one, none[:, :n]]), np.hstack([none, one])
    found = along(system, q, v, v_dot, lam, t, steps)
    by_q, by_v, by_a = (DualEquations(*(x[:, k * n : (k + 1) * n] for x in found)) for k in range(3))
    return by_q, by_v, by_a
