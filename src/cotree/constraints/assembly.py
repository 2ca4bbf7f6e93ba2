"""Assembly: closing loops from any start, and velocities that respect the constraints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.branches import on_branch
from cotree.constraints.complaints import not_assembled, not_consistent
from cotree.constraints.faces import constraint_jacobian, constraint_rate, constraint_residual, holonomic_rows
from cotree.constraints.units import column_units, row_units
from cotree.dynamics.faces import mass_matrix
from cotree.errors import AssemblyError, ChoiceError, SingularError
from cotree.kinematics.coordinates import displace, normalize
from cotree.system.arguments import coordinates, require_finite, velocities
from cotree.system.system import System

Array = NDArray[np.float64]

# Radians, and metres relative to the system's length. The search goes on down to rounding; what it cannot get below this
# counts as open. Axes that are exact to 1e-10 only, as numbers in files are, leave gaps of that size.
CLOSED = 1e-8
LONGEST_STEP = 0.5  # in the same units
RESTARTS = 12
RANK = 1e-9  # relative: rows shorter than this depend on the others
BRANCHES = ("nearest", "require", "ignore")
CONSISTENT = 1e-6  # relative: velocities that drivers ask for and others forbid leave more than this


@dataclass(frozen=True)
class _Problem:
    """Holonomic constraints of a system as functions of q, in radians and in the system's length."""

    system: System
    t: float
    units: Array
    holonomic: NDArray[np.bool_]
    columns: Array
    free: NDArray[np.intp]
    regularized: bool = False

    def residual(self, q: Array) -> Array:
        return (constraint_residual(self.system, q, self.t, self.regularized) / self.units)[self.holonomic]

    def gap(self, q: Array) -> float:
        return float(np.abs(self.residual(q)).max(initial=0.0))

    def jacobian(self, q: Array) -> Array:
        J = constraint_jacobian(self.system, q, self.t, self.regularized) / self.units[:, None] * self.columns
        return J[np.ix_(self.holonomic, self.free)]

    def moved(self, q: Array, step: Array) -> Array:
        """q after a step of the free coordinates, shortened to the longest allowed."""
        whole = np.zeros(self.system.nv)
        whole[self.free] = step * min(1.0, LONGEST_STEP / max(np.abs(step).max(initial=0.0), 1e-300))
        return displace(self.system, q, whole * self.columns)


def assemble(system: System, q: Any, fixed: Iterable[str] = (), t: float = 0.0, restarts: int = RESTARTS) -> Array:
    """q nearby with all constraints fulfilled: damped Gauss-Newton on the configuration manifold.

    Coordinates named in `fixed` keep their values; drivers are at time t. A search that ends open begins anew from a shaken
    q, up to `restarts` times. Fails with the loops and constraints that contradict each other and the gap that remains.
    """
    q = normalize(system, coordinates(system, q))
    held = [system.velocity_index(name) for name in ([fixed] if isinstance(fixed, str) else fixed)]
    free = np.delete(np.arange(system.nv), held)
    rows = row_units(system, len(constraint_residual(system, q, t, regularized=False)))
    problem = _Problem(system, t, rows, holonomic_rows(system, regularized=False), column_units(system), free)
    rng = np.random.default_rng(0)
    best, start = q, q
    for attempt in range(1 + restarts):
        best = min(best, _descend(problem, start), key=problem.gap)
        if problem.gap(best) <= CLOSED:
            return _polished(problem, best)
        start = problem.moved(q, rng.standard_normal(len(free)) * (0.1 + 0.2 * attempt))
    raise AssemblyError(not_assembled(system, best, held, t))


def _polished(problem: _Problem, q: Array) -> Array:
    """q with the rows that regularization keeps closed to rounding; the others then are as good as the axes are."""
    holonomic = holonomic_rows(problem.system)
    kept = replace(problem, units=np.ones(len(holonomic)), holonomic=holonomic, regularized=True)
    if kept.gap(q) < 1e-14:
        return q
    better = _descend(kept, q)
    return better if problem.gap(better) <= CLOSED else q


def _descend(problem: _Problem, q: Array) -> Array:
    """Levenberg-Marquardt steps until the residual is down to rounding or stops shrinking."""
    damping, g = 1.0, problem.residual(q)  # times |g|^2: quadratic convergence, and no long way along the solutions
    for _ in range(100):
        size = float(np.linalg.norm(g))
        if size < 1e-15:
            break
        J = problem.jacobian(q)
        while True:
            trial = problem.moved(q, _damped_step(J, g, damping * size**2))
            g_trial = problem.residual(trial)
            if np.linalg.norm(g_trial) < size:
                q, g, damping = trial, g_trial, max(0.1 * damping, 1e-2)
                break
            damping *= 10.0
            if damping > 1e8:
                return q
    return q


def _damped_step(J: Array, g: Array, damping: float) -> Array:
    """Least-norm solution of J step = -g, damped along vanishing singular values.

    The least of them only show that axes are inexact: to follow them is to run along the mechanism's own motion.
    """
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    keep = s > CLOSED * max(s.max(initial=0.0), 1e-300)
    return -Vt[keep].T @ (s[keep] / (s[keep] ** 2 + damping) * (U[:, keep].T @ g))


def consistent_velocity(system: System, q: Any, v: Any, t: float = 0.0, branches: str = "nearest") -> Array:
    """Admissible velocity, J v = b, nearest to v in the metric of the mass matrix.

    At a singular configuration an admissible velocity may begin no motion: no acceleration fulfils J v_dot = eta(q, v).
    branches: "nearest" goes on to the nearest velocity found for which there is one (on the second-order tangent cone, see
    `cotree.constraints.branches`), and fails if there is none but rest; "require" fails at once; "ignore" does not look.
    """
    q, v = coordinates(system, q), velocities(system, v)
    require_finite(system, v=v)
    if branches not in BRANCHES:
        raise ChoiceError(f"branches is {branches!r}; choose one of {', '.join(map(repr, BRANCHES))}")
    J, b = constraint_jacobian(system, q, t), constraint_rate(system, q, t)
    if not len(J):
        return v.copy()
    L = mass_root(system, q)
    A = np.linalg.solve(L, J.T).T  # J L^-T
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    rank = int(np.count_nonzero(s > RANK * s[0]))
    v = v - np.linalg.solve(L.T, Vt[:rank].T @ ((U[:, :rank].T @ (J @ v - b)) / s[:rank]))
    left = J @ v - b
    if np.abs(left).max() > CONSISTENT * max(1.0, np.abs(b).max(), np.abs(v).max()):
        raise AssemblyError(not_consistent(system, left))
    if rank == len(J) or branches == "ignore":
        return v
    return on_branch(system, q, v, t, J, L, branches == "nearest")


def mass_root(system: System, q: Array) -> Array:
    """L with M = L L^T."""
    M = mass_matrix(system, q)
    try:
        return np.asarray(np.linalg.cholesky(M), dtype=np.float64)
    except np.linalg.LinAlgError:
        name = system.coordinate_names[int(np.argmax(np.abs(np.linalg.eigh(M)[1][:, 0])))]
        raise SingularError(
            f"the mass matrix of system {system.name!r} is singular: coordinate {name!r} moves nothing that has mass or "
            "inertia, so that no velocity is the nearest; give the bodies behind it mass or inertia"
        ) from None
