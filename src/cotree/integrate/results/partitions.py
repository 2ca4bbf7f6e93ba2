"""Which coordinates a run took for dependent when it corrected states [Geo 5.3.2]."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from cotree.formulations.chart import dependent_coordinates

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run


class Partition(NamedTuple):
    """From time t on: names of the dependent coordinates in corrections of positions and of velocities."""

    t: float
    position: tuple[str, ...]
    velocity: tuple[str, ...]


def partitions_of(run: Run) -> tuple[Partition, ...]:
    """The partitions at the rows of a run with stabilize="partition", one for each change; empty for other runs."""
    if run.settings.stabilize != "partition":
        return ()
    chosen, found = run.settings.partition or {}, list[Partition]()
    for system, t, q in zip(run.systems, run.t, run.q, strict=True):
        names = [chosen.get(level) or dependent_coordinates(system, q, t, level) for level in ("position", "velocity")]
        if not found or [*found[-1][1:]] != names:
            found.append(Partition(float(t), *names))
    return tuple(found)
