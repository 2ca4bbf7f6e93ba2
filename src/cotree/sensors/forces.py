"""Forces and powers of single force elements at many states, in compiled calls."""

from __future__ import annotations

import numpy as np

from cotree.dynamics.elements import joint_force, joint_rate, load_wrench, spring_state
from cotree.engine.kernel import kernel
from cotree.kinematics.sweep import move_all
from cotree.lie import se3
from cotree.lie.storage import put_vec, twist, vec
from cotree.model.switches import Brake
from cotree.sensors.states import Array, Block
from cotree.system.views import open_tables


@kernel
def _spring_rows(here, k, q, v, out):
    """(pull, length, rate of the length) of spring k."""
    tables = open_tables(here)
    s = tables.elements.springs[k]
    for i in range(q.shape[0]):
        move_all(tables, q[i], v[i])
        _, _, length, rate = spring_state(s, tables.work)
        out[i, 0], out[i, 1], out[i, 2] = s.stiffness * (length - s.length) + s.damping * rate, length, rate


@kernel
def _load_rows(here, k, values, q, v, out):
    """(force or moment in world axes, power) of load k."""
    tables = open_tables(here)
    load = tables.elements.loads[k]
    for i in range(q.shape[0]):
        move_all(tables, q[i], v[i])
        W = load_wrench(load, tables.work, vec(values[i, k]))
        put_vec(out[i], W[0] if load.is_moment else W[1])
        out[i, 3] = se3.pair(twist(tables.work[load.link].V), W)


@kernel
def _joint_rows(here, k, values, q, v, out):
    """(force along the coordinate, its rate) of row k of the forces along joints."""
    tables = open_tables(here)
    f, cuts = tables.elements.joint_forces[k], tables.elements.cuts
    for i in range(q.shape[0]):
        move_all(tables, q[i], v[i])
        out[i, 0] = joint_force(f, values[i], cuts, tables.work, q[i], v[i])
        out[i, 1] = joint_rate(f, cuts, tables.work, v[i])


def spring_rows(block: Block, k: int) -> Array:
    """(T, 3): pull [N], length [m], its rate [m/s]."""
    if block.exact is not None:
        return block.exact.spring(k)
    out = np.empty((len(block.t), 3))
    _spring_rows(block.system.here, k, block.q, block.v, out)
    return out


def load_rows(block: Block, k: int) -> Array:
    """(T, 4): force [N] or moment [N m] in world axes, power [W]."""
    if block.exact is not None:
        return block.exact.load(k)
    out = np.empty((len(block.t), 4))
    _load_rows(block.system.here, k, block.accelerated.values, block.q, block.v, out)
    return out


def joint_rows(block: Block, name: str) -> Array:
    """(T, 2): force along the coordinate of a motor, spring, damper or brake, and the coordinate's rate; zero where the joint
    is open."""
    system, out = block.system, np.zeros((len(block.t), 2))
    mech = system.mechanism
    brakes = [d for d in mech.devices.values() if isinstance(d, Brake)]
    there = {*system.joint_links, *system.cut_joints}
    names = [f.name for f in mech.joint_forces.values() if f.joint in there]
    names += [b.name for b in brakes if b.joint in there]
    if name in names and block.exact is not None:
        return block.exact.joint(names.index(name))
    if name in names:
        _joint_rows(system.here, names.index(name), block.accelerated.values, block.q, block.v, out)
    return out
