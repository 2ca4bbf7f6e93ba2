"""Model files, results files, and runs as labelled tables."""

from cotree.io.labelled import to_dataframe, to_xarray
from cotree.io.model_file import from_json, load, save, to_json
from cotree.io.results import load_run, save_run
from cotree.io.schema import json_schema
from cotree.io.step import StepAssembly, read_step

__all__ = [
    "StepAssembly", "from_json", "json_schema", "load", "load_run", "read_step", "save", "save_run", "to_dataframe",
    "to_json", "to_xarray",
]  # fmt: skip
