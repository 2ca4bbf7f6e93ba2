"""Joint coordinates: read from q in the tree, measured across the joint where it is cut; as terms of a coupling."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import gcd, pi
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ConstraintError, ModelError
from cotree.model.constraints import Term
from cotree.model.joints import CAYLEY, Joint
from cotree.model.mechanism import Mechanism

MOST_TEETH = 10_000  # ratios of cut joints' angles are taken for fractions up to this denominator


class CoordinatePlace(NamedTuple):
    """Place in v and in q of a coordinate of the tree, or cut joint and component of the twist in its frame; -1 for what is
    not."""

    iv: int
    iq: int
    cut: int
    component: int


def place_of_term(
    term: Term,
    mech: Mechanism,
    coordinates: Mapping[str, int],
    dofs: NDArray[np.void],
    cuts: Mapping[str, int],
    who: str,
) -> CoordinatePlace:
    """Where a joint coordinate is."""
    if term.joint in cuts:
        joint = mech.joints[term.joint].joint
        component = component_across(joint, term.joint, term.coordinate, who, ConstraintError)
        return CoordinatePlace(-1, -1, cuts[term.joint], component)
    iv = coordinates[term.name]
    iq = int(dofs[iv]["iq"])
    if iq < 0:
        raise ConstraintError(
            f"{who}: {term.name!r} is a velocity without a matching coordinate; give joint {term.joint!r} "
            f"coordinates='second'"
        )
    return CoordinatePlace(iv, iq, -1, -1)


def component_across(joint: Joint, name: str, coordinate: str | None, who: str, error: type[ModelError]) -> int:
    """Component of the twist in the frame of a cut joint that is the coordinate's rate."""
    component = _free_component(joint, coordinate)
    rotations = sum(i < 3 for i in joint.free)
    turn = rotations == 1 and component == 2 and (joint.dof == 1 or joint.kind != CAYLEY)
    slide = component >= 3 and (rotations == 0 or joint.free == (2, 5))
    if not turn and not slide:
        its = name if coordinate is None else f"{name}.{coordinate}"
        raise error(
            f"{who}: joint {name!r} is cut, and {its!r} cannot be measured across a cut joint; compile in relative "
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
                f"{who}: joints {', '.join(repr(t.joint) for t in terms)} are cut, and turns cannot be counted with "
                f"a ratio that is not a simple fraction ({r / ratios[0]:.6g}); compile in relative coordinates, or "
                f"give a ratio of integers"
            )
    common = np.lcm.reduce([p.denominator for p in parts])
    return 2.0 * pi * ratios[0] * gcd(*(int(p * int(common)) for p in parts)) / int(common)


def winds(joint: Joint, coordinate: str | None) -> bool:
    """Whether whole turns of the coordinate leave the bodies where they are."""
    if joint.advance != 0.0:
        return False
    return _free_component(joint, coordinate) < 3
