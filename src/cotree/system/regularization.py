"""Geometric regularization [Reg]: which rows of a cut joint its loop needs, decided once, valid in every configuration.

The relative twists at the cut joint, seen in the joint frame T on body b, lie in the space
    B = D_b + (D_a, moved by the joint itself),
D_a, D_b the motion algebras of the two sides. Only the image of W B has to be held. The paper takes D_a as it is, Reg (27),
which is right when the joint's screws belong to D_a; else the joint's motion turns D_a against T and the space must be closed
under it, or a needed row is lost (a ball joint between a ball-jointed and a cylindrical arm, drawn where the joint's sphere
and cylinder touch, keeps 2 rows by Reg (27) and needs 3 anywhere else). Of the joint's screws Y just those count with which
it can move while the loop is closed, Y n Lie(D_a, D_b): a ball joint in a planar loop turns about the normal only.
With T on body a the roles change; the smaller result wins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from cotree.lie import Ad, cross, inverse
from cotree.model.joints import Helical, Joint, Universal
from cotree.screws import TOLERANCE, Subgroup, closure, contains, dimension, intersection, sum_of
from cotree.system.motion_algebra import Bounds, climbs, invariant_under, joint_screws
from cotree.system.reference_assembly import Assembly
from cotree.system.tree_choice import uncuttable
from cotree.topology import ChangingTree, Loop, RootedTree, SpanningTree, fundamental_loop

Array = NDArray[np.float64]


def selector(joint: Joint, length: float = 1.0) -> Array:
    """W (rows, 6): what the joint holds of a twist in its frame; lengths measured in `length`."""
    W = _held(joint.free)[1]
    if isinstance(joint, Helical):
        W = W.copy()
        W[-1, 2] = -float(joint.pitch) / length
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
    for a universal joint (kept, 4) on (v, turn). The sides' motion groups tell why. trivial: rows and the cut joint's motion
    make up the motion algebra of the whole loop."""

    loop: Loop
    joint: str
    on_a: bool
    select: Array
    full: int
    bounds: Bounds
    side_a: Array
    side_b: Array
    trivial: bool
    needed_at_reference: int

    def words(self) -> tuple[Subgroup, Subgroup]:
        """Motion groups of the two sides against the loop's root."""
        return self.bounds.describe(self.side_a), self.bounds.describe(self.side_b)

    @property
    def kept(self) -> int:
        return len(self.select)


def full_rows(joint: Joint) -> Array:
    """All rows of a cut joint."""
    return np.eye(4) if isinstance(joint, Universal) else selector(joint)


def regularize(
    assembly: Assembly, tree: SpanningTree, search: bool, active: bool = True
) -> tuple[SpanningTree, list[LoopRows]]:
    """Rows of each fundamental loop, taken in turn; with `search` the cut joint of a loop may be exchanged for a better,
    without `active` all rows are kept.

    Joints of loops taken before stay as they are: what those loops need was found with them, and what their closure tells
    of the bodies must not be used to drop the rows of a joint that it rests on."""
    bounds = Bounds(joint_screws(assembly))
    done: list[LoopRows] = []
    settled: set[int] = set(uncuttable(assembly.joints))
    changing = ChangingTree.of(assembly.graph, tree)
    for cut in tree.cotree:
        best = analyse(assembly, bounds, changing, fundamental_loop(assembly.graph, changing, cut))
        if search and best.kept > best.needed_at_reference:
            best = _better_cut(assembly, bounds, changing, best, settled)
        done.append(best)
        bounds.close(changing, best.loop)
        settled |= {best.loop.cut, *(changing.edge[k] for k in (*best.loop.tail_chain, *best.loop.head_chain))}
    if changing.cotree != set(tree.cotree):
        tree = changing.settled()
        done = [replace(rows, loop=fundamental_loop(assembly.graph, tree, rows.loop.cut)) for rows in done]
    if not active:
        done = [replace(r, on_a=False, select=full_rows(assembly.joints[r.loop.cut].joint)) for r in done]
    return tree, done


def _better_cut(assembly: Assembly, bounds: Bounds, tree: ChangingTree, first: LoopRows, settled: set[int]) -> LoopRows:
    """Try every joint of the loop that is not settled; fewer rows for the coordinates that remain wins, then one that nothing
    acts on, then the first. The tree is left with the winner cut."""
    best, loop = first, first.loop
    for edge in [tree.edge[vertex] for vertex in (*loop.tail_chain, *loop.head_chain)]:
        if edge in settled:
            continue
        tree.exchange(loop, edge)
        rows = analyse(assembly, bounds, tree, fundamental_loop(assembly.graph, tree, edge))
        tree.exchange(rows.loop, loop.cut)
        if _cost(assembly, rows) < _cost(assembly, best):
            best = rows
        if best.kept <= best.needed_at_reference and best.loop.cut not in assembly.used:
            break
    if best is not first:
        tree.exchange(loop, best.loop.cut)
    return best


def _cost(assembly: Assembly, rows: LoopRows) -> tuple[int, bool]:
    """Rows plus coordinates lost by the cut: least when the loop's freedom comes out largest."""
    return rows.kept + assembly.joints[rows.loop.cut].joint.dof, rows.loop.cut in assembly.used


def analyse(assembly: Assembly, bounds: Bounds, tree: RootedTree, loop: Loop) -> LoopRows:
    """Steps 1 to 3 of Reg's algorithm for one loop and one cut joint."""
    connection = assembly.joints[loop.cut]
    joint, screws = connection.joint, bounds.screws
    Da, Db = bounds.sides(tree, loop)
    to_joint = Ad(inverse(screws.frames[loop.cut]))
    W = selector(joint, screws.scale.length)
    at_reference = [screws.of[tree.edge[k]] for k in (*loop.tail_chain, *loop.head_chain)]
    needed = dimension(_orthonormal(W @ to_joint @ np.concatenate(at_reference, axis=1)))
    whole = bounds.around(tree, loop)
    if needed + joint.dof == dimension(whole) and not isinstance(joint, Universal):
        on_a, trivial, select = False, True, _rows(joint, to_joint @ whole, screws.scale.length)
    else:
        on_a, trivial, select = _closed_under_joint(joint, screws.of[loop.cut], Da, Db, to_joint, screws.scale.length)
    return LoopRows(loop, connection.name, on_a, select, 6 - joint.dof, bounds, Da, Db, trivial, needed)


def _closed_under_joint(
    joint: Joint, Y: Array, Da: Array, Db: Array, to_joint: Array, length: float
) -> tuple[bool, bool, Array]:
    """(on_a, trivial, rows): the joint frame on body b, or on a if that needs fewer rows."""
    used = usable(joint, Y, Da, Db)
    candidates = []
    for on_a, own, other in ((False, Db, Da), (True, Da, Db)):
        B = to_joint @ sum_of(own, invariant_under(other, used))
        if isinstance(joint, Universal):
            candidates.append((on_a, _universal_rows(joint, B, on_a, to_joint @ used)))
        else:
            candidates.append((on_a, _rows(joint, B, length)))
    on_a, select = min(candidates, key=lambda c: len(c[1]))
    whole = closure(np.concatenate([Da, Db, used], axis=1))
    return on_a, len(select) + dimension(used) == dimension(whole), select


def usable(joint: Joint, Y: Array, Da: Array, Db: Array) -> Array:
    """Basis of the joint's screws with which it can move while the loop is closed: those that both sides together allow.

    The joint's finite motion is in the group of Lie(D_a, D_b). That and the joint's own group meet in a connected group
    unless one of them climbs as it turns; a universal joint is no group, but if one of its axes is in, the other stands
    still or is in as well.
    """
    both = closure(np.concatenate([Da, Db], axis=1))
    if isinstance(joint, Universal):
        inside = [contains(both, y[:, None]) for y in Y.T]
        return Y[:, inside] if any(inside) else Y
    return Y if climbs(Y) or climbs(both) else intersection(both, np.linalg.qr(Y)[0])


def _rows(joint: Joint, B: Array, length: float) -> Array:
    """Rows that hold the image of W B: U-bar W in SI units, Reg (28), (29)."""
    image = _orthonormal(selector(joint, length) @ B)
    W = selector(joint)
    in_metres = np.where(_held(joint.free)[0] < 3, 1.0, length)[:, None] * image
    return np.linalg.qr(in_metres)[0].T @ W if image.shape[1] else np.zeros((0, 6))


def _universal_rows(joint: Universal, B: Array, on_a: bool, used: Array) -> Array:
    """(kept, 4): the joint's point component by component, and the turn about the normal of the axes, e3.

    The normal stays across the axis that is fixed in T, and goes round it if the joint turns about that axis.
    """
    axis, e3 = joint.screws()[:3, 0 if on_a else 1], np.array([0.0, 0.0, 1.0])
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
