"""Assembly: closing loops from any start, and velocities that respect the constraints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.complaints import not_assembled, not_consistent
from cotree.constraints.faces import (
    constraint_jacobian,
    constraint_rate,
    constraint_residual,
    cut_gaps,
    holonomic_rows,
)
from cotree.dynamics.faces import mass_matrix
from cotree.errors import AssemblyError
from cotree.kinematics.coordinates import displace, normalize
from cotree.system.arguments import coordinates, velocities
from cotree.system.system import System

Array = NDArray[np.float64]

CLOSED = 1e-10  # metres and radians, relative to the system's size: a loop with a smaller gap counts as closed
LONGEST_STEP = 0.5  # radians or metres
RESTARTS = 12
CONSISTENT = 1e-6  # relative: velocities that drivers ask for and others forbid leave more than this


def assemble(system: System, q: Any, fixed: Iterable[str] = (), t: float = 0.0) -> Array:
    """q nearby with all constraints fulfilled: damped Gauss-Newton on the configuration manifold.

    Coordinates named in `fixed` keep their values; drivers are at time t. Fails with the loops and constraints that
    contradict each other and the gap that remains.
    """
    q = normalize(system, coordinates(system, q))
    held = [system.velocity_index(name) for name in ([fixed] if isinstance(fixed, str) else fixed)]
    free = np.delete(np.arange(system.nv), held)
    rng = np.random.default_rng(0)
    best, start = q, q
    for attempt in range(RESTARTS):
        found = _descend(system, start, free, t)
        if _size(system, found, t) < _size(system, best, t):
            best = found
        if _size(system, best, t) <= CLOSED * length_of(system) and not _inside_out(system, best):
            return best
        shake = np.zeros(system.nv)
        shake[free] = rng.standard_normal(len(free)) * (0.1 + 0.2 * attempt)
        start = displace(system, q, shake)
    raise AssemblyError(not_assembled(system, best, held, t))


def _descend(system: System, q: Array, free: NDArray[np.intp], t: float) -> Array:
    """Levenberg-Marquardt steps until the residual is down to rounding or stops shrinking."""
    damping, g = 1e-4, constraint_residual(system, q, t, regularized=False)
    holonomic = holonomic_rows(system, regularized=False)
    for _ in range(100):
        size = float(np.linalg.norm(g))
        if size < 1e-15 * length_of(system):
            break
        J = constraint_jacobian(system, q, t, regularized=False)[np.ix_(holonomic, free)]
        while True:
            step = np.zeros(system.nv)
            step[free] = _damped_step(J, g[holonomic], damping * size**2)
            step *= min(1.0, LONGEST_STEP / max(np.abs(step).max(), 1e-300))
            trial = displace(system, q, step)
            g_trial = constraint_residual(system, trial, t, regularized=False)
            if np.linalg.norm(g_trial) < size:
                q, g, damping = trial, g_trial, max(0.1 * damping, 1e-12)
                break
            damping *= 10.0
            if damping > 1e8:
                return q
    return q


def _damped_step(J: Array, g: Array, damping: float) -> Array:
    """Least-norm solution of J step = -g, damped along vanishing singular values."""
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    keep = s > 1e-11 * max(s.max(initial=0.0), 1e-300)
    return -Vt[keep].T @ (s[keep] / (s[keep] ** 2 + damping) * (U[:, keep].T @ g))


def length_of(system: System) -> float:
    """Size of the system: a length for judging gaps."""
    return float(max(1.0, np.abs(system.links["com"]).max(initial=0.0)))


def _size(system: System, q: Array, t: float) -> float:
    return float(np.abs(constraint_residual(system, q, t, regularized=False)).max(initial=0.0))


def _inside_out(system: System, q: Array) -> bool:
    """Whether some joint met with its axes antiparallel."""
    return bool(np.any(cut_gaps(system, q)[1]))


def consistent_velocity(system: System, q: Any, v: Any, t: float = 0.0) -> Array:
    """Admissible velocity, J v = b, nearest to v in the metric of the mass matrix."""
    q, v = coordinates(system, q), velocities(system, v)
    J, b = constraint_jacobian(system, q, t), constraint_rate(system, q, t)
    if not len(J):
        return v.copy()
    L = np.linalg.cholesky(mass_matrix(system, q))
    A = np.linalg.solve(L, J.T).T  # J L^-T
    x = np.linalg.lstsq(A, J @ v - b, rcond=1e-9)[0]
    v = v - np.linalg.solve(L.T, x)
    left = J @ v - b
    if np.abs(left).max() > CONSISTENT * max(1.0, np.abs(b).max(), np.abs(v).max()):
        raise AssemblyError(not_consistent(system, left))
    return v
