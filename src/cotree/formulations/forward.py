"""Forward dynamics of any system: accelerations, multipliers and joint reactions, by the formulation asked for.

A tree goes through articulated bodies; with constraints the dense formulations `index1`, `projection` and `voronets` solve
M v_dot + J^T lam = f, J v_dot = eta; `odca` divides and conquers without these matrices. They agree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.faces import constraint_bias, constraint_jacobian, cut_gaps
from cotree.constraints.units import length_of
from cotree.dynamics.faces import inverse_dynamics, mass_matrix
from cotree.dynamics.forward import ForwardDynamics, no_inertia
from cotree.dynamics.forward import forward_dynamics as tree_dynamics
from cotree.formulations import solve
from cotree.formulations.acceleration import rank_tolerance
from cotree.formulations.odca.build import divisible
from cotree.formulations.odca.forward import by_division
from cotree.formulations.reactions import Constrained
from cotree.model.checks import choice
from cotree.system.arguments import coordinates, not_finite, of_system, velocities
from cotree.system.finite import both_finite
from cotree.system.system import System

Array = NDArray[np.float64]

MANY = 300  # coordinates above which "auto" divides: matrices of that size take tens of milliseconds
FORMULATIONS = ("auto", "index1", "projection", "voronets", "odca")


@of_system
def forward_dynamics(
    system: System, q: Any, v: Any = None, tau: Any = None, formulation: str = "auto", t: float = 0.0
) -> ForwardDynamics:
    """Acceleration under gravity, force elements, joint forces tau (nv,) and constraints.

    formulation: "auto" (articulated bodies for a tree, else projection, "odca" above 300 coordinates), "index1", "projection",
    "voronets", or "odca", whose time grows linearly with the numbers of bodies and loops.
    """
    choice(formulation, FORMULATIONS, "formulation")
    if formulation == "auto" and not system.n_constraints:
        found = tree_dynamics(system, q, v, tau, t)
        if not len(system.cuts):
            return found
        return Constrained(system, found.q, found.v, t, found.v_dot, found.multipliers, 0)
    q, v, tau = coordinates(system, q), velocities(system, v), velocities(system, tau, "tau")
    if formulation == "odca" or (formulation == "auto" and system.nv > MANY and divisible(system)):
        return Constrained(system, q, v, t, *by_division(system, q, v, tau, t))
    M, J = mass_matrix(system, q), constraint_jacobian(system, q, t)
    f = tau - inverse_dynamics(system, q, v, None, t)
    eta = constraint_bias(system, q, v, t)
    gaps, _ = cut_gaps(system, q)
    v_dot, lam = np.empty(system.nv), np.empty(len(J))
    status = _solve(formulation, M, J, f, eta, rank_tolerance(gaps, length_of(system)), v_dot, lam)
    if status < 0:
        no_inertia(system, -status - 1)
    if not both_finite(v_dot, lam):
        not_finite(system, "forward_dynamics", q=q, v=v, tau=tau)
    return Constrained(system, q, v, t, v_dot, lam, status)


def _solve(formulation: str, M: Array, J: Array, f: Array, eta: Array, tol: float, v_dot: Array, lam: Array) -> int:
    if formulation == "index1":
        return int(solve.index1(M, J, f, eta, tol, v_dot, lam))
    if formulation == "voronets":
        return int(solve.voronets(M, J, f, eta, tol, v_dot, lam, np.zeros(len(f), dtype=np.bool_)))
    return int(solve.projection(M, J, f, eta, tol, v_dot, lam))
