"""How accurate a run is: the same motion again with coarser steps, and how far the bodies end up from where they were.

The energy balance and closed loops say nothing of a motion that is sensitive: it may keep both and be elsewhere. The distance
of two runs that differ in nothing but their steps shows it, at about half of the run's own cost. Where something else ends
the steps, such as the instants of a sampled law, coarser ones would be the same: there the second run has half the step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cotree.errors import CotreeError
from cotree.integrate.interruption import Interruptible
from cotree.integrate.methods.contract import METHODS
from cotree.integrate.settings import Settings
from cotree.integrate.simulate import go
from cotree.integrate.stepper.repeating import inputs_of, stepped_again
from cotree.integrate.tolerances import times
from cotree.kinematics.poses import poses
from cotree.system.system import System

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

Array = NDArray[np.float64]

COARSER = 10.0  # times the tolerances
ROWS = 200  # at which the two runs are compared, at most
PACE = 0.8  # of the steps: with ten times the tolerance, or twice the step, fewer are taken
FINER = "estimated by a second run with half the step"
SMALL = 0.05  # rad, or of the mechanism's size: below it errors add up, and the ratio of the two runs' errors is known


@dataclass(frozen=True)
class Accuracy:
    """Estimated error of a run, the largest over time: of mass centres [m] and of the bodies' orientations [rad].

    size [m]: how far apart the mass centres are or have moved, to compare with; how: in words, what the run was compared
    with. Both errors are infinite where the second run did not come to the end.
    """

    position: float
    angle: float
    size: float
    how: str

    @property
    def relative(self) -> float:
        """The larger of the angle and the position in parts of the size."""
        return max(self.angle, self.position / self.size if self.size > 0.0 else 0.0)

    def __str__(self) -> str:
        return f"position error about {self.position:.1e} m, {self.angle:.1e} rad ({self.how})"


def accuracy(run: Run) -> Accuracy:
    """Error of a run, from the difference to a second one with coarser steps or tolerances."""
    settings, how = coarser(run)
    rows = rows_compared(run)
    if len(rows) < 2:
        return Accuracy(0.0, 0.0, _size(_places(run.system, run.q[rows])[0]), "there is only one output row")
    try:
        with Interruptible():
            if settings.step is not None and inputs_of(run.system):
                how = FINER
                return difference(run, stepped_again(run), rows, 2 * rows, how, finer=True)
            other = _again(run, settings, rows)
            if same_pace(run, other):
                how = FINER
                return difference(run, _again(run, _finer(run), rows), rows, np.arange(len(rows)), how, finer=True)
    except CotreeError as error:
        return Accuracy(np.inf, np.inf, _size(_places(run.system, run.q[rows])[0]), f"{how} failed: {error}")
    return difference(run, other, rows, np.arange(len(rows)), how)


def _again(run: Run, settings: Settings, rows: NDArray[np.int64]) -> Run:
    """The same motion with other settings."""
    t = run.t[rows]
    other = go(run.system, settings, float(t[0]), run.q[0].copy(), run.v[0].copy(), t, float(t[-1]))
    if other.status == "interrupted":
        stop = KeyboardInterrupt()
        raise stop
    return other


def same_pace(run: Run, other: Run) -> bool:
    """Whether a run that was to have coarser steps took about the same ones, since something else ends them: the instants of
    a sampled law, a limit on steps, the first steps of a short run, stability."""
    return other.statistics.get("steps", 0) > PACE * run.statistics.get("steps", 0) > 0


def _finer(run: Run) -> Settings:
    """The settings of a run with half the step: the fixed one, or a limit of half the mean."""
    settings = _resolved(run)
    if settings.step is not None:
        return replace(settings, step=0.5 * settings.step)
    return replace(settings, max_step=0.5 * float(run.t[-1] - run.t[0]) / run.statistics["steps"])


def rows_compared(run: Run) -> NDArray[np.int64]:
    """Rows of a run at which it is compared with a second one."""
    return np.unique(np.linspace(0, len(run.t) - 1, min(len(run.t), ROWS + 1)).round().astype(int))


def difference(
    run: Run, other: Run, rows: NDArray[np.int64], theirs: NDArray[np.int64], how: str, finer: bool = False
) -> Accuracy:
    """Error of a run from a second one with coarser steps (or finer ones), at some of its rows, which are so and so many of
    the other's; how: what the second run is, in words."""
    first = _places(run.system, run.q[rows], run.of_lanes)
    size = _size(first[0])
    if len(other.t) <= theirs[-1]:
        return Accuracy(np.inf, np.inf, size, f"{how} only reached {other.t[-1]:g} s: {other.message}")
    second = _places(run.system, other.q[theirs], run.of_lanes)
    moved = float(np.linalg.norm(first[0] - second[0], axis=2).max(initial=0.0))
    turned = float(_angles(first[1], second[1]).max(initial=0.0))
    part = _part(_resolved(run), finer) if max(turned, moved / (size or 1.0)) < SMALL else 1.0
    return Accuracy(part * moved, part * turned, size, how)


def _size(centres: Array) -> float:
    """How far apart mass centres (k, n, 3) are or have moved."""
    return float(np.ptp(centres.reshape(-1, 3), axis=0).max(initial=0.0))


def _resolved(run: Run) -> Settings:
    """The settings of a run without "auto"; those of a run that was made have none."""
    words = (run.settings.method, run.settings.stabilize)
    return run.settings.resolved(run.system) if "auto" in words else run.settings


def coarser(run: Run) -> tuple[Settings, str]:
    """The settings of a run with larger steps, and what they are in words."""
    settings = _resolved(run)
    if settings.step is not None:
        return replace(settings, step=2.0 * settings.step), "estimated by a second run with twice the step"
    atol = times(COARSER, settings.atol, run.system)
    wider = COARSER ** (1.0 / METHODS[settings.method].order)
    larger = replace(settings, rtol=COARSER * settings.rtol, atol=atol, turns=wider * settings.turns)
    return larger, f"estimated by a second run with {COARSER:g} times the tolerances"


def _part(settings: Settings, finer: bool) -> float:
    """Error of the run in parts of the difference: e and r e are the errors of the two, (r - 1) e the difference; e and e / r
    where the second has half the step."""
    order = METHODS[settings.method].order
    if finer:
        return 1.0 / (1.0 - 0.5**order)
    ratio = 2.0**order if settings.step is not None else COARSER ** (order / (order + 1.0))
    return 1.0 / (ratio - 1.0)


def _places(system: System, q: Array, on_lanes: bool = False) -> tuple[Array, Array]:
    """Mass centres (k, n, 3) and orientations (k, n, 3, 3) of the bodies."""
    C = poses(system, q)[:, 1:] if on_lanes else np.array([poses(system, x)[1:] for x in q])
    bodies = system.mechanism.bodies
    local = np.array([bodies[name].properties.com for name in system.body_names]).reshape(-1, 3)
    return np.einsum("knij,nj->kni", C[..., :3, :3], local) + C[..., :3, 3], C[..., :3, :3]


def _angles(A: Array, B: Array) -> Array:
    """Angles between rotations, from the chord: 2 asin(|A - B| / (2 sqrt 2))."""
    chord = np.linalg.norm(A - B, axis=(-2, -1)) / np.sqrt(8.0)
    return np.asarray(2.0 * np.arcsin(np.minimum(chord, 1.0)))
