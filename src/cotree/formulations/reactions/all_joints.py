"""Reactions of all joints at a state, in compiled code: Newton's and Euler's equations body by body, summed up along the tree,
with the wrenches of cut joints and of constraints taken from their multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.reactions import body_tree, put_needs, sum_up
from cotree.engine.kernel import kernel
from cotree.formulations.reactions.wrenches import put_forces, put_pushes
from cotree.lie import se3
from cotree.lie.storage import pose, put_vec, vec
from cotree.lie.vec3 import add
from cotree.system.sides import all_sides
from cotree.system.system import System
from cotree.system.views import open_rows, open_tables

Array = NDArray[np.float64]
NONE, TREE, CUT = -1, 0, 1  # where the wrench of a joint is found


@dataclass(frozen=True, eq=False)
class Places:
    """One row per joint: where its wrench is found (NONE, TREE or CUT, row, sign), the link of its child and its point there;
    locked: (piece of a row, joint) for the welds that lock joints."""

    found: NDArray[np.int64]
    links: NDArray[np.int64]
    points: Array
    locked: NDArray[np.int64]


def places(system: System) -> Places:
    """Made once."""
    made: Places = system.cached("places of reactions", lambda: _make_places(system))
    return made


def _make_places(system: System) -> Places:
    tree, mech = body_tree(system).joints, system.mechanism
    cuts = {name: k for k, name in enumerate(system.cut_joints)}
    found = np.full((len(system.joint_names), 3), NONE)
    for row, name in zip(found, system.joint_names, strict=True):
        if name in cuts:
            row[:] = CUT, cuts[name], 1
        elif name in tree:
            row[:] = TREE, tree[name][0], int(tree[name][1])
    children = [system.body_rows[c.child] for c in mech.joints.values()]
    links = np.ascontiguousarray(system.bodies["link"][children])
    points = np.ascontiguousarray(all_sides(system)[1][:, :3, 3])
    extra, first = system.extra_rows, len(system.row_tables[1]) - len(system.extra_rows.pieces)
    locks = [system.constraints[extra.owners[p["row"]]].locks for p in extra.pieces]
    pairs = [(first + k, system.joint_names.index(name)) for k, name in enumerate(locks) if name]
    return Places(found, links, points, np.array(pairs, dtype=np.int64).reshape(-1, 2))


def tables_of(system: System) -> tuple[tuple[NDArray[Any], ...], tuple[NDArray[Any], ...], tuple[NDArray[Any], ...]]:
    """What `put_reactions` reads beside the system's own tables."""
    tree, where, cuts = body_tree(system), places(system), system.cuts
    ends = np.ascontiguousarray(cuts["body_a"]), np.ascontiguousarray(cuts["body_b"])
    return (tree.inertia, tree.springs, tree.parents), ends, (where.found, where.links, where.points, where.locked)


@kernel
def reaction_room(here, bodies, cuts):
    """Scratch of `put_reactions`: needs, wrenches of cut joints, forces in them, pushes of rows, their sums on bodies."""
    pieces = open_rows(here).pieces.size
    return (
        np.empty((bodies, 6)),
        np.empty((cuts, 6)),
        np.zeros((cuts, 6)),
        np.empty((pieces, 2, 6)),
        np.empty((bodies, 6)),
    )


@kernel
def put_reactions(here, tree, cut_bodies, where, room, q, v, v_dot, lam, values, out, at):
    """out[j]: wrench that joint j transmits to its child, about its own point, which is at[j]; in world axes."""
    masses, springs_on, parents = tree
    a, b = cut_bodies
    found, links, points, locked = where
    needs, joints, forces, pushes, on_bodies = room
    tables = open_tables(here)
    put_pushes(here, q, lam, joints, pushes, on_bodies)
    forces[:] = 0.0
    put_forces(here, values, q, v, forces)
    origin = put_needs(here, values, masses, springs_on, q, v, v_dot, needs)
    needs -= on_bodies
    for i in range(a.size):
        for c in range(6):
            needs[b[i], c] -= forces[i, c]
            needs[a[i], c] += forces[i, c]
    sum_up(parents, needs)
    for j in range(links.size):
        kind, row, sign = found[j, 0], found[j, 1], found[j, 2]
        for c in range(6):
            out[j, c] = 0.0
            if kind == TREE:
                out[j, c] = sign * needs[row, c]
            elif kind == CUT:
                out[j, c] = joints[row, c] + forces[row, c]
    for i in range(locked.shape[0]):
        for c in range(6):
            out[locked[i, 1], c] += pushes[locked[i, 0], 1, c]
    for j in range(links.size):
        x = se3.act(pose(tables.work[links[j]].C), vec(points[j]))
        _about(out[j], x)
        put_vec(at[j], add(x, origin))


@kernel
def _about(W, x):
    """Moment about x in place of that about the origin: m - x x f."""
    W[0] -= x[1] * W[5] - x[2] * W[4]
    W[1] -= x[2] * W[3] - x[0] * W[5]
    W[2] -= x[0] * W[4] - x[1] * W[3]
