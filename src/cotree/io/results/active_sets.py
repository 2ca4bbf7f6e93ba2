"""Topologies as plain data, for results files: what is closed, held and leant on, with where it is held."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from cotree.errors import DocumentError
from cotree.io.native.fields import Pose
from cotree.model.checks import rigid
from cotree.model.constraints import Closing, Constraint, Coupling, Motion, Term
from cotree.model.joints import Weld
from cotree.model.switches import Dock

if TYPE_CHECKING:
    from cotree.model.mechanism import Mechanism
    from cotree.transitions.active_set import ActiveSet

PLACES = ("body_a", "body_b", "frame_a", "frame_b", "held", "word", "locks")  # of a joint that has closed


class Held(msgspec.Struct):
    """A coordinate that is held."""

    joint: str
    coordinate: str | None
    value: float
    word: str


class Closed(msgspec.Struct):
    """A joint that has closed."""

    body_a: str
    body_b: str
    frame_a: Pose
    frame_b: Pose
    held: list[Annotated[int, msgspec.Meta(ge=0, le=5)]] | None
    word: str
    locks: str


Side = Literal[-1, 0, 1]


class Stored(msgspec.Struct):
    """A topology as it is stored."""

    off: list[str]
    dropped: list[str]
    closed: dict[str, dict[str, Any]]
    brakes: dict[str, Side]
    limits: list[str]
    leaning: dict[str, Side]
    holds: dict[str, Any]
    offsets: dict[str, float] = {}  # which older files do not have
    released: list[str] = []
    touching: dict[str, tuple[float, float] | None] = {}
    shared: list[str] = []


def topology_data(topology: ActiveSet) -> dict[str, Any]:
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
        "touching": topology.touching,
        "shared": sorted(topology.shared),
    }


def topology_of(data: Stored, mech: Mechanism) -> ActiveSet:
    """The topology described by such data, on the devices of a mechanism."""
    from cotree.transitions.active_set import ActiveSet

    closed = {device: _constraints(group, mech) for device, group in data.closed.items()}
    return ActiveSet(
        frozenset(data.off), frozenset(data.dropped), closed, dict(data.brakes), frozenset(data.limits), dict(data.leaning),
        _constraints(data.holds, mech), dict(data.offsets), frozenset(data.released),
        dict(data.touching), frozenset(data.shared),
    )  # fmt: skip


def _all(constraints: Any) -> dict[str, Any]:
    """Constraints by name: coordinates that are held, and joints that have closed."""
    return {name: _held(c) if isinstance(c, Coupling) else _closed(c) for name, c in constraints.items()}


def _held(c: Coupling) -> dict[str, Any]:
    (term,) = c.terms
    return {"joint": term.joint, "coordinate": term.coordinate, "value": c.motion.value, "word": c.word}


def _closed(c: Closing) -> dict[str, Any]:
    return {place: getattr(c, place) for place in PLACES}


def _constraints(data: dict[str, Any], mech: Mechanism) -> dict[str, Any]:
    return {name: _constraint(name, entry, mech) for name, entry in data.items()}


def _constraint(name: str, entry: Any, mech: Mechanism) -> Constraint:
    kind: Any = Held if "value" in entry else Closed
    data = msgspec.convert(entry, kind)
    if isinstance(data, Held):
        return Coupling(name, (Term(data.joint, data.coordinate, 1.0),), Motion(data.value), data.word)
    device: Any = mech.devices.get(name)
    if not data.locks and not isinstance(device, Dock):
        raise DocumentError(f"{name!r} is closed, but is not a dock of the model; the file is damaged")
    joint = Weld() if data.locks else device.joint
    held = None if data.held is None else tuple(data.held)
    who = f"topology of {name!r}"
    a, b = (mech._body(body, who).name for body in (data.body_a, data.body_b))
    frame_a, frame_b = (rigid(frame, "frame", who) for frame in (data.frame_a, data.frame_b))
    return Closing(name, a, b, joint, frame_a, frame_b, held, data.word, data.locks)
