"""URDF: reading, with loops, and writing."""

from cotree.io.urdf.importing import import_urdf, read_urdf
from cotree.io.urdf.writing import urdf_text

__all__ = ["import_urdf", "read_urdf", "urdf_text"]
