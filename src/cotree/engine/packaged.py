"""Compiled code that came with the package: used where it fits, and done without where it does not.

A wheel may carry code (`tools/ready_made.py`) for one version of Numba, of llvmlite and of Python and for processors with the
instructions of x86-64-v3. What it was made for stands beside it; code of changed sources is not found by its digest.
"""

from __future__ import annotations

import json
import platform
import sys
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import numba
from llvmlite import binding

FOLDER = Path(__file__).resolve().parents[1] / "_compiled"
MADE_FOR = "made_for.json"
CPU = "x86-64-v3"
FEATURES = (
    "avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "mmx", "movbe", "popcnt", "sahf", "sse", "sse2", "sse3",
    "sse4.1", "sse4.2", "ssse3", "xsave",
)  # fmt: skip


def versions() -> dict[str, Any]:
    """What compiled code depends on beside its sources and the processor."""
    return {
        "numba": numba.__version__, "llvmlite": llvmlite.__version__, "python": list(sys.version_info[:2]),
        "machine": platform.machine(), "system": platform.system(), "svml": bool(vars(numba.config)["USING_SVML"]),
    }  # fmt: skip


@cache
def made_for(folder: Path) -> tuple[Any, ...] | None:
    """What the code in a folder calls its processor, if all of it fits here; else None."""
    try:
        given = json.loads((folder / MADE_FOR).read_text())
        here, names = binding.get_host_cpu_features(), given["features"]
        fits = given["versions"] == versions() and all(here.get(name, False) for name in names)
        return tuple(given["magic"]) if fits else None
    except (OSError, ValueError, KeyError, TypeError, RuntimeError):
        return None
