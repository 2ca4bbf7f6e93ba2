"""print(system): the tree, cut joints, loops, other constraints and switches."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from cotree.system.describe_switches import devices

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cotree.model.mechanism import Connection
    from cotree.system.system import System

LINES_AT_MOST = 60


def describe(system: System) -> str:
    """Header, tree, loops, other constraints and switches of a system."""
    head = (
        f"{system.name or 'mechanism'}: {system.n_bodies} bodies, {len(system.joint_names)} joints, nq {system.nq}, "
        f"nv {system.nv}, {system.coordinates} coordinates"
    )
    loops = len(system.loops) + (len(system.cut_joints) > len(system.loops))
    tree = _shortened(_tree(system), system.n_bodies + 1)
    others = _shortened(_others(system), len(system.constraints))
    mech = system.mechanism
    switched = {a.target for a in mech.actions} - set(mech.devices)
    switches = _shortened(devices(mech), len(mech.devices) + len(switched))
    return "\n".join([head, *tree, *_shortened(_loops(system), loops), *others, *switches])


def _shortened(lines: Iterator[str], total: int) -> list[str]:
    """The first lines, and how many more there are; the others are not generated, since in a long chain they are long."""
    more = total - LINES_AT_MOST
    return [*islice(lines, LINES_AT_MOST), *([f"... {more} more"] if more > 0 else [])]


def _tree(system: System) -> Iterator[str]:
    """One line per body, indented by branches; for bodies on free joints with their group."""
    names, joints = ("ground", *system.mechanism.bodies), list(system.mechanism.joints.values())
    groups, children = system.groups, dict[int, list[int]]()
    edges = system.tree.edge
    floating = {k for k in system.tree.order[1:] if edges[k] >= len(joints) or joints[edges[k]].joint.floats}
    for k in system.tree.order[1:]:
        children.setdefault(system.tree.parent[k], []).append(k)
    yield "ground"
    stack = [(k, "", k == children[0][-1]) for k in reversed(children.get(0, []))]
    while stack:
        k, indent, last = stack.pop()
        on = f" on {groups[names[k]]}" if k in floating else ""
        yield f"{indent}{'└─' if last else '├─'} {_edge(system, joints, k)} {names[k]}{on}"
        below = children.get(k, [])
        deeper = indent + ("   " if last else "│  ")
        stack.extend((j, deeper, j == below[-1]) for j in reversed(below))


def _edge(system: System, joints: list[Connection], vertex: int) -> str:
    edge = system.tree.edge[vertex]
    if edge >= len(system.joint_names):
        return "(free)"
    connection = joints[edge]
    turned = "" if system.tree.sign[vertex] > 0 else ", reversed"
    return f"[{connection.name}: {type(connection.joint).__name__}{turned}]"


def _loops(system: System) -> Iterator[str]:
    """One line per loop with the rows that it keeps, then further cut joints."""
    joints = list(system.mechanism.joints.values())
    names = ("ground", *system.mechanism.bodies)
    kept = dict(zip(system.cut_joints, system.cuts["kept"], strict=True))
    for number, loop in enumerate(system.loops, 1):
        cut = joints[loop.cut]
        around = " - ".join(names[k] for k in (*reversed(loop.tail_chain), loop.root, *loop.head_chain))
        rows = f"{kept.pop(cut.name)} of {6 - cut.joint.dof} constraint equations kept"
        yield f"loop {number}: {around}, cut at [{cut.name}: {type(cut.joint).__name__}], {rows}"
    if kept:
        yield "also cut: " + ", ".join(f"{name} ({rows} constraint equations)" for name, rows in kept.items())


def _others(system: System) -> Iterator[str]:
    for c in system.constraints.values():
        free = sum(not h for h in c.holonomic)
        kind = "holonomic" if free == 0 else "non-holonomic" if free == c.rows else f"{free} of them non-holonomic"
        yield f"{c.word} {c.name!r}: {c.rows} constraint equation{'s' * (c.rows > 1)}, {kind}"
