"""Joint coordinates: read from q in the tree, measured across the joint where it is cut; as terms of a coupling."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import gcd, pi

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ConstraintError, ModelError
from cotree.model.constraints import Term
from cotree.model.joints import CAYLEY, Helical, Joint
from cotree.model.mechanism import Mechanism
from cotree.system.tables import term_t

MOST_TEETH = 10_000  # ratios of cut joints' angles are taken for fractions up to this denominator


def term_row(
    term: Term,
    mech: Mechanism,
    coordinates: Mapping[str, int],
    dofs: NDArray[np.void],
    cuts: Mapping[str, int],
    who: str,
) -> NDArray[np.void]:
    """Row of the table of terms."""
    row = np.zeros((), term_t)
    row["ratio"], row["cut"] = term.ratio, -1
    if term.joint in cuts:
        joint = mech.joints[term.joint].joint
        row["cut"] = cuts[term.joint]
        row["component"] = component_across(joint, term.joint, term.coordinate, who, ConstraintError)
        return row
    row["iv"] = coordinates[term.name]
    row["iq"] = dofs[row["iv"]]["iq"]
    if row["iq"] < 0:
        raise ConstraintError(
            f"{who}: {term.name!r} is a velocity without a coordinate; give joint {term.joint!r} coordinates='second'"
        )
    return row


def component_across(joint: Joint, name: str, coordinate: str | None, who: str, error: type[ModelError]) -> int:
    """Component of the twist in the frame of a cut joint that is the coordinate's rate."""
    component = _free_component(joint, coordinate)
    rotations = sum(i < 3 for i in joint.free)
    turn = rotations == 1 and component == 2 and (joint.dof == 1 or joint.kind != CAYLEY)
    slide = component >= 3 and (rotations == 0 or joint.free == (2, 5))
    if not turn and not slide:
        its = name if coordinate is None else f"{name}.{coordinate}"
        raise error(
            f"{who}: joint {name!r} is cut here and {its!r} cannot be measured across it; compile in relative "
            "coordinates, with cut= naming another joint of its loop"
        )
    return component


def _free_component(joint: Joint, coordinate: str | None) -> int:
    return joint.free[0 if coordinate is None else joint.coordinate_names().index("." + coordinate)]


def period_of(terms: tuple[Term, ...], mech: Mechanism, cuts: Mapping[str, int], who: str) -> float:
    """Largest number of which every turn of a cut joint adds a multiple to the sum; for gears one tooth."""
    ratios = [abs(t.ratio) for t in terms if t.joint in cuts and winds(mech.joints[t.joint].joint, t.coordinate)]
    if not ratios:
        return 0.0
    parts = [Fraction(r / ratios[0]).limit_denominator(MOST_TEETH) for r in ratios]
    for part, r in zip(parts, ratios, strict=True):
        if abs(float(part) * ratios[0] - r) > 1e-12 * r:
            raise ConstraintError(
                f"{who}: joints {', '.join(repr(t.joint) for t in terms)} are cut here, and turns cannot be counted in a ratio "
                f"that is no fraction ({r / ratios[0]:.6g}); compile in relative coordinates, or give a ratio of whole numbers"
            )
    common = np.lcm.reduce([p.denominator for p in parts])
    return 2.0 * pi * ratios[0] * gcd(*(int(p * int(common)) for p in parts)) / int(common)


def winds(joint: Joint, coordinate: str | None) -> bool:
    """Whether whole turns of the coordinate leave the bodies where they are."""
    if isinstance(joint, Helical) and joint.pitch != 0.0:
        return False
    return _free_component(joint, coordinate) < 3
