"""A scene as nodes of a viser server: bodies with the signs of their joints and their names, springs, floor, axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.lie.arrays import quaternion_of, rotation_of_quaternion
from cotree.view.scene import Scene
from cotree.view.scene.colours import LIGHT, rgb
from cotree.view.scene.outlook import distance_to_see, round_above
from cotree.view.scene.parts import across, cylinder
from cotree.view.scene.triangles import Triangles, coil, triangles

Array = NDArray[np.float64]
FIELD, ASPECT = 0.6, 1.2  # of the camera: radians from bottom to top; width to height of what the panel leaves
KINDS = ("joints", "floor", "axes", "body names", "joint names")  # what can be hidden
AT_FIRST = ("joints", "floor", "axes")


def sendable(text: str) -> str:
    """Names may hold halves of characters, which no message can."""
    return text.encode("utf-8", "replace").decode("utf-8")


class Stage:
    """Nodes of a scene; `put` moves the bodies, `show` hides and shows what is not a body. Names of nodes are numbers, since
    those of bodies may hold anything."""

    def __init__(self, server: Any, scene: Scene, room: float = 1.0) -> None:
        """room: how much farther away the eye is than it need be to see what the scene sweeps."""
        self.server, self.scene, self.room = server, scene, room
        self.shown: dict[str, list[Any]] = {kind: [] for kind in KINDS}
        self._look()
        self.bodies = [self._body(k) for k in range(len(scene.drawing.parts))]
        for k, joint in enumerate(scene.drawing.joints):
            self._joint(k, joint)
        self._floor()
        self._axes()
        self.quaternions, self.centres = scene.frames.quaternions[0], scene.frames.centres[0]
        self.ties = [self._tie(k, tie) for k, tie in enumerate(scene.drawing.ties)]
        for kind in KINDS:
            self.show(kind, kind in AT_FIRST)
        self.put(self.quaternions, self.centres)

    def put(self, quaternions: Array, centres: Array) -> None:
        """Move the bodies: (n, 4), scalar first, and mass centres (n, 3)."""
        self.quaternions, self.centres = quaternions, centres
        with self.server.atomic():
            for node, e, p in zip(self.bodies, quaternions, centres, strict=True):
                node.wxyz, node.position = e, p
            for node, tie, length in self.ties:
                self._stretch(node, tie, length)

    def show(self, kind: str, visible: bool) -> None:
        for node in self.shown[kind]:
            node.visible = visible

    # -- camera and light --------------------------------------------------------------------------------------

    def _look(self) -> None:
        """From where all that moves is seen, for each browser that comes; sky and lamps as in the page."""
        view, scene, camera = self.scene.view, self.server.scene, self.server.initial_camera
        middle = (np.array(view["low"]) + np.array(view["high"])) / 2
        reach = float(np.linalg.norm(np.subtract(view["high"], view["low"])))
        away = self.room * distance_to_see(view, FIELD, ASPECT)
        scene.set_up_direction(view["up"])
        camera.fov, camera.look_at, camera.up = FIELD, middle, np.array(view["up"])
        camera.position = middle + away * np.array(view["eye"])
        camera.near, camera.far = 0.01 * away, 3.0 * away + 10.0 * reach
        scene.configure_environment_map(hdri=None)  # which would bleach the colours
        scene.add_light_hemisphere("/lamp", ground_color=(170, 170, 180), intensity=1.5, position=tuple(view["up"]))
        scene.set_background_image(np.full((8, 8, 3), rgb(LIGHT["sky"]), dtype=np.uint8), format="png")

    # -- nodes -------------------------------------------------------------------------------------------------

    def _mesh(self, name: str, made: Triangles, colour: str, **more: Any) -> Any:
        return self.server.scene.add_mesh_simple(name, *made, color=rgb(LIGHT[colour]), **more)

    def _body(self, k: int) -> Any:
        sides = 12 if len(self.scene.drawing.parts) > 60 else 40
        made = triangles(self.scene.drawing.parts[k], sides)
        closed = all(part["kind"] != "mesh" for part in self.scene.drawing.parts[k])  # who knows about files
        side = "front" if closed else "double"
        node = self._mesh(f"/bodies/{k + 1}", made, self.scene.hues[k], side=side, receive_shadow=False)
        label = self._label(f"/bodies/{k + 1}/name", self.scene.system.body_names[k], np.zeros(3))
        self.shown["body names"].append(label)
        return node

    def _label(self, name: str, text: str, position: Array) -> Any:
        return self.server.scene.add_label(
            name, sendable(text), position=position, anchor="bottom-left", font_screen_scale=0.9
        )

    def _joint(self, k: int, joint: dict[str, Any]) -> None:
        colour = "cut" if joint["cut"] else "joint"
        words = f"{joint['name']} (cut)" if joint["cut"] else joint["name"]
        for n, glyph in enumerate(joint["glyphs"]):
            name = f"{self._node(glyph['body'])}/joint {k} {n}"
            made = triangles(glyph["parts"], 16)
            self.shown["joints"].append(self._mesh(name, made, colour, cast_shadow=False, receive_shadow=False))
            if n == 0:
                middle = (made[0].min(axis=0) + made[0].max(axis=0)) / 2
                self.shown["joint names"].append(self._label(f"{name} name", words, middle))

    def _node(self, row: int) -> str:
        return f"/bodies/{row}" if row else "/ground"

    def _tie(self, k: int, tie: dict[str, Any]) -> tuple[Any, dict[str, Any], float]:
        """Made at its first length and stretched later."""
        size = self.scene.drawing.size
        length = float(np.linalg.norm(self._end(tie, "b") - self._end(tie, "a"))) or size
        rod = cylinder(np.zeros(3), (0.0, 0.0, length), 0.3 * size)
        made = coil(length, 0.8 * size, 0.18 * size) if tie["kind"] == "spring" else triangles([rod], 12)
        return (
            self._mesh(f"/ties/{k}", made, "joint", side="double", cast_shadow=False, receive_shadow=False),
            tie,
            length,
        )

    def _end(self, tie: dict[str, Any], end: str) -> Array:
        row, x = tie[f"body_{end}"], np.array(tie[f"point_{end}"])
        return rotation_of_quaternion(self.quaternions[row - 1]) @ x + self.centres[row - 1] if row else x

    def _stretch(self, node: Any, tie: dict[str, Any], length: float) -> None:
        a, d = self._end(tie, "a"), self._end(tie, "b") - self._end(tie, "a")
        e, f = across(d)
        node.position, node.wxyz = a, quaternion_of(np.column_stack([e, f, np.cross(e, f)]))
        node.scale = (1.0, 1.0, max(float(np.linalg.norm(d)), 1e-9) / length)

    def _floor(self) -> None:
        """Lines at round numbers of metres, below everything."""
        view, origin = self.scene.view, self.scene.frames.origin
        up, low, high = (np.array(view[name]) for name in ("up", "low", "high"))
        reach = 0.75 * float(np.linalg.norm(high - low)) or 1.0
        cell = round_above(reach / 7)
        x = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
        e = x - up * (x @ up)
        e = e / np.linalg.norm(e)
        axes = np.column_stack([e, np.cross(up, e), up])
        place = ((low + high) / 2 + origin) @ axes  # to whole cells of the world, so that lines are at round numbers
        place = np.round(place / cell) * cell - origin @ axes
        place[2] = view["floor"] - 0.5 * (self.room - 1.0) * reach
        grid = self.server.scene.add_grid(
            "/floor", 4 * reach, 4 * reach, cell_size=cell, section_size=5 * cell, cell_color=rgb(LIGHT["grid"]),
            section_color=rgb(LIGHT["grid"]), fade_distance=6 * reach, fade_from="origin", shadow_opacity=0.18,
            wxyz=quaternion_of(axes), position=axes @ place,
        )  # fmt: skip
        self.shown["floor"].append(grid)

    def _axes(self) -> None:
        """Along the world's, at its origin where that is near."""
        view, zero = self.scene.view, -self.scene.frames.origin
        low, high = np.array(view["low"]), np.array(view["high"])
        reach = float(np.linalg.norm(high - low))
        if np.linalg.norm(zero - (low + high) / 2) < 2 * reach:
            length = 0.09 * reach
            node = self.server.scene.add_frame(
                "/axes", axes_length=length, axes_radius=0.02 * length, origin_radius=0.03 * length, position=zero
            )
            self.shown["axes"].append(node)
