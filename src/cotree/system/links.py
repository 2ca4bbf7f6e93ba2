"""Rows of the link and dof tables for one tree joint, in each of its coordinates."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cotree.lie.arrays import Ad, inverse, quaternion_of
from cotree.model.joints import CAYLEY as CAYLEY_NAME
from cotree.model.joints import FIRST as FIRST_NAME
from cotree.model.joints import QUATERNION, SECOND, Free, Joint
from cotree.system.tables import CAYLEY, FIRST, FIXED, GROUP, SCREW, dof_t, link_t

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Placed:
    """A joint in the reference assembly: its frame on the user's parent and child (about the system's origin), its
    place in the tree, and whether it points against it; `direct` for the velocities of SO(3) x R3; `distance` of the
    system's origin from the world's, whose size the digits of the user's numbers have."""

    joint: Joint
    on_parent: Array
    on_child: Array
    inverted: bool
    direct: bool
    distance: float = 0.0


@dataclass
class Rows:
    """Growing tables."""

    links: list[NDArray[np.void]] = field(default_factory=list)
    dofs: list[NDArray[np.void]] = field(default_factory=list)
    q0: list[float] = field(default_factory=list)

    def add(self, placed: Placed, parent: int) -> list[int]:
        """Append the links of a joint; returns their rows, the last of which carries the body."""
        first_dof, first_q = len(self.dofs), len(self.q0)
        if placed.joint.dof == 1 or placed.joint.kind == SECOND:
            return self._chain(placed, parent, first_dof, first_q)
        if placed.joint.kind in (FIRST_NAME, CAYLEY_NAME):
            return [self._canonical(placed, parent, first_dof, first_q)]
        return [self._group(placed, parent, first_dof, first_q)]

    def ground(self) -> None:
        self.links.append(_link(-1, FIXED))

    def _chain(self, placed: Placed, parent: int, iv: int, iq: int) -> list[int]:
        """One-dof motions one after another, Geo (6); against the tree in the opposite order."""
        Y = _screws(placed, placed.on_child)
        n, row = Y.shape[1], len(self.links)
        order = range(n - 1, -1, -1) if placed.inverted else range(n)
        for i, j in enumerate(order):
            above = parent if i == 0 else row + i - 1
            self.links.append(_link(above, SCREW, nv=1, iv=iv + j, iq=iq + j, inverted=placed.inverted))
        for j in range(n):
            self.dofs.append(_dof(Y[:, j], row + order.index(j), iq + j, carried=True))
        self.q0 += [0.0] * n
        return list(range(row, row + n))

    def _canonical(self, placed: Placed, parent: int, iv: int, iq: int) -> int:
        """One exponential or Cayley map of the sum of screws, Geo (8); its columns move with the parent."""
        kind = FIRST if placed.joint.kind == FIRST_NAME else CAYLEY
        Y = _screws(placed, placed.on_child)
        row, n = len(self.links), Y.shape[1]
        self.links.append(_link(parent, kind, nv=n, iv=iv, iq=iq, inverted=placed.inverted))
        self.dofs += [_dof(Y[:, j], row, iq + j, carried=False) for j in range(n)]
        self.q0 += [0.0] * n
        return row

    def _group(self, placed: Placed, parent: int, iv: int, iq: int) -> int:
        """The group element itself: quaternion or angle, then translations; left-trivialised velocities."""
        joint, row = placed.joint, len(self.links)
        rotations = sum(i < 3 for i in joint.free)
        translations = [i - 3 for i in joint.free if i >= 3]
        link = _link(parent, GROUP, nv=joint.dof, iv=iv, iq=iq, inverted=placed.inverted)
        link["rotations"], link["translations"] = rotations, sum(1 << i for i in translations)
        link["vectorial"] = joint.kind == QUATERNION
        a, b = placed.on_parent, inverse(placed.on_child)
        link["before"], link["after"] = (flat(inverse(b)), flat(inverse(a))) if placed.inverted else (flat(a), flat(b))
        self.links.append(link)
        on_child, on_parent = _screws(placed, placed.on_child), _screws(placed, placed.on_parent)
        for j, component in enumerate(joint.free):
            with_parent = placed.direct and component >= 3
            Y = on_parent[:, j] if with_parent else on_child[:, j]
            place = iq + len(IDENTITY[rotations]) + j - rotations if component >= 3 else iq
            plain = place if _is_plain(joint, component, with_parent) else -1
            self.dofs.append(_dof(Y, row, plain, carried=with_parent == placed.inverted))
        self.q0 += [*IDENTITY[rotations], *[0.0] * len(translations)]
        if isinstance(joint, Free):
            N = inverse(placed.on_parent) @ placed.on_child
            self.q0[-7:] = [*quaternion_of(N[:3, :3]), *N[:3, 3]]
        return row


IDENTITY: dict[int, tuple[float, ...]] = {0: (), 1: (0.0,), 3: (1.0, 0.0, 0.0, 0.0)}


def _is_plain(joint: Joint, component: int, with_parent: bool) -> bool:
    """Whether the coordinate's rate is the velocity itself: angles about e3, and translations that nothing turns."""
    rotations = sum(i < 3 for i in joint.free)
    if component < 3:
        return rotations == 1
    return rotations == 0 or with_parent or joint.free == (2, 5)


def _screws(placed: Placed, frame: Array) -> Array:
    """Screws about the system's origin, signed as the tree runs; what is only the points' rounding error becomes zero."""
    Y = Ad(frame) @ placed.joint.screws()
    rounding = 4.0 * np.finfo(float).eps * (placed.distance + np.linalg.norm(frame[:3, 3]))
    Y[3:][np.abs(Y[3:]) <= rounding * np.linalg.norm(Y[:3], axis=0)] = 0.0
    return -Y if placed.inverted else Y


def _link(parent: int, kind: int, nv: int = 0, iv: int = 0, iq: int = 0, inverted: bool = False) -> NDArray[np.void]:
    row = np.zeros((), link_t)
    row["parent"], row["kind"], row["nv"], row["iv"], row["iq"], row["inverted"] = parent, kind, nv, iv, iq, inverted
    row["before"] = row["after"] = flat(np.eye(4))
    return row


def _dof(Y: Array, link: int, iq: int, carried: bool) -> NDArray[np.void]:
    row = np.zeros((), dof_t)
    w, v = Y[:3], Y[3:]
    row["Y"], row["link"], row["iq"], row["carried"] = Y, link, iq, carried
    turns = w @ w > 0.5  # unit or zero
    row["foot"] = np.cross(w, v) if turns else 0.0
    row["slide"] = w * (w @ v) if turns else v
    return row


def flat(C: Array) -> Array:
    """The 12 numbers of a pose as the kernels store it."""
    return np.concatenate([C[:3, :3].ravel(), C[:3, 3]])
