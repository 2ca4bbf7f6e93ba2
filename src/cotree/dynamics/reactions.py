"""What the joints of a tree transmit: the wrench that each body lacks, summed over all that is beyond a joint.

Newton's and Euler's equations are taken body by body, so that welds, whose bodies share one link, are resolved like all others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics import inertia
from cotree.dynamics.elements import load_wrench, spring_wrench
from cotree.dynamics.inverse import inverse_dynamics as _newton_euler
from cotree.dynamics.user_forces import element_values
from cotree.engine.kernel import kernel
from cotree.errors import NotFiniteError
from cotree.lie import se3
from cotree.lie.storage import pose, put_twist, twist, vec
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BodyTree:
    """Bodies by rows, ground first: mass, mass centre and tensor (xx, xy, xz, yy, yz, zz) in the reference assembly; row of
    the body before each; rows of the ends of each spring; row and sense (+1 or -1) of each of the user's tree joints."""

    inertia: Array
    parents: NDArray[np.int64]
    springs: NDArray[np.int64]
    joints: dict[str, tuple[int, float]]


def body_tree(system: System) -> BodyTree:
    """Tables of a system, made once."""
    tree: BodyTree = system.cached("body tree", lambda: _make(system))
    return tree


def _make(system: System) -> BodyTree:
    mech, tree, names = system.mechanism, system.tree, system.joint_names
    row = {vertex: r for r, vertex in enumerate(tree.order)}
    data = np.zeros((len(system.bodies), 10))
    for r, name in enumerate(system.body_names, 1):
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = system.bodies[r]["frame"][:9].reshape(3, 3), system.bodies[r]["frame"][9:]
        p = mech.bodies[name].properties.moved(frame)
        data[r] = [p.mass, *p.com, *p.inertia[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]]
    parents = [0, *(row[tree.parent[k]] for k in tree.order[1:])]
    ends = [(system.body_rows[s.body_a], system.body_rows[s.body_b]) for s in mech.springs.values()]
    joints = {names[tree.edge[k]]: (row[k], float(tree.sign[k])) for k in tree.order[1:] if tree.edge[k] < len(names)}
    return BodyTree(data, np.array(parents), np.array(ends, dtype=np.int64).reshape(-1, 2), joints)


@kernel
def put_needs(here, values, masses, springs_on, q, v, v_dot, out):
    """out[k]: rate of momentum of body k less gravity and force elements, about the sweep's origin, which is returned."""
    tables = open_tables(here)
    _newton_euler(tables, values, q, v, v_dot, np.empty(v.size))
    out[:] = 0.0
    for k in range(1, tables.bodies.size):
        w, b = tables.work[tables.bodies[k].link], masses[k]  # `a` has gravity in it
        J = inertia.rigid(pose(w.C), b[0], (b[1], b[2], b[3]), (b[4], b[5], b[6], b[7], b[8], b[9]))
        V = twist(w.V)
        put_twist(out[k], se3.plus(inertia.momentum(J, twist(w.a)), se3.cobracket(V, inertia.momentum(J, V))))
    springs, loads, _, _, others = tables.elements
    for k in range(springs.size):
        W = spring_wrench(springs[k], tables.work)
        _add(out[springs_on[k, 0]], -1.0, W)
        _add(out[springs_on[k, 1]], 1.0, W)
    for k in range(loads.size):
        _add(out[loads[k].body], -1.0, load_wrench(loads[k], tables.work, vec(values[k])))
    for i in range(others.pieces.size):  # evaluated with the accelerations
        p, W = others.pieces[i], twist(others.efforts[i].W)
        _add(out[p.body_a], 1.0, W)
        _add(out[p.body_b], -1.0, W)
    C, o = tables.work[0].C, tables.world[0].origin
    return (o[0] - C[9], o[1] - C[10], o[2] - C[11])


@kernel
def _add(row, sign, W):
    put_twist(row, se3.plus_times(sign, W, twist(row)))


def body_needs(system: System, q: Array, v: Array, v_dot: Array, t: float = 0.0) -> tuple[Array, Array]:
    """(n_bodies + 1, 6): wrench that each body must get from joints and constraints to move so; and the point it is about."""
    tree, out = body_tree(system), np.zeros((len(system.bodies), 6))
    values = element_values(system, q, v, t)
    origin = put_needs(system.here, values, tree.inertia, tree.springs, q, v, v_dot, out)
    return out, np.array(origin)


@kernel
def sum_up(parents, needs):
    for k in range(parents.size - 1, 0, -1):
        if parents[k] > 0:
            needs[parents[k]] += needs[k]


def transmitted(system: System, needs: Array) -> dict[str, Array]:
    """What each of the user's tree joints transmits to its child, about the same point; `needs` are summed up in place."""
    tree = body_tree(system)
    sum_up(tree.parents, needs)
    return {name: sign * needs[row] for name, (row, sign) in tree.joints.items()}


def about_world(wrenches: dict[str, Array], origin: Array) -> dict[str, Array]:
    """Wrenches (..., 6), all of one shape, about `origin`, with moments about the world's origin instead."""
    x, y, z = origin
    moved = np.array(list(wrenches.values()))
    if moved.size:
        moved[..., :3] += moved[..., 3:] @ np.array([[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]])  # origin x force
        if not np.isfinite(moved).all():
            raise NotFiniteError("the joint forces overflow; velocities or loads are too large")
    return dict(zip(wrenches, moved, strict=True))


def tree_reactions(system: System, q: Array, v: Array, v_dot: Array, t: float = 0.0) -> dict[str, Array]:
    """Wrench that each tree joint transmits to the user's child, motor torque included; about the world's origin."""
    needs, origin = body_needs(system, q, v, v_dot, t)
    found = transmitted(system, needs)
    return about_world({name: found.get(name, np.zeros(6)) for name in system.joint_names}, origin)
