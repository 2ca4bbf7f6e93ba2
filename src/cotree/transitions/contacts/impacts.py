"""Impacts with friction at fixed positions: Newton's and Poisson's laws, and the energy that they must not create.

Newton: 0 <= u_N+ + e u_N-, at right angles to P_N. Poisson: a first phase ends with u_N >= 0, the second gives back the part
e of its normal impulse. Kane's example shows that Newton's law can create energy where there is friction; each impact is tested
by its work 1/2 P (u+ + u-), and Poisson's law taken instead, then none of the restitution, where that is positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ChoiceError
from cotree.transitions.contacts.cones import LAWS
from cotree.transitions.contacts.solve import ConeSolution, solve_cones

Array = NDArray[np.float64]
CREATED = 1e-12  # relative: work that is rounding


@dataclass(frozen=True, eq=False)
class ContactImpact:
    """Impulses P and velocities u after the impact, block by block; work: of the impulses, never positive; law: the one that
    was followed, which differs from the one asked for where that creates energy; solution: that of the last phase."""

    P: Array
    u: Array
    work: float
    law: str
    solution: ConeSolution

    @property
    def solved(self) -> bool:
        return self.solution.solved


def solve_impact(G: Array, before: Array, cones: Any, restitution: Any, law: str = "newton") -> ContactImpact:
    """Impact of contacts with velocities `before`; restitution: one number, or one for each cone."""
    if law not in LAWS:
        raise ChoiceError(f"law is {law!r}; choose one of {', '.join(map(repr, LAWS))}")
    e = np.broadcast_to(np.asarray(restitution, dtype=np.float64), len(cones))
    found = _impact(G, before, cones, e, law)
    while found.law != LAWS[-1] and found.work > CREATED * float(np.abs(found.P) @ (np.abs(found.u) + np.abs(before))):
        found = _impact(G, before, cones, e, LAWS[LAWS.index(found.law) + 1])
    return found


def _impact(G: Array, before: Array, cones: Any, e: Array, law: str) -> ContactImpact:
    P, last = _PHASES[law](G, before, cones, e)
    u = G @ P + before
    return ContactImpact(P, u, 0.5 * float(P @ (u + before)), law, last)


def _newton(G: Array, before: Array, cones: Any, e: Array) -> tuple[Array, ConeSolution]:
    rows = cones["first"][cones["normal"] == 1]
    b = before.copy()
    b[rows] += e[cones["normal"] == 1] * np.minimum(before[rows], 0.0)
    found = solve_cones(G, b, cones)
    return found.P, found


def _plastic(G: Array, before: Array, cones: Any, e: Array) -> tuple[Array, ConeSolution]:
    return _newton(G, before, cones, np.zeros(len(cones)))


def _poisson(G: Array, before: Array, cones: Any, e: Array) -> tuple[Array, ConeSolution]:
    first = solve_cones(G, before, cones)
    has, back = cones["normal"] == 1, np.zeros(len(before))
    rows = cones["first"][has]
    back[rows] = e[has] * first.P[rows]
    second = cones.copy()
    second["radius"][has] += cones["mu"][has] * back[rows]
    found = solve_cones(G, G @ back + first.u, second)
    worst = found if found.residual >= first.residual else first
    return first.P + back + found.P, worst


_PHASES = {"newton": _newton, "poisson": _poisson, "plastic": _plastic}
