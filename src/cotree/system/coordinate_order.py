"""User functions of q and v index coordinates; the indices depend on the cuts, and the cuts on what acts on joints."""

from __future__ import annotations

from dataclasses import replace

from cotree.model.functions import functions_of, takes_state
from cotree.model.mechanism import Mechanism
from cotree.system.cuts import choose_rows
from cotree.system.reference_assembly import assemble_graph
from cotree.system.system import System


def with_doubts(mech: Mechanism, system: System, looked_at: bool) -> System:
    """The system, with a doubt where functions take q or v and coordinates may have other places than their author knows:
    those seen before are others; or the order was never shown, and elements without functions determine it."""
    functions = [use for use in functions_of(mech) if takes_state(use.function)]
    if not functions or not system.loops or mech.seen_order == system.coordinate_names:
        return system
    named = ", ".join(map(str, functions[:3]))
    if mech.seen_order is not None:
        before = f"were {_listed(mech.seen_order)} when this mechanism was compiled before"
    elif not looked_at and _cut_for(mech, {use.name for use in functions}) != set(system.cut_joints):
        before = "would be different without the springs, dampers, motors or drives on its joints"
    else:
        return system
    doubt = (
        f"the coordinates of {mech.name!r} are {_listed(system.coordinate_names)} and {before}: make sure that "
        f"{named} uses the right indices of q and v (see system.q_index and system.v_index of the compiled "
        f"mechanism), or name the cut joints with cut="
    )
    return replace(system, doubts=(doubt,))


def _cut_for(mech: Mechanism, functions: set[str]) -> set[str]:
    """Joints that are cut if only elements with functions of the state want their joints in the tree."""
    own = {force.joint for name, force in mech.joint_forces.items() if name in functions}
    used = frozenset(a for a, name in enumerate(mech.joints) if name in own)
    cut = mech.preferred_cut
    assembly = choose_rows(assemble_graph(mech, False, cut, used), not cut, True)[0]
    return {assembly.joints[a].name for a in assembly.tree.cotree}


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
