"""Runs in which the topology changes: phases between switches, each with a system of its own on the same coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.contacts.measure import contact_rows, touches_of
from cotree.constraints.units import length_of
from cotree.dynamics.law_states import with_states
from cotree.errors import CotreeError, MotionError, RunWarning, SwitchError
from cotree.integrate.checks.run_warnings import warning
from cotree.integrate.contacts.bounces import Bounces
from cotree.integrate.contacts.history import Impact
from cotree.integrate.contacts.watching import (
    contact_watches,
    has_contacts,
    is_constant,
    news_of,
    points_of,
    shared_contacts,
    still_coordinates,
)
from cotree.integrate.driver import Driver
from cotree.integrate.events.breaking import doubtful_loads, overloaded
from cotree.integrate.events.conditions import CONE, HOLDING, PRESSING, PUSHING
from cotree.integrate.events.crossings import Crossing
from cotree.integrate.events.docking import PARTING
from cotree.integrate.events.event import Event, Occurrence
from cotree.integrate.events.phase_conditions import last_values, shared_holding, stops_reached, watches_of
from cotree.integrate.phases.instants import asked_for, crossed, parted, reached, set_off, true_already
from cotree.integrate.phases.phase import Phase, Switch, merged
from cotree.integrate.phases.schedule import applied, at_start, check_devices, first_topology, timed, waiting
from cotree.integrate.phases.whole_turns import wound
from cotree.integrate.progress import Shown
from cotree.integrate.results.totals import totals
from cotree.integrate.settings import Settings
from cotree.judge import SOON, same_instant
from cotree.model.features import declare
from cotree.model.switches import Action, Limit
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet
from cotree.transitions.contacts.touching import News
from cotree.transitions.settle import Settled, after_blows, settle
from cotree.transitions.striking import strike

Array = NDArray[np.float64]
SIMULATE = declare(
    "ct.simulate",
    SwitchError,
    refuses={"contacts by functions": "runs do not know them; give shapes, or measure them"},
)
NEVER = np.array([np.inf])  # times of output of a phase that has none
MOST_AT_ONCE = 200  # and this many of them are chattering


@dataclass
class Switched:
    """A run in the making: what has been collected of its phases."""

    base: System
    asked: Settings
    span: float
    t: list[Array] = field(default_factory=list)
    q: list[Array] = field(default_factory=list)
    v: list[Array] = field(default_factory=list)
    work: list[Array] = field(default_factory=list)
    states: list[Array] = field(default_factory=list)
    law_states: Array | None = None  # where the last phase ended
    events: list[Occurrence] = field(default_factory=list)
    crossings: list[Crossing] = field(default_factory=list)
    phases: list[Phase] = field(default_factory=list)
    noted: list[RunWarning] = field(default_factory=list)
    statistics: dict[str, Any] = field(default_factory=dict)
    status: str = "done"
    message: str = ""
    spent: Array = field(default_factory=lambda: np.zeros(3))  # supplied, dissipated, lost in impacts, so far
    last: dict[str, float] = field(default_factory=dict)  # where limited joints were last, with their turns
    gave_way: dict[str, tuple[float, int]] = field(default_factory=dict)  # brakes: when last, how often in a row
    at_once: int = 0
    bounces: Bounces = field(default_factory=Bounces)
    impacts: list[Impact] = field(default_factory=list)
    undetermined: dict[str, float] = field(default_factory=dict)  # points of contact, since when

    def stacked(self) -> tuple[Array, ...]:
        """(t, q, v, work, states of laws) of all rows."""
        nq, nv = self.base.nq, self.base.nv
        empty = (np.zeros(0), np.zeros((0, nq)), np.zeros((0, nv)), np.zeros((0, 3)))
        parts = zip((self.t, self.q, self.v, self.work, self.states), (*empty, self._no_states), strict=True)
        return tuple(np.concatenate([none, *rows]) for rows, none in parts)

    @property
    def _no_states(self) -> Array:
        return np.zeros((0, self.base.n_states))


def switching_run(
    base: System, asked: Settings, begin: float, q: Array, v: Array, times: Array, end: float,
    events: tuple[Event, ...] = (), progress: Shown = None, first_step: float | None = None,
    met: frozenset[tuple[str, int]] = frozenset(), before: Phase | None = None, states: Array | None = None,
) -> Switched:  # fmt: skip
    """All phases from `begin` to `end`; before: the phase that is continued; None: actions that are due are done first."""
    SIMULATE.admit(base.features)
    check_devices(base)
    run, due = Switched(base, asked, end - begin, law_states=states), timed(base, begin)
    if before is None:
        run.last, run.noted = wound(base, q)
        topology, v = _begin(run, begin, q, v, first_topology(base), at_start(base, begin))
        for _ in range(MOST_AT_ONCE):
            broken = overloaded(base, topology, begin, q, v)
            if not broken:
                break
            topology, v = _begin(run, begin, q, v, topology, broken)
        run.noted += true_already(base, waiting(base, topology), begin, q, v)
        _note_loads(run, topology, begin, q, v)
    else:  # a run that ended here has not done what was due
        topology, run.last = before.topology, dict(before.counted)
        now = sorted((a for a in base.mechanism.actions if a.trigger.at == begin), key=lambda a: a.on)
        with with_states(states):
            topology, v = _begin(run, begin, q, v, topology, now) if now else (topology, v)
    try:
        return _phases(run, topology, begin, q, v, due, times, end, events, progress, first_step, met)
    except KeyboardInterrupt:  # between phases, in a user function or while something was compiled
        if not run.phases:
            raise
        run.status, run.message = "interrupted", f"interrupted at t = {run.phases[-1].end:g} s"
        return run


def _phases(
    run: Switched, topology: ActiveSet, t: float, q: Array, v: Array, due: list[Action], times: Array, end: float,
    events: tuple[Event, ...], progress: Shown, first_step: float | None, met: frozenset[tuple[str, int]],
) -> Switched:  # fmt: skip
    """One phase after the other, until the run is over."""
    base = run.base
    fired: list[Any] = []  # functions whose sign has just changed
    while True:
        until = min([a.trigger.at or 0.0 for a in due[:1]] + [end])
        own = _within(times, t, until, until >= end)
        pairs = waiting(base, topology)
        met |= {(e.name, len(events) + k) for k, (e, _) in enumerate(pairs) if any(e.function is f for f in fired)}
        try:
            driver = _phase(run, topology, t, q, v, own, until, events, pairs, progress, first_step, met)
        except MotionError as error:  # nothing moves on from here, what was computed is kept
            if not run.phases:
                raise
            run.status, run.message = "failed", str(error)
            return run
        found = driver.ended_by
        begun, t, (q, v) = t, until if found is None else found.t, _last(driver)
        ends = _ends(run, driver, found, len(events), t >= end)
        stop = driver.reached if ends and found is None else t
        _collect(run, driver, topology, begun, stop, ends, len(events))
        if driver.status != "failed":
            _note_loads(run, topology, t, q, v)
        if ends and all(o.index < len(events) for o in driver.ended_with):
            return run
        now = [a for a in due if (a.trigger.at or 0.0) <= t or same_instant(a.trigger.at or 0.0, t)]
        due = due[len(now) :]
        todo = sorted([*now, *asked_for(base, pairs, driver.ended_with, len(events), q)], key=lambda a: a.on)
        fired = [pairs[o.index - len(events)][0].function for o in driver.ended_with if _is_of(o, pairs, len(events))]
        try:
            with with_states(run.law_states):
                topology, v, crossings = _instant(run, topology, t, q, v, driver, todo, events, fired)
        except CotreeError as error:
            run.status, run.message = "failed", str(error)
            return run
        if ends or any(o.terminal for o in crossings):
            _end_behind(run, topology, t, q, v, ends, crossings)
            return run
        if run.at_once > MOST_AT_ONCE:
            run.status, run.message = (
                "failed",
                (f"at t = {t:.9g} s {', '.join(topology.names)}: endless switching at one instant"),
            )
            return run
        first_step = float(driver.statistics()["next_step"])
        met = frozenset((o.name, o.index) for o in driver.ended_with if o.index < len(events))


def _note_loads(run: Switched, topology: ActiveSet, t: float, q: Array, v: Array) -> None:
    """Note once of each link that its load is not determined, by what it carries at the start and at the end of phases."""
    with with_states(run.law_states):
        found = doubtful_loads(run.base, topology, t, q, v)
    known = {str(w) for w in run.noted}
    run.noted += [w for w in found if str(w) not in known]


def _is_of(o: Occurrence, pairs: Sequence[tuple[Event, Action]], users: int) -> bool:
    return users <= o.index < users + len(pairs)


def _instant(
    run: Switched, topology: ActiveSet, t: float, q: Array, v: Array, driver: Driver, actions: Sequence[Action],
    events: Sequence[Event], fired: Sequence[Any],
) -> tuple[ActiveSet, Array, list[Occurrence]]:  # fmt: skip
    """The active set and velocities after an instant, with all that the jump sets off; the user's events in it."""
    recorded = len(run.events)
    topology = replace(topology, released=topology.released - parted(actions))
    topology, after = _switch(run, topology, t, q, v, driver, [a for a in actions if a.trigger is not PARTING])
    first, before = v, v
    for _ in range(MOST_AT_ONCE):
        pairs = [p for p in waiting(run.base, topology) if not any(p[0].function is f for f in fired)]
        more = set_off(run.base, pairs, t, q, before, after) or overloaded(run.base, topology, t, q, after)
        if not more:
            break
        before, (topology, after) = after, _begin(run, t, q, after, topology, more)
    run.events[recorded:] = merged(run.events[recorded:])
    found = crossed(events, t, q, first, after, {o.index for o in driver.ended_with})
    run.events += found
    return topology, after, found


def _end_behind(
    run: Switched, topology: ActiveSet, t: float, q: Array, v: Array, ended: bool, found: Sequence[Occurrence]
) -> None:
    """End a run with the state behind a switch, for a user event at the same instant."""
    if ended:  # by the event itself: its row was that before the switch
        for rows in (run.t, run.q, run.v, run.work, run.states):
            rows[-1] = rows[-1][:-1]
        first, end = run.phases[-1].rows
        run.phases[-1] = replace(run.phases[-1], rows=(first, end - 1))
    else:
        name = next(o.name for o in found if o.terminal)
        run.status, run.message = "event", f"ended by event {name!r} at t = {t:.9g} s"
    count = sum(map(len, run.t))
    held = np.zeros(0) if run.law_states is None else run.law_states
    parts = (run.t, run.q, run.v, run.work, run.states)
    for part, x in zip(parts, (np.array(t), q, v, run.spent, held), strict=True):
        part.append(x[None].copy())
    run.phases.append(Phase(t, t, topology.system(run.base), topology, (count, count + 1), dict(run.last)))


def _within(times: Array, t: float, until: float, last: bool) -> Array:
    """Times of output that belong to a phase: from its start to before its end, at which the next one begins."""
    own = times[(times >= t) & ((times <= until) if last else (times < until))]
    return own if len(own) or not len(times) else NEVER


def _begin(
    run: Switched, t: float, q: Array, v: Array, before: ActiveSet, actions: Sequence[Action]
) -> tuple[ActiveSet, Array]:
    """What is due at the start is done first."""
    changed = applied(run.base, before, t, q, actions)
    struck = strike(run.base, changed.topology, t, q, v, changed.blows, changed.new)
    now, left = (v, ()) if struck is None else (struck.v, struck.left)
    stops = stops_reached(run.base, changed.topology, q, now, run.last)
    consistent = run.asked.transitions == "consistent"
    found = settle(run.base, changed.topology, t, q, now, changed.new, stops, leaves=left, consistent=consistent)
    found = after_blows(found, struck)
    words = tuple(w for w in changed.words if not isinstance(run.base.mechanism.devices.get(w[0]), Limit))
    _record(run, before, found, words, t, q, v)
    return found.topology, found.v


def _phase(
    run: Switched, topology: ActiveSet, t: float, q: Array, v: Array, times: Array, until: float,
    events: tuple[Event, ...], pairs: list[tuple[Event, Action]], progress: Shown, first_step: float | None,
    met: frozenset[tuple[str, int]],
) -> Driver:  # fmt: skip
    """One phase, run to its end or to a switch."""
    system = topology.system(run.base)
    shared = shared_holding(run.base, topology, system, t, q)
    own = (*(e for e, _ in pairs), *((shared,) if shared else ()))
    watches = watches_of(run.base, topology, system, q, run.gave_way, shared is not None, run.last)
    waits = bool(own)  # the event of shared contacts is looked at within steps of any length
    points, still = None, still_coordinates(run.base, topology, system, q, t)
    if has_contacts(run.base) and not is_constant(system, still):
        points, touching = points_of(run.base), shared_contacts(run.base, topology)
        own = (*own, *((touching,) if touching else ()))
        watches = (*watches, *contact_watches(run.base, topology, system, run.gave_way, q, v))
    waits = waits or any(w.kind in (HOLDING, PUSHING, PRESSING, CONE) for w in watches)
    driver = Driver(
        system, run.asked.resolved(system), t, q, v, times, until, (*events, *own), first_step, met, watches,
        run.span, waits, run.law_states, points,
    )  # fmt: skip
    if len(still):
        driver.state.hold("held", np.union1d(driver.state.kept["held"], still).astype(np.int64))
    driver.go(progress)
    return driver


def _last(driver: Driver) -> tuple[Array, Array]:
    """State at the end of a phase."""
    if driver.ended_by is not None:
        return driver.ended_by.q.copy(), driver.ended_by.v.copy()
    q, v, _ = driver.state.at("now")
    return q.copy(), v.copy()


def _ends(run: Switched, driver: Driver, found: Occurrence | None, users: int, over: bool) -> bool:
    """Whether the run is over: at its end, by a user event, or because it failed."""
    if found is None:
        if over or driver.status != "done":
            run.status, run.message = driver.status, driver.message
            return True
        return False
    if found.index < users:
        run.status, run.message = driver.status, driver.message
        return True
    return False


def _collect(
    run: Switched, driver: Driver, topology: ActiveSet, begin: float, end: float, over: bool, users: int
) -> None:
    """Put the rows of a phase to those there are."""
    t, q, v, work = driver.rows()
    internal = driver.ended_by is not None and not over
    if internal and len(driver.times):  # the state of a switch is not an output row
        t, q, v, work = t[:-1], q[:-1], v[:-1], work[:-1]
    first = sum(map(len, run.t))
    run.t.append(t)
    run.q.append(q)
    run.v.append(v)
    lost = np.full((len(t), 1), run.spent[2])
    run.work.append(np.hstack([work[:, :2] + run.spent[:2], lost]))
    run.states.append(work[:, 2:])
    reached_work = driver.work_so_far()
    run.spent[:2] += reached_work[:2]
    run.law_states = reached_work[2:]
    run.events += [e for e in driver.events if e.index < users]
    run.crossings += driver.crossings
    run.noted += driver.noted
    run.statistics = totals(run.statistics, driver.statistics()) if run.statistics else driver.statistics()
    ended = bool(over and driver.ended_by)  # the row of a terminal event is the last
    counted = run.last | last_values(driver, end, row=not ended)
    run.phases.append(Phase(begin, end, driver.system, topology, (first, first + len(t)), counted))


def _switch(
    run: Switched, topology: ActiveSet, t: float, q: Array, v: Array, driver: Driver, actions: Sequence[Action],
) -> tuple[ActiveSet, Array]:  # fmt: skip
    """The active set and velocities behind a switch."""
    base, now = run.base, reached(driver, run.base, topology, t, q, v)
    changed = applied(base, topology, t, q, actions)
    run.last |= last_values(driver, t)
    struck = strike(base, changed.topology, t, q, v, changed.blows, changed.new)
    begun, left = (v, now.leaves) if struck is None else (struck.v, (*now.leaves, *struck.left))
    hits = now.hits | stops_reached(base, changed.topology, q, begun, run.last)
    news, closed = news_of(driver, t, q, v) if driver.points is not None else (News(), ())
    if closed:
        news = replace(news, ended=_ended(run, t, q, v, closed))
    done = settle(
        base, changed.topology, t, q, begun, changed.new, hits, now.slips, left, run.asked.transitions == "consistent",
        news,
    )  # fmt: skip
    done = after_blows(done, struck)
    for name in (*now.slips, *news.slips):
        last, count = run.gave_way.get(name, (-np.inf, 0))
        run.gave_way[name] = (t, count + 1 if t - last < 1e-6 else 0)
    _record(run, topology, done, changed.words, t, q, v)
    return done.topology, done.v


def _ended(run: Switched, t: float, q: Array, v: Array, closed: Sequence[str]) -> frozenset[str]:
    """Points whose bounces end with this impact."""
    rates = dict(zip((x.name for x in touches_of(run.base)), contact_rows(run.base, q, v, t).W_N @ v, strict=True))
    speed = max(-rates[name] for name in closed)
    return run.bounces.note(t, frozenset(closed), speed, length_of(run.base)) if speed > 0.0 else frozenset()


def _record(
    run: Switched, before: ActiveSet, done: Settled, words: tuple[tuple[str, str], ...], t: float, q: Array, v: Array
) -> None:
    """Note a switch, if there is anything to be noted."""
    last = next((e.t for e in reversed(run.events) if isinstance(e, Switch)), -np.inf)
    run.at_once = run.at_once + 1 if t - last < SOON else 0
    acted = {name for name, _ in words}
    changes = (*words, *(c for c in done.changes if c[0] not in acted))
    run.spent += (done.supplied, 0.0, done.energy_loss)
    if done.hit is not None and done.hit.points:
        names = tuple(dict.fromkeys(touches_of(run.base)[k].contact for k in done.hit.points))
        hit = done.hit
        run.impacts.append(Impact(t, names, hit.impulses, hit.energy_loss, hit.law, hit.simultaneous))
    for name in done.topology.shared:
        run.undetermined.setdefault(name, t)
    _doubt(run, t, done.doubts)
    if not changes:
        return
    name = ", ".join(dict.fromkeys(name for name, _ in changes))
    run.events.append(
        Switch(
            name, t, q.copy(), done.v.copy(), v_before=v.copy(), changes=changes, impulses=done.impulses,
            energy_loss=done.energy_loss, supplied=done.supplied, names=done.topology.names,
            before=before.system(run.base), system=done.topology.system(run.base),
        )
    )  # fmt: skip


def contact_statistics(run: Switched) -> dict[str, Any]:
    """Ends of bounces (time, contacts, impacts), and points whose forces are not determined with the times from which on."""
    whose = {x.name: x.contact for x in touches_of(run.base)} if run.bounces.ends else {}
    ends = [[e.t, sorted({whose[n] for n in e.points}), e.impacts] for e in run.bounces.ends]
    found = {"bounces_ended": ends, "undetermined_contacts": run.undetermined}
    return {name: x for name, x in found.items() if x}


def _doubt(run: Switched, t: float, names: Sequence[str]) -> None:
    """Note once of points of contact that there is not one solution alone."""
    known = {str(w) for w in run.noted}
    text = (
        f"contact {', '.join(map(repr, names))}: with this friction rigid bodies have several motions or none (Painleve's "
        f"paradox); one of them was taken"
    )
    if names and text not in known:
        run.noted.append(warning("contacts", text, t))
