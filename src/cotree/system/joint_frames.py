"""Joint frames and screws of the reference assembly, of many joints at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cotree.errors import FrameError
from cotree.judge import GIVEN
from cotree.lie import cross, inverse, log_se3
from cotree.model.joints import Joint
from cotree.model.mechanism import Connection

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
Key = TypeVar("Key")


def alike(keys: Iterable[Key]) -> dict[Key, Numbers]:
    """Places of each key."""
    places: dict[Key, list[int]] = {}
    for k, key in enumerate(keys):
        places.setdefault(key, []).append(k)
    return {key: np.array(which, dtype=np.int64) for key, which in places.items()}


def joint_frames(
    connections: Sequence[Connection], frames: Array, ends: Numbers, origin: Array | None = None
) -> tuple[Array, Array]:
    """Joint frames on the parents and on the children, (n, 4, 4) each, in the reference assembly; equal but for free joints.

    ends (n, 2): places of parent and child in the bodies' `frames`. All about `origin` (the world's by default), as are
    the bodies' frames: far from home no digits may be lost.
    """
    joints = [c.joint for c in connections]
    F, classes = np.empty((len(joints), 4, 4)), alike(type(j) for j in joints)
    for kind, which in classes.items():
        F[which] = kind.frames([joints[k] for k in which.tolist()])
    told = np.array([j.frame_parent is not None or j.frame_child is not None for j in joints], dtype=np.bool_)
    if origin is not None:
        F[~told, :3, 3] -= origin
    for kind, which in classes.items():
        if kind.along_body:
            plain = which[~told[which]]
            F[plain, :3, :3] = frames[ends[plain, 1], :3, :3]
    free = np.concatenate([np.zeros(0, np.int64), *(w for kind, w in classes.items() if kind.floats)])
    if not told.any() and not free.size:
        return F, F
    told[free] = False
    _put_told(F, connections, np.flatnonzero(told), frames, ends)
    on_parent, on_child = F.copy(), F
    on_parent[free], on_child[free] = _sides(joints, free, frames, ends)
    return on_parent, on_child


def _sides(joints: Sequence[Joint], which: Numbers, frames: Array, ends: Numbers) -> tuple[Array, Array]:
    """Frames in which the joint frames are given: on the parent and on the child."""
    inner = np.array([_given(joints[k].frame_parent) for k in which]).reshape(-1, 4, 4)
    outer = np.array([_given(joints[k].frame_child) for k in which]).reshape(-1, 4, 4)
    return frames[ends[which, 0]] @ inner, frames[ends[which, 1]] @ outer


def _given(frame: Array | None) -> Array:
    return np.eye(4) if frame is None else frame


def _put_told(F: Array, connections: Sequence[Connection], which: Numbers, frames: Array, ends: Numbers) -> None:
    """Joint frames specified in body-fixed frames; the child's takes precedence."""
    joints = [c.joint for c in connections]
    inner, outer = _sides(joints, which, frames, ends)
    by_child = np.array([joints[k].frame_child is not None for k in which], dtype=np.bool_)
    own = F[which]
    F[which] = np.where(by_child[:, None, None], outer, inner) @ own
    for i, k in enumerate(which):
        if by_child[i] and joints[k].frame_parent is not None:
            _check_meeting(connections[k], inverse(inner[i] @ own[i]) @ F[k])


def _check_meeting(connection: Connection, N: Array) -> None:
    """The two frames of a joint may differ by a motion of the joint only."""
    gap = motion_gap(connection.joint, N)
    if gap > GIVEN:
        raise FrameError(
            f"joint {connection.name!r}: frame_parent and frame_child do not coincide in the reference assembly (gap "
            f"{gap:.3g}); given the body poses, they may differ only by a motion of the joint"
        )


def motion_gap(joint: Joint, N: Array) -> float:
    """Distance [m, rad] of the relative pose N in the joint frame from the joint's motion space."""
    Z = joint.screws()
    if joint.crossed is not None:
        return float(max(abs(N[0, :3] @ Z[:3, 1] - Z[0, 1]), np.abs(N[:3, 3]).max()))
    X = log_se3(N)
    if joint.advance:  # the logarithm does not count full turns; along the axis they show
        X[2] += 2.0 * np.pi * round((X[5] / joint.advance - X[2]) / (2.0 * np.pi))
    inside = np.linalg.lstsq(Z, X, rcond=None)[0] if joint.dof else np.zeros(0)
    return float(np.abs(X - Z @ inside).max())


def screws_about(F: Array, Z: Array) -> Array:
    """Ad_F Z, (n, 6, k): screws Z of joint frames F (n, 4, 4) about the origin of these, (R w, R v + p x R w)."""
    R, p = F[:, :3, :3], F[:, :3, 3]
    w, v = R @ Z[:, :3], R @ Z[:, 3:]
    moment = cross(p[:, None, :], w.swapaxes(1, 2)).swapaxes(1, 2)
    return np.concatenate([w, moment + v], axis=1)
