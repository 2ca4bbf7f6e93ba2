"""Frames of an SDF model: poses that are relative to one another by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError
from cotree.io.native.error_paths import located
from cotree.io.xml.elements import Element, shown
from cotree.io.xml.poses import pose
from cotree.io.xml.values import attribute, numbers, the
from cotree.model.mechanism import nearest

Array = NDArray[np.float64]
MODEL, WORLD = "__model__", "world"


@dataclass(frozen=True)
class Frame:
    """A pose in the frame of another name, and the frame that it moves with."""

    pose: Array
    relative_to: str
    attached_to: str


def pose_of(element: Element) -> tuple[Array, str]:
    """The <pose> inside, and the frame that it is relative to: empty for the usual one."""
    found = element.first("pose")
    if found is None or not found.text:
        return np.eye(4), "" if found is None else found.attributes.get("relative_to", "")
    if found.attributes.get("rotation_format", "euler_rpy") != "euler_rpy" or found.attributes.get("frame"):
        raise DocumentError("pose: only roll, pitch, yaw and relative_to are read; write the pose with these")
    *xyz, a, b, c = numbers(found.text, 6, "pose")
    unit = np.pi / 180.0 if found.attributes.get("degrees") in ("1", "true") else 1.0
    return pose(xyz, (a * unit, b * unit, c * unit)), found.attributes.get("relative_to", "")


def frames_of(model: Element) -> dict[str, Frame]:
    """All frames of a model by name: its own, those of links and joints, and those that are just frames."""
    frames = {MODEL: Frame(pose_of(model)[0], WORLD, WORLD)}
    for element in model.inside:
        if element.tag in ("link", "joint", "frame"):
            with located(element.who):
                name = attribute(element, "name")
                if name in frames or name == WORLD:
                    raise DocumentError("the name is already used for another link, joint or frame; rename one")
                frames[name] = _frame(element)
    return frames


def _frame(element: Element) -> Frame:
    C, relative_to = pose_of(element)
    usual = MODEL
    if element.tag == "joint":
        usual = child_name(element)
    elif element.tag == "frame":
        usual = element.attributes.get("attached_to") or MODEL
    return Frame(C, relative_to or usual, usual if element.tag != "link" else "")


def child_name(joint: Element) -> str:
    return the(joint, "child").text


def placed_frames(frames: Mapping[str, Frame]) -> dict[str, Array]:
    """Pose of every frame in the world."""
    placed = {WORLD: np.eye(4)}
    for name in frames:
        way = _way(frames, name, placed)
        for step in reversed(way):
            placed[step] = placed[frames[step].relative_to] @ frames[step].pose
    return placed


def _way(frames: Mapping[str, Frame], name: str, placed: Mapping[str, Array]) -> list[str]:
    """Names from a frame to the first whose place is known, without that one."""
    way, seen, at = [], set[str](), name
    while at not in placed:
        if at in seen:
            raise DocumentError(f"the pose of {shown(at)} is relative to itself; break the cycle of relative_to")
        if at not in frames:
            raise DocumentError(
                f"there is no link, joint or frame {shown(at)}, to which a pose is relative{nearest(at[:60], frames)}"
            )
        seen.add(at)
        way.append(at)
        at = frames[at].relative_to
    return way


def link_of(frames: Mapping[str, Frame], name: str) -> str:
    """The link that a frame moves with; empty attached_to marks links themselves. The places are known by now."""
    seen = set[str]()
    while name != WORLD:
        if name not in frames or name in seen:
            raise DocumentError(f"there is no link or frame {shown(name)}{nearest(name[:60], frames)}")
        if not frames[name].attached_to:
            return name
        seen.add(name)
        name = frames[name].attached_to
    return WORLD
