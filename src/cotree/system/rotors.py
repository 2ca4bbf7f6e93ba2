"""Inertia of rotors that turn with a joint, along its coordinates."""

from __future__ import annotations

from collections.abc import Container, Mapping

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ForceError
from cotree.model.forces import JointForce
from cotree.model.mechanism import Mechanism
from cotree.system.tables import GROUP, SCREW


def put_rotors(
    mech: Mechanism,
    coordinates: Mapping[str, int],
    links: NDArray[np.void],
    dofs: NDArray[np.void],
    cuts: Container[str],
) -> None:
    """Add up the inertias of all rotors by coordinate; `coordinates`: places in v by name, `cuts`: cut joints."""
    for f in mech.joint_forces.values():
        if not f.inertia:
            continue
        who = f"joint inertia {f.name!r}: joint {f.joint!r}"
        if f.joint in cuts:
            raise ForceError(
                f"{who} is cut, so that its coordinate has no inertia of its own; compile in relative coordinates, with "
                f"cut= naming another joint of its loop"
            )
        iv = coordinates[_name(f)]
        dofs[iv]["inertia"] += f.reflected
    for f in mech.joint_forces.values():
        if f.inertia and not _is_sound(f, links, dofs[coordinates[_name(f)]], dofs):
            raise ForceError(
                f"joint inertia {f.name!r}: joint {f.joint!r} has several motions at once, along one of which a rotor cannot "
                f"be placed; give the joint coordinates='second', describe it as joints of one coordinate each, or give a "
                f"ball the same inertia along all three"
            )


def _name(f: JointForce) -> str:
    return f.joint if f.coordinate is None else f"{f.joint}.{f.coordinate}"


def _is_sound(f: JointForce, links: NDArray[np.void], dof: np.void, dofs: NDArray[np.void]) -> bool:
    """Whether the momentum of a rotor is its inertia times its rate: along one coordinate, or the same about all axes."""
    link = links[dof["link"]]
    if link["kind"] == SCREW:
        return True
    own = dofs[link["iv"] : link["iv"] + link["nv"]]["inertia"]
    return bool(link["kind"] == GROUP and len(own) == link["rotations"] == 3 and np.all(own == own[0]))
