"""The record of contact stepping for a system: candidates, blocks of coordinates, and room."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.contacts.measure import PointTable, touches_of
from cotree.constraints.contacts.touch import Touch
from cotree.constraints.units import length_of
from cotree.engine.records import address_of, put_array, record
from cotree.integrate.contacts.steps.records import (
    LEAST_LOG,
    LOG,
    REPORT,
    block_t,
    candidate_t,
    steps_t,
)
from cotree.model.contacts import Contact
from cotree.model.switches import Brake, Limit
from cotree.system.switched import switched
from cotree.system.system import System
from cotree.transitions.contacts.cones import STICK
from cotree.transitions.resting import gauges

Array = NDArray[np.float64]
RESTING = 1e-12  # m/s, rad/s: what is slower at the start sticks
CLOSED = 1e-9  # relative to the system's length


@dataclass(frozen=True, eq=False)
class Candidate:
    """What may push, rub or hold: its name, that of its contact or device, the constraint that has its rows, its numbers."""

    name: str
    owner: str
    rows: str
    numbers: dict[str, float]


class Steps:
    """What a run that steps through contacts keeps: the record, its arrays, and the names of the candidates."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.touches = touches_of(system) if "contacts" in system.features else []
        devices = [d for d in system.mechanism.devices.values() if isinstance(d, Brake | Limit)]
        measured = gauges(system, [d.name for d in devices])
        own = {t.name: t for t in self.touches}
        self.extended = switched(system, {**system.constraints, **own, **measured})
        self.candidates = [*map(_of_touch, self._flat()), *(c for d in devices for c in _of_device(d))]
        self.points = PointTable(system, self.touches) if self.touches else None
        self.record: Any = record(steps_t)
        self.here = address_of(self.record)
        self.kept: dict[str, NDArray[Any]] = {}
        self._fill()

    def _flat(self) -> list[tuple[Touch, Contact]]:
        devices: Any = self.system.mechanism.devices
        return [(t, devices[t.contact]) for t in self.touches]

    def hold(self, name: str, array: NDArray[Any]) -> Any:
        """Keep an array and let kernels find it."""
        self.kept[name] = array
        put_array(self.record.arrays[name], array)
        return array

    def _fill(self) -> None:
        system, extended, c = self.system, self.extended, self.record
        n, rows = system.nv, len(extended.row_tables[0])
        user = sum(x.rows for x in system.extra_rows.user)
        c.here, c.user, c.rows, c.length = extended.here, user, system.n_constraints - user, length_of(system)
        table = self.hold("candidates", np.zeros(len(self.candidates), candidate_t))
        owners = [""] * system.n_loop_rows + list(extended.extra_rows.owners)
        blocks = Blocks(system, extended, c.rows)
        for row, candidate in zip(table, self.candidates, strict=True):
            row["row"] = owners.index(candidate.rows)
            for name, value in candidate.numbers.items():
                row[name] = value
            row["block_a"], row["block_b"] = blocks.of_row(int(row["row"]))
        m = system.n_constraints
        for name, array in blocks.arrays.items():
            self.hold(name, array)
        self.hold("motions", extended.extra_rows.constants.copy())
        self.hold("M", np.zeros((n, n)))
        self.hold("J", np.zeros((m, n)))
        self.hold("eta", np.zeros(m))
        self.hold("g", np.zeros(max(rows, m)))
        self.hold("q_mid", np.zeros(system.nq))
        for name in ("f", "v_mid", "a"):
            self.hold(name, np.zeros(n))
        self.hold("kept", np.zeros((len(table), 3)))
        self.report = self.hold("report", np.zeros((len(table), REPORT)))
        self.first = self.hold("first", np.zeros_like(self.report))
        self.log = self.hold("log", np.zeros((LEAST_LOG, LOG)))
        self.hold("totals", np.zeros(REPORT))

    @property
    def columns(self) -> int:
        """Numbers that a row of the run has more: energy lost in impacts, and the report of each candidate."""
        return 1 + self.report.size

    def enter(self, run: Any, q: Array, v: Array) -> None:
        """Let the steps of a run find the record. What is closed and at rest at the start sticks."""
        run.contacts = self.here
        near = CLOSED * self.record.length
        table = self.kept["candidates"]
        states = self.points.measure(self.system, q, v) if self.points else np.zeros((0, 4))
        for row, x in zip(table, states, strict=False):
            if abs(x[0]) <= near and np.hypot(x[2], x[3]) <= RESTING:
                row["state"], row["pushed"] = STICK, 1
        for row in table[len(states) :]:
            row["state"] = STICK

    def copy_to(self, other: Steps) -> None:
        """Let another one for the same candidates be in the same state."""
        for name in ("candidates", "kept", "report", "first", "log"):
            np.copyto(other.kept[name], self.kept[name])
        for name in ("worst", "unsolved", "deepest", "lifted", "most", "corrected", "impacts", "lost", "softened"):
            other.record[name] = self.record[name]


def _of_touch(pair: tuple[Touch, Contact]) -> Candidate:
    touch, contact = pair
    tangents = 2 if contact.static > 0.0 else 0
    numbers = {
        "normal": 1, "tangents": tangents, "sign": 1.0, "mu": contact.friction, "static": contact.static,
        "restitution": contact.restitution,
    }  # fmt: skip
    return Candidate(touch.name, touch.contact, touch.name, numbers)


def _of_device(device: Brake | Limit) -> Iterable[Candidate]:
    if isinstance(device, Brake):
        numbers = {
            "tangents": 1, "sign": 1.0, "torque": device.torque, "ratio": device.static_ratio,
            "viscous": device.viscous, "speed": device.stribeck,
        }  # fmt: skip
        return [Candidate(device.name, device.name, device.name, numbers)]
    sides = [(1.0, device.lower, "lower"), (-1.0, device.upper, "upper")]
    return [
        Candidate(
            f"{device.name} {side}", device.name, device.name,
            {"normal": 1, "sign": sign, "at": at, "restitution": device.restitution},
        )
        for sign, at, side in sides
        if np.isfinite(at)
    ]  # fmt: skip


class Blocks:
    """Coordinates that the mass matrix or constraints couple, numbered from 0 on, with their constraint rows."""

    def __init__(self, system: System, extended: System, rows: int) -> None:
        self.links, self.pieces = extended.links, extended.row_tables[1]
        self.rows = extended.row_tables[0]
        n = system.nv
        self.top = self._tops()
        self.of_link = {k: self._any_dof(k) for k in range(len(self.links))}
        groups = [[j, self.of_link[k]] for j, k in enumerate(self.top[system.dofs["link"]].tolist())]
        groups += [self.dofs_of(r) for r in range(rows)]
        if system.extra_rows.user:  # whose coordinates are not known
            groups.append(list(range(n)))
        self.block = numbered(n, groups)
        self.arrays = self._tables(system, rows)

    def _tops(self) -> NDArray[np.int64]:
        """For each link the one next to ground that carries it."""
        top = np.arange(len(self.links))
        for k in range(1, len(self.links)):
            parent = int(self.links[k]["parent"])
            top[k] = k if parent == 0 else top[parent]
        return top

    def _any_dof(self, link: int) -> int:
        """A coordinate that moves what a link is a part of; -1 for ground and what is welded to it."""
        if not link:
            return -1
        same = np.flatnonzero((self.top == self.top[link]) & (self.links["nv"] > 0))
        return int(self.links[same[0]]["iv"]) if len(same) else -1

    def dofs_of(self, r: int) -> list[int]:
        """One coordinate of each part that a row touches."""
        row, touched = self.rows[r], []
        for p in self.pieces[row["first"] : row["first"] + row["count"]]:
            ends = [int(p["iv"])] if p["iv"] >= 0 else [self.of_link[int(p["link_a"])], self.of_link[int(p["link_b"])]]
            touched += [j for j in ends if j >= 0]
        return touched

    def of_row(self, r: int) -> tuple[int, int]:
        """The blocks that a candidate's row moves, -1 for none."""
        own = sorted({int(self.block[j]) for j in self.dofs_of(r)})
        return (own[0] if own else -1, own[1] if len(own) > 1 else -1)

    def _tables(self, system: System, rows: int) -> dict[str, NDArray[Any]]:
        m, count = system.n_constraints, int(self.block.max(initial=-1)) + 1
        of_rows = np.array([self.block[(self.dofs_of(r) or [0])[0]] for r in range(rows)] + [0] * (m - rows), np.int64)
        blocks = np.zeros(count, block_t)
        sizes, own = np.bincount(self.block, minlength=count), np.bincount(of_rows, minlength=count)
        blocks["n"], blocks["m"] = sizes, own
        for name, x in (("first", sizes), ("first_row", own), ("L", sizes**2), ("A", sizes * own)):
            blocks[name] = np.cumsum(x) - x
        return {
            "blocks": blocks, "dofs": np.argsort(self.block, kind="stable"), "order": np.argsort(of_rows, kind="stable"),
            "L": np.zeros(int((sizes**2).sum())), "A": np.zeros(int((sizes * own).sum())), "beta": np.zeros(m),
            "pivot": np.zeros(m, np.int64),
        }  # fmt: skip


def numbered(n: int, groups: Iterable[list[int]]) -> NDArray[np.int64]:
    """Numbers of the parts, from 0 on, into which groups of members that belong together divide n things."""
    label = np.arange(n)
    for group in groups:
        own = label[group]
        label[np.isin(label, own)] = own.min(initial=n)
    return np.unique(label, return_inverse=True)[1]
