"""The certificate of a run, as text: accuracy of constraints, energy and positions, events, and warnings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from cotree.errors import CotreeError
from cotree.integrate.checks.run_warnings import why_not_repeated
from cotree.integrate.contacts.report import contact_lines
from cotree.integrate.phases.phase import Switch
from cotree.judge import slowest
from cotree.model.functions import functions_of, unknown_constraints

if TYPE_CHECKING:
    from cotree.integrate.events.event import Occurrence
    from cotree.integrate.results.run import Run

SHOWN = 5  # crossings and events listed one by one
LOOKED_AT = 10  # switches that are checked for singularity
QUICK = 200  # coordinates up to which that check is fast


def certificate(run: Run) -> str:
    """Several lines; the first is the outcome of the run."""
    span = f"{run.t[0]:g} to {run.t[-1]:g} s" if len(run.t) else "no output time reached"
    lines = [
        f"{run.system.name or 'run'}: {run.status}, {span}, {_steps(run)}",
        *_known(run, "energy", _energy),
        *_known(run, "constraints", _loops),
        *_known(run, "position error", _accuracy),
        *_shortened([str(c) for c in run.crossings], "singular configurations"),
        *_shortened([_event(e) for e in run.events], "events"),
        *_known(run, "contacts", contact_lines),
        *_known(run, "topology", _topology),
        *_known(run, "sampling", _looks),
        *(str(w) if str(w).startswith("do not trust") else f"warning: {w}" for w in run.warnings),
    ]
    if run.message:
        lines.append(run.message)
    return "\n  ".join(lines)


def _steps(run: Run) -> str:
    s = run.statistics
    return f"{s['steps']} steps of {s['method']} ({s['rejected']} rejected)" if s else "steps not counted"


def _known(run: Run, what: str, lines: Callable[[Run], list[str]]) -> list[str]:
    """Lines about a run; a note where they cannot be computed."""
    try:
        return lines(run)
    except CotreeError as error:
        return [f"{what} could not be computed: {error}"]


def _energy(run: Run) -> list[str]:
    if not len(run.t):
        return []
    e = run.energy
    largest = float(np.abs(e.balance).max(initial=0.0))
    lost = f"lost in impacts {e.lost[-1]:.6g} J, " if np.any(e.lost) else ""
    if not (np.any(e.supplied) or np.any(e.dissipated) or lost):
        return [f"energy {e.total[0]:.6g} J at the start, largest change {largest:.2e} J"]
    return [
        f"energy {e.total[0]:.6g} J at the start, {e.total[-1]:.6g} J at the end; supplied {e.supplied[-1]:.6g} J, "
        f"dissipated {e.dissipated[-1]:.6g} J, {lost}energy balance closes to within {largest:.2e} J"
    ]


def _loops(run: Run) -> list[str]:
    if not len(run.t) or not run.system.n_constraints:
        return []
    words, unknown = "loops closed" if len(run.system.cuts) else "constraints satisfied", _unknown(run)
    if unknown and not any(s.n_constraints for s in run._checkable):
        return [f"constraints could not be checked: the functions of {unknown} are missing"]
    lines = [
        f"{words} to within {run.violation.max(initial=0.0):.1e} (position), "
        f"{run.velocity_violation.max(initial=0.0):.1e} (velocity)"
        + (f", not counting {unknown}, whose functions are missing" if unknown else "")
    ]
    most, rows = run.statistics.get("greatest_rank", run.system.n_constraints), run.system.n_constraints
    if most < rows:
        lines.append(
            f"{rows - most} of {rows} constraint equations (rows) were redundant throughout, because of the dimensions"
        )
    return lines


def _unknown(run: Run) -> str:
    """Constraints that cannot be checked."""
    return ", ".join(unknown_constraints(run.system.mechanism).values())


def _accuracy(run: Run) -> list[str]:
    """The position error, unless it is among the warnings."""
    if len(run.t) < 2 or any(w.kind == "accuracy" for w in run.warnings):
        return []
    why = why_not_repeated(run)
    unknown = f"position error not checked because {why}; run.accuracy estimates it by a second run"
    return [unknown if why else str(run.accuracy)]


def _event(event: Occurrence) -> str:
    """A switch describes what happened; any other event has only a name."""
    return str(event) if isinstance(event, Switch) else f"event {event.name!r} at t = {event.t:.9g} s"


def _topology(run: Run) -> list[str]:
    """The topology: what is active at the end, whether anything can still move, and singular changes."""
    switches = [] if _unknown(run) else [e for e in run.switches if e.impulses]
    small = run.system.nv <= QUICK
    lines = [
        f"singular topology change at t = {e.t:.9g} s: the configuration was singular"
        for e in switches[: LOOKED_AT if small else 0]
        if e.singular
    ]
    if switches and not small:
        lines.append(
            "not checked whether the topology changed in singular configurations; see run.switches[k].singular"
        )
    if run.phases and run.phases[-1].names:
        lines.append(f"at the end: {', '.join(run.phases[-1].names)}")
    slow = slowest(run.v)
    if small and switches and len(run.t) and np.abs(run.v[-1]).max(initial=0.0) < slow and run.switches[-1].dof == 0:
        lines.append(f"came to a stop at t = {run.switches[-1].t:.9g} s: no degrees of freedom remain")
    return lines


def _looks(run: Run) -> list[str]:
    """How often user functions and events were evaluated."""
    if not len(run.t):
        return []
    functions, events = run.statistics.get("functions_every"), run.statistics.get("events_every")
    lines = []
    if functions is not None and any(True for _ in functions_of(run.system.mechanism)):
        lines.append(
            f"user functions were evaluated at least every {functions:.3g} s; shorter pulses can be missed (see "
            f"ct.Adaptive)"
        )
    if events is not None:
        lines.append(f"events were checked at least every {events:.3g} s; roots closer together can be missed")
    return lines


def _shortened(lines: list[str], what: str) -> list[str]:
    more = len(lines) - SHOWN
    return [*lines[:SHOWN], *([f"and {more} more {what}"] if more > 0 else [])]
