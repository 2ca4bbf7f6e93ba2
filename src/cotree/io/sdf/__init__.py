"""SDFormat: reading one model with its links and joints, loops among them."""

from cotree.io.sdf.importing import import_sdf, read_sdf

__all__ = ["import_sdf", "read_sdf"]
