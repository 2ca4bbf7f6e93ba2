"""Which joints had better stay in the tree: those that cannot be cut, and, where nothing else decides, those that are used."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from cotree.errors import CoordinatesError
from cotree.model.joints import closes_loops
from cotree.model.mechanism import Connection, Mechanism
from cotree.model.switches import Brake, JointImpulse, Limit, Lock
from cotree.topology import ChangingTree, Graph, Loop, RootedTree, SpanningTree, fundamental_loop


def used_joints(mech: Mechanism) -> frozenset[int]:
    """Places of joints with springs, dampers, motors, drives or couplings, which want a coordinate.

    Locks, brakes and limits only count on joints of several coordinates, which cannot be measured across a cut: a stop that
    is added later must not change the coordinates, which user functions of q and v find by index.
    """
    names = {force.joint for force in mech.joint_forces.values()}
    names |= {term.joint for c in mech.constraints.values() for term in c.terms}
    on = {d.joint for d in mech.devices.values() if isinstance(d, Lock | Brake | Limit | JointImpulse)}
    names |= {name for name in on if mech.joints[name].joint.dof > 1}
    return frozenset(a for a, name in enumerate(mech.joints) if name in names) if names else frozenset()


def uncuttable(joints: list[Connection]) -> frozenset[int]:
    """Places of joints at which no loop can be cut."""
    kinds = {type(c.joint): c.joint for c in joints}
    bad = {kind for kind, joint in kinds.items() if not closes_loops(joint)}
    return frozenset(a for a, c in enumerate(joints) if type(c.joint) in bad) if bad else frozenset()


def keep_in_tree(
    graph: Graph, tree: SpanningTree, joints: list[Connection], used: Collection[int], told: Collection[int]
) -> SpanningTree:
    """The tree with joints that cannot be cut exchanged for others of their loops, first for those that are not used.

    `told`: edges that are to be cut. A loop of nothing but such joints stays in the cotree whatever is exchanged elsewhere.
    """
    stay = uncuttable(joints)
    if not stay & set(tree.cotree):
        return tree
    changing = ChangingTree.of(graph, tree)
    for cut in sorted(stay & set(tree.cotree)):
        loop = fundamental_loop(graph, changing, cut)
        others = [a for a in _from_the_cut_on(changing, loop) if a < len(joints) and a not in stay]
        if cut in told or not others:
            raise CoordinatesError(_complaint(joints, cut, [joints[a].name for a in others], told))
        changing.exchange(loop, min(others, key=lambda a: a in used))
    return changing.settled()


def _from_the_cut_on(tree: RootedTree, loop: Loop) -> Iterator[int]:
    """Tree edges of a loop, those next to the cut first, so that little changes."""
    for chain in (loop.head_chain, loop.tail_chain):
        yield from (tree.edge[vertex] for vertex in reversed(chain))


def _complaint(joints: list[Connection], cut: int, others: list[str], told: Collection[int]) -> str:
    """What cannot be cut, and what to do instead."""
    c = joints[cut]
    who = (
        f"joint {c.name!r} cannot be cut: the motions of a {type(c.joint).__name__} joint are not a group of the "
        f"catalogue"
    )
    if len(told) == len(joints):
        return (
            f"{who}; compile with coordinates='relative' and leave it out of cut=; in absolute coordinates all "
            f"joints are cut"
        )
    if cut in told:
        return f"{who}; " + (
            f"cut another joint of its loop, cut=[{others[0]!r}]" if others else "leave it out of cut="
        )
    return f"{who}, and neither can any other joint of its loop; replace one of them by a joint of the catalogue"
