"""Moving in configuration space: rates of q for given velocities, and finite steps along them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.engine.kernel import kernel
from cotree.engine.vectors import all_finite
from cotree.kinematics.motion import group_element
from cotree.lie import quaternion, se3, so3
from cotree.lie.mat3 import mul_vec
from cotree.system.arguments import coordinates, not_finite, of_system, velocities
from cotree.system.system import System
from cotree.system.tables import GROUP
from cotree.system.views import open_tables

Array = NDArray[np.float64]


@kernel
def group_twist(link, v):
    """Velocity coordinates of a coordinate-free joint as a twist in the joint frame."""
    i = link.iv
    w = (0.0, 0.0, 0.0)
    if link.rotations == 3:
        w = (v[i], v[i + 1], v[i + 2])
    elif link.rotations == 1:
        w = (0.0, 0.0, v[i])
    i += link.rotations
    x = y = z = 0.0
    if link.translations & 1:
        x = v[i]
        i += 1
    if link.translations & 2:
        y = v[i]
        i += 1
    if link.translations & 4:
        z = v[i]
    return (w, (x, y, z))


@kernel
def put_group_twist(link, X, out):
    """Inverse of `group_twist`: the components that the joint has."""
    i = link.iv
    w, v = X
    if link.rotations == 3:
        out[i], out[i + 1], out[i + 2] = w
    elif link.rotations == 1:
        out[i] = w[2]
    i += link.rotations
    for k in range(3):
        if link.translations & (1 << k):
            out[i] = v[k]
            i += 1


@kernel
def put_translations(link, p, out):
    """Write the translations that a coordinate-free joint has, behind its rotation."""
    i = link.iq + (4 if link.rotations == 3 else link.rotations)
    for k in range(3):
        if link.translations & (1 << k):
            out[i] = p[k]
            i += 1


@kernel
def is_direct(link, dofs):
    """Whether a coordinate-free joint's translations are measured in the parent (SO(3) x R3)."""
    if link.rotations == 0 or link.translations == 0:
        return False
    return dofs[link.iv].carried != dofs[link.iv + link.nv - 1].carried


@kernel
def rates(links, dofs, q, v, out):
    """dq/dt for velocities v."""
    for j in range(dofs.size):
        if dofs[j].iq >= 0:
            out[dofs[j].iq] = v[j]
    for k in range(links.size):
        link = links[k]
        if link.kind != GROUP:
            continue
        w, u = group_twist(link, v)
        i = link.iq
        if link.rotations == 3:
            e = quaternion.rates((q[i], q[i + 1], q[i + 2], q[i + 3]), w)
            out[i], out[i + 1], out[i + 2], out[i + 3] = e
        if not is_direct(link, dofs):
            u = mul_vec(group_element(link, q)[0], u)
        put_translations(link, u, out)


@kernel
def move(links, dofs, q, v, out):
    """q moved along v for unit time: N exp(v) on coordinate-free joints, q + v on the others."""
    for j in range(dofs.size):
        if dofs[j].iq >= 0:
            out[dofs[j].iq] = q[dofs[j].iq] + v[j]
    for k in range(links.size):
        link = links[k]
        if link.kind != GROUP:
            continue
        w, u = group_twist(link, v)
        i = link.iq
        if link.rotations == 3:
            e = quaternion.mul((q[i], q[i + 1], q[i + 2], q[i + 3]), quaternion.exp(w))
            out[i], out[i + 1], out[i + 2], out[i + 3] = quaternion.normalized(e)
        if link.translations == 0:
            continue
        N = group_element(link, q)
        if is_direct(link, dofs):
            p = (N[1][0] + u[0], N[1][1] + u[1], N[1][2] + u[2])
        else:
            p = se3.act(N, so3.dexp_spatial(w, u))
        put_translations(link, p, out)


@kernel
def _rates(here, q, v, out):
    tables = open_tables(here)
    rates(tables.links, tables.dofs, q, v, out)


@kernel
def _move(here, q, step, out):
    tables = open_tables(here)
    move(tables.links, tables.dofs, q, step, out)


@of_system
def coordinate_rates(system: System, q: ArrayLike, v: ArrayLike) -> Array:
    """(nq,): dq/dt. Equal to v but for quaternions and for translations measured in a turning frame."""
    q, v, out = coordinates(system, q), velocities(system, v), np.empty(system.nq)
    _rates(system.here, q, v, out)
    if not all_finite(out):
        not_finite(system, "coordinate_rates", q=q, v=v)
    return out


@of_system
def displace(system: System, q: ArrayLike, step: ArrayLike) -> Array:
    """(nq,): q after moving with constant velocity coordinates `step` for unit time; stays on the group."""
    q, step, out = coordinates(system, q), velocities(system, step, "step"), np.empty(system.nq)
    _move(system.here, q, step, out)
    if not all_finite(out):
        not_finite(system, "displace", q=q, step=step)
    return out


@of_system
def normalize(system: System, q: ArrayLike) -> Array:
    """q with its quaternions scaled to unit length."""
    return displace(system, q, np.zeros(system.nv))
