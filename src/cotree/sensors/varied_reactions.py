"""Reactions of all joints with their derivatives: Newton's and Euler's equations of each body about its mass centre, summed up
along the tree, with what elements and constraints do to the bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.reactions import body_tree
from cotree.formulations.reactions.all_joints import CUT, TREE, places
from cotree.lie import cross
from cotree.sensors.varied_bodies import moving_bodies
from cotree.sensors.varied_forces import VariedForces
from cotree.sensors.varied_state import VariedState

Array = NDArray[np.float64]


def varied_reactions(forces: VariedForces) -> tuple[Any, Any]:
    """(1, joints, 6): wrenches about the joints' own points, and these points (1, joints, 3)."""
    state = forces.state
    on_a, on_b = forces.pushes()
    within = forces.in_cuts()
    needs = _descendants(state) @ (_inertial(state) - _applied(forces, on_a, on_b, within))
    where, pieces = places(state.system), state.system.tables["pieces"]
    wrenches, points = list[Any](), list[Any]()
    for j, name in enumerate(state.system.joint_names):
        kind, row, sign = where.found[j]
        W = state.constant(np.zeros(6))
        if kind == TREE:
            W = float(sign) * needs[int(row)]
        elif kind == CUT:
            W = within[int(row)] + on_b[np.flatnonzero((pieces["cut"] == row) & (pieces["iv"] < 0))].sum(axis=0)
        for piece in where.locked[where.locked[:, 1] == j, 0]:
            W = W + on_b[int(piece)]
        point = _point(state, name, j)
        wrenches.append(np.concatenate([W[:3] - cross(point, W[3:]), W[3:]]))
        points.append(point + state.accelerated.origin)
    if not wrenches:
        return state.constant(np.zeros((1, 0, 6))), state.constant(np.zeros((1, 0, 3)))
    return np.stack(wrenches)[None], np.stack(points)[None]


def _point(state: VariedState, joint: str, j: int) -> Any:
    """The joint's own point on its child, about the sweep's origin."""
    where, T = places(state.system), np.eye(4)
    T[:3, 3] = where.points[j]
    link = int(where.links[j])
    moved = state.frame(joint, T)[:3, 3]
    return state.rotations(state.accelerated, link) @ moved + state.places(state.accelerated, link)


def _inertial(state: VariedState) -> Any:
    """(bodies, 6): rates of momentum of all bodies less gravity, about the sweep's origin; ground has none."""
    b, found = moving_bodies(state, state.accelerated), state.accelerated
    A = state.accelerations(found, np.ascontiguousarray(state.system.bodies["link"]))
    alpha = A[:, :3]
    falling = A[:, 3:] + cross(alpha, b.centre) + cross(b.spin, b.velocity) - state.gravity
    force = b.mass[:, None] * falling
    turning = (b.tensor @ b.spin[:, :, None])[:, :, 0]
    moment = (b.tensor @ alpha[:, :, None])[:, :, 0] + cross(b.spin, turning)
    return np.concatenate([moment + cross(b.centre, force), force], axis=1)


def _applied(forces: VariedForces, on_a: Any, on_b: Any, within: Any) -> Any:
    """(bodies, 6): all that acts on bodies but through the joints of the tree."""
    system, B = forces.state.system, len(forces.state.system.bodies)
    e, pieces, cuts = system.elements, system.tables["pieces"], system.cuts
    ends = body_tree(system).springs
    total = _spread(B, pieces["body_a"]) @ on_a + _spread(B, pieces["body_b"]) @ on_b
    total = total + (_spread(B, cuts["body_b"]) - _spread(B, cuts["body_a"])) @ within
    for k in range(len(e.springs)):
        total = total + _spread(B, ends[k, :1], ends[k, 1:]) @ forces.spring_wrench(k)[None]
    for k in range(len(e.loads)):
        total = total + _spread(B, e.loads["body"][k : k + 1]) @ forces.load_wrench(k)[None]
    if len(e.pieces):
        total = total + (_spread(B, e.pieces["body_b"]) - _spread(B, e.pieces["body_a"])) @ forces.efforts()
    return total


def _spread(bodies: int, to: NDArray[np.int64], back: NDArray[np.int64] | None = None) -> Array:
    """(bodies, n): adds n wrenches to the bodies `to`, and takes them from others."""
    out = np.zeros((bodies, len(to)))
    out[to, np.arange(len(to))] += 1.0
    if back is not None:
        out[back, np.arange(len(back))] -= 1.0
    return out


def _descendants(state: VariedState) -> Array:
    """(bodies, bodies): sums over each body and all that is beyond it."""
    parents = body_tree(state.system).parents
    out = np.eye(len(parents))
    for k in range(len(parents) - 1, 0, -1):
        if parents[k] > 0:
            out[parents[k]] += out[k]
    return out
