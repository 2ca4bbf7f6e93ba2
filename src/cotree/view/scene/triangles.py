"""Parts as triangles: corners (m, 3) and faces (k, 3) of their indices, outward by the right-hand rule; corners are not
shared at sharp edges."""

from __future__ import annotations

import base64

import numpy as np
from numpy.typing import NDArray

from cotree.view.scene.parts import Part, across

Array = NDArray[np.float64]
Faces = NDArray[np.int64]
Triangles = tuple[Array, Faces]


def triangles(parts: list[Part], sides: int = 24) -> Triangles:
    """Triangles of all parts together; `sides`: of a circle."""
    return _merged(*(MAKERS[part["kind"]](part, sides) for part in parts))


def coil(length: float, radius: float, wire: float) -> Triangles:
    """Helical spring along z from 0 to `length`."""
    turns = int(np.clip(round(length / (1.5 * radius)), 5, 30))
    angle = 2 * np.pi * np.linspace(0.0, turns, 14 * turns + 1)
    middle = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), length * angle / angle[-1]])
    out = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])[:, None]
    round_it = 2 * np.pi * np.arange(7) / 6
    rings = middle[:, None] + wire * (np.cos(round_it)[:, None] * out + np.outer(np.sin(round_it), [0.0, 0.0, 1.0]))
    return _grid(rings)


def _grid(points: Array) -> Triangles:
    """Surface over a grid of points (m, n, 3)."""
    m, n = points.shape[:2]
    a = (np.arange(m - 1)[:, None] * n + np.arange(n - 1)).ravel()
    return points.reshape(-1, 3), np.concatenate([np.stack([a, a + 1, a + n + 1]).T, np.stack([a, a + n + 1, a + n]).T])


def _circle(axis: Array, sides: int) -> Array:
    """Unit vectors (sides + 1, 3) around an axis; the last equals the first."""
    e, f = across(axis)
    angle = 2 * np.pi * np.arange(sides + 1) / sides
    return np.outer(np.cos(angle), e) + np.outer(np.sin(angle), f)


def _revolved(profile: list[tuple[Array, float]], circle: Array) -> Triangles:
    """Surface through circles with these centres and radii, in order."""
    return _grid(np.array([centre + radius * circle for centre, radius in profile]))


def _merged(*made: Triangles) -> Triangles:
    first = np.cumsum([0, *(len(corners) for corners, _ in made)])
    faces = [f + n for (_, f), n in zip(made, first, strict=False)]
    return np.concatenate([corners for corners, _ in made]), np.concatenate(faces)


def _cylinder(part: Part, sides: int) -> Triangles:
    a, b, r = np.array(part["a"]), np.array(part["b"]), part["radius"]
    circle = _circle(b - a, sides)
    return _merged(*(_revolved(p, circle) for p in ([(a, 0.0), (a, r)], [(a, r), (b, r)], [(b, r), (b, 0.0)])))


def _cone(part: Part, sides: int) -> Triangles:
    a, b, r = np.array(part["a"]), np.array(part["b"]), part["radius"]
    circle = _circle(b - a, sides)
    return _merged(_revolved([(a, 0.0), (a, r)], circle), _revolved([(a, r), (b, 0.0)], circle))


def _capsule(part: Part, sides: int) -> Triangles:
    a, b, r = np.array(part["a"]), np.array(part["b"]), part["radius"]
    e, f = across(b - a)
    polar = np.linspace(0.0, np.pi / 2, max(3, sides // 4))
    ends = [(a - r * np.cos(x) * np.cross(e, f), r * np.sin(x)) for x in polar]
    ends += [(b + r * np.sin(x) * np.cross(e, f), r * np.cos(x)) for x in polar]
    return _revolved(ends, _circle(b - a, sides))


def _sphere(part: Part, sides: int) -> Triangles:
    c, r, z = np.array(part["center"]), part["radius"], np.array([0.0, 0.0, 1.0])
    polar = np.linspace(0.0, np.pi, max(4, sides // 2) + 1)
    return _revolved([(c - r * np.cos(x) * z, r * np.sin(x)) for x in polar], _circle(z, sides))


def _box(part: Part, sides: int) -> Triangles:
    c, half = np.array(part["center"]), np.array(part["axes"]).reshape(3, 3) * np.array(part["size"])[:, None] / 2
    faces = []
    for k in range(3):
        n, e, f = half[k], half[(k + 1) % 3], half[(k + 2) % 3]
        faces += [_grid(c + s * n + np.array([[-e - s * f, e - s * f], [-e + s * f, e + s * f]])) for s in (1.0, -1.0)]
    return _merged(*faces)


def _mesh(part: Part, sides: int) -> Triangles:
    corners = np.frombuffer(base64.b64decode(part["triangles"]), "<f4").astype(float).reshape(-1, 3)
    return corners, np.arange(len(corners)).reshape(-1, 3)


MAKERS = {"cylinder": _cylinder, "cone": _cone, "capsule": _capsule, "sphere": _sphere, "box": _box, "mesh": _mesh}
