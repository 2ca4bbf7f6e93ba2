"""The certificate of a run: how well loops and energy were kept, what was passed on the way, in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from cotree.errors import CotreeError
from cotree.integrate.checks.run_warnings import why_not_repeated
from cotree.integrate.phases.phase import Switch
from cotree.model.functions import unknown_constraints

if TYPE_CHECKING:
    from cotree.integrate.events.event import Occurrence
    from cotree.integrate.results.run import Run

SHOWN = 5  # crossings and events listed one by one
STILL = 1e-9  # relative: velocities below it are none
LOOKED_AT = 10  # switches of which is found out whether they were singular
QUICK = 200  # coordinates up to which that takes no time


def certificate(run: Run) -> str:
    """Several lines; the first says how the run ended."""
    span = f"{run.t[0]:g} to {run.t[-1]:g} s" if len(run.t) else "no time of output reached"
    lines = [
        f"{run.system.name or 'run'}: {run.status}, {span}, {_steps(run)}",
        *_known(run, "energy", _energy),
        *_known(run, "constraints", _loops),
        *_known(run, "position error", _accuracy),
        *_shortened([str(c) for c in run.crossings], "singular configurations"),
        *_shortened([_event(e) for e in run.events], "events"),
        *_known(run, "topology", _topology),
        *_known(run, "times looked at", _looks),
        *(str(w) if str(w).startswith("do not trust") else f"warning: {w}" for w in run.warnings),
    ]
    if run.message:
        lines.append(run.message)
    return "\n  ".join(lines)


def _steps(run: Run) -> str:
    s = run.statistics
    return f"{s['steps']} steps of {s['method']} ({s['rejected']} rejected)" if s else "steps not counted"


def _known(run: Run, what: str, lines: Callable[[Run], list[str]]) -> list[str]:
    """Lines about a run; where numbers are beyond all range, that they cannot be known."""
    try:
        return lines(run)
    except CotreeError as error:
        return [f"{what} not known: {error}"]


def _energy(run: Run) -> list[str]:
    if not len(run.t):
        return []
    e = run.energy
    largest = float(np.abs(e.balance).max(initial=0.0))
    lost = f"lost in impacts {e.lost[-1]:.6g} J, " if np.any(e.lost) else ""
    if not (np.any(e.supplied) or np.any(e.dissipated) or lost):
        return [f"energy {e.total[0]:.6g} J at the start, greatest change {largest:.2e} J"]
    return [
        f"energy {e.total[0]:.6g} J at the start, {e.total[-1]:.6g} J at the end; supplied {e.supplied[-1]:.6g} J, "
        f"dissipated {e.dissipated[-1]:.6g} J, {lost}open in the balance at most {largest:.2e} J"
    ]


def _loops(run: Run) -> list[str]:
    if not len(run.t) or not run.system.n_constraints:
        return []
    words, unknown = "loops closed" if len(run.system.cuts) else "constraints kept", _unknown(run)
    if unknown and not any(s.n_constraints for s in run._checkable):
        return [f"not known whether constraints were kept: the functions of {unknown} are missing"]
    lines = [
        f"{words} to {run.violation.max(initial=0.0):.1e} (position), "
        f"{run.velocity_violation.max(initial=0.0):.1e} (velocity)"
        + (f", without {unknown}, whose functions are missing" if unknown else "")
    ]
    most, rows = run.statistics.get("greatest_rank", run.system.n_constraints), run.system.n_constraints
    if most < rows:
        lines.append(f"{rows - most} of {rows} rows redundant all along, on the constraint set only")
    return lines


def _unknown(run: Run) -> str:
    """Constraints of which cannot be known whether they held."""
    return ", ".join(unknown_constraints(run.system.mechanism).values())


def _accuracy(run: Run) -> list[str]:
    """The error of the positions, where it is not among the warnings."""
    if len(run.t) < 2 or any(w.kind == "accuracy" for w in run.warnings):
        return []
    why = why_not_repeated(run)
    unknown = f"position error not checked, since {why}; run.accuracy checks it by a second run"
    return [unknown if why else str(run.accuracy)]


def _event(event: Occurrence) -> str:
    """A switch tells what happened; any other event has a name only."""
    return str(event) if isinstance(event, Switch) else f"event {event.name!r} at t = {event.t:.9g} s"


def _topology(run: Run) -> list[str]:
    """What became of the topology: what is in force at the end, that nothing can move, and changes that were singular."""
    switches = [] if _unknown(run) else [e for e in run.switches if e.impulses]
    small = run.system.nv <= QUICK
    lines = [
        f"singular topology change at t = {e.t:.9g} s: it happened in a singular configuration"
        for e in switches[: LOOKED_AT if small else 0]
        if e.singular
    ]
    if switches and not small:
        lines.append(
            "not looked at whether the topology changed in singular configurations; run.switches[k].singular tells"
        )
    if run.phases and run.phases[-1].names:
        lines.append(f"at the end: {', '.join(run.phases[-1].names)}")
    slow = STILL * max(1.0, float(np.abs(run.v).max(initial=0.0)))
    if small and switches and len(run.t) and np.abs(run.v[-1]).max(initial=0.0) < slow and run.switches[-1].dof == 0:
        lines.append(f"stopped dead at t = {run.switches[-1].t:.9g} s: nothing can move any more")
    return lines


def _looks(run: Run) -> list[str]:
    """How often was looked at what cannot be foreseen."""
    if not len(run.t):
        return []
    functions, events = run.statistics.get("functions_every"), run.statistics.get("events_every")
    lines = []
    if functions is not None:
        lines.append(
            f"functions were evaluated at least every {functions:.3g} s; shorter pulses can be missed: use max_step="
        )
    if events is not None:
        lines.append(
            f"events were looked for at least every {events:.3g} s; of roots closer together some can be missed"
        )
    return lines


def _shortened(lines: list[str], what: str) -> list[str]:
    more = len(lines) - SHOWN
    return [*lines[:SHOWN], *([f"and {more} more {what}"] if more > 0 else [])]
