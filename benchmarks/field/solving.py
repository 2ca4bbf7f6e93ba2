"""Our solution of a problem with its error estimated in two ways, and what accuracy costs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.field.problem import Problem

Array = NDArray[np.float64]
FINE = {"method": "dop853", "rtol": 1e-12, "atol": 1e-12}
OTHER = {"method": "dopri5", "rtol": 1e-11, "atol": 1e-11, "formulation": "index1"}  # mostly in absolute coordinates
WORK = {"dopri5": (1e-4, 1e-6, 1e-8, 1e-10), "dop853": (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)}
STEPS = (200, 800, 3200, 12800)  # of generalized-alpha, for stiff problems


@dataclass(frozen=True)
class Solved:
    """`rows`: watched points at the problem's times; `other` and `second`: greatest distances [m] from our second solution
    (other coordinates, method and formulation) and from that by other equations; `known`: differences from published ones."""

    problem: Problem
    rows: Array
    other: float
    second: float
    known: tuple[float, ...]
    energy: float  # balance error [J]

    @property
    def error(self) -> float:
        return max(self.other, self.second)


def distance(a: Array, b: Array) -> float:
    """Greatest distance of a point from itself in two solutions."""
    return float(np.linalg.norm((a - b).reshape(len(a), -1, 3), axis=2).max())


def solved(problem: Problem) -> Solved:
    run = problem.simulate(**FINE)
    rows = problem.watched(run)
    elsewhere = problem.make().compile(coordinates=problem.coordinates)
    other = distance(rows, problem.watched(problem.simulate(system=elsewhere, **OTHER)))
    energy = float(np.abs(run.energy.balance).max())
    known = tuple(float(np.abs(k.find(run) - k.values).max()) for k in problem.known)
    return Solved(problem, rows, other, distance(rows, problem.second(problem.times)), known, energy)


def work(problem: Problem, reference: Array) -> list[dict[str, Any]]:
    """Error [m], None where it failed, and processor seconds of one run, for methods and tolerances from coarse to fine."""
    system, found = problem.make().compile(), []
    settings: list[dict[str, Any]] = [{"method": m, "rtol": r, "atol": r} for m, all in WORK.items() for r in all]
    if problem.stiff:
        settings += [{"method": "generalized-alpha", "step": problem.t_end / n} for n in STEPS]
    for options in settings:
        begin = time.process_time()
        try:
            problem.simulate(system=system, **options)  # what is compiled is not timed
            begin = time.process_time()
            error: float | None = distance(problem.watched(problem.simulate(system=system, **options)), reference)
        except RuntimeError:  # an implicit step that is too long
            error = None
        found.append({**options, "error": error, "seconds": time.process_time() - begin})
    return found
