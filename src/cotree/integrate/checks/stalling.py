"""A run that makes no progress: judged by the number of steps that are still to come, and by the functions behind it.

Counted in steps that were tried, so that a run ends in the same way on every machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cotree.dynamics.charts import singular_chart
from cotree.integrate.checks.roughness import FINER, rough_drive, rough_force
from cotree.integrate.state import RunState

WINDOW = 250  # steps tried between two judgements
KEPT, ENOUGH = 8, 6  # of the last judgements so many must agree
MANY, MANY_DRIVEN = (
    2e5,
    1e4,
)  # steps to come from which on coordinates and functions are looked at; a drive that jumps is never right
HOPELESS, LONG = 1e11, 200  # steps to come, and judgements in a row, for a run to end whatever the reason
NEXT_TO = (
    1e-2  # least rotation by a unit of a joint's coordinates, relative to the largest, where these may be the reason
)
OF_FORCES = (
    "is discontinuous in the state: use mech.brake for dry friction, smooth the function, or use fixed steps (step=)"
)
OF_DRIVES = "is discontinuous in time: do not round its values, or smooth the function"

FEW, OFTEN = 20, 0.05  # steps rejected, and in parts of those taken, from which on drives are looked at in the end
OF_RATES = (
    "is not smooth in time: velocities and forces, which are computed from differences of its values, are "
    "inaccurate; do not round its values, or give its rate and acceleration"
)


def unless_refused(check: Callable[[], str | None]) -> str | None:
    """What an optional check finds; None where a user function raises, which the run itself will report.

    Such a function raises again when it is asked again. An exception that does not return came from the handler of a signal
    (a time limit, say) and is passed on.
    """
    try:
        return check()
    except Exception as error:
        try:
            check()
        except Exception as again:
            if type(again) is type(error):
                return None
        raise


class Stalling:
    """Watches the progress of a run with adaptive steps."""

    def __init__(self, state: RunState) -> None:
        self.state, self.counts = state, state.counts
        self.t, self.tried = state.clock.t_now, self._tried()
        self.found: list[str | None] = []  # what was to blame at the last judgements
        self.hopeless = 0

    def left(self) -> int:
        """Steps to try until the next judgement."""
        return max(1, self.tried + WINDOW - self._tried())

    def verdict(self) -> str | None:
        """Message about what stops progress, once that is certain."""
        tried = self._tried()
        if tried < self.tried + WINDOW:
            return None
        now, end = self.state.clock.t_now, self.state.options.t_end
        gained, since = now - self.t, tried - self.tried
        to_come = since * (end - now) / gained if gained > 0.0 else np.inf
        self.t, self.tried = now, tried
        self.found = [*self.found[1 - KEPT :], self._cause(to_come)]
        self.hopeless = self.hopeless + 1 if to_come > HOPELESS else 0
        rate = f"the last {since} steps advanced by {gained:.2g} s, so about {to_come:.1g} more would be needed"
        named = [name for name in self.found if name]
        if len(named) >= ENOUGH:
            return f"the run makes no progress: {rate}; {named[-1]}"
        if self.hopeless >= LONG:
            return f"the run makes no progress: {rate}; end it earlier, or find out which motion is so fast"
        return None

    def afterthought(self) -> str | None:
        """Message about a drive that is not smooth, though not so rough that the run stalls."""
        steps, rejected = self.state.counts.steps, self.state.counts.rejected
        if rejected < max(FEW, OFTEN * steps):
            return None
        drive = unless_refused(lambda: rough_drive(self.state, FINER))
        return f"{drive} {OF_RATES}" if drive else None

    def _cause(self, to_come: float) -> str | None:
        """Message about coordinates that end here, or a function that is not smooth, if enough steps remain to matter."""
        chart = singular_chart(self.state.system, self.state.at("now").q, NEXT_TO) if to_come > MANY else ""
        if chart:
            return chart
        drive = unless_refused(lambda: rough_drive(self.state)) if to_come > MANY_DRIVEN else None
        if drive:
            return f"{drive} {OF_DRIVES}"
        force = unless_refused(lambda: rough_force(self.state)) if to_come > MANY else None
        return f"{force} {OF_FORCES}" if force else None

    def _tried(self) -> int:
        return int(self.counts["steps"]) + int(self.counts["rejected"])
