"""Links of a URDF: inertia and geometry."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cotree.io.native.error_paths import located
from cotree.io.robots.description import Geometry, Link
from cotree.io.xml.elements import Element
from cotree.io.xml.poses import pose
from cotree.io.xml.values import attribute, number_at, the, vector_at

Array = NDArray[np.float64]
ZERO = (0.0, 0.0, 0.0)
MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def origin_of(element: Element | None, tag: str = "origin") -> Array:
    """Pose of the <origin> inside; the identity without one."""
    found = None if element is None else element.first(tag)
    return placed(found)


def placed(element: Element | None) -> Array:
    """Pose of the attributes xyz and rpy."""
    return pose(vector_at(element, "xyz", ZERO), vector_at(element, "rpy", ZERO))


def read_link(element: Element) -> Link:
    """A link; without <inertial> it has no mass."""
    name, geometry = attribute(element, "name"), tuple(_geometry(element))
    inertial = element.first("inertial")
    if inertial is None:
        return Link(name, geometry=geometry)
    with located("inertial"):
        C, mass, tensor = origin_of(inertial), number_at(the(inertial, "mass"), "value"), the(inertial, "inertia")
        xx, xy, xz, yy, yz, zz = (number_at(tensor, key) for key in MOMENTS)
    R = C[:3, :3]
    inertia = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    return Link(name, mass, C[:3, 3], inertia, geometry)


def _geometry(link: Element) -> Iterator[Geometry]:
    """Boxes, cylinders, spheres and meshes; anything else does not affect the mechanics and is ignored."""
    for role in ("visual", "collision"):
        for element in link.all(role):
            with located(role):
                for form in the(element, "geometry").inside:
                    yield from (replace(g, rgba=_rgba(element)) for g in _form(role, form, origin_of(element)))


def _rgba(visual: Element) -> tuple[float, ...] | None:
    """Colour of a <material> that is written out; None without one, or where it is not four numbers from 0 to 1."""
    material = visual.first("material")
    color = None if material is None else material.first("color")
    try:
        found = () if color is None else tuple(float(x) for x in color.attributes.get("rgba", "").split())
    except ValueError:
        return None
    return found if len(found) == 4 and all(0.0 <= x <= 1.0 for x in found) else None


def _form(role: str, form: Element, origin: Array) -> Iterator[Geometry]:
    if form.tag == "box":
        attribute(form, "size")
        yield Geometry(role, "box", vector_at(form, "size", ZERO), origin)
    elif form.tag == "cylinder":
        yield Geometry(role, "cylinder", (number_at(form, "radius"), number_at(form, "length")), origin)
    elif form.tag == "sphere":
        yield Geometry(role, "sphere", (number_at(form, "radius"),), origin)
    elif form.tag == "mesh":
        scale = vector_at(form, "scale", (1.0, 1.0, 1.0))
        yield Geometry(role, "mesh", scale, origin, attribute(form, "filename"))
