"""What formulation "auto" stands for: divide and conquer for large systems, matrices for the others."""

from __future__ import annotations

from cotree.formulations.odca.build import divisible
from cotree.system.sizes import DIVIDED_CALL, DIVIDED_RUN
from cotree.system.system import System


def divides_run(system: System) -> bool:
    """Whether a run divides the system without being asked."""
    return system.nv > DIVIDED_RUN and system.n_constraints > 0 and divisible(system)


def divides_call(system: System) -> bool:
    """Whether a single call does."""
    return system.nv > DIVIDED_CALL and system.n_constraints > 0 and divisible(system)
