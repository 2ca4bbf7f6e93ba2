"""Joints of closed loops made exact: axes that are parallel, coaxial or meet within a tolerance do so to rounding afterwards.

Numbers with six decimals leave a planar loop planar to 1e-6, and a loop that is not planar to rounding is rigid. Which of the
two is meant is decided here, once, for everything that follows: the analysis, the constraint equations, and the run.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ModelError
from cotree.judge import COINCIDENT, ZERO
from cotree.lie import hat, inverse
from cotree.model.checks import number
from cotree.model.joints import (
    Cylindrical,
    Helical,
    Joint,
    Planar,
    PlanarTranslation,
    Prismatic,
    Revolute,
    Schoenflies,
    Spherical,
    Universal,
)
from cotree.model.mechanism import Connection, Mechanism
from cotree.screws import Kind, Scale, motion_group
from cotree.system.exact_relations import inexactness, made_exact
from cotree.system.joint_frames import alike, joint_frames, screws_about
from cotree.system.loop_points import loop_points
from cotree.system.masses import mass_centres
from cotree.system.near_relations import Geometry, Pairs, Relations, relations
from cotree.system.reference_assembly import Assembly, assemble_graph
from cotree.topology import Graph, blocks

Array = NDArray[np.float64]
TOLERANCE = 1e-5  # of angles, and of lengths in parts of the loops: numbers with six decimals, tenfold
FARTHEST = 8.0  # times the size of a change: dimensions that would have to be changed by more are in another position
LARGEST = 1e-2
AT_MOST = 2.0  # times the tolerance: a joint that would have to be moved farther stays, with all of its loops
COMPARED = 400  # joints up to which all pairs are compared, beyond only those at most two bodies apart
CROWDED = 30  # joints: a body with more of them does not make these neighbours
ON_LINE, ON_POINT = (Revolute, Helical, Cylindrical), (Spherical, Universal)
FIELDS: dict[type[Joint], tuple[str, ...]] = {
    Revolute: ("axis",), Helical: ("axis",), Cylindrical: ("axis",), Prismatic: ("axis",), Schoenflies: ("axis",),
    Planar: ("normal",), PlanarTranslation: ("normal",), Universal: ("axis1", "axis2"), Spherical: (),
}  # fmt: skip


@dataclass(frozen=True)
class Moved:
    """A joint that was made exact: its axis was turned by `angle` [rad], its point moved by `distance` [m] across the axis."""

    joint: str
    angle: float
    distance: float


@dataclass(frozen=True)
class Snapping:
    """Joints of connected loops that were made exact together, and how far off they were, in radians and in parts of the
    loops' size."""

    moved: tuple[Moved, ...]
    off: float
    kind: Kind  # of the smallest motion group that holds all of these joints

    def __str__(self) -> str:
        angle, distance = max(m.angle for m in self.moved), max(m.distance for m in self.moved)
        names = ", ".join(repr(m.joint) for m in self.moved[:4]) + (", ..." if len(self.moved) > 4 else "")
        exact = "axes" if self.kind == Kind.FREE else str(self.kind).replace("_", " ")
        closed = "as if they were exact" if self.kind == Kind.FREE else f"as {exact}"
        how = [f"turned by at most {angle:.1e} rad"] * (angle > 0.0) + [f"moved by at most {distance:.1e} m"] * (
            distance > 0.0
        )
        return f"{exact} to {self.off:.0e}: closed {closed} ({names}: {', '.join(how)}; tolerance=0 takes the numbers as given)"


def checked_tolerance(tolerance: float | None) -> float:
    """The tolerance, or the one that is taken by default."""
    if tolerance is None:
        return TOLERANCE
    found = number(tolerance, "tolerance", "compile")
    if not 0.0 <= found <= LARGEST:
        raise ModelError(
            f"tolerance is {found:g}; give a number from 0 (all axes as they are) to {LARGEST:g}, in radians and in parts of a "
            "loop's size"
        )
    return found


def snapped(mech: Mechanism, assembly: Assembly, tolerance: float) -> tuple[Mechanism, tuple[Snapping, ...]]:
    """The mechanism with joints of closed loops made exact, and what was moved; itself where nothing is to be done."""
    found = list(_snappings(assembly, tolerance)) if tolerance > 0.0 else []
    if not found:
        return mech, ()
    new = copy.copy(mech)
    for joints, _ in found:
        new.joints.update({c.name: c for c in joints})
    return new, tuple(snapping for _, snapping in found)


def snapped_mechanism(mech: Mechanism, tolerance: float) -> Mechanism:
    """A copy with joints of closed loops made exact, for `Mechanism.snapped`."""
    assembly = assemble_graph(mech, False, ())
    new, _ = snapped(mech, assembly, checked_tolerance(tolerance))
    return copy.copy(mech) if new is mech else new


def perturbed(mech: Mechanism, size: float, seed: int, only: str | None = None) -> Mechanism | None:
    """A copy whose closed loops have other dimensions, changed at random by about `size`, while axes that are parallel, coaxial
    or meet in a point still do, and those of translations stay perpendicular to others; None where there is none nearby.
    only: a joint, if just its own point and the directions that it shares with no other are to be changed."""
    assembly, rng = assemble_graph(mech, False, ()), np.random.default_rng(seed)
    new, which = copy.copy(mech), None if only is None else {a for a, c in enumerate(assembly.joints) if c.name == only}
    for places, found, ends in _related(assembly, COINCIDENT):
        g = places.geometry
        slides = {int(found.classes[k]) for k in g.slides}  # angles between other axes are dimensions
        found.perpendicular = [pair for pair in found.perpendicular if slides & set(pair)]
        found.meeting = [(at, members) for at, members in found.meeting if _matters(members, g.owners, ends)]
        turned, moved = _changing(places, found, which)
        found.means = found.means + size * turned[:, None] * rng.standard_normal(found.means.shape)
        found.means /= np.linalg.norm(found.means, axis=1, keepdims=True)
        before = replace(g, points=list(g.points))
        g.points = [p + size * x * rng.standard_normal(3) for p, x in zip(g.points, moved, strict=True)]
        exact = made_exact(g, found)
        if exact is None or max(_farthest(before, *exact)) > FARTHEST * size:
            return None
        places.geometry = before
        new.joints.update({c.name: c for c in _moved_joints(assembly, ends, places, *exact)[0]})
    return new


def _matters(members: set[int], owners: list[int], ends: NDArray[np.int64]) -> bool:
    """Whether lines that meet share a centre or a body: two lines of distant joints meet by symmetry only."""
    if len(members) > 2:
        return True
    a, b = (set(ends[owners[k]].tolist()) for k in members)
    return bool(a & b)


def _changing(places: _Places, found: Relations, only: set[int] | None) -> tuple[Array, Array]:
    """1 for each class of directions and each point that changes, else 0; only: joints that change, None for all."""
    if only is None:
        return np.ones(len(found.means)), np.ones(len(places.geometry.points))
    turned = np.zeros(len(found.means))
    for a in only & places.directions.keys():
        turned[found.classes[places.directions[a]]] = 1.0
    for a in places.directions.keys() - only:
        turned[found.classes[places.directions[a]]] = 0.0
    return turned, np.array([float(a in only) for a in places.geometry.owners])


def _snappings(assembly: Assembly, tolerance: float) -> Iterator[tuple[list[Connection], Snapping]]:
    """For each set of joints that share loops and are inexact, the joints made exact."""
    for places, found, ends in _related(assembly, tolerance):
        off = inexactness(places.geometry, found)
        exact = made_exact(places.geometry, found) if off > ZERO else None
        if exact is not None and max(_farthest(places.geometry, *exact)) <= AT_MOST * tolerance:
            new, moved = _moved_joints(assembly, ends, places, *exact)
            yield new, Snapping(moved, off, _kind(assembly, ends, places, {c.name: c for c in new}))


def _related(assembly: Assembly, tolerance: float) -> Iterator[tuple[_Places, Relations, NDArray[np.int64]]]:
    """For each set of joints that share loops their geometry, what it nearly fulfils, and the ends of all joints."""
    joints = assembly.joints
    graph = Graph(assembly.graph.size, assembly.graph.edges[: len(joints)])
    if graph.n_loops <= 0:
        return
    ends = np.array(graph.edges).reshape(-1, 2)
    _, F = joint_frames(joints, assembly.frames, ends)
    middles = np.concatenate([np.zeros((1, 3)), mass_centres(assembly.bodies[1:], assembly.frames[1:])])
    for which in alike(blocks(graph)).values():
        if len(which) > 1:
            bodies = np.unique(ends[which])
            points = loop_points(F[which, :3, 3], middles[bodies[bodies > 0]])
            middle = points.mean(axis=0)
            length = float(np.linalg.norm(points - middle, axis=1).max()) or 1.0
            places = _geometry(joints, F, which.tolist(), middle, length)
            yield places, relations(places.geometry, tolerance, _pairs(places, ends)), ends


@dataclass
class _Places:
    """Places of the directions and the point of each joint in a geometry, whose lengths are in `length` from `middle`."""

    joints: list[int]
    geometry: Geometry
    directions: dict[int, list[int]]
    point: dict[int, int]
    middle: Array
    length: float


def _farthest(geometry: Geometry, D: Array, P: Array) -> tuple[float, float]:
    return (
        float(np.abs(D - np.array(geometry.directions).reshape(-1, 3)).max(initial=0.0)),
        float(np.abs(P - np.array(geometry.points).reshape(-1, 3)).max(initial=0.0)),
    )


def _geometry(joints: list[Connection], F: Array, which: list[int], middle: Array, length: float) -> _Places:
    """Directions and points of joints of the catalogue in the reference assembly."""
    out = _Places(which, Geometry(), {}, {}, middle, length)
    g = out.geometry
    for a in which:
        joint = joints[a].joint
        if type(joint) not in FIELDS:
            continue
        Z = joint.screws()[:3].T if isinstance(joint, Universal) else np.array([[0.0, 0.0, 1.0]])
        out.directions[a] = []
        for e in (Z @ F[a, :3, :3].T)[: len(FIELDS[type(joint)])]:
            out.directions[a].append(len(g.directions))
            if isinstance(joint, Prismatic):
                g.slides.add(len(g.directions))
            g.directions.append(e)
        if isinstance(joint, ON_LINE + ON_POINT):
            out.point[a] = len(g.points)
            if isinstance(joint, ON_LINE):
                g.lines[len(g.points)] = out.directions[a][0]
            elif isinstance(joint, Universal):
                g.crosses[len(g.points)] = out.directions[a]
            g.points.append((F[a, :3, 3] - middle) / length)
            g.owners.append(a)
    return out


def _pairs(places: _Places, ends: Array) -> Pairs:
    """Places of points that are compared: all pairs, or those of joints on the same or on neighbouring bodies."""
    n = len(places.geometry.points)
    if n <= COMPARED:
        return np.triu_indices(n, 1)
    owners = places.geometry.owners
    at: dict[int, set[int]] = {}
    for k, a in enumerate(owners):
        for body in ends[a].tolist():
            at.setdefault(body, set()).add(k)
    few = {body: own for body, own in at.items() if len(own) < CROWDED}
    near: set[tuple[int, int]] = set()
    for k, a in enumerate(owners):
        first = {j for body in ends[a].tolist() for j in few.get(body, ())}
        second = {j for i in first for body in ends[owners[i]].tolist() for j in few.get(body, ())}
        near |= {(k, j) for j in second if j > k}
    both = np.array(sorted(near), dtype=np.intp).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _moved_joints(
    assembly: Assembly, ends: NDArray[np.int64], places: _Places, D: Array, P: Array
) -> tuple[list[Connection], tuple[Moved, ...]]:
    old_D, old_P = np.array(places.geometry.directions).reshape(-1, 3), np.array(places.geometry.points).reshape(-1, 3)
    joints, moved = [], []
    for a, own in places.directions.items():
        k = places.point.get(a)
        turn = max((float(np.linalg.norm(D[i] - old_D[i])) for i in own), default=0.0)
        shift = np.zeros(3) if k is None else places.length * (P[k] - old_P[k])
        if turn > 0.0 or np.any(shift):
            c = assembly.joints[a]
            joint = _changed(c.joint, assembly.frames[ends[a]], [old_D[i] for i in own], [D[i] for i in own], shift)
            joints.append(replace(c, joint=joint))
            moved.append(Moved(c.name, turn, float(np.linalg.norm(shift))))
    return joints, tuple(moved)


def _kind(assembly: Assembly, ends: NDArray[np.int64], places: _Places, new: dict[str, Connection]) -> Kind:
    """Motion group of the joints of a geometry, those in `new` as they are there."""
    connections = [new.get(assembly.joints[a].name, assembly.joints[a]) for a in places.joints]
    F = joint_frames(connections, assembly.frames, ends[places.joints])[1]
    screws = [screws_about(C[None], c.joint.screws()[None])[0] for C, c in zip(F, connections, strict=True)]
    Y = np.concatenate(screws, axis=1)
    return motion_group(Scale(places.length, places.middle).apply(Y)).kind


def _changed(joint: Joint, bodies: Array, old: list[Array], new: list[Array], shift: Array) -> Joint:
    """The joint with its directions and its point changed; frames on bodies are moved as a whole."""
    if joint.frame_parent is None and joint.frame_child is None:
        fields: dict[str, Any] = {}
        for name, before, e in zip(FIELDS[type(joint)], old, new, strict=True):
            given = np.asarray(getattr(joint, name), dtype=float)
            fields[name] = tuple((np.linalg.norm(given) * np.sign(before @ given) * e).tolist())
        if "point" in joint.places and np.any(shift):
            fields["point"] = tuple((np.asarray(joint.__dict__["point"], dtype=float) + shift).tolist())
        return replace(joint, **fields)
    sides: dict[str, Any] = {}
    for side, M in zip(("frame_parent", "frame_child"), bodies, strict=True):
        S = getattr(joint, side)
        if S is not None:
            sides[side] = _moved_frame(M, S, joint.frame()[:3, 3], old, new, shift)
    return replace(joint, **sides)


def _moved_frame(M: Array, S: Array, point: Array, old: list[Array], new: list[Array], shift: Array) -> Array:
    """A frame S on a body at M, turned about the joint's point by the shortest turn from the old direction to the new one, and
    shifted."""
    T, R = M @ S, np.eye(3)
    for before, e in zip(old[:1], new[:1], strict=True):
        w = hat(np.cross(before, e))
        R = R + w + w @ w / (1.0 + before @ e)
    p = T[:3, :3] @ point + T[:3, 3]
    moved = T.copy()
    moved[:3, :3], moved[:3, 3] = R @ T[:3, :3], R @ (T[:3, 3] - p) + p + shift
    return np.asarray(inverse(M) @ moved)
