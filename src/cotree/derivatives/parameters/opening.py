"""Parameters that open closed loops: the derivatives by them are those of the rows that are kept, and a warning says so.

Of a loop that is planar as it is drawn, regularization keeps the rows within the plane. A change that tilts one of its axes
breaks the others: the changed mechanism would lock. The same holds for dimensions to which a mechanism owes its mobility.
With all rows, to first order: of the gaps g, or of the rates J v of admissible velocities v, something changes that no motion
makes up for, W^T dg/dp or W^T dJ/dp v with W^T J = 0.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cotree._shown import listed
from cotree.constraints.api import constraint_jacobian
from cotree.constraints.units import column_units, row_units
from cotree.derivatives.parameters.changes import parameter_changes
from cotree.derivatives.parameters.seeds import directions_of
from cotree.errors import CotreeError, StudyWarning
from cotree.judge import DEPENDENT
from cotree.system.system import System

Array = NDArray[np.float64]
OPEN, LEAST = 1e-7, 1e-6  # part of a change that no motion makes up for, and changes that count, in radians and lengths


def opening(system: System, q: Array, names: Sequence[str], t: float = 0.0) -> tuple[str, ...]:
    """Names of parameters that change all rows of the loops in a way for which no motion makes up."""
    moving = [name for name, moves in zip(names, directions_of(system, names).moves, strict=True) if moves]
    full = _with_all_rows(system) if moving and system.n_constraints else None
    if full is None:
        return ()
    J, d, rest = constraint_jacobian(full, q, t), directions_of(full, moving), np.zeros(full.nv)
    units = row_units(full, len(J))[:, None]
    N, W = _null_spaces(J / units * column_units(full))
    found = np.zeros(len(moving), dtype=bool)
    for v in (rest, *(column_units(full) * x for x in N.T)):
        changes = parameter_changes(full, q, v, rest, np.zeros(len(J)), t, d)
        changed = (changes.velocity if v.any() else np.where(full.holonomic[:, None], changes.gap, 0.0)) / units
        sizes = np.abs(changed).max(axis=0, initial=0.0)
        found |= np.abs(W.T @ changed).max(axis=0, initial=0.0) > OPEN * np.maximum(sizes, LEAST)
    return tuple(name for name, opens in zip(moving, found, strict=True) if opens)


def _null_spaces(J: Array) -> tuple[Array, Array]:
    """(N, W): columns with J N = 0, and with J^T W = 0."""
    U, s, V = np.linalg.svd(J)
    rank = int(np.count_nonzero(s > DEPENDENT * s.max(initial=0.0)))
    return V[rank:].T, U[:, rank:]


def _with_all_rows(system: System) -> System | None:
    """The same system, and coordinates, with the rows that regularization drops; None where it does not compile so."""
    relative = system.coordinates == "relative"
    if not system.choices["regularize"] or (relative and all(r.kept == r.full for r in system.loop_rows)):
        return system
    return system.cached("with all rows", lambda: _unregularized(system, list(system.cut_joints) if relative else None))


def _unregularized(system: System, cut: list[str] | None) -> System | None:
    try:
        full = system.mechanism.compile(**{**system.choices, "regularize": False, "cut": cut})
    except CotreeError:
        return None
    return full if full.q_names == system.q_names else None


def warn_of_opening(system: System, q: Array, names: Sequence[str], t: float, stacklevel: int) -> None:
    """Say which parameters open loops."""
    found = opening(system, q, names, t)
    if found:
        text = (
            f"a change of {listed(map(repr, found))} opens closed loops, so that the changed mechanism would lock; the "
            "derivatives are those of loops that are kept closed by some of their equations, as if the others did not exist"
        )
        warnings.warn(StudyWarning(text), stacklevel=stacklevel + 1)
