"""What solids touch with: corners, edges, rims, and spheres around them."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.contacts.edge_on_edge import Edge
from cotree.errors import ShapeError
from cotree.model.contact_shapes import Point
from cotree.model.mesh_files import triangles_of
from cotree.model.shapes import Box, Cylinder, Mesh, Rod, Sphere

Array = NDArray[np.float64]


def corners(shape: Any, who: str = "") -> list[tuple[Array, float]]:
    """Centres and radii of the balls that are the corners and round ends of a shape."""
    if isinstance(shape, Point):
        return [(np.array(shape.position), 0.0)]
    if isinstance(shape, Sphere):
        return [(np.array(shape.center, dtype=float), float(shape.radius))]
    if isinstance(shape, Cylinder):
        return [(np.array(end, dtype=float), float(shape.radius)) for end in (shape.a, shape.b)]
    if isinstance(shape, Mesh):
        return [(x, 0.0) for x in hull_corners(shape, who)]
    return [(box_corner(shape, signs), 0.0) for signs in product((-1.0, 1.0), repeat=3)]


def hull_corners(mesh: Mesh, who: str) -> Array:
    """Corners of the convex hull of a mesh."""
    from scipy.spatial import ConvexHull, QhullError

    triangles = triangles_of(mesh)
    if triangles is None:
        raise ShapeError(f"{who}: mesh {Path(mesh.path).name!r} cannot be read; give a file in STL or OBJ that exists")
    points = np.unique(triangles.reshape(-1, 3), axis=0)
    try:
        return np.asarray(points[ConvexHull(points).vertices])
    except QhullError:
        return points  # in a plane: all of them


def box_rotation(box: Box) -> Array:
    return np.eye(3) if box.rotation is None else np.array(box.rotation, dtype=float)


def box_half(box: Box) -> Array:
    return 0.5 * np.array(box.size, dtype=float)


def box_corner(box: Box, signs: Any) -> Array:
    return np.asarray(np.array(box.center, dtype=float) + box_rotation(box) @ (box_half(box) * signs))


def box_data(box: Box) -> dict[str, Any]:
    """What families with a box on body a are given."""
    return {"origin": np.array(box.center, dtype=float), "axes": box_rotation(box), "half": box_half(box)}


def box_edges(box: Box) -> list[Edge]:
    """The twelve edges."""
    R, h, edges = box_rotation(box), box_half(box), []
    for i, j in combinations(range(3), 2):
        k = 3 - i - j
        for a, b in product((-1.0, 1.0), repeat=2):
            signs = np.zeros(3)
            signs[i], signs[j], signs[k] = a, b, -1.0
            edges.append(
                Edge(box_corner(box, signs), R[:, k], 2.0 * h[k], out=(a * R[:, i], b * R[:, j]), depth=h.min())
            )
    return edges


def rod_edge(rod: Rod) -> Edge:
    """The axis of a rod."""
    a, b = np.array(rod.a, dtype=float), np.array(rod.b, dtype=float)
    length = float(np.linalg.norm(b - a))
    return Edge(a, (b - a) / length, length, float(rod.radius), depth=float(rod.radius))


def around(shape: Any) -> tuple[Array, float] | None:
    """Centre and radius of a sphere around a shape; None of what is not bounded."""
    if isinstance(shape, Box):
        return np.array(shape.center, dtype=float), float(np.linalg.norm(box_half(shape)))
    if isinstance(shape, Point | Sphere):
        return corners(shape)[0]
    if isinstance(shape, Rod):
        edge = rod_edge(shape)
        return edge.start + 0.5 * edge.length * edge.along, 0.5 * edge.length + edge.radius
    return None
