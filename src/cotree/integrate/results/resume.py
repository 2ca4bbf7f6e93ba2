"""Going on with a run: from its last state, with its settings, into one run of both."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from cotree.errors import ShapeError
from cotree.integrate.checks.missing_functions import check_functions
from cotree.integrate.events.event import as_events
from cotree.integrate.events.pace import check_times
from cotree.integrate.interruption import Interruptible
from cotree.integrate.output_times import output_times, outside
from cotree.integrate.phases.phase import Phase
from cotree.integrate.results.run import Run
from cotree.integrate.results.totals import totals
from cotree.integrate.simulate import go
from cotree.model.checks import flag_or_none, shown
from cotree.system.arguments import time_of

MOST_ROWS = 1e8


def resume(run: Run, t_end: float, output: Any = None, events: Any = (), progress: bool | None = None) -> Run:
    """The run continued to t_end: rows, work, events, crossings and counts of both parts."""
    if not len(run.t):
        raise ShapeError(
            "the run has no state to resume from, because it ended before the first output time; simulate again"
        )
    check_functions(run.system.mechanism)
    progress = flag_or_none(progress, "progress")
    begin, end = float(run.t[-1]), time_of("t_end", t_end)
    if not end > begin:
        raise ShapeError(f"t_end is {shown(t_end)}; it must be later than {begin:g} s, where the run ended")
    check_times(run.settings, begin, end)
    asked = _spacing(run, end) if output is None else output
    times = output_times(begin, end, asked, run.system.nq + run.system.nv)
    passed = _until(run.phases, begin, len(run.t))
    with Interruptible() as made:
        more = go(
            run.system, run.settings, begin, run.q[-1].copy(), run.v[-1].copy(), times, end, as_events(events), progress,
            run.statistics.get("next_step"), frozenset((e.name, e.index) for e in run.events if e.t == begin),
            before=passed[-1] if passed else None, states=run.states[-1].copy() if run.states.size else None,
        )  # fmt: skip
        new = more.t > begin
        whole = Run(
            run.system, np.append(run.t, more.t[new]), np.concatenate([run.q, more.q[new]]),
            np.concatenate([run.v, more.v[new]]), more.status, more.message, totals(run.statistics, more.statistics),
            run.settings, tuple(e for e in run.events if e.t <= begin) + more.events,
            tuple(c for c in run.crossings if c.t <= begin) + tuple(c for c in more.crossings if c.kind != "start"),
            np.concatenate([run.work, run.work[-1] + more.work[new]]),
            passed + tuple(_shifted(p, len(run.t) - int(np.count_nonzero(~new)), len(run.t)) for p in more.phases),
            (*run.noted, *outside(float(run.t[0]), end, output), *more.noted),
            np.concatenate([run.states, more.states[new]]) if run.states.size else more.states[new],
            None if run.contacts is None or more.contacts is None else run.contacts.joined(more.contacts.rows(new)),
            tuple(i for i in run.impacts if i.t <= begin) + more.impacts,
        )  # fmt: skip
        return made.ended(whole)


def _until(phases: tuple[Phase, ...], t: float, rows: int) -> tuple[Phase, ...]:
    """Phases up to that of the last row, which may lie before the end of the run; resuming starts there."""
    last = next((k for k, p in enumerate(phases) if p.rows[0] < rows <= p.rows[1]), -1)
    return tuple(replace(p, end=min(p.end, t)) for p in phases[: last + 1])


def _shifted(phase: Phase, by: int, least: int) -> Phase:
    """A phase of the second part, by its rows in both; those up to `least` are of the first part."""
    first, end = phase.rows
    return replace(phase, rows=(max(first + by, least), max(end + by, least)))


def _spacing(run: Run, end: float) -> int:
    """As many rows a second as before."""
    density = (len(run.t) - 1) / max(run.t[-1] - run.t[0], 1e-300)
    if end - run.t[-1] > MOST_ROWS / max(density, 1e-300):
        raise ShapeError(f"the same output rate as before would need more than {MOST_ROWS:.0e} rows; give output=")
    return max(2, round(density * (end - run.t[-1])) + 1)
