"""Motions so small that the absolute tolerance of a run does not resolve them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian
from cotree.integrate.tolerances import absolute

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

Array = NDArray[np.float64]
RESOLVED = 1e3  # times atol: smaller motions may have errors of some per cent after ten periods
ERROR = 1e-2  # part of a motion to which errors of a third of atol may add up in all steps
ROUNDING = 1e-3  # times atol: smaller ones are rounding errors of what does not move
ROWS = 20  # of output, to judge motions by


def unresolved(run: Run) -> tuple[list[str], float]:
    """(coordinates, the most that any of them moved) which moved, but too little for the tolerance of the run."""
    settings, system = run.settings, run.system
    if settings.step is not None or len(run.t) < ROWS or run.statistics.get("greatest_rank", 0) >= system.nv:
        return [], 0.0
    size = _sizes(run)
    atol = absolute(system, settings.atol)
    most = min(RESOLVED, run.statistics["steps"] / 3.0 / ERROR) * atol
    moves, small = size > ROUNDING * atol, size < most
    if not np.all(small[moves]):
        small &= _free(run)  # coordinates in loops follow from others
    found = np.flatnonzero(moves & small)
    return [system.coordinate_names[j] for j in found], float(size[found].max(initial=0.0))


def _sizes(run: Run) -> Array:
    """The greater of displacement and speed of each velocity coordinate."""
    steps = 0.5 * (run.v[1:] + run.v[:-1]) * np.diff(run.t)[:, None]
    moved = np.cumsum(np.vstack([np.zeros(run.system.nv), steps]), axis=0)
    sizes: Array = np.maximum(np.ptp(moved, axis=0), np.abs(run.v).max(axis=0))
    return sizes


def _free(run: Run) -> NDArray[np.bool_]:
    """Coordinates that are in no constraint."""
    if not run.system.n_constraints:
        return np.ones(run.system.nv, dtype=bool)
    J = constraint_jacobian(run.system, run.q[-1], run.t[-1])
    free: NDArray[np.bool_] = ~np.any(J, axis=0)
    return free
