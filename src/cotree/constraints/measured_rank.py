"""The rank of all constraint rows at a configuration, in radians and the system's length: for reports, not for solvers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian, constraint_residual
from cotree.constraints.rank import reported, unit_columns, unit_rows
from cotree.constraints.units import column_units, loop_units
from cotree.judge import REPORTED, Rank
from cotree.system.system import System

Array = NDArray[np.float64]
NEARLY = 5e-4  # singular values of the scaled Jacobian below this are suspect: numbers with four decimals


def rank(system: System, q: Array, t: float = 0.0, loops_only: bool = False) -> Rank:
    """Rank of the full constraint Jacobian, lengths in units of the system and columns of unit size."""
    asked = (q.tobytes(), t, loops_only)
    last, found = system.cache.get("rank", (None, Rank()))
    if last != asked or system.extra_rows.user:  # a run asks for that of its start several times
        found = _rank(system, q, t, loops_only)
        system.cache["rank"] = asked, found
    return found


def _rank(system: System, q: Array, t: float, loops_only: bool) -> Rank:
    J, units = scaled_jacobian(system, q, t)
    J = J[: len(J) - len(system.extra_rows.names)] if loops_only else J
    s = np.linalg.svd(unit_columns(J), compute_uv=False)
    gap = np.abs(constraint_residual(system, q, t, regularized=False) / units).max(initial=0.0)
    return reported(s, gap)


def nearly_free(system: System, q: Array, t: float = 0.0) -> tuple[int, float]:
    """(degrees of freedom more, size): those that equations take away which almost vanish, and the largest of these; where
    numbers have too few digits. Of a structure also coordinates whose own column almost vanishes."""
    J = scaled_jacobian(system, q, t)[0]
    s = np.linalg.svd(unit_columns(J), compute_uv=False)
    if len(s) == system.nv and s.min(initial=np.inf) >= NEARLY:
        s = np.linalg.svd(J, compute_uv=False)
    few = s[(s > REPORTED) & (s < NEARLY)]
    return (len(few), float(few.max())) if len(few) else (0, 0.0)


def scaled_jacobian(system: System, q: Array, t: float) -> tuple[Array, Array]:
    """Jacobian of all rows in radians and the system's length, those of no joint of unit size; units of the rows."""
    J = constraint_jacobian(system, q, t, regularized=False)
    units, first = loop_units(system, len(J)), len(J) - len(system.extra_rows.names)
    J = J / units[:, None] * column_units(system)
    J[first:] = unit_rows(J[first:])
    return J, units
