"""Geometric regularization [Reg]: which rows of a cut joint its loop needs, decided once, valid in every configuration.

The relative twists at the cut joint, seen in the joint frame T on body b, lie in the space
    B = D_b + (D_a, moved by the joint itself),
D_a, D_b the motion algebras of the two sides against any body of the loop, its root. Only the image of W B has to be held. The
paper takes D_a as it is, Reg (27), which is right when the joint's screws belong to D_a; else the joint's motion turns D_a
against T and the space must be closed under it, or a needed row is lost (a ball joint between a ball-jointed and a cylindrical
arm, drawn where the joint's sphere and cylinder touch, keeps 2 rows by Reg (27) and needs 3 anywhere else). Of the joint's
screws Y just those count with which it can move while the loop is closed, Y n Lie(D_a, D_b): a ball joint in a planar loop
turns about the normal only. Each root gives such a space, and the twists lie in all of them. With T on body a the roles
change; the smaller result wins.

Loops are taken in turn, short ones first, through joints of loops that are closed already as well as through the tree. What a
loop implies about its bodies serves those that follow (`motion_algebra`), never the rows on which it rests itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.lie import Ad, cross, inverse
from cotree.model.joints import Joint
from cotree.screws import (
    TOLERANCE,
    Scale,
    Subgroup,
    closure,
    contains,
    dimension,
    identify,
    in_world,
    intersection,
    motion_group,
    sum_of,
)
from cotree.system.algebras import EVERYTHING, Algebras
from cotree.system.motion_algebra import Network, invariant_under, joint_screws, networks
from cotree.system.reference_assembly import Assembly
from cotree.system.tree_choice import uncuttable
from cotree.topology import (
    ChangingTree,
    ClosedGraph,
    Cycle,
    Graph,
    Loop,
    RootedTree,
    SpanningTree,
    closing_cycles,
    fundamental_loop,
    shortest_first,
)

Array = NDArray[np.float64]
NOTHING = np.zeros((6, 0))


def selector(joint: Joint, length: float = 1.0) -> Array:
    """W (rows, 6): what the joint holds of a twist in its frame; lengths measured in `length`."""
    W = _held(joint.free)[1]
    if joint.advance:
        W = W.copy()
        W[-1, 2] = -joint.advance / length
    return W


@cache
def _held(free: tuple[int, ...]) -> tuple[NDArray[np.int64], Array]:
    """Components of the twist that are not free, and the rows of the identity that pick them."""
    held = np.array([i for i in range(6) if i not in free], dtype=np.int64)
    W = np.eye(6)[held]
    W.flags.writeable = False
    return held, W


@dataclass(frozen=True)
class LoopRows:
    """One loop after analysis: rows kept (kept, 6) on the twist in the joint frame, on body a (the joint's parent) or b;
    for a universal joint (kept, 4) on (v, turn). Screws that span the motion algebras of the two sides against the root, and
    `space`, B in the joint frame, tell why. trivial: rows and the cut joint's motion make up the motion algebra of the loop;
    in_one_group: they do so for this cut or for another one that takes as much."""

    loop: Loop
    joint: str
    on_a: bool
    select: Array
    full: int
    scale: Scale
    root: int
    side_a: Array
    side_b: Array
    space: Array
    trivial: bool
    needed_at_reference: int
    in_one_group: bool = False

    def words(self) -> tuple[Subgroup, Subgroup]:
        """Motion groups of the two sides against the loop's root."""
        a, b = (in_world(motion_group(side), self.scale) for side in (self.side_a, self.side_b))
        return a, b

    @property
    def kept(self) -> int:
        return len(self.select)

    @property
    def least(self) -> bool:
        """Whether no other cut leaves more freedom: the loop is trivial, and all rows count in the reference assembly."""
        return self.trivial and self.kept <= self.needed_at_reference


def full_rows(joint: Joint) -> Array:
    """All rows of a cut joint."""
    return selector(joint) if joint.crossed is None else np.eye(4)


def regularize(
    assembly: Assembly,
    tree: SpanningTree,
    search: bool,
    active: bool = True,
    watch: Callable[[int, list[LoopRows]], None] | None = None,
) -> tuple[SpanningTree, list[LoopRows]]:
    """Rows of each loop, taken in turn; with `search` the cut joint of a loop may be exchanged for a better, without `active`
    all rows are kept. watch: is told the loop's number and what each possible cut of it would keep.

    Joints of loops taken before stay as they are: what those loops need was found with them, and what their closure implies
    about the bodies must not be used to drop the rows of a joint that it rests on."""
    graph, done = assembly.graph, {}
    by_joint = networks(joint_screws(assembly))
    settled: set[int] = set(uncuttable(assembly.joints)) | _at_massless(assembly)
    changing, closed = ChangingTree.of(graph, tree), ClosedGraph.of(graph, tree.cotree)
    for cut in shortest_first(graph, changing, tree.cotree):
        cycles = closing_cycles(graph, changing, closed, cut)
        best = analyse(assembly, by_joint[cut], changing, cycles)
        if watch is not None:
            watch(tree.cotree.index(cut), _all_cuts(assembly, by_joint[cut], changing, best, cycles, settled))
        if search and not best.least:
            best, cycles = _better_cut(assembly, by_joint[cut], changing, closed, best, cycles, settled)
        done[cut] = best
        closed.close(best.loop.cut)
        by_joint[cut].close(cycles[0])
        settled |= {edge for cycle in cycles for edge in cycle.edges}
    rows = [done[cut] for cut in tree.cotree]
    if changing.cotree != set(tree.cotree):
        tree = changing.settled()
        rows = [replace(r, loop=fundamental_loop(graph, tree, r.loop.cut)) for r in rows]
    if not active:
        rows = [replace(r, on_a=False, select=full_rows(assembly.joints[r.loop.cut].joint)) for r in rows]
    return tree, rows


def _at_massless(assembly: Assembly) -> set[int]:
    """Joints of bodies without mass: cut there, these would hang on with nothing behind them."""
    light = {k for k, body in enumerate(assembly.bodies) if k and not body.properties.mass}
    return {a for a, ends in enumerate(assembly.graph.edges) if light.intersection(ends)} if light else set()


def _better_cut(
    assembly: Assembly,
    network: Network,
    tree: ChangingTree,
    closed: ClosedGraph,
    first: LoopRows,
    cycles: list[Cycle],
    settled: set[int],
) -> tuple[LoopRows, list[Cycle]]:
    """Try every joint of the cycles that is not settled; fewer rows for the coordinates that remain wins, then one that nothing
    acts on, then the first. The tree is left with the winner cut."""
    best, loop, found, tried = first, first.loop, cycles, [first]
    shared = set.intersection(*(set(c.edges) for c in cycles)) - settled
    for edge in [e for e in _from_root(tree, loop) if e in shared]:
        moved = [_cut_at(assembly.graph, c, edge) for c in cycles]
        tree.exchange(loop, edge)
        rows = analyse(assembly, network, tree, moved)
        tree.exchange(rows.loop, loop.cut)
        tried.append(rows)
        if _cost(assembly, rows) < _cost(assembly, best):
            best, found = rows, moved
        if best.least and best.loop.cut not in assembly.used:
            break
    if best is not first:
        tree.exchange(loop, best.loop.cut)
        closed.close(loop.cut)
        closed.open(best.loop.cut)
    least = _cost(assembly, best)[0]
    return replace(best, in_one_group=any(r.trivial and _cost(assembly, r)[0] == least for r in tried)), found


def _all_cuts(
    assembly: Assembly,
    network: Network,
    tree: ChangingTree,
    first: LoopRows,
    cycles: list[Cycle],
    settled: set[int],
) -> list[LoopRows]:
    """What each joint of a loop at which it can be cut would keep, its present cut first; the tree is left as it was."""
    out, loop = [first], first.loop
    shared = set.intersection(*(set(c.edges) for c in cycles)) - settled
    for edge in [e for e in _from_root(tree, loop) if e in shared]:
        tree.exchange(loop, edge)
        out.append(analyse(assembly, network, tree, [_cut_at(assembly.graph, c, edge) for c in cycles]))
        tree.exchange(out[-1].loop, loop.cut)
    return out


def _from_root(tree: RootedTree, loop: Loop) -> list[int]:
    return [tree.edge[vertex] for vertex in (*loop.tail_chain, *loop.head_chain)]


def _cut_at(graph: Graph, cycle: Cycle, edge: int) -> Cycle:
    """The same cycle open at another of its edges."""
    k = cycle.edges.index(edge)
    V, E = (
        (*cycle.vertices[k + 1 :], *cycle.vertices[: k + 1]),
        (*cycle.edges[k + 1 :], *cycle.edges[:k], edge),
    )
    if V[0] == graph.edges[edge][0]:
        return Cycle(V, E)
    return Cycle(V[::-1], (*E[:-1][::-1], edge))


def _cost(assembly: Assembly, rows: LoopRows) -> tuple[int, bool, int]:
    """Rows plus coordinates lost by the cut: least when the loop's freedom comes out largest; then a joint that nothing acts
    on, then one that needs few rows."""
    return rows.kept + assembly.joints[rows.loop.cut].joint.dof, rows.loop.cut in assembly.used, rows.kept


def analyse(assembly: Assembly, network: Network, tree: RootedTree, cycles: Sequence[Cycle]) -> LoopRows:
    """Steps 1 to 3 of Reg's algorithm for one cut joint and the cycles that it closes."""
    cut = cycles[0].cut
    loop = fundamental_loop(assembly.graph, tree, cut)
    connection, screws, algebras = assembly.joints[cut], network.screws, network.algebras
    joint, length = connection.joint, screws.scale.length
    to_joint = Ad(inverse(screws.frames[cut]))
    on_cycle = [screws.of[e] for e in cycles[0].edges[:-1]]
    needed = dimension(_orthonormal(selector(joint, length) @ to_joint @ np.concatenate(on_cycle, axis=1)))
    whole = network.around(cycles[0])
    a, b = assembly.graph.edges[cut]
    a_first = a < b  # frames are on the body that comes first, whichever is called the parent
    if needed + joint.dof == algebras.dimension(whole) and joint.crossed is None:
        on_a, trivial, space = a_first, True, to_joint @ algebras.bases[whole]
        select = _rows(joint, space, length)
        root, (Da, Db) = _chains(network, cycles[0], loop.root)
    else:
        roots = _roots(network, cycles, loop.root)
        teller, on_a, trivial, space, select = _closed_under_joint(
            joint, screws.of[cut], algebras, roots, to_joint, length, a_first
        )
        root, Da, Db = teller.body, algebras.bases[teller.a], algebras.bases[teller.b]
    return LoopRows(
        loop, connection.name, on_a, select, 6 - joint.dof, screws.scale, root, Da, Db, space, trivial, needed, trivial
    )


def _chains(network: Network, cycle: Cycle, first: int) -> tuple[int, tuple[Array, Array]]:
    """(root, screws on either side of it): the root is the body `first` if the cycle goes through it, else one amid it. Where
    more is known of its bodies than their joints tell, what is known."""
    V = cycle.vertices
    k = V.index(first) if first in V else len(V) // 2
    if any(v in network.known for v in V):
        a, b = (network.algebras.bases[side[k]] for side in network.sides(cycle))
        return V[k], (a, b)
    a, b = (
        np.concatenate([NOTHING, *(network.screws.of[e] for e in edges)], axis=1)
        for edges in (cycle.edges[:k], cycle.edges[k:-1])
    )
    return V[k], (a, b)


class _Root(NamedTuple):
    """A body of a loop, and the algebras of the cut joint's parent and child against it."""

    body: int
    a: int
    b: int


def _roots(network: Network, cycles: Sequence[Cycle], first: int) -> list[_Root]:
    """All bodies of the cycles as roots, one of them in front; of those with the same algebras the first."""
    found = [_Root(*root) for c in cycles for root in zip(c.vertices, *network.sides(c), strict=True)]
    found.sort(key=lambda root: root.body != first)
    return list({(root.a, root.b): root for root in reversed(found)}.values())[::-1]


def _closed_under_joint(
    joint: Joint, Y: Array, algebras: Algebras, roots: Sequence[_Root], to_joint: Array, length: float, a_first: bool
) -> tuple[_Root, bool, bool, Array, Array]:
    """(root that tells most, on_a, trivial, space, rows): the joint frame on one body, or on the other if that needs fewer
    rows."""
    both = EVERYTHING
    for root in roots:
        both = algebras.meet(both, algebras.join(root.a, root.b))
    used = usable(joint, Y, algebras.bases[both], algebras.climbs(both))
    candidates = []
    for on_a in (a_first, not a_first):
        teller, B = _space(algebras, roots, used, on_a)
        B = to_joint @ B
        if joint.crossed is None:
            select = _rows(joint, B, length)
        else:
            select = _crossed_rows(joint.crossed[0 if on_a else 1], B, to_joint @ used)
        candidates.append((teller, on_a, B, select))
    root, on_a, space, select = min(candidates, key=lambda c: len(c[3]))
    whole = closure(np.concatenate([algebras.bases[both], used], axis=1))
    return root, on_a, len(select) + dimension(used) == dimension(whole), space, select


def _space(algebras: Algebras, roots: Sequence[_Root], used: Array, on_a: bool) -> tuple[_Root, Array]:
    """What the spaces of all roots have in common, and the root whose space is the smallest."""
    teller, least, B = roots[0], 7, np.eye(6)
    for root in roots:
        own, other = (root.a, root.b) if on_a else (root.b, root.a)
        if own == EVERYTHING or other == EVERYTHING:
            continue
        space = sum_of(algebras.bases[own], invariant_under(algebras.bases[other], used))
        if dimension(space) < least:
            teller, least = root, dimension(space)
        B = intersection(B, space)
    return teller, B


def usable(joint: Joint, Y: Array, both: Array, climbing: bool) -> Array:
    """Basis of the joint's screws with which it can move while the loop is closed: those that both sides together allow.

    The joint's finite motion is in the group of Lie(D_a, D_b). That and the joint's own group meet in a connected group
    unless one of them climbs as it turns; a universal joint is not a group, but if one of its axes is in, the other stands
    still or is in as well.
    """
    if joint.crossed is not None:
        inside = [contains(both, y[:, None]) for y in Y.T]
        return Y[:, inside] if any(inside) else Y
    if not Y.shape[1] or climbing or identify(Y).pitch is not None:
        return Y
    return intersection(both, np.linalg.qr(Y)[0])


def _rows(joint: Joint, B: Array, length: float) -> Array:
    """Rows that hold the image of W B: U-bar W in SI units, Reg (28), (29)."""
    image = _orthonormal(selector(joint, length) @ B)
    W = selector(joint)
    in_metres = np.where(_held(joint.free)[0] < 3, 1.0, length)[:, None] * image
    return np.linalg.qr(in_metres)[0].T @ W if image.shape[1] else np.zeros((0, 6))


def _crossed_rows(axis: Array, B: Array, used: Array) -> Array:
    """(kept, 4) of a joint with two axes, one of them fixed in T: its point component by component, and the turn about e3.

    The normal stays across the axis that is fixed in T, and goes round it if the joint turns about that axis.
    """
    e3 = np.array([0.0, 0.0, 1.0])
    goes_round = contains(used, np.concatenate([axis, np.zeros(3)])[:, None])
    normals = np.stack([e3, cross(axis, e3)] if goes_round else [e3])
    turn = bool(np.any(np.abs(normals @ B[:3]) > TOLERANCE))
    U = _orthonormal(B[3:]).T
    out = np.zeros((len(U) + turn, 4))
    out[: len(U), :3], out[len(U) :, 3] = U, 1.0
    return out


def _orthonormal(A: Array) -> Array:
    """Orthonormal basis of the columns, small ones left out."""
    if not A.size:
        return A[:, :0]
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    return U[:, s > TOLERANCE]
