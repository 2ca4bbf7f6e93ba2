"""What a URDF or an SDF file says and a mechanism does not."""

from __future__ import annotations

import warnings

from cotree.errors import ModelWarning
from cotree.io.notes import listed
from cotree.io.robots.description import Joint, Robot
from cotree.io.robots.joints import ONE_DOF


def left_out(robot: Robot, friction: bool = False) -> list[str]:
    """What changes the motion; friction: whether that of joints with one coordinate is kept."""
    joints = robot.joints.values()
    rubbing = [j.name for j in joints if j.friction and not (friction and j.kind in ONE_DOF)]
    held = [j.name for j in joints if (j.damping or j.stiffness) and j.kind not in ONE_DOF and j.kind != "fixed"]
    found = [
        listed("dry friction of joints", rubbing, "is ignored; load(friction=True) keeps it"),
        listed("springs and dampers of joints with several DOF", held, "are ignored; use mech.joint_damper"),
    ]
    return [note for note in found if note]


def warn_of(robot: Robot, place: str) -> None:
    for note in left_out(robot):
        warnings.warn(f"{place}: {note}", ModelWarning, stacklevel=3)


def remarks(robot: Robot, limits: bool) -> list[str]:
    """What is left out as such things always are."""
    joints = robot.joints.values()
    ranged = [] if limits else [j.name for j in joints if _is_ranged(j)]
    bounded = [j.name for j in joints if j.limit.effort is not None or j.limit.velocity is not None]
    found = [
        listed("limits of joints", ranged, "are ignored; limits=True (--limits) turns them into stops"),
        listed("bounds on effort and speed of joints", bounded, "are ignored"),
        listed("elements", robot.unread, "are not read"),
    ]
    return [note for note in found if note]


def _is_ranged(joint: Joint) -> bool:
    return joint.kind in ONE_DOF and joint.kind != "continuous" and {joint.limit.lower, joint.limit.upper} != {None}
