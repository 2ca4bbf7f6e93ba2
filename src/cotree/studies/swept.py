"""Space that a mechanism takes up on its way: points of the bodies' shapes along a run, boxes and hulls around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.integrate.results.run import Run
from cotree.model.joints import axis_frame
from cotree.model.mechanism import Mechanism
from cotree.model.shapes import Box, Compound, Cylinder, Sphere
from cotree.system.system import System

Array = NDArray[np.float64]
AROUND = 12  # points on a circle


@dataclass(frozen=True, eq=False)
class Swept:
    """low, high (3,): the box around all that was passed [m]; volumes [m^3]: of the convex hull of what each body passed."""

    low: Array
    high: Array
    volumes: dict[str, float]


def swept(run: Run, begin: float = -np.inf) -> Swept:
    """Space that the bodies pass from a time on."""
    poses = run.poses()[run.t >= begin]
    passed = {
        name: _moved(poses[:, run.system.row_of(name)], body_points(run.system, name)) for name in run.system.body_names
    }
    every = np.concatenate(list(passed.values()))
    return Swept(every.min(axis=0), every.max(axis=0), {name: hull_volume(x) for name, x in passed.items()})


def _moved(poses: Array, points: Array) -> Array:
    """Points (m, 3) of a body in all its poses (k, 4, 4), (k m, 3)."""
    return (np.einsum("kij,mj->kmi", poses[:, :3, :3], points) + poses[:, None, :3, 3]).reshape(-1, 3)


def hull_volume(points: Array) -> float:
    """Volume of the convex hull; none for what lies in a plane."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return float(ConvexHull(points).volume)
    except QhullError:
        return 0.0


def body_points(system: System, name: str) -> Array:
    """Points around a body in the frame of its data: of its shape, or its mass centre and its joints."""
    mech: Mechanism = system.mechanism
    body = mech.bodies[name]
    points = shape_points(body.shape)
    return body.properties.com[None] if points is None else points


def shape_points(shape: Any) -> Array | None:
    """Points whose hull is the shape, nearly so for what is round; None for what has no size of its own."""
    if isinstance(shape, Compound):
        found = [points for one in shape.shapes if (points := shape_points(one)) is not None]
        return np.concatenate(found) if found else None
    if isinstance(shape, Box):
        corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
        R = np.eye(3) if shape.rotation is None else np.array(shape.rotation, dtype=float)
        return np.array(shape.center, dtype=float) + (corners * np.array(shape.size, dtype=float)) @ R.T
    angles = 2.0 * np.pi * np.arange(AROUND) / AROUND
    if isinstance(shape, Cylinder):
        a, b = np.array(shape.a, dtype=float), np.array(shape.b, dtype=float)
        F = axis_frame(a, (b - a) / np.linalg.norm(b - a))
        ring = shape.radius * (np.outer(np.cos(angles), F[:3, 0]) + np.outer(np.sin(angles), F[:3, 1]))
        return np.concatenate([a + ring, b + ring])
    if isinstance(shape, Sphere):
        r, c = float(shape.radius), np.array(shape.center, dtype=float)
        heights = np.linspace(-1.0, 1.0, 7)
        return np.array(
            [
                c + r * np.array([np.sqrt(1 - z * z) * np.cos(t), np.sqrt(1 - z * z) * np.sin(t), z])
                for z in heights
                for t in angles
            ]
        )
    return None
