"""What a body can do against another one: the motion group that its joints and the closed loops leave it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cotree._shown import Shown
from cotree.constraints.observed_motion import observed_twists
from cotree.constraints.perturbed import bare
from cotree.judge import REPORTED
from cotree.model.mechanism import Body, Mechanism
from cotree.screws import Scale, Subgroup, closure, contains, identify, in_world, span
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
    [m]; pitch: of helical kinds [m/rad]; basis: (6, dimension), twists (w, v) that span the Lie algebra. proven: whether it
    holds in every assembled configuration; else it was found by moving the mechanism near its reference assembly.
    """

    kind: str
    dimension: int
    axis: tuple[float, float, float] | None
    point: tuple[float, float, float] | None
    pitch: float | None
    basis: Array
    words: str
    proven: bool = True

    def __str__(self) -> str:
        how = "" if self.proven else ", found by moving it near the reference assembly"
        return f"{self.words} ({self.dimension} dimension{'s' * (self.dimension != 1)}{how})"


def motion_algebra(
    mechanism_or_system: Mechanism | System, body: Body | str | int, relative_to: Body | str | int = "ground"
) -> MotionAlgebra:
    """Find the smallest motion group that contains all motions of one body relative to another.

    It follows from the joints between the two and from closed loops [Reg (25)]. Constraints
    other than joints are not considered, and the body may have fewer degrees of freedom than
    the group.

    Parameters
    ----------
    mechanism_or_system : Mechanism or System
        A mechanism is compiled with the default options.
    body : Body, str or int
        The body, its name or its row.
    relative_to : Body, str or int, optional
        The other body.

    Returns
    -------
    MotionAlgebra
        `.kind`, `.dimension`, `.axis`, `.point`, `.pitch`, `.basis`; `.proven` is False
        where the group was only seen near several configurations.

    Examples
    --------
    >>> ct.theory.motion_algebra(ct.gallery.four_bar(), "coupler").kind
    'planar'
    """
    system = system_of(mechanism_or_system, motion_algebra)
    names = ["ground", *system.mechanism.bodies]
    rows = {row: name for name, row in system.body_rows.items()}
    a, b = (names.index(rows[system.row_of(x)]) for x in (relative_to, body))
    basis, scale = MotionBounds.of(assemble_graph(system.mechanism, False, ())).between(a, b)
    seen = _seen(system, names[a], names[b], scale) if system.n_loops and basis.shape[1] else None
    if seen is None or seen.shape[1] >= basis.shape[1] or not contains(basis, seen, REPORTED):
        return shown_group(basis, scale)
    return replace(shown_group(seen, scale), proven=False)


def _seen(system: System, a: str, b: str, scale: Scale) -> Array | None:
    """Basis of the Lie algebra of what body b was seen to do against body a, scaled."""
    own = bare(system.mechanism).compiled()
    twists = observed_twists(own, own.row_of(a), own.row_of(b))
    if twists is None:
        return None
    return closure(span(scale.apply(twists), REPORTED), REPORTED) if twists.shape[1] else np.zeros((6, 0))


def shown_group(basis: Array, scale: Scale) -> MotionAlgebra:
    """The group of a Lie algebra whose basis is scaled, in world coordinates."""
    return _shown(in_world(identify(basis), scale), scale.undo(basis) if basis.shape[1] else basis)


def _shown(group: Subgroup, basis: Array) -> MotionAlgebra:
    return MotionAlgebra(
        str(group.kind), group.dimension, group.axis, group.point, group.pitch, basis, group.describe()
    )
