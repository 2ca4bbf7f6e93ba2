"""Constraints that are switched on: gears and couplings hold as they are then, all others only where they are fulfilled.

A switch moves nothing: q is continuous [VTM]. A row that does not hold at q would have to move bodies in no time.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_residual
from cotree.constraints.units import length_of
from cotree.errors import SwitchError
from cotree.model.constraints import Constraint, Coupling, Distance, Motion, Rolling
from cotree.system.switched import switched
from cotree.system.system import System

Array = NDArray[np.float64]
HOLDS = 1e-6  # rad, or of the system's length: a constraint that is off by less is fulfilled
SHORTEST = (
    0.1  # m: but lengths are not taken for less, the steps of a run leave errors that do not shrink with a mechanism
)


def offset_of(system: System, c: Constraint, t: float, q: Array, dropped: Collection[str] = ()) -> float:
    """By how much the sum of a gear or coupling has to be shifted for it to hold at q; others must hold as they are."""
    gap = _gap(system, c, t, q, dropped)
    if isinstance(c, Coupling) and c.word != "drive":
        return float(gap[0])
    worst = float(gap[np.argmax(np.abs(gap))]) if len(gap) else 0.0
    if abs(worst) > HOLDS * max(1.0 if _turns(system, c) else length_of(system), SHORTEST):
        raise SwitchError(f"{c.word} {c.name!r} cannot be activated at t = {t:.9g} s: {_words(system, c, worst)}")
    return 0.0


def shifted(c: Constraint, offset: float) -> Constraint:
    """A coupling whose sum differs by an offset from the one described."""
    if offset == 0.0 or not isinstance(c, Coupling):
        return c
    own = c.motion
    if not callable(own.value):
        return replace(c, motion=Motion(own.value + offset))
    value = own.value
    return replace(c, motion=Motion(lambda t: value(t) + offset, own.rate, own.acceleration))


def _gap(system: System, c: Constraint, t: float, q: Array, dropped: Collection[str]) -> Array:
    """Residual of the constraint's rows alone; rows that hold velocities only have none."""
    alone = switched(system, {c.name: c}, dropped)
    g = constraint_residual(alone, q, t)[alone.n_constraints - c.rows :]
    return np.asarray(g[np.array(c.holonomic)], dtype=np.float64)


def _turns(system: System, c: Constraint) -> bool:
    """Whether the gap is an angle."""
    if isinstance(c, (Distance, Rolling)):
        return False
    if not isinstance(c, Coupling):
        return True
    joint, term = system.mechanism.joints[c.terms[0].joint].joint, c.terms[0]
    k = 0 if term.coordinate is None else joint.coordinate_names().index("." + term.coordinate)
    return bool(joint.screws()[:3, k].any())


def _words(system: System, c: Constraint, gap: float) -> str:
    """What is wrong, and what to do."""
    if isinstance(c, Coupling):
        unit = "rad" if _turns(system, c) else "m"
        what = f"joint {c.terms[0].name!r} is {gap:+.6g} {unit} from where the drive asks it to be"
        way = "prescribe a motion that begins where the joint is, or use a motor"
    elif isinstance(c, Distance):
        what = f"the points are {gap:+.6g} m from the distance that it asks for"
        way = "give the length that they have then, or use a spring"
    elif isinstance(c, Rolling):
        what = f"body {c.body!r} is {gap:+.6g} m from its contact with the plane"
        way = "let it touch down first"
    else:
        what, way = f"its residual is {gap:+.6g}", "shift its residual by as much"
    return (
        f"{what}, and a switch moves nothing; activate it when it holds (when= a function that is zero there), or {way}"
    )
