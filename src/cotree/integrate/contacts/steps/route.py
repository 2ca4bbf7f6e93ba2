"""`contact="stepping"` of `simulate`: one run of the time loop, and what it says of contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cotree.errors import RunWarning
from cotree.integrate.checks.run_warnings import warning
from cotree.integrate.contacts.history import ContactHistory, Impact
from cotree.integrate.contacts.routes import register_route
from cotree.integrate.contacts.steps.preparing import stepping_settings, stepping_system
from cotree.integrate.contacts.steps.records import LOG
from cotree.integrate.contacts.steps.tables import Steps
from cotree.integrate.driver import Driver
from cotree.integrate.events.event import Event
from cotree.integrate.progress import Shown
from cotree.integrate.results.run import Run
from cotree.integrate.settings import Settings
from cotree.system.system import System
from cotree.transitions.contacts.cones import EXACT, STICK

Array = NDArray[np.float64]
RULE = "a point acts where its gap is closed at the middle of the step"
FORCE, NORMAL = slice(0, 3), 3  # in a report


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a run with what stepping writes into them: reports (k, candidates, REPORT)."""

    t: Array
    q: Array
    v: Array
    work: Array
    states: Array
    reports: Array

    @classmethod
    def of(cls, steps: Steps, n_states: int, t: Array, q: Array, v: Array, rows: Array) -> Rows:
        """From the rows as the time loop has written them."""
        n = 2 + n_states
        reports = rows[:, n + 1 :].reshape(len(t), *steps.report.shape).copy()
        if len(t) > 1:  # not a single present state: that at the start has the forces of the step that begins there
            reports[0] = steps.first
        return cls(t, q, v, np.hstack([rows[:, :2], rows[:, n : n + 1]]), rows[:, 2:n], reports)


def stepping_run(
    system: System, asked: Settings, begin: float, q: Array, v: Array, times: Array, end: float,
    events: tuple[Event, ...] = (), progress: Shown = None, noted: Sequence[RunWarning] = (),
) -> Run:  # fmt: skip
    """All steps from `begin` to `end`."""
    stepped, v = stepping_system(system, begin, q, v)
    settings = stepping_settings(asked, stepped)
    driver = Driver(stepped, settings, begin, q, v, times, end, events)
    driver.go(progress)
    return run_of(driver, cast(Steps, driver.attached), settings, driver.rows(), (*noted, *driver.noted))


def run_of(
    driver: Driver, steps: Steps, settings: Settings, rows: tuple[Array, ...], noted: Sequence[RunWarning]
) -> Run:
    """The run that a driver has made."""
    system = driver.system
    x = Rows.of(steps, system.n_states, *rows)
    return Run(
        system, x.t, x.q, x.v, driver.status, driver.message, {**driver.statistics(), **statistics(steps)}, settings,
        tuple(driver.events), tuple(driver.crossings), x.work, (), (*noted, *doubts(steps, x.t)), x.states,
        history(steps, x), impacts(steps),
    )  # fmt: skip


def history(steps: Steps, x: Rows) -> ContactHistory | None:
    """What the points of contact did: gaps, points and slip of the states, forces and modes of the steps that led there."""
    n = len(steps.touches)
    if steps.points is None:
        return None
    names, contacts = tuple(t.name for t in steps.touches), tuple(t.contact for t in steps.touches)
    room = ContactHistory.room(names, contacts, len(x.t))
    states = np.array([steps.points.measure(steps.system, q, v) for q, v in zip(x.q, x.v, strict=True)]).reshape(
        -1, n, 16
    )
    sides = np.array([1.0 if t.flipped else -1.0 for t in steps.touches])
    room.gap[:], room.point[:] = states[:, :, 0], states[:, :, 7:10]
    room.force[:] = sides[:, None] * x.reports[:, :n, FORCE]
    room.normal_force[:], room.codes[:] = x.reports[:, :n, NORMAL], x.reports[:, :n, -1]
    room.slip[:] = np.where(room.codes == STICK, 0.0, np.hypot(states[:, :, 2], states[:, :, 3]))
    return room


def impacts(steps: Steps) -> tuple[Impact, ...]:
    """Steps in which gaps closed, with what they took."""
    sides = {k: 1.0 if t.flipped else -1.0 for k, t in enumerate(steps.touches)}
    out, k, log = [], 0, steps.log
    while k < int(steps.record.impacts):
        several = log[k : k + int(log[k, LOG - 1])]
        given: dict[str, Array] = {}
        for row in several:
            owner, which = steps.candidates[int(row[1])].owner, int(row[1])
            given[owner] = given.get(owner, np.zeros(3)) + sides.get(which, 1.0) * row[2:5]
        out.append(
            Impact(float(several[0, 0]), tuple(given), given, float(several[:, 5].sum()), "newton", len(several) > 1)
        )
        k += len(several)
    return tuple(out)


def statistics(steps: Steps) -> dict[str, Any]:
    """What the steps counted, by name."""
    c = steps.record
    return {
        "contact_route": "stepping", "contact_rule": RULE, "contacts_at_once": int(c.most),
        "contact_residual": float(c.worst), "contact_steps_not_solved": int(c.unsolved),
        "deepest_penetration": float(c.deepest), "steps_taken_out": int(c.corrected),
        "impacts": int(c.impacts) + int(c.lost), "impacts_without_rebound": int(c.softened),
    }  # fmt: skip


def doubts(steps: Steps, t: Array) -> list[RunWarning]:
    """What must be known of a run before it is trusted."""
    c, found = steps.record, []
    if c.unsolved:
        found.append(
            f"in {int(c.unsolved)} steps the forces of contacts are not solved for to {EXACT:g}; the largest residual is "
            f"{float(c.worst):.2g} of the largest velocity"
        )
    if c.lost:
        found.append(f"{int(c.impacts) + int(c.lost)} impacts, of which the first {int(c.impacts)} are listed")
    return [warning("accuracy", text) for text in found]


register_route("stepping", stepping_run)
