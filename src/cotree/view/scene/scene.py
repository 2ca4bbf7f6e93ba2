"""The scene of a run or of a configuration: what to draw, its motion, and the camera."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cotree.model.mesh_files import MOST
from cotree.system.system import System
from cotree.view.scene.colours import hue
from cotree.view.scene.drawing import Drawing, drawing
from cotree.view.scene.frames import Frames
from cotree.view.scene.outlook import outlook, rolled_on, swept_points, tied_points, upwards
from cotree.view.scene.parts import extreme_points


@dataclass(frozen=True)
class Scene:
    """view: see `outlook`. Positions are relative to `frames.origin`, those of parts to the mass centre of their body."""

    system: System
    frames: Frames
    drawing: Drawing
    view: dict[str, Any]

    @property
    def places(self) -> list[int]:
        """Of each body in the order in which the user wrote them."""
        order = {name: k for k, name in enumerate(self.system.mechanism.bodies)}
        return [order[name] for name in self.system.body_names]

    @property
    def hues(self) -> list[str]:
        """Name of the colour of each body."""
        return [hue(place) for place in self.places]


def scene_of(system: System, found: Frames, most_triangles: int = MOST) -> Scene:
    picture = drawing(found, system, most_triangles)
    points = np.concatenate([swept_points(found, picture.parts), tied_points(found, picture.ties, picture.traces)])
    points = np.concatenate([points, *(extreme_points(part) for part in picture.scenery)])
    gravity, plane = system.mechanism.gravity, system.mechanism.floor_plane
    up = upwards(gravity)
    if plane is None or not plane.shown:
        floor, normal = rolled_on(system.mechanism.constraints.values(), up), up
        floor = None if floor is None else floor - float(found.origin @ up)
    else:
        normal = up if plane.normal is None else plane.normal
        floor = float((plane.point - found.origin) @ normal)
    view = outlook(points, gravity, floor, normal)
    return Scene(system, found, picture, view | {"floor_shown": plane is None or plane.shown})
