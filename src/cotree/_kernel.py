"""The one decorator behind every compiled function.

Kernels are plain Python compiled by Numba. Fast-math is limited to the flags that keep
NaN and infinity meaningful. Compiled code is cached on disk; Numba stamps a cache entry with
the age of the function's own file only, so that a change in a callee's file would go unseen.
Here the stamp covers every source file of the package.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit

FAST_MATH = {"contract", "nsz", "arcp"}


def _package_stamp() -> tuple[int, int]:
    """(newest modification time, total size) over the package's Python files."""
    stats = [f.stat() for f in Path(__file__).parent.rglob("*.py")]
    return max(s.st_mtime_ns for s in stats), sum(s.st_size for s in stats)


_STAMP = _package_stamp()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile on first call, with cache; safe for tuple algebra and for table sweeps alike."""
    compiled = njit(function, fastmath=FAST_MATH, error_model="numpy", cache=True)
    cache_file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(cache_file, "_source_stamp"):  # private to Numba: without it only its own stamp guards
        cache_file._source_stamp = _STAMP
    return compiled
