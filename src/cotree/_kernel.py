"""The one decorator behind every compiled function.

Kernels are plain Python compiled by Numba. Fast-math is limited to the flags that keep
NaN and infinity meaningful. Compiled code is cached on disk; Numba stamps a cache entry with
the age of the function's own file only, so that a change in a callee's file would go unseen.
Here the stamp is a digest of every source file of the package.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

from numba import njit

FAST_MATH = {"contract", "nsz", "arcp"}


def package_stamp(root: Path) -> str:
    """Digest of the names and contents of the Python files below root."""
    digest = blake2b(digest_size=16)
    for file in sorted(root.rglob("*.py")):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


_STAMP = package_stamp(Path(__file__).parent)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile on first call, with cache; safe for tuple algebra and for table sweeps alike."""
    return _compiled(function, FAST_MATH, forceinline=False)


def inlined(function: Callable[..., Any]) -> Any:
    """A kernel that is always inlined: the short straight path inside a sweep."""
    return _compiled(function, FAST_MATH, forceinline=True)


def dense(function: Callable[..., Any]) -> Any:
    """A kernel whose sums may be taken in any order, so that loops over rows of matrices use vector instructions."""
    return _compiled(function, FAST_MATH | {"reassoc"}, forceinline=False)


def threaded(function: Callable[..., Any]) -> Any:
    """A kernel whose `prange` loops run on Numba's threads."""
    compiled = njit(function, fastmath=FAST_MATH, error_model="numpy", cache=True, parallel=True)
    stamp(compiled)
    return compiled


def _compiled(function: Callable[..., Any], fast: set[str], forceinline: bool) -> Any:
    compiled = njit(function, fastmath=fast, error_model="numpy", cache=True, forceinline=forceinline)
    stamp(compiled)
    return compiled


def stamp(compiled: Any) -> None:
    """Tie the cached code of a compiled function to all sources of the package."""
    cache_file = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if cache_file is not None and hasattr(cache_file, "_source_stamp"):  # private to Numba: else only its stamp guards
        cache_file._source_stamp = _STAMP
