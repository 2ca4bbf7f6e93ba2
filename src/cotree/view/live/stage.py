"""A scene as nodes of a viser server: bodies with their joint glyphs and names, springs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.lie import quaternion_of, rotation_of_quaternion
from cotree.view.live.surroundings import axes, floor, look
from cotree.view.scene import Scene
from cotree.view.scene.colours import LIGHT, rgb
from cotree.view.scene.motion import path_of_point
from cotree.view.scene.parts import Part, across
from cotree.view.scene.triangles import Triangles, coil, triangles

Array = NDArray[np.float64]
KINDS = ("joints", "elements", "paths", "floor", "axes", "body names", "joint names")  # what can be hidden
AT_FIRST = ("joints", "elements", "paths", "floor", "axes")


def sendable(text: str) -> str:
    """A name without lone surrogates, which messages cannot carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


class Stage:
    """Nodes of a scene; `put` moves the bodies, `show` hides and shows everything else. Node names are numbers, since body
    names may contain any character."""

    def __init__(self, server: Any, scene: Scene, room: float = 1.0) -> None:
        """room: factor on the camera distance beyond what is needed to see the swept volume."""
        self.server, self.scene = server, scene
        self.shown: dict[str, list[Any]] = {kind: [] for kind in KINDS}
        self.joint_nodes: dict[str, list[Any]] = {}
        look(server, scene, room)
        self.bodies = [self._body(k) for k in range(len(scene.drawing.parts))]
        for k, joint in enumerate(scene.drawing.joints):
            self._joint(k, joint)
        for k, fitting in enumerate(scene.drawing.fittings):
            self._fitting(k, fitting)
        self._painted("/scenery", scene.drawing.scenery, LIGHT["grid"])
        self.shown["paths"] += [
            self._path(k, trace) for k, trace in enumerate(scene.drawing.traces) if len(scene.frames.t) > 1
        ]
        self.shown["floor"] += [floor(server, scene, room)]
        self.shown["axes"] += axes(server, scene)
        self.quaternions, self.centres = scene.frames.quaternions[0], scene.frames.centres[0]
        self.ties = [self._tie(k, tie) for k, tie in enumerate(scene.drawing.ties)]
        for kind in KINDS:
            self.show(kind, kind in AT_FIRST and (kind != "floor" or scene.view["floor_shown"]))
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

    def paint_joints(self, colours: dict[str, str]) -> None:
        """Colours of joints by name; the others have their own again."""
        for joint in self.scene.drawing.joints:
            usual = LIGHT["cut" if joint["cut"] else "joint"]
            for node in self.joint_nodes.get(joint["name"], ()):
                node.color = rgb(colours.get(joint["name"], usual))

    # -- nodes -------------------------------------------------------------------------------------------------

    def _mesh(self, name: str, made: Triangles, colour: str, **more: Any) -> Any:
        return self.server.scene.add_mesh_simple(name, *made, color=rgb(colour), **more)

    def _body(self, k: int) -> Any:
        node = self._painted(f"/bodies/{k + 1}", self.scene.drawing.parts[k], LIGHT[self.scene.hues[k]])
        label = self._label(f"/bodies/{k + 1}/name", self.scene.system.body_names[k], np.zeros(3))
        self.shown["body names"].append(label)
        return node

    def _painted(self, name: str, parts: list[Part], colour: str) -> Any:
        """A node with a mesh for each colour and opacity; its own is the first."""
        groups: dict[tuple[str, float], list[Part]] = {}
        for part in parts:
            groups.setdefault((part.get("color", colour), part.get("opacity", 1.0)), []).append(part)
        sides = 12 if len(self.scene.drawing.parts) > 60 else 40
        nodes = []
        for n, ((own, opacity), some) in enumerate(groups.items()):
            closed = all(part["kind"] != "mesh" for part in some)  # mesh files may not be closed
            more: dict[str, Any] = {} if opacity == 1.0 else {"opacity": opacity}
            side = "front" if closed else "double"
            where = name if n == 0 else f"{name}/part {n}"
            nodes.append(self._mesh(where, triangles(some, sides), own, side=side, receive_shadow=False, **more))
        return nodes[0] if nodes else None

    def _fitting(self, k: int, fitting: dict[str, Any]) -> None:
        """A motor, spring, damper or brake at a joint, or a bushing."""
        name, made = f"{self._node(fitting['body'])}/element {k}", triangles(fitting["parts"], 16)
        node = self._mesh(name, made, LIGHT["c3"], cast_shadow=False, receive_shadow=False)
        self.shown["elements"].append(node)

    def _path(self, k: int, trace: dict[str, Any]) -> Any:
        """The line that a point of a body passes in the run."""
        points = path_of_point(self.scene.frames, trace["body"], np.array(trace["point"]))
        colour, ends = trace["color"] or LIGHT["text"], np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)
        return self.server.scene.add_line_segments(
            f"/paths/{k}",
            ends,
            rgb(colour),
            thickness=2.0,
            thickness_units="screen",
        )

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
            self.shown["joints"].append(self._mesh(name, made, LIGHT[colour], cast_shadow=False, receive_shadow=False))
            self.joint_nodes.setdefault(joint["name"], []).append(self.shown["joints"][-1])
            if n == 0:
                middle = (made[0].min(axis=0) + made[0].max(axis=0)) / 2
                self.shown["joint names"].append(self._label(f"{name} name", words, middle))

    def _node(self, row: int) -> str:
        return f"/bodies/{row}" if row else "/ground"

    def _tie(self, k: int, tie: dict[str, Any]) -> tuple[Any, dict[str, Any], float]:
        """A spring, damper, rope or bar, created at its initial length and stretched later."""
        size, length = self.scene.drawing.size, tie["length"]
        spring = tie["kind"] == "spring"
        made = coil(length, 0.8 * size, 0.18 * size) if spring else triangles(tie["parts"], 12)
        node = self._mesh(f"/ties/{k}", made, LIGHT["c3"], side="double", cast_shadow=False, receive_shadow=False)
        self.shown["elements"].append(node)
        return node, tie, length

    def _end(self, tie: dict[str, Any], end: str) -> Array:
        row, x = tie[f"body_{end}"], np.array(tie[f"point_{end}"])
        return rotation_of_quaternion(self.quaternions[row - 1]) @ x + self.centres[row - 1] if row else x

    def _stretch(self, node: Any, tie: dict[str, Any], length: float) -> None:
        a, d = self._end(tie, "a"), self._end(tie, "b") - self._end(tie, "a")
        e, f = across(d)
        node.position, node.wxyz = a, quaternion_of(np.column_stack([e, f, np.cross(e, f)]))
        node.scale = (1.0, 1.0, max(float(np.linalg.norm(d)), 1e-9) / length)
