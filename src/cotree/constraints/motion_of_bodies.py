"""What a body can do against another one: the motion group that its joints and the closed loops leave it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree._shown import Shown
from cotree.model.mechanism import Body, Mechanism
from cotree.screws import Scale, Subgroup, identify, in_world
from cotree.system.arguments import system_of
from cotree.system.motion_bounds import MotionBounds
from cotree.system.reference_assembly import assemble_graph
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MotionAlgebra(Shown):
    """A motion group of SE(3) in the world frame of the reference assembly; what does not apply is None.

    kind: "revolute", "planar", "spherical", "schoenflies" and so on, "weld" for none and "free" for all motions; axis: unit
    vector of the rotation, translation or normal; point: on the axis, next to the origin, or the centre of a spherical group
    [m]; pitch: of helical kinds [m/rad]; basis: (6, dimension), twists (w, v) that span the Lie algebra.
    """

    kind: str
    dimension: int
    axis: tuple[float, float, float] | None
    point: tuple[float, float, float] | None
    pitch: float | None
    basis: Array
    words: str

    def __str__(self) -> str:
        return f"{self.words} ({self.dimension} dimension{'s' * (self.dimension != 1)})"


def motion_algebra(
    mechanism_or_system: Mechanism | System, body: Body | str | int, relative_to: Body | str | int = "ground"
) -> MotionAlgebra:
    """The smallest motion group known to hold all that `body` does against another body, in every assembled configuration.

    It follows from the joints between the two and from closed loops [Reg (25)]. The body may do less: dimensions
    (`ct.mobility` tells how many degrees of freedom there are) and constraints other than joints are not looked at.

    >>> ct.motion_algebra(ct.gallery.four_bar(), "coupler").kind
    'planar'
    """
    system = system_of(mechanism_or_system, motion_algebra)
    names = ["ground", *system.mechanism.bodies]
    rows = {row: name for name, row in system.body_rows.items()}
    a, b = (names.index(rows[system.row_of(x)]) for x in (relative_to, body))
    return shown_group(*MotionBounds.of(assemble_graph(system.mechanism, False, ())).between(a, b))


def shown_group(basis: Array, scale: Scale) -> MotionAlgebra:
    """The group of a Lie algebra whose basis is scaled, in world coordinates."""
    return _shown(in_world(identify(basis), scale), scale.undo(basis) if basis.shape[1] else basis)


def _shown(group: Subgroup, basis: Array) -> MotionAlgebra:
    return MotionAlgebra(
        str(group.kind), group.dimension, group.axis, group.point, group.pitch, basis, group.describe()
    )
