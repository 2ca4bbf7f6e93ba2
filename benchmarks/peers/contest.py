"""Equal accuracy: the coarsest setting of each program that keeps all watched points within the target, then timed in turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import cotree as ct
from benchmarks.peers.cases import Case, States

TARGET = 1e-4  # metres, largest distance from the reference over ten seconds
BUDGET = 30.0  # seconds for one trial
REPEATED = 5.0  # trials that take longer are not repeated


@dataclass
class Trial:
    """One program with one setting; `run` gives seconds and states, None when the program gave up."""

    tool: str
    setting: str
    run: Callable[[], tuple[float, States | None]]
    error: float = np.inf
    gap: float = np.nan
    energy: float = np.nan
    seconds: float = np.inf


@dataclass(frozen=True)
class Contestant:
    """A program: its default settings (None without any), and its variants at a fineness (steps, or 1 / tolerance)."""

    tool: str
    default: Trial | None
    at: Callable[[float], list[Trial]]
    coarsest: float
    finest: float
    order: float  # error ~ fineness^-order, to find the next fineness


class Judge:
    """Errors of trials against the reference of a case."""

    def __init__(self, case: Case, mech: ct.Mechanism, reference: States) -> None:
        self.case, self.mech = case, mech
        self.points = reference.watched(mech, case.marks)

    def measure(self, trial: Trial) -> Trial:
        with np.errstate(all="ignore"):
            seconds, states = trial.run()
            trial.seconds = min(trial.seconds, seconds)
            if states is None or not np.isfinite(states.c).all() or len(states.c) < len(self.points):
                return trial
            distance = np.linalg.norm(states.watched(self.mech, self.case.marks) - self.points, axis=2)
            energy = states.energy(self.mech)
            trial.error, trial.gap = float(distance.max()), states.gap(self.mech)
            trial.energy = float(np.abs(energy - energy[0]).max())
        return trial

    def search(self, one: Contestant) -> Trial:
        """Finer until the target is met, aiming a little beyond it by the order, then back where that was too fine; the most
        accurate trial when the target is not met."""
        fineness, failed, best = one.coarsest, 0.0, Trial(one.tool, "", lambda: (np.inf, None))
        while fineness <= one.finest:
            now = self._at(one, fineness)
            if now.error <= TARGET:
                return self._coarser(one, now, failed, fineness)
            best = now if now.error < best.error or not best.setting else best
            wanted = (now.error / (0.7 * TARGET)) ** (1.0 / one.order) if np.isfinite(now.error) else 2.0
            factor = min(4.0, max(1.2, wanted), BUDGET / now.seconds)
            if factor < 1.2:
                break
            failed, fineness = fineness, fineness * factor
        return best

    def _at(self, one: Contestant, fineness: float) -> Trial:
        """Best variant: the fastest that meets the target, else the most accurate."""
        trials = [self.measure(trial) for trial in one.at(fineness)]
        good = [t for t in trials if t.error <= TARGET]
        return min(good, key=lambda t: t.seconds) if good else min(trials, key=lambda t: t.error)

    def _coarser(self, one: Contestant, good: Trial, failed: float, fineness: float) -> Trial:
        """Up to three bisections between a fineness that failed and one that is better than needed."""
        for _ in range(3):
            if failed == 0.0 or good.error > 0.6 * TARGET or good.seconds > REPEATED or fineness < 1.1 * failed:
                break
            middle = np.sqrt(failed * fineness)
            now = self._at(one, middle)
            if now.error <= TARGET:
                good, fineness = now, middle
            else:
                failed = middle
        return good

    def retime(self, trials: list[Trial], rounds: int = 6) -> None:
        """Best seconds, taken in turns so that all meet the same noise: trials of half a second or more twice again, others
        `rounds` times, those above five seconds not at all."""
        for k in range(rounds):
            for trial in trials:
                if trial.seconds < (REPEATED if k < 2 else 0.1 * REPEATED):
                    trial.seconds = min(trial.seconds, trial.run()[0])
