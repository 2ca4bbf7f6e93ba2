"""What vanishes where a joint is closed: entries of the relative pose of its two frames, Geo Table 1 corrected, and Remark 4.

Joint frames with the axis e3 (a universal joint: its two axes), N = T_a^-1 T_b with rotation E and position p. The table's
entries vanish for axes in opposite directions too: a local map. The global one has no other zeros than closed joints.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from cotree.errors import ArgumentError, ChoiceError
from cotree.lie import log_so3
from cotree.screws.kinds import _E1_E2, Kind, _adapted, _known, motion_basis
from cotree.screws.screw import Array, unit

LOCAL, GLOBAL = "local", "global"


def joint_gap(kind: str, pose: ArrayLike, pitch: float = 0.0, axes: ArrayLike = _E1_E2, scope: str = LOCAL) -> Array:
    """(6 - dof,): entries of a pose (4, 4) that vanish where it is a motion of the joint, as printed in Geo Table 1 (with its
    misprint corrected): those of E first, then those of p.

    scope: "local", the table's entries, or "global" [Geo Remark 4], angles in their place that vanish for no other pose: a
    revolute joint whose axes have opposite directions is off by pi.

    >>> ct.screws.joint_gap("revolute", np.diag([1.0, -1.0, -1.0, 1.0])) + 0.0
    array([0., 0., 0., 0., 0.])
    """
    k = _known(kind)
    _adapted(k, pitch, axes)  # which says what is wrong
    free = motion_basis(k, pitch, axes)
    moves = np.abs(free[3:]).sum(axis=1) > 0.0
    slides = (
        tuple(bool(x) for x in moves)
        if k not in (Kind.HELICAL, Kind.HELICAL_PLANAR)
        else (*map(bool, moves[:2]), False)
    )
    a, b = (unit(x) for x in np.asarray(axes, dtype=float))
    rotations = int(np.linalg.matrix_rank(free[:3])) if free.size else 0
    return entries(rotations, slides, pitch, (a, b) if k is Kind.UNIVERSAL else None, checked_pose(pose), scope)


def checked_pose(pose: ArrayLike) -> Array:
    """A pose as an array (4, 4)."""
    N = np.asarray(pose, dtype=float)
    if N.shape != (4, 4) or not np.isfinite(N).all():
        raise ArgumentError(f"a pose must be an array (4, 4) of finite numbers; this has shape {N.shape}")
    return N


def entries(
    rotations: int,
    slides: tuple[bool, ...],
    pitch: float,
    axes: tuple[Array, Array] | None,
    N: Array,
    scope: str,
) -> Array:
    """The same by what the joint lets pass: rotations (0, 1 about e3, 3), slides along e1, e2, e3, or the two axes of a
    universal joint, in the frames of the two bodies."""
    if scope not in (LOCAL, GLOBAL):
        raise ChoiceError(f"scope is {scope!r}; choose one of {LOCAL!r}, {GLOBAL!r}")
    E, p = N[:3, :3], N[:3, 3].copy()
    if pitch != 0.0:
        p[2] -= _climbed(E, p[2], pitch)
    if axes is not None:
        turned = np.array([axes[0] @ E @ axes[1] - axes[0] @ axes[1]])
    elif rotations == 3:
        turned = np.zeros(0)
    elif rotations == 1:
        turned = E[:2, 2] if scope == LOCAL else tilt(E)
    else:
        turned = np.array([E[0, 1], E[1, 2], E[0, 2]]) if scope == LOCAL else log_so3(E)
    return np.concatenate([turned, p[~np.array(slides)]])


def _climbed(E: Array, height: float, pitch: float) -> float:
    """How far a screw joint has climbed by its angle, whose whole turns are those nearest to a height."""
    angle = np.arctan2(E[1, 0] - E[0, 1], E[0, 0] + E[1, 1])
    return float(pitch * (angle + 2.0 * np.pi * np.rint((height / pitch - angle) / (2.0 * np.pi))))


def tilt(E: Array) -> Array:
    """(2,): direction in which E turns e3, times the angle."""
    across, along = float(np.hypot(E[0, 2], E[1, 2])), float(E[2, 2])
    angle = np.arctan2(across, along)
    if across == 0.0:
        return np.array([angle, 0.0])
    return angle / across * E[:2, 2]
