"""MJCF, the model files of MuJoCo."""

from cotree.io.mjcf.imported import Imported
from cotree.io.mjcf.importing import import_mjcf, read_mjcf
from cotree.io.mjcf.writing import mjcf_text

__all__ = ["Imported", "import_mjcf", "mjcf_text", "read_mjcf"]
