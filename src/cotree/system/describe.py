"""print(system): the tree, the cut joints, the loops and the other constraints in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cotree.model.mechanism import Connection
    from cotree.system.system import System

LINES_AT_MOST = 60


def describe(system: System) -> str:
    """Header, tree, loops and other constraints of a system."""
    head = (
        f"{system.name or 'mechanism'}: {system.n_bodies} bodies, {len(system.joint_names)} joints, nq {system.nq}, "
        f"nv {system.nv}, {system.coordinates} coordinates"
    )
    return "\n".join([head, *_shortened(_tree(system)), *_shortened(_loops(system)), *_shortened(_others(system))])


def _shortened(lines: list[str]) -> list[str]:
    more = len(lines) - LINES_AT_MOST
    return [*lines[:LINES_AT_MOST], f"... {more} more"] if more > 0 else lines


def _tree(system: System) -> list[str]:
    """One line a body, indented by branches."""
    names, joints = ("ground", *system.mechanism.bodies), list(system.mechanism.joints.values())
    children: dict[int, list[int]] = {}
    for k in system.tree.order[1:]:
        children.setdefault(system.tree.parent[k], []).append(k)
    lines, stack = ["ground"], [(k, "", k == children[0][-1]) for k in reversed(children.get(0, []))]
    while stack:
        k, indent, last = stack.pop()
        lines.append(f"{indent}{'└─' if last else '├─'} {_edge(system, joints, k)} {names[k]}")
        below = children.get(k, [])
        deeper = indent + ("   " if last else "│  ")
        stack.extend((j, deeper, j == below[-1]) for j in reversed(below))
    return lines


def _edge(system: System, joints: list[Connection], vertex: int) -> str:
    edge = system.tree.edge[vertex]
    if edge >= len(system.joint_names):
        return "(free)"
    connection = joints[edge]
    turned = "" if system.tree.sign[vertex] > 0 else ", reversed"
    return f"[{connection.name}: {type(connection.joint).__name__}{turned}]"


def _loops(system: System) -> list[str]:
    """One line a loop with the rows that it keeps, then the joints that are cut besides."""
    joints = list(system.mechanism.joints.values())
    names = ("ground", *system.mechanism.bodies)
    lines, kept = [], dict(zip(system.cut_joints, system.cuts["kept"], strict=True))
    for number, loop in enumerate(system.loops, 1):
        cut = joints[loop.cut]
        around = " - ".join(names[k] for k in (*reversed(loop.tail_chain), loop.root, *loop.head_chain))
        rows = f"{kept.pop(cut.name)} of {6 - cut.joint.dof} rows"
        lines.append(f"loop {number}: {around}, cut at [{cut.name}: {type(cut.joint).__name__}], {rows}")
    if kept:
        lines.append("cut besides: " + ", ".join(f"{name} ({rows} rows)" for name, rows in kept.items()))
    return lines


def _others(system: System) -> list[str]:
    lines = []
    for c in system.mechanism.constraints.values():
        free = sum(not h for h in c.holonomic)
        kind = "holonomic" if free == 0 else "non-holonomic" if free == c.rows else f"{free} of them non-holonomic"
        lines.append(f"{c.word} {c.name!r}: {c.rows} row{'s' * (c.rows > 1)}, {kind}")
    return lines
