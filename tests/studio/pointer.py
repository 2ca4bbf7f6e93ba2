"""The pointer in the picture: where a place of the mechanism is on the screen, and drags from there."""

from __future__ import annotations

import time
from typing import Any

import numpy as np


def on_screen(studio: Any, driver: Any, place: Any) -> tuple[int, int]:
    """Pixel of the browser's window at which a place in the world [m] is seen, by the camera of viser."""
    (client,) = studio.server.get_clients().values()
    camera, box = client.camera, driver.execute_script(
        "const r = document.querySelector('canvas').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]"
    )  # fmt: skip
    ahead = np.subtract(camera.look_at, camera.position)
    ahead = ahead / np.linalg.norm(ahead)
    right = np.cross(ahead, camera.up_direction)
    right = right / np.linalg.norm(right)
    x = np.asarray(place) - studio.stage.scene.frames.origin - camera.position
    scale = 0.5 * box[3] / np.tan(0.5 * camera.fov) / (x @ ahead)
    return (
        int(box[0] + 0.5 * box[2] + scale * (x @ right)),
        int(box[1] + 0.5 * box[3] - scale * (x @ np.cross(right, ahead))),
    )


def drag(driver: Any, start: tuple[int, int], way: tuple[int, int]) -> None:
    """Press at a pixel, go in steps, let go."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.actions.action_builder import ActionBuilder

    hand = ActionBuilder(driver, duration=50)
    hand.pointer_action.move_to_location(*start).pointer_down()
    hand.perform()
    for part in np.linspace(0.0, 1.0, 6)[1:]:
        move = ActionBuilder(driver, duration=50)
        move.pointer_action.move_to_location(int(start[0] + part * way[0]), int(start[1] + part * way[1]))
        move.perform()
        time.sleep(0.1)
    ActionChains(driver).release().perform()
