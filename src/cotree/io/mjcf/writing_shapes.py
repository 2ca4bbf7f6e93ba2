"""Shapes of bodies as geoms, and the meshes that they show."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cotree.errors import DocumentError
from cotree.io.mjcf.writing_values import element, pose_attributes, words
from cotree.model import shapes
from cotree.model.joints import axis_frame
from cotree.model.mechanism import Body

PICTURE = {"mass": "0", "contype": "0", "conaffinity": "0"}


@dataclass
class Assets:
    """Meshes of the file, each once."""

    meshes: dict[tuple[str, float], str] = field(default_factory=dict)

    def mesh(self, path: str, scale: float) -> str:
        """Name of a mesh."""
        return self.meshes.setdefault((path, scale), f"mesh {len(self.meshes)}")

    @property
    def lines(self) -> list[str]:
        return [
            element("mesh", {"name": name, "file": path, **({} if scale == 1.0 else {"scale": words([scale] * 3)})})
            for (path, scale), name in self.meshes.items()
        ]


def geom(body: Body, assets: Assets) -> list[str]:
    """The geoms of a body; none without a shape."""
    return [_geom(body, shape, assets) for shape in shapes.shapes_of(body.shape)]


def _geom(body: Body, shape: Any, assets: Assets) -> str:
    C = np.eye(4)
    if isinstance(shape, shapes.Box):
        C[:3, 3], C[:3, :3] = shape.center, np.eye(3) if shape.rotation is None else shape.rotation
        form = {"type": "box", "size": words(0.5 * float(x) for x in shape.size)}
    elif isinstance(shape, shapes.Sphere):
        C[:3, 3] = shape.center
        form = {"type": "sphere", "size": words([shape.radius])}
    elif isinstance(shape, shapes.Cylinder):
        a, b = np.array(shape.a, dtype=float), np.array(shape.b, dtype=float)
        length = float(np.linalg.norm(b - a))
        C = axis_frame(0.5 * (a + b), (b - a) / length)
        form = {"type": "cylinder", "size": words((shape.radius, 0.5 * length))}
    elif isinstance(shape, shapes.Mesh):
        C = C if shape.pose is None else np.array(shape.pose, dtype=float)
        form = {"type": "mesh", "mesh": assets.mesh(str(shape.path), float(shape.scale))}
    else:
        raise DocumentError(
            f"shape of body {body.name!r} is of class {type(shape).__name__}, which MJCF cannot express; use one "
            f"from the catalogue"
        )
    return element("geom", {**form, **pose_attributes(C), **_paint(shape), **PICTURE})


def _paint(shape: Any) -> dict[str, str]:
    """Colour and opacity where they are given."""
    color = getattr(shape, "color", None)
    if color is None:
        return {}
    return {"rgba": words((*(round(int(color[k : k + 2], 16) / 255, 6) for k in (1, 3, 5)), shape.opacity))}
