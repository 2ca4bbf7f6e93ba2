"""What formulation "auto" stands for: divide and conquer for large systems, matrices for the others."""

from __future__ import annotations

from cotree.formulations.odca.division import divisible, division, total_work_of
from cotree.system.sizes import DIVIDED_CALL, DIVIDED_LARGE, DIVIDED_RUN
from cotree.system.system import System

LAPACK = 8.0  # multiplications with matrices in the time of one in a node
CALLS = 1e4  # multiplications in the time that Python takes to hand matrices around


def divides_run(system: System) -> bool:
    """Whether a run divides the system without being asked."""
    return system.nv > DIVIDED_RUN and divides(system)


def divides_call(system: System) -> bool:
    """Whether a single call of `forward_dynamics` does."""
    return system.nv > DIVIDED_CALL and divides(system, CALLS)


def divides_large(system: System) -> bool:
    """Whether what needs more than one solution, as jumps of velocities and closed loops, is found by division."""
    return system.nv > DIVIDED_LARGE and divides(system)


def divides(system: System, more: float = 0.0) -> bool:
    """Whether a system can be divided and gains by it, found once; more: multiplications that matrices cost besides."""
    made = f"divides {more:g}"
    return bool(system.cached(made, lambda: system.n_constraints > 0 and divisible(system) and pays(system, more)))


def pays(system: System, more: float = 0.0) -> bool:
    """Whether the plan of a system and its border cost less than matrices: not where very many rows hold very many bodies."""
    n, m = system.nv, system.n_constraints
    dense = (n**3 / 3 + m * n**2 + m**2 * n) / LAPACK + more
    return total_work_of(division(system)) < dense
