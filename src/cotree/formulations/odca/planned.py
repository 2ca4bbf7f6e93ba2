"""The plan by which the parts of a system are put together, with as many copies of hubs as a short way needs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.formulations.odca.cost import total_work
from cotree.formulations.odca.hubs import EACH, Copies, split
from cotree.formulations.odca.parts import groups_of, parts_of, put_algebras, row_groups
from cotree.system.system import System
from cotree.topology.plan import Plan, assembly_plan

Integers = NDArray[np.int64]
WIDE = (64, 24, 8)  # parts of a row above which it may be left to the border; above the first it always is
DEEP = 4.0  # steps that a plan may have beside twice the logarithm of the number of its parts


class Planned(NamedTuple):
    """Parts, groups of rows and what they touch, and the plan in which they are put together."""

    parts: NDArray[np.void]
    part_of: Integers
    part_of_dof: Integers
    algebras: NDArray[np.void]
    groups: NDArray[np.void]
    touches: NDArray[np.void]
    plan: Plan


def planned(system: System) -> Planned:
    """The plan that costs least, with rows over many parts left to the border or imposed in it."""
    found = [_with_border(system, border) for border in _borders(system)]
    return min(found, key=lambda x: total_work(x.plan, x.parts, x.groups))


def _borders(system: System) -> list[frozenset[int]]:
    """First rows of the groups that may be left to the border: those over more than so many parts, for each of `WIDE`."""
    parts, part_of, part_of_dof = parts_of(system)
    width = {x[3]: len(set(x[4]) - {-1}) for x in row_groups(system, parts, part_of, part_of_dof)}
    return list(dict.fromkeys(frozenset(r for r, n in width.items() if n > most) for most in WIDE))


def _with_border(system: System, border: frozenset[int]) -> Planned:
    """The plan for as few copies of hubs as a depth in the logarithm of their number allows, else the least deep one."""
    found: list[Planned] = []
    for each in EACH:
        made, copies = _with_copies(system, each, border)
        found.append(made)
        if copies is None or made.plan.depth <= 2.0 * np.log2(len(made.parts)) + DEEP:
            return made
    return min(found, key=lambda x: x.plan.depth)


def _with_copies(system: System, each: int, border: frozenset[int]) -> tuple[Planned, Copies | None]:
    """Parts, groups and plan of a system whose hubs are copies with so many neighbours each."""
    parts, part_of, part_of_dof = parts_of(system)
    touching = [x[4] for x in row_groups(system, parts, part_of, part_of_dof) if x[3] not in border]
    parts, copies = split(parts, touching, each)
    if copies is not None:
        part_of = np.where(part_of >= 0, copies.start[part_of], -1)
        part_of_dof = copies.start[part_of_dof]
    algebras = put_algebras(system, parts)
    groups, touches, start = groups_of(system, parts, part_of, part_of_dof, copies, border)
    edges = start[: int(((groups["touches"] > 0) & ~groups["sorted"]).sum()) + 1]
    inner = np.ascontiguousarray(touches["part"][: edges[-1]])
    plan = assembly_plan(len(parts), edges, inner, parts["size"].copy())
    return Planned(parts, part_of, part_of_dof, algebras, groups, touches, plan), copies
