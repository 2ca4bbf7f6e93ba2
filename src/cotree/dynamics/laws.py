"""Laws: user functions that return forces; the names of their parameters determine their arguments.

A motor's law may ask for `angle` and `rate` of its own joint (`position` and `velocity` are the same), a load's for `pose`,
`omega`, `position` and `velocity` of its body and point; all for `t`, `q`, `v` and `joints`, of which `joints["D"].angle` and
`.rate` are those of any joint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.engine.kernel import kernel
from cotree.errors import ForceError, UnknownNameError
from cotree.kinematics.cut_joint import cut_coordinate, cut_rate
from cotree.kinematics.poses import poses, twists
from cotree.kinematics.sweep import move_all
from cotree.kinematics.turns_around import sum_around, with_turns
from cotree.lie import inverse
from cotree.model.calls import blame
from cotree.model.checks import floats, shown
from cotree.model.forces import UserFunction
from cotree.model.functions import word_of
from cotree.model.mechanism import nearest
from cotree.system.coordinate_terms import component_across
from cotree.system.law_layout import LawPlace
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]
Reader = Callable[[float, Array, Array, dict[str, Any]], Any]
OWN = {"angle": 0, "position": 0, "rate": 1, "velocity": 1}  # parameters of motors, and which of a joint's two numbers


class Place(NamedTuple):
    """Where a coordinate is: in v and q, or across a cut joint; -1 where it is not."""

    iv: int
    iq: int
    cut: int
    component: int


@kernel
def _across(here, cut, component, q, v):
    """(coordinate, rate) across a cut joint."""
    tables = open_tables(here)
    move_all(tables, q, v)
    cuts = tables.elements.cuts
    return cut_coordinate(cuts[cut], component, tables.work), cut_rate(cuts[cut], component, tables.work)


def coordinate_now(system: System, place: Place, q: Array, v: Array) -> tuple[float, float]:
    """(angle or displacement, rate); across a cut joint angles are between -pi and pi where no others tell its turns."""
    if place.cut >= 0:
        x, rate = _across(system.here, place.cut, place.component, q, v)
        around = turns_of(system, place)
        return (x if around is None else float(with_turns(x, around @ q))), rate
    return (q.item(place.iq) if place.iq >= 0 else np.nan), v.item(place.iv)


def angle_across(system: System, place: Place, q: Array) -> float:
    """The angle across a cut joint, between -pi and pi."""
    return float(_across(system.here, place.cut, place.component, q, np.zeros(system.nv))[0])


def turns_of(system: System, place: Place) -> Array | None:
    """Numbers whose product with q is the angle of a cut joint, turns counted; None where they are not known."""
    return sum_around(system, system.cut_joints[place.cut]) if place.component < 3 else None


class JointNow(NamedTuple):
    """angle [rad], or displacement [m], and rate of one coordinate."""

    angle: float
    rate: float

    @property
    def position(self) -> float:
        return self.angle

    @property
    def velocity(self) -> float:
        return self.rate


class JointsNow:
    """Joints of one coordinate, and coordinates of others, by name: joints["D"].angle, joints["ball.wx"].rate."""

    def __init__(self, system: System, q: Array, v: Array) -> None:
        self._system, self._q, self._v = system, q, v

    def __getitem__(self, name: str) -> JointNow:
        return JointNow(*coordinate_now(self._system, place_of(self._system, name), self._q, self._v))


def place_of(system: System, name: str) -> Place:
    """Place of a coordinate by its name, of a joint of one coordinate by that of the joint."""
    found: dict[str, Place] = system.cached("places of coordinates", dict)
    if name not in found:
        found[name] = _find(system, name)
    return found[name]


def _find(system: System, name: Any) -> Place:
    if name in system.coordinate_names:
        iv = system.velocity_index(name)
        return Place(iv, int(system.dofs[iv]["iq"]), -1, -1)
    joint, _, coordinate = str(name).partition(".")
    if joint in system.cut_joints:
        connection = system.mechanism.joints[joint]
        if connection.joint.dof == 1 or "." + coordinate in connection.joint.coordinate_names():
            component = component_across(connection.joint, joint, coordinate or None, f"joints[{name!r}]", ForceError)
            return Place(-1, -1, system.cut_joints.index(joint), component)
    known = (*system.coordinate_names, *system.cut_joints)
    raise UnknownNameError(
        f"joints: no joint or coordinate {shown(name)} in system {system.name!r}{nearest(name, known)}"
    )


@dataclass(frozen=True, eq=False)
class Law:
    """row: of the numbers that it gives; readers: of its arguments; own: the place of a motor's coordinate; place: of the
    numbers that it keeps."""

    row: int
    user: UserFunction
    readers: tuple[Reader, ...]
    own: Place | None
    whose: str
    place: LawPlace
    load: bool = False  # whether it is that of a load
    switching: tuple[tuple[Reader, ...], ...] = ()  # readers of its switching functions

    def put(self, values: Array, t: float, q: Array, v: Array, about: dict[str, Any]) -> None:
        """Write its numbers at a state; about: what several of them ask for, with the states of all laws, "z", and "z_dot",
        which it fills."""
        if self.place.held:
            values[self.row, : self.place.held] = about["z"][self.place.first : self.place.state]
            return
        returned = self._called(self.user, self.readers, t, q, v, about)
        if self.place.states:
            returned, rates = self._parts(returned)
            about["z_dot"][self.place.state : self.place.sign] = rates
        if isinstance(returned, float) and self.user.size == 1 and returned - returned == 0.0:
            values[self.row, 0] = returned
        else:
            values[self.row, : self.user.size] = self._checked(returned)

    def sample(self, z: Array, t: float, q: Array, v: Array, about: dict[str, Any]) -> None:
        """Let a sampled law give what is held from now on, and its next states."""
        returned = self._called(self.user, self.readers, t, q, v, about)
        if self.place.states:
            returned, following = self._parts(returned)
            z[self.place.state : self.place.sign] = following
        z[self.place.first : self.place.state] = self._checked(returned)

    def put_signs(self, z: Array, t: float, q: Array, v: Array, about: dict[str, Any]) -> None:
        """Signs of its switching functions at a state, zero counted as positive."""
        for k, value in enumerate(self.switched(t, q, v, about)):
            z[self.place.sign + k] = -1.0 if value < 0.0 else 1.0

    def switched(self, t: float, q: Array, v: Array, about: dict[str, Any]) -> list[float]:
        """Values of its switching functions."""
        found = []
        for (name, function), readers in zip(self.user.switching, self.switching, strict=True):
            returned = self._called(function, readers, t, q, v, about)
            value = floats(returned, flags=True)
            if value is None or value.size != 1 or not np.isfinite(value).all():
                raise ForceError(
                    f"switching function {name!r} of {self.whose} must return one finite number, got {shown(returned)}"
                )
            found.append(float(value.ravel()[0]))
        return found

    def _called(
        self, user: UserFunction, readers: tuple[Reader, ...], t: float, q: Array, v: Array, about: dict[str, Any]
    ) -> Any:
        try:
            return user.function(*[read(t, q, v, about) for read in readers])
        except Exception as error:
            blame(error, f"the function of {self.whose}", t)
            raise

    def _parts(self, returned: Any) -> tuple[Any, Any]:
        """(value, rates of the states, or next states)."""
        n, what = self.place.states, "next states" if self.place.held else "rates"
        if isinstance(returned, tuple) and len(returned) == 2:
            if n == 1 and isinstance(returned[1], float) and returned[1] - returned[1] == 0.0:
                return returned
            rates = floats(returned[1], flags=True)
            if rates is not None and rates.size == n and np.isfinite(rates).all():
                return returned[0], rates.ravel()
        names = ", ".join(self.user.states)
        raise ForceError(
            f"the function of {self.whose} has {n} state{'s' * (n > 1)} ({names}) and must return (value, {what}) with as "
            f"many finite numbers, got {shown(returned)}"
        )

    def _checked(self, returned: Any) -> Array:
        size = self.user.size
        result = floats(returned, flags=True)
        if result is None or result.size != size or not np.all(np.isfinite(result)):
            raise ForceError(
                f"the function of {self.whose} must return {size} finite number{'s' * (size > 1)}, got {shown(returned)}"
            )
        return result.ravel()


def laws_of(system: System) -> tuple[Law, ...]:
    """The laws of a system, made once."""
    made: tuple[Law, ...] = system.cached("laws", lambda: tuple(_law(system, p) for p in system.law_places))
    return made


def _law(system: System, place: LawPlace) -> Law:
    row, user = place.row, place.user
    own = _own_place(system, row)
    word, name = word_and_name(system, row)
    whose = f"{word} {name!r}"
    taken = set(user.arguments).union(*(f.arguments for _, f in user.switching))
    if own is not None and own.cut < 0 and own.iq < 0 and {"angle", "position"} & taken:
        raise ForceError(f"{whose}: the velocity that it acts along has no coordinate, so there is no angle; take rate")
    if user.compiled and "joints" in user.arguments:
        raise ForceError(
            f"{whose}: a function compiled by Numba cannot take joints; take q and v, or leave it uncompiled"
        )
    kept = {n: place.first + k for k, n in enumerate(place.names)}

    def readers(of: UserFunction) -> tuple[Reader, ...]:
        return tuple(_kept_reader(kept[n]) if n in kept else _reader(system, row, own, n) for n in of.arguments)

    load = row < len(system.elements.loads)
    return Law(row, user, readers(user), own, whose, place, load, tuple(readers(f) for _, f in user.switching))


def _kept_reader(i: int) -> Reader:
    return lambda t, q, v, about: about["z"].item(i)


def _own_place(system: System, row: int) -> Place | None:
    """The coordinate that a motor acts along; None for loads."""
    forces = system.elements.joint_forces
    of_row = forces[forces["slot"] == row]
    return Place(*(int(of_row[0][f]) for f in Place._fields)) if len(of_row) else None


def word_and_name(system: System, row: int) -> tuple[str, str]:
    """What gives a row of numbers: its kind and its name."""
    name = system.mechanism.numbered[row]
    return word_of(system.mechanism, name), name


def _reader(system: System, row: int, own: Place | None, name: str) -> Reader:
    if name == "t":
        return lambda t, q, v, about: t
    if name in ("q", "v"):
        return lambda t, q, v, about: (q if name == "q" else v).copy()
    if name == "joints":
        return lambda t, q, v, about: about.setdefault("joints", JointsNow(system, q, v))
    if own is None and row >= len(system.elements.loads):
        return lambda t, q, v, about: _of_line(system, row, q, v, about)[name]
    if own is None:
        return lambda t, q, v, about: _of_load(system, row, q, v, about)[name].copy()
    which = OWN[name]
    if own.cut < 0:
        return _tree_reader(own.iq if which == 0 else own.iv, which)
    return partial(_read_across, system, own, which)


def _tree_reader(i: int, which: int) -> Reader:
    if which == 0:
        return lambda t, q, v, about: q.item(i)
    return lambda t, q, v, about: v.item(i)


def _read_across(system: System, own: Place, which: int, t: float, q: Array, v: Array, about: dict[str, Any]) -> float:
    return coordinate_now(system, own, q, v)[which]


def _of_line(system: System, row: int, q: Array, v: Array, about: dict[str, Any]) -> dict[str, float]:
    """Distance of the two points of a force between them, and its rate."""
    key = f"line {row}"
    if key not in about:
        f: Any = system.mechanism.elements[word_and_name(system, row)[1]]
        (a, a_dot), (b, b_dot) = (
            _point_now(system, *end, q, v) for end in ((f.body_a, f.point_a), (f.body_b, f.point_b))
        )
        d = b - a
        length = float(np.sqrt(d @ d))
        rate = float(d @ (b_dot - a_dot)) / length if length else 0.0
        about[key] = {"length": length, "rate": rate, "position": length, "velocity": rate}
    found: dict[str, float] = about[key]
    return found


def _point_now(system: System, body: str, point: Array, q: Array, v: Array) -> tuple[Array, Array]:
    """Place and velocity of a point in the frame of a body's data."""
    k = system.row_of(body)
    C, V = poses(system, q)[k], twists(system, q, v, "spatial")[k]
    x = C[:3, :3] @ point + C[:3, 3]
    return x, V[3:] + np.cross(V[:3], x)


def _of_load(system: System, row: int, q: Array, v: Array, about: dict[str, Any]) -> dict[str, Array]:
    """What a load's law may ask for of its body."""
    key = f"load {row}"
    if key not in about:
        load = system.elements.loads[row]
        body = int(load["body"])
        pose, V = poses(system, q)[body], twists(system, q, v, "spatial")[body]
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = system.bodies[body]["frame"][:9].reshape(3, 3), system.bodies[body]["frame"][9:]
        position = (pose @ inverse(frame) @ np.append(load["point"], 1.0))[:3]
        velocity = V[3:] + np.cross(V[:3], position)
        about[key] = {"pose": pose, "omega": V[:3], "position": position, "velocity": velocity}
    return about[key]
