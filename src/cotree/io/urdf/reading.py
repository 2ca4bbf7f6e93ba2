"""From the elements of a URDF to a robot: its tree, and what closes loops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError, DuplicateNameError
from cotree.io.native.error_paths import located
from cotree.io.robots.description import GROUND, Joint, Link, Robot
from cotree.io.urdf.joints import LOOPS, check_loop_elements, read_joint, read_loop
from cotree.io.urdf.link_poses import placed_links
from cotree.io.urdf.links import read_link
from cotree.io.urdf.rotors import is_rotor, with_rotors
from cotree.io.xml.elements import Element, shown
from cotree.io.xml.values import vector_at
from cotree.model.mechanism import nearest

Array = NDArray[np.float64]
GRAVITY = (0.0, 0.0, -9.81)
WORLD = "world"
READ = ("link", "joint", "gravity", "material", *LOOPS)
Thing = TypeVar("Thing", Link, Joint)


def robot_of(root: Element) -> Robot:
    """The robot of a URDF's root element."""
    if root.tag != "robot":
        raise DocumentError(f"the root element is <{root.tag}>; a URDF file has <robot>")
    for element in root.inside:
        if element.tag.startswith("xacro:"):
            raise DocumentError(f"<{element.tag}>: this is xacro, not URDF; run xacro on it first")
    check_loop_elements(root)
    links = _by_name(_each(root, read_link, "link"))
    joints = _by_name([*_each(root, read_joint, "joint"), *_each(root, read_loop, *LOOPS)])
    for joint in joints.values():
        with located(joint.who):
            _check_ends(joint, links)
    joints = _tree_and_loops(with_rotors(joints, root))
    top = _root(links, joints)
    grounded = top in (WORLD, GROUND)
    if grounded:
        links.pop(top)
    world = {top, WORLD} if grounded else {WORLD} - set(links)
    joints = {name: _renamed(j, world) for name, j in joints.items()}
    if GROUND in links:
        raise DocumentError("link 'ground' is not the root, but the name is reserved for the world; rename the link")
    gravity = vector_at(root.first("gravity"), "xyz", GRAVITY)
    unread = tuple(dict.fromkeys(e.tag[:60] for e in root.inside if e.tag not in READ and not is_rotor(e)))
    roots = () if grounded else (top,)
    robot = Robot(root.attributes.get("name", ""), links, joints, {}, roots, gravity=gravity, unread=unread)
    return replace(robot, poses=placed_links(robot, {}))


def _each(root: Element, read: Callable[[Element], Thing], *tags: str) -> Iterator[Thing]:
    """What the elements of these tags say; errors name the element."""
    for element in root.inside:
        if element.tag in tags:
            with located(element.who):
                thing = read(element)
            yield thing


def _by_name(things: Iterable[Thing]) -> dict[str, Thing]:
    found: dict[str, Thing] = {}
    for thing in things:
        if thing.name in found:
            raise DuplicateNameError(f"{type(thing).__name__.lower()} {shown(thing.name)} occurs twice; rename one")
        found[thing.name] = thing
    return found


def _check_ends(joint: Joint, links: dict[str, Link]) -> None:
    for which, name in (("parent", joint.parent), ("child", joint.child)):
        if name not in links and not (joint.closes and name == WORLD):
            raise DocumentError(f"{which}: there is no link {shown(name)}{nearest(name[:60], links)}")
    if joint.parent == joint.child:
        raise DocumentError(f"link {shown(joint.parent)} is its own parent; name two links")


def _tree_and_loops(joints: dict[str, Joint]) -> dict[str, Joint]:
    """A second joint to the same child closes a loop."""
    seen: set[str] = set()
    out = {}
    for name, joint in joints.items():
        again = not joint.closes and joint.child in seen
        if again and joint.kind == "floating":
            raise DocumentError(
                f"{joint.who}: link {shown(joint.child)} already has a parent, and a floating joint cannot close a loop"
            )
        out[name] = replace(joint, closes=True) if again else joint
        if not joint.closes:
            seen.add(joint.child)
    return out


def _root(links: dict[str, Link], joints: dict[str, Joint]) -> str:
    """The link without a parent, of which there is one."""
    if not links:
        raise DocumentError("the robot has no links; a URDF has at least one")
    children = {j.child for j in joints.values() if not j.closes}
    roots = [name for name in links if name not in children]
    if len(roots) != 1:
        those = ", ".join(map(shown, roots[:5])) or "none"
        raise DocumentError(
            f"links without a parent: {those}; a URDF has exactly one; all others must be reached by joints"
        )
    return roots[0]


def _renamed(joint: Joint, world: set[str]) -> Joint:
    """Ground instead of links that stand for it."""
    parent, child = (GROUND if name in world else name for name in (joint.parent, joint.child))
    return replace(joint, parent=parent, child=child)
