"""The decorators behind every compiled function.

Kernels are plain Python compiled by Numba on first call and stored on disk (`cache`). Fast-math is limited to the flags
that keep NaN and infinity meaningful.
"""

from __future__ import annotations

from typing import Any

from numba import njit

from cotree.engine.dispatcher import KernelDispatcher
from cotree.engine.interpreted import INTERPRETED, plain

FAST_MATH = {"contract", "nsz", "arcp"}


def kernel(function: Any) -> Any:
    """Compile on first call, with cache; safe for tuple algebra and for table sweeps alike."""
    return _compiled(function, FAST_MATH, forceinline=False)


def inlined(function: Any) -> Any:
    """A kernel that is always inlined: the short straight path inside a sweep."""
    return _compiled(function, FAST_MATH, forceinline=True)


def dense(function: Any) -> Any:
    """A kernel whose sums may be taken in any order, so that loops over rows of matrices use vector instructions."""
    return _compiled(function, FAST_MATH | {"reassoc"}, forceinline=False)


def released(function: Any) -> Any:
    """A kernel that releases the interpreter's lock, so that Python threads run beside it; called from Python only."""
    return _compiled(function, FAST_MATH, forceinline=False, nogil=True)


def threaded(function: Any) -> Any:
    """A kernel whose `prange` loops run on Numba's threads. It is linked into the kernels that call it and stored as a part of
    these only, since stored code cannot be linked."""
    if INTERPRETED:
        return plain(function)
    options: dict[str, Any] = {"fastmath": FAST_MATH, "error_model": "numpy", "parallel": True}
    return njit(function, **options)


def _compiled(function: Any, fast: set[str], **more: bool) -> Any:
    if INTERPRETED:
        return plain(function)
    options = {"nopython": True, "boundscheck": None, "fastmath": fast, "error_model": "numpy", **more}
    return KernelDispatcher(function, options)
