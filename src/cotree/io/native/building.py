"""From the structures of a model file to a `Mechanism`: each entry is a call of the method that it is named after."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cotree.errors import ArgumentError, ConstraintError, DocumentError, MissingFunctionError
from cotree.io.native import constraint_structs, force_structs
from cotree.io.native.error_paths import SHORT, located
from cotree.io.native.fields import Function, fields_of
from cotree.io.native.law_notes import as_noted, is_law
from cotree.io.native.structs import VERSION, Document
from cotree.io.native.switches import add_actions, add_device
from cotree.io.native.time_structs import time_law
from cotree.model import contact_shapes, joints, shapes
from cotree.model.checks import choice, shown
from cotree.model.functions import MissingFunction
from cotree.model.mechanism import Mechanism

Functions = Mapping[str, Callable[..., Any]]


def build(document: Document, functions: Functions | None = None, missing: str = "raise") -> Mechanism:
    """The mechanism of a document; `functions` by the names in it. missing: "raise", "zero" to do without, or "late" to raise
    where one is called."""
    if document.version != VERSION:
        raise DocumentError(
            f"version: {SHORT.repr(document.version)} is not supported, only {VERSION}; a later version of Cotree "
            f"may read this file"
        )
    if functions is not None and not isinstance(functions, Mapping):
        raise ArgumentError(f"functions is {shown(functions)}; give a dict of functions by name")
    given = dict(functions or {})
    _check_functions(document, given, missing)
    with located("gravity"):
        mech = Mechanism(document.name, document.gravity)
    for k, body in enumerate(document.bodies):
        with located(f"bodies[{k}]"):
            mech.body(**{**fields_of(body), "shape": _shape(body.shape)})
    for k, joint in enumerate(document.joints):
        with located(f"joints[{k}]"):
            mech.joint(*_joint_of(joint))
    for part in ("forces", "constraints"):
        for k, node in enumerate(getattr(document, part)):
            with located(f"{part}[{k}]"):
                _call(mech, node, given, missing == "late")
    for k, node in enumerate(document.devices):
        with located(f"devices[{k}]"):
            add_device(mech, node, _joint_of, _shape)
    _add_display(mech, document)
    add_actions(mech, document.actions, lambda name: _when(name, given, missing == "late"))
    mech.preferred_cut, mech.notes = tuple(document.preferred_cut), tuple(document.notes)
    for which in ("q_start", "v_start"):
        if getattr(document, which) is not None:
            setattr(mech, which, np.array(getattr(document, which)))
    return mech


def _add_display(mech: Mechanism, document: Document) -> None:
    if document.floor is not None:
        with located("floor"):
            mech.floor(document.floor.point if document.floor.shown else None, document.floor.normal)
    for k, node in enumerate(document.scenery):
        with located(f"scenery[{k}]"):
            mech.scenery(_shape(node))
    for k, trace in enumerate(document.traces):
        with located(f"traces[{k}]"):
            mech.trace(**fields_of(trace))


def _shape(node: Any) -> Any:
    if isinstance(node, list):
        return [_shape(one) for one in node]
    if node is None:
        return None
    given = {name: value for name, value in fields_of(node).items() if value is not None}
    kind = type(node).__name__
    return getattr(shapes if hasattr(shapes, kind) else contact_shapes, kind)(**given)


def _joint_of(node: Any) -> tuple[str, str, str, joints.Joint]:
    """Name, parent, child and joint."""
    options = fields_of(node)
    name, parent, child = (options.pop(key) for key in ("name", "parent", "child"))
    return name, parent, child, getattr(joints, type(node).__name__)(**options)


def _call(mech: Mechanism, node: Any, given: Functions, needed: bool) -> None:
    """A force or constraint: the method that its type names, with its fields."""
    values = {name: _value(mech, node, value, given, needed) for name, value in fields_of(node).items()}
    if isinstance(node, constraint_structs.Coupling):
        values["ratios"] = _ratios(node)
    getattr(mech, node.__struct_config__.tag)(**values)


def _ratios(node: constraint_structs.Coupling) -> dict[tuple[str, str | None], float]:
    found = {(r.joint, r.coordinate): r.ratio for r in node.ratios}
    if len(found) < len(node.ratios):
        raise ConstraintError(f"coupling {node.name!r} names a coordinate twice in ratios; add the two")
    return found


# -- functions -----------------------------------------------------------------------------------------------


def _check_functions(document: Document, given: Functions, missing: str) -> None:
    """Every function of the document must have been given, unless the user can do without."""
    choice(missing, ("raise", "zero", "late"), "missing")
    lacking: dict[str, list[str]] = {}
    for node in (*document.forces, *document.constraints):
        for field, value in fields_of(node).items():
            if isinstance(value, Function) and value.over_time is None and value.function not in given:
                who = f"{str(node.__struct_config__.tag).replace('_', ' ')} {node.name!r} ({field})"
                lacking.setdefault(value.function, []).append(who)
    for action in document.actions:
        if action.when is not None and action.when.function not in given:
            lacking.setdefault(action.when.function, []).append(f"action on {action.target!r} (when)")
    if lacking and missing == "raise":
        users = "; ".join(f"{name!r} for {', '.join(whose)}" for name, whose in lacking.items())
        pattern = ", ".join(f"{name!r}: ..." for name in lacking)
        raise MissingFunctionError(
            f"mechanism {document.name!r} needs functions that are not stored in a file: {users}; pass "
            f"functions={{{pattern}}}, "
            "or missing='zero' to inspect the mechanism without them"
        )


def _value(mech: Mechanism, node: Any, value: Any, given: Functions, needed: bool) -> Any:
    """A field as the method takes it: functions by name, or what stands in for them."""
    if not isinstance(value, Function):
        return value
    if value.over_time is not None:
        return time_law(value.over_time)
    if value.function in given:
        return as_noted(value, given[value.function])
    law = value if is_law(value) else None
    if isinstance(node, force_structs.Force | force_structs.Torque):
        return MissingFunction(value.function, np.zeros(3), needed, law)
    if isinstance(node, constraint_structs.Distance):
        return MissingFunction(value.function, _assembled_distance(mech, node) or 1.0, needed)
    return MissingFunction(value.function, needed=needed, law=law)


def _when(name: Function | None, given: Functions, needed: bool) -> Any:
    """The function of an action; what stands in for a missing one never changes its sign."""
    if name is not None and name.over_time is not None:
        return time_law(name.over_time)
    return None if name is None else given.get(name.function, MissingFunction(name.function, needed=needed))


def _assembled_distance(mech: Mechanism, node: constraint_structs.Distance) -> float:
    """Distance of the two points in the reference assembly."""
    from cotree.system.reference_assembly import body_frames  # not needed to read an ordinary file, and slow to load

    bodies = [mech.ground, *mech.bodies.values()]
    number = {body.name: k for k, body in enumerate(bodies)}
    ends = ((mech._body(node.body_a, node.name), node.point_a), (mech._body(node.body_b, node.name), node.point_b))
    frames = body_frames(bodies, list(mech.joints.values()), number)
    a, b = (frames[number[body.name]] @ (*x, 1.0) for body, x in ends)
    return float(np.linalg.norm(b - a))
