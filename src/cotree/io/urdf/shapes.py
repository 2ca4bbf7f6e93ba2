"""Shapes of bodies as <visual> elements of a URDF."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError
from cotree.io.xml.poses import roll_pitch_yaw
from cotree.model import shapes
from cotree.model.joints import axis_frame
from cotree.model.mechanism import Body

Array = NDArray[np.float64]


def visual(body: Body, C: Array) -> list[str]:
    """Lines of the elements, C: the body's frame in the link's; none without a shape."""
    return [line for shape in shapes.shapes_of(body.shape) for line in _visual(body, shape, C)]


def _visual(body: Body, shape: Any, C: Array) -> list[str]:
    own, form = _form(body, shape)
    F = C @ own
    xyz, rpy = (" ".join(repr(float(x)) for x in v) for v in (F[:3, 3], roll_pitch_yaw(F[:3, :3])))
    inside = [f'<origin xyz="{xyz}" rpy="{rpy}"/>', f"<geometry>{form}</geometry>", *_material(shape)]
    return ["    <visual>", *(f"      {line}" for line in inside), "    </visual>"]


def _material(shape: Any) -> list[str]:
    """Colour and opacity where they are given."""
    color, opacity = getattr(shape, "color", None), getattr(shape, "opacity", 1.0)
    if color is None:
        return []
    rgba = " ".join(f"{x:.6g}" for x in (*(int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)), opacity))
    name = f"{color} {opacity:g}"  # alike wherever the name occurs
    return [f'<material name="{name}"><color rgba="{rgba}"/></material>']


def _form(body: Body, shape: Any) -> tuple[Array, str]:
    """Pose in the body's frame and element of a shape."""
    C = np.eye(4)
    if isinstance(shape, shapes.Box):
        C[:3, 3] = shape.center
        C[:3, :3] = np.eye(3) if shape.rotation is None else shape.rotation
        return C, f'<box size="{" ".join(repr(float(x)) for x in shape.size)}"/>'
    if isinstance(shape, shapes.Sphere):
        C[:3, 3] = shape.center
        return C, f'<sphere radius="{float(shape.radius)!r}"/>'
    if isinstance(shape, shapes.Cylinder):
        a, b = np.array(shape.a, dtype=float), np.array(shape.b, dtype=float)
        length = float(np.linalg.norm(b - a))
        C = axis_frame(0.5 * (a + b), (b - a) / length)
        return C, f'<cylinder radius="{float(shape.radius)!r}" length="{length!r}"/>'
    if isinstance(shape, shapes.Mesh):
        scale = " ".join([repr(float(shape.scale))] * 3)
        C = C if shape.pose is None else np.array(shape.pose, dtype=float)
        return C, f'<mesh filename={quoteattr(str(shape.path))} scale="{scale}"/>'
    raise DocumentError(
        f"shape of body {body.name!r} is of class {type(shape).__name__}, which URDF cannot express; use one from "
        f"the catalogue"
    )
