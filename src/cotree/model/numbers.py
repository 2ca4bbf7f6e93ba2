"""Numbers of a mechanism by name, such as "crank.mass", "B.point.x" or "coil.stiffness": what can be varied or fitted."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ArgumentError, ConstraintError, ForceError, UnknownNameError
from cotree.model.checks import fixed, number, shown
from cotree.model.constraints import Distance, Motion
from cotree.model.forces import JointForce, Spring
from cotree.model.inertia import mass_properties
from cotree.model.joints import Cylindrical, Helical, Joint, Prismatic, Revolute
from cotree.model.mechanism import Mechanism, nearest
from cotree.model.switches import Brake, Limit

Array = NDArray[np.float64]
AXES = ("x", "y", "z")
TENSOR = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}
AXIAL = (Revolute, Prismatic, Helical, Cylindrical)  # joints in which the axis alone tells directions


@dataclass(frozen=True)
class Number:
    """One number: in which dict of the mechanism, of whom, which field, and its place there (-1: the field itself)."""

    family: str
    owner: str
    field: str
    place: int = -1


def numbers_of(mech: Mechanism) -> dict[str, tuple[Number, float]]:
    """All of them, with their values."""
    return {name: (n, float(value)) for name, n, value in _all(mech)}


def _all(mech: Mechanism) -> Iterator[tuple[str, Number, Any]]:
    for k, axis in enumerate(AXES):
        yield f"gravity.{axis}", Number("gravity", "", "gravity", k), mech.gravity[k]
    for name, body in mech.bodies.items():
        p = body.properties
        yield f"{name}.mass", Number("bodies", name, "mass"), p.mass
        yield from _vector("bodies", name, "com", p.com)
        for k, (word, (i, j)) in enumerate(TENSOR.items()):
            yield f"{name}.inertia.{word}", Number("bodies", name, "inertia", k), p.inertia[i, j]
    for name, c in mech.joints.items():
        for field in _places(c.joint):
            yield from _vector("joints", name, field, getattr(c.joint, field))
    for name, s in mech.springs.items():
        for field in ("stiffness", "length", "damping"):
            if getattr(s, field) is not None:
                yield f"{name}.{field}", Number("springs", name, field), getattr(s, field)
        for field in ("point_a", "point_b"):
            yield from _vector("springs", name, field, getattr(s, field))
    for name, load in mech.loads.items():
        if isinstance(load.value, np.ndarray):
            yield from _vector("loads", name, "moment" if load.is_moment else "force", load.value)
    for name, f in mech.joint_forces.items():
        for field in _terms(f):
            yield f"{name}.{field}", Number("joint_forces", name, field), getattr(f, field)
        if isinstance(f.torque, np.ndarray):
            yield f"{name}.torque", Number("joint_forces", name, "torque"), f.torque[0]
    yield from _of_switches(mech)
    for name, d in mech.constraints.items():
        if isinstance(d, Distance) and d.length is not None and d.length.constant:
            yield f"{name}.length", Number("constraints", name, "length"), d.length.value


def _terms(f: JointForce) -> list[str]:
    """Numbers of a spring, a damper or a rotor; of what is zero in all of them those of a spring and a damper, since a number
    that reaches zero keeps its name."""
    if f.inertia:
        return ["inertia", "ratio"]
    if f.torque is not None or f.driving is not None:
        return []
    curved = f.elastic is not None or f.resisting is not None
    idle = not (f.stiffness or f.damping or curved)
    spring, damper = bool(f.stiffness) or idle, bool(f.damping) or idle
    return ["stiffness", "rest"] * spring + ["rest"] * (curved and not spring) + ["damping"] * damper


def _places(joint: Joint) -> list[str]:
    """Points and axes that are world-frame numbers of the reference assembly."""
    if joint.frame_parent is not None or joint.frame_child is not None:
        return []
    return ["point"] * ("point" in joint.places) + ["axis"] * isinstance(joint, AXIAL)


def _of_switches(mech: Mechanism) -> Iterator[tuple[str, Number, Any]]:
    for name, d in mech.devices.items():
        if isinstance(d, Limit):
            for field in ("lower", "upper", "restitution"):
                if np.isfinite(getattr(d, field)):
                    yield f"{name}.{field}", Number("devices", name, field), getattr(d, field)
        if isinstance(d, Brake):
            for field in _rubbing(d):
                yield f"{name}.{field}", Number("devices", name, field), getattr(d, field)
    seen = set[tuple[str, bool]]()
    for k, a in enumerate(mech.actions):
        if a.trigger.at is not None and (a.target, a.on) not in seen:
            seen.add((a.target, a.on))
            yield f"{a.target}.{'at' if a.on else 'until'}", Number("actions", a.target, "at", k), a.trigger.at


def _rubbing(d: Brake) -> list[str]:
    """Numbers of friction: those that all of it has, and of the others those that it was given."""
    given = ("stribeck", "coefficient", "radius", "thrust_radius", "span")
    return ["torque", "static_ratio", "viscous", *(field for field in given if getattr(d, field))]


def _vector(family: str, owner: str, field: str, value: Any) -> Iterator[tuple[str, Number, Any]]:
    for k, axis in enumerate(AXES):
        yield f"{owner}.{field}.{axis}", Number(family, owner, field, k), value[k]


def number_named(known: Mapping[str, tuple[Number, float]], name: Any, mech: Mechanism) -> Number:
    """The number of this name, or an error with the nearest one."""
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError(
            f"no parameter {shown(name)} in mechanism {mech.name!r}{nearest(name, known)}; "
            "ct.parameters(mech) lists them all"
        )
    return known[name][0]


def parameters(mechanism: Mechanism | Any) -> dict[str, float]:
    """List the numbers of a mechanism by name.

    Names are body.mass, body.com.x, body.inertia.xx, joint.point.x, joint.axis.z,
    spring.stiffness, spring.length, motor.torque, limit.upper, friction.torque, lock.at,
    gravity.y and the like. Joints that are placed by frames, and functions, have none.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism.

    Returns
    -------
    dict of str to float
        Values by name: what `sensitivities`, `fit` and `optimize` can vary.

    Examples
    --------
    >>> ct.parameters(ct.gallery.four_bar())["crank.mass"]
    1.0
    """
    return {name: value for name, (_, value) in numbers_of(mechanism_of(mechanism)).items()}


def with_parameters(mechanism: Mechanism | Any, values: Mapping[str, float]) -> Mechanism:
    """Copy a mechanism with other numbers.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism.
    values : dict of str to float
        New values, by names as `parameters` lists them.

    Returns
    -------
    Mechanism
        The copy.

    Raises
    ------
    UnknownNameError
        For a name that the mechanism does not have.

    Examples
    --------
    >>> heavy = ct.with_parameters(ct.gallery.four_bar(), {"crank.mass": 3.0, "coupler.com.x": 1.6})
    >>> heavy.bodies["crank"].properties.mass
    3.0
    """
    if not isinstance(values, Mapping):
        raise ArgumentError(f"values is {shown(values)}; give numbers by name, as a dict")
    given = mechanism_of(mechanism)
    known, mech = numbers_of(given), copy.copy(given)
    by_owner: dict[tuple[str, str], list[tuple[Number, float]]] = {}
    for name, value in values.items():
        n = number_named(known, name, given)
        by_owner.setdefault((n.family, n.owner), []).append((n, number(value, "value", f"parameter {name!r}")))
    for (family, owner), changes in by_owner.items():
        _put(mech, family, owner, changes)
    return mech


def mechanism_of(given: Any) -> Mechanism:
    """The mechanism itself, or that of a system."""
    mech = given if isinstance(given, Mechanism) else getattr(given, "mechanism", None)
    if not isinstance(mech, Mechanism):
        raise ArgumentError(f"a mechanism or a system is needed, got {shown(given)}")
    return mech


def _put(mech: Mechanism, family: str, owner: str, changes: list[tuple[Number, float]]) -> None:
    if family == "gravity":
        mech.gravity = fixed(_changed(mech.gravity, changes))
    elif family == "actions":
        for n, value in changes:
            a = mech.actions[n.place]
            mech.actions[n.place] = replace(a, trigger=replace(a.trigger, at=value))
    elif family == "bodies":
        mech.bodies[owner] = _changed_body(mech.bodies[owner], changes)
    elif family == "joints":
        c = mech.joints[owner]
        fields = {n.field for n, _ in changes}
        new: dict[str, Any] = {
            f: tuple(_changed(getattr(c.joint, f), [x for x in changes if x[0].field == f])) for f in fields
        }
        mech.joints[owner] = replace(c, joint=replace(c.joint, **new))
    else:
        table = getattr(mech, family)
        for n, value in changes:
            table[owner] = _changed_element(table[owner], n, value)
        _check_element(table[owner])


def _changed(old: Any, changes: list[tuple[Number, float]]) -> Array:
    new = np.array(old, dtype=np.float64)
    for n, value in changes:
        new[n.place] = value
    return new


def _changed_body(body: Any, changes: list[tuple[Number, float]]) -> Any:
    p = body.properties
    mass, com, inertia = p.mass, np.array(p.com), np.array(p.inertia)
    for n, value in changes:
        if n.field == "mass":
            mass = value
        elif n.field == "com":
            com[n.place] = value
        else:
            i, j = list(TENSOR.values())[n.place]
            inertia[i, j] = inertia[j, i] = value
    return replace(body, properties=mass_properties(mass, com, inertia, f"body {body.name!r}"))


def _changed_element(x: Any, n: Number, value: float) -> Any:
    if n.family == "loads":
        return replace(x, value=fixed(_changed(x.value, [(n, value)])))
    if n.family == "constraints":
        return replace(x, length=Motion(value))
    if n.field == "torque" and n.family == "joint_forces":
        return replace(x, torque=fixed(np.array([value])))
    return replace(x, **{n.field: fixed(_changed(getattr(x, n.field), [(n, value)])) if n.place >= 0 else value})


def _check_element(x: Any) -> None:
    """Refuse numbers that the methods of a mechanism refuse."""
    if isinstance(x, (Brake, Limit)):
        x.check(f"{x.word} {x.name!r}")
    if isinstance(x, Spring) and x.length is not None and x.length < 0.0:
        raise ForceError(f"spring {x.name!r}: length is {x.length}; the free length of a spring cannot be negative")
    if isinstance(x, Distance) and x.length is not None and not (callable(x.length.value) or x.length.value > 0.0):
        raise ConstraintError(f"distance {x.name!r}: length is {x.length.value}; it must be positive")
