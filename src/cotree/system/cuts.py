"""The table of cut joints: frames on both bodies and the rows that hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.model.joints import Joint
from cotree.system.links import flat, parts
from cotree.system.reference_assembly import Assembly
from cotree.system.regularization import LoopRows, full_rows, regularize
from cotree.system.tables import cut_t
from cotree.topology import Graph, spanning_tree

Array = NDArray[np.float64]


def choose_rows(
    assembly: Assembly, search: bool, active: bool, watch: Callable[[int, list[LoopRows]], None] | None = None
) -> tuple[Assembly, tuple[LoopRows, ...]]:
    """The assembly with its final tree and the loops of its joints, and the rows of these.

    The loops are those of the joints themselves; where bodies are attached to ground by added free joints, a tree of joints is
    taken for the analysis, whose joints then keep all their rows. watch: see `regularize`.
    """
    own = Graph(assembly.graph.size, assembly.graph.edges[: len(assembly.joints)])
    afloat = tuple((0, k) for k in sorted(set(own.parts()) - {0}))  # parts that no joint leads to are on no loop
    physical = Graph(own.size, own.edges + afloat)
    floats = len(assembly.graph.edges) > len(physical.edges)
    if floats:
        used = set(assembly.tree.edge)
        tree = spanning_tree(physical, (), [0 if a in used else 1 for a in range(len(physical.edges))])
    else:
        tree = assembly.tree
    if not tree.cotree:
        return replace(assembly, loops=()), ()
    tree, rows = regularize(replace(assembly, graph=physical, tree=tree), tree, search and active, active, watch)
    return replace(assembly, tree=assembly.tree if floats else tree, loops=tuple(r.loop for r in rows)), tuple(rows)


def cut_table(
    assembly: Assembly,
    rows: tuple[LoopRows, ...],
    links_of: NDArray[np.int64],
    sides: tuple[Array, Array],
    absolute: bool,
) -> NDArray[np.void]:
    """One row for each joint that is not in the system's tree; `sides`: joint frames on the parents and the children, by
    edges, about the system's origin; absolute: all bodies are free, see `put_all_rows`."""
    kept = {r.loop.cut: r for r in rows}
    edges = [a for a in assembly.tree.cotree if a < len(assembly.joints)]
    joints = [assembly.joints[a].joint for a in edges]
    table = np.zeros(len(edges), cut_t)
    if not edges:
        return table
    ends = np.array([assembly.graph.edges[a] for a in edges])
    table["link_a"], table["link_b"] = links_of[ends[:, 0]], links_of[ends[:, 1]]
    table["frame_a"], table["frame_b"] = flat(sides[0][edges]), flat(sides[1][edges])
    row_of = np.argsort(assembly.tree.order)
    table["body_a"], table["body_b"] = row_of[ends[:, 0]], row_of[ends[:, 1]]
    for row, joint in zip(table, joints, strict=True):
        put_motion(row, joint)
    selects = [kept[a].select if a in kept else full_rows(j) for a, j in zip(edges, joints, strict=True)]
    table["on_a"] = [a in kept and kept[a].on_a for a in edges]
    table["full"], table["kept"] = [6 - j.dof for j in joints], [len(select) for select in selects]
    count_rows(table)
    for row, joint, select in zip(table, joints, selects, strict=True):
        if len(select) == row["full"]:
            put_all_rows(row, joint, absolute)
        else:
            row["select"] = padded(select)
    return table


def put_all_rows(row: Any, joint: Joint, absolute: bool) -> None:
    """All rows of a joint, in axes that do not depend on which body is called the parent: those of the body that comes first,
    or in absolute coordinates for the joint's point those of the world.

    In world axes rows are the derivative of the gap, but of an open joint the forces on the two bodies are not on one line.
    """
    select = full_rows(joint)
    row["select"], row["full"], row["kept"] = padded(select), len(select), len(select)
    row["on_a"] = row["body_a"] < row["body_b"]
    row["world"] = absolute and {3, 4, 5} <= set(joint.held) and not joint.advance


def put_motion(row: Any, joint: Joint) -> None:
    """What a joint lets pass, in a row of the table."""
    rotations, translations = parts(joint)
    row["translations"], row["pitch"] = sum(1 << i for i in translations), joint.advance
    if joint.crossed is None:
        row["rotations"] = rotations
    else:
        row["universal"], (row["axis_a"], row["axis_b"]) = 1, joint.crossed


def padded(select: Array) -> Array:
    """Rows on the components of a twist as the table keeps them."""
    out = np.zeros((6, 6))
    out[: len(select), : select.shape[1]] = select
    return out.ravel()


def count_rows(table: NDArray[np.void]) -> None:
    """Number the rows that cut joints keep; each has one piece."""
    table["row"] = table["piece"] = np.cumsum(table["kept"]) - table["kept"]
