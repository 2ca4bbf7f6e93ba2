"""What a benchmark problem is: a mechanism, its start, what is watched, and who solved it before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

import cotree as ct

Array = NDArray[np.float64]
Watched = tuple[str, tuple[float, float, float]]  # body, point of it in the reference assembly
Solution = Callable[[Array], Array]  # times (k,) -> world coordinates of the watched points, (k, 3 p)


@dataclass(frozen=True)
class Known:
    """A solution from elsewhere: `find(run)` takes from ours what `values` states for the time `t`; differences below
    `within` are what its source promises."""

    source: str
    t: float
    values: tuple[float, ...]
    find: Callable[[ct.Run], Array]
    within: float


@dataclass(frozen=True)
class Problem:
    """`second`: another solution of the watched points, by equations of its own (`why_second` says which)."""

    key: str
    title: str
    sources: tuple[str, ...]
    tests: str  # what the problem is for
    make: Callable[[], ct.Mechanism]
    t_end: float
    points: tuple[Watched, ...]
    second: Solution
    why_second: str
    v: Mapping[str, float] | None = None
    known: tuple[Known, ...] = ()
    choices: str = ""  # what the source leaves open and we chose
    stiff: bool = False
    coordinates: str = "absolute"  # of our second solution
    rows: int = 101

    @cached_property
    def times(self) -> Array:
        return np.linspace(0.0, self.t_end, self.rows)

    def simulate(self, **options: Any) -> ct.Run:
        system = options.pop("system", None) or self.make()
        times = np.union1d(self.times, [k.t for k in self.known])
        run = ct.simulate(system, self.t_end, v=self.v, output=times, **options)
        if run.status != "done":
            raise RuntimeError(f"{self.key}: {run.message}")
        return run

    def watched(self, run: ct.Run) -> Array:
        """(k, 3 p): world coordinates of the watched points at `times`."""
        rows = np.searchsorted(run.t, self.times)
        return np.hstack([run.point(body, point).position[rows] for body, point in self.points])

    @property
    def columns(self) -> list[str]:
        return [f"{body} {k + 1} {axis} [m]" for k, (body, _) in enumerate(self.points) for axis in "xyz"]
