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

    def along(self, tree: SpanningTree, root: int, vertex: int) -> Array:
        """Bound on the motion of `vertex` against `root` above it."""
        path = [root, *_path_below(tree, root, vertex)]
        direct = [self.screws.of[tree.edge[k]] for k in path[1:]]
        best = closure(np.concatenate(direct, axis=1)) if direct else NOTHING
        place = {k: i for i, k in enumerate(path)}
        for (a, b), known in self.known.items():
            if a in place and b in place and place[a] < place[b]:
                parts = [*direct[: place[a]], known, *direct[place[b] :]]
                best = intersection(best, closure(np.concatenate(parts, axis=1)))
        return best

    def around(self, tree: SpanningTree, loop: Loop) -> Array:
        """Closure of all joint screws of a loop."""
        edges = [tree.edge[k] for k in (*loop.tail_chain, *loop.head_chain)]
        return closure(np.concatenate([self.screws.of[a] for a in (*edges, loop.cut)], axis=1))

    def close(self, tree: SpanningTree, loop: Loop) -> None:
        """Take note that a loop is closed: each of its bodies moves as both sides allow."""
        whole = dimension(self.around(tree, loop))
        for chain, other in ((loop.tail_chain, loop.head_chain), (loop.head_chain, loop.tail_chain)):
            far = [self.along(tree, loop.root, other[-1])] if other else []
            for body in chain:
                back = [self.along(tree, body, chain[-1])] if body != chain[-1] else []
                around = closure(np.concatenate([*far, self.screws.of[loop.cut], *back], axis=1))
                if dimension(around) == whole:
                    continue  # the other way round allows all that the loop's algebra has
                near = self.along(tree, loop.root, body)
                both = intersection(near, around)
                if dimension(both) < dimension(near):
                    self.known[loop.root, body] = both

    def describe(self, basis: Array) -> Subgroup:
        """The bound as a group in world coordinates."""
        return in_world(identify(basis), self.screws.scale)


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
