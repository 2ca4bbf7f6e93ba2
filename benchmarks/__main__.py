"""All benchmarks, one after another; name some on the command line to run only those."""

from __future__ import annotations

import importlib
import sys

ALL = ("tree_dynamics", "large", "loops", "compile_time")

if __name__ == "__main__":
    for name in sys.argv[1:] or ALL:
        importlib.import_module(f"benchmarks.{name}").main()
        print()
