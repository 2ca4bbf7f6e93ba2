"""Dampers, stops and couplings of a mechanism as URDF has them; everything else beside bodies and joints is refused by name."""

from __future__ import annotations

from dataclasses import dataclass

from cotree.errors import DocumentError
from cotree.io.urdf.tree import CANNOT
from cotree.model.constraints import Coupling
from cotree.model.features import Features, declare
from cotree.model.forces import JointForce
from cotree.model.joints import Prismatic, Revolute
from cotree.model.mechanism import Mechanism
from cotree.model.switches import Limit

URDF = declare(
    "URDF",
    DocumentError,
    refuses={
        **dict.fromkeys(("springs", "loads", "force elements"), f"these do not act on a joint, {CANNOT}"),
        **dict.fromkeys(("laws", "functions", "time"), f"these are functions, {CANNOT}"),
        "rows": f"these are not couplings, {CANNOT}",
        "springs on cut joints": f"their joints close loops, {CANNOT}",
        "switches": f"these change the topology, {CANNOT}",
    },
    handles=("stops",),
)
Mimics = dict[str, tuple[str, float, float]]


@dataclass(frozen=True)
class Extras:
    """By joint: damping; inertia and gear ratio of its rotor; range of its coordinate; for one that follows another that
    joint, multiplier and offset."""

    damping: dict[str, float]
    rotors: dict[str, tuple[float, float]]
    ranges: dict[str, tuple[float, float]]
    mimics: Mimics


def extras_of(mech: Mechanism, tree: set[str]) -> Extras:
    """What acts on the joints of the tree; nothing else may act."""
    URDF.admit(Features(mech, mech.joints.keys() - tree))
    stops = [d for d in mech.devices.values() if isinstance(d, Limit)]
    return Extras(_damping(mech, tree), _rotors(mech), _ranges(mech, tree, stops), _mimics(mech, tree))


def _is_simple(mech: Mechanism, joint: str, tree: set[str]) -> bool:
    """Whether a joint of the tree turns or slides."""
    return joint in tree and isinstance(mech.joints[joint].joint, Revolute | Prismatic)


def _damping(mech: Mechanism, tree: set[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for f in mech.joint_forces.values():
        if f.torque is not None or f.stiffness != 0.0 or f.by_table or not _is_simple(mech, f.joint, tree):
            raise DocumentError(
                f"{f.name!r} on joint {f.joint!r} is not a damper or rotor on a hinge or slide of the tree, {CANNOT}"
            )
        if f.damping:
            found[f.joint] = found.get(f.joint, 0.0) + f.damping
    return found


def _rotors(mech: Mechanism) -> dict[str, tuple[float, float]]:
    """Inertia and ratio; several rotors of a joint become one that turns with it."""
    found: dict[str, list[JointForce]] = {}
    for f in mech.joint_forces.values():
        if f.inertia:
            found.setdefault(f.joint, []).append(f)
    return {
        joint: (own[0].inertia, own[0].ratio) if len(own) == 1 else (sum(f.reflected for f in own), 1.0)
        for joint, own in found.items()
    }


def _ranges(mech: Mechanism, tree: set[str], stops: list[Limit]) -> dict[str, tuple[float, float]]:
    found: dict[str, tuple[float, float]] = {}
    for stop in stops:
        if not _is_simple(mech, stop.joint, tree):
            raise DocumentError(
                f"limit {stop.name!r} is on joint {stop.joint!r}, which is not a hinge or slide of the tree, {CANNOT}"
            )
        if stop.restitution:
            raise DocumentError(f"limit {stop.name!r} has a restitution of {stop.restitution:g}, {CANNOT}")
        if stop.joint in found:
            raise DocumentError(f"joint {stop.joint!r} has two limits, {CANNOT}; give one")
        found[stop.joint] = (stop.lower, stop.upper)
    return found


def _mimics(mech: Mechanism, tree: set[str]) -> Mimics:
    """A coupling of two joints: the first follows the second, or the second the first if that one follows another."""
    found: Mimics = {}
    for c in mech.constraints.values():
        simple = isinstance(c, Coupling) and c.motion.constant and all(_is_simple(mech, t.joint, tree) for t in c.terms)
        ways = [c.terms, c.terms[::-1]] if simple and len(c.terms) == 2 else []
        for a, b in ways:
            if a.joint not in found:
                found[a.joint] = (b.joint, -b.ratio / a.ratio, float(c.motion.value) / a.ratio)  # type: ignore
                break
        else:
            raise DocumentError(
                f"constraint {c.name!r} is not a coupling of two hinges or slides of the tree, {CANNOT}"
            )
    return found
