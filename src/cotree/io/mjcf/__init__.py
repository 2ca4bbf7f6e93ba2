"""MJCF, the model files of MuJoCo."""

from cotree.io.mjcf.imported import Imported
from cotree.io.mjcf.importing import import_mjcf, read_mjcf

__all__ = ["Imported", "import_mjcf", "read_mjcf"]
