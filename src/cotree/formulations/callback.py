"""The user's functions during a run: forces, drivers, rows and events, called from the compiled loop through one callback.

The callback writes into the arrays of the problem. An exception cannot pass through compiled code: it is kept, the loop ends
with a status, and the driver raises it again or, when a function just gave no finite number, lets the step be repeated. What
does not leave `ANSWERED` in the problem's memory has failed, so that an exception that comes before the first line of the
callback is noticed too; the value that it returns then is whatever was on the stack.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from cotree.constraints import user_rows
from cotree.constraints.time_functions import ACCELERATION, put_motions
from cotree.dynamics.laws import laws_of
from cotree.dynamics.user_forces import put_laws
from cotree.engine import escaped, signals
from cotree.engine.python_entry import PythonEntry
from cotree.errors import ConstraintError, ForceError, FunctionError
from cotree.formulations.compiled_laws import compiled_laws
from cotree.formulations.over_time import AT_ONCE, over_time, time_laws
from cotree.formulations.problem import (
    ANSWERED,
    ASK_ALL_LAWS,
    ASK_BIAS,
    ASK_EVENTS,
    ASK_MOTIONS,
    ASK_ROWS,
    ASK_SAMPLES,
    ASK_SWITCHES,
    ASK_VALUES,
    Problem,
)


class Callback:
    """Answers what the compiled code asks for; `error` holds what a function raised."""

    def __init__(self, problem: Problem, events: Sequence[Any] = (), watches: int = 0) -> None:
        """watches: number of columns behind those of the events, which compiled code fills."""
        self.problem, self.events = problem, tuple(events)
        self.error: BaseException | None = None
        self.in_event, self._time = False, np.nan
        self.seen = [set[float]() for _ in self.events]  # the first values of each event function, three at most
        system = problem.system
        compiled, self.laws = compiled_laws(system)
        asks = ASK_VALUES if self.laws else 0
        asks |= self._enter_jumps()
        self._enter_time_laws()
        if any(motion.in_python for _, motion in system.extra_rows.motions):
            asks |= ASK_MOTIONS
        if system.extra_rows.user:
            asks |= ASK_ROWS | ASK_BIAS
        seen = problem.hold("events", np.zeros((5, len(self.events) + watches)))
        self.before, self.values, self.slopes_before, self.slopes, self.at_row = seen
        problem.problem.n_events = seen.shape[1]
        if self.events:
            asks |= ASK_EVENTS
        self._complete = problem.hold("answer", np.zeros(1, dtype=np.int64))
        self._entry = PythonEntry(self._answer)  # must outlive the run
        problem.problem.asks = asks
        problem.problem.entries.callback = self._entry.address if asks or compiled else 0
        problem.problem.entries.laws = 0 if compiled is None else compiled.address
        self._compiled = compiled  # must outlive the run, too

    def _enter_jumps(self) -> int:
        """Tables of sampled laws and of switching functions; returns what the callback is asked for because of them."""
        p, laws = self.problem, laws_of(self.problem.system)
        self._sampled = [law for law in laws if law.place.held]
        self._switched = [law for law in laws if law.place.signs]
        at = [x for law in self._sampled for x in (law.row, law.place.first, law.place.held)]
        signs = [law.place.sign + k for law in self._switched for k in range(law.place.signs)]
        p.hold("sampled", np.array(at, dtype=np.int64))
        self._time_laws = time_laws(p.system)
        kinked = bool(self._time_laws.kinked)
        self.instants = p.hold("instants", np.full(len(self._sampled) + kinked, np.inf))
        self._switches = p.hold("switches", np.zeros(len(signs)))
        p.hold("signs", np.array(signs, dtype=np.int64))
        p.hold("marks", np.ones(len(signs)))
        p.problem.n_sampled, p.problem.n_switches = len(self._sampled), len(signs)
        p.problem.n_instants = len(self.instants)
        return (ASK_SAMPLES if len(self.instants) else 0) | (ASK_SWITCHES if signs else 0)

    def _enter_time_laws(self) -> None:
        """Tables of the laws over time, which compiled code evaluates."""
        if len(self._time_laws.parts):
            self.problem.hold("time_parts", self._time_laws.parts)
            self.problem.hold("time_pieces", self._time_laws.pieces)
            self.problem.enter(over_time=over_time)

    def _within(self, t: float) -> float:
        """A time at which targets are those of the step that is tried, also at its ends."""
        p, close = self.problem.problem, AT_ONCE * max(1.0, abs(t))
        return min(max(t, float(p.since) + close), float(p.until) - close) if self._time_laws.kinked else t

    def _jump(self, what: int, t: float) -> None:
        """Sampled laws whose instant has come, or all switching functions."""
        p, about = self.problem, {"z": self.problem.z}
        if what & ASK_SAMPLES:
            for k, law in enumerate(self._sampled):
                if self.instants[k] <= t + at_once(t):
                    law.sample(p.z, t, p.q, p.v, about)
            self.plan(t)
        else:
            self._switches[:] = [x for law in self._switched for x in law.switched(t, p.q, p.v, about)]

    def plan(self, t: float) -> None:
        """The next instants of the sampled laws after a time."""
        for k, law in enumerate(self._sampled):
            self.instants[k] = next_instant(law.user.law, t)
        if self._time_laws.kinked:
            p = self.problem.problem
            p.since, p.until = self._time_laws.around(t)
            self.instants[-1] = p.until

    def nearest_switch(self) -> str:
        """Words for the switching function that was nearest to zero when they were last evaluated."""
        words = [f"switching function {n!r} of {law.whose}" for law in self._switched for n, _ in law.user.switching]
        return words[int(np.argmin(np.abs(self._switches)))]

    def _answer(self, what: int, t: float, *_: int) -> int:
        hold = None
        try:
            if self.error is not None and not forgivable(self.error):
                return 0
            hold = signals.current()
            if hold is not None:
                hold.deliver()
                hold.open = True  # a function that never returns can be interrupted
            self._fill(what, t)
            if hold is not None:
                hold.open = False
            self._complete[0] = ANSWERED
        except BaseException as error:  # an interrupt, too, has to wait until the compiled code has returned
            if hold is not None:
                hold.open = False
            self.error, self.in_event = error, bool(what & ASK_EVENTS)
        return 0

    def _fill(self, what: int, t: float) -> None:
        p = self.problem
        if what & ASK_VALUES:
            laws = laws_of(p.system) if what & ASK_ALL_LAWS else self.laws
            by_function = (law for law in laws if not law.user.by_numbers)
            put_laws(by_function, p.values, p.q, p.v, self._within(t), p.z, p.power[2:])
        if what == ASK_VALUES:
            return
        if what & (ASK_SAMPLES | ASK_SWITCHES):
            self._jump(what, t)
            return
        system, q, v = p.system, p.q.copy(), p.v.copy()
        if what & ASK_MOTIONS and t != self._time:
            put_motions(system, t, ACCELERATION, p.motions, only_in_python=True)
            self._time = t
        if what & ASK_ROWS:
            user_rows.put_residual(system, q, t, p.g)
            user_rows.put_jacobian(system, q, t, p.J)
            user_rows.put_rate(system, q, t, p.b)
        if what & ASK_BIAS:
            user_rows.put_bias(system, q, v, t, p.eta)
        if what & ASK_EVENTS:
            for k, event in enumerate(self.events):
                self.values[k] = value = event(t, q, v)
                if len(self.seen[k]) < 3:
                    self.seen[k].add(value)

    def raised(self) -> BaseException | None:
        """What a function raised, or what broke it off, since last asked."""
        error, self.error = self.error, None
        return error if error is not None else escaped.taken()

    def stop(self) -> None:
        """Raise what a function has raised; it stays there, so that it can be distinguished from what an event raises."""
        self.error = error = self.raised()
        if error is not None:
            raise error

    def check(self, failed: bool = False) -> None:
        """Raise what a function raised since last asked; failed: something is raised, known or not."""
        error = self.raised() or (lost() if failed else None)
        if error is not None:
            raise error


def at_once(t: float) -> float:
    """Times that differ by no more are one instant."""
    return 1e-12 * max(1.0, abs(t))


def next_instant(law: Any, t: float) -> float:
    """The first instant of a sampled law after a time: offset + k period."""
    now, offset, period = t + at_once(t), float(law.offset), float(law.period)
    k = math.floor((now - offset) / period)
    while offset + k * period <= now:
        k += 1
    return offset + k * period


def forgivable(error: BaseException | None) -> bool:
    """Whether a function just gave no finite number."""
    return isinstance(error, (ForceError, ConstraintError))


def lost() -> FunctionError:
    """The error for a callback that was interrupted for an unknown reason."""
    return FunctionError(
        "a function of the mechanism or of an event was interrupted by an exception that Python did not pass on; "
        "check whether sys.unraisablehook is replaced during the run"
    )
