"""From a robot to a `Mechanism`: bodies with the links' frames, joints as drawn in the world, loops by their frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError
from cotree.io.native.error_paths import located
from cotree.io.robots.contacts import add_contacts, robot_pairs
from cotree.io.robots.description import FAR, GROUND, Gearbox, Joint, Limit, Robot
from cotree.io.robots.geometry import shape_of
from cotree.io.robots.joints import ONE_DOF, drawn, told
from cotree.io.robots.notes import left_out, remarks
from cotree.io.xml.elements import shown
from cotree.model.joints import Free, Weld
from cotree.model.mechanism import Mechanism
from cotree.model.naming import unknown

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Imported:
    """A mechanism, the robot that it was made of, and the file's coordinates [rad or m] at the mechanism's zero: those of
    one-dof joints in a robot whose loops are not closed where the file has zero; elsewhere they are zero."""

    mechanism: Mechanism
    robot: Robot
    zero: Mapping[str, float]

    @property
    def closing(self) -> tuple[str, ...]:
        """Joints that close the loops, as the file has it: compile(cut=...) with them keeps the file's tree."""
        return self.robot.closing

    def with_limits(self) -> Mechanism:
        """The mechanism, with stops where the file's joints have limits; joints that turn without limit have none."""
        for name, limit in self.limits.items():
            joint = self.robot.joints[name]
            lower, upper = (None if x is None or abs(x) >= FAR else x for x in (limit.lower, limit.upper))
            if joint.kind in ONE_DOF and joint.kind != "continuous" and (lower, upper) != (None, None):
                with located(joint.who):
                    self.mechanism.limit(name, lower, upper)
        self.mechanism.notes = (*left_out(self.robot), *remarks(self.robot, limits=True))
        return self.mechanism

    def with_friction(self) -> Mechanism:
        """The mechanism, with friction, which sticks, where joints of the file with one coordinate have some."""
        for joint in self.robot.joints.values():
            if joint.kind in ONE_DOF and joint.friction > 0.0:
                with located(joint.who):
                    self.mechanism.friction(joint.name, joint.friction)
        kept = {*left_out(self.robot)} - {*left_out(self.robot, friction=True)}
        self.mechanism.notes = tuple(note for note in self.mechanism.notes if note not in kept)
        return self.mechanism

    def with_contacts(self) -> Mechanism:
        """The mechanism, with contacts between the collision shapes of links that no joint connects."""
        pairs, notes = robot_pairs(self.mechanism, self.robot)
        more = add_contacts(self.mechanism, pairs)
        self.mechanism.notes = (*self.mechanism.notes, *notes, *more)
        return self.mechanism

    @property
    def limits(self) -> dict[str, Limit]:
        """Limits of the joints that have some, in the mechanism's coordinates."""
        with_some = {name: j.limit for name, j in self.robot.joints.items() if j.limit != Limit()}
        return {name: _shifted(limit, self.zero.get(name, 0.0)) for name, limit in with_some.items()}


def _shifted(limit: Limit, zero: float) -> Limit:
    lower, upper = (None if x is None else x - zero for x in (limit.lower, limit.upper))
    return replace(limit, lower=lower, upper=upper)


def build(robot: Robot, poses: Mapping[str, Array], zero: Mapping[str, float], floating: bool) -> Mechanism:
    """The mechanism with its links at these poses; parts that no joint leads to are free, or welded to ground."""
    mech = Mechanism(robot.name, robot.gravity)
    for name, link in robot.links.items():
        with located(f"link {shown(name)}"):
            mech.body(
                name, link.mass, link.com, link.inertia, poses[name], shape_of(link.geometry), inertia_about="com"
            )
    for root in robot.roots:
        mech.joint(_free_name("root_joint", robot, mech), GROUND, root, Free() if floating else Weld())
    for joint in robot.joints.values():
        with located(joint.who):
            own = told(joint) if joint.closes else drawn(joint, poses[joint.parent], poses[joint.child])
            mech.joint(joint.name, joint.parent, joint.child, own)
    for joint in robot.joints.values():
        with located(joint.who):
            _add_forces(mech, joint, zero.get(joint.name, 0.0))
            _add_mimic(mech, robot, joint, zero)
    for box in robot.gearboxes:
        with located(f"joint {shown(box.name)}"):
            _add_gearbox(mech, robot, box, poses)
    mech.notes = (*left_out(robot), *remarks(robot, limits=False))
    mech.preferred_cut = robot.closing if _connected_without(mech, robot.closing) else ()
    return mech


def _connected_without(mech: Mechanism, cut: tuple[str, ...]) -> bool:
    """Whether joints lead from ground to every body when some are cut."""
    beside: dict[str, list[str]] = {GROUND: [], **{name: [] for name in mech.bodies}}
    for c in mech.joints.values():
        if c.name not in cut:
            beside[c.parent].append(c.child)
            beside[c.child].append(c.parent)
    seen, waiting = {GROUND}, [GROUND]
    while waiting:
        new = [name for name in beside[waiting.pop()] if name not in seen]
        seen.update(new)
        waiting += new
    return len(seen) == len(beside)


def _free_name(word: str, robot: Robot, mech: Mechanism) -> str:
    while word in robot.joints or word in mech.joints:
        word += "_"
    return word


def _add_forces(mech: Mechanism, joint: Joint, zero: float) -> None:
    """Damper, spring and rotor of a one-dof joint; what the file says of others has no coordinate to act on."""
    if joint.kind not in ONE_DOF:
        return
    if joint.damping != 0.0:
        mech.joint_damper(f"{joint.name} damping", joint.name, joint.damping)
    if joint.stiffness != 0.0:
        mech.joint_spring(f"{joint.name} spring", joint.name, joint.stiffness, joint.rest - zero)
    if joint.rotor != 0.0:
        mech.joint_inertia(f"{joint.name} rotor", joint.name, joint.rotor, joint.gear)


def _add_mimic(mech: Mechanism, robot: Robot, joint: Joint, zero: Mapping[str, float]) -> None:
    """q - multiplier q_other = offset, or a coordinate that is held."""
    m = joint.mimic
    if m is None:
        return
    if m.joint not in robot.joints:
        raise DocumentError(f"mimic: {unknown(m.joint, 'joint', robot.joints)}")
    if joint.kind not in ONE_DOF or robot.joints[m.joint].kind not in ONE_DOF or m.joint == joint.name:
        raise DocumentError(f"mimic: joint {shown(m.joint)} cannot be followed; mimic needs two one-DOF joints")
    offset = m.offset + m.multiplier * zero.get(m.joint, 0.0) - zero.get(joint.name, 0.0)
    if m.multiplier == 0.0:
        mech.drive(f"{joint.name} mimic", joint.name, offset)
    else:
        mech.coupling(f"{joint.name} mimic", {joint.name: 1.0, m.joint: -m.multiplier}, offset)


def _add_gearbox(mech: Mechanism, robot: Robot, box: Gearbox, poses: Mapping[str, Array]) -> None:
    """ratio theta_a + theta_b = 0, by the joints of the two wheels."""
    a, sign_a = _wheel(robot, box.body, box.wheel_a, box.axis_a, poses)
    b, sign_b = _wheel(robot, box.body, box.wheel_b, box.axis_b, poses)
    mech.coupling(box.name, {a: box.ratio * sign_a, b: sign_b})


def _wheel(robot: Robot, body: str, wheel: str, axis: Array, poses: Mapping[str, Array]) -> tuple[str, float]:
    """The hinge between two links, and whether its angle is that of the wheel about the axis."""
    for j in robot.joints.values():
        if j.kind in ONE_DOF and {j.parent, j.child} == {body, wheel}:
            along = float(poses[j.child][:3, :3] @ j.on_child[:3, :3] @ np.array(j.axis) @ axis)
            return j.name, float(np.sign(along)) * (1.0 if j.child == wheel else -1.0)
    raise DocumentError(
        f"there is no hinge between {body!r} and {wheel!r}; a gearbox needs one for each of its two wheels"
    )
