"""The reference assembly: graph and tree of a mechanism, frames of its bodies and joints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.errors import FrameError, UnconnectedError, UnknownNameError
from cotree.lie.arrays import inverse, log_se3
from cotree.model.joints import Free, Helical, Joint, Spherical, Translation, Universal
from cotree.model.mechanism import Body, Connection, Mechanism, nearest
from cotree.topology import Graph, Loop, SpanningTree, fundamental_loops, spanning_tree

Array = NDArray[np.float64]
FRAMES_MEET = 1e-6  # metres and radians: how well two frames of one joint must agree in the reference assembly


@dataclass(frozen=True)
class Assembly:
    """Vertices are ground and the bodies in the user's order; edges the joints, then a free one for each floating body."""

    bodies: list[Body]
    joints: list[Connection]
    graph: Graph
    tree: SpanningTree
    loops: tuple[Loop, ...]
    frames: list[Array]


def assemble_graph(mech: Mechanism, absolute: bool, cut: Iterable[str | Connection]) -> Assembly:
    """Tree and loops; bodies cut off from ground, all of them in absolute coordinates, hang from it by a free joint."""
    bodies, joints = [mech.ground, *mech.bodies.values()], list(mech.joints.values())
    number = {b.name: k for k, b in enumerate(bodies)}
    edges = [(number[c.parent], number[c.child]) for c in joints]
    _check_connected(bodies, Graph(len(bodies), tuple(edges)))
    cut_edges = _edges_of(mech, cut) | (set(range(len(joints))) if absolute else set())
    lengths = [0 if c.joint.dof == 0 else 1 for c in joints]
    while True:
        graph = Graph(len(bodies), tuple(edges))
        tree = spanning_tree(graph, cut_edges, lengths)
        if len(tree.order) == len(bodies):
            break
        reached = set(tree.order)
        floating = [k for k in range(len(bodies)) if k not in reached]
        new = floating if absolute else floating[:1]
        edges += [(0, k) for k in new]
        lengths += [1] * len(new)
    return Assembly(bodies, joints, graph, tree, fundamental_loops(graph, tree), body_frames(bodies, joints, number))


def _check_connected(bodies: list[Body], graph: Graph) -> None:
    reached = graph.reachable()
    lonely = [body.name for k, body in enumerate(bodies) if k not in reached]
    if lonely:
        raise UnconnectedError(
            f"no joint connects {', '.join(map(repr, lonely[:5]))}{' and others' if len(lonely) > 5 else ''} to ground; "
            "add the missing joint, or ct.Free() for a floating body"
        )


def _edges_of(mech: Mechanism, cut: Iterable[str | Connection]) -> set[int]:
    place = {name: a for a, name in enumerate(mech.joints)}
    names = [c.name if isinstance(c, Connection) else c for c in ([cut] if isinstance(cut, str) else cut)]
    for name in names:
        if not isinstance(name, str) or name not in place:
            raise UnknownNameError(f"cut: no joint {name!r} in mechanism {mech.name!r}{nearest(name, place)}")
    return {place[name] for name in names}


def body_frames(bodies: list[Body], joints: list[Connection], number: dict[str, int]) -> list[Array]:
    """Reference pose of each body's own frame; those that follow from joint frames by Geo (10), m_k = m_l S_l S_k^-1."""
    known: dict[int, Array] = {}
    for k, body in enumerate(bodies):
        if body.frame is None:
            known[k] = np.eye(4)
        elif not isinstance(body.frame, str):
            known[k] = body.frame
    grown = True
    while len(known) < len(bodies) and grown:
        grown = False
        for c in joints:
            a, b = number[c.parent], number[c.child]
            told = c.joint.frame_parent is not None or c.joint.frame_child is not None
            if told and (a in known) != (b in known):
                step = _given(c.joint.frame_parent) @ inverse(_given(c.joint.frame_child))
                known[b if a in known else a] = known[a] @ step if a in known else known[b] @ inverse(step)
                grown = True
    missing = [body.name for k, body in enumerate(bodies) if k not in known]
    if missing:
        raise FrameError(
            f"body {missing[0]!r}: no chain of joint frames leads to it from a body whose pose is known; give it a pose, or "
            "its joint frame_parent and frame_child"
        )
    return [known[k] for k in range(len(bodies))]


def _given(frame: Array | None) -> Array:
    return np.eye(4) if frame is None else frame


def joint_frames(
    connection: Connection, m_parent: Array, m_child: Array, origin: Array | None = None
) -> tuple[Array, Array]:
    """The joint frame on the parent and on the child in the reference assembly; equal but for free joints.

    All about `origin` (the world's by default), as are the bodies' frames m: far from home no digits may be lost.
    """
    joint = connection.joint
    on_parent, on_child = m_parent @ _given(joint.frame_parent), m_child @ _given(joint.frame_child)
    if isinstance(joint, Free):
        return on_parent, on_child
    if joint.frame_parent is None and joint.frame_child is None:
        F = joint.frame()
        F[:3, 3] -= 0.0 if origin is None else origin
        if isinstance(joint, (Spherical, Translation)):
            F[:3, :3] = m_child[:3, :3]
        return F, F
    if joint.frame_child is None:
        return on_parent @ joint.frame(), on_parent @ joint.frame()
    F = on_child @ joint.frame()
    if joint.frame_parent is not None:
        _check_meeting(connection, inverse(on_parent @ joint.frame()) @ F)
    return F, F


def _check_meeting(connection: Connection, N: Array) -> None:
    """The two frames of a joint may differ by a motion of the joint only."""
    gap = motion_gap(connection.joint, N)
    if gap > FRAMES_MEET:
        raise FrameError(
            f"joint {connection.name!r}: frame_parent and frame_child do not meet as assembled (gap {gap:.3g}); with the "
            "poses of the bodies they must agree up to the joint's own motion"
        )


def motion_gap(joint: Joint, N: Array) -> float:
    """Distance [m, rad] of the relative pose N in the joint frame from the joint's motion space."""
    Z = joint.screws()
    if isinstance(joint, Universal):
        return float(max(abs(N[0, :3] @ Z[:3, 1] - Z[0, 1]), np.abs(N[:3, 3]).max()))
    X = log_se3(N)
    if isinstance(joint, Helical) and joint.pitch:  # the logarithm does not count full turns; along the axis they show
        X[2] += 2.0 * np.pi * round((X[5] / float(joint.pitch) - X[2]) / (2.0 * np.pi))
    inside = np.linalg.lstsq(Z, X, rcond=None)[0] if joint.dof else np.zeros(0)
    return float(np.abs(X - Z @ inside).max())
