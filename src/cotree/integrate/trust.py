"""What a run cannot vouch for: its warnings, as data.

Warnings come from two places. Some are noted before and while a run is made (`noted`): a start that had to be moved, nothing
that can move. Others are judged from its results when they are asked for: energy that is missing, loops that are open.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from cotree.errors import RunWarning, UntrustedRunError

if TYPE_CHECKING:
    from cotree.integrate.run import Run

KINDS = {
    "start": "the start was changed to close loops or to meet constraints",
    "freedom": "nothing can move",
    "energy": "more energy came or went than the forces account for",
    "constraints": "loops are open, or other constraints are violated",
    "accuracy": "the result may be less accurate than the tolerances ask for",
    "rank": "it is doubtful which constraint equations are independent",
    "branch": "the motion may have changed to another branch at a singular configuration",
    "functions": "functions of time were looked at only so often",
    "events": "events may have been missed",
    "progress": "the run made no progress",
    "missing": "functions of the model are not there",
    "input": "something in the input looks like a mistake",
}
TRUSTED = 1e-3  # part of the energies that moved which may be missing from the balance


def warning(kind: str, text: str, t: float | None = None) -> RunWarning:
    """A warning of one of the kinds."""
    assert kind in KINDS, kind
    return RunWarning(kind, text, t)


def judged(run: Run) -> tuple[RunWarning, ...]:
    """Warnings that the results of a run show."""
    return tuple(_energy(run)) if len(run.t) else ()


def _energy(run: Run) -> list[RunWarning]:
    e = run.energy
    moved = max(float(np.ptp(x)) for x in (e.kinetic, e.potential, e.supplied, e.dissipated, e.lost))
    if not float(np.abs(e.balance).max(initial=0.0)) > TRUSTED * (moved + float(e.kinetic.max())):
        return []
    text = (
        "do not trust this run: more energy came or went than its forces account for; take smaller tolerances or steps"
    )
    return [warning("energy", text)]


def announce(run: Run, strict: bool) -> Run:
    """Say what was noted, as Python warnings; with `strict`, any warning and a failed run are errors."""
    if strict and (run.warnings or run.status == "failed"):
        reasons = [str(w) for w in run.warnings] + ([run.message] if run.status == "failed" else [])
        raise UntrustedRunError("; ".join(reasons), run)
    for noted in run.noted:
        warnings.warn(noted, stacklevel=3)
    return run
