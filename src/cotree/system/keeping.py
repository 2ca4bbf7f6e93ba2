"""Joints that belong in the tree: those with a force or a coupling on a coordinate that cannot be measured across a cut."""

from __future__ import annotations

from dataclasses import replace

from cotree.errors import ModelError
from cotree.model.constraints import Coupling
from cotree.model.mechanism import Mechanism
from cotree.system.assembly import Assembly
from cotree.system.coordinate_terms import component_across, winds
from cotree.topology import ChangingTree, fundamental_loop, fundamental_loops


def kept_in_tree(mech: Mechanism, assembly: Assembly) -> frozenset[int]:
    """Edges of these joints; all others may be cut."""
    used = [(f.joint, f.coordinate, bool(f.stiffness)) for f in mech.joint_forces.values()]
    couplings = [c for c in mech.constraints.values() if isinstance(c, Coupling)]
    used += [(term.joint, term.coordinate, False) for c in couplings for term in c.terms]
    names = {joint for joint, coordinate, spring in used if not _measurable(mech, joint, coordinate, spring)}
    return frozenset(a for a, c in enumerate(assembly.joints) if c.name in names)


def _measurable(mech: Mechanism, name: str, coordinate: str | None, spring: bool) -> bool:
    joint = mech.joints[name].joint
    try:
        component_across(joint, name, coordinate, "", ModelError)
    except ModelError:
        return False
    return not (spring and winds(joint, coordinate))


def with_tree_of(assembly: Assembly, kept: frozenset[int]) -> Assembly:
    """The assembly with these joints in its tree, as far as they make no loop of their own; of the others of a loop the last
    one that moves is cut."""
    outside = [a for a in assembly.tree.cotree if a in kept]
    if not outside:
        return assembly
    tree = ChangingTree.of(assembly.graph, assembly.tree)
    for a in outside:
        loop = fundamental_loop(assembly.graph, tree, a)
        others = {tree.edge[k] for k in (*loop.tail_chain, *loop.head_chain)} - kept
        if others:
            tree.exchange(loop, max(others, key=lambda b: (assembly.joints[b].joint.dof > 0, b)))
    new = tree.settled()
    return replace(assembly, tree=new, loops=fundamental_loops(assembly.graph, new))
