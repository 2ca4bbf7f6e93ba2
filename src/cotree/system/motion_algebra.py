"""What bodies can do against each other, as Lie algebras of screws, in a network of joints and closed cycles.

All screws are in the reference assembly, scaled (see `cotree.screws.scale`). A bound on the motion of body b against body a is
a subalgebra that holds all their relative twists in every assembled configuration: the closure of the joint screws on a path
between them [Reg (25)], and, once a cycle is closed, the intersection of what its two sides allow. Bounds follow from each
other until nothing changes any more; they do not depend on which body is ground, nor on the order of the joints.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from cotree.lie import bracket
from cotree.screws import Scale, contains, dimension, normalise, sum_of
from cotree.system.algebras import NOTHING, Algebras
from cotree.system.joint_frames import alike, joint_frames, screws_about
from cotree.system.loop_points import loop_points
from cotree.system.masses import mass_centres
from cotree.system.reference_assembly import Assembly
from cotree.topology import Cycle, blocks

Array = NDArray[np.float64]
ALL_PAIRS = 12  # cycles up to this length are looked at from each of their bodies, longer ones from that many of them
ROUNDS = 50  # times the number of cycles looked at anew after one was closed; bounds only shrink, six times at most


@dataclass(frozen=True)
class Screws:
    """Scaled screws (6, dof) and scaled frame of each joint that has a length and origin in common with the others."""

    scale: Scale
    of: dict[int, Array]
    frames: dict[int, Array]


def joint_screws(assembly: Assembly) -> list[Screws]:
    """For each joint the screws of its block: those of the joints with which it shares cycles, and a scale of their own, so
    that a small loop beside a large mechanism is seen as well as alone."""
    joints = [c.joint for c in assembly.joints]
    ends = np.array(assembly.graph.edges[: len(joints)]).reshape(-1, 2)
    _, F = joint_frames(assembly.joints, assembly.frames, ends)
    columns = np.zeros((6, sum(j.dof for j in joints)))
    first = np.cumsum([0, *(j.dof for j in joints)])
    for kind, which in alike(type(j) for j in joints).items():
        Y = screws_about(F[which], kind.screws_of([joints[k] for k in which.tolist()]))
        for i in range(Y.shape[2]):
            columns[:, first[which] + i] = Y[:, :, i].T
    middles = np.concatenate([np.full((1, 3), np.nan), mass_centres(assembly.bodies[1:], assembly.frames[1:])])
    out: list[Screws] = [None] * len(joints)  # type: ignore[list-item]
    spans = list(pairwise(first.tolist()))
    for which in alike(blocks(assembly.graph)[: len(joints)]).values():
        own = Screws(_scale(columns, spans, F, ends, middles, which), {}, {})
        frames = F[which]
        frames[:, :3, 3] = (frames[:, :3, 3] - own.scale.origin) / own.scale.length
        scaled = own.scale.apply(columns[:, _places(spans, which)])
        start = 0
        for a, frame in zip(which.tolist(), frames, strict=True):
            out[a], dof = own, spans[a][1] - spans[a][0]
            own.of[a], own.frames[a], start = scaled[:, start : start + dof], frame, start + dof
    return out


def _scale(
    columns: Array, spans: list[tuple[int, int]], F: Array, ends: Array, middles: Array, which: NDArray[np.int64]
) -> Scale:
    """Length and origin of some joints and the bodies between them, but for ground."""
    bodies = np.unique(ends[which])
    return normalise(columns[:, _places(spans, which)], loop_points(F[which, :3, 3], middles[bodies[bodies > 0]]))


def _places(spans: list[tuple[int, int]], which: NDArray[np.int64]) -> NDArray[np.int64]:
    """Columns of some joints."""
    return np.array([k for a in which.tolist() for k in range(*spans[a])], dtype=np.int64)


@dataclass
class Network:
    """Bounds on relative motions within one block; `known` holds those that closed cycles have given, both ways round."""

    screws: Screws
    algebras: Algebras = field(default_factory=Algebras)
    known: dict[int, dict[int, int]] = field(default_factory=dict)
    _own: dict[int, int] = field(default_factory=dict)  # algebra of each joint alone
    _cycles: list[Cycle] = field(default_factory=list)  # those that are closed
    _at: dict[int, set[int]] = field(default_factory=dict)  # and those of them at each vertex

    def across(self, edge: int, a: int, b: int) -> int:
        """Bound on what a joint between two bodies does."""
        if edge not in self._own:
            self._own[edge] = self.algebras.of_screws(self.screws.of[edge])
        known = self.known.get(a, {}).get(b)
        return self._own[edge] if known is None else self.algebras.meet(self._own[edge], known)

    def sides(self, cycle: Cycle) -> tuple[list[int], list[int]]:
        """For each body of a cycle as the root: bounds on both bodies of the cut joint against it, without that joint."""
        V = cycle.vertices
        E = [self.across(e, *ends) for e, ends in zip(cycle.edges[:-1], pairwise(V), strict=True)]
        return self.along(V, E), self.along(V[::-1], E[::-1])[::-1]

    def around(self, cycle: Cycle) -> int:
        """Algebra of a whole cycle: closure of all its joints, cut down by what is known of their bodies."""
        V = (*cycle.vertices, cycle.vertices[0])
        return self.algebras.joined(self.across(e, *ends) for e, ends in zip(cycle.edges, pairwise(V), strict=True))

    def along(self, V: Sequence[int], E: Sequence[int]) -> list[int]:
        """Bounds on the bodies of a path against its first one, by the joints between them and by what is known."""
        join, meet, place, out = self.algebras.join, self.algebras.meet, {}, [NOTHING]
        for k in range(1, len(V)):
            place[V[k - 1]] = k - 1
            best = join(out[-1], E[k - 1])
            for i, bound in _on(place, self.known.get(V[k])):
                best = meet(best, join(out[i], bound))
            out.append(best)
        return out

    def close(self, cycle: Cycle) -> None:
        """Take note that a cycle is closed: each of its bodies moves against each other one as both sides allow."""
        new = len(self._cycles)
        self._cycles.append(cycle)
        for v in cycle.vertices:
            self._at.setdefault(v, set()).add(new)
        waiting, left = {new: None}, ROUNDS
        while waiting and left:
            number, left = next(iter(waiting)), left - 1
            del waiting[number]
            for a, b in self._tightened(self._cycles[number]):
                waiting |= dict.fromkeys(self._at.get(a, set()) & self._at.get(b, set()))

    def _tightened(self, cycle: Cycle) -> list[tuple[int, int]]:
        """Pairs of bodies of which more is known by a cycle than before."""
        V, changed = cycle.vertices, []
        E = [self.across(e, *ends) for e, ends in zip(cycle.edges, pairwise((*V, V[0])), strict=True)]
        n, size = len(V), self.algebras.dimension
        if self._all_alike(V, E):
            return []
        for i in range(0, n, max(1, -(-n // ALL_PAIRS))):
            there, back = (*V[i:], *V[:i]), (V[i], *V[:i][::-1], *V[i + 1 :][::-1])
            ahead = self.along(there, [*E[i:], *E[:i]])
            behind = self.along(back, ([*E[i:], *E[:i]])[::-1])
            for k in range(1, n):
                # what a joint alone tells need not be kept for itself, but for another one between the same two bodies
                fewest = min if k in (1, n - 1) and n > 2 else max
                least = fewest(size(ahead[k]), size(behind[n - k]))
                if self._noted(there[0], there[k], self.algebras.meet(ahead[k], behind[n - k]), least):
                    changed.append((there[0], there[k]))
        return changed

    def _all_alike(self, V: Sequence[int], E: Sequence[int]) -> bool:
        """Whether any two joints in a row make up the algebra of the whole cycle, so that nothing follows of its bodies."""
        if len(V) < 3 or any(v in self.known for v in V):
            return False
        whole = self.algebras.joined(E)
        return all(self.algebras.join(a, b) == whole for a, b in pairwise((*E, E[0])))

    def _noted(self, a: int, b: int, both: int, least: int) -> bool:
        """Keep what two ways between a pair of bodies have in common, if its dimension is less than told."""
        size = self.algebras.dimension
        if size(both) >= least:
            return False
        before = self.known.get(a, {}).get(b)
        now = both if before is None else self.algebras.meet(before, both)
        if before is not None and size(now) == size(before):
            return False
        self.known.setdefault(a, {})[b] = self.known.setdefault(b, {})[a] = now
        return True


def _on(place: dict[int, int], known: dict[int, int] | None) -> list[tuple[int, int]]:
    """Of bounds by bodies those of bodies on a path, with their places; whichever is shorter is gone through."""
    if not known:
        return []
    if len(known) < len(place):
        return [(place[body], bound) for body, bound in known.items() if body in place]
    return [(i, known[body]) for body, i in place.items() if body in known]


def networks(screws: Iterable[Screws]) -> list[Network]:
    """For each joint the network of its block."""
    made: dict[int, Network] = {}
    out = []
    for own in screws:
        if id(own) not in made:
            made[id(own)] = Network(own)
        out.append(made[id(own)])
    return out


def invariant_under(basis: Array, screws: Array) -> Array:
    """Smallest space that holds a subalgebra and that the motions of `screws` do not leave: span of nested brackets."""
    if not basis.shape[1] or not screws.shape[1] or contains(basis, screws):
        return basis
    space = basis
    while True:
        brackets = [bracket(y, x) for y in screws.T for x in space.T]
        grown = sum_of(space, np.array(brackets).T)
        if dimension(grown) == dimension(space):
            return space
        space = grown
