"""Names and units of the entries of q and v."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cotree.system.system import System
from cotree.system.tables import CAYLEY, FIXED, GROUP

TURNS: dict[int, tuple[tuple[str, str], ...]] = {
    0: (),
    1: (("angle", "rad"),),
    3: (("qw", "1"), ("qx", "1"), ("qy", "1"), ("qz", "1")),
}


class Labels(NamedTuple):
    """A name and a unit for each entry."""

    names: list[str]
    units: list[str]


def velocity_labels(system: System) -> Labels:
    """Of v: rad/s where a coordinate turns anything, else m/s; 1/s for the rates of Cayley parameters that turn."""
    return Labels(list(system.coordinate_names), [f"{_unit(system, i)}/s" for i in range(system.nv)])


def coordinate_labels(system: System) -> Labels:
    """Of q: as for v where each coordinate has its velocity; quaternion, angle, position for group elements."""
    return system.cached("coordinate labels", lambda: _coordinate_labels(system))


def _coordinate_labels(system: System) -> Labels:
    names, units = [""] * system.nq, [""] * system.nq
    for row, link in enumerate(system.links):
        if link["kind"] == FIXED:
            continue
        if link["kind"] == GROUP:
            entries = _group_entries(system.link_joints[row], link)
        else:
            own = range(link["iv"], link["iv"] + link["nv"])
            entries = [(system.coordinate_names[i], _unit(system, i)) for i in own]
        for i, (name, unit) in enumerate(entries, int(link["iq"])):
            names[i], units[i] = name, unit
    return Labels(names, units)


def _group_entries(joint: str, link: np.void) -> list[tuple[str, str]]:
    moves = [(axis, "m") for bit, axis in enumerate("xyz") if link["translations"] >> bit & 1]
    return [(f"{joint}.{name}", unit) for name, unit in (*TURNS[int(link["rotations"])], *moves)]


def _unit(system: System, i: int) -> str:
    """Of the coordinate whose rate is v[i]."""
    dof = system.dofs[i]
    if not np.any(dof["Y"][:3]):
        return "m"
    return "1" if system.links[dof["link"]]["kind"] == CAYLEY else "rad"
