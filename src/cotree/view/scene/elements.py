"""Force elements in pictures: those between two points, stretched as they move, and those at joints."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.lie import rotation_of_quaternion
from cotree.model.constraints import Coupling, Distance
from cotree.model.force_elements import BeamChain, Belt, BumpStop, Bushing, Cable, ForceBetween, LineElement, Rope, Tyre
from cotree.model.forces import JointForce
from cotree.model.shapes import shapes_of
from cotree.model.switches import Brake, Limit
from cotree.view.scene.belts import strands
from cotree.view.scene.frames import Frames
from cotree.view.scene.parts import Part, across, box, cylinder, numbers
from cotree.view.scene.reference import Reference, in_data, reference_poses
from cotree.view.scene.stops import screw_of, stops

Array = NDArray[np.float64]
TURNS, PIECES = 2.5, 14  # of the spiral of a spring on a joint


# -- between two points ------------------------------------------------------------------------------------------


def ties(at: Reference, found: Frames, size: float) -> list[dict[str, Any]]:
    """Each with its first length, and its parts along z from 0 to that length; a spring is a coil, which has none."""
    return [_tie(at, found, size, *one) for one in _between(at)]


def _between(at: Reference) -> list[tuple[str, str, tuple[str, Any], tuple[str, Any]]]:
    """(name, kind, (body, point), (body, point))."""
    mech, out = at.system.mechanism, []
    for s in mech.springs.values():
        kind = "spring" if s.stiffness or not s.damping else "damper"
        out.append((s.name, kind, (s.body_a, s.point_a), (s.body_b, s.point_b)))
    for e in mech.elements.values():
        if isinstance(e, LineElement):
            out.append((e.name, _kind(e), (e.body_a, e.point_a), (e.body_b, e.point_b)))
        if isinstance(e, Cable):
            out += [(e.name, "cable", a, b) for a, b in pairwise(e.route)]
        if isinstance(e, Belt):
            out += strands(at, e)
        if isinstance(e, BeamChain):
            places = [(n, in_data(at, n, F[:3, 3])) for n, F in zip(e.nodes, e.frames, strict=True)]
            out += [(e.name, "beam", a, b) for a, b in pairwise(places)]
    for c in at.system.constraints.values():
        if isinstance(c, Distance):
            out.append((c.name, "distance", (c.body_a, c.point_a), (c.body_b, c.point_b)))
    return out


def _kind(element: LineElement) -> str:
    kinds = {Rope: "rope", BumpStop: "bump stop", ForceBetween: "actuator"}
    return next((word for kind, word in kinds.items() if isinstance(element, kind)), "spring")


def _tie(at: Reference, found: Frames, size: float, name: str, kind: str, a: Any, b: Any) -> dict[str, Any]:
    ends = {
        end: (at.system.body_rows[body], np.asarray(point, dtype=float)) for end, (body, point) in (("a", a), ("b", b))
    }
    ends = {end: (row, point - at.centres[row]) for end, (row, point) in ends.items()}
    places = [_first(found, row, point) for row, point in ends.values()]
    length = float(np.linalg.norm(places[1] - places[0])) or size
    out: dict[str, Any] = {"name": name, "kind": kind, "length": numbers(length), "parts": _along(kind, length, size)}
    for end, (row, point) in ends.items():
        out |= {f"body_{end}": row, f"point_{end}": numbers(point)}
    return out


def _first(found: Frames, row: int, point: Array) -> Array:
    """A body-fixed point at the first frame."""
    if not row:
        return point
    return rotation_of_quaternion(found.quaternions[0, row - 1]) @ point + found.centres[0, row - 1]


def _along(kind: str, length: float, size: float) -> list[Part]:
    """Parts along z."""

    def rod(start: float, end: float, radius: float) -> Part:
        return cylinder((0.0, 0.0, start * length), (0.0, 0.0, end * length), radius * size)

    return {
        "spring": [],
        "damper": [rod(0.0, 0.55, 0.85), rod(0.5, 1.0, 0.3)],
        "actuator": [rod(0.0, 0.5, 1.1), rod(0.5, 1.0, 0.45)],
        "bump stop": [rod(0.0, 0.35, 1.2), rod(0.35, 1.0, 0.12)],
        "rope": [rod(0.0, 1.0, 0.16)],
        "cable": [rod(0.0, 1.0, 0.16)],
        "beam": [rod(0.0, 1.0, 0.6)],
        "belt": [rod(0.0, 1.0, 0.3)],
        "distance": [rod(0.0, 1.0, 0.3)],
    }[kind]


# -- at joints ---------------------------------------------------------------------------------------------------


def fittings(at: Reference, size: float) -> list[dict[str, Any]]:
    """Motors, springs, dampers, brakes and stops at joints, pulleys of belts, bushings and tyres: name, kind, body that
    carries it, parts."""
    names = {c.name: k for k, c in enumerate(at.joints)}
    mech, out = at.system.mechanism, []
    for f in mech.joint_forces.values():
        out.append((f.name, _fitting(f), f.joint, f.coordinate))
    for c in at.system.constraints.values():
        if isinstance(c, Coupling) and c.word == "drive":
            out.append((c.name, "drive", c.terms[0].joint, c.terms[0].coordinate))
    out += [(d.name, d.word, d.joint, d.coordinate) for d in mech.devices.values() if isinstance(d, Brake)]
    made = []
    for name, kind, joint, coordinate in out:
        k = names[joint]
        row, frame = int(at.ends[k, 0]), at.on_parent[k]
        screw = screw_of(at.joints[k].joint, coordinate)
        made.append({"name": name, "kind": kind, "body": row, "parts": _at_joint(kind, frame, screw, size)})
    made += [stops(at, names[d.joint], d, size) for d in mech.devices.values() if isinstance(d, Limit)]
    for e in mech.elements.values():
        if isinstance(e, Bushing):
            made.append(_bushing(at, e, size))
        elif isinstance(e, Tyre) and shapes_of(mech.bodies[e.body].shape):  # else it is all that is seen of its body
            row = at.system.body_rows[e.body]
            made.append({"name": e.name, "kind": "tyre", "body": row, "parts": _ring(at, row, e)})
        elif isinstance(e, Belt):
            pairs = ((e.joint_a, e.radius_a), (e.joint_b, e.radius_b))
            made += [_pulley(at, e, names[joint], radius, size) for joint, radius in pairs]
    return made


def _fitting(f: JointForce) -> str:
    if f.torque is not None or f.driving is not None or f.inertia:
        return "motor"
    return "joint spring" if f.stiffness or f.elastic is not None else "joint damper"


def _at_joint(kind: str, frame: Array, screw: Array, size: float) -> list[Part]:
    turning = bool(np.any(screw[:3]))
    axis = frame[:3, :3] @ (screw[:3] if turning else screw[3:])
    axis, p = axis / (np.linalg.norm(axis) or 1.0), frame[:3, 3]

    def rod(start: float, end: float, radius: float) -> Part:
        return cylinder(p + start * size * axis, p + end * size * axis, radius * size)

    if kind == "joint spring":
        return _spiral(p, axis, size) if turning else [rod(-3.0, 3.0, 0.8)]
    if kind in ("motor", "drive"):  # beside the joint, so that its pin is still seen
        return [rod(1.2, 4.2, 1.7), rod(4.2, 4.8, 1.1)] if turning else [rod(-4.0, -1.0, 1.4), rod(-1.0, 3.0, 0.5)]
    return [rod(-2.2, -1.2, 1.9)]  # discs of dampers and brakes


def _spiral(p: Array, axis: Array, size: float) -> list[Part]:
    """A flat spiral about the axis, beside the joint."""
    e, f = across(axis)
    angle = 2 * np.pi * TURNS * np.linspace(0.0, 1.0, round(TURNS * PIECES) + 1)
    radius = size * (0.8 + 1.7 * angle / angle[-1])
    points = p - 1.6 * size * axis + radius[:, None] * (np.outer(np.cos(angle), e) + np.outer(np.sin(angle), f))
    return [cylinder(a, b, 0.16 * size, rounded=True) for a, b in pairwise(points)]


def tyre_parts(at: Reference, row: int) -> list[Part]:
    """Rings of the tyres of a body."""
    name = at.system.body_names[row - 1]
    tyres = [e for e in at.system.mechanism.elements.values() if isinstance(e, Tyre) and e.body == name]
    return [part for e in tyres for part in _ring(at, row, e)]


def _ring(at: Reference, row: int, e: Tyre) -> list[Part]:
    """About the axis of its wheel."""
    thick = 0.1 * e.radius
    first, second = across(np.asarray(e.axis))
    angle = np.linspace(0.0, 2 * np.pi, 25)[:, None]
    points = e.center - at.centres[row] + (e.radius - thick) * (np.cos(angle) * first + np.sin(angle) * second)
    return [cylinder(a, b, thick, rounded=True) for a, b in pairwise(points)]


def _pulley(at: Reference, e: Belt, k: int, radius: float, size: float) -> dict[str, Any]:
    """A disc about the axis of joint k, on its child."""
    frame = at.on_child[k]
    p, axis = frame[:3, 3], frame[:3, 2]
    disc = cylinder(p - 0.4 * size * axis, p + 0.4 * size * axis, abs(radius))
    return {"name": e.name, "kind": "belt", "body": int(at.ends[k, 1]), "parts": [disc]}


def _bushing(at: Reference, e: Bushing, size: float) -> dict[str, Any]:
    """A block at its point, carried by the first body; the point and axes are those of the world as assembled."""
    row = at.system.body_rows[e.body_a]
    C = reference_poses(at.system)[row]
    local = in_data(at, e.body_a, e.point) - at.centres[row]
    block = box(local, np.full(3, 2.6 * size), C[:3, :3].T @ np.asarray(e.axes).reshape(3, 3))
    return {"name": e.name, "kind": "bushing", "body": row, "parts": [block]}
