"""Camera and floor: the volume swept by a motion, the vertical direction, the floor."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.lie import rotation_of_quaternion
from cotree.model.constraints import Rolling
from cotree.view.scene.frames import Frames
from cotree.view.scene.parts import Part, extreme_points, numbers

Array = NDArray[np.float64]
LOOKED_AT, MOST_POINTS = 200, 200_000  # frames, and points in all of them
AZIMUTH, FLAT_AZIMUTH, ELEVATION, HIGH = np.radians([30.0, 20.0, 22.0, 48.0])
FRONT = np.array([1.0, -1.0, 1.0])  # preferred side if both are equivalent: x to the right if possible
AHEAD = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0]])  # fallback viewing directions
DIRECTIONS = 100  # directions in which the swept volume is measured


def swept_points(found: Frames, bodies: list[list[Part]], frames: int = LOOKED_AT) -> Array:
    """Points (m, 3) of all parts of the bodies at some frames, about the page's origin."""
    bodies_points = [np.concatenate([extreme_points(part) for part in parts]) for parts in bodies]
    most = max(20, MOST_POINTS // sum(map(len, bodies_points)))
    some = np.unique(np.linspace(0, len(found.t) - 1, min(frames, most)).astype(int))
    R, p = rotation_of_quaternion(found.quaternions[some]), found.centres[some]
    clouds = []
    for k, X in enumerate(bodies_points):
        clouds.append((np.einsum("kij,mj->kmi", R[:, k], X) + p[:, k, None]).reshape(-1, 3))
    return np.concatenate(clouds)


def tied_points(found: Frames, ties: list[dict[str, Any]], traces: list[dict[str, Any]]) -> Array:
    """Ends (m, 3) of springs and bars, and points that have paths, at some frames, about the page's origin."""
    some = np.unique(np.linspace(0, len(found.t) - 1, LOOKED_AT).astype(int))
    ends = [(tie[f"body_{end}"], np.array(tie[f"point_{end}"])) for tie in ties for end in "ab"]
    ends += [(trace["body"], np.array(trace["point"])) for trace in traces]
    moved = [
        rotation_of_quaternion(found.quaternions[some, row - 1]) @ x + found.centres[some, row - 1] if row else x[None]
        for row, x in ends
    ]
    return np.concatenate([np.zeros((0, 3)), *moved])


def upwards(gravity: Array) -> Array:
    """Opposite to gravity; along z without gravity."""
    g = float(np.linalg.norm(gravity))
    return -gravity / g if g > 0.0 else np.array([0.0, 0.0, 1.0])


def rolled_on(constraints: Iterable[Any], up: Array) -> float | None:
    """Height [m] of the horizontal ground plane on which something rolls, if there is exactly one."""
    heights = {
        round(float(c.plane_point @ up), 9)
        for c in constraints
        if isinstance(c, Rolling) and c.surface == "ground" and abs(c.plane_normal @ up) > 1.0 - 1e-9
    }
    return heights.pop() if len(heights) == 1 else None


def outlook(points: Array, gravity: Array, floor: float | None = None, normal: Array | None = None) -> dict[str, Any]:
    """Bounding box of the points, up direction, direction to camera, and the floor: its normal (default: upwards) and its
    place along it (default: slightly below everything)."""
    up = upwards(gravity)
    normal = up if normal is None else normal
    low, high = points.min(axis=0), points.max(axis=0)
    if floor is None:
        floor = float((points @ normal).min()) - 0.02 * float(np.linalg.norm(high - low))
    eye = direction_to_eye(points, up)
    return {
        "low": numbers(low), "high": numbers(high), "hull": [numbers(p) for p in outermost(points)],
        "up": numbers(up), "floor": numbers(floor), "normal": numbers(normal), "eye": numbers(eye),
    }  # fmt: skip


def distance_to_see(view: dict[str, Any], field: float, aspect: float, margin: float = 0.88) -> float:
    """Camera distance [m] at which everything is visible: `field` [rad] vertical field of view, `aspect` width/height."""
    back, up = np.array(view["eye"]), np.array(view["up"])
    right = np.cross(up, back)
    right = right / np.linalg.norm(right)
    across, high = np.tan(field / 2) * margin * aspect, np.tan(field / 2) * margin
    p = np.array(view["hull"]) - (np.array(view["low"]) + np.array(view["high"])) / 2
    depth = np.maximum(np.abs(p @ right) / across, np.abs(p @ np.cross(back, right)) / high)
    return float((depth + p @ back).max()) or 1.0


def round_above(x: float) -> float:
    """The smallest 1, 2 or 5 times a power of ten that is not below x."""
    power = 10.0 ** np.floor(np.log10(x))
    return float(next(f for f in (1, 2, 5, 10) if f * power >= x * (1 - 1e-9)) * power)


def outermost(points: Array) -> Array:
    """The outermost points in directions spread evenly over the sphere (a golden-angle spiral)."""
    z = np.linspace(-1.0, 1.0, DIRECTIONS)
    angle, r = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(DIRECTIONS), np.sqrt(1.0 - z * z)
    spread = np.column_stack([r * np.cos(angle), r * np.sin(angle), z])
    return points[np.unique([np.argmax(points @ e) for e in spread])]  # one by one: there may be many points


def direction_to_eye(points: Array, up: Array) -> Array:
    """Direction normal to the best-fit plane of the points, tilted slightly sideways and upwards."""
    extent, axes = np.linalg.eigh(np.cov(points.T))
    normal, flat = axes[:, 0], extent[0] < 0.05 * extent[1]
    level = flat and abs(normal @ up) > 0.8  # the plane is horizontal
    ahead = np.cross(up, axes[:, 2]) if level else normal if flat else AHEAD[np.argmin(np.abs(AHEAD @ up))]
    ahead = ahead - up * (ahead @ up)
    ahead = ahead / np.linalg.norm(ahead)
    ahead = ahead if ahead @ FRONT >= 0.0 else -ahead
    azimuth, elevation = FLAT_AZIMUTH if flat else AZIMUTH, HIGH if level else ELEVATION
    ahead = np.cos(azimuth) * ahead + np.sin(azimuth) * np.cross(up, ahead)
    return np.cos(elevation) * ahead + np.sin(elevation) * up
