"""Poses of bodies and joints in the reference assembly, to which the parts of a picture are attached."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.lie import inverse
from cotree.model.joints import ORIGIN, Free, Joint, Schoenflies
from cotree.model.mechanism import Connection
from cotree.system.joint_frames import joint_frames
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Reference:
    """Rows are ground and the bodies of a system; all frames about the mass centre of their body (about `origin`, in the
    world, for ground), in the axes of its data.

    centres (n + 1, 3): those mass centres in the frames of the bodies' data. on_parent, on_child (m, 4, 4): joint frames
    on either body; joints without a location of their own are placed at the mass centre of the child.
    """

    system: System
    centres: Array
    joints: list[Connection]
    ends: NDArray[np.int64]  # (m, 2): rows of parent and child
    on_parent: Array
    on_child: Array

    def anchors(self, row: int) -> Array:
        """Positions (k, 3) of the joints of a body."""
        at_parent = self.on_parent[self.ends[:, 0] == row, :3, 3]
        return np.concatenate([at_parent, self.on_child[self.ends[:, 1] == row, :3, 3]])


def mass_centres(system: System, origin: Array) -> Array:
    """(n + 1, 3) in the frames of the bodies' data; `origin` for ground."""
    bodies = system.mechanism.bodies
    return np.array([origin, *(bodies[name].properties.com for name in system.body_names)])


def reference_poses(system: System) -> Array:
    """(n + 1, 4, 4): `poses` at q0, from the tables alone, so that a picture needs no compiled kernels."""
    rows = system.bodies["frame"]
    C = np.tile(np.eye(4), (len(rows), 1, 1))
    C[:, :3, :3], C[:, :3, 3] = rows[:, :9].reshape(-1, 3, 3), rows[:, 9:] + system.world["origin"][0]
    return C


def in_data(at: Reference, body: str, point: Array) -> Array:
    """A point of the world as assembled, in the frame of a body's data."""
    C = reference_poses(at.system)[at.system.body_rows[body]]
    return np.asarray(C[:3, :3].T @ (point - C[:3, 3]))


def reference(system: System, origin: Array) -> Reference:
    frames, centres = reference_poses(system), mass_centres(system, origin)
    joints = [system.mechanism.joints[name] for name in system.joint_names]
    rows = system.body_rows
    ends = np.array([(rows[c.parent], rows[c.child]) for c in joints], dtype=np.int64).reshape(-1, 2)
    on_parent, on_child = (F.copy() for F in joint_frames(joints, frames, ends))
    for k in (k for k, c in enumerate(joints) if not has_place(c.joint)):
        child = ends[k, 1]
        on_parent[k, :3, 3] = on_child[k, :3, 3] = frames[child, :3, :3] @ centres[child] + frames[child, :3, 3]
    sides = [_local(F, frames[rows], centres[rows]) for F, rows in ((on_parent, ends[:, 0]), (on_child, ends[:, 1]))]
    return Reference(system, centres, joints, ends, *sides)


def has_place(joint: Joint) -> bool:
    """Whether a joint has a location; one without a fixed axis of rotation need not."""
    if isinstance(joint, Free):
        return False
    if joint.frame_parent is not None or joint.frame_child is not None:
        return True
    anywhere = isinstance(joint, Schoenflies) or not any(i < 3 for i in joint.free)
    return "point" in joint.places and not (anywhere and tuple(joint.point) == ORIGIN)  # type: ignore[attr-defined]


def _local(F: Array, frames: Array, centres: Array) -> Array:
    """Frames of the world, (m, 4, 4), in those of the bodies, about their mass centres."""
    out = inverse(frames) @ F
    out[:, :3, 3] -= centres
    return out
