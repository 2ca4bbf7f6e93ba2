"""Reactions of all joints at many states, in one compiled call: Newton's and Euler's equations body by body, summed up along
the tree, with the wrenches of cut joints and of constraints taken from their multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.reactions import body_tree, put_needs, sum_up
from cotree.engine.kernel import kernel
from cotree.formulations.reactions.wrenches import put_forces, put_pushes
from cotree.lie import cross, se3
from cotree.lie.storage import pose, put_vec, vec
from cotree.lie.vec3 import add
from cotree.sensors.frames import all_sides
from cotree.sensors.reading import Reading
from cotree.sensors.states import Block
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


@kernel
def _reaction_rows(here, tree, cut_bodies, where, q, v, v_dot, lam, values, out, at):
    """out[k, j]: wrench that joint j transmits to its child, about its own point, which is at[k, j]; in world axes."""
    masses, springs_on, parents = tree
    a, b = cut_bodies
    found, links, points, locked = where
    needs, joints, forces = np.empty((parents.size, 6)), np.empty((a.size, 6)), np.zeros((a.size, 6))
    pushes, on_bodies = np.empty((open_rows(here).pieces.size, 2, 6)), np.empty((parents.size, 6))
    tables = open_tables(here)
    for k in range(q.shape[0]):
        put_pushes(here, q[k], lam[k], joints, pushes, on_bodies)
        forces[:] = 0.0
        put_forces(here, values[k], q[k], v[k], forces)
        origin = put_needs(here, values[k], masses, springs_on, q[k], v[k], v_dot[k], needs)
        needs -= on_bodies
        for i in range(a.size):
            for c in range(6):
                needs[b[i], c] -= forces[i, c]
                needs[a[i], c] += forces[i, c]
        sum_up(parents, needs)
        for j in range(links.size):
            kind, row, sign = found[j]
            for c in range(6):
                out[k, j, c] = 0.0
                if kind == TREE:
                    out[k, j, c] = sign * needs[row, c]
                elif kind == CUT:
                    out[k, j, c] = joints[row, c] + forces[row, c]
        for i in range(locked.shape[0]):
            for c in range(6):
                out[k, locked[i, 1], c] += pushes[locked[i, 0], 1, c]
        for j in range(links.size):
            x = se3.act(pose(tables.work[links[j]].C), vec(points[j]))
            _about(out[k, j], x)
            put_vec(at[k, j], add(x, origin))


@kernel
def _about(W, x):
    """Moment about x in place of that about the origin: m - x x f."""
    W[0] -= x[1] * W[5] - x[2] * W[4]
    W[1] -= x[2] * W[3] - x[0] * W[5]
    W[2] -= x[0] * W[4] - x[1] * W[3]


def all_reactions(blocks: tuple[Block, ...]) -> tuple[Array, Array]:
    """(T, joints, 6) wrenches about the joints' own points, and these points (T, joints, 3)."""
    rows, joints = sum(len(b.t) for b in blocks), len(blocks[0].system.joint_names)
    out, at, first = np.empty((rows, joints, 6)), np.empty((rows, joints, 3)), 0
    for block in blocks:
        system, part, x = block.system, slice(first, first + len(block.t)), block.accelerated
        tree, where, cuts = body_tree(system), places(system), system.cuts
        _reaction_rows(
            system.here, (tree.inertia, tree.springs, tree.parents), (cuts["body_a"].copy(), cuts["body_b"].copy()),
            (where.found, where.links, where.points, where.locked), block.q, block.v, x.v_dot, x.multipliers, x.values,
            out[part], at[part],
        )  # fmt: skip
        first = part.stop
    return out, at


class ReactionReading(Reading):
    """moment [N m] and force [N], (T, 3) each, that a joint transmits to its child.

    About the joint's own point, which moves with the child, or about the point asked for; in world axes or in those of the
    joint frame. Motors, springs, drivers and locks of the joint are part of it. at: (T, 3), where the point is.
    """

    units = {"moment": "N m", "force": "N"}  # noqa: RUF012

    def __init__(self, source: Any, joint: str, point: Array | None, axes: str) -> None:
        super().__init__(source, joint)
        self.axes, self._point = axes, point

    @cached_property
    def _wrench(self) -> tuple[Array, Array, Array]:
        """(moment, force, point) in world axes."""
        k = self.source.system.joint_names.index(self.name)
        all_of, at = self.source.reactions
        moment, force, own = all_of[:, k, :3], all_of[:, k, 3:], at[:, k]
        if self._point is None:
            return moment, force, own
        about = np.broadcast_to(self._point, own.shape)
        return moment + cross(own - about, force), force, about

    def _turned(self, x: Array) -> Array:
        if self.axes == "world":
            return x
        R = self.source.joint_axes(self.name, self.axes)
        return np.asarray(np.einsum("kji,kj->ki", R, x))

    @cached_property
    def moment(self) -> Array:
        return self._shown(self._turned(self._wrench[0]))

    @cached_property
    def force(self) -> Array:
        return self._shown(self._turned(self._wrench[1]))

    @property
    def at(self) -> Array:
        return self._shown(self._wrench[2])

    @property
    def magnitude(self) -> Array:
        """Size of the force [N], (T,)."""
        return np.asarray(np.linalg.norm(self.force, axis=-1))
