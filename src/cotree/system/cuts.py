"""The table of cut joints: frames on both bodies and the rows that hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cotree.model.joints import Helical, Universal
from cotree.system.links import flat, parts
from cotree.system.reference_assembly import Assembly
from cotree.system.regularization import LoopRows, full_rows, regularize
from cotree.system.tables import cut_t
from cotree.topology import Graph, spanning_tree

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
    if not tree.cotree:
        return replace(assembly, loops=()), ()
    tree, rows = regularize(replace(assembly, graph=physical, tree=tree), tree, search and active, active)
    return replace(assembly, tree=assembly.tree if floats else tree, loops=tuple(r.loop for r in rows)), tuple(rows)


def cut_table(
    assembly: Assembly, rows: tuple[LoopRows, ...], links_of: NDArray[np.int64], sides: tuple[Array, Array]
) -> NDArray[np.void]:
    """One row for each joint that is not in the system's tree; `sides`: joint frames on the parents and the children, by
    edges, about the system's origin."""
    kept = {r.loop.cut: r for r in rows}
    edges = [a for a in assembly.tree.cotree if a < len(assembly.joints)]
    joints = [assembly.joints[a].joint for a in edges]
    table = np.zeros(len(edges), cut_t)
    if not edges:
        return table
    ends = np.array([assembly.graph.edges[a] for a in edges])
    table["link_a"], table["link_b"] = links_of[ends[:, 0]], links_of[ends[:, 1]]
    table["frame_a"], table["frame_b"] = flat(sides[0][edges]), flat(sides[1][edges])
    table["rotations"] = [0 if isinstance(j, Universal) else parts(j)[0] for j in joints]
    table["translations"] = [sum(1 << i for i in parts(j)[1]) for j in joints]
    table["pitch"] = [j.pitch if isinstance(j, Helical) else 0.0 for j in joints]
    for k in (k for k, j in enumerate(joints) if isinstance(j, Universal)):
        Z = joints[k].screws()
        table["universal"][k], table["axis_a"][k], table["axis_b"][k] = 1, Z[:3, 0], Z[:3, 1]
    selects = [kept[a].select if a in kept else full_rows(j) for a, j in zip(edges, joints, strict=True)]
    table["on_a"] = [a in kept and kept[a].on_a for a in edges]
    table["full"], table["kept"] = [6 - j.dof for j in joints], [len(select) for select in selects]
    table["row"] = np.cumsum(table["kept"]) - table["kept"]
    padded = table["select"].reshape(-1, 6, 6)
    for out, select in zip(padded, selects, strict=True):
        out[: len(select), : select.shape[1]] = select
    table["select"] = padded.reshape(-1, 36)
    return table
