"""What a run cannot vouch for: its warnings, as data.

Warnings come from two places. Some are noted before and while a run is made (`noted`): a start that had to be moved, nothing
that can move. Others are judged from its results when they are asked for: energy that is missing, loops that are open.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from cotree.errors import CotreeError, RunWarning, UntrustedRunError
from cotree.integrate.checks.bending import limited_steps, overturned_beams
from cotree.integrate.checks.independence import doubtful
from cotree.integrate.checks.jumping import jumps_of
from cotree.integrate.checks.small_motions import unresolved
from cotree.integrate.checks.turned_laws import turned_unseen
from cotree.integrate.stepper.held import Held
from cotree.judge import SATISFIED, ZERO
from cotree.model.functions import functions_of

if TYPE_CHECKING:
    from cotree.integrate.events.crossings import Crossing
    from cotree.integrate.results.run import Run

KINDS = {
    "start": "the start was changed to close loops or to meet constraints",
    "freedom": "nothing can move",
    "energy": "energy changed by more than the forces account for",
    "constraints": "loops are open, or other constraints are violated",
    "accuracy": "the result may be less accurate than the tolerances ask for",
    "rank": "it is doubtful which constraint equations are independent",
    "loads": "redundant constraints leave the load of a link that may break undetermined",
    "contacts": "contacts with friction have several motions or none",
    "branch": "the motion may have changed to another branch at a singular configuration",
    "functions": "functions may have been sampled too coarsely, or were given an angle without its full turns",
    "events": "events may have been missed",
    "progress": "the run made no progress, or slow progress",
    "missing": "functions of the model are missing",
    "input": "the input looks like a mistake",
}
UNHELD = (
    "but without stabilization loops open slightly and the motion may change to another branch unnoticed; use "
    "stabilize='projection'"
)
TRUSTED = 1e-3  # part of the energies that moved which may be missing from the balance
FAR = 1e-2  # rad, or part of the mechanism's size: a position error that is worth a warning
ROUNDING = 100.0 * np.finfo(float).eps  # relative tolerances below this cannot be met
CHEAP = 2e6  # evaluations times coordinates, about half a second: so much is repeated without being asked


def warning(kind: str, text: str, t: float | None = None) -> RunWarning:
    """A warning of one of the kinds."""
    assert kind in KINDS, kind
    return RunWarning(kind, text, t)


def judged(run: Run) -> tuple[RunWarning, ...]:
    """Warnings that the results of a run show."""
    if not len(run.t):
        return ()
    try:
        shown = (*_jumps(run), *_energy(run), *_branches(run), *_constraints(run), *_rank(run), *_tolerances(run))
        return (*shown, *_turns(run), *_beams(run), *_small(run), *_positions(run))
    except CotreeError as error:
        return (warning("accuracy", f"do not trust this run: it could not be checked, {error}"),)


def _energy(run: Run) -> list[RunWarning]:
    e = run.energy
    moved = max(float(np.ptp(x)) for x in (e.kinetic, e.potential, e.supplied, e.dissipated, e.lost))
    still = float(np.abs(run.v).max(initial=0.0)) <= ZERO  # then the energies themselves are rounding errors
    part = 2.0 if still else TRUSTED
    if not float(np.abs(e.balance).max(initial=0.0)) > part * (moved + float(e.kinetic.max())):
        return []
    text = "do not trust this run: energy changed by more than its forces account for; use smaller tolerances or steps"
    return [warning("energy", text)]


def _jumps(run: Run) -> list[RunWarning]:
    """Prescribed motions that no force can follow."""
    cure = "which no finite force can do; give it time, as ct.Trapezoid, ct.Table or ct.Steps with a rise do"
    return [warning("input", f"{words}, {cure}") for words in jumps_of(run)]


def _branches(run: Run) -> list[RunWarning]:
    """Crossings behind which the motion may be another one; a start in a singular configuration only where it is at rest."""
    found = [c for c in run.crossings if c.branch == "changed" or (c.branch == "unknown" and c.kind == "passed")]
    if run.crossings and run.crossings[0].kind == "start" and not np.any(np.abs(run.v[0]) > ZERO):
        found.insert(0, run.crossings[0])
    if not found and run.settings.stabilize == "none":
        found = [c for c in run.crossings if c.kind == "passed"][:1]
        return [warning("branch", f"{c.words}, {UNHELD}", c.t) for c in found]
    return [warning("branch", _left(c), c.t) for c in found]


def _left(c: Crossing) -> str:
    if c.kind == "start":
        return f"{c.words}; from rest it can move on several branches, and rounding chose one"
    return c.words if c.branch == "changed" else f"{c.words}, which may have been chosen by rounding"


def _constraints(run: Run) -> list[RunWarning]:
    if not run.system.n_constraints:
        return []
    position, fastest = float(run.violation.max()), float(np.abs(run.v).max(initial=1.0))
    velocity = float(run.velocity_violation.max()) / fastest
    if position <= SATISFIED and velocity <= SATISFIED:
        return []
    text = (
        f"loops or constraints are violated by {position:.1e} (position) and, relative to the largest velocity, "
        f"{velocity:.1e} (velocity); "
    )
    return [warning("constraints", text + "use stabilize='projection' or smaller steps")]


def _rank(run: Run) -> list[RunWarning]:
    n = doubtful(run)
    if not n:
        return []
    held = f"{n} constraint{'s' * (n != 1)} of {run.system.name or 'the mechanism'}"
    text = (
        f"{held} would be redundant with exact dimensions and axes; rounding of their last digits makes them "
        f"restrict the motion; "
    )
    return [warning("rank", text + "check ct.mobility, and give more digits")]


def _tolerances(run: Run) -> list[RunWarning]:
    if run.settings.step is not None or run.settings.rtol >= ROUNDING:
        return []
    text = f"rtol = {run.settings.rtol:g} is smaller than rounding errors allow ({ROUNDING:.0e})"
    return [warning("accuracy", text)]


def _turns(run: Run) -> list[RunWarning]:
    return [warning("functions", text) for text in turned_unseen(run)]


def _beams(run: Run) -> list[RunWarning]:
    waves = [warning("progress", text) for text in limited_steps(run)]
    return [*waves, *(warning("accuracy", f"do not trust this run: {text}") for text in overturned_beams(run))]


def _positions(run: Run) -> list[RunWarning]:
    if why_not_repeated(run) or not run.accuracy.relative > FAR:
        return []
    text = f"do not trust the positions of this run: {run.accuracy}; use smaller tolerances or steps, or a shorter time"
    return [warning("accuracy", text)]


def _small(run: Run) -> list[RunWarning]:
    names, size = unresolved(run)
    if not names:
        return []
    shown = ", ".join(map(repr, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    text = (
        f"{shown} moved by {size:.1g} (m, rad, m/s or rad/s) at most, which atol={run.settings.atol} does not "
        f"resolve; use atol={10.0 ** np.floor(np.log10(size) - 7.0):.0e} or smaller, for all or by name"
    )
    return [warning("accuracy", text)]


def why_not_repeated(run: Run) -> str:
    """Why the accuracy of a run is not looked at without being asked; empty where it is."""
    if any(w.kind == "missing" for w in run.noted):
        return "functions of the model are missing"
    functions = [use.function for use in functions_of(run.system.mechanism)]
    if functions:
        stepped = all(isinstance(function, Held) for function in functions)
        return "inputs were set between its steps" if stepped else "the model has Python functions"
    if run.statistics.get("evaluations", np.inf) * run.system.nv > CHEAP:
        return "the run was long"
    return ""


def trusted(run: Run) -> Run:
    """The run; any warning and a failed run are errors."""
    reasons = [str(w) for w in run.warnings] + ([run.message] if run.status == "failed" else [])
    if reasons:
        raise UntrustedRunError("; ".join(reasons), run)
    return run


def announce(run: Run, level: int = 3) -> Run:
    """Say what was noted, as Python warnings."""
    for noted in run.noted:
        warnings.warn(noted, stacklevel=level)
    return run
