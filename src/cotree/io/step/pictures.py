"""What a body from a STEP file looks like: its triangles where they were written, its bounding box otherwise."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from cotree.io.atomic import write_whole
from cotree.io.step.plain import MM
from cotree.io.step.solids import Solid
from cotree.model.shapes import Box, Mesh

HEADER = 84  # bytes of a binary STL before its triangles: 80 of text, 4 with their number


def shape_of(name: str, solids: list[Solid]) -> Mesh | Box:
    """One shape for all solids of a body."""
    files = [Path(solid.mesh) for solid in solids if solid.mesh is not None]
    if files:
        return Mesh(files[0] if len(files) == 1 else joined(name, files), scale=MM)
    low = np.min([solid.box[0] for solid in solids], axis=0)
    high = np.max([solid.box[1] for solid in solids], axis=0)
    return Box(0.5 * (low + high), high - low)


def joined(name: str, files: list[Path]) -> Path:
    """The triangles of several binary STL files in one, beside the first."""
    triangles = b"".join(file.read_bytes()[HEADER:] for file in files)
    path = files[0].with_name(f"{re.sub(r'[^A-Za-z0-9_-]+', '_', name)}-welded.stl")
    write_whole(path, bytes(80) + (len(triangles) // 50).to_bytes(4, "little") + triangles)
    return path
