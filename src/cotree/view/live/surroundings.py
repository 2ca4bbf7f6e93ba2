"""Surroundings of the bodies in a live view: camera, lights, floor, world axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotree.lie import quaternion_of
from cotree.view.scene import Scene
from cotree.view.scene.colours import LIGHT, rgb
from cotree.view.scene.outlook import distance_to_see, round_above

FIELD, ASPECT = 0.6, 1.05  # of the camera: radians from bottom to top; width to height of what the panel leaves


def look(server: Any, scene: Scene, room: float) -> None:
    """Camera position from which the whole motion is visible, for each client; background and lights as in the HTML page."""
    view, camera = scene.view, server.initial_camera
    middle = (np.array(view["low"]) + np.array(view["high"])) / 2
    away = room * distance_to_see(view, FIELD, ASPECT)
    server.scene.set_up_direction(view["up"])
    camera.fov, camera.look_at, camera.up = FIELD, middle, np.array(view["up"])
    camera.position = middle + away * np.array(view["eye"])
    camera.near, camera.far = 0.01 * away, 3.0 * away + 10.0 * _reach(scene)
    server.scene.configure_environment_map(hdri=None)  # it would wash out the colours
    server.scene.add_light_hemisphere("/lamp", ground_color=(170, 170, 180), intensity=1.9, position=tuple(view["up"]))
    server.scene.set_background_image(np.full((8, 8, 3), rgb(LIGHT["sky"]), dtype=np.uint8), format="png")


def _reach(scene: Scene) -> float:
    """Diagonal of the box that the motion sweeps [m]."""
    return float(np.linalg.norm(np.subtract(scene.view["high"], scene.view["low"]))) or 1.0


def floor(server: Any, scene: Scene, room: float) -> Any:
    """Grid lines at round numbers of metres: where the mechanism has its floor, else below everything; lower if there is room
    for moves."""
    view, origin, reach = scene.view, scene.frames.origin, 0.75 * _reach(scene)
    up, low, high = (np.array(view[name]) for name in ("normal", "low", "high"))
    cell = round_above(reach / 7)
    x = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    e = x - up * (x @ up)
    e = e / np.linalg.norm(e)
    axes = np.column_stack([e, np.cross(up, e), up])
    place = ((low + high) / 2 + origin) @ axes
    place = np.round(place / cell) * cell - origin @ axes  # whole cells from the world's origin
    given = scene.system.mechanism.floor_plane is not None
    place[2] = view["floor"] - (0.0 if given else 0.5 * (room - 1.0) * reach)
    return server.scene.add_grid(
        "/floor", 4 * reach, 4 * reach, cell_size=cell, section_size=5 * cell, cell_color=rgb(LIGHT["grid"]),
        section_color=rgb(LIGHT["grid"]), fade_distance=6 * reach, fade_from="origin", shadow_opacity=0.18,
        wxyz=quaternion_of(axes), position=axes @ place,
    )  # fmt: skip


def axes(server: Any, scene: Scene) -> list[Any]:
    """World axes at the origin if that is near; otherwise none."""
    zero, reach = -scene.frames.origin, _reach(scene)
    middle = (np.array(scene.view["low"]) + np.array(scene.view["high"])) / 2
    if np.linalg.norm(zero - middle) >= 2 * reach:
        return []
    length = 0.09 * reach
    thin = {"axes_radius": 0.02 * length, "origin_radius": 0.03 * length}
    return [server.scene.add_frame("/axes", axes_length=length, position=zero, **thin)]
