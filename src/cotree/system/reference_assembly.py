"""The reference assembly: graph and tree of a mechanism, frames of its bodies."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.errors import FrameError, UnconnectedError, UnknownNameError
from cotree.lie import inverse
from cotree.model.force_elements import BeamChain
from cotree.model.mechanism import Body, Connection, Mechanism, nearest
from cotree.system.tree_choice import keep_in_tree, used_joints
from cotree.topology import Graph, Loop, SpanningTree, fundamental_loops, spanning_tree

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Assembly:
    """Vertices are ground and the bodies in the user's order; edges the joints, then a free one for each floating body."""

    bodies: list[Body]
    joints: list[Connection]
    graph: Graph
    tree: SpanningTree
    loops: tuple[Loop, ...]
    frames: Array  # (n, 4, 4), of the bodies' data
    used: frozenset[int] = frozenset()  # joints that something acts on


def assemble_graph(
    mech: Mechanism, absolute: bool, cut: Iterable[str | Connection], used: frozenset[int] | None = None
) -> Assembly:
    """Tree and loops; bodies cut off from ground, all of them in absolute coordinates, are attached to it by free joints. used:
    joints that should stay in the tree; by default those on which something acts."""
    bodies, joints = [mech.ground, *mech.bodies.values()], list(mech.joints.values())
    number = {b.name: k for k, b in enumerate(bodies)}
    edges = [(number[c.parent], number[c.child]) for c in joints]
    graph = Graph(len(bodies), tuple(edges))
    cut_edges = _edges_of(mech, cut) | (set(range(len(joints))) if absolute else set())
    lengths = [0 if c.joint.dof == 0 else 1 for c in joints]
    afloat = _beam_parts(mech, graph, number)
    if cut_edges or afloat:
        _check_connected(bodies, graph, afloat)
        floating = sorted(set(graph.parts(cut_edges)) - {0})  # the first body of each part that is cut off
        graph = Graph(len(bodies), (*edges, *((0, k) for k in floating)))
        lengths += [1] * len(floating)
    used = used_joints(mech) if used is None else used
    tree = spanning_tree(graph, cut_edges, lengths, used)
    if len(tree.order) < len(bodies):
        _check_connected(bodies, graph)
    tree = keep_in_tree(graph, tree, joints, used, cut_edges)
    frames = body_frames(bodies, joints, number)
    return Assembly(bodies, joints, graph, tree, fundamental_loops(graph, tree), frames, used)


def _beam_parts(mech: Mechanism, graph: Graph, number: dict[str, int]) -> frozenset[int]:
    """First bodies of the parts that no joint connects to ground, but in which a beam has a node: they float."""
    nodes = [node for f in mech.elements.values() if isinstance(f, BeamChain) for node in f.nodes]
    if not nodes:
        return frozenset()
    first = graph.parts()
    return frozenset(first[number[node]] for node in nodes) - {0}


def _check_connected(bodies: list[Body], graph: Graph, afloat: frozenset[int] = frozenset()) -> None:
    """afloat: first bodies of parts that need no joint."""
    parts = graph.parts()
    lonely = [body.name for body, first in zip(bodies, parts, strict=True) if first != 0 and first not in afloat]
    if lonely:
        raise UnconnectedError(
            f"no joint connects {', '.join(map(repr, lonely[:5]))}{' and others' if len(lonely) > 5 else ''} to ground; "
            "add the missing joint, or ct.Free() for a floating body"
        )


def _edges_of(mech: Mechanism, cut: Iterable[str | Connection]) -> set[int]:
    names = [c.name if isinstance(c, Connection) else c for c in ([cut] if isinstance(cut, str) else cut)]
    place = {name: a for a, name in enumerate(mech.joints)} if names else {}
    for name in names:
        if not isinstance(name, str) or name not in place:
            raise UnknownNameError(f"cut: no joint {name!r} in mechanism {mech.name!r}{nearest(name, place)}")
    return {place[name] for name in names}


def body_frames(bodies: list[Body], joints: list[Connection], number: dict[str, int]) -> Array:
    """Reference pose of each body's own frame, (n, 4, 4); those that follow from joint frames by Geo (10),
    m_k = m_l S_l S_k^-1."""
    frames = np.zeros((len(bodies), 4, 4))
    frames[:] = np.eye(4)
    for k, body in enumerate(bodies):
        if body.frame is not None and not isinstance(body.frame, str):
            frames[k] = body.frame
    open_ones = {k for k, body in enumerate(bodies) if isinstance(body.frame, str)}
    if open_ones:
        _follow_joints(frames, open_ones, joints, [(number[c.parent], number[c.child]) for c in joints])
    if open_ones:
        raise FrameError(
            f"body {bodies[min(open_ones)].name!r}: its pose does not follow from the joint frames; give it a pose, "
            f"or give its joint frame_parent and frame_child"
        )
    return frames


def _follow_joints(frames: Array, missing: set[int], joints: list[Connection], ends: list[tuple[int, int]]) -> None:
    """Put the frames that joint frames lead to, as rounds through the joints in the user's order would find them."""
    told = [c.joint.frame_parent is not None or c.joint.frame_child is not None for c in joints]
    at, first = Graph(len(frames), tuple(ends)).incident()
    waiting = [(0, a) for a, (tail, head) in enumerate(ends) if told[a] and (tail in missing) != (head in missing)]
    while waiting:  # in the order of (round, joint): the list is a heap, as it is sorted
        turn, a = heapq.heappop(waiting)
        tail, head = ends[a]
        if (tail in missing) == (head in missing):
            continue
        step = _given(joints[a].joint.frame_parent) @ inverse(_given(joints[a].joint.frame_child))
        new = head if head in missing else tail
        frames[new] = frames[tail] @ step if new == head else frames[head] @ inverse(step)
        missing.discard(new)
        for b in at[first[new] : first[new + 1]]:
            if told[b] and (ends[b][0] in missing) != (ends[b][1] in missing):
                heapq.heappush(waiting, (turn + (b < a), b))


def _given(frame: Array | None) -> Array:
    return np.eye(4) if frame is None else frame
