"""All benchmarks, one after another; name some on the command line to run only those, with their options."""

from __future__ import annotations

import importlib
import sys

ALL = (
    "tree_dynamics",
    "batches",
    "operations",
    "many_runs",
    "building",
    "choosing",
    "large",
    "lie_groups",
    "methods",
    "loops",
    "odca",
    "simulation",
    "stepping",
    "laws",
    "switching",
    "compile_time",
)

if __name__ == "__main__":
    for name in [word for word in sys.argv[1:] if word in ALL] or ALL:
        importlib.import_module(f"benchmarks.{name}").main()
        print()
