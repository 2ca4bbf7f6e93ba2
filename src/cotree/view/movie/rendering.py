"""A scene at a time as an array of pixels."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.lie import rotation_of_quaternion
from cotree.view.movie.raster import cover, fill, stroke
from cotree.view.movie.solids import Solid, solid, solids
from cotree.view.scene import Scene
from cotree.view.scene.arrows import Arrow, lengths
from cotree.view.scene.colours import LIGHT, rgb
from cotree.view.scene.motion import path_of_point, poses_at
from cotree.view.scene.outlook import distance_to_see, round_above
from cotree.view.scene.parts import across, cone, cylinder
from cotree.view.scene.triangles import triangles

Array = NDArray[np.float64]
FIELD = 0.6  # radians from bottom to top, as in the page
FINER = 2  # pixels drawn for each that is shown, across and down
SHADE = 0.88  # of the floor where there is shadow


class Renderer:
    """Draws a scene: `image(t)` is (h, w, 3), bytes."""

    def __init__(self, scene: Scene, width: int, height: int, arrows: list[Arrow] | None = None) -> None:
        self.scene, self.width, self.height = scene, FINER * width, FINER * height
        self.solids, self.arrows = solids(scene), arrows or []
        view = scene.view
        self.reach = float(np.linalg.norm(np.subtract(view["high"], view["low"]))) or 1.0
        self.scales = lengths(self.arrows, self.reach)
        self.arrows = [arrow for arrow in self.arrows if arrow.unit in self.scales]
        self._camera(view)
        self.lines = [*self._floor(), *self._traces()]

    def _camera(self, view: dict[str, Any]) -> None:
        back, up = np.array(view["eye"]), np.array(view["up"])
        right = np.cross(up, back)
        right = right / np.linalg.norm(right)
        middle = (np.array(view["low"]) + np.array(view["high"])) / 2
        self.axes = np.column_stack([right, np.cross(back, right), back])
        self.eye = middle + distance_to_see(view, FIELD, self.width / self.height) * back
        lamp = 0.55 * up + 0.45 * back - 0.35 * right + 0.25 * self.axes[:, 1]
        self.lamp, self.up = lamp / np.linalg.norm(lamp), up

    def project(self, points: Array) -> Array:
        """(..., 3): x, y in pixels, and nearness; not positive behind the eye."""
        p = (points - self.eye) @ self.axes
        depth = np.where(np.abs(p[..., 2]) < 1e-12 * self.reach, 1e-12 * self.reach, -p[..., 2])
        zoom = 0.5 * self.height / np.tan(FIELD / 2) / depth
        return np.stack(
            [0.5 * self.width + zoom * p[..., 0], 0.5 * self.height - zoom * p[..., 1], 1.0 / depth], axis=-1
        )

    def image(self, t: float) -> NDArray[np.uint8]:
        quaternions, centres = poses_at(self.scene.frames, t)
        poses = [(np.eye(3), np.zeros(3)), *zip(rotation_of_quaternion(quaternions), centres, strict=True)]
        depth = np.zeros((self.height, self.width))
        image = np.empty((self.height, self.width, 3))
        image[:] = np.array(rgb(LIGHT["sky"])) / 255.0
        floor, others = (x for x in (self.lines[:1], self.lines[1:]))
        placed = [(one, *self._placed(one, poses)) for one in [*self.solids, *self._arrows(t, poses)]]
        if self.scene.view["floor_shown"]:
            self._stroke(floor, depth, image)
            self._shadow(placed, image)
        for clear in (False, True):
            some = [x for x in placed if (x[0].opacity < 1.0) == clear]
            if clear:
                self._stroke(others, depth, image)
            self._fill(some, depth, image)
        fine = sum(image[i::FINER, j::FINER] for i in range(FINER) for j in range(FINER)) * (255.0 / FINER**2)
        return np.round(np.clip(fine, 0.0, 255.0)).astype(np.uint8)

    # -- pieces ------------------------------------------------------------------------------------------------

    def _placed(self, one: Solid, poses: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        """Corners and normals in the picture's axes."""
        if one.tie >= 0:
            A, p = self._stretch(self.scene.drawing.ties[one.tie], poses)
            return one.corners @ A.T + p, one.normals @ np.linalg.inv(A)
        R, p = poses[one.row]
        return one.corners @ R.T + p, one.normals @ R.T

    def _stretch(self, tie: dict[str, Any], poses: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        """Axes and place of a tie; its z axis is as long as it is stretched."""
        a, b = (R @ np.array(tie[f"point_{end}"]) + p for end in "ab" for R, p in [poses[tie[f"body_{end}"]]])
        d = (b - a) if np.any(b - a) else np.array([0.0, 0.0, 1e-9])
        e, f = across(d)
        return np.column_stack([e, f, d / tie["length"]]), a

    def _lit(self, points: Array, normals: Array, colour: Array) -> Array:
        """Colours of corners, as the page has them."""
        n = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
        to_eye = self.eye - points
        to_eye = to_eye / np.linalg.norm(to_eye, axis=1, keepdims=True)
        n = np.where(np.sum(n * to_eye, axis=1, keepdims=True) < 0.0, -n, n)
        sky, lamp = 0.5 + 0.5 * n @ self.up, np.maximum(n @ self.lamp, 0.0)
        front = np.maximum(np.sum(n * to_eye, axis=1), 0.0)
        half = self.lamp + to_eye
        half = half / np.linalg.norm(half, axis=1, keepdims=True)
        shine = np.maximum(np.sum(n * half, axis=1), 0.0) ** 48
        light = np.outer(0.16 + 0.30 * sky + 0.62 * lamp + 0.12 * front, colour**2.2)
        return np.clip(light + (0.16 * shine + 0.05 * (1.0 - front) ** 3)[:, None], 0.0, 1.0) ** (1.0 / 2.2)

    def _fill(self, some: list[tuple[Solid, Array, Array]], depth: Array, image: Array) -> None:
        """All triangles of the solids; those that can be seen through from far to near."""
        if not some:
            return
        points = np.concatenate([self.project(corners)[one.faces] for one, corners, _ in some])
        colours = np.concatenate([self._lit(corners, n, one.colour)[one.faces] for one, corners, n in some])
        alphas = np.concatenate([np.full(len(one.faces), one.opacity) for one, _, _ in some])
        if alphas.min() < 1.0:
            order = np.argsort(points[:, :, 2].mean(axis=1))
            points, colours, alphas = points[order], colours[order], alphas[order]
        fill(np.ascontiguousarray(points), np.ascontiguousarray(colours), alphas, depth, image)

    def _shadow(self, placed: list[tuple[Solid, Array, Array]], image: Array) -> None:
        n, height = np.array(self.scene.view["normal"]), float(self.scene.view["floor"])
        if (self.eye @ n) <= height:  # seen from below
            return
        flat = [
            self.project(x - np.outer(x @ n - height, n))[one.faces]
            for one, x, _ in placed
            if one.casts and one.opacity == 1.0
        ]
        if flat:
            mask = np.zeros(image.shape[:2], dtype=np.bool_)
            cover(np.ascontiguousarray(np.concatenate(flat)), mask)
            image[mask] *= SHADE

    def _stroke(self, lines: list[tuple[Array, Array, Array]], depth: Array, image: Array) -> None:
        for ends, colour, alphas in lines:
            stroke(
                np.ascontiguousarray(self.project(ends)),
                np.tile(colour, (len(ends), 1)),
                alphas,
                FINER // 2,
                depth,
                image,
            )

    def _floor(self) -> list[tuple[Array, Array, Array]]:
        """Grid lines of the floor, fading away from the middle."""
        view, origin, reach = self.scene.view, self.scene.frames.origin, 0.75 * self.reach
        n, middle = np.array(view["normal"]), (np.array(view["low"]) + np.array(view["high"])) / 2
        x = np.array([1.0, 0.0, 0.0]) if abs(n[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
        e = (x - n * (x @ n)) / np.linalg.norm(x - n * (x @ n))
        axes = [e, np.cross(n, e)]
        step, pieces = round_above(reach / 7), np.linspace(-reach, reach, 33)
        ends = []
        for own, other in (axes, axes[::-1]):
            first, last = (int(np.ceil(((origin + middle) @ own + s * reach) / step)) for s in (-1.0, 1.0))
            for k in range(first, last):
                line = (
                    (k * step - origin @ own) * own
                    + np.outer(middle @ other + pieces, other)
                    + float(view["floor"]) * n
                )
                ends += list(pairwise(line))
        made = np.array(ends)
        centre = middle - n * (middle @ n - float(view["floor"]))
        away = np.linalg.norm(made.mean(axis=1) - centre, axis=1) / reach
        return [(made, np.array(rgb(LIGHT["grid"])) / 255.0, np.clip(1.0 - away, 0.0, 1.0) * 0.8)]

    def _traces(self) -> list[tuple[Array, Array, Array]]:
        out = []
        for trace in self.scene.drawing.traces if len(self.scene.frames.t) > 1 else ():
            path = path_of_point(self.scene.frames, trace["body"], np.array(trace["point"]))
            ends = np.stack([path[:-1], path[1:]], axis=1)
            out.append((ends, np.array(rgb(trace["color"] or LIGHT["text"])) / 255.0, np.full(len(ends), 0.95)))
        return out

    def _arrows(self, t: float, poses: list[tuple[Array, Array]]) -> list[Solid]:
        """Forces at a time, in the axes of the picture."""
        out, times, thin = [], self.scene.frames.t, 0.32 * self.scene.drawing.size
        for arrow in self.arrows:
            vector = np.array([np.interp(t, times, x) for x in arrow.vectors.T]) * self.scales[arrow.unit]
            length = float(np.linalg.norm(vector))
            if length < 2 * thin:
                continue
            (R, p), u = poses[arrow.body], vector / length
            a, heads = R @ arrow.point + p, 1 if arrow.unit == "N" else 2
            head = min(7 * thin, 0.7 * length / heads)
            parts = [cylinder(a, a + (length - heads * head) * u, thin)]
            parts += [
                cone(a + (length - head * k) * u, a + (length - head * (k - 1)) * u, 2.6 * thin)
                for k in range(1, heads + 1)
            ]
            colour = LIGHT["crossing" if arrow.source == "reaction" else "c1"]
            out.append(solid(triangles(parts, 12), colour, 1.0, 0))
        return out
