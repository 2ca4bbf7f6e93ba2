"""From multipliers to wrenches on bodies: M v_dot + J^T lam = f, so that a row W . (V_b - V_a) pushes body b with -lam W.

Cut joints, with the drivers and couplings that act within them; distances along their line, knife edges sideways at their
point, rolling contacts with three forces at the contact. What drivers, couplings and rows of the user do along the
coordinates of the tree acts within its joints, like motors, and pushes no body from outside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import with_rows
from cotree.constraints.contact import contact, edge_wrench, surface_direction
from cotree.constraints.distance import line
from cotree.constraints.extra_rows import first_row
from cotree.constraints.loops import universal_normal
from cotree.constraints.row_wrench import force_at
from cotree.dynamics.elements import joint_force
from cotree.dynamics.user_forces import element_values
from cotree.engine.kernel import kernel
from cotree.kinematics.cut_joint import cut_frames, cut_wrench
from cotree.kinematics.sweep import move_all, place_all
from cotree.lie import se3
from cotree.lie.storage import put_twist, twist
from cotree.lie.vec3 import add, scale
from cotree.model.constraints import Closing, Constraint, Distance, KnifeEdge, Rolling
from cotree.system.system import System
from cotree.system.views import open_cuts, open_rows, open_tables

Array = NDArray[np.float64]


@kernel
def put_wrenches(here, q, lam, joints, touches):
    """joints, touches: wrench on body b of each cut joint and of each distance, edge and contact, about the sweep's origin."""
    tables = open_tables(here)
    place_all(tables, q)
    cuts = open_cuts(here)
    for c in range(cuts.size):
        A, B = cut_frames(cuts[c], tables.work)
        put_twist(joints[c], _held(cuts[c], A if cuts[c].on_a else B, universal_normal(cuts[c], A, B), lam))
    first = first_row(cuts)
    couplings, terms, distances, edges, rollings, closings = open_rows(here)
    for k in range(couplings.size):
        for i in range(couplings[k].first, couplings[k].first + couplings[k].count):
            x = terms[i]
            if x.cut >= 0:
                W = cut_wrench(cuts[x.cut], x.component, tables.work)
                _push(joints[x.cut], x.ratio * lam[first + couplings[k].row], W)
    touches[:] = 0.0
    n = 0
    for k in range(distances.size):
        _, b, e, _ = line(distances[k], tables.work)
        _push(touches[n + k], lam[first + distances[k].row], force_at(b, e))
    n += distances.size
    for k in range(edges.size):
        _push(touches[n + k], lam[first + edges[k].row], edge_wrench(edges[k], tables.work))
    n += edges.size
    for k in range(rollings.size):
        x = contact(rollings[k], tables.work)[0]
        for i in range(3):
            W = force_at(x, surface_direction(rollings[k], i, tables.work))
            _push(touches[n + k], lam[first + rollings[k].row + i], W)
    n += rollings.size
    for k in range(closings.size):
        c = closings[k]
        A, B = cut_frames(c, tables.work)
        put_twist(touches[n + k], _held(c, A if c.on_a else B, universal_normal(c, A, B), lam[first:]))


@kernel
def _push(row, lam, W):
    put_twist(row, se3.plus_times(-lam, W, twist(row)))


@kernel
def _held(cut, T, normal, lam):
    """-(select^T lam) as a wrench on body b."""
    x = np.zeros(6)
    for k in range(cut.kept):
        for i in range(6):
            x[i] -= cut.select[6 * k + i] * lam[cut.row + k]
    if cut.universal:
        m, f = se3.coAd(T, ((0.0, 0.0, 0.0), (x[0], x[1], x[2])))
        return (add(m, scale(x[3], normal)), f)
    return se3.coAd(T, twist(x))


@dataclass(frozen=True, eq=False)
class Ends:
    """Rows of the bodies a and b of the cut joints, then of the constraints that touch bodies, whose names are `touching`."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    touching: tuple[str, ...]


def ends_of(system: System) -> Ends:
    """Bodies that the wrenches act on, in the order of the tables; made once."""
    ends: Ends = system.cached("ends of constraints", lambda: _make_ends(system))
    return ends


def _make_ends(system: System) -> Ends:
    mech, row = system.mechanism, system.body_rows
    pairs = [(mech.joints[name].parent, mech.joints[name].child) for name in system.cut_joints]
    all_of = system.constraints.values()
    touching = [c for kind in (Distance, KnifeEdge, Rolling, Closing) for c in all_of if isinstance(c, kind)]
    pairs += [touched(c) for c in touching]
    a, b = ([row[pair[k]] for pair in pairs] for k in (0, 1))
    return Ends(np.array(a, dtype=np.int64), np.array(b, dtype=np.int64), tuple(c.name for c in touching))


def touched(c: Constraint) -> tuple[str, str]:
    """Bodies a and b of a distance, a knife edge, a rolling contact or a joint that has closed."""
    if isinstance(c, (Distance, Closing)):
        return c.body_a, c.body_b
    return (c.surface, c.body) if isinstance(c, Rolling) else ("ground", c.body)  # type: ignore[union-attr]


def constraint_wrenches(system: System, q: Array, lam: Array, regularized: bool = True) -> tuple[Array, Array, Array]:
    """(cut joints, 6), (touching constraints, 6): wrench on body b of each; (n_bodies + 1, 6): their sum on each body.

    All about the sweep's origin, which `body_needs` tells. lam: of the rows kept, or of all rows.
    """
    ends, n = ends_of(system), len(system.cuts)
    both = np.zeros((len(ends.a), 6))
    put_wrenches(with_rows(system, regularized)[0], q, np.ascontiguousarray(lam), both[:n], both[n:])
    return both[:n], both[n:], _on_bodies(system, ends, both)


def add_locks(system: System, touching: Array, joints: dict[str, Array]) -> None:
    """Add to what joints transmit to their children the wrenches of the welds that lock them."""
    for name, W in zip(ends_of(system).touching, touching, strict=True):
        c = system.constraints[name]
        if isinstance(c, Closing) and c.locks:
            joints[c.locks] = joints.get(c.locks, np.zeros(6)) + W


def _on_bodies(system: System, ends: Ends, wrenches: Array) -> Array:
    """(n_bodies + 1, 6): sum on each body of wrenches on body b of the first ends, which are reversed on body a."""
    total, n = np.zeros((len(system.bodies), 6)), len(wrenches)
    np.add.at(total, ends.b[:n], wrenches)
    np.subtract.at(total, ends.a[:n], wrenches)
    return total


@kernel
def put_forces(here, values, q, v, joints):
    """Add to the wrenches on body b of the cut joints what motors, springs and dampers do along their coordinates."""
    tables = open_tables(here)
    move_all(tables, q, v)
    _, _, joint_forces, cuts = tables.elements
    for k in range(joint_forces.size):
        f = joint_forces[k]
        if f.cut >= 0:
            u = joint_force(f, values, cuts, tables.work, q, v)
            _push(joints[f.cut], -u, cut_wrench(cuts[f.cut], f.component, tables.work))


def force_wrenches(system: System, q: Array, v: Array, t: float) -> tuple[Array, Array]:
    """(cut joints, 6): wrench on body b of the motors, springs and dampers of each; (n_bodies + 1, 6): their sum on each
    body; about the sweep's origin."""
    joints = np.zeros((len(system.cuts), 6))
    if np.any(system.elements.joint_forces["cut"] >= 0):
        put_forces(system.here, element_values(system, q, v, t), q, v, joints)
    return joints, _on_bodies(system, ends_of(system), joints)
