"""URDF files to mechanisms."""

from __future__ import annotations

from pathlib import Path

from cotree.errors import ChoiceError
from cotree.io.native.error_paths import located
from cotree.io.robots.building import Imported, build
from cotree.io.robots.description import Robot
from cotree.io.robots.joints import ONE_DOF
from cotree.io.robots.notes import warn_of
from cotree.io.urdf.closing import closed
from cotree.io.urdf.link_poses import placed_links
from cotree.io.urdf.reading import robot_of
from cotree.io.urdf.side_file import with_side_file
from cotree.io.xml.elements import parse, read_bytes
from cotree.model.checks import flag_or_none

Loops = str | Path | bool | None


def read_urdf(path: str | Path, loops: Loops = None) -> Robot:
    """All that a URDF says, with limits, efforts and friction; loops: see `import_urdf`."""
    file = Path(path)
    with located(file.name):
        return with_side_file(robot_of(parse(read_bytes(file))), file, loops)


def import_urdf(path: str | Path, floating: bool | None = None, loops: Loops = None) -> Imported:
    """The mechanism of a URDF, with what it was made of.

    floating: whether the root link is free; else it is welded to ground, a root called "world" is ground itself. loops: a
    YAML file that names frames which meet (without one that lies beside the URDF is taken), or False for the tree alone.
    Loops that are open where the file has zero are closed, and coordinates then count from there.
    """
    floating = flag_or_none(floating, "floating")
    robot = read_urdf(path, loops)
    with located(Path(path).name):
        if floating and not robot.roots:
            raise ChoiceError("the root link is the world and cannot float; leave floating out, or rename the link")
        at = closed(robot)
        poses = placed_links(robot, at) if at else robot.poses
        zero = {name: float(x[0]) for name, x in at.items() if robot.joints[name].kind in ONE_DOF}
        found = Imported(build(robot, poses, zero, bool(floating)), robot, zero)
    warn_of(robot, Path(path).name)
    return found
