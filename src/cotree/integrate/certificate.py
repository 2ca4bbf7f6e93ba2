"""The certificate of a run: how well loops and energy were kept, what was passed on the way, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from cotree.integrate.run import Run

TRUSTED = 1e-3  # part of the energies that moved which may be missing from the books
SHOWN = 5  # crossings and events listed one by one


def certificate(run: Run) -> str:
    """Several lines; the first says how the run ended."""
    s = run.statistics
    span = f"{run.t[0]:g} to {run.t[-1]:g} s" if len(run.t) else "no time of output reached"
    lines = [
        f"{run.system.name or 'run'}: {run.status}, {span}, {s['steps']} steps of {s['method']} ({s['rejected']} rejected)",
        *(_energy(run) if len(run.t) else []),
        *(_loops(run) if len(run.t) else []),
        *_shortened([str(c) for c in run.crossings], "singular configurations"),
        *_shortened([f"event {e.name!r} at t = {e.t:.9g} s" for e in run.events], "events"),
    ]
    if run.message:
        lines.append(run.message)
    return "\n  ".join(lines)


def _energy(run: Run) -> list[str]:
    e = run.energy
    largest = float(np.abs(e.balance).max(initial=0.0))
    scale = max(float(np.ptp(x)) for x in (e.kinetic, e.potential, e.supplied, e.dissipated)) + float(e.kinetic.max())
    warning = [
        "do not trust this run: more energy came or went than its forces account for; take smaller tolerances or steps"
    ]
    return [_books(run, largest), *(warning if largest > TRUSTED * scale else [])]


def _books(run: Run, largest: float) -> str:
    e = run.energy
    if not (np.any(e.supplied) or np.any(e.dissipated)):
        return f"energy {e.total[0]:.6g} J at the start, greatest change {largest:.2e} J"
    return (
        f"energy {e.total[0]:.6g} J at the start, {e.total[-1]:.6g} J at the end; supplied {e.supplied[-1]:.6g} J, "
        f"dissipated {e.dissipated[-1]:.6g} J, open in the balance at most {largest:.2e} J"
    )


def _loops(run: Run) -> list[str]:
    if not run.system.n_constraints:
        return []
    words = "loops closed" if len(run.system.cuts) else "constraints kept"
    lines = [
        f"{words} to {run.violation.max(initial=0.0):.1e} (position), "
        f"{run.velocity_violation.max(initial=0.0):.1e} (velocity)"
    ]
    most, rows = run.statistics.get("greatest_rank", run.system.n_constraints), run.system.n_constraints
    if most < rows:
        lines.append(f"{rows - most} of {rows} rows redundant all along, on the constraint set only")
    return lines


def _shortened(lines: list[str], what: str) -> list[str]:
    more = len(lines) - SHOWN
    return [*lines[:SHOWN], *([f"and {more} more {what}"] if more > 0 else [])]
