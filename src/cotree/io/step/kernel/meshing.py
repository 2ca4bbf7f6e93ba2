"""Triangles of a solid in an STL file, for pictures."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from OCP.BRepMesh import BRepMesh_IncrementalMesh
from OCP.StlAPI import StlAPI_Writer

from cotree.io.step.kernel.document import Part
from cotree.io.step.kernel.measure import bounds

SAG = 1e-3  # of the solid's size: how far triangles may be from the surface
TURN = 0.3  # rad, between neighbouring triangles


def write_mesh(part: Part, folder: str, number: int) -> str:
    """The file's path; its coordinates are world coordinates in millimetres."""
    low, high = bounds(part.solid)
    BRepMesh_IncrementalMesh(part.solid, SAG * float(np.linalg.norm(high - low)), False, TURN, False)
    safe = re.sub(r"[^A-Za-z0-9_-]+", "_", part.path[-1])[:60]
    path = Path(folder) / f"{number:03d}-{safe}.stl"
    writer = StlAPI_Writer()
    writer.ASCIIMode = False
    writer.Write(part.solid, str(path))
    return str(path)
