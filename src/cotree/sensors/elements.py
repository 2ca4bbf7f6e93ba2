"""Sensors of elements: the force, power and work of each spring, damper, motor, load, driver, brake and constraint."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.elements import put_efforts
from cotree.engine.kernel import kernel
from cotree.formulations.reactions.wrenches import put_pushes
from cotree.kinematics.sweep import move_all
from cotree.lie import se3
from cotree.lie.storage import twist
from cotree.lie.varied import as_array
from cotree.model.constraints import Distance
from cotree.model.force_elements import Cable, CentralGravity, LineElement, Tyre
from cotree.sensors.forces import joint_rows, load_rows, spring_rows
from cotree.sensors.points import DistanceReading
from cotree.sensors.reading import Reading
from cotree.sensors.sampled import warn_of_instants
from cotree.sensors.states import Block
from cotree.sensors.tyres import tyre_rows
from cotree.sensors.work import work_between, work_in_all
from cotree.system.force_kinds import registered
from cotree.system.views import open_tables

Array = NDArray[np.float64]


class ElementReading(Reading):
    """force [N or N m], power [W] that the element supplies to the mechanism, work [J] since the first time.

    force is (T,) along the line or the coordinate that the element acts on, or (T, 3) in world axes. Work is integrated
    between the rows with accelerations taken into account; `work_error` [J] estimates its error at the end. Work done in
    impacts, at one instant, is not part of it. For a sampled law each instant must be a row, else a warning says so.
    """

    units = {"force": "N", "power": "W", "work": "J"}  # noqa: RUF012

    @abstractmethod
    def _rows(self, block: Block) -> tuple[Array, Array]:
        """(force, power) at the states of a block; what kinds of elements differ in."""

    @cached_property
    def _read(self) -> tuple[Array, Array]:
        parts = [self._rows(block) for block in self.source.blocks]
        return np.concatenate([f for f, _ in parts]), np.concatenate([p for _, p in parts])

    @property
    def force(self) -> Array:
        return self._shown(self._read[0])

    @property
    def torque(self) -> Array:
        """The same as `force`."""
        return self.force

    @property
    def power(self) -> Array:
        return self._shown(self._read[1])

    @cached_property
    def work(self) -> Array:
        source = self.source
        warn_of_instants(source, self.name)
        done = work_between(source.stretches, source.inner, lambda b: self._rows(b)[1], len(source.t))
        return self._shown(done - done[0])

    @cached_property
    def work_error(self) -> float:
        """Difference to the work with every other row left out, at the end; without the last power of two it is an estimate of
        the error."""
        halved = work_in_all(self.source.stretches, lambda b: self._rows(b)[1], 2)
        full = work_in_all(self.source.stretches, lambda b: self._rows(b)[1], 1)
        return abs(halved - full) / 63.0


class SpringReading(ElementReading):
    """force [N]: the pull, positive where the spring draws its ends together; length [m] and rate [m/s]."""

    units = {"force": "N", "power": "W", "work": "J", "length": "m", "rate": "m/s"}  # noqa: RUF012

    def _measured(self, block: Block) -> Array:
        return spring_rows(block, list(self.source.system.mechanism.springs).index(self.name))

    def _rows(self, block: Block) -> tuple[Array, Array]:
        x = self._measured(block)
        return x[:, 0], -x[:, 0] * x[:, 2]

    @cached_property
    def _line(self) -> Array:
        return np.concatenate([self._measured(block) for block in self.source.blocks])

    @property
    def length(self) -> Array:
        return self._shown(self._line[:, 1])

    @property
    def rate(self) -> Array:
        return self._shown(self._line[:, 2])


class LoadReading(ElementReading):
    """force (T, 3) [N], of a torque its moment [N m], in world axes."""

    def _rows(self, block: Block) -> tuple[Array, Array]:
        x = load_rows(block, list(self.source.system.mechanism.loads).index(self.name))
        return x[:, :3], x[:, 3]


class JointForceReading(ElementReading):
    """force along the coordinate of its joint [N m or N], positive as the coordinate is."""

    def _rows(self, block: Block) -> tuple[Array, Array]:
        x = joint_rows(block, self.name)
        return x[:, 0], x[:, 0] * x[:, 1]


class RotorReading(JointForceReading):
    """force [N m or N] that the rotor of a joint puts up against its acceleration, along the joint's coordinate; its work is
    what its kinetic energy has lost, in impacts too."""

    @cached_property
    def _place(self) -> tuple[float, int]:
        """(inertia, place in v)."""
        f = self.source.system.mechanism.joint_forces[self.name]
        name = f.joint if f.coordinate is None else f"{f.joint}.{f.coordinate}"
        iv = self.source.system.velocity_index(name)
        return self.source.reflected(self.name, iv), iv

    def _rows(self, block: Block) -> tuple[Array, Array]:
        inertia, iv = self._place
        force = -inertia * block.accelerated.v_dot[:, iv]
        return force, force * block.v[:, iv]

    @cached_property
    def work(self) -> Array:
        inertia, iv = self._place
        rate = self.source.v[:, iv]
        return self._shown(0.5 * inertia * (rate[0] ** 2 - rate**2))


class KindReading(ElementReading):
    """force [N] of an element of a registered kind: along its line (T,), a pull where it is a spring, rope or cable, a push
    where it is a stop or a force between points; else (T, 3) in world axes, on its (second) body. power: what it supplies."""

    def _rows(self, block: Block) -> tuple[Array, Array]:
        out = kind_rows(block, self.name)
        along = self.source.system.mechanism.elements[self.name].scalar
        return out[:, 3] if along else out[:, :3], out[:, 4]


class LineReading(KindReading):
    """Of a rope, stop, cable, field or force along lines: also length [m] between its points, and its rate [m/s]."""

    units = {"force": "N", "power": "W", "work": "J", "length": "m", "rate": "m/s"}  # noqa: RUF012

    @cached_property
    def _spans(self) -> list[DistanceReading]:
        e: Any = self.source.system.mechanism.elements[self.name]
        route = e.route if isinstance(e, Cable) else ((e.body_a, e.point_a), (e.body_b, e.point_b))
        return [self.source.distance(*a, *b) for a, b in pairwise(route)]

    @property
    def length(self) -> Array:
        total: Array = as_array(sum(span.distance for span in self._spans))
        return total

    @property
    def rate(self) -> Array:
        total: Array = as_array(sum(span.rate for span in self._spans))
        return total


class TyreReading(KindReading):
    """force (T, 3) on the wheel in world axes [N]; longitudinal, lateral and normal: its parts along and across the wheel and
    normal to the road [N]; slip: longitudinal, (rolling speed - speed) / rolling speed; slip_angle [rad]: of the velocity of
    the centre against the wheel, positive to the left; deflection [m] of the tyre; aligning [N m]: moment about the normal."""

    units = {  # noqa: RUF012
        "force": "N", "power": "W", "work": "J", "longitudinal": "N", "lateral": "N", "normal": "N", "slip": "",
        "slip_angle": "rad", "deflection": "m", "aligning": "N m",
    }  # fmt: skip

    @cached_property
    def _parts(self) -> Array:
        return np.concatenate([tyre_rows(block, self.name) for block in self.source.blocks])

    @property
    def longitudinal(self) -> Array:
        return self._shown(self._parts[:, 0])

    @property
    def lateral(self) -> Array:
        return self._shown(self._parts[:, 1])

    @property
    def normal(self) -> Array:
        return self._shown(self._parts[:, 2])

    @property
    def aligning(self) -> Array:
        return self._shown(self._parts[:, 3])

    @property
    def slip(self) -> Array:
        return self._shown(self._parts[:, 4])

    @property
    def slip_angle(self) -> Array:
        return self._shown(self._parts[:, 5])

    @property
    def deflection(self) -> Array:
        return self._shown(self._parts[:, 6])


@kernel
def _kind_rows(here, first, last, values, q, v, out):
    """out[k]: force of the last piece on its body b, the scalar that it notes, power of all pieces."""
    tables = open_tables(here)
    others = tables.elements.others
    for k in range(q.shape[0]):
        move_all(tables, q[k], v[k])
        put_efforts(others, values[k], q[k], v[k])
        out[k, 4] = 0.0
        for i in range(first, last):
            W, p = twist(others.efforts[i].W), others.pieces[i]
            V = se3.minus(twist(tables.work[p.link_b].V), twist(tables.work[p.link_a].V))
            out[k, 4] += se3.pair(V, W)
            out[k, 3] = others.efforts[i].u
            for c in range(3):
                out[k, c] = others.efforts[i].W[3 + c]


def kind_rows(block: Block, name: str) -> Array:
    """(T, 5), see `_kind_rows`."""
    system = block.system
    if block.exact is not None:
        return block.exact.rows_of(kind_rows, name)
    out = np.empty((len(block.t), 5))
    _kind_rows(system.here, *pieces_of(system, name), block.accelerated.values, block.q, block.v, out)
    return out


def pieces_of(system: Any, name: str) -> tuple[int, int]:
    """The first piece of a force element of a registered kind, and one past the last."""
    names: dict[Any, list[str]] = {}
    for f in system.mechanism.elements.values():
        kind = registered(type(f))
        names.setdefault(kind, []).extend([f.name] * (1 if kind.parts is None else sum(1 for _ in kind.parts(f))))
    starts = dict[str, int]()
    for kind, table in system.elements.kinds:
        for n, x in zip(names[kind], table, strict=True):
            starts.setdefault(n, int(x["piece"]))
    after = [s for s in starts.values() if s > starts[name]]
    return starts[name], min(after, default=len(system.elements.pieces))


class ConstraintReading(ElementReading):
    """force [N m or N] with which a constraint acts, zero where it is not in force.

    Drivers and couplings: along their coordinate, the first of several; a lock, a brake that holds, a stop leant on: along
    the coordinate that they hold. Distances: the pull. Other constraints: the force on their body (T, 3) in world axes; user
    rows: their multipliers with the sign of forces.
    """

    def _rows(self, block: Block) -> tuple[Array, Array]:
        owners, name = np.array(block.system.extra_rows.owners), self.name
        rows = block.system.n_loop_rows + np.flatnonzero(owners == name)
        x, c = block.accelerated, block.system.constraints.get(name)
        lam, rate = x.multipliers[:, rows], x.rate[:, rows]
        power = -np.einsum("ki,ki->k", lam, rate)
        if c is None:
            return self._nothing(block), power
        if c.terms:
            return -c.terms[0].ratio * lam[:, 0], power
        if isinstance(c, Distance):
            return lam[:, 0], power
        if c.in_python:
            return -lam if c.rows > 1 else -lam[:, 0], power
        return _pushes(block, rows), power

    def _nothing(self, block: Block) -> Array:
        mech, name = self.source.system.mechanism, self.name
        c = mech.constraints.get(name)
        if c is not None and c.in_python and c.rows > 1:
            return np.zeros((len(block.t), c.rows))
        along = c is None or bool(c.terms) or c.in_python or isinstance(c, Distance)
        several = name in mech.devices and mech.devices[name].word == "dock"
        return np.zeros(len(block.t)) if along and not several else np.zeros((len(block.t), 3))


class BrakeReading(JointForceReading):
    """Friction along the coordinate [N m or N], while it slides and while it holds."""

    def _rows(self, block: Block) -> tuple[Array, Array]:
        force, power = super()._rows(block)
        owners = np.array(block.system.extra_rows.owners)
        for row in block.system.n_loop_rows + np.flatnonzero(owners == self.name):
            force = force - block.accelerated.multipliers[:, row]
        return force, power


@kernel
def _force_rows(here, q, lam, which, joints, pushes, on_bodies, out):
    """out[k]: sum of the forces on body b of some pieces of rows."""
    for k in range(q.shape[0]):
        put_pushes(here, q[k], lam[k], joints, pushes, on_bodies)
        for i in which:
            for c in range(3):
                out[k, c] += pushes[i, 1, 3 + c]


def _pushes(block: Block, rows: NDArray[np.intp]) -> Array:
    """(T, 3): force of a constraint with these rows on its body b."""
    system = block.system
    pieces, out = system.row_tables[1], np.zeros((len(block.t), 3))
    which = np.flatnonzero(np.isin(pieces["row"], rows))
    if block.exact is not None:
        return block.exact.pushed(which)
    scratch = np.zeros((len(system.cuts), 6)), np.zeros((len(pieces), 2, 6)), np.zeros((len(system.bodies), 6))
    _force_rows(system.here, block.q, block.accelerated.multipliers, which, *scratch, out)
    return out


def element_reading(source: Any, name: str) -> ElementReading | None:
    """The reading of an element by its name; None where there is no such element."""
    mech = source.system.mechanism
    along = isinstance(mech.elements.get(name), (LineElement, Cable, CentralGravity))
    kinds: tuple[tuple[Any, type[ElementReading]], ...] = (
        (mech.springs, SpringReading),
        (mech.loads, LoadReading),
        (mech.joint_forces, JointForceReading),
        (
            mech.elements,
            TyreReading if isinstance(mech.elements.get(name), Tyre) else LineReading if along else KindReading,
        ),
        (mech.constraints, ConstraintReading),
    )
    if name in mech.joint_forces and mech.joint_forces[name].inertia:
        return RotorReading(source, name)
    for table, kind in kinds:
        if name in table:
            return kind(source, name)
    device = mech.devices.get(name)
    if device is None:
        return None
    return BrakeReading(source, name) if device.word == "brake" else ConstraintReading(source, name)
