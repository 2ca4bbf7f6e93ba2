"""From the elements of an SDF file to a robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError
from cotree.io.native.error_paths import located
from cotree.io.robots.description import GROUND, Gearbox, Geometry, Joint, Link, Robot
from cotree.io.sdf.frames import Frame, frames_of, placed_frames, pose_of
from cotree.io.sdf.joints import JointReader
from cotree.io.xml.elements import Element
from cotree.io.xml.values import attribute, number, numbers, the

Array = NDArray[np.float64]
NESTED = ("include", "model")
READ = ("link", "joint", "frame", "pose", "static", "self_collide", "allow_auto_disable", "enable_wind")
UNIT = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}  # what SDF takes without a word


def robot_of(root: Element) -> Robot:
    """The robot of an SDF file that has one model."""
    if root.tag != "sdf":
        raise DocumentError(f"the root element is <{root.tag}>; an SDF file has <sdf>")
    top = root.first("world") or root
    models = list(top.all("model"))
    if len(models) != 1 or top.first("include") is not None:
        raise DocumentError(f"there are {len(models)} models in the file, or included models; keep one model per file")
    gravity = top.first("gravity")
    with located(models[0].who):
        version = number(root.attributes.get("version", "1.7"), "version")
        g = (0.0, 0.0, -9.81) if gravity is None else numbers(gravity.text, 3, "gravity")
        return _robot(models[0], g, version)


def _robot(model: Element, gravity: tuple[float, ...], version: float) -> Robot:
    for element in model.inside:
        if element.tag in NESTED:
            raise DocumentError(f"<{element.tag}>: models inside a model are not read; write all links into one model")
    static = model.first("static")
    if static is not None and static.text in ("1", "true"):
        raise DocumentError("static: a static model is not a mechanism; remove static")
    frames = frames_of(model)
    placed = placed_frames(frames)
    links = {}
    for element in model.all("link"):
        with located(element.who):
            link = _link(element)
            links[link.name] = link
    joints, gearboxes = _joints(model, frames, placed, version)
    poses = {GROUND: np.eye(4), **{name: placed[name] for name in links}}
    if not links:
        raise DocumentError("the model has no links; it needs at least one")
    if GROUND in links:
        raise DocumentError("link 'ground': the name is reserved for the world; rename the link")
    unread = tuple(dict.fromkeys(e.tag[:60] for e in model.inside if e.tag not in READ))
    roots = _roots(links, joints)
    return Robot(model.attributes.get("name", ""), links, joints, poses, roots, gearboxes, gravity, unread=unread)


def _joints(
    model: Element, frames: Mapping[str, Frame], placed: Mapping[str, Array], version: float
) -> tuple[dict[str, Joint], tuple[Gearbox, ...]]:
    read, joints, gearboxes = JointReader(frames, placed, version), dict[str, Joint](), list[Gearbox]()
    for element in model.all("joint"):
        with located(element.who):
            if attribute(element, "type") == "gearbox":
                gearboxes.append(read.gearbox(element))
            else:
                joints[attribute(element, "name")] = read.joint(element)
    return joints, tuple(gearboxes)


def _roots(links: Mapping[str, Link], joints: Mapping[str, Joint]) -> tuple[str, ...]:
    """The first link of each part that no joint connects to ground."""
    beside: dict[str, list[str]] = {}
    for joint in joints.values():
        beside.setdefault(joint.parent, []).append(joint.child)
        beside.setdefault(joint.child, []).append(joint.parent)
    roots, seen = [], set[str]()
    for first in (GROUND, *links):
        if first in seen:
            continue
        roots.append(first)
        waiting = [first]
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += beside.get(name, [])
    return tuple(roots[1:])


# -- links ---------------------------------------------------------------------------------------------------


def _link(element: Element) -> Link:
    """A link; SDF has a mass of 1 and moments of 1 where nothing is said."""
    inertial = element.first("inertial") or Element("inertial", {})
    with located("inertial"):
        if inertial.attributes.get("auto") in ("1", "true"):
            raise DocumentError("auto: inertia is not computed from shapes; give mass and inertia")
        C, tensor = pose_of(inertial)[0], inertial.first("inertia") or Element("inertia", {})
        xx, xy, xz, yy, yz, zz = (value_in(tensor, key, default) for key, default in UNIT.items())
        mass = value_in(inertial, "mass", 1.0)
    R = C[:3, :3]
    inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    return Link(attribute(element, "name"), mass, C[:3, 3], inertia, tuple(_geometry(element)))


def value_in(element: Element, tag: str, default: float) -> float:
    """The number in an element inside."""
    found = element.first(tag)
    return default if found is None else number(found.text, tag)


def _geometry(link: Element) -> Iterator[Geometry]:
    for role in ("visual", "collision"):
        for element in link.all(role):
            with located(element.who):
                for form in the(element, "geometry").inside:
                    yield from (replace(g, friction=_friction(element)) for g in _form(role, form, pose_of(element)[0]))


def _friction(collision: Element) -> float | None:
    """The coefficient surface/friction/ode/mu of a collision."""
    at: Element | None = collision
    for tag in ("surface", "friction", "ode", "mu"):
        at = None if at is None else at.first(tag)
    return None if at is None else number(at.text, "mu")


def _form(role: str, form: Element, origin: Array) -> Iterator[Geometry]:
    if form.tag == "box":
        yield Geometry(role, "box", numbers(the(form, "size").text, 3, "size"), origin)
    elif form.tag in ("sphere", "cylinder", "capsule"):
        keys = ("radius", "length")[: 1 + (form.tag != "sphere")]
        yield Geometry(role, form.tag, tuple(number(the(form, key).text, key) for key in keys), origin)
    elif form.tag == "mesh":
        scale = form.first("scale")
        factors = (1.0, 1.0, 1.0) if scale is None else numbers(scale.text, 3, "scale")
        yield Geometry(role, "mesh", factors, origin, the(form, "uri").text)
