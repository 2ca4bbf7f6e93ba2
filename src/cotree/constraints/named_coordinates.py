"""Coordinates and rates by name: which entries of q and v a name means, and what holds them while the rest is found.

A coordinate of the tree is held as a column that the search does not move. That of a cut joint, and a translation of a
joint that turns as well, is held by a row more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_residual, constraint_velocity
from cotree.constraints.units import length_of
from cotree.errors import ShapeError, UnknownNameError
from cotree.kinematics.coordinates import coordinate_rates, normalize
from cotree.model.checks import floats, shown
from cotree.model.constraints import Constraint, Coupling, Motion, Term, UserRows, row_function
from cotree.model.mechanism import nearest
from cotree.system.arguments import coordinates, require_finite
from cotree.system.switched import switched
from cotree.system.system import System
from cotree.system.tables import GROUP

Array = NDArray[np.float64]
STEP = 0.1  # rad, or parts of the system's length: longer moves are made of such, so that loops stay on their branch
MOST = 400  # such steps; beyond, loops are closed where the values are


@dataclass
class Held:
    """q of a system (plus a row for each value that is not a column) and what stays fixed: columns of v, entries of q."""

    system: System
    q: Array
    columns: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    entries: dict[int, float] = field(default_factory=dict)

    def exactly(self, q: Array) -> Array:
        """q with the values asked for to the last bit."""
        out = q.copy()
        for i, x in self.entries.items():
            out[i] = x
        return out


def held_values(system: System, q: Any, fixed: Iterable[str] = (), base: Array | None = None) -> Held:
    """q and what of it is held: the names in `fixed`, and all values where q is a dict; its other entries are those of
    `base` (the reference assembly by default)."""
    fixed = [fixed] if isinstance(fixed, str) else list(fixed)
    if not isinstance(q, Mapping):
        q = coordinates(system, q)
        require_finite(system, q=q)
        return _held(Held(system, normalize(system, q)), dict.fromkeys(fixed))
    held = Held(system, (system.q0 if base is None else base).copy())
    given = named_numbers(system, "q", q)
    for name, x in given.items():
        if name in system.q_names:
            held.q[system.q_index(name)] = x
    _whole_quaternions(system, given)
    held.q = normalize(system, held.q)
    return _held(held, {**given, **dict.fromkeys(fixed)})


def _held(held: Held, given: Mapping[str, float | None]) -> Held:
    """With every name held; a value is asked for, None is the present one."""
    system, more = held.system, {}
    for name, value in given.items():
        held.names.append(name)
        columns, entry = _columns(system, name)
        held.columns += columns
        if columns and entry >= 0 and value is not None:
            held.entries[entry] = held.q[entry]
        if not columns:
            row = _entry_row(system, name, entry, held.q) if entry >= 0 else _cut_row(system, name, value, held.q)
            more[row.name] = row
            if entry >= 0:
                held.entries[entry] = held.q[entry]
    if more:
        held.system = switched(system, {**system.constraints, **more})
    held.columns = sorted(set(held.columns))
    return held


def held_rates(system: System, q: Array, v: Any, fixed: Iterable[str], t: float) -> tuple[System, Array, list[int]]:
    """(system with rows for rates of cut joints, v, columns of v that are held); see `held_values`."""
    fixed = [fixed] if isinstance(fixed, str) else list(fixed)
    given: dict[str, float] = {}
    if isinstance(v, Mapping):
        given = named_numbers(system, "v", v)
        v = np.zeros(system.nv)
    v = v.copy()
    columns: list[int] = []
    more: dict[str, Constraint] = {}
    for name in (*given, *fixed):
        own = [system.v_index(name)] if name in system.v_names else _joint_columns(system, name)
        if own:
            v[own] = given.get(name, v[own])
        else:
            row = _rate_row(system, name, given.get(name), q, v)
            more[row.name] = row
        columns += own
    if more:
        system = switched(system, {**system.constraints, **more})
    return system, v, sorted(set(columns))


def named_numbers(system: System, what: str, values: Mapping[str, Any]) -> dict[str, float]:
    """{name: number} for all values of a dict."""
    return {name: x for key, value in values.items() for name, x in _spread(system, what, key, value).items()}


def present(system: System, name: str, q: Array) -> float:
    """Value at q of a coordinate of the tree or of a cut joint."""
    if name in system.q_names:
        return float(q[system.q_index(name)])
    return _across(system, Coupling("value", (_cut_term(system, name),), Motion(0.0)), q)


def way_to(system: System, goal: Mapping[str, float], q: Array) -> list[dict[str, float]]:
    """Values on the straight line from those at q to the goal, a step apart, the last the goal's to the last bit; none where it
    is too far."""
    begin = {name: present(system, name, q) for name in goal}
    far = max((abs(goal[n] - begin[n]) for n in goal), default=0.0)
    count = int(np.ceil(min(far, 1e9) / (STEP * min(1.0, length_of(system)))))
    if count > MOST:
        return []
    parts = np.linspace(0.0, 1.0, max(count, 1) + 1)[1:]
    return [{n: goal[n] if s == 1.0 else (1.0 - s) * begin[n] + s * goal[n] for n in goal} for s in parts]


def _spread(system: System, what: str, key: Any, value: Any) -> dict[str, float]:
    """{name: number}: several numbers are those of a joint with several coordinates."""
    a = floats(value)
    names = [n for n in (system.q_names if what == "q" else system.v_names) if str(n).startswith(f"{key}.")]
    single = system.mechanism.joints.get(key) if isinstance(key, str) else None
    whole = bool(names) and not (
        single is not None and single.joint.dof == 1
    )  # the name stands for several coordinates
    if a is None or a.ndim > 1 or (a.ndim == 1 and len(a) != len(names)) or (a.ndim == 0 and whole):
        raise ShapeError(f"{what}[{key!r}] of system {system.name!r} is {shown(value)}; give {_count(len(names))}")
    if not np.isfinite(a).all():
        raise ShapeError(f"{what}[{key!r}] of system {system.name!r} is {shown(value)}; give finite numbers")
    return {key: float(a)} if a.ndim == 0 else dict(zip(names, a.tolist(), strict=True))


def _count(n: int) -> str:
    return f"{n} numbers" if n else "a number"


def _whole_quaternions(system: System, given: Iterable[str]) -> None:
    names = set(given)
    for row, link in enumerate(system.links):
        if link["kind"] == GROUP and link["rotations"] == 3:
            four = system.q_names[link["iq"] : link["iq"] + 4]
            some = names.intersection(four)
            if some and len(some) < 4:
                raise ShapeError(
                    f"q: a quaternion of joint {system.link_joints[row]!r} has four components; give all of "
                    f"{', '.join(map(repr, four))}"
                )


def _columns(system: System, name: str) -> tuple[list[int], int]:
    """(columns of v that a name means, its entry of q or -1); no columns where a row has to hold it, as for a cut joint, also
    where a body has its name."""
    if isinstance(name, str) and name in system.q_names:
        entry = system.q_index(name)
        own = np.flatnonzero(system.dofs["iq"] == entry).tolist()
        return (own, entry) if own else (_group_columns(system, entry), entry)
    if isinstance(name, str) and name in system.v_names:
        return [system.v_index(name)], -1
    return _joint_columns(system, name), -1


def _joint_columns(system: System, name: str) -> list[int]:
    """All columns of a joint of the tree, or of a body that floats in absolute coordinates."""
    if name in system.cut_joints and system.mechanism.joints[name].joint.dof == 1:
        return []
    return [i for i, n in enumerate(system.v_names) if isinstance(name, str) and n.startswith(f"{name}.")]


def _group_columns(system: System, entry: int) -> list[int]:
    """Columns that change an entry of a group element, and nothing else; none where there are no such."""
    link = next(x for x in system.links if x["kind"] == GROUP and x["iq"] <= entry < x["iq"] + _entries(x))
    turn, slides = 4 if link["rotations"] == 3 else int(link["rotations"]), int(link["iv"] + link["rotations"])
    if entry < link["iq"] + turn:
        return list(range(int(link["iv"]), slides))
    carried = system.dofs["carried"]
    alone = link["rotations"] == 0 or carried[link["iv"]] != carried[slides]  # measured in the parent: SO(3) x R3
    return [slides + int(entry - link["iq"] - turn)] if alone else []


def _entries(link: np.void) -> int:
    return (4 if link["rotations"] == 3 else int(link["rotations"])) + int(link["translations"]).bit_count()


def _entry_row(system: System, name: str, entry: int, q: Array) -> UserRows:
    """q[entry] as it is: a row that holds a translation of a joint that turns as well."""
    value, who = float(q[entry]), f"value of {name!r}"

    def jacobian(q: Array) -> Array:
        return np.array([[coordinate_rates(system, q, e)[entry] for e in np.eye(system.nv)]])

    def residual(q: Array) -> float:
        return float(q[entry]) - value

    J, g = (
        row_function(jacobian, 1, ("q", "t"), "jacobian", who),
        row_function(residual, 1, ("q", "t"), "residual", who),
    )
    assert J is not None
    return UserRows(f"value of {name}", 1, J, g, None, None, word="value of")


def _cut_row(system: System, name: str, value: float | None, q: Array) -> Coupling:
    """The coordinate of a cut joint at a value, the present one if None."""
    row = Coupling(f"value of {name}", (_cut_term(system, name),), Motion(0.0), word="value of")
    there = _across(system, row, q) if value is None else value
    return Coupling(row.name, row.terms, Motion(there), word=row.word)


def _rate_row(system: System, name: str, rate: float | None, q: Array, v: Array) -> Coupling:
    """The rate of a cut joint's coordinate, the present one if None."""
    row = Coupling(f"rate of {name}", (_cut_term(system, name),), Motion(0.0), word="rate of")
    angle = _across(system, row, q)
    if rate is None:
        more = switched(system, {**system.constraints, row.name: row})
        rate = float(constraint_velocity(more, q, v)[_place(more, row.name)])
    motion = Motion(lambda t: angle, lambda t: rate, lambda t: 0.0)
    return Coupling(row.name, row.terms, motion, word=row.word)


def _across(system: System, row: Coupling, q: Array) -> float:
    """The coordinate that a row is about, at q."""
    more = switched(system, {row.name: row})
    return float(constraint_residual(more, q)[_place(more, row.name)])


def _place(system: System, owner: str) -> int:
    return system.n_loop_rows + system.extra_rows.owners.index(owner)


def _cut_term(system: System, name: Any) -> Term:
    """The coordinate of a cut joint."""
    joint, coordinate = name, None
    if isinstance(name, str) and name not in system.cut_joints and "." in name:
        joint, _, coordinate = name.rpartition(".")
    connection = system.mechanism.joints.get(joint) if joint in system.cut_joints else None
    names = [s.lstrip(".") for s in connection.joint.coordinate_names()] if connection is not None else []
    if (coordinate or "") not in names:
        known = dict.fromkeys((*system.q_names, *system.v_names, *system.cut_joints))
        raise UnknownNameError(f"no coordinate {name!r} in system {system.name!r}{nearest(name, known)}")
    return Term(joint, coordinate, 1.0)
