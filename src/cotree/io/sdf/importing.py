"""SDF files to mechanisms."""

from __future__ import annotations

from pathlib import Path

from cotree.io.native.error_paths import located
from cotree.io.robots.building import Imported, build
from cotree.io.robots.description import Robot
from cotree.io.robots.notes import warn_of
from cotree.io.sdf.reading import robot_of
from cotree.io.xml.elements import parse, read_bytes
from cotree.model.checks import flag_or_none


def read_sdf(path: str | Path) -> Robot:
    """All that an SDF file says of its one model, with limits, efforts and friction."""
    file = Path(path)
    with located(file.name):
        return robot_of(parse(read_bytes(file)))


def import_sdf(path: str | Path, floating: bool | None = None) -> Imported:
    """The mechanism of an SDF file, with what it was made of; parts that no joint leads to from the world are free, as SDF
    means it, or with floating=False welded to ground."""
    floating = flag_or_none(floating, "floating")
    robot = read_sdf(path)
    with located(Path(path).name):
        found = Imported(build(robot, robot.poses, {}, floating is not False), robot, {})
    warn_of(robot, Path(path).name)
    return found
