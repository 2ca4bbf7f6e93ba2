"""The tree of bodies that a mechanism is written as: joints between them, and those that remain to close its loops.

A body without mass between two joints, and nothing else on it, is not written: its joints are in series on the next body.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError, UnconnectedError
from cotree.io.mjcf.nodes import Layout, Node, Step, preorder
from cotree.io.robots.uses import joints_with_forces, used_bodies
from cotree.model.joints import Free, Joint, Prismatic, Revolute, Spherical, Weld
from cotree.model.mechanism import Connection, Mechanism

Array = NDArray[np.float64]
CANNOT = "which MJCF cannot express; save the mechanism as .json, or replace it"
TREE: dict[type[Joint], str] = {Revolute: "hinge", Prismatic: "slide", Spherical: "ball", Free: "free", Weld: "weld"}
DEEPEST = 300  # bodies within bodies


def layout(mech: Mechanism) -> Layout:
    """Joints in the user's order make the tree, first those that MJCF can say there, and of these those with forces; those
    that the mechanism would rather cut come last."""
    from cotree.system.joint_frames import joint_frames
    from cotree.system.reference_assembly import body_frames  # slow to load, and not needed to read a file

    bodies, joints = [mech.ground, *mech.bodies.values()], list(mech.joints.values())
    number = {body.name: k for k, body in enumerate(bodies)}
    frames = body_frames(bodies, joints, number)
    ends = np.array([(number[c.parent], number[c.child]) for c in joints]).reshape(-1, 2)
    on_parent, on_child = joint_frames(joints, frames, ends)
    tree = _tree_joints(mech, joints)
    root = _walked(mech, [(joints[k], on_child[k]) for k in sorted(tree)])
    closing = [(joints[k], on_parent[k], on_child[k]) for k in range(len(joints)) if k not in tree]
    _merge(mech, root)
    return Layout(root, closing, dict(zip(number, frames, strict=True)))


def _tree_joints(mech: Mechanism, joints: list[Connection]) -> set[int]:
    """Places of joints that connect what was not connected before."""
    group, tree, busy = dict[str, str](), set[int](), joints_with_forces(mech)

    def top(name: str) -> str:
        while name in group:
            name = group[name]
        return name

    def rank(k: int) -> tuple[bool, bool, bool]:
        return type(joints[k].joint) not in TREE, joints[k].name in mech.preferred_cut, joints[k].name not in busy

    for k in sorted(range(len(joints)), key=rank):
        a, b = top(joints[k].parent), top(joints[k].child)
        if a != b:
            group[b] = a
            tree.add(k)
            _check_sayable(joints[k])
    return tree


def _check_sayable(c: Connection) -> None:
    if type(c.joint) not in TREE:
        raise DocumentError(f"joint {c.name!r} is of type {type(c.joint).__name__}, {CANNOT}")
    if isinstance(c.joint, Free) and "ground" not in (c.parent, c.child):
        raise DocumentError(
            f"joint {c.name!r} is free between two bodies, {CANNOT}; free joints in MJCF are attached to the world"
        )


def _walked(mech: Mechanism, tree: list[tuple[Connection, Array]]) -> Node:
    """From ground outwards, each body after the one that it is attached to."""
    at: dict[str, list[tuple[Connection, Array]]] = {}
    for c, F in tree:
        at.setdefault(c.parent, []).append((c, F))
        at.setdefault(c.child, []).append((c, F))
    nodes, waiting = {"ground": Node("ground", [])}, [("ground", 0)]
    while waiting:
        inner, depth = waiting.pop(0)
        for c, F in at.get(inner, []):
            outer = c.parent if c.child == inner else c.child
            if outer not in nodes:
                nodes[outer] = Node(outer, [Step(c, F, inner, outer, c.child == inner)])
                nodes[inner].inside.append(nodes[outer])
                waiting.append((outer, depth + 1))
                if depth >= DEEPEST:
                    raise DocumentError(
                        f"body {outer!r} is at the end of a chain of more than {DEEPEST} bodies, {CANNOT}"
                    )
    lost = [name for name in mech.bodies if name not in nodes]
    if lost:
        raise UnconnectedError(f"no joint connects {lost[0]!r} to ground; add the missing joint, or ct.Free()")
    return nodes["ground"]


def _merge(mech: Mechanism, root: Node) -> None:
    """Take out bodies that only link two joints."""
    used = used_bodies(mech, {step.joint.name for node in preorder(root) for step in node.steps})
    for node in reversed(preorder(root)):
        node.inside = [_without(mech, used, inner) for inner in node.inside]


def _without(mech: Mechanism, used: set[str], node: Node) -> Node:
    body = mech.bodies[node.body]
    links = not body.properties.mass and not body.properties.inertia.any() and body.shape is None
    if not links or node.body in used or len(node.inside) != 1:
        return node
    outer = node.inside[0]
    return Node(outer.body, [*node.steps, *outer.steps], outer.inside) if _in_series(node, outer) else node


def _in_series(node: Node, outer: Node) -> bool:
    """Whether one body can have the joints of both: up to six dofs, and no rotation after a ball."""
    steps = [*node.steps, *outer.steps]
    kinds = [TREE[type(step.joint.joint)] for step in steps]
    turns = [kind for kind in kinds if kind in ("ball", "hinge")]
    return (
        not {"weld", "free"} & set(kinds)
        and "ball" not in turns[:-1]
        and sum(step.joint.joint.dof for step in steps) <= 6
    )
