"""Connected subgroups of SE(3): a kind, and the axis, point and pitch that place it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.judge import REPORTED
from cotree.lie import Ad
from cotree.screws.kinds import Kind, dof, motion_basis
from cotree.screws.scale import Scale
from cotree.screws.screw import Array, frame_about

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Subgroup:
    """A motion group where it sits; what does not apply is None. `Kind.NO_GROUP`: a span that is not a subalgebra.

    axis: unit vector along the rotation, the translation, or the normal of a planar translation;
    point: nearest the origin on the axis, or the centre of a spherical group; pitch: of helical kinds.
    """

    kind: Kind
    dimension: int
    axis: Triple | None = None
    point: Triple | None = None
    pitch: float | None = None

    def describe(self) -> str:
        """The group in words."""
        return _WORDS[self.kind].format(
            axis=_format_triple(self.axis or ()),
            point=_format_triple(self.point or ()),
            pitch=self.pitch,
            dimension=self.dimension,
        )

    __str__ = describe


_WORDS = {
    Kind.WELD: "no motion",
    Kind.PRISMATIC: "translation along {axis}",
    Kind.REVOLUTE: "rotation about the axis through {point} along {axis}",
    Kind.HELICAL: "screw motion about the axis through {point} along {axis}, pitch {pitch:.6g}",
    Kind.PLANAR_TRANSLATION: "translation in the plane normal to {axis}",
    Kind.CYLINDRICAL: "cylindrical about the axis through {point} along {axis}",
    Kind.TRANSLATION: "all translations",
    Kind.PLANAR: "planar about {axis}",
    Kind.HELICAL_PLANAR: "planar about {axis} with advance, pitch {pitch:.6g}",
    Kind.SPHERICAL: "spherical about {point}",
    Kind.SCHOENFLIES: "Schoenflies about {axis}",
    Kind.FREE: "all rigid motions",
    Kind.NO_GROUP: "not a group (a span of dimension {dimension})",
}


def subgroup(
    kind: Kind,
    axis: NDArray[Any] | Triple | None = None,
    point: NDArray[Any] | Triple | None = None,
    pitch: float | None = None,
) -> Subgroup:
    """Subgroup with its axis turned so that the largest component is positive."""
    e = _triple(axis)
    if e is not None:
        sizes = [round(abs(x), 6) for x in e]
        if e[sizes.index(max(sizes))] < 0.0:
            e = (-e[0], -e[1], -e[2])
    return Subgroup(kind, dof(kind), e, _triple(point), pitch)


@lru_cache(maxsize=1024)  # the planar group of one normal, say, turns up in every loop of a planar mechanism
def basis_of(group: Subgroup) -> Array:
    """Basis Ad_C H of its Lie algebra, (6, dimension); closed under the bracket to rounding, orthonormal if C is a rotation
    and H has no pitch. Not to be written to."""
    basis = motion_basis(group.kind, group.pitch or 0.0)
    if group.axis is not None or group.point is not None:
        basis = Ad(frame_about(group.axis or (0.0, 0.0, 1.0), group.point or (0.0, 0.0, 0.0))) @ basis
    basis.flags.writeable = False
    return basis


def in_world(group: Subgroup, scale: Scale) -> Subgroup:
    """The group of scaled screws in world coordinates and metres."""
    point, pitch = group.point, group.pitch
    if point is not None:
        p = scale.origin + scale.length * np.array(point)
        point = _triple(p if group.axis is None else p - (p @ group.axis) * np.array(group.axis))
    return replace(group, point=point, pitch=None if pitch is None else pitch * scale.length)


def _triple(x: NDArray[Any] | Triple | None) -> Triple | None:
    return None if x is None else (float(x[0]), float(x[1]), float(x[2]))


def _format_triple(x: Sequence[float]) -> str:
    """(0, 0, 1) and the like, noise below the tolerance shown as 0."""
    small = REPORTED * max(1.0, *map(abs, x)) if x else 0.0
    return "(" + ", ".join(f"{c if abs(c) > small else 0.0:.6g}" for c in x) + ")"
