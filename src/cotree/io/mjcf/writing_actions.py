"""What acts in a mechanism as MJCF has it: attributes of joints, tendons and motors; all else is refused by name."""

from __future__ import annotations

import numpy as np

from cotree.errors import DocumentError
from cotree.io.mjcf.layout import CANNOT
from cotree.io.mjcf.nodes import Layout
from cotree.io.mjcf.writing_constraints import Actions, distance_of, put_constraint, put_line
from cotree.io.mjcf.writing_values import element, words
from cotree.model.features import Features, declare
from cotree.model.forces import JointForce, UserFunction
from cotree.model.joints import Prismatic, Revolute
from cotree.model.mechanism import Mechanism
from cotree.model.pid import PID
from cotree.model.switches import Limit

MJCF = declare(
    "MJCF",
    DocumentError,
    refuses={
        "force elements": f"there is nothing like them, {CANNOT}",
        **dict.fromkeys(
            ("user functions", "laws over time", "laws with states", "sampled laws"), f"these are laws, {CANNOT}"
        ),
        **dict.fromkeys(("user rows", "non-holonomic rows"), f"these are neither couplings nor distances, {CANNOT}"),
        "springs on cut joints": f"their joints close loops, {CANNOT}",
        "switches": f"these change the topology, {CANNOT}",
    },
    handles=("stops",),
)
FAR = 1e10  # a stop that is missing


def actions_of(mech: Mechanism, tree: Layout) -> Actions:
    """All forces, constraints and devices of a mechanism."""
    out, simple = Actions(), _simple(tree)
    MJCF.admit(Features(mech, mech.joints.keys() - tree.steps.keys()))
    _put_loads(mech, out)
    _put_joint_forces(mech, tree, simple, out)
    for spring in mech.springs.values():
        ends = (spring.body_a, spring.point_a, spring.body_b, spring.point_b)
        length = distance_of(tree, *ends) if spring.length is None else spring.length
        numbers = {"stiffness": spring.stiffness, "damping": spring.damping, "springlength": length}
        put_line(out, f"spring {spring.name}", spring.name, ends, numbers)
    for c in mech.constraints.values():
        put_constraint(c, tree, simple, out)
    _put_limits(mech, simple, out)
    return out


def _simple(tree: Layout) -> set[str]:
    """Hinges and slides of the tree."""
    return {name for name, step in tree.steps.items() if isinstance(step.joint.joint, Revolute | Prismatic)}


def _put_loads(mech: Mechanism, out: Actions) -> None:
    """Forces that carry a share of a body's weight; there are no others."""
    for load in mech.loads.values():
        p, share = mech.bodies[load.body].properties, 0.0
        weight = p.mass * mech.gravity
        at_centre = load.point is not None and np.array_equal(load.point, p.com)
        if not isinstance(load.value, UserFunction) and load.frame == "world" and at_centre and weight.any():
            along = -float(np.dot(load.value, weight) / (weight @ weight))
            share = along if np.allclose(load.value, -along * weight, rtol=1e-12) else 0.0
        if not share:
            raise DocumentError(f"force {load.name!r} on body {load.body!r} does not just balance its weight, {CANNOT}")
        out.compensation[load.body] = out.compensation.get(load.body, 0.0) + share


def _put_joint_forces(mech: Mechanism, tree: Layout, simple: set[str], out: Actions) -> None:
    """Springs and dampers as attributes of their joints, motors without torque as such."""
    found: dict[str, list[JointForce]] = {}
    for f in mech.joint_forces.values():
        if f.joint not in tree.steps:
            raise DocumentError(f"{f.name!r} acts on joint {f.joint!r}, which closes a loop, {CANNOT}")
        if f.by_table:
            raise DocumentError(f"{f.name!r} on joint {f.joint!r} acts by a table, {CANNOT}")
        if f.torque is None:
            found.setdefault(f.joint, []).append(f)
            continue
        out.actuators.append(_actuator(f, simple))
    for joint, forces in found.items():
        out.joints[joint] = _attributes(joint, forces) if joint in simple else _even(mech, joint, forces)


def _actuator(f: JointForce, simple: set[str]) -> str:
    """A motor without torque, with a constant one or with that of a controller without memory, on a hinge or slide."""
    own, law = {"name": f.name, "joint": f.joint}, getattr(f.torque, "law", None)
    if f.joint in simple and isinstance(law, PID) and not (callable(law.target) or law.ki or law.filter or law.period):
        bias, limits = (law.kp * law.target, -law.kp, -law.kd), law.limits
    elif f.joint in simple and f.torque is not None and not isinstance(f.torque, UserFunction):
        bias, limits = (float(f.torque.item()), 0.0, 0.0), None
    else:
        raise DocumentError(
            f"motor {f.name!r} is neither a number nor a controller by kp and kd of a hinge or slide, {CANNOT}"
        )
    if not any(bias):
        return element("motor", own)
    bounds = {} if limits is None else {"forcerange": words(limits)}
    gains: dict[str, str | float] = {"gainprm": law.kp if law else 1.0, "biasprm": words(bias)}
    return element("general", {**own, "biastype": "affine", **gains, **bounds})


def _attributes(joint: str, forces: list[JointForce]) -> dict[str, str | float]:
    """Springs of one hinge or slide add up to one, as dampers do."""
    stiffness, damping = sum(f.stiffness for f in forces), sum(f.damping for f in forces)
    armature = sum(f.reflected for f in forces)
    pull = sum(f.stiffness * f.rest for f in forces)
    if not stiffness and pull:
        raise DocumentError(f"springs of joint {joint!r} add up to a constant torque, {CANNOT}")
    out: dict[str, str | float] = {"stiffness": stiffness} if stiffness else {}
    if armature:
        out["armature"] = armature
    if pull:
        rests = {f.rest for f in forces if f.stiffness}
        out["springref"] = rests.pop() if len(rests) == 1 else pull / stiffness
    return {**out, "damping": damping} if damping else out


def _even(mech: Mechanism, joint: str, forces: list[JointForce]) -> dict[str, str | float]:
    """Dampers and rotors of a ball or free joint that are the same in all directions."""
    names = [suffix[1:] for suffix in mech.joints[joint].joint.coordinate_names()]
    damping = {name: sum(f.damping for f in forces if f.coordinate == name) for name in names}
    armature = {name: sum(f.reflected for f in forces if f.coordinate == name) for name in names}
    if any(f.stiffness for f in forces) or len(set(damping.values())) > 1 or len(set(armature.values())) > 1:
        raise DocumentError(f"forces on joint {joint!r} are not equal dampers in all its directions, {CANNOT}")
    found = {"damping": damping[names[0]], "armature": armature[names[0]]}
    return {key: x for key, x in found.items() if x}


def _put_limits(mech: Mechanism, simple: set[str], out: Actions) -> None:
    """Stops of hinges and slides."""
    for device in mech.devices.values():
        assert isinstance(device, Limit)  # no other is admitted
        if device.joint not in simple or device.restitution:
            raise DocumentError(
                f"{device.word} {device.name!r} is not a stop without rebound on a hinge or slide, {CANNOT}"
            )
        own = out.joints.setdefault(device.joint, {})
        if "range" in own:
            raise DocumentError(f"joint {device.joint!r} has two limits, {CANNOT}; give one")
        own["range"] = words((max(device.lower, -FAR), min(device.upper, FAR)))
