"""From multipliers to wrenches on bodies: M v_dot + J^T lam = f, so that a row Wb . V_b - Wa . V_a pushes body b with -lam Wb
and body a with lam Wa.

What acts within a cut joint, its own rows and the drivers and couplings of its coordinates, is counted with that joint. What
drivers, couplings and user rows do along the coordinates of the tree acts within its joints, like motors, and pushes no
body from outside.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.all_rows import put_wrenches
from cotree.constraints.api import with_rows
from cotree.dynamics.elements import joint_force
from cotree.dynamics.user_forces import element_values
from cotree.engine.kernel import kernel
from cotree.kinematics.cut_joint import cut_wrench
from cotree.kinematics.sweep import move_all, place_all
from cotree.lie import se3
from cotree.lie.storage import put_twist, twist
from cotree.system.system import System
from cotree.system.views import open_rows, open_tables

Array = NDArray[np.float64]
Pushes = dict[str, dict[str, Array]]


@kernel
def put_pushes(here, q, lam, joints, pushes, on_bodies):
    """joints: wrench on body b of each cut joint; pushes (pieces, 2, 6): those on bodies a and b of each piece; on_bodies: the
    sum of all on each body; about the sweep's origin."""
    tables = open_tables(here)
    place_all(tables, q)
    joints[:], pushes[:], on_bodies[:] = 0.0, 0.0, 0.0
    put_wrenches(here)
    rows = open_rows(here)
    for i in range(rows.pieces.size):
        p, w = rows.pieces[i], rows.wrenches[i]
        if p.iv >= 0:
            continue
        x = lam[p.row]
        _push(pushes[i, 0], -x, twist(w.Wa))
        _push(pushes[i, 1], x, twist(w.Wb))
        _push(on_bodies[p.body_a], -x, twist(w.Wa))
        _push(on_bodies[p.body_b], x, twist(w.Wb))
        if p.cut >= 0:
            _push(joints[p.cut], x, twist(w.Wb))


@kernel
def _push(row, lam, W):
    put_twist(row, se3.plus_times(-lam, W, twist(row)))


def constraint_wrenches(system: System, q: Array, lam: Array, regularized: bool = True) -> tuple[Array, Pushes, Array]:
    """(cut joints, 6): wrench on body b of each; wrenches on bodies of the constraints that touch such, by their names and the
    bodies'; (n_bodies + 1, 6): the sum of all on each body.

    All about the sweep's origin, which `body_needs` tells. lam: of the rows kept, or of all rows.
    """
    here, n = with_rows(system, regularized)
    first = n - len(system.extra_rows.owners)  # rows of the cut joints, one piece each
    joints, on_bodies = np.zeros((len(system.cuts), 6)), np.zeros((len(system.bodies), 6))
    pushes = np.zeros((first + len(system.extra_rows.pieces), 2, 6))
    put_pushes(here, q, np.ascontiguousarray(lam), joints, pushes, on_bodies)
    return joints, _by_name(system, pushes[first:]), on_bodies


def _by_name(system: System, pushes: Array) -> Pushes:
    """What each constraint beside the joints does to bodies; body b first, then a."""
    names, found = ("ground", *system.body_names), Pushes()
    for p, (on_a, on_b) in zip(system.extra_rows.pieces, pushes, strict=True):
        if p["iv"] < 0 and p["cut"] < 0:
            own = found.setdefault(system.extra_rows.owners[p["row"]], {})
            for body, W in ((p["body_b"], on_b), (p["body_a"], on_a)):
                own[names[body]] = own.get(names[body], np.zeros(6)) + W
    return found


def add_locks(system: System, pushes: Pushes, joints: dict[str, Array]) -> None:
    """Add to what joints transmit to their children the wrenches of the welds that lock them."""
    for name, on_bodies in pushes.items():
        lock = system.constraints[name].locks
        if lock:
            child = system.mechanism.joints[lock].child
            joints[lock] = joints.get(lock, np.zeros(6)) + on_bodies[child]


@kernel
def put_forces(here, values, q, v, joints):
    """Add to the wrenches on body b of the cut joints what motors, springs and dampers do along their coordinates."""
    tables = open_tables(here)
    move_all(tables, q, v)
    _, _, joint_forces, cuts, _ = tables.elements
    for k in range(joint_forces.size):
        f = joint_forces[k]
        if f.cut >= 0:
            u = joint_force(f, values, cuts, tables.work, q, v)
            _push(joints[f.cut], -u, cut_wrench(cuts[f.cut], f.component, tables.work))


def force_wrenches(system: System, q: Array, v: Array, t: float) -> tuple[Array, Array]:
    """(cut joints, 6): wrench on body b of the motors, springs and dampers of each; (n_bodies + 1, 6): their sum on each
    body; about the sweep's origin."""
    joints, on_bodies = np.zeros((len(system.cuts), 6)), np.zeros((len(system.bodies), 6))
    if np.any(system.elements.joint_forces["cut"] >= 0):
        put_forces(system.here, element_values(system, q, v, t), q, v, joints)
        np.add.at(on_bodies, system.cuts["body_b"], joints)
        np.subtract.at(on_bodies, system.cuts["body_a"], joints)
    return joints, on_bodies
