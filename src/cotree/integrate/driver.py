"""From a state at the start to the rows of a run: sets up the compiled loop, hears the user's functions and events."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.contacts.measure import PointTable
from cotree.dynamics.forward import no_inertia
from cotree.dynamics.law_states import first_states
from cotree.engine import signals
from cotree.engine.records import put_array
from cotree.engine.status import (
    CHUNK,
    DONE,
    EVENT,
    FAILURES,
    GOING_ON,
    JAMMED,
    JAMS,
    USER_ERROR,
    USER_FAILED,
)
from cotree.engine.together import compile_together
from cotree.engine.vectors import all_finite
from cotree.errors import CotreeError, MotionError, RunWarning
from cotree.formulations import acceleration
from cotree.formulations.callback import Callback, forgivable, lost
from cotree.formulations.loading import enter_loads
from cotree.formulations.rubbing import enter_friction
from cotree.integrate.checks.run_warnings import warning
from cotree.integrate.checks.stalling import Stalling
from cotree.integrate.entries import enter, formulation_of, jobs
from cotree.integrate.events import passages
from cotree.integrate.events.conditions import Watch, look, look_at, look_at_contacts, watch_table
from cotree.integrate.events.crossings import Crossing, Moving, came_from, passed, went_past
from cotree.integrate.events.event import Event, Occurrence, occurred
from cotree.integrate.events.event_doubts import event_doubts
from cotree.integrate.events.pace import LOOKS, longest_step
from cotree.integrate.failures import failure
from cotree.integrate.law_states import OF_WORK
from cotree.integrate.loop import advance, least_step
from cotree.integrate.methods.contract import METHODS
from cotree.integrate.methods.dense_output import work_within
from cotree.integrate.output import Output
from cotree.integrate.progress import Progress, Shown
from cotree.integrate.results.statistics import statistics
from cotree.integrate.run_options import put_options
from cotree.integrate.settings import Settings
from cotree.integrate.state import RunState
from cotree.judge import ZERO
from cotree.system.arguments import not_finite
from cotree.system.system import System

Array = NDArray[np.float64]

SLICE = 0.1  # seconds of work between looks at the clock
RISING = (
    1e-250  # m/s: gaps that have just opened are looked at for where they rise, whatever the sign of their rounding
)
ROWS = 4096  # buffer when each step is a row


class Driver:
    """One run in the making. After `go`: rows in t, q, v, work; status, message, events, crossings."""

    def __init__(
        self, system: System, settings: Settings, t: float, q: Array, v: Array, times: Array, t_end: float,
        events: tuple[Event, ...], first_step: float | None = None, met: frozenset[tuple[str, int]] = frozenset(),
        watches: tuple[Watch, ...] = (), span: float | None = None, waits: bool = False, states: Array | None = None,
        points: PointTable | None = None,
    ) -> None:  # fmt: skip
        """points: those that watches of contacts read."""
        self.system, self.settings, self.times, self.t_begin = system, settings, times, t
        self.begin()
        self.formulation = formulation_of(settings)
        self.divided = not self.formulation.dense and system.n_constraints > 0
        self.state = RunState(system, dense=not self.divided)
        attach = METHODS[settings.method].attach
        self.attached = None if attach is None else attach(system)
        self.state.allocate(METHODS[settings.method], 0 if self.attached is None else self.attached.columns)
        self.callback = Callback(self.state, events, len(watches))
        self.watches, self.points = watches, points
        compile_together(jobs(system, settings))
        self.loading = enter_friction(self.state) or enter_loads(self.state)
        self.division = enter(self.state, system, settings, t, q, v)
        if self.attached is not None:
            self.attached.enter(self.state.run, q, v)
        if watches:
            self._watch(watches)
        self.state.counts.rank_least = system.n_constraints
        self.put_options(t_end, t_end - t if span is None else span, first_step, waits)
        self._start(t, q, v, met, states)
        rows = len(times) if len(times) else ROWS
        self.t, self.work = np.empty(rows), np.empty((rows, self.state.work.shape[1]))
        self.q, self.v = np.empty((rows, system.nq)), np.empty((rows, system.nv))
        self.watch_progress()
        self._write_first(t, q, v)

    def _write_first(self, t: float, q: Array, v: Array) -> None:
        """The row of the start, if it is one."""
        if not len(self.times) or self.times[0] <= t:
            self.t[0], self.q[0], self.v[0], self.work[0] = t, q, v, self.state.work[2]
            self.state.clock.row = 1

    def start_again(self, q: Array, v: Array) -> None:
        """Begin another run of the same system with the same settings, from a memory of the first one that was restored; what
        was written is overwritten."""
        self.begin()
        self._start(self.t_begin, q, v, frozenset(), None)
        self.watch_progress()
        self._write_first(self.t_begin, q, v)

    def put_options(self, t_end: float, span: float, first_step: float | None = None, waits: bool = False) -> None:
        """What the loop reads of the settings; span: of the whole run, of which this may be a phase."""
        self.state.options.spacing = span / LOOKS
        watched = bool(self.callback.events or self.watches)
        longest = longest_step(self.system, self.settings, span, waits)
        put_options(self.state, self.system, self.settings, t_end, first_step, longest, watched)

    def begin(self) -> None:
        """Nothing is noted yet of what may happen."""
        self.events: list[Occurrence] = []
        self.crossings: list[Crossing] = []
        self.came: Moving | None = None  # time and velocity before steps that end next to a singular configuration
        self.status, self.message = "done", ""
        self.noted: list[RunWarning] = []  # what a user must know of this run
        self.ended_by: Occurrence | None = None  # a terminal event or a watch
        self.ended_with: list[Occurrence] = []  # all events and watches of that instant
        self.unheard = False  # whether the last step may lack events or the work of its rows
        self.kept: list[tuple[Array, ...]] = []  # full buffers
        self.stalling: Stalling | None = None

    def watch_progress(self) -> None:
        """Steps of a given size are counted beforehand."""
        self.stalling = Stalling(self.state) if self.settings.step is None else None

    def _watch(self, watches: tuple[Watch, ...]) -> None:
        self.state.run.n_watches = len(watches)
        table = self.state.hold("watches", watch_table(watches))
        if self.points is None:
            self.state.enter(look=look)
            return
        for row in table:
            put_array(row["kinds"], self.points.kinds)
            put_array(row["out"], self.points.out.ravel())
        self.state.enter(look=look_at_contacts)

    def _start(self, t: float, q: Array, v: Array, met: frozenset[tuple[str, int]], states: Array | None) -> None:
        """The first state with its acceleration, power, rank and event values; met: events that this state is a root of,
        by name and place; states: those of laws where a run is continued."""
        state = self.state
        state.clock.t_flip, state.counts.restarted = -np.inf, True
        if self.system.n_states:
            state.z[:] = first_states(self.system, q, v, t) if states is None else states
            state.work[2, OF_WORK : OF_WORK + len(state.z)] = state.z
        self.callback.plan(t)
        state.clock.t_jump = self.callback.instants.min(initial=np.inf)
        for which in ("older", "old", "now"):
            state.at(which).q[:], state.at(which).v[:] = q, v
        state.clock.t_older = state.clock.t_old = state.clock.t_now = t
        here, u, a = state.at("now")
        status = acceleration.accelerate(state.problem, t, here, u, a)
        self._answered(int(status))
        if status == JAMMED:
            names = ", ".join(repr(name) for name in self.loading.names) if self.loading else ""
            raise MotionError(f"friction {names} at t = {t:.6g} s: {FAILURES[JAMS]}")
        if status < 0:
            no_inertia(self.system, -int(status) - 1, q)
        if not all_finite(a):
            not_finite(self.system, "acceleration at the start", q=q, v=v)
        state.work[3, : len(state.power)] = state.power
        if self.system.n_constraints:
            passages.note_rank(state.run, status)
        seen, n = self.callback, len(self.callback.events)
        seen.before[:n] = [0.0 if _met(seen.events, k, met) else e(t, q, v) for k, e in enumerate(seen.events)]
        if self.watches:
            seen.before[n:] = [w.sign * (w.start - w.value) for w in self.watches]
            self.look(t, q, v)
            seen.before[n:], seen.slopes_before[n:], seen.at_row[n:] = seen.values[n:], seen.slopes[n:], seen.values[n:]
            for k in [k for k, w in enumerate(self.watches, n) if w.of_contact and abs(seen.before[k]) < ZERO]:
                seen.before[k], seen.slopes_before[k] = 0.0, max(seen.slopes_before[k], RISING)

    def look(self, t: float, q: Array, v: Array) -> None:
        """Evaluate forces and watches at a state."""
        self._answered(int(look_at(self.state.run, t, q, v)))

    def _answered(self, status: int) -> None:
        """Raise what the user's functions raised in an evaluation that ended with this status."""
        self.callback.check(failed=status == USER_FAILED)

    def go(self, show: Shown = None) -> None:
        """Run to the end, or to what stops it."""
        clock, steps = self.state.clock, 16
        progress = Progress(show, clock.t_now, self.state.options.t_end, self.system.name)
        ended, out = CHUNK, Output(self.t, self.q, self.v, self.work)
        try:
            while ended in GOING_ON:
                signals.deliver()
                begun, count = time.perf_counter(), min(steps, self.stalling.left()) if self.stalling else steps
                ended = advance(self.state.run, self.times, out, count)
                if ended == CHUNK:
                    spent = time.perf_counter() - begun
                    steps = int(np.clip(count * SLICE / max(spent, 1e-6), 1, 4 * steps))
                progress.at(clock.t_now)
                if not self.hears(ended):
                    break
        except KeyboardInterrupt:
            self.status, self.message = "interrupted", f"interrupted at t = {self.reached:g} s"
        finally:
            progress.close()
        self.close(ended)

    def hears(self, ended: int) -> bool:
        """See to what the loop came back with, after some steps; False ends the run."""
        self.unheard = True
        goes_on = self._heard(ended)
        self.unheard = False
        return goes_on

    def close(self, ended: int) -> None:
        """Note how the run ended, by what the loop came back with last."""
        if self.callback.events and self.status != "interrupted":
            spacing, reached = float(self.state.options.spacing), self.ended_by.t if self.ended_by else self.reached
            steps = int(self.state.counts.steps)
            self.noted += event_doubts(self.callback, self.events, self.t_begin, reached, spacing, steps)
        if ended in FAILURES or ended < 0:
            self.status, self.message = "failed", self.failure(int(ended))
        elif ended == DONE and self.stalling:
            self.noted += [warning("accuracy", text) for text in [self.stalling.afterthought()] if text]

    def _heard(self, ended: int) -> bool:
        """See to what the loop came back with; False ends the run."""
        state = self.state
        if state.counts.narrowed:
            self._narrow(int(state.counts.narrowed))
            state.counts.narrowed = 0
        if not len(self.times) and state.clock.row >= len(self.t):  # also when an event or a crossing ended the chunk
            self._keep()
        if ended == USER_ERROR:
            return self._forgive()
        self._raise()
        if ended == EVENT and not self._happened():
            return False
        return not (self.stalling and self._stalled(self.stalling.verdict()))

    def _raise(self) -> None:
        """Raise what a function raised in a look between the steps; one that just gave no number there is passed over."""
        error = self.callback.raised()
        if error is not None and not forgivable(error):
            raise error

    def _happened(self) -> bool:
        """Note the events of the last step; False after one that ends the run."""
        try:
            events = occurred(self.state, self.callback, self.watches)
        except CotreeError as error:
            if error is not self.callback.raised():
                raise  # by the function of an event
            return self._stopped(error)
        end = min((o for o in events if o.terminal), key=lambda o: o.index, default=None)
        if end is not None:
            self.ended_with = [o for o in events if o.t == end.t]
            self._end_at(end)
        self.events += events
        return end is None

    def _stalled(self, why: str | None) -> bool:
        """Whether the run ends because it makes no progress."""
        if why is None:
            return False
        t = float(self.state.clock.t_now)
        self.status, self.message = "failed", f"at t = {t:.6g} s {why}"
        self.noted.append(warning("progress", why, t))
        return True

    def _narrow(self, found: int) -> None:
        """A singular configuration within the last two steps, or one that several steps go past, ending next to it."""
        state = self.state
        if found & passages.CLOSE and self.came is None:
            self.came = came_from(state)
        elif found & passages.VANISHING and self.came is None:
            self._crossing(passed(state))
        elif found & passages.LEAVING and self.came is not None:
            self._crossing((passed(state) if found & passages.VANISHING else None) or went_past(state, self.came))
            self.came = None

    def _crossing(self, found: Crossing | None) -> None:
        """Once a crossing; two neighbouring triples of states may both show it."""
        if found is not None and not (
            self.crossings and abs(self.crossings[-1].t - found.t) < 1e-6 * max(1.0, found.t)
        ):
            self.crossings.append(found)

    def _forgive(self) -> bool:
        """A user function that gave no finite number asks for a smaller step; anything else is raised."""
        error = self.callback.raised() or lost()
        adaptive, clock = self.settings.step is None, self.state.clock
        if self.callback.in_event or not forgivable(error):
            raise error
        if not adaptive or clock.h_next < least_step(clock.t_now):
            return self._stopped(error)
        return True

    def _stopped(self, error: BaseException) -> bool:
        """The run ends with a function that gave no finite number."""
        self.status, self.message = "failed", f"{error} (at t = {self.state.clock.t_now:.6g} s)"
        return False

    @property
    def reached(self) -> float:
        """Time up to which all is known: a step does not count when its events could not be looked at."""
        return float(self.state.clock.t_old if self.unheard else self.state.clock.t_now)

    def _keep(self) -> None:
        """Put a full buffer aside."""
        rows = int(self.state.clock.row)
        self.kept.append(tuple(x[:rows].copy() for x in (self.t, self.q, self.v, self.work)))
        self.state.clock.row = 0

    def _end_at(self, event: Occurrence) -> None:
        """Cut the rows behind a terminal event and end with its state."""
        w = np.empty(self.state.work.shape[1])
        clock = self.state.clock
        work_within(self.state.run, (event.t - clock.t_old) / (clock.t_now - clock.t_old), w)
        self._raise()
        self._keep()
        t, q, v, work = self.kept.pop()
        before = t < event.t
        last = (np.array([event.t]), event.q[None], event.v[None], w[None])
        self.kept.append(tuple(np.concatenate([x[before], y]) for x, y in zip((t, q, v, work), last, strict=True)))
        self.ended_by = event
        self.status, self.message = "event", f"ended by event {event.name!r} at t = {event.t:.9g} s"

    def failure(self, ended: int) -> str:
        """In words, why the run cannot go on."""
        return failure(self, ended)

    def copy_state_to(self, other: Driver) -> None:
        """Let another driver of the same settings be in the same state; entries and addresses stay its own. Its system may
        have more motors than this one's, which come behind the others."""
        mine, theirs = self.state, other.state
        for name, array in mine.kept.items():
            if name == "values":
                rows = {word: k for k, word in enumerate(theirs.system.mechanism.numbered)}
                theirs.kept[name][[rows[word] for word in mine.system.mechanism.numbered]] = array
            elif name not in ("sampled", "signs"):  # places of its own
                np.copyto(theirs.kept[name], array)
        for name in ("clock", "counts", "correction", "least"):
            theirs.run[name] = mine.run[name]
        theirs.problem["near"] = mine.problem["near"]
        if self.attached is not None:
            self.attached.copy_to(other.attached)

    def work_so_far(self) -> Array:
        """Work supplied and dissipated up to where the run has come."""
        if self.ended_by is not None:
            last: Array = self.kept[-1][3][-1]
            return last.copy()
        return self.state.work[2].copy()

    def rows(self) -> tuple[Array, ...]:
        """(t, q, v, work) of all rows written."""
        n = int(self.state.clock.row)
        kept = [*self.kept, tuple(x[:n] for x in (self.t, self.q, self.v, self.work))]
        if self.status == "event":
            kept.pop()
        t, *others = (np.concatenate(parts) for parts in zip(*kept, strict=True))
        known = t <= self.reached if self.unheard else slice(None)
        return tuple(x[known] for x in (t, *others))

    def statistics(self) -> dict[str, Any]:
        """Counts by name."""
        return statistics(self)


def _met(events: Sequence[Event], k: int, met: frozenset[tuple[str, int]]) -> bool:
    """Whether an event has just happened; identified by its name if that is unique, otherwise by its index too."""
    name = events[k].name
    alone = sum(e.name == name for e in events) == 1
    return any(name == n and (alone or k == i) for n, i in met)
