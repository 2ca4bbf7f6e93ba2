"""Time of divide and conquer on p processors, from the plan and the measured cost of its nodes.

An evaluation is a sweep over the tree, forces and results (these run alone, though only the sweep has to), rows of bodies and
joints (independent: shared), assembly up the plan and disassembly down it. Nodes of equal sizes cost the same: each class is
timed alone, again and again on its own nodes. The way down is the way up reversed, so it is scheduled alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.divided import Divided
from benchmarks.timing import settled
from cotree.engine.arena import base_in, place_of
from cotree.engine.records import address_of, copied, put_array
from cotree.formulations.odca.build import Division
from cotree.formulations.odca.division import put_slots_of_threads
from cotree.formulations.odca.merge import accelerate_part, assemble_node, disassemble_node
from cotree.formulations.odca.solve import FORCES, accelerate, put_rows_of
from cotree.formulations.odca.tables import division_at, open_nodes, open_parts
from cotree.kinematics.sweep import move_all
from cotree.system.views import open_tables
from cotree.topology.schedule import work_and_span

Array = NDArray[np.float64]
CLASS = ("part", "n_left", "n_right", "rows", "kept", "entries", "blocks")  # what a node's cost depends on
NODES = 5000  # visited in one timed call


@njit
def _assemble(count, division, chosen, ratios):
    d = division_at(division)
    _, parts, groups, _ = open_parts(d)
    nodes, entries, blocks = open_nodes(d)
    base, scratch, order = base_in(d.arrays.arena), base_in(d.arrays.scratch), base_in(d.arrays.order)
    for _ in range(count):
        for i in chosen:
            assemble_node(nodes[i], nodes, entries, blocks, parts, groups, base, scratch, order, ratios)


@njit
def _disassemble(count, division, chosen):
    d = division_at(division)
    _, parts, groups, _ = open_parts(d)
    nodes, entries, blocks = open_nodes(d)
    base, scratch, order = base_in(d.arrays.arena), base_in(d.arrays.scratch), base_in(d.arrays.order)
    for _ in range(count):
        for i in chosen:
            disassemble_node(nodes[i], nodes, entries, blocks, parts, groups, base, scratch, order)
            if nodes[i].part >= 0:
                accelerate_part(parts[nodes[i].part], base)


@njit
def _sweep(count, here, q, v):
    tables = open_tables(here)
    for _ in range(count):
        move_all(tables, q, v)


@njit
def _rows(count, here, division, q, v):
    for _ in range(count):
        put_rows_of(here, division, q, v, FORCES)


@dataclass(frozen=True)
class NodeClass:
    """Nodes of equal sizes: how many, and seconds of one assembly and of one disassembly."""

    leaf: bool
    columns: int
    rows: int
    kept: int
    nodes: int
    up: float
    down: float


@dataclass(frozen=True, eq=False)
class Costs:
    """Seconds: sweep over the tree, rows of all bodies and joints, each node's way up and down, all together."""

    sweep: float
    rows: float
    up: Array
    down: Array
    total: float
    classes: list[NodeClass]

    @property
    def alone(self) -> float:
        """What the threads do not share: sweep, forces, results."""
        return max(self.sweep, self.total - self.rows - float(self.up.sum() + self.down.sum()))


def _with_places_of_their_own(d: Division) -> tuple[int, tuple[Any, ...]]:
    """Record of a division whose nodes share no places, by address, so that each can be timed alone; and what is to be kept."""
    nodes, made, every = d.nodes.copy(), copied(d.record), np.arange(len(d.nodes))
    room = np.zeros(put_slots_of_threads(nodes, d.plan.first, [], every, 0))
    put_slots_of_threads(nodes, d.plan.first, [], every, place_of(room, d.arena))
    put_array(made.arrays.nodes, nodes)
    made.here = address_of(made)
    return int(made.here), (made, nodes, room)


def measured_costs(case: Divided) -> Costs:
    """Costs of a system's evaluation on one thread."""
    d = case.division
    here, division, _, _, _, q, v, *_ = case.arguments
    n = case.count
    calls = [case.evaluate, lambda: _sweep(n, here, q, v), lambda: _rows(n, here, division, q, v)]
    total, sweep, rows = settled(calls, 3 * [n])
    rows -= sweep  # which is part of it
    own, _kept = _with_places_of_their_own(d)
    accelerate(here, own, *case.arguments[2:])  # so that all nodes hold numbers of this state
    sizes = np.stack([np.minimum(d.nodes[name], 0) if name == "part" else d.nodes[name] for name in CLASS], axis=1)
    kinds, of = np.unique(sizes, axis=0, return_inverse=True)
    up, down, classes, ratios = np.zeros(len(of)), np.zeros(len(of)), list[NodeClass](), np.empty(2)
    for k, kind in enumerate(kinds):
        chosen = np.flatnonzero(of.ravel() == k)
        count = max(1, NODES // len(chosen))
        calls = [
            lambda n=count, c=chosen: _assemble(n, own, c, ratios),  # type: ignore[misc]
            lambda n=count, c=chosen: _disassemble(n, own, c),  # type: ignore[misc]
        ]
        up[chosen], down[chosen] = settled(calls, 2 * [count * len(chosen)], 0.2)
        _, n_left, n_right, m, kept, _, _ = (int(x) for x in kind)
        one = NodeClass(kind[0] == 0, n_left + n_right, m, kept, len(chosen), up[chosen[0]], down[chosen[0]])
        classes.append(one)
    return Costs(sweep, rows, up, down, total, classes)


def predicted(case: Divided, costs: Costs, processors: int, shared: bool = False) -> float:
    """Seconds on so many processors; shared: if they shared all but the sweep over the tree."""
    plan = case.division.plan
    nodes = work_and_span(plan, costs.up, processors) + work_and_span(plan, costs.down, processors)
    alone = costs.sweep if shared else costs.alone
    return alone + (costs.alone - alone + costs.rows) / processors + nodes


def show_classes(costs: Costs) -> None:
    """Where the time of one evaluation goes."""
    print(f"{'':>8}{'columns':>8}{'rows':>6}{'kept':>6}{'nodes':>9}{'up ns':>8}{'down ns':>8}{'share':>8}")
    shown = sorted(costs.classes, key=lambda c: -c.nodes * (c.up + c.down))
    for c in shown[:6]:
        share = c.nodes * (c.up + c.down) / costs.total
        print(
            f"{'leaf' if c.leaf else 'merge':>8}{c.columns:8d}{c.rows:6d}{c.kept:6d}{c.nodes:9d}{c.up * 1e9:8.0f}"
            f"{c.down * 1e9:8.0f}{share:8.1%}"
        )
    rest = sum(c.nodes * (c.up + c.down) for c in shown[6:]) / costs.total
    print(
        f"  {len(shown[6:])} other classes of nodes {rest:.1%}, rows of bodies and joints {costs.rows / costs.total:.1%}, ",
        end="",
    )
    print(f"sweep {costs.sweep / costs.total:.1%}, forces and results {(costs.alone - costs.sweep) / costs.total:.1%}")


def show_speed_up(case: Divided, costs: Costs, processors: Iterable[int], measured: dict[int, float]) -> None:
    """Predicted seconds and speed-up, next to what was measured with so many threads: {threads: seconds}."""
    many = 2 * len(costs.up)
    span = work_and_span(case.division.plan, costs.up, many) + work_and_span(case.division.plan, costs.down, many)
    print(
        f"  work {costs.total * 1e3:.2f} ms, depth {case.division.plan.depth}, longest way up and down {span * 1e6:.1f} us"
    )
    print(
        f"{'processors':>12}{'predicted ms':>14}{'speed-up':>10}{'all shared':>12}{'measured ms':>13}{'speed-up':>10}"
    )
    one = predicted(case, costs, 1)
    for p in processors:
        time = predicted(case, costs, p)
        line = f"{p:12d}{time * 1e3:14.3f}{one / time:10.2f}{one / predicted(case, costs, p, True):12.2f}"
        print(line + (f"{measured[p] * 1e3:13.3f}{measured[1] / measured[p]:10.2f}" if p in measured else ""))
