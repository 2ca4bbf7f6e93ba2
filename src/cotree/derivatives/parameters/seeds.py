"""From names of parameters to directions: closed forms of how the tables depend on the numbers of the mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.derivatives.parameters.directions import Directions, no_directions
from cotree.errors import ArgumentError
from cotree.model.constraints import Conserve
from cotree.model.numbers import TENSOR, Number, number_named, numbers_of
from cotree.model.switches import Brake
from cotree.system.switched import places_of
from cotree.system.system import System

Array = NDArray[np.float64]
KNOWN = ("torque", "static_ratio")  # of friction; the second counts where a brake begins to slide


def directions_of(system: System, names: Sequence[str]) -> Directions:
    """Directions of parameters by name."""
    mech, known = system.mechanism, numbers_of(system.mechanism)
    out = no_directions(system, len(names))
    for k, name in enumerate(names):
        n = number_named(known, name, mech)
        _PUT.get(n.family, _put_nothing)(system, n, out, k)
        _check(system, name, n, out, k)
    return out


def _check(system: System, name: str, n: Number, out: Directions, k: int) -> None:
    """Refuse what the closed forms do not know."""
    moves, device = bool(out.moves[k]), system.mechanism.devices.get(n.owner)
    if n.family == "devices" and isinstance(device, Brake) and not _is_known(device, n.field):
        who = f"{device.word} {n.owner!r}"
    elif moves and system.extra_rows.user:
        who = f"constraint {system.extra_rows.user[0].name!r}, a function of yours,"
    elif moves and system.elements.kinds:
        who = f"force element {next(iter(system.mechanism.elements))!r}"
    elif (moves or out.inertia[k].any()) and any(isinstance(c, Conserve) for c in system.constraints.values()):
        who = f"constraint {next(c.name for c in system.constraints.values() if isinstance(c, Conserve))!r}"
    else:
        return
    raise ArgumentError(
        f"parameter {name!r}: how {who} changes with it is not known in closed form; leave the parameter out, or sweep it "
        "(ct.sweep)"
    )


def _is_known(brake: Brake, field: str) -> bool:
    """Friction in proportion to its torque; by Stribeck's curve it depends on the static ratio while sliding too."""
    return field in KNOWN and bool(brake.torque) and not (field == "static_ratio" and brake.stribeck)


def _put_nothing(system: System, n: Number, out: Directions, k: int) -> None:
    """Numbers of limits and times: they count where a run switches, the equations between do not change."""


def _put_device(system: System, n: Number, out: Directions, k: int) -> None:
    """The torque of a brake that slides."""
    slot, device = system.brake_slots.get(n.owner, -1), system.mechanism.devices[n.owner]
    if slot >= 0 and n.field == "torque" and isinstance(device, Brake):
        out.values[k, slot, 0] = system.elements.constants[slot, 0] / device.torque


def _put_gravity(system: System, n: Number, out: Directions, k: int) -> None:
    out.gravity[k, n.place] = 1.0


def _put_body(system: System, n: Number, out: Directions, k: int) -> None:
    """Mass with the tensor about the mass centre held; mass centre; tensor. World axes, about the system's origin."""
    place, p = places_of(system), system.mechanism.bodies[n.owner].properties
    R, c = place.axes(n.owner), place.point(n.owner, p.com)
    mass, first, I = 0.0, np.zeros(3), np.zeros((3, 3))
    if n.field == "mass":
        mass, first, I = 1.0, c, _apart(c, c)
    elif n.field == "com":
        e = R[:, n.place]
        first, I = p.mass * e, p.mass * (_apart(c, e) + _apart(e, c))
    else:
        i, j = list(TENSOR.values())[n.place]
        E = np.zeros((3, 3))
        E[i, j] = E[j, i] = 1.0
        I = R @ E @ R.T
    row = out.inertia[k, place.link(n.owner)]
    row[0], row[1:4], row[4:] = mass, first, I[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]


def _apart(a: Array, b: Array) -> Array:
    return np.asarray((a @ b) * np.eye(3) - np.outer(a, b))


def _put_joint(system: System, n: Number, out: Directions, k: int) -> None:
    """A point moves the joint's frame, an axis turns it about its point."""
    joint: Any = system.mechanism.joints[n.owner].joint
    e, point = np.eye(3)[n.place], np.array(joint.point) - system.world[0]["origin"]
    if n.field == "point":
        xi = np.concatenate([np.zeros(3), e])
    else:
        w = _turning(np.array(joint.axis), e)
        xi = np.concatenate([w, np.cross(point, w)])
    out.moves[k] = 1
    links = system.joint_links.get(n.owner, ())
    if n.owner in system.cut_joints:
        cut = system.cut_joints.index(n.owner)
        _put_tip(system, out, k, cut, xi)
    elif links:
        out.before[k, links[0]], out.behind[k, links[-1]] = xi, xi
    else:
        out.moves[k] = 0  # a weld: where its frame is makes no difference


def _turning(axis: Array, e: Array) -> Array:
    """Angular velocity of the frame that `axis_frame` makes of an axis when this changes by e; about the axis it turns with the
    shortest rotation from the world's third axis, or from its opposite."""
    length = float(np.linalg.norm(axis))
    a = axis / length
    da = (e - a * (a @ e)) / length
    up = 1.0 if a[2] >= 0.0 else -1.0
    spin = up * (a[1] * da[0] - a[0] * da[1]) / (1.0 + up * a[2])
    return np.asarray(np.cross(a, da) + spin * a)


def _put_tip(system: System, out: Directions, k: int, cut: int, xi: Array) -> None:
    """The frames of a cut joint, in its own rows and in those of others that measure its coordinate."""
    out.cuts[k, cut] = xi
    x, pieces = system.cuts[cut], system.tables["pieces"]
    own = np.arange(int(x["piece"]), int(x["piece"] + x["kept"]))
    across = np.flatnonzero((pieces["cut"] == cut) & (pieces["iv"] < 0))
    for i in (*own, *across[across >= system.n_loop_rows]):
        out.tips[k, i, :6] = out.tips[k, i, 6:] = xi


def _put_spring(system: System, n: Number, out: Directions, k: int) -> None:
    mech, place = system.mechanism, places_of(system)
    s, row = mech.springs[n.owner], list(mech.springs).index(n.owner)
    if n.place < 0:
        out.springs[k, row, ("stiffness", "length", "damping").index(n.field)] = 1.0
        return
    body, first = (s.body_a, 3) if n.field == "point_a" else (s.body_b, 6)
    e = place.axes(body)[:, n.place]
    out.springs[k, row, first : first + 3] = e
    if s.length is None:  # unstressed as assembled
        along = place.point(s.body_b, s.point_b) - place.point(s.body_a, s.point_a)
        sign = 1.0 if first == 6 else -1.0
        out.springs[k, row, 1] = sign * float(along @ e) / max(float(np.linalg.norm(along)), 1e-300)


def _put_load(system: System, n: Number, out: Directions, k: int) -> None:
    out.values[k, list(system.mechanism.loads).index(n.owner), n.place] = 1.0


def _put_joint_force(system: System, n: Number, out: Directions, k: int) -> None:
    f, row = system.mechanism.joint_forces[n.owner], list(system.mechanism.joint_forces).index(n.owner)
    if n.field == "torque":
        out.values[k, int(system.elements.joint_forces[row]["slot"]), 0] = 1.0
    elif n.field in ("inertia", "ratio"):
        name = f.joint if f.coordinate is None else f"{f.joint}.{f.coordinate}"
        out.rotors[k, system.v_index(name)] = f.ratio**2 if n.field == "inertia" else 2.0 * f.ratio * f.inertia
    else:
        out.forces[k, row, ("stiffness", "rest", "damping").index(n.field)] = 1.0


def _put_constraint(system: System, n: Number, out: Directions, k: int) -> None:
    for row, owner in enumerate(system.extra_rows.owners, system.n_loop_rows):
        if owner == n.owner:
            out.gaps[k, row] = -1.0


_PUT = {
    "gravity": _put_gravity, "bodies": _put_body, "joints": _put_joint, "springs": _put_spring, "loads": _put_load,
    "joint_forces": _put_joint_force, "constraints": _put_constraint, "devices": _put_device,
}  # fmt: skip
