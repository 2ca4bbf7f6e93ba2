"""What bodies cannot do although the velocities of their loops admit it: motion groups of the true motion, as added joints.

Where the loops are singular at every configuration (a table on four equal parallel rods, which never turns), more velocities
are admissible than begin motions, and the equations of motion are not determined. The motions themselves show the smaller
groups in which bodies move against each other. A joint of such a group, a guide, takes nothing from the motion; with enough of
them the loops are regular, in all coordinates alike.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_residual
from cotree.constraints.deflation import polished, true_velocities
from cotree.constraints.local_dof import local_dof
from cotree.constraints.measured_rank import rank
from cotree.constraints.mobility import in_joint_coordinates
from cotree.constraints.neighbours import neighbours
from cotree.constraints.rank import reported, unit_columns
from cotree.constraints.tangents import Rows, Tangent
from cotree.constraints.units import column_units, length_of
from cotree.judge import SAME_CONFIGURATION, STILL
from cotree.kinematics.jacobians import spatial_jacobian
from cotree.kinematics.poses import poses
from cotree.lie import Ad, hat, inverse
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
    Translation,
    Weld,
)
from cotree.screws import Kind, Scale, Subgroup, closure, complement, identify, in_world, span
from cotree.system.system import System

Array = NDArray[np.float64]
SAMPLES = 5  # configurations by which a group is known
LOOKS = 2
ALL_PAIRS = 12  # bodies up to which any two of them are looked at, beyond that only neighbours and ground


@dataclass(frozen=True)
class Guide:
    """Body b moves against body a within a motion group, whatever else its joints admit."""

    a: str
    b: str
    group: Subgroup

    @property
    def name(self) -> str:
        return f"guide of {self.b} against {self.a}"

    def __str__(self) -> str:
        return f"{self.b!r} against {self.a!r}: {self.group.describe()}"


@dataclass(frozen=True)
class Guided:
    """A system with guides, or None where those that were found do not determine the motion."""

    system: System | None
    guides: tuple[Guide, ...]


def guided(system: System, q: Array, t: float = 0.0) -> Guided | None:
    """The system with guides added if its loops are singular at all configurations next to q; None if they are not."""
    if not system.n_constraints or system.nv - rank(system, q, t) in (0, system.nv - system.n_constraints):
        return None
    own, x = in_joint_coordinates(system, q)
    differential = own.nv - rank(own, x, t)
    if differential in (0, own.nv - own.n_constraints):
        return None
    if not _obstructed(own, x, differential, t):
        return None
    local = local_dof(own, x, differential, t)
    if not local.everywhere:
        return None
    samples = _samples(own, x, t, differential, local.dof)
    found = _enough(own, samples) if samples else None
    if found is None:
        return Guided(None, ())
    with_guides = _with_guides(system, found)
    gap = np.abs(constraint_residual(with_guides, q, t, regularized=False)).max()
    return Guided(with_guides if gap < SAME_CONFIGURATION * max(1.0, length_of(system)) else None, tuple(found))


def singular_nearby(system: System, q: Array, t: float = 0.0) -> bool:
    """Whether second derivatives forbid velocities at configurations next to q: a quick look at mechanisms for which no guides
    are sought."""
    differential = system.nv - rank(system, q, t)
    if differential in (0, system.nv - system.n_constraints):
        return False
    rows = Rows.of(system, t)
    near = [Tangent.at(rows, x) for x in islice(neighbours(system, q, differential, t), LOOKS)]
    return bool(near) and all(map(_forbids, near))


def _obstructed(system: System, q: Array, differential: int, t: float) -> bool:
    """Whether second derivatives forbid velocities at q or next to it: a quick look, before dimensions are counted.

    A velocity that is the only one at q is looked at there alone: closed configurations nearby, if there are any, form a curve
    along which J N = 0 has one solution N, and then W J' N = -W J N' = 0.
    """
    rows = Rows.of(system, t)
    here = Tangent.at(rows, q)
    if _forbids(here):
        return True
    if here.dimension == 1:
        return False
    return any(_forbids(Tangent.at(rows, x)) for x in islice(neighbours(system, q, differential, t), LOOKS))


def _forbids(tangent: Tangent) -> bool:
    """Whether second derivatives forbid velocities that are admissible."""
    return tangent.unobstructed().shape[1] < tangent.dimension


def _samples(system: System, q: Array, t: float, differential: int, dof: int) -> list[tuple[Array, Array, Array]]:
    """(q, J, velocities) at configurations in general position on the set; the velocities span its tangent space."""
    rows, out = Rows.of(system, t), []
    for there in neighbours(system, q, differential, t):
        tangent = polished(Tangent.at(rows, there))
        K = true_velocities(tangent)
        if K.shape[1] == dof and np.abs(rows.residual(tangent.q)).max(initial=0.0) < 1e-11:
            out.append((tangent.q, rows.jacobian(tangent.q), K))
        if len(out) == SAMPLES:
            break
    return out


def _enough(system: System, samples: list[tuple[Array, Array, Array]]) -> list[Guide] | None:
    """Guides that leave just the true velocities at all samples, those that hold most first; None where there are none."""
    candidates = [(guide, rows) for pair in _pairs(system) for guide, rows in _candidate(system, samples, *pair)]
    held = [J for _, J, _ in samples]
    wanted = system.nv - samples[0][2].shape[1]
    out: list[Guide] = []
    while True:
        ranks = [_rank(J) for J in held]
        if min(ranks) == wanted:
            return out
        gains = [sum(_rank(np.concatenate([J, R])) for J, R in zip(held, rows, strict=True)) for _, rows in candidates]
        if not gains or max(gains) <= sum(ranks):
            return None
        best = int(np.argmax(gains))
        out.append(candidates[best][0])
        held = [np.concatenate([J, R]) for J, R in zip(held, candidates[best][1], strict=True)]


def _rank(J: Array) -> int:
    return reported(np.linalg.svd(unit_columns(J), compute_uv=False), 0.0)


def _pairs(system: System) -> Iterator[tuple[str, str]]:
    """Pairs of bodies to look at: those that a joint connects, each with ground, then any two where they are few."""
    seen: set[frozenset[str]] = set()
    near = [(c.parent, c.child) for c in system.mechanism.joints.values()]
    every = combinations(system.body_names, 2) if len(system.body_names) <= ALL_PAIRS else ()
    for a, b in (*near, *(("ground", name) for name in system.body_names), *every):
        if frozenset((a, b)) not in seen:
            seen.add(frozenset((a, b)))
            yield a, b


def _candidate(
    system: System, samples: list[tuple[Array, Array, Array]], a: str, b: str
) -> Iterator[tuple[Guide, list[Array]]]:
    """The guide of a pair of bodies and its rows at the samples, if the bodies move in a group that a joint can have."""
    scale, units = Scale(length_of(system), system.world["origin"][0]), column_units(system)
    scaled = [_scaled(scale, _relative_jacobian(system, q, a, b)) * units for q, _, _ in samples]
    twists = np.concatenate([J @ K for J, (_, _, K) in zip(scaled, samples, strict=True)], axis=1)
    basis = closure(span(twists, STILL)) if np.abs(twists).max(initial=0.0) > STILL else np.zeros((6, 0))
    group = identify(basis)
    if group.dimension == 6 or _joint(group) is None:
        return
    annihilator = complement(basis) if basis.shape[1] else np.eye(6)
    yield Guide(a, b, in_world(group, scale)), [annihilator.T @ J for J in scaled]


def _scaled(scale: Scale, twists: Array) -> Array:
    """Twists about the scale's origin and in its length, sizes as they are."""
    return np.concatenate([twists[:3], (twists[3:] - hat(scale.origin) @ twists[:3]) / scale.length])


def _relative_jacobian(system: System, q: Array, a: str, b: str) -> Array:
    """(6, nv): spatial twist of body b against a, brought back to where a was in the reference assembly."""
    C = poses(system, q)[system.row_of(a)]
    J = spatial_jacobian(system, q, b)
    if a != "ground":
        J = J - spatial_jacobian(system, q, a)
    return np.asarray(Ad(inverse(C)) @ J)


def _joint(group: Subgroup) -> Joint | None:
    """A joint of the catalogue that admits just this group; None where there is none."""
    axis, point = group.axis or (0.0, 0.0, 1.0), group.point or (0.0, 0.0, 0.0)
    match group.kind:
        case Kind.WELD:
            return Weld()
        case Kind.PRISMATIC:
            return Prismatic(axis=axis)
        case Kind.REVOLUTE:
            return Revolute(point, axis)
        case Kind.HELICAL:
            return Helical(point, axis, group.pitch or 0.0)
        case Kind.CYLINDRICAL:
            return Cylindrical(point, axis)
        case Kind.PLANAR_TRANSLATION:
            return PlanarTranslation(normal=axis)
        case Kind.TRANSLATION:
            return Translation()
        case Kind.PLANAR:
            return Planar(point, axis)
        case Kind.SPHERICAL:
            return Spherical(point)
        case Kind.SCHOENFLIES:
            return Schoenflies(axis=axis)
        case _:
            return None


def _with_guides(system: System, guides: list[Guide]) -> System:
    """The same coordinates, with guides cut like the joints that are cut already."""
    mech = copy.copy(system.mechanism)
    for guide in guides:
        joint = _joint(guide.group)
        assert joint is not None
        mech.joint(guide.name, guide.a, guide.b, joint)
    choices = dict(system.choices)
    if system.coordinates == "relative":
        choices["cut"] = [*system.cut_joints, *(guide.name for guide in guides)]
    found: System = mech.compile(**choices)
    return found
