"""What bodies can do against each other, as Lie algebras of screws: chains, and chains whose loops are closed.

All screws are in the reference assembly, scaled (see `cotree.screws.scale`). A bound on the motion of body b against body
a is a subalgebra that holds all their relative twists in every assembled configuration: the closure of the joint screws
between them [Reg (25)], and, once a loop is closed, the intersection of what its two sides allow.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cotree.lie.arrays import Ad, bracket
from cotree.screws import Scale, Subgroup, closure, contains, identify, in_world, intersection, normalise, sum_of
from cotree.screws.spans import dimension
from cotree.system.assembly import Assembly, joint_frames
from cotree.topology import Loop, SpanningTree

Array = NDArray[np.float64]
NOTHING = np.zeros((6, 0))


@dataclass(frozen=True)
class Screws:
    """Scaled screws (6, dof) and scaled joint frame of each physical joint in the reference assembly."""

    scale: Scale
    of: list[Array]
    frames: list[Array]
    exact: list[Array]  # world frames


def joint_screws(assembly: Assembly) -> Screws:
    """Screws of all joints with the length and origin that make them comparable."""
    world, frames, points = [], [], []
    for c, (tail, head) in zip(assembly.joints, assembly.graph.edges, strict=False):
        _, F = joint_frames(c, assembly.frames[tail], assembly.frames[head])
        frames.append(F)
        world.append(Ad(F) @ c.joint.screws())
        points.append(F[:3, 3])
    middles = [b.properties.moved(m).com for b, m in zip(assembly.bodies[1:], assembly.frames[1:], strict=True)]
    scale = normalise(np.concatenate(world, axis=1), np.array(points + middles))
    return Screws(scale, [scale.apply(Y) for Y in world], [_scaled_pose(F, scale) for F in frames], frames)


def _scaled_pose(F: Array, scale: Scale) -> Array:
    out = F.copy()
    out[:3, 3] = (F[:3, 3] - scale.origin) / scale.length
    return out


@dataclass
class Bounds:
    """Bounds on relative motions along a tree; `known` holds the tighter ones that closed loops have given."""

    screws: Screws
    known: dict[tuple[int, int], Array] = field(default_factory=dict)
    _found: dict[tuple[int, ...], Array] = field(default_factory=dict)  # by path, for the present `known`

    def along(self, tree: SpanningTree, root: int, vertex: int) -> Array:
        """Bound on the motion of `vertex` against `root` above it."""
        return self._on_path(tree, [root, *_path_below(tree, root, vertex)]) if vertex != root else NOTHING

    def _on_path(self, tree: SpanningTree, path: list[int]) -> Array:
        """Closure of the joint screws on a path, cut down by what is known of the bodies on it."""
        key = (path[0], *(tree.edge[k] for k in path[1:]))
        if key not in self._found:
            best = closure(np.concatenate([NOTHING, *(self.screws.of[a] for a in key[1:])], axis=1))
            place = {k: i for i, k in enumerate(path)} if self.known else {}
            for (a, b), known in self.known.items():
                if place.get(a, len(path)) < place.get(b, -1):
                    before = self._on_path(tree, path[: place[a] + 1])
                    behind = self._on_path(tree, path[place[b] :])
                    best = intersection(best, closure(np.concatenate([before, known, behind], axis=1)))
            self._found[key] = best
        return self._found[key]

    def sides(self, tree: SpanningTree, loop: Loop) -> tuple[Array, Array]:
        """Bounds on the bodies of the cut joint, its parent and its child, against the loop's root."""
        ends = (chain[-1] if chain else loop.root for chain in (loop.tail_chain, loop.head_chain))
        a, b = (self.along(tree, loop.root, end) for end in ends)
        return a, b

    def around(self, tree: SpanningTree, loop: Loop) -> Array:
        """Algebra of the whole loop: closure of both sides and the cut joint."""
        side_a, side_b = self.sides(tree, loop)
        key = (*loop.vertices, -1 - loop.cut)
        if key not in self._found:
            self._found[key] = closure(np.concatenate([side_a, self.screws.of[loop.cut], side_b], axis=1))
        return self._found[key]

    def close(self, tree: SpanningTree, loop: Loop) -> None:
        """Take note that a loop is closed: each of its bodies moves as both sides allow."""
        side_a, side_b = self.sides(tree, loop)
        cut = self.screws.of[loop.cut]
        whole = dimension(self.around(tree, loop))
        tighter = {}
        for chain, far in ((loop.tail_chain, side_b), (loop.head_chain, side_a)):
            for body in reversed(chain):
                around = closure(np.concatenate([far, cut, self.along(tree, body, chain[-1])], axis=1))
                if dimension(around) == whole:
                    break  # the other way round allows all that the loop's algebra has, and more so for the next body
                near = self.along(tree, loop.root, body)
                both = intersection(near, around)
                if dimension(both) < dimension(near) and not climbs(near) and not climbs(around):
                    tighter[loop.root, body] = both
        if tighter:
            self.known |= tighter
            self._found.clear()

    def describe(self, basis: Array) -> Subgroup:
        """The bound as a group in world coordinates."""
        return in_world(identify(basis), self.screws.scale)


def climbs(basis: Array) -> bool:
    """Whether an algebra's motions climb as they turn. Two groups meet in a connected one unless one of them does: then
    they may meet again after a turn, and what holds about the reference assembly need not hold there."""
    return identify(basis).pitch is not None


def _path_below(tree: SpanningTree, root: int, vertex: int) -> list[int]:
    up = []
    while vertex != root:
        up.append(vertex)
        vertex = tree.parent[vertex]
    return up[::-1]


def invariant_under(basis: Array, screws: Array) -> Array:
    """Smallest space that holds a subalgebra and that the motions of `screws` do not leave: span of nested brackets."""
    if not basis.shape[1] or contains(basis, screws):
        return basis
    space = basis
    while True:
        brackets = [bracket(y, x) for y in screws.T for x in space.T]
        grown = sum_of(space, np.array(brackets).T)
        if dimension(grown) == dimension(space):
            return space
        space = grown
