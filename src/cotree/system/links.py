"""Rows of the link and dof tables of tree joints that are alike, in each of their coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.lie import cross, inverse, quaternion_of
from cotree.model.joints import CAYLEY as CAYLEY_NAME
from cotree.model.joints import FIRST as FIRST_NAME
from cotree.model.joints import QUATERNION, SECOND, Joint
from cotree.system.joint_frames import screws_about
from cotree.system.tables import CAYLEY, FIRST, FIXED, GROUP, SCREW, dof_t, link_t

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]
ROUNDING = 4.0 * np.finfo(float).eps


@dataclass(frozen=True)
class Alike:
    """n tree joints of one class and choice of coordinates, all along the tree or all against it, in the reference assembly.

    joint: one of them; screws (n, 6, dof) in the joint frames; on_parent, on_child: those frames on the user's parents and
    children (about the system's origin); `direct` for the velocities of SO(3) x R3; `distance` of the system's origin from
    the world's, whose size the digits of the user's numbers have. above: links that they are attached to; row, iv, iq: first
    link, velocity and coordinate of each.
    """

    joint: Joint
    screws: Array
    on_parent: Array
    on_child: Array
    inverted: bool
    direct: bool
    distance: float
    above: Numbers
    row: Numbers
    iv: Numbers
    iq: Numbers


@dataclass(frozen=True)
class TreeTables:
    """Tables to be filled; q0 is the reference assembly."""

    links: NDArray[np.void]
    dofs: NDArray[np.void]
    q0: Array

    @staticmethod
    def make(n_links: int, nv: int, nq: int) -> TreeTables:
        """Row 0 is ground."""
        tables = TreeTables(np.zeros(n_links, link_t), np.zeros(nv, dof_t), np.zeros(nq))
        tables.links["before"] = tables.links["after"] = flat(np.eye(4))
        tables.links[0]["parent"], tables.links[0]["kind"] = -1, FIXED
        return tables

    def put(self, a: Alike) -> None:
        """Fill the rows of joints that are alike."""
        if a.joint.dof == 1 or a.joint.kind == SECOND:
            self._chain(a)
        elif a.joint.kind in (FIRST_NAME, CAYLEY_NAME):
            self._canonical(a)
        else:
            self._group(a)

    def _chain(self, a: Alike) -> None:
        """One-dof motions one after another, Geo (6); against the tree in the opposite order."""
        Y, n = _screws(a, a.on_child), a.joint.dof
        for i, j in enumerate(range(n - 1, -1, -1) if a.inverted else range(n)):
            above = a.above if i == 0 else a.row + i - 1
            self._link(a.row + i, above, SCREW, 1, a.iv + j, a.iq + j, a.inverted)
            self._dof(a.iv + j, Y[:, :, j], a.row + i, a.iq + j, carried=True)

    def _canonical(self, a: Alike) -> None:
        """One exponential or Cayley map of the sum of screws, Geo (8); its columns move with the parent."""
        kind = FIRST if a.joint.kind == FIRST_NAME else CAYLEY
        Y, n = _screws(a, a.on_child), a.joint.dof
        self._link(a.row, a.above, kind, n, a.iv, a.iq, a.inverted)
        for j in range(n):
            self._dof(a.iv + j, Y[:, :, j], a.row, a.iq + j, carried=False)

    def _group(self, a: Alike) -> None:
        """The group element itself: quaternion or angle, then translations; left-trivialised velocities."""
        joint, links = a.joint, self.links
        rotations, translations = parts(joint)
        self._link(a.row, a.above, GROUP, joint.dof, a.iv, a.iq, a.inverted)
        links["rotations"][a.row], links["translations"][a.row] = rotations, sum(1 << i for i in translations)
        links["vectorial"][a.row] = joint.kind == QUATERNION
        before, after = (a.on_child, a.on_parent) if a.inverted else (a.on_parent, a.on_child)
        links["before"][a.row], links["after"][a.row] = flat(before), flat(inverse(after))
        on_child, on_parent = _screws(a, a.on_child), _screws(a, a.on_parent)
        for j, component in enumerate(joint.free):
            with_parent = a.direct and component >= 3
            Y = on_parent[:, :, j] if with_parent else on_child[:, :, j]
            place = a.iq + len(IDENTITY[rotations]) + j - rotations if component >= 3 else a.iq
            plain = place if _is_plain(joint, component, with_parent) else -1
            self._dof(a.iv + j, Y, a.row, plain, carried=with_parent == a.inverted)
        for i, x in enumerate(IDENTITY[rotations]):
            self.q0[a.iq + i] = x
        if joint.floats:
            N = inverse(a.on_parent) @ a.on_child
            self.q0[a.iq[:, None] + range(4)] = quaternion_of(N[:, :3, :3])
            self.q0[a.iq[:, None] + range(4, 7)] = N[:, :3, 3]

    def _link(
        self, row: Numbers, parent: Numbers, kind: int, nv: int, iv: Numbers, iq: Numbers, inverted: bool
    ) -> None:
        links = self.links
        links["parent"][row], links["kind"][row], links["inverted"][row] = parent, kind, inverted
        links["nv"][row], links["iv"][row], links["iq"][row] = nv, iv, iq

    def _dof(self, iv: Numbers, Y: Array, link: Numbers, iq: Numbers | int, carried: bool) -> None:
        w, v, dofs = Y[:, :3], Y[:, 3:], self.dofs
        dofs["Y"][iv], dofs["link"][iv], dofs["iq"][iv], dofs["carried"][iv] = Y, link, iq, carried
        turns = np.sum(w * w, axis=1, keepdims=True) > 0.5  # unit or zero
        dofs["foot"][iv] = np.where(turns, cross(w, v), 0.0)
        pitch = np.sum(w * v, axis=1, keepdims=True)
        noise = ROUNDING * np.linalg.norm(v, axis=1, keepdims=True)
        pitch[np.abs(pitch) <= noise] = 0.0  # a revolute does not slide at all
        dofs["slide"][iv] = np.where(turns, w * pitch, v)


IDENTITY: dict[int, tuple[float, ...]] = {0: (), 1: (0.0,), 3: (1.0, 0.0, 0.0, 0.0)}


def parts(joint: Joint) -> tuple[int, list[int]]:
    """Number of rotations and the axes of the translations that a joint lets pass."""
    return sum(i < 3 for i in joint.free), [i - 3 for i in joint.free if i >= 3]


def sizes(joint: Joint) -> tuple[int, int, int]:
    """Links, velocities and coordinates of a joint; the last link carries the body."""
    if joint.dof == 1 or joint.kind == SECOND:
        return joint.dof, joint.dof, joint.dof
    if joint.dof == 0 or joint.kind in (FIRST_NAME, CAYLEY_NAME):
        return min(joint.dof, 1), joint.dof, joint.dof
    rotations, translations = parts(joint)
    return 1, joint.dof, len(IDENTITY[rotations]) + len(translations)


def _is_plain(joint: Joint, component: int, with_parent: bool) -> bool:
    """Whether the coordinate's rate is the velocity itself: angles about e3, and translations that nothing turns."""
    rotations, _ = parts(joint)
    if component < 3:
        return rotations == 1
    return rotations == 0 or with_parent or joint.free == (2, 5)


def _screws(a: Alike, frames: Array) -> Array:
    """Screws about the system's origin, signed as the tree runs; what is only the points' rounding error becomes zero."""
    Y = screws_about(frames, a.screws)
    rounding = ROUNDING * (a.distance + np.linalg.norm(frames[:, :3, 3], axis=1))
    noise = rounding[:, None, None] * np.linalg.norm(Y[:, :3], axis=1, keepdims=True)
    Y[:, 3:][np.abs(Y[:, 3:]) <= noise] = 0.0
    return -Y if a.inverted else Y


def flat(C: Array) -> Array:
    """The 12 numbers of a pose as the kernels store it, (..., 4, 4) to (..., 12)."""
    return np.concatenate([C[..., :3, :3].reshape(*C.shape[:-2], 9), C[..., :3, 3]], axis=-1)
