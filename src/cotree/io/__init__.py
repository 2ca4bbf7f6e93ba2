"""Model files, results files, and runs as labelled tables."""

from cotree.io.mjcf import import_mjcf, read_mjcf
from cotree.io.model_file import from_json, load, save, to_json
from cotree.io.native.schema import json_schema
from cotree.io.results.labelled import switch_table, to_dataframe, to_xarray
from cotree.io.results.reading import load_run
from cotree.io.results.writing import save_run
from cotree.io.sdf import import_sdf, read_sdf
from cotree.io.step import StepAssembly, read_step
from cotree.io.urdf import import_urdf, read_urdf

__all__ = [
    "StepAssembly", "from_json", "import_mjcf", "import_sdf", "import_urdf", "json_schema", "load", "load_run",
    "read_mjcf", "read_sdf", "read_step", "read_urdf", "save", "save_run", "switch_table", "to_dataframe", "to_json",
    "to_xarray",
]  # fmt: skip
