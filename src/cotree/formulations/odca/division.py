"""The division of a system in this thread, by as many of Numba's threads as was decided."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cotree.engine.arena import place_of
from cotree.engine.records import address_of, copied, put_array
from cotree.engine.threads import may_run_together
from cotree.errors import ConstraintError, InertiaError
from cotree.formulations.odca.build import Division, divide
from cotree.formulations.odca.cost import total_work, work
from cotree.formulations.odca.nodes import put_slots
from cotree.formulations.odca.solve import MOVE, put_rows_alone, put_rows_of, solve_alone
from cotree.system.system import System

Integers = NDArray[np.int64]


def division(system: System) -> Division:
    """The system's own in this Python thread, made at the first call, for as many of Numba's threads as was decided."""
    found: Division = system.cached("division", lambda: divide(system))
    wanted = system.decisions.get("threads", found.threads)
    if wanted > 1 and not may_run_together():
        wanted = 1
    if found.threads != wanted:
        system.cache["division"] = found = with_threads(found, wanted)
    return found


def divisible(system: System) -> bool:
    """Whether every body has inertia where it can move, in the reference assembly, and every row touches bodies that are
    known."""
    try:
        d = division(system)
    except (ConstraintError, InertiaError):
        return False
    return bool(put_rows_of(system.here, d.here, system.q0.copy(), np.zeros(system.nv), MOVE) == 0)


def use_threads(system: System, threads: int) -> Division:
    """Let a number of threads work on the system's division from now on; also when it was left to measurement before."""
    system.decisions["threads"] = threads
    return division(system)


def work_of(d: Division) -> NDArray[np.float64]:
    """Time of each node, up and down, in multiplications."""
    return work(d.plan, d.parts, d.groups)


def total_work_of(d: Division) -> float:
    """Time of a solution, with that of its border."""
    return total_work(d.plan, d.parts, d.groups)


def with_threads(d: Division, threads: int) -> Division:
    """The same division for a number of threads, or for one if no others are available."""
    made, kept = copied(d.record), d.kept
    made.here = address_of(made)
    if threads == 1 or not may_run_together():
        threads = 1
        put_array(made.arrays.nodes, d.nodes)
        made.entries.put_rows, made.entries.solve, made.team = put_rows_alone.address, solve_alone.address, 0
    else:
        from cotree.formulations.odca.threads import put_rows_together, solve_together, team

        its, arrays, given, top = team(d.plan, work_of(d), d.room, threads)
        nodes = d.nodes.copy()
        room = np.zeros(put_slots_of_threads(nodes, d.plan.first, given, top, 0))
        put_slots_of_threads(nodes, d.plan.first, given, top, place_of(room, d.arena))
        put_array(made.arrays.nodes, nodes)
        made.entries.put_rows, made.entries.solve = put_rows_together.address, solve_together.address
        made.team = address_of(its)
        kept = [*d.kept, its, *arrays, nodes, room]
    return replace(d, record=made, kept=kept, threads=threads)


def put_slots_of_threads(
    nodes: NDArray[np.void], first: Integers, given: list[Integers], top: Integers, at: int
) -> int:
    """Places of Z, z, F of each thread's own; the roots of its subtrees and what is above keep theirs for themselves."""
    for roots in given:
        at = put_slots(nodes, first, roots, at)
    own = np.concatenate([*given, top])
    kept = nodes["kept"][own]
    end = at + np.cumsum(kept * (kept + 2))
    plain = ~((nodes["part"][own] >= 0) & (nodes["rows"][own] == 0) & (kept > 0))  # others have a leaf's own
    own, kept, start = own[plain], kept[plain], (end - kept * (kept + 2))[plain]
    nodes["Z_at"][own], nodes["z_at"][own], nodes["F_at"][own] = start, start + kept**2, start + kept**2 + kept
    return int(end[-1])
