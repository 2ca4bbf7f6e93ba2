"""What a stabilization is: the contract, and the stabilizations by name."""

from __future__ import annotations

from dataclasses import dataclass

from cotree.engine.entry import Entry
from cotree.formulations import acceleration
from cotree.integrate.stabilization import projection


@dataclass(frozen=True)
class Stabilization:
    """projects: steps end with a projection onto the constraints, whose corrections the entry `correct` chooses from J x = eta;
    pulls: accelerations have Baumgarte's terms; partitions: `correct` needs matrices and a choice of coordinates."""

    projects: bool = False
    pulls: bool = False
    partitions: bool = False
    correct: Entry = acceleration.by_auto  # the shortest correction


STABILIZATIONS = {
    "none": Stabilization(),
    "baumgarte": Stabilization(pulls=True),
    "partition": Stabilization(projects=True, partitions=True, correct=projection.by_partition),
    "projection": Stabilization(projects=True),
}
