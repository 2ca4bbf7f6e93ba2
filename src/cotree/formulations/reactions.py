"""Joint reactions of a constrained system: what cut joints transmit, and what that adds along the tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree._kernel import kernel
from cotree.constraints.loops import cut_frames, universal_normal
from cotree.dynamics.forward import ForwardDynamics, tree_reactions
from cotree.errors import ConstraintError
from cotree.kinematics.sweep import place_all
from cotree.lie import se3
from cotree.lie.storage import put_twist, twist, vec
from cotree.lie.vec3 import add, cross, scale
from cotree.system.handle import open_cuts, open_handle
from cotree.system.system import System

Array = NDArray[np.float64]


class Constrained(ForwardDynamics):
    """Forward dynamics with constraints; `rank` of the constraint rows. Where rows depend on each other (rank below their
    number) the acceleration is unique but multipliers and reactions are one choice among many: `unique` is False."""

    __slots__ = ("rank",)

    def __init__(
        self, system: System, q: Array, v: Array, t: float, v_dot: Array, multipliers: Array, rank: int
    ) -> None:
        super().__init__(system, q, v, t, v_dot, multipliers)
        self.rank = rank

    @property
    def unique(self) -> bool:
        """Whether the reactions are determined: no row redundant, now or by regularization."""
        return self.rank == len(self.multipliers) and all(r.kept == r.full for r in self.system.loop_rows)

    @property
    def reactions(self) -> dict[str, Array]:
        """(moment, force) that each joint transmits to its child, in world axes about the world's origin."""
        return loop_reactions(self.system, self.q, self.v, self.v_dot, self.multipliers, self.t)


@kernel
def _cut_wrenches(handle, q, lam, out, along):
    """out: wrench on body b of each cut joint; along: what to add to the reactions of the links."""
    world, links, dofs, _, _, work, dof_work = open_handle(handle)
    shift = place_all(world, links, dofs, work, dof_work, q)
    origin = add(shift, vec(world[0].origin))
    cuts = open_cuts(handle)
    for c in range(cuts.size):
        cut = cuts[c]
        A, B = cut_frames(cut, work)
        W = _wrench(cut, A if cut.on_a else B, universal_normal(cut, A, B), lam)
        W = (add(W[0], cross(origin, W[1])), W[1])
        put_twist(out[c], W)
        k = cut.link_b
        while k > 0:
            put_twist(along[k], se3.minus(twist(along[k]), W))
            k = links[k].parent
        k = cut.link_a
        while k > 0:
            put_twist(along[k], se3.plus(twist(along[k]), W))
            k = links[k].parent


@kernel
def _wrench(cut, T, normal, lam):
    """-(select^T lam) as a wrench on body b about the sweep's origin."""
    x = np.zeros(6)
    for k in range(cut.kept):
        for i in range(6):
            x[i] -= cut.select[6 * k + i] * lam[cut.row + k]
    if cut.universal:
        m, f = se3.coAd(T, ((0.0, 0.0, 0.0), (x[0], x[1], x[2])))
        return (add(m, scale(x[3], normal)), f)
    return se3.coAd(T, twist(x))


def loop_reactions(system: System, q: Array, v: Array, v_dot: Array, lam: Array, t: float) -> dict[str, Array]:
    """Reactions of tree joints and cut joints by name.

    Drivers and couplings of tree joints act within their joints; what other constraints do to bodies is not resolved yet.
    """
    _, terms, *contacts = system.other_rows.tables
    if any(len(table) for table in contacts) or system.other_rows.user or np.any(terms["cut"] >= 0):
        raise ConstraintError(
            f"system {system.name!r}: reactions are not resolved with the constraints "
            f"{', '.join(map(repr, sorted(set(system.other_rows.owners))))}; take the multipliers"
        )
    wrenches, along = np.zeros((len(system.cuts), 6)), np.zeros((len(system.links), 6))
    _cut_wrenches(system.handle, q, lam, wrenches, along)
    found = tree_reactions(system, q, v, v_dot, t)
    for name, rows in system.joint_links.items():
        if rows and name in found:
            found[name] = found[name] + along[rows[-1]] * (-1.0 if system.links[rows[0]]["inverted"] else 1.0)
    return {**found, **dict(zip(system.cut_joints, wrenches, strict=True))}
