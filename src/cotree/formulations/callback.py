"""The user's functions during a run: forces, drivers, rows and events, called from the compiled loop through one callback.

The callback writes into the arrays of the problem. An exception cannot pass through compiled code: it is kept, the loop ends
with a status, and the driver raises it again or, when a function just gave no finite number, lets the step be repeated. What
does not return `ANSWERED` has failed, so that an exception that comes before the first line of the callback is noticed too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cotree.constraints import user_rows
from cotree.constraints.time_functions import ACCELERATION, motion_values
from cotree.dynamics.laws import laws_of
from cotree.dynamics.user_forces import put_laws
from cotree.engine import escaped, signals
from cotree.engine.python_entry import PythonEntry
from cotree.engine.status import USER_FAILED
from cotree.errors import ConstraintError, ForceError, FunctionError
from cotree.formulations.compiled_laws import compiled_laws
from cotree.formulations.problem import (
    ANSWERED,
    ASK_ALL_LAWS,
    ASK_BIAS,
    ASK_EVENTS,
    ASK_MOTIONS,
    ASK_ROWS,
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
        system = problem.system
        compiled, self.laws = compiled_laws(system)
        asks = ASK_VALUES if self.laws else 0
        if any(not motion.constant for _, motion in system.extra_rows.motions):
            asks |= ASK_MOTIONS
        if system.extra_rows.user:
            asks |= ASK_ROWS | ASK_BIAS
        seen = problem.hold("events", np.zeros((5, len(self.events) + watches)))
        self.before, self.values, self.slopes_before, self.slopes, self.at_row = seen
        problem.problem.n_events = seen.shape[1]
        if self.events:
            asks |= ASK_EVENTS
        self._entry = PythonEntry(self._answer)  # must outlive the run
        problem.problem.asks = asks
        problem.problem.entries.callback = self._entry.address if asks or compiled else 0
        problem.problem.entries.laws = 0 if compiled is None else compiled.address
        self._compiled = compiled  # must outlive the run, too

    def _answer(self, what: int, t: float, *_: int) -> int:
        hold = None
        try:
            if self.error is not None and not forgivable(self.error):
                return USER_FAILED
            hold = signals.current()
            if hold is not None:
                hold.deliver()
                hold.open = True  # a function that never returns can be interrupted
            self._fill(what, t)
            if hold is not None:
                hold.open = False
            return ANSWERED
        except BaseException as error:  # an interrupt, too, has to wait until the compiled code has returned
            if hold is not None:
                hold.open = False
            self.error, self.in_event = error, bool(what & ASK_EVENTS)
            return USER_FAILED

    def _fill(self, what: int, t: float) -> None:
        p = self.problem
        if what & ASK_VALUES:
            put_laws(laws_of(p.system) if what & ASK_ALL_LAWS else self.laws, p.values, p.q, p.v, t)
        if what == ASK_VALUES:
            return
        system, q, v = p.system, p.q.copy(), p.v.copy()
        if what & ASK_MOTIONS and t != self._time:
            p.motions[:] = motion_values(system, t, ACCELERATION)
            self._time = t
        if what & ASK_ROWS:
            user_rows.put_residual(system, q, t, p.g)
            user_rows.put_jacobian(system, q, t, p.J)
            user_rows.put_rate(system, q, t, p.b)
        if what & ASK_BIAS:
            user_rows.put_bias(system, q, v, t, p.eta)
        if what & ASK_EVENTS:
            self.values[: len(self.events)] = [event(t, q, v) for event in self.events]

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


def forgivable(error: BaseException | None) -> bool:
    """Whether a function just gave no finite number."""
    return isinstance(error, (ForceError, ConstraintError))


def lost() -> FunctionError:
    """The error for a callback that was interrupted for an unknown reason."""
    return FunctionError(
        "a function of the mechanism or of an event was interrupted by an exception that Python did not pass on; "
        "check whether sys.unraisablehook is replaced during the run"
    )
