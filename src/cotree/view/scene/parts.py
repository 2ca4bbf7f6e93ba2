"""Parts of the picture: plain data that the page turns into triangles."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Part = dict[str, Any]


def numbers(x: Any) -> Any:
    """Plain numbers rounded to eight digits, enough for single precision."""
    rounded = [float(f"{value:.8g}") for value in np.ravel(x)]
    return rounded[0] if np.ndim(x) == 0 else rounded


def encoded(x: Any, kind: str = "<f4") -> str:
    """Bytes of an array as base64: little-endian, the last index fastest."""
    return base64.b64encode(np.ascontiguousarray(x, dtype=kind).tobytes()).decode("ascii")


def cylinder(a: Any, b: Any, radius: float, rounded: bool = False) -> Part:
    """Cylinder between the centres of its ends; `rounded` adds a hemisphere on each."""
    kind = "capsule" if rounded else "cylinder"
    return {"kind": kind, "a": numbers(a), "b": numbers(b), "radius": numbers(radius)}


def cone(a: Any, b: Any, radius: float) -> Part:
    """Cone from the centre of its base to its tip."""
    return {"kind": "cone", "a": numbers(a), "b": numbers(b), "radius": numbers(radius)}


def sphere(center: Any, radius: float) -> Part:
    return {"kind": "sphere", "center": numbers(center), "radius": numbers(radius)}


def box(center: Any, size: Any, axes: Any) -> Part:
    """Box with full edge lengths along the columns of `axes`."""
    return {"kind": "box", "center": numbers(center), "size": numbers(size), "axes": numbers(np.asarray(axes).T)}


def mesh(triangles: Array) -> Part:
    """Triangles (n, 3, 3): corners of each."""
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    return {"kind": "mesh", "triangles": encoded(triangles), "low": numbers(low), "high": numbers(high)}


def extreme_points(part: Part) -> Array:
    """Points (m, 3) whose hull approximately contains the part."""
    if part["kind"] == "sphere":
        return np.array(part["center"]) + part["radius"] * np.concatenate([np.eye(3), -np.eye(3)])
    if part["kind"] == "box":
        half = np.array(part["axes"]).reshape(3, 3).T * np.array(part["size"]) / 2
        return np.array(part["center"]) + CORNERS @ half.T
    if part["kind"] == "mesh":
        low, high = np.array(part["low"]), np.array(part["high"])
        return (low + high) / 2 + CORNERS * (high - low) / 2
    return _round_the_ends(np.array(part["a"]), np.array(part["b"]), part["radius"])


CORNERS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


def _round_the_ends(a: Array, b: Array, radius: float) -> Array:
    e, f = across(b - a)
    rim = radius * np.array([e, f, -e, -f])
    return np.concatenate([a + rim, b + rim])


def across(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors normal to an axis and to each other; arbitrary if it has zero length."""
    if not np.any(axis):
        return np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    u = axis / np.abs(axis).max()  # squares of tiny numbers would be zero
    u = u / np.linalg.norm(u)
    e = np.cross(u, np.eye(3)[np.argmin(np.abs(u))])
    e = e / np.linalg.norm(e)
    return e, np.cross(u, e)
