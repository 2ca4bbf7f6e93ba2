"""Topologies as plain data, for results files: what is closed, held and leant on, with where it is held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.model.constraints import Closing, Constraint, Coupling, Motion, Term
from cotree.model.joints import Weld

if TYPE_CHECKING:
    from cotree.model.mechanism import Mechanism
    from cotree.transitions.topology import Topology

PLACES = ("body_a", "body_b", "frame_a", "frame_b", "held", "word", "locks")  # of a joint that has closed


def topology_data(topology: Topology) -> dict[str, Any]:
    """A topology as dicts, lists and numbers."""
    return {
        "off": sorted(topology.off),
        "dropped": sorted(topology.dropped),
        "closed": {name: _all(group) for name, group in topology.closed.items()},
        "brakes": topology.brakes,
        "limits": sorted(topology.limits),
        "leaning": topology.leaning,
        "holds": _all(topology.holds),
        "offsets": topology.offsets,
        "released": sorted(topology.released),
    }


def topology_of(data: dict[str, Any], mech: Mechanism) -> Topology:
    """The topology that such data tell of, on the devices of a mechanism."""
    from cotree.transitions.topology import Topology

    data = {"offsets": {}, "released": [], **data}  # which older files do not have
    sets: Any = {part: frozenset(data[part]) for part in ("off", "dropped", "limits", "released")}
    closed = {device: _constraints(group, mech) for device, group in data["closed"].items()}
    holds: Any = _constraints(data["holds"], mech)
    plain = {part: data[part] for part in ("brakes", "leaning", "offsets")}
    return Topology(**sets, **plain, closed=closed, holds=holds)


def _all(constraints: Any) -> dict[str, Any]:
    """Constraints by name: coordinates that are held, and joints that have closed."""
    return {name: _held(c) if isinstance(c, Coupling) else _closed(c) for name, c in constraints.items()}


def _held(c: Coupling) -> dict[str, Any]:
    (term,) = c.terms
    return {"joint": term.joint, "coordinate": term.coordinate, "value": c.motion.value, "word": c.word}


def _closed(c: Closing) -> dict[str, Any]:
    return {place: getattr(c, place) for place in PLACES}


def _constraints(data: dict[str, Any], mech: Mechanism) -> dict[str, Constraint]:
    return {name: _constraint(name, entry, mech) for name, entry in data.items()}


def _constraint(name: str, data: dict[str, Any], mech: Mechanism) -> Constraint:
    if "value" in data:
        return Coupling(name, (Term(data["joint"], data["coordinate"], 1.0),), Motion(data["value"]), data["word"])
    joint: Any = Weld() if data["locks"] else mech.devices[name].joint  # a lock's, or that of the dock
    held = None if data["held"] is None else tuple(data["held"])
    frames = {side: np.array(data[side]) for side in ("frame_a", "frame_b")}
    return Closing(name, joint=joint, **{**data, **frames, "held": held})
