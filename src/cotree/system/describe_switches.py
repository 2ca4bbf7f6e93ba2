"""Text: locks, brakes, limits and docks, one line each, with the times at which they act."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from cotree.model.contacts import Contact, FunctionContact
from cotree.model.functions import word_of
from cotree.model.switches import Action, Brake, Breaking, Device, Dock, Impulse, JointImpulse, Limit

if TYPE_CHECKING:
    from cotree.model.mechanism import Mechanism


def devices(mech: Mechanism) -> Iterator[str]:
    """As "brake 'b' on A, 4 N m, from 0.5 s until 2 s"; then constraints, forces and joints that are switched."""
    for device in mech.devices.values():
        yield ", ".join([_device(mech, device), *_times(mech, device.name)])
    for name in dict.fromkeys(a.target for a in mech.actions if a.target not in mech.devices):
        yield f"{word_of(mech, name)} {name!r} acts {', '.join(_times(mech, name))}"


def _device(mech: Mechanism, d: Device) -> str:
    if isinstance(d, Dock):
        return f"dock {d.name!r}: {type(d.joint).__name__} from {d.body_a} to {d.body_b}, within {d.within:g}"
    if isinstance(d, Impulse):
        size = float(np.linalg.norm(d.force))
        turn = f", {np.linalg.norm(d.moment):g} N m s" if d.moment.any() else ""
        return f"impulse {d.name!r} on {d.body}, {size:g} N s{turn}"
    if isinstance(d, Breaking):
        loads = [f"{x:g} {unit}" for x, unit in ((d.force, "N"), (d.moment, "N m")) if x < float("inf")]
        return f"{word_of(mech, d.target)} {d.target!r} breaks at {' or '.join(loads)}"
    if isinstance(d, FunctionContact):
        by = "as given" if d.normal is not None else "by differences"
        return (
            f"contact {d.name!r} by functions, its normal {by}, friction {d.friction:g}, restitution {d.restitution:g}"
        )
    if isinstance(d, Contact):
        sides = ((d.body_a, d.shape_a), (d.body_b, d.shape_b))
        on = " and ".join(f"{type(shape).__name__} on {body}" for body, shape in sides)
        return f"contact {d.name!r} between {on}, friction {d.friction:g}, restitution {d.restitution:g}"
    where = d.joint if d.coordinate is None else f"{d.joint}.{d.coordinate}"
    head = f"{d.word} {d.name!r} on {where}"
    if isinstance(d, Brake):
        holds = f", static {d.holding:g}" if d.static_ratio != 1.0 else ""
        loaded = f" and {d.coefficient:g} of the load" if d.coefficient else ""
        if d.coefficient and d.static_ratio != 1.0:
            holds = f", static {d.static_ratio:g} times that"
        return f"{head}, {d.torque:g} {'N m' if _turns(mech, d) else 'N'}{loaded}{holds}"
    if isinstance(d, Limit):
        rebounds = f", restitution {d.restitution:g}" if d.restitution else ""
        return f"{head}, {d.lower:g} to {d.upper:g} {'rad' if _turns(mech, d) else 'm'}{rebounds}"
    if isinstance(d, JointImpulse):
        return f"{head}, {d.impulse:g} {'N m s' if _turns(mech, d) else 'N s'}"
    return head


def _turns(mech: Mechanism, d: Brake | Limit | JointImpulse) -> bool:
    """Whether the coordinate is an angle."""
    joint = mech.joints[d.joint].joint
    names = [name.lstrip(".") for name in joint.coordinate_names()]
    return bool(joint.screws()[:3, names.index(d.coordinate or names[0])].any())


def _times(mech: Mechanism, name: str) -> list[str]:
    """When something acts: "from 0.5 s until 2 s" for each interval; a limit acts always unless specified."""
    own = [a for a in mech.actions if a.target == name]
    if all(a.trigger.when is None for a in own):  # otherwise their order is unknown
        own.sort(key=lambda a: -float("inf") if a.trigger.at is None else a.trigger.at)
    device = mech.devices.get(name)
    if isinstance(device, Impulse | JointImpulse):
        return [_when(a).replace("from ", "at ", 1) for a in own]
    if isinstance(device, Limit) and all(a.on and a.trigger.at_start for a in own):
        return []
    out = ["when they meet"] if isinstance(device, Dock) and not any(a.on for a in own) else []
    for a in own:
        if a.on or not out:
            out.append(_when(a))
        else:
            out[-1] += f" {_when(a)}"
    return out


def _when(a: Action) -> str:
    word = "from" if a.on else "until"
    if a.trigger.at_start:
        return f"{word} the start"
    return f"{word} an event" if a.trigger.at is None else f"{word} {a.trigger.at:g} s"
