"""Reactions of all joints at many states, in one compiled call."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.kernel import kernel
from cotree.formulations.reactions.all_joints import put_reactions, reaction_room, tables_of
from cotree.lie import cross
from cotree.lie.varied import as_array
from cotree.model.checks import choice
from cotree.sensors.reading import Reading
from cotree.sensors.states import Block

Array = NDArray[np.float64]


@kernel
def _reaction_rows(here, tree, cut_bodies, where, q, v, v_dot, lam, values, out, at):
    """out[k]: wrenches of all joints at row k, about the points at[k]."""
    room = reaction_room(here, tree[2].size, cut_bodies[0].size)
    for k in range(q.shape[0]):
        put_reactions(here, tree, cut_bodies, where, room, q[k], v[k], v_dot[k], lam[k], values[k], out[k], at[k])


def all_reactions(blocks: tuple[Block, ...]) -> tuple[Array, Array]:
    """(T, joints, 6) wrenches about the joints' own points, and these points (T, joints, 3)."""
    rows, joints = sum(len(b.t) for b in blocks), len(blocks[0].system.joint_names)
    out, at, first = np.empty((rows, joints, 6)), np.empty((rows, joints, 3)), 0
    for block in blocks:
        system, part, x = block.system, slice(first, first + len(block.t)), block.accelerated
        _reaction_rows(
            system.here, *tables_of(system), block.q, block.v, x.v_dot, x.multipliers, x.values, out[part], at[part]
        )
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
        turned: Array = as_array(np.einsum("kji,kj->ki", R, x))
        return turned

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
        size: Array = as_array(np.linalg.norm(self.force, axis=-1))
        return size

    def polar(self, on: str = "child") -> tuple[Array, Array]:
        """(direction [rad], size [N]), (T,) each, of the force across the joint's axis, as it acts on the child or the parent
        in the joint frame that this body carries: where a bearing or a pin is loaded, ready for a polar plot."""
        choice(on, ("child", "parent"), "on")
        R = self.source.joint_axes(self.name, "joint" if on == "child" else "parent")
        sign = 1.0 if on == "child" else -1.0
        F = sign * np.einsum("kji,kj->ki", R, self._wrench[1])
        return self._shown(np.arctan2(F[:, 1], F[:, 0])), self._shown(np.hypot(F[:, 0], F[:, 1]))

    def polar_plot(self, path: str | Path | None = None) -> Any:
        """Polar diagram of the load of the bearing on both of its sides (matplotlib); written to `path` when given."""
        return import_module("cotree.view.reading_plots").plot_polar(self, path=path)
