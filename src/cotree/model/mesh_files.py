"""Triangles of a mesh file, few enough for a page: STL and OBJ are read here, other formats by trimesh where installed."""

from __future__ import annotations

import io
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cotree.model.shapes import Mesh

Array = NDArray[np.float64]
OTHERS = (".glb", ".ply", ".off", ".3mf", ".gltf")  # formats that trimesh reads without further packages, in one file
MOST = 20_000  # triangles of one mesh; 48 bytes each in the page
MOST_BYTES = 100 << 20  # of a file: more would take gigabytes to read
LONGEST = 1_000_000  # characters of a line: no face has so many corners
LARGEST = 1e30  # metres; beyond it sums overflow, and single precision in the page


def triangles_of(shape: Mesh, most: int = MOST) -> Array | None:
    """Corners (n, 3, 3) in the frame of the body's data; None if the file is missing or unreadable."""
    path = Path(shape.path)
    kind = path.suffix.lower()
    reader = {".stl": read_stl, ".obj": read_obj}.get(kind)
    try:
        if (reader is None and kind not in OTHERS) or not path.is_file() or path.stat().st_size > MOST_BYTES:
            return None
        data = path.read_bytes()
        triangles = shape.scale * (read_other(data, kind[1:]) if reader is None else reader(data))
    except (ValueError, IndexError, OverflowError, OSError):  # not a mesh file after all
        return None
    if not len(triangles) or not np.abs(triangles).max() < LARGEST:  # NaN, too
        return None
    C = np.eye(4) if shape.pose is None else np.asarray(shape.pose, dtype=float)
    return fewer(triangles @ C[:3, :3].T + C[:3, 3], most)


def read_other(data: bytes, kind: str) -> Array:
    """All triangles of a scene, by trimesh; none where that is not installed or cannot read it.

    The bytes alone are given, so that a file cannot make other files be read. glTF has its y axis upwards, and so the mesh.
    """
    try:
        trimesh = import_module("trimesh")
        scene = trimesh.load_scene(io.BytesIO(data), file_type=kind)
        found = scene.to_mesh().triangles if scene.geometry else np.zeros((0, 3, 3))
    except Exception:  # readers of other people raise anything
        return np.zeros((0, 3, 3))
    return np.array(found, dtype=float).reshape(-1, 3, 3)


def read_stl(data: bytes) -> Array:
    """Binary STL, recognized by its length, or text."""
    count = int.from_bytes(data[80:84], "little")
    if len(data) == 84 + 50 * count:
        record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("rest", "<u2")])
        return np.frombuffer(data, record, offset=84)["corners"].astype(float)
    lines = (line.split() for line in data.decode("utf-8", "replace").splitlines())
    return np.array([line[1:4] for line in lines if line[:1] == ["vertex"]], dtype=float).reshape(-1, 3, 3)


def read_obj(data: bytes) -> Array:
    """Faces of any number of corners, as fans of triangles."""
    points, corners = [], []
    for line in data.decode("utf-8", "replace").splitlines():
        if len(line) > LONGEST:
            return np.zeros((0, 3, 3))
        words = line.split()
        if words[:1] == ["v"]:
            points.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            face = [int(word.split("/")[0]) for word in words[1:]]
            face = [i - 1 if i > 0 else len(points) + i for i in face]
            corners += [[face[0], a, b] for a, b in pairwise(face[1:])]
    return np.array(points, dtype=float).reshape(-1, 3)[np.array(corners, dtype=int).reshape(-1, 3)]


def fewer(triangles: Array, most: int = MOST) -> Array:
    """A coarser surface: corners within a grid cell are merged at their mean; triangles that degenerate are removed."""
    points = triangles.reshape(-1, 3)
    low, extent = points.min(axis=0), float(np.ptp(points, axis=0).max())
    cells, out = 256, triangles
    while len(out) > most and extent > 0.0:
        places = np.floor((points - low) / (extent / cells)).astype(int)
        _, cell, count = np.unique(_keys(places), return_inverse=True, return_counts=True)
        middles = np.column_stack([np.bincount(cell.ravel(), x) / count for x in points.T])
        corners = cell.reshape(-1, 3)
        a, b, c = corners.T
        _, first = np.unique(_keys(np.sort(corners, axis=1)), return_index=True)
        kept = np.zeros(len(corners), dtype=bool)
        kept[first] = True
        out = middles[corners[kept & (a != b) & (b != c) & (c != a)]]
        cells = cells * 3 // 4
    return out[:most]  # more remain only if all of them lie at one point


def _keys(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """One integer per row of non-negative integers, ordered like the rows; sorts ten times faster than rows."""
    key = rows[:, 0]
    for column in rows.T[1:]:
        key = np.unique(key, return_inverse=True)[1] * (column.max() + 1) + column
    return key
