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
    "error_estimates",
)

if __name__ == "__main__":
    named = [word for word in sys.argv[1:] if word in ALL]
    if sys.argv[1:] and not named:
        sys.exit(f"no benchmark {sys.argv[1]!r}; there are {', '.join(ALL)}")
    for name in named or ALL:
        importlib.import_module(f"benchmarks.{name}").main()
        print()
