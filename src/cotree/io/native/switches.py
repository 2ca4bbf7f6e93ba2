"""Locks, brakes, limits, docks and their actions: from a `Mechanism` to the structures of a model file, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from cotree.errors import DocumentError, UnknownNameError
from cotree.io.native import switch_structs
from cotree.io.native.error_paths import located
from cotree.io.native.fields import fields_of
from cotree.model.contacts import Contact, FunctionContact
from cotree.model.mechanism import Connection, Mechanism
from cotree.model.naming import nearest
from cotree.model.switches import (
    Action,
    Brake,
    Breaking,
    Device,
    Dock,
    Impulse,
    JointImpulse,
    Lock,
    trigger_of,
)


def device_struct(
    device: Device, joint_struct: Callable[[Connection], Any], shape_struct: Callable[[Any, str], Any]
) -> switch_structs.Device:
    """A device as a structure; joint_struct makes that of the joint of a dock, shape_struct(shape, who) that of a shape."""
    doc = switch_structs
    if isinstance(device, FunctionContact):
        raise DocumentError(
            f"contact {device.name!r} is made of functions in Python, which model files do not hold; leave it out, and add "
            "it with mech.contact_function after loading"
        )
    if isinstance(device, Contact):
        who, own = f"contact {device.name!r}", {f: getattr(device, f) for f in doc.Contact.__struct_fields__}
        return doc.Contact(**{f: shape_struct(x, who) if f.startswith("shape") else x for f, x in own.items()})
    if isinstance(device, Dock):
        joint = joint_struct(Connection(device.name, device.body_a, device.body_b, device.joint))
        return doc.Dock(joint=joint, within=device.within)
    if isinstance(device, Impulse):
        vectors: dict[str, Any] = {
            which: tuple(getattr(device, field).tolist())
            for which, field in (("impulse", "force"), ("point", "point"), ("moment", "moment"))
        }
        return doc.Impulse(name=device.name, body=device.body, frame=device.frame, **vectors)  # type: ignore[arg-type]
    if isinstance(device, JointImpulse):
        return doc.JointImpulse(device.name, device.joint, device.impulse, device.coordinate)
    if isinstance(device, Breaking):
        force, moment = (None if np.isinf(x) else x for x in (device.force, device.moment))
        return doc.Breaks(device.target, force, moment, device.name)
    where: dict[str, Any] = {"name": device.name, "joint": device.joint, "coordinate": device.coordinate}
    if isinstance(device, Lock):
        return doc.Lock(**where)
    if isinstance(device, Brake):
        words = ("viscous", "stribeck", "coefficient", "radius", "thrust_radius", "span")
        friction: dict[str, Any] = {word: getattr(device, word) for word in words}
        return doc.Brake(**where, torque=device.torque or None, static_ratio=device.static_ratio, **friction)
    bounds: dict[str, Any] = {
        side: None if np.isinf(x) else x for side, x in (("lower", device.lower), ("upper", device.upper))
    }
    return doc.Limit(**where, **bounds, restitution=device.restitution)


def action_struct(action: Action, function: Callable[[Any], Any]) -> switch_structs.Action:
    """An action as a structure; function: the name of one."""
    t: Any = action.trigger
    return switch_structs.Action(action.target, action.on, t.at, function(t.when), t.direction)


def add_device(
    mech: Mechanism, node: Any, joint_of: Callable[[Any], tuple[str, str, str, Any]], shape_of: Callable[[Any], Any]
) -> None:
    """A device by the method that its type names, which lets it act from the start."""
    if isinstance(node, switch_structs.Dock):
        mech.dock(*joint_of(node.joint), within=node.within)
    elif isinstance(node, switch_structs.Brake):
        mech.brake(**{**fields_of(node), "torque": node.torque or 0.0})
    elif isinstance(node, switch_structs.Contact):
        mech.contact(**{f: shape_of(x) if f.startswith("shape") else x for f, x in fields_of(node).items()})
    else:
        getattr(mech, node.__struct_config__.tag)(**fields_of(node))


def add_actions(mech: Mechanism, nodes: Sequence[switch_structs.Action], function: Callable[[Any], Any]) -> None:
    """The actions of a file; what they switch on no longer acts from the start by itself. function: that of a name."""
    begun = {node.target for node in nodes if node.on}
    mech.actions = [a for a in mech.actions if a.target not in begun]
    for k, node in enumerate(nodes):
        with located(f"actions[{k}]"):
            when = function(node.when)
            _act(mech, node, None if when is None else _Event(when, node.direction))


class _Event(NamedTuple):
    """What the methods take as an event."""

    function: Callable[..., Any]
    direction: int


def _act(mech: Mechanism, node: switch_structs.Action, when: _Event | None) -> None:
    """By the method of `Mechanism` that switches such things."""
    known = [*mech.devices, *mech.constraints, *mech.motors_and_loads, *([] if node.on else mech.joints)]
    if node.target not in known:
        what = "device, constraint, motor or load" if node.on else "device, constraint, motor, load or joint"
        raise UnknownNameError(f"there is no {what} {node.target!r}{nearest(node.target, known)}")
    if node.target not in mech.devices:
        (mech.activate if node.on else mech.deactivate)(node.target, node.at, when)
    elif not node.on:
        mech.unlock(node.target, node.at, when)
    else:
        mech.actions.append(Action(node.target, True, trigger_of(node.at, when, f"action on {node.target!r}")))
