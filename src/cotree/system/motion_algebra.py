"""What bodies can do against each other, as Lie algebras of screws: chains, and chains whose loops are closed.

All screws are in the reference assembly, scaled (see `cotree.screws.scale`). A bound on the motion of body b against body
a is a subalgebra that holds all their relative twists in every assembled configuration: the closure of the joint screws
between them [Reg (25)], and, once a loop is closed, the intersection of what its two sides allow.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cotree.lie import bracket
from cotree.screws import Scale, Subgroup, closure, contains, identify, in_world, intersection, normalise, sum_of
from cotree.screws.scale import TOLERANCE
from cotree.screws.spans import dimension
from cotree.system.joint_frames import alike, joint_frames, screws_about
from cotree.system.masses import mass_centres
from cotree.system.reference_assembly import Assembly
from cotree.topology import Loop, RootedTree

Array = NDArray[np.float64]
NOTHING = np.zeros((6, 0))


@dataclass(frozen=True)
class Screws:
    """Scaled screws (6, dof) and scaled joint frame of each physical joint in the reference assembly."""

    scale: Scale
    of: list[Array]
    frames: Array


def joint_screws(assembly: Assembly) -> Screws:
    """Screws of all joints with the length and origin that make them comparable."""
    joints = [c.joint for c in assembly.joints]
    ends = np.array(assembly.graph.edges[: len(joints)])
    _, F = joint_frames(assembly.joints, assembly.frames, ends)
    columns = np.zeros((6, sum(j.dof for j in joints)))
    first = np.cumsum([0, *(j.dof for j in joints)])
    for kind, which in alike(type(j) for j in joints).items():
        Y = screws_about(F[which], kind.screws_of([joints[k] for k in which.tolist()]))
        for i in range(Y.shape[2]):
            columns[:, first[which] + i] = Y[:, :, i].T
    middles = mass_centres(assembly.bodies[1:], assembly.frames[1:])
    scale = normalise(columns, np.concatenate([F[:, :3, 3], middles]))
    scaled = np.asfortranarray(scale.apply(columns))
    frames = F.copy()
    frames[:, :3, 3] = (F[:, :3, 3] - scale.origin) / scale.length
    return Screws(scale, [scaled[:, a:b] for a, b in pairwise(first.tolist())], frames)


@dataclass
class Bounds:
    """Bounds on relative motions along a tree; `known` holds the tighter ones that closed loops have given."""

    screws: Screws
    known: dict[tuple[int, int], Array] = field(default_factory=dict)
    _below: dict[int, list[tuple[int, int]]] = field(default_factory=dict)  # (turn, b) of each `known` a, b by a
    _found: dict[tuple[int, ...], Array] = field(default_factory=dict)  # by path, for the present `known`

    def along(self, tree: RootedTree, root: int, vertex: int) -> Array:
        """Bound on the motion of `vertex` against `root` above it."""
        return self._on_path(tree, [root, *_path_below(tree, root, vertex)]) if vertex != root else NOTHING

    def _on_path(self, tree: RootedTree, path: list[int]) -> Array:
        """Closure of the joint screws on a path, cut down by what is known of the bodies on it."""
        key = (path[0], *(tree.edge[k] for k in path[1:]))
        if key not in self._found:
            best = closure(np.concatenate([NOTHING, *(self.screws.of[a] for a in key[1:])], axis=1))
            for a, b in self._known_on(path):
                before, behind = self._on_path(tree, path[: a + 1]), self._on_path(tree, path[b:])
                known = self.known[path[a], path[b]]
                best = intersection(best, closure_of_parts((before, known, behind)))
            self._found[key] = best
        return self._found[key]

    def _known_on(self, path: list[int]) -> list[tuple[int, int]]:
        """Places on a path of the pairs of bodies of which more is known, in the order in which it was found."""
        if not self.known:
            return []
        place = {k: i for i, k in enumerate(path)}
        pairs = [
            (turn, i, place[b]) for k, i in place.items() for turn, b in self._below.get(k, ()) if place.get(b, -1) > i
        ]
        return [(i, j) for _, i, j in sorted(pairs)]

    def sides(self, tree: RootedTree, loop: Loop) -> tuple[Array, Array]:
        """Bounds on the bodies of the cut joint, its parent and its child, against the loop's root."""
        ends = (chain[-1] if chain else loop.root for chain in (loop.tail_chain, loop.head_chain))
        a, b = (self.along(tree, loop.root, end) for end in ends)
        return a, b

    def around(self, tree: RootedTree, loop: Loop) -> Array:
        """Algebra of the whole loop: closure of both sides and the cut joint."""
        side_a, side_b = self.sides(tree, loop)
        key = (*loop.vertices, -1 - loop.cut)
        if key not in self._found:
            self._found[key] = closure_of_parts((side_a, side_b), self.screws.of[loop.cut])
        return self._found[key]

    def close(self, tree: RootedTree, loop: Loop) -> None:
        """Take note that a loop is closed: each of its bodies moves as both sides allow."""
        side_a, side_b = self.sides(tree, loop)
        cut = self.screws.of[loop.cut]
        whole = dimension(self.around(tree, loop))
        tighter = {}
        for chain, far in ((loop.tail_chain, side_b), (loop.head_chain, side_a)):
            for body in reversed(chain):
                around = closure_of_parts((far, self.along(tree, body, chain[-1])), cut)
                if dimension(around) == whole:
                    break  # the other way round allows all that the loop's algebra has, and more so for the next body
                near = self.along(tree, loop.root, body)
                both = intersection(near, around)
                if dimension(both) < dimension(near) and not climbs(near) and not climbs(around):
                    tighter[loop.root, body] = both
        if tighter:
            for (a, b), bound in tighter.items():
                if (a, b) not in self.known:
                    self._below.setdefault(a, []).append((len(self.known), b))
                self.known[a, b] = bound
            self._found.clear()

    def describe(self, basis: Array) -> Subgroup:
        """The bound as a group in world coordinates."""
        return in_world(identify(basis), self.screws.scale)


def closure_of_parts(algebras: tuple[Array, ...], screws: Array = NOTHING) -> Array:
    """Closure of subalgebras and screws together: the largest of the subalgebras, if it holds all of them."""
    largest = max(algebras, key=dimension)
    everything = np.concatenate([*algebras, screws], axis=1)
    outside = everything - largest @ (largest.T @ everything)
    return largest if np.linalg.norm(outside) <= TOLERANCE else closure(everything)


def climbs(basis: Array) -> bool:
    """Whether an algebra's motions climb as they turn. Two groups meet in a connected one unless one of them does: then
    they may meet again after a turn, and what holds about the reference assembly need not hold there."""
    return identify(basis).pitch is not None


def _path_below(tree: RootedTree, root: int, vertex: int) -> list[int]:
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
