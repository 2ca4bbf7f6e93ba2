"""Bounds on what a body does against another one: the motion algebra that joints and closed loops are known to leave it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from cotree.screws import Scale, closure, normalise
from cotree.system.masses import mass_centres
from cotree.system.motion_algebra import Network, joint_screws, networks
from cotree.system.reference_assembly import Assembly
from cotree.topology import ClosedGraph, SpanningTree, closing_cycles, shortest_first

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MotionBounds:
    """An assembly with all its loops closed; `by_joint` is the network of each joint's block."""

    assembly: Assembly
    by_joint: list[Network]
    points: Array  # mass centres, by which screws are scaled
    _whole: dict[int, bool] = field(
        default_factory=dict
    )  # bodies known to be bounded by nothing, or not, against ground

    @staticmethod
    def of(assembly: Assembly, left_open: Collection[str] = ()) -> MotionBounds:
        """left_open: names of joints that do not count as closed."""
        graph, tree, joints = assembly.graph, assembly.tree, assembly.joints
        by_joint, closed = networks(joint_screws(assembly)), ClosedGraph.of(graph, tree.cotree)
        for cut in shortest_first(graph, tree, [a for a in tree.cotree if joints[a].name not in left_open]):
            by_joint[cut].close(closing_cycles(graph, tree, closed, cut)[0])
            closed.close(cut)
        return MotionBounds(assembly, by_joint, mass_centres(assembly.bodies[1:], assembly.frames[1:]))

    def between(self, a: int, b: int) -> tuple[Array, Scale]:
        """(basis, scale): what vertex b does against vertex a; scaled screws in the reference assembly."""
        parts = list(self._parts(_path(self.assembly.tree, a, b)))
        if len(parts) == 1:  # as exact as the block knows it, however small that is beside the mechanism
            return parts[0]
        screws = np.concatenate([np.zeros((6, 0)), *(scale.undo(basis) for basis, scale in parts)], axis=1)
        scale = normalise(screws, self.points)
        return (closure(scale.apply(screws)) if screws.shape[1] else screws), scale

    def from_ground(self, b: int) -> tuple[Array, Scale]:
        """The same against ground; a body beyond one that can do everything can do so too."""
        entry = self._entry(b)
        if entry and self._can_all(entry):
            return np.eye(6), normalise(np.eye(6), self.points)
        return self.between(0, b)

    def _can_all(self, b: int) -> bool:
        chain = [b]
        while chain[-1] and chain[-1] not in self._whole:
            chain.append(self._entry(chain[-1]))
        for k in reversed(chain):
            if k not in self._whole:
                above = self._entry(k)
                self._whole[k] = bool(k) and ((above > 0 and self._whole[above]) or self.between(0, k)[0].shape[1] == 6)
        return self._whole[b]

    def _entry(self, b: int) -> int:
        """The last body on the way from ground that is outside of b's block; 0 for ground itself."""
        tree, n = self.assembly.tree, len(self.by_joint)
        if b == 0 or tree.edge[b] >= n:
            return 0
        block = self.by_joint[tree.edge[b]]
        while b and tree.edge[b] < n and self.by_joint[tree.edge[b]] is block:
            b = tree.parent[b]
        return b

    def _parts(self, path: list[int]) -> Iterator[tuple[Array, Scale]]:
        """(basis, scale) of the bounds along a path, for each block that it goes through."""
        tree, n = self.assembly.tree, len(self.by_joint)
        steps = [(tree.edge[y] if tree.parent[y] == x else tree.edge[x], x, y) for x, y in pairwise(path)]
        if any(edge >= n for edge, _, _ in steps):  # by a free joint that we have added
            yield np.eye(6), normalise(np.eye(6), self.points)
            return
        for _, group in groupby(steps, key=lambda s: id(self.by_joint[s[0]])):
            own = list(group)
            network = self.by_joint[own[0][0]]
            bodies = [own[0][1], *(y for _, _, y in own)]
            bound = network.along(bodies, [network.across(e, x, y) for e, x, y in own])[-1]
            yield network.algebras.bases[bound], network.screws.scale


def _path(tree: SpanningTree, a: int, b: int) -> list[int]:
    """Bodies from a to b along the tree."""
    up, down = [0, *tree.path(a)], [0, *tree.path(b)]
    common = 0
    while common < min(len(up), len(down)) and up[common] == down[common]:
        common += 1
    return [*up[common - 1 :][::-1], *down[common:]]
