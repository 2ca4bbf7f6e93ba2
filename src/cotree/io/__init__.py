"""Model files, results files, and runs as labelled tables."""

from cotree.io.labelled import switch_table, to_dataframe, to_xarray
from cotree.io.model_file import from_json, load, save, to_json
from cotree.io.results import load_run, save_run
from cotree.io.schema import json_schema

__all__ = [
    "from_json", "json_schema", "load", "load_run", "save", "save_run", "switch_table", "to_dataframe", "to_json", "to_xarray",
]  # fmt: skip
