"""The table of cut joints: frames on both bodies and the rows that hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cotree.lie.arrays import pose
from cotree.model.joints import Helical, Universal
from cotree.system.assembly import Assembly, joint_frames
from cotree.system.links import flat
from cotree.system.regularization import LoopRows, full_rows, regularize
from cotree.system.tables import cut_t
from cotree.topology import Graph, fundamental_loops, spanning_tree

Array = NDArray[np.float64]


def choose_rows(assembly: Assembly, search: bool, active: bool) -> tuple[Assembly, tuple[LoopRows, ...]]:
    """The assembly with its final tree and the loops of its joints, and the rows of these.

    The loops are those of the joints themselves; where bodies hang from ground by free joints of ours, a tree of joints is
    taken for the analysis, whose joints then keep all their rows.
    """
    physical = Graph(assembly.graph.size, assembly.graph.edges[: len(assembly.joints)])
    floats = len(assembly.graph.edges) > len(assembly.joints)
    if floats:
        used = set(assembly.tree.edge)
        tree = spanning_tree(physical, (), [0 if a in used else 1 for a in range(len(physical.edges))])
    else:
        tree = assembly.tree
    if not fundamental_loops(physical, tree):
        return replace(assembly, loops=()), ()
    tree, rows = regularize(replace(assembly, graph=physical, tree=tree), tree, search and active, active)
    return replace(assembly, tree=assembly.tree if floats else tree, loops=tuple(r.loop for r in rows)), tuple(rows)


def cut_table(
    assembly: Assembly, rows: tuple[LoopRows, ...], links_of: dict[int, int], origin: Array
) -> NDArray[np.void]:
    """One row for each joint that is not in the system's tree."""
    kept = {r.loop.cut: r for r in rows}
    edges = [a for a in assembly.tree.cotree if a < len(assembly.joints)]
    table = np.zeros(len(edges), cut_t)
    first = 0
    for row, edge in zip(table, edges, strict=True):
        connection, (tail, head) = assembly.joints[edge], assembly.graph.edges[edge]
        joint = connection.joint
        on_parent, on_child = joint_frames(connection, assembly.frames[tail], assembly.frames[head])
        shift = pose(p=-origin)
        row["link_a"], row["link_b"] = links_of[tail], links_of[head]
        row["frame_a"], row["frame_b"] = flat(shift @ on_parent), flat(shift @ on_child)
        row["rotations"] = 0 if isinstance(joint, Universal) else sum(i < 3 for i in joint.free)
        row["translations"] = sum(1 << (i - 3) for i in joint.free if i >= 3)
        row["pitch"] = joint.pitch if isinstance(joint, Helical) else 0.0
        if isinstance(joint, Universal):
            Z = joint.screws()
            row["universal"], row["axis_a"], row["axis_b"] = 1, Z[:3, 0], Z[:3, 1]
        select = kept[edge].select if edge in kept else full_rows(joint)
        row["on_a"] = edge in kept and kept[edge].on_a
        row["full"], row["kept"], row["row"] = 6 - joint.dof, len(select), first
        padded = np.zeros((6, 6))
        padded[: len(select), : select.shape[1]] = select
        row["select"] = padded.ravel()
        first += len(select)
    return table
