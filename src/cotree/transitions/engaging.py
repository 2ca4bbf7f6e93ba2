"""Constraints that are switched on: gears and couplings hold as they are then, all others only where they are fulfilled.

A switch moves nothing: q is continuous [VTM]. A row that does not hold at q would have to move bodies in no time.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_residual
from cotree.constraints.units import length_of
from cotree.errors import SwitchError
from cotree.judge import SATISFIED
from cotree.model.constraints import Constraint
from cotree.system.switched import switched
from cotree.system.system import System

Array = NDArray[np.float64]
SHORTEST = (
    0.1  # m: but lengths are not taken for less, the steps of a run leave errors that do not shrink with a mechanism
)


def offset_of(system: System, c: Constraint, t: float, q: Array, dropped: Collection[str] = ()) -> float:
    """By how much the sum of a gear or coupling has to be shifted for it to hold at q; others must hold as they are."""
    gap = _gap(system, c, t, q, dropped)
    if c.adjusts:
        return float(gap[0])
    worst = float(gap[np.argmax(np.abs(gap))]) if len(gap) else 0.0
    if abs(worst) > SATISFIED * max(1.0 if _turns(system, c) else length_of(system), SHORTEST):
        what, way = c.off(worst, system.mechanism.joints)
        raise SwitchError(
            f"{c.word} {c.name!r} cannot be activated at t = {t:.9g} s: {what}, and switching does not move bodies; "
            f"activate it when it is satisfied (when= a function that is zero there), or {way}"
        )
    return 0.0


def shifted(c: Constraint, offset: float) -> Constraint:
    """A coupling whose sum differs by an offset from the one described."""
    return c if offset == 0.0 else c.shifted(offset)


def _gap(system: System, c: Constraint, t: float, q: Array, dropped: Collection[str]) -> Array:
    """Residual of the constraint's rows alone; rows that hold velocities only have none."""
    alone = switched(system, {c.name: c}, dropped)
    g = constraint_residual(alone, q, t)[alone.n_constraints - c.rows :]
    return np.asarray(g[np.array(c.holonomic)], dtype=np.float64)


def _turns(system: System, c: Constraint) -> bool:
    """Whether the gap is an angle."""
    if not c.terms:
        return not all(c.lengths(system.mechanism.joints))
    return bool(system.mechanism.joints[c.terms[0].joint].joint.turns_along(c.terms[0].coordinate))
