"""Loops told beside a URDF: a YAML file that names pairs of frames, as the example-parallel-robots collection has them.

closed_loop: pairs of names of joints or links, whose frames meet; type: "6d" (welded, the default) or "3d" (a point) for each.
name_mot: joints that are driven. joint_name, joint_type: joints to be read as SPHERICAL, CARDAN (about x, then y) or FIXED.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from cotree.errors import DocumentError, DuplicateNameError
from cotree.io.native.bounded import read_utf8
from cotree.io.native.error_paths import located
from cotree.io.native.texts import YAML
from cotree.io.paths import path_of
from cotree.io.robots.description import GROUND, Joint, Robot
from cotree.io.urdf.link_poses import placed_links
from cotree.io.xml.elements import shown
from cotree.io.xml.values import one_of
from cotree.model.naming import unknown

MOST_BYTES = 100_000
KINDS = {"6d": "fixed", "3d": "spherical"}
REPLACEMENTS = {"SPHERICAL": "spherical", "CARDAN": "universal", "FIXED": "fixed"}


def with_side_file(robot: Robot, file: Path, loops: str | Path | bool | None) -> Robot:
    """The robot with the loops of its side file: the one named, or one beside the URDF that is called like it."""
    if loops is False:
        return replace(robot, joints={name: j for name, j in robot.joints.items() if not j.closes})
    if loops is None or loops is True:
        beside = file.with_suffix(".yaml")
        if not _tells_loops(beside):
            return robot
        loops = beside
    path = file.parent / path_of(loops, "load(path, loops=...)")
    with located(path.name):
        return _add_loops(robot, YAML.read(read_utf8(path, MOST_BYTES)))


def _tells_loops(path: Path) -> bool:
    """Whether a file of this name exists and is not, for instance, a Cotree model."""
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        return False
    return b"closed_loop" in path.read_bytes()


def _add_loops(robot: Robot, document: Any) -> Robot:
    if not isinstance(document, dict) or "closed_loop" not in document:
        raise DocumentError("closed_loop is missing; give pairs of names of joints or links")
    pairs = _list(document, "closed_loop")
    kinds = [
        one_of(_word(k, "type").lower(), tuple(KINDS), "type") for k in _list(document, "type") or ["6d"] * len(pairs)
    ]
    if len(kinds) != len(pairs):
        raise DocumentError(
            f"there are {len(pairs)} pairs in closed_loop and {len(kinds)} entries in type; give one for each"
        )
    joints = {**robot.joints, **_replaced(robot, document)}
    for k, (pair, kind) in enumerate(zip(pairs, kinds, strict=True)):
        with located(f"closed_loop[{k}]"):
            if not isinstance(pair, list) or len(pair) != 2:
                raise DocumentError("this must be a pair of names of joints or links")
            a, b = (_link(robot, _word(name, "name")) for name in pair)
            if a == b:
                raise DocumentError(f"both are on link {a!r}; a loop is closed between two links")
            name = f"{pair[0]}-{pair[1]}"
            if name in joints:
                raise DuplicateNameError(f"joint {shown(name)} exists already; name each pair once")
            joints[name] = Joint(name, KINDS[kind], a, b, np.eye(4), np.eye(4), closes=True)
    motors = tuple(_word(name, "name_mot") for name in _list(document, "name_mot"))
    robot = replace(robot, joints=joints, motors=motors)
    return replace(robot, poses=placed_links(robot, {}))


def _replaced(robot: Robot, document: dict[str, Any]) -> dict[str, Joint]:
    """Joints of a kind that the URDF cannot express."""
    out = {}
    for name, kind in zip(_list(document, "joint_name"), _list(document, "joint_type"), strict=False):
        joint = robot.joints.get(_word(name, "joint_name"))
        if joint is None:
            raise DocumentError(f"joint_name: {unknown(name, 'joint', robot.joints)}")
        new = REPLACEMENTS[one_of(_word(kind, "joint_type").upper(), tuple(REPLACEMENTS), "joint_type")]
        out[name] = replace(joint, kind=new, axis=(1.0, 0.0, 0.0), axis2=(0.0, 1.0, 0.0))
    return out


def _link(robot: Robot, name: str) -> str:
    """The link whose frame is meant: that of a joint is the child's."""
    if name in robot.joints:
        return robot.joints[name].child
    if name in robot.links or name == GROUND:
        return name
    raise DocumentError(unknown(name, "joint or link", [*robot.joints, *robot.links], "the names are"))


def _list(document: dict[str, Any], key: str) -> list[Any]:
    value = document.get(key) or []
    if not isinstance(value, list):
        raise DocumentError(f"{key} must be a list")
    return value


def _word(value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise DocumentError(f"{key} must be text")
    return value
