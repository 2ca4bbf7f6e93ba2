"""Kinds of joints and motion groups: what they let pass (H) and what they hold (W), Geo Tables 1 and 2 corrected.

Joint frame with axis e3, components (w1 w2 w3 v1 v2 v3). Geo Table 1 prints E_1^2 for the revolute joint's E_1^3;
Table 2 shows the planar and the four-dof joint with free components in place of held ones. The twelve kinds of
subalgebras of se(3) are all here; only the universal joint is not a group.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from cotree.errors import AxisError, ModelError, NotFiniteError, UnknownNameError
from cotree.judge import REPORTED
from cotree.lie import cross
from cotree.screws.screw import Array, unit


class Kind(StrEnum):
    """Joint types by name; all but two are the types of the connected subgroups of SE(3) as well."""

    WELD = "weld"
    PRISMATIC = "prismatic"
    REVOLUTE = "revolute"
    HELICAL = "helical"
    PLANAR_TRANSLATION = "planar_translation"
    CYLINDRICAL = "cylindrical"
    UNIVERSAL = "universal"
    TRANSLATION = "translation"
    PLANAR = "planar"
    HELICAL_PLANAR = "helical_planar"  # the translating screw: planar motion that climbs as it turns
    SPHERICAL = "spherical"
    SCHOENFLIES = "schoenflies"
    FREE = "free"
    NO_GROUP = "no group"

    @property
    def is_group(self) -> bool:
        """Whether the motions of this kind form a subgroup of SE(3)."""
        return self not in (Kind.UNIVERSAL, Kind.NO_GROUP)


# Free components of the twist; the others are held.
_FREE = {
    Kind.WELD: (),
    Kind.PRISMATIC: (5,),
    Kind.REVOLUTE: (2,),
    Kind.HELICAL: (2,),
    Kind.PLANAR_TRANSLATION: (3, 4),
    Kind.CYLINDRICAL: (2, 5),
    Kind.UNIVERSAL: (0, 1),
    Kind.TRANSLATION: (3, 4, 5),
    Kind.PLANAR: (2, 3, 4),
    Kind.HELICAL_PLANAR: (2, 3, 4),
    Kind.SPHERICAL: (0, 1, 2),
    Kind.SCHOENFLIES: (2, 3, 4, 5),
    Kind.FREE: (0, 1, 2, 3, 4, 5),
}
_HELICAL = (Kind.HELICAL, Kind.HELICAL_PLANAR)
_E1_E2 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))


def motion_basis(kind: str, pitch: float = 0.0, axes: ArrayLike = _E1_E2) -> Array:
    """Free screws H, (6, dof), in twist order; `pitch` is for helical kinds, `axes` (a1, a2) for the universal."""
    k = _known(kind)
    H = _adapted(k, pitch, axes)
    return H[:, _FREE[k]]


def selector(kind: str, pitch: float = 0.0, axes: ArrayLike = _E1_E2) -> Array:
    """Held rows W, (6 - dof, 6), with W H = 0: twist components; v3 - h w3 for helical, (a1 x a2).w for universal."""
    k = _known(kind)
    held = [i for i in range(6) if i not in _FREE[k]]
    if k is Kind.UNIVERSAL:
        return _adapted(k, pitch, axes).T[held]
    return _adapted(k, -pitch, axes)[held]


def dof(kind: str) -> int:
    """Number of free screws."""
    return len(_FREE[_known(kind)])


def _known(kind: str) -> Kind:
    if kind not in _FREE:
        raise UnknownNameError(f"{kind!r} is not a kind of joint; choose one of {', '.join(_FREE)}")
    return Kind(kind)


def _adapted(kind: Kind, pitch: float, axes: ArrayLike) -> Array:
    """Basis of R6 whose free columns are the joint's: the shear v3 = h w3, or the axes a1, a2 and their normal."""
    if not np.isfinite(pitch):
        raise NotFiniteError(f"pitch {pitch} must be a finite number; for a pure translation use prismatic")
    if pitch != 0.0 and kind not in _HELICAL:
        raise ModelError(f"a {kind} joint has no pitch; use helical")
    T = np.eye(6)
    T[5, 2] = pitch
    if kind is Kind.UNIVERSAL:
        T[:3, :3] = _crossed(axes)
    return T


def _crossed(axes: ArrayLike) -> Array:
    """Columns a1, a2 and the unit normal of both."""
    a1, a2 = (unit(a) for a in np.asarray(axes, dtype=float))
    n = cross(a1, a2)
    if np.linalg.norm(n) <= REPORTED:
        raise AxisError("the axes of a universal joint are parallel; they must differ")
    return np.stack([a1, a2, unit(n)], axis=1)
