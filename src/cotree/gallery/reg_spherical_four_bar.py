"""The spherical four-bar of [Reg 7.1], whose matrices the paper prints."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotree.gallery.linkages import DOWN, closed_chain
from cotree.model import Mechanism

CORNERS = np.array([(1, 1, 1), (-1, 1, 1), (-1, -1, 1), (1, -1, 1)], dtype=float)
SENSES = (
    -1.0,
    -1.0,
    1.0,
    1.0,
)  # joints 1 and 2 point inward, as does 4, which is Reg's from ground and here leads to it


def reg_four_bar(flat: bool = False) -> Mechanism:
    """Four revolutes J1 to J4 whose axes meet in the origin, 1 dof, cut at J3: the two rows kept are Reg's printed ones.

    The paper gives no geometry. The printed H(q) is that of joints in four corners of a cube of edge 2 m about the centre, at
    angles of arccos(1/3) with their neighbours (so not at unit distance, as its text has it). `flat` is the reference of its
    figure: the same linkage with all axes in one plane, where one row of the Jacobian is lost but none of the constraints.
    """
    mech = closed_chain("spherical four-bar of Reg", reg_axes(flat), DOWN)
    mech.preferred_cut = ("J3",)
    return mech


def reg_axes(flat: bool = False) -> list[tuple[Any, Any]]:
    """(point, axis) of each joint."""
    corners, bend = CORNERS, np.arccos(1.0 / 3.0)
    if flat:
        corners = np.sqrt(3.0) * np.array([(np.cos(a), np.sin(a), 0.0) for a in (0.0, bend, 2 * bend, bend)])
    return [(c, s * c) for c, s in zip(corners, SENSES, strict=True)]
