"""What of a mechanism acts on which joints and bodies."""

from __future__ import annotations

from cotree.model.constraints import Coupling, Distance
from cotree.model.mechanism import Mechanism
from cotree.model.switches import Limit


def joints_with_forces(mech: Mechanism) -> set[str]:
    """Joints with springs, dampers, motors, limits or couplings, which want a coordinate."""
    names = {force.joint for force in mech.joint_forces.values()}
    names |= {device.joint for device in mech.devices.values() if isinstance(device, Limit)}
    return names | {term.joint for c in mech.constraints.values() if isinstance(c, Coupling) for term in c.terms}


def used_bodies(mech: Mechanism, tree: set[str]) -> set[str]:
    """Bodies that something is attached to beside the joints of the tree."""
    found = {name for c in mech.joints.values() if c.name not in tree for name in (c.parent, c.child)}
    found |= {load.body for load in mech.loads.values()}
    found |= {name for spring in mech.springs.values() for name in (spring.body_a, spring.body_b)}
    distances = [c for c in mech.constraints.values() if isinstance(c, Distance)]
    return found | {name for c in distances for name in (c.body_a, c.body_b)}
