"""Locks, brakes, limits, docks and their actions: from a `Mechanism` to the structures of a model file, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cotree.errors import SwitchError, UnknownNameError
from cotree.io import switch_structs
from cotree.io.fields import fields_of
from cotree.io.places import located
from cotree.model.mechanism import Connection, Mechanism
from cotree.model.naming import nearest
from cotree.model.switches import Action, Brake, Device, Dock, Lock, trigger_of


def device_struct(device: Device, joint_struct: Callable[[Connection], Any]) -> switch_structs.Device:
    """A device as a structure; joint_struct makes that of the joint of a dock."""
    doc = switch_structs
    if isinstance(device, Dock):
        joint = joint_struct(Connection(device.name, device.body_a, device.body_b, device.joint))
        return doc.Dock(joint=joint, within=device.within)
    where: dict[str, Any] = {"name": device.name, "joint": device.joint, "coordinate": device.coordinate}
    if isinstance(device, Lock):
        return doc.Lock(**where)
    if isinstance(device, Brake):
        return doc.Brake(**where, torque=device.torque, static_ratio=device.static_ratio)
    bounds: dict[str, Any] = {
        side: None if np.isinf(x) else x for side, x in (("lower", device.lower), ("upper", device.upper))
    }
    return doc.Limit(**where, **bounds, restitution=device.restitution)


def action_struct(action: Action, function: Callable[[Any], Any]) -> switch_structs.Action:
    """An action as a structure; function: the name of one."""
    t: Any = action.trigger
    return switch_structs.Action(action.target, action.on, t.at, function(t.when), t.direction)


def add_device(mech: Mechanism, node: Any, joint_of: Callable[[Any], tuple[str, str, str, Any]]) -> None:
    """A device by the method that its type names, which lets it act from the start."""
    if isinstance(node, switch_structs.Dock):
        mech.dock(*joint_of(node.joint), within=node.within)
    else:
        getattr(mech, node.__struct_config__.tag)(**fields_of(node))


def add_actions(mech: Mechanism, nodes: Sequence[switch_structs.Action], function: Callable[[Any], Any]) -> None:
    """The actions of a file; what they switch on no longer acts from the start by itself. function: that of a name."""
    begun = {node.target for node in nodes if node.on}
    mech.actions = [a for a in mech.actions if a.target not in begun]
    for k, node in enumerate(nodes):
        with located(f"actions[{k}]"):
            mech.actions.append(_action(mech, node, function(node.when)))


def _action(mech: Mechanism, node: switch_structs.Action, when: Any) -> Action:
    who = f"action on {node.target!r}"
    known = [*mech.devices, *mech.constraints, *([] if node.on else mech.joints)]
    if node.target not in known:
        what = "device or constraint" if node.on else "device, constraint or joint"
        raise UnknownNameError(f"{who}: no {what} of that name{nearest(node.target, known)}")
    trigger = replace(trigger_of(node.at, when, who), direction=node.direction)
    if trigger.at_start and not (node.on and node.target in mech.devices):
        raise SwitchError(f"{who}: say when, with `at` a time or `when` a function; only devices act from the start")
    return Action(node.target, node.on, trigger)
