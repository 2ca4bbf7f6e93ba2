"""Constraints that a run took for independent ones, and that are dependent but for the last digits of the dimensions.

Axes that are parallel to six decimals hold a mechanism that could move if they were parallel: the run, which closes loops to
rounding, must count one constraint more than the analysis, which calls such axes parallel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cotree.constraints.measured_rank import rank
from cotree.system.sizes import DECOMPOSED

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run


def doubtful(run: Run) -> int:
    """How many constraints of a run were independent by a hair only, at its start, in its middle and at its end alike."""
    system, counted = run.system, run.statistics.get("smallest_rank", 0)
    if system.nv > DECOMPOSED or not system.n_constraints or run.phases or not counted:
        return 0
    rows = {0, len(run.t) // 2, len(run.t) - 1}
    return max(0, int(counted) - max(rank(system, run.q[i], float(run.t[i])) for i in rows))
