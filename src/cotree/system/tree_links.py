"""Links, velocities and coordinates along the spanning tree: how many each joint has, where they are, what they are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.model.joints import Free, Joint
from cotree.model.mechanism import Connection, Mechanism
from cotree.system.groups import Choice, directly
from cotree.system.joint_frames import alike
from cotree.system.links import Alike, TreeTables, sizes
from cotree.system.reference_assembly import Assembly

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TreeLinks:
    """The tables; the link of each vertex; links of each tree joint and joint of each link; coordinate names."""

    tables: TreeTables
    of_vertex: Numbers
    of_joint: dict[str, tuple[int, ...]]
    joint_of: tuple[str, ...]
    names: tuple[str, ...]


def tree_links(
    mech: Mechanism,
    assembly: Assembly,
    connections: Sequence[Connection],
    sides: tuple[Array, Array],
    origin: Array,
    group: Choice,
) -> TreeLinks:
    """Tables of the tree; `connections` and the joint frames on both `sides` by edges of the graph, about `origin`."""
    tree = assembly.tree
    order, parent, edge = np.array(tree.order[1:]), np.array(tree.parent), np.array(tree.edge)[list(tree.order[1:])]
    own = [connections[a] for a in edge.tolist()]
    kinds = [(type(c.joint), c.joint.coordinates) for c in own]
    groups, count = alike(kinds), np.zeros((len(own), 3), dtype=np.int64)
    for which in groups.values():
        count[which] = sizes(own[which[0]].joint)
    first = np.cumsum(count, axis=0) - count + (1, 0, 0)  # ground is link 0
    of_vertex = np.zeros(len(parent), dtype=np.int64)
    of_vertex[order] = first[:, 0] + count[:, 0] - 1
    for k in order[count[:, 0] == 0].tolist():  # welded: each after its parent
        of_vertex[k] = of_vertex[parent[k]]
    above = of_vertex[parent[order]]
    inverted = np.array(tree.sign)[order] < 0
    direct = directly(mech, assembly, order, own, group)
    tables = TreeTables.make(*(first[-1] + count[-1]).tolist())
    distance = float(np.linalg.norm(origin))
    for which in groups.values():
        for against, in_world in ((False, False), (False, True), (True, False), (True, True)):
            some = which[(inverted[which] == against) & (direct[which] == in_world)]
            if some.size and own[some[0]].joint.dof:
                joints: list[Joint] = [own[k].joint for k in some.tolist()]
                screws = type(joints[0]).screws_of(joints)
                on_parent, on_child = (side[edge[some]] for side in sides)
                row, iv, iq = first[some].T
                tables.put(
                    Alike(joints[0], screws, on_parent, on_child, against, in_world, distance, above[some], row, iv, iq)
                )
    suffixes = {kind: own[which[0]].joint.coordinate_names() for kind, which in groups.items()}
    spans = zip(own, first[:, 0].tolist(), count[:, 0].tolist(), strict=True)
    rows = [(c.name, range(start, start + n)) for c, start, n in spans]
    return TreeLinks(
        tables, of_vertex,
        {name: tuple(links) for name, links in rows},
        ("", *(name for name, links in rows for _ in links)),
        tuple(c.name + suffix for c, kind in zip(own, kinds, strict=True) for suffix in suffixes[kind]),
    )  # fmt: skip


def floating_joints(assembly: Assembly) -> list[Connection]:
    """The free joints of ours, behind the user's: a floating body lends its name to the joint that carries it, unless a
    joint of the tree has that name."""
    n = len(assembly.joints)
    if len(assembly.graph.edges) == n:
        return []
    taken = {assembly.joints[a].name for a in assembly.tree.edge if 0 <= a < n}
    names = [assembly.bodies[k].name for _, k in assembly.graph.edges[n:]]
    return [Connection(f"{name} (free)" if name in taken else name, "ground", name, Free()) for name in names]
