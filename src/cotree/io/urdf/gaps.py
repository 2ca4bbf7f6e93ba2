"""How far the loops of a robot are open, as a function of the coordinates of its tree, with the derivative.

A closing joint with the frames A on its parent and B on its child holds a linear part of N - I, N = A^-1 B: smooth for every
rotation, and zero just where the frames meet up to the joint's motion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.io.robots.description import Joint, Robot
from cotree.io.robots.joints import BALLS, HINGES
from cotree.io.urdf.link_poses import motion, order, placed_links, screws
from cotree.lie import inverse

Array = NDArray[np.float64]


def held(joint: Joint, M: Array, size: float) -> Array:
    """What a closing joint holds of M = N - I; lengths in units of `size`."""
    e = np.array(joint.axis) / np.linalg.norm(joint.axis)
    R, p = M[:3, :3], M[:3, 3] / size
    along, across = np.array([e @ p]), p - e * (e @ p)
    if joint.kind in HINGES:
        return np.concatenate([p, R @ e])
    if joint.kind == "prismatic":
        return np.concatenate([across, R.ravel()])
    if joint.kind == "cylindrical":
        return np.concatenate([across, R @ e])
    if joint.kind == "planar":
        return np.concatenate([along, R @ e])
    if joint.kind == "universal":
        return np.array([*p, e @ R @ np.array(joint.axis2)])
    return p if joint.kind in BALLS else np.concatenate([p, R.ravel()])


def gap(joint: Joint, poses: Mapping[str, Array], size: float) -> Array:
    """Of one closing joint, with the links at these poses."""
    N = inverse(poses[joint.parent] @ joint.on_parent) @ poses[joint.child] @ joint.on_child
    return held(joint, N - np.eye(4), size)


@dataclass(frozen=True)
class Gaps:
    """All loops: `tree` are the joints that move something in them, in the order of the coordinates x."""

    robot: Robot
    loops: Sequence[Joint]
    size: float
    tree: Sequence[Joint]
    parent_of: Mapping[str, Joint]

    @staticmethod
    def of(robot: Robot, loops: Sequence[Joint], size: float) -> Gaps:
        whole = order(robot)
        parent_of = {joint.child: joint for joint in whole}
        ways = {name for loop in loops for name in _way(loop, parent_of)}
        ways |= {m for j in whole if j.mimic for m in (j.name, j.mimic.joint)}
        tree = [joint for joint in whole if joint.name in ways and screws(joint).shape[1]]
        return Gaps(robot, loops, size, tree, parent_of)

    @property
    def places(self) -> dict[str, slice]:
        """Of each joint's coordinates in x."""
        ends = np.cumsum([0, *(screws(joint).shape[1] for joint in self.tree)]).tolist()
        return {joint.name: slice(a, b) for joint, a, b in zip(self.tree, ends[:-1], ends[1:], strict=True)}

    def named(self, x: Array) -> dict[str, Array]:
        return {name: x[place] for name, place in self.places.items()}

    def residual(self, x: Array) -> Array:
        """Gaps of the loops, then q - multiplier q_other - offset of the joints that follow others."""
        poses = placed_links(self.robot, self.named(x))
        follow = [x[a] - factor * x[b] - offset for a, b, factor, offset in self._follows()]
        return np.concatenate([*(gap(loop, poses, self.size) for loop in self.loops), np.array(follow)])

    def jacobian(self, x: Array) -> Array:
        """dN = A^-1 (V_B - V_A)^ B, with the world screws of the joints on the two ways to the loop's ends."""
        from cotree.lie import hat

        at, places = self.named(x), self.places
        poses = placed_links(self.robot, at)
        Y = {j.name: _world_screws(j, poses[j.parent] @ j.on_parent, at[j.name]) for j in self.tree}
        blocks = []
        for loop in self.loops:
            A, B = poses[loop.parent] @ loop.on_parent, poses[loop.child] @ loop.on_child
            block = np.zeros((len(held(loop, B, 1.0)), len(x)))
            for name, sign in _way(loop, self.parent_of).items():
                for k, y in zip(range(len(x))[places[name]] if name in places else (), Y.get(name, B).T, strict=False):
                    block[:, k] = sign * held(loop, inverse(A) @ hat(y) @ B, self.size)
            blocks.append(block)
        follow = np.zeros((len(self._follows()), len(x)))
        for row, (a, b, factor, _) in zip(follow, self._follows(), strict=True):
            row[a], row[b] = 1.0, -factor
        return np.concatenate([*blocks, follow])

    def _follows(self) -> list[tuple[int, int, float, float]]:
        places = self.places
        pairs = [(joint, joint.mimic) for joint in self.tree if joint.mimic and joint.mimic.joint in places]
        return [(places[j.name].start, places[m.joint].start, m.multiplier, m.offset) for j, m in pairs if m]


def _way(loop: Joint, parent_of: Mapping[str, Joint]) -> dict[str, float]:
    """Joints between the ends of a loop: +1 on the way to the child, -1 on that to the parent; the common ones cancel."""
    signs: dict[str, float] = {}
    for end, sign in ((loop.child, 1.0), (loop.parent, -1.0)):
        while end in parent_of:
            joint = parent_of[end]
            signs[joint.name] = signs.get(joint.name, 0.0) + sign
            end = joint.parent
    return {name: sign for name, sign in signs.items() if sign}


def _world_screws(joint: Joint, P: Array, x: Array) -> Array:
    """(6, dof): motion of the outer body for a unit rate of each coordinate; P: the joint frame on its parent."""
    from cotree.lie import Ad, dexp_spatial  # slow to load, and not needed to see that loops are closed

    Z = screws(joint)
    if joint.kind == "universal":
        return np.column_stack([Ad(P) @ Z[:, 0], Ad(P @ motion(joint, np.array([x[0], 0.0]))) @ Z[:, 1]])
    return np.asarray(Ad(P) @ dexp_spatial(Z @ x) @ Z)
