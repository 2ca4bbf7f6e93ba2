"""The search behind assembly: Levenberg-Marquardt steps on the configuration manifold until all holonomic rows hold.

Rows and columns are measured in radians and in the system's length; rows of drivers and couplings also in the largest of their
ratios, so that a gear of 1:10000 is solved as one of 1:1. Steps are at first no longer than LONGEST_STEP, since loops are far
from linear; where the linear model foretells the decrease they may grow, so that what is linear is far away at no cost.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian, constraint_residual, holonomic_rows
from cotree.constraints.time_functions import VALUE, motion_values
from cotree.constraints.units import column_units, row_units
from cotree.judge import CLOSED
from cotree.kinematics.coordinates import displace
from cotree.system.system import System
from cotree.system.tables import SCREW

Array = NDArray[np.float64]

# Radians, and metres relative to the system's length. The search goes on down to rounding; what it cannot get below this
# counts as open. Axes that are exact to 1e-10 only, as numbers in files are, leave gaps of that size.
ROUNDING = 16.0 * np.finfo(float).eps  # of what the rows add up: at 1e9 rad nothing is exact to CLOSED
LONGEST_STEP = 0.5  # in the same units, at first
FORETOLD = 0.98  # part of the decrease by the linear model above which steps may grow
STEPS = 200


@dataclass(frozen=True)
class Problem:
    """Holonomic constraints of a system as functions of q. units: of the rows; scales: what their ratios add to these."""

    system: System
    t: float
    units: Array
    scales: Array
    holonomic: NDArray[np.bool_]
    columns: Array
    free: NDArray[np.intp]
    regularized: bool = False

    @staticmethod
    def of(system: System, t: float, free: NDArray[np.intp]) -> Problem:
        """All rows of the joints, with the velocities `free` to be moved."""
        holonomic = holonomic_rows(system, regularized=False)
        units = row_units(system, len(holonomic))
        scales = _ratios(system, len(holonomic), set(free.tolist())) / units
        return Problem(system, t, units, np.maximum(scales, 1e-300), holonomic, column_units(system), free)

    def kept_rows(self) -> Problem:
        """The same with the rows that regularization keeps, in SI units."""
        holonomic = holonomic_rows(self.system)
        others = len(self.system.extra_rows.names)
        scales = np.ones(len(holonomic))
        scales[len(scales) - others :] = (self.units * self.scales)[len(self.units) - others :]
        return replace(self, units=np.ones(len(holonomic)), scales=scales, holonomic=holonomic, regularized=True)

    def residual(self, q: Array) -> Array:
        g = constraint_residual(self.system, q, self.t, self.regularized) / (self.units * self.scales)
        return g[self.holonomic]

    def gap(self, q: Array) -> float:
        """Largest residual [rad, or parts of the system's length]."""
        return float(np.abs(self.residual(q) * self.scales[self.holonomic]).max(initial=0.0))

    def closed(self, q: Array) -> bool:
        """Whether all rows hold, as well as numbers of this size allow."""
        return bool(self.gap(q) <= CLOSED + ROUNDING * self.largest_sum(q))

    def largest_sum(self, q: Array) -> float:
        """Largest of what the rows of drivers and couplings add up."""
        extra = self.system.extra_rows
        held = _sums(self.system)
        sums = np.abs(motion_values(self.system, self.t, VALUE)[held["slot"], 0]).tolist()
        in_tree = extra.pieces[extra.pieces["iv"] >= 0]
        sums += np.abs(in_tree["ratio"] * q[in_tree["iq"]]).tolist()
        return float(max(sums, default=0.0))

    def jacobian(self, q: Array) -> Array:
        J = constraint_jacobian(self.system, q, self.t, self.regularized) * self.columns
        return (J / (self.units * self.scales)[:, None])[np.ix_(self.holonomic, self.free)]

    def moved(self, q: Array, step: Array) -> Array:
        """q after a step of the free coordinates."""
        whole = np.zeros(self.system.nv)
        whole[self.free] = step
        return displace(self.system, q, whole * self.columns)


def _ratios(system: System, rows: int, free: Collection[int]) -> Array:
    """Of the rows of drivers and couplings the largest ratio of a term that can be moved, in the column's unit; of others 1."""
    out, columns = row_units(system, rows), column_units(system)
    extra = system.extra_rows
    first = rows - len(extra.names)
    for k in np.flatnonzero(_is_sum(system)):
        own = extra.pieces[extra.rows[k]["first"] : extra.rows[k]["first"] + extra.rows[k]["count"]]
        sizes = [abs(x["ratio"]) * (columns[x["iv"]] if x["cut"] < 0 else 1.0) for x in own if _moves(x, free)]
        out[first + k] = max(sizes, default=0.0) or out[first + k]
    return out


def _is_sum(system: System) -> NDArray[np.bool_]:
    """Which compiled rows beside those of the cut joints are sums of joint coordinates."""
    owners = system.extra_rows.owners[: len(system.extra_rows.rows)]
    return np.array([bool(system.constraints[name].terms) for name in owners], dtype=np.bool_)


def _sums(system: System) -> NDArray[np.void]:
    """Rows of drivers and couplings."""
    return system.extra_rows.rows[_is_sum(system)]


def _moves(term: np.void, free: Collection[int]) -> bool:
    return bool(term["cut"] >= 0 or term["iv"] in free)


def whole_turns(problem: Problem, q: Array) -> Array:
    """q with each driven angle turned by as many whole turns as bring it next to where it is driven: no body moves."""
    system, free, q = problem.system, set(problem.free.tolist()), q.copy()
    sums = _sums(system)
    for c in sums[sums["count"] == 1]:
        x = system.extra_rows.pieces[c["first"]]
        if x["cut"] < 0 and x["iv"] in free and turns(system, x["iv"]):
            off = motion_values(system, problem.t, VALUE)[c["slot"], 0] / x["ratio"] - q[x["iq"]]
            q[x["iq"]] += 2.0 * np.pi * np.round(off / (2.0 * np.pi))
    return q


def turns(system: System, i: int) -> bool:
    """Whether velocity i is that of a plain angle, whose whole turns leave all bodies where they are."""
    dof = system.dofs[i]
    turning = system.links[dof["link"]]["kind"] == SCREW and np.any(dof["Y"][:3]) and not np.any(dof["slide"])
    return bool(turning and dof["iq"] >= 0)


def descend(problem: Problem, q: Array) -> Array:
    """Levenberg-Marquardt steps until the residual is down to rounding or stops shrinking."""
    damping, longest, g = 1.0, LONGEST_STEP, problem.residual(q)
    for _ in range(STEPS):
        size = float(np.linalg.norm(g))
        if size < 1e-15:
            break
        J = problem.jacobian(q)
        parts = np.linalg.svd(J, full_matrices=False)
        while True:
            # times |g|^2: quadratic convergence, and no long way along the solutions
            step = _damped_step(parts, g, damping * min(size, 1.0) ** 2)
            long = float(np.abs(step).max(initial=0.0))
            step = step * min(1.0, longest / max(long, 1e-300))
            trial = problem.moved(q, step)
            g_trial = problem.residual(trial)
            now = float(np.linalg.norm(g_trial))
            if now < size:
                foretold = size - float(np.linalg.norm(g + J @ step))
                if long > longest and size - now > FORETOLD * foretold:
                    longest *= 2.0
                q, g, damping = trial, g_trial, max(0.1 * damping, 1e-2)
                break
            damping, longest = 10.0 * damping, LONGEST_STEP
            if damping > 1e8:
                return q
    return q


def _damped_step(parts: tuple[Array, Array, Array], g: Array, damping: float) -> Array:
    """Least-norm solution of J step = -g, J = U s Vt, damped along vanishing singular values.

    The least of them only show that axes are inexact: to follow them is to run along the mechanism's own motion.
    """
    U, s, Vt = parts
    keep = s > CLOSED * max(s.max(initial=0.0), 1e-300)
    return -Vt[keep].T @ (s[keep] / (s[keep] ** 2 + damping) * (U[:, keep].T @ g))
