"""From confirmed proposals to a `Mechanism`: bodies from solids, joints oriented away from ground."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.errors import ChoiceError, DuplicateNameError
from cotree.io.step.pictures import shape_of
from cotree.io.step.proposals import Proposal, Proposals
from cotree.io.step.solids import Solid, combined
from cotree.model.checks import shown
from cotree.model.joints import Cylindrical, Joint, Prismatic, Revolute, Spherical
from cotree.model.mechanism import Mechanism

if TYPE_CHECKING:
    from cotree.io.step.assembly import StepAssembly

KINDS = ("revolute", "cylindrical", "prismatic", "spherical")


@dataclass(frozen=True)
class Choice:
    """A confirmed joint: its name and the proposal, with the kind that the user wants."""

    name: str
    proposal: Proposal


def chosen(proposals: Proposals, joints: Any, accept: str | None, kinds: Any) -> list[Choice]:
    """What the user has confirmed."""
    if (joints is None) == (accept is None):
        raise ChoiceError(
            "confirm the joints: give joints=[numbers or names of proposals], or accept='all'; print(assembly.proposals) "
            "shows them"
        )
    if accept is not None and accept != "all":
        raise ChoiceError(f"accept is {shown(accept)}; give 'all', or name the joints: joints=[...]")
    found: dict[int, Choice] = {}
    pairs = joints.items() if isinstance(joints, Mapping) else ((None, key) for key in _keys(proposals, joints))
    for name, key in pairs:
        proposal = proposals[key]
        if proposal.number in found and name is not None:
            raise ChoiceError(f"joints: proposal {key!r} is named twice, {found[proposal.number].name!r} and {name!r}")
        found.setdefault(proposal.number, Choice(name or proposal.name, proposal))
    return _with_kinds(found, proposals, kinds)


def _keys(proposals: Proposals, joints: Iterable[int | str] | None) -> Iterable[int | str]:
    if joints is None:
        return [p.number for p in proposals]
    return [joints] if isinstance(joints, str | int) else joints


def _with_kinds(found: dict[int, Choice], proposals: Proposals, kinds: Any) -> list[Choice]:
    """Each choice with the kind that the user has said, if any; one kind for all is for those that have an axis."""
    if not isinstance(kinds, Mapping):
        kinds = {c.name: kinds for c in found.values() if kinds is not None and c.proposal.kind != "spherical"}
    for key, kind in kinds.items():
        number = next((n for n, c in found.items() if c.name == key), None)
        number = proposals[key].number if number is None else number
        if number not in found:
            raise ChoiceError(f"kinds: the proposal {key!r} is not among the confirmed joints; add it to joints")
        proposal = found[number].proposal
        possible = ("spherical",) if proposal.kind == "spherical" else KINDS  # a ball has no axis
        if kind not in possible:
            raise ChoiceError(f"kinds: joint {key!r} cannot be {kind!r}; choose {' or '.join(map(repr, possible))}")
        found[number] = replace(found[number], proposal=replace(proposal, kind=kind))
    return list(found.values())


def build(assembly: StepAssembly, still: set[str], choices: list[Choice], gravity: Any) -> Mechanism:
    """Bodies and joints; `still`: the bodies that are ground."""
    mech = Mechanism(assembly.name, gravity)
    bodies: dict[str, list[Solid]] = {}
    for part, solid in zip(assembly.parts, assembly.solids.values(), strict=True):
        bodies.setdefault(part, []).append(solid)
    for name, solids in bodies.items():
        if name not in still:
            _add_body(mech, name, solids)
    order = _from_ground(still, choices)
    for choice in choices:
        ends = sorted(choice.proposal.bodies, key=lambda name: order.get(name, len(order)))
        parent, child = ("ground" if name in still else name for name in ends)
        if parent != child:  # a joint between two bodies that both stay does nothing
            mech.joint(choice.name, parent, child, joint_of(choice.proposal))
    return mech


def joint_of(proposal: Proposal) -> Joint:
    """The joint of the catalogue."""
    point, axis = proposal.point, proposal.axis
    if proposal.kind == "spherical":
        return Spherical(point)
    if proposal.kind == "prismatic":
        return Prismatic(axis, point=point)
    return (Revolute if proposal.kind == "revolute" else Cylindrical)(point, axis)


def _add_body(mech: Mechanism, name: str, solids: list[Solid]) -> None:
    if name == "ground":
        raise DuplicateNameError(
            f"{mech.name}: the solid 'ground' moves, but that name is reserved for the fixed base; give it as "
            f"ground, weld it to another solid, or rename it in the CAD program"
        )
    one = combined([solid.properties for solid in solids])
    mech.body(name, one.mass, one.com, np.asarray(one.inertia), shape=shape_of(name, solids), inertia_about="com")


def _from_ground(still: set[str], choices: list[Choice]) -> dict[str, int]:
    """Number of joints between each body and ground; those that are nearer are parents."""
    order = dict.fromkeys(still, 0)
    edge, level = set(still), 0
    while edge:
        level += 1
        pairs = [c.proposal.bodies for c in choices]
        edge = {x for a, b in pairs for x, y in ((a, b), (b, a)) if y in edge and x not in order}
        order |= dict.fromkeys(edge, level)
    return order
