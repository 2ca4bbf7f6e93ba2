"""From a `Mechanism` to the structures of a model file."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from cotree.errors import DocumentError
from cotree.io.native import constraint_structs, element_structs, force_structs, joint_structs, shape_structs
from cotree.io.native.fields import Function
from cotree.io.native.function_names import names_of_functions
from cotree.io.native.law_notes import function_note
from cotree.io.native.structs import VERSION, Body, Document, Floor, Trace
from cotree.io.native.switches import action_struct, device_struct
from cotree.io.native.time_structs import time_struct
from cotree.model import constraints, contact_shapes, force_elements, forces, joints, mechanism, shapes
from cotree.model.body_data import inertia_doubt
from cotree.model.checks import floats, own_vector
from cotree.model.mechanism import Mechanism
from cotree.model.pid import PID
from cotree.model.time_laws import Components, TimeLaw


def describe(mech: Mechanism) -> Document:
    """Everything that a mechanism holds; functions by name."""
    names = names_of_functions(mech)
    applied: list[Any] = [*mech.springs.values(), *mech.loads.values(), *mech.joint_forces.values()]
    return Document(
        version=VERSION,
        name=mech.name,
        gravity=numbers(mech.gravity),
        bodies=[_body(b) for b in mech.bodies.values()],
        joints=[_joint(c) for c in mech.joints.values()],
        forces=[*(_force(f, names) for f in applied), *(_element(f, names) for f in mech.elements.values())],
        constraints=[_constraint(c, names) for c in mech.constraints.values()],
        devices=[device_struct(d, _joint, _touching_shape) for d in mech.devices.values()],
        actions=[action_struct(a, lambda when: _value(when, names)) for a in mech.actions],
        **_display(mech),
        preferred_cut=list(mech.preferred_cut),
        notes=list(mech.notes),
        q_start=_start(mech, "q_start"),
        v_start=_start(mech, "v_start"),
    )


def plain(mech: Mechanism) -> dict[str, Any]:
    """The same as dicts and lists; what is not there is left out."""
    return _plain_data(msgspec.to_builtins(describe(mech)))


def _plain_data(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain_data(x) for key, x in value.items() if x is not None and x != []}
    return [_plain_data(x) for x in value] if isinstance(value, list | tuple) else value


def numbers(value: Any) -> Any:
    """Floats, in tuples of tuples for arrays; None stays None."""
    return None if value is None else _tuples(np.array(floats(value)).tolist())


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _start(mech: Mechanism, which: str) -> list[float] | None:
    value = own_vector(getattr(mech, which, None), which)
    return None if value is None else list(numbers(value))


def _body(body: mechanism.Body) -> Body:
    p = body.properties
    diagonal = np.diag(np.diag(p.inertia)).tobytes() == p.inertia.tobytes()  # zeros of either sign count
    inertia = list(numbers(np.diag(p.inertia) if diagonal else p.inertia))
    pose: Any = body.frame if isinstance(body.frame, str) else numbers(body.frame)
    several = [_shape(one, f"shape of body {body.name!r}") for one in shapes.shapes_of(body.shape)]
    shape = several if len(several) > 1 else several[0] if several else None
    about: Any = "com" if inertia_doubt(p, body.shape) else None
    return Body(body.name, float(p.mass), numbers(p.com), inertia, pose, shape, inertia_about=about)


def _shape(shape: Any, who: str) -> Any:
    made = _alike(shape, shapes, shape_structs, who)
    made.opacity = None if made.opacity == 1.0 else made.opacity  # the usual is left out
    return made


def _touching_shape(shape: Any, who: str) -> Any:
    """A shape of a contact, which may be a surface without mass."""
    if isinstance(shape, contact_shapes.Slot):  # with a flag beside its numbers
        flag = {"open_start": shape.open_start}
        return _alike(shape, contact_shapes, shape_structs, who, **flag)
    return (
        _alike(shape, contact_shapes, shape_structs, who)
        if isinstance(shape, contact_shapes.Surface)
        else _shape(shape, who)
    )


def _display(mech: mechanism.Mechanism) -> dict[str, Any]:
    """Floor, scenery and traces."""
    plane = mech.floor_plane
    floor = None if plane is None else Floor(numbers(plane.point), numbers(plane.normal), plane.shown)
    traces = [Trace(t.name, t.body, numbers(t.point), t.color) for t in mech.traces.values()]
    scenery = [_shape(one, f"scenery of mechanism {mech.name!r}") for one in mech.scenery_shapes]
    return {"floor": floor, "scenery": scenery, "traces": traces}


def _joint(connection: mechanism.Connection) -> Any:
    ends = {"name": connection.name, "parent": connection.parent, "child": connection.child}
    return _alike(connection.joint, joints, joint_structs, f"joint {connection.name!r}", **ends)


def _alike(thing: Any, models: Any, structs: Any, who: str, **more: Any) -> Any:
    """The structure that has the name and the fields of a class of the catalogue."""
    kind = type(thing).__name__
    if type(thing) is not getattr(models, kind, None) or not hasattr(structs, kind):
        raise DocumentError(f"{who} is of class {kind}, which model files do not support; use one from the catalogue")
    struct = getattr(structs, kind)
    own = {f: _option(getattr(thing, f)) for f in struct.__struct_fields__ if f not in more}
    return struct(**own, **more)


def _option(value: Any) -> Any:
    """Text as it is (and paths as text), numbers as floats."""
    array = floats(value)
    return None if value is None else str(value) if array is None else numbers(array)


def _force(f: forces.Spring | forces.Load | forces.JointForce, names: dict[int, str]) -> Any:
    if isinstance(f, forces.Spring):
        ends = {"body_a": f.body_a, "point_a": numbers(f.point_a), "body_b": f.body_b, "point_b": numbers(f.point_b)}
        return force_structs.Spring(name=f.name, **ends, stiffness=f.stiffness, length=f.length, damping=f.damping)
    if isinstance(f, forces.Load):
        value = _value(f.value, names)
        where: dict[str, Any] = {"name": f.name, "body": f.body, "frame": f.frame}
        if f.is_moment:
            return force_structs.Torque(moment=value, **where)
        return force_structs.Force(force=value, point=numbers(f.point), **where)
    return _joint_force(f, names)


def _element(f: forces.ForceElement, names: dict[int, str]) -> Any:
    if isinstance(f, force_elements.Cable):
        route = [(body, numbers(point)) for body, point in f.route]
        return element_structs.Cable(
            name=f.name, route=route, stiffness=f.stiffness, length=f.length, damping=f.damping
        )
    if isinstance(f, force_elements.BeamChain):
        own = {name: numbers(getattr(f, name)) for name in ("frames", "stiffness", "damping", "rest_strain")}
        return element_structs.BeamChain(name=f.name, nodes=list(f.nodes), **own)
    if isinstance(f, force_elements.ForceBetween):
        ends = {"body_a": f.body_a, "point_a": numbers(f.point_a), "body_b": f.body_b, "point_b": numbers(f.point_b)}
        if isinstance(f.force, forces.UserFunction) and isinstance(f.force.law, PID):
            return _pid(element_structs.Actuator, f.force.law, {"name": f.name, **ends}, names)
        force = _value(f.force, names)
        return element_structs.ForceBetween(
            name=f.name, **ends, force=force if isinstance(force, Function) else force[0]
        )
    return _alike(f, force_elements, element_structs, f"{f.word} {f.name!r}")


def _joint_force(f: forces.JointForce, names: dict[int, str]) -> Any:
    tables = (f.elastic is not None or f.resisting is not None, f.driving is not None)
    bare = f.stiffness != 0.0 or (f.rest != 0.0 and not tables[0])
    acts = (f.torque is not None, f.damping != 0.0, bare, f.inertia != 0.0, *tables)
    if sum(acts) > 1:
        raise DocumentError(
            f"joint force {f.name!r} combines spring, damper, rotor and motor, which model files store separately; add them "
            f"one by one"
        )
    where: dict[str, Any] = {"name": f.name, "joint": f.joint, "coordinate": f.coordinate}
    if isinstance(f.torque, forces.UserFunction) and isinstance(f.torque.law, PID):
        return _pid(force_structs.Pid, f.torque.law, where, names)
    if f.torque is not None:
        torque = _value(f.torque, names)
        return force_structs.Motor(torque=torque if isinstance(torque, Function) else torque[0], **where)
    if f.damping != 0.0:
        return force_structs.JointDamper(damping=f.damping, **where)
    if tables[0]:
        table = {"torque": numbers(f.elastic), "damping": numbers(f.resisting)}
        return element_structs.NonlinearJointSpring(**table, rest=f.rest, **where)
    if tables[1]:
        return element_structs.MotorCurve(curve=numbers(f.driving), **where)
    if f.inertia != 0.0:
        return force_structs.JointInertia(inertia=f.inertia, ratio=f.ratio, **where)
    return force_structs.JointSpring(stiffness=f.stiffness, rest=f.rest, **where)


def _constraint(c: Any, names: dict[int, str]) -> Any:
    doc = constraint_structs
    if isinstance(c, constraints.Coupling):
        return _coupling(c, names)
    if isinstance(c, constraints.Distance):
        ends = {"body_a": c.body_a, "point_a": numbers(c.point_a), "body_b": c.body_b, "point_b": numbers(c.point_b)}
        return doc.Distance(name=c.name, **ends, length=None if c.length is None else _value(c.length.value, names))
    if isinstance(c, constraints.KnifeEdge):
        return doc.KnifeEdge(name=c.name, body=c.body, point=numbers(c.point), direction=numbers(c.direction))
    if isinstance(c, constraints.Rolling):
        plane = {"plane_point": numbers(c.plane_point), "plane_normal": numbers(c.plane_normal), "surface": c.surface}
        return doc.Rolling(
            name=c.name, body=c.body, center=numbers(c.center), radius=c.radius, axis=numbers(c.axis), **plane
        )
    if isinstance(c, constraints.UserRows):
        own = {which: _value(getattr(c, which), names) for which in ("jacobian", "residual", "rate", "bias")}
        return doc.Constraint(name=c.name, rows=c.rows, **own)
    return _alike(c, constraints, constraint_structs, f"constraint {c.name!r}")


def _coupling(c: constraints.Coupling, names: dict[int, str]) -> Any:
    doc, terms = constraint_structs, c.terms
    value = _value(c.motion.value, names)
    if c.word == "drive":
        rates = {"rate": _value(c.motion.rate, names), "acceleration": _value(c.motion.acceleration, names)}
        return doc.Drive(name=c.name, joint=terms[0].joint, coordinate=terms[0].coordinate, motion=value, **rates)
    if c.word == "gear":
        return doc.Gear(name=c.name, joint_a=terms[0].joint, joint_b=terms[1].joint, ratio=-terms[1].ratio)
    ratios = [doc.Ratio(joint=t.joint, ratio=t.ratio, coordinate=t.coordinate) for t in terms]
    return doc.Coupling(name=c.name, ratios=ratios, offset=value)


def _pid(struct: Any, law: PID, where: dict[str, Any], names: dict[int, str]) -> Any:
    gains = {n: getattr(law, n) for n in ("kp", "ki", "kd", "filter", "limits", "tracking", "period", "offset")}
    target = _value(law.target, names) if callable(law.target) else law.target
    return struct(target=target, **gains, **where)


def _value(value: Any, names: dict[int, str]) -> Any:
    """Numbers, a law over time, or the name of a function."""
    function = value.given if isinstance(value, forces.UserFunction) else value
    if isinstance(function, (TimeLaw, Components)):
        return Function(over_time=time_struct(function))
    return function_note(names[id(function)], function) if callable(function) else numbers(value)
