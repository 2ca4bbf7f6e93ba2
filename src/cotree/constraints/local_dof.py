"""How many degrees of freedom a mechanism has about a configuration: the dimension of the set of closed configurations."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.germs import Germ, germ_dimension
from cotree.constraints.measured_rank import rank
from cotree.constraints.neighbours import neighbours
from cotree.constraints.slices import least_gap, slice_dimension
from cotree.constraints.tangents import Rows, Tangent
from cotree.judge import SOLVED
from cotree.system.sizes import STEPWISE
from cotree.system.system import System

Array = NDArray[np.float64]
LARGEST = 4e6  # velocities times the cube of coordinates up to which rows are reduced: a second or two


@dataclass(frozen=True)
class Local:
    """Dimension of the closed configurations about one of them; everywhere: whether those nearby in general position still
    admit more velocities than that, so that the set is singular all along; least, most: bounds where it is not decided; gap:
    what rows leave open after a step of 0.05 rad or parts of the length in the directions that are not free."""

    dof: int
    everywhere: bool = False
    least: int = -1
    most: int = -1
    gap: float = np.inf

    @property
    def bounds(self) -> tuple[int, int]:
        return (self.dof if self.least < 0 else self.least, self.dof if self.most < 0 else self.most)


def local_dof(system: System, q: Array, differential: int, t: float = 0.0) -> Local:
    """Largest dimension of the branches of closed configurations through q.

    Where the rows that are kept are independent, the rank tells it. Else the rows are reduced to those few functions that do
    not vanish to first order, and signs and planes tell it; where they do not, configurations nearby do."""
    rows = Rows.of(system, t)
    holonomic = bool(np.all(rows.holonomic))
    if not differential or (holonomic and _all_independent(system, differential)):
        return Local(differential)
    quick = holonomic and differential * system.nv**3 <= LARGEST
    germ = germ_dimension(rows, q, differential) if quick else Germ(0, differential)
    if germ.decided:
        return Local(germ.least, germ.flat, gap=germ.size)
    found = _within(germ, local_dof_nearby(system, q, differential, t))
    return found if found.dof == differential else replace(found, gap=least_gap(Tangent.at(rows, q)))


def _within(germ: Germ, found: Local) -> Local:
    """What configurations nearby tell, within what is known; certain where both of their routes agree."""
    dof = min(max(found.dof, germ.least), germ.most)
    least, most = found.bounds
    return Local(dof, found.everywhere, max(min(least, dof), germ.least), min(max(most, dof), germ.most))


def local_dof_nearby(system: System, q: Array, differential: int, t: float = 0.0) -> Local:
    """The same from configurations nearby, reached by steps along admissible velocities.

    There second derivatives bound the dimension from above, and planes that fix as many coordinates decide whether it is
    reached; where they disagree it is in doubt."""
    if not differential:
        return Local(0)
    rows, best, most = Rows.of(system, t), Local(0), 0
    found = [Tangent.at(rows, there) for there in neighbours(system, q, differential, t)]
    closed = [x for x in found if np.abs(rows.residual(x.q)).max(initial=0.0) < SOLVED]
    bounds = [tangent.unobstructed().shape[1] for tangent in closed or found]
    for k, tangent in sorted(zip(bounds, closed or found, strict=True), key=lambda x: -x[0]):
        rolling = (
            0 if np.all(rows.holonomic) else system.nv - rank(system, tangent.q, t) - tangent.dimension
        )  # at most 0
        if k + rolling > best.dof:
            d = k if _independent(system, tangent) else slice_dimension(tangent, k, max(best.dof - rolling, 0))
            most = max(most, k + rolling)
            if d + rolling > best.dof:
                best = Local(d + rolling, d < tangent.dimension)
    if best.dof < differential and len(closed) < len(found) and np.all(rows.holonomic):
        best = _at_least(best, slice_dimension(Tangent.at(rows, q), differential, best.dof))
    return replace(best, least=best.dof, most=max(most, best.dof))


def _all_independent(system: System, differential: int) -> bool:
    return differential == system.nv - int(np.count_nonzero(system.holonomic))


def _at_least(best: Local, dof: int) -> Local:
    """What planes next to the configuration itself show, where steps in general position leave the set."""
    return Local(dof, True) if dof > best.dof else best


def _independent(system: System, tangent: Tangent) -> bool:
    """Whether the rows that regularization keeps are independent, so that the configuration is a regular one; or too many to
    be looked at otherwise."""
    return tangent.dimension == system.nv - int(np.count_nonzero(system.holonomic)) or system.nv > STEPWISE
