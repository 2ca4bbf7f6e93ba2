"""The decorators behind every compiled function.

Kernels are plain Python compiled by Numba on first call and stored on disk (`cache`). Fast-math is limited to the flags
that keep NaN and infinity meaningful. With a version of Numba that is not known they are ordinary functions of it
(`plain_numba`).
"""

from __future__ import annotations

from typing import Any

from numba import njit
from numba.core.ccallback import CFunc

from cotree.engine.cache import keep_on_disk
from cotree.engine.interpreted import INTERPRETED, plain
from cotree.engine.plain_numba import PLAIN

if not PLAIN:
    from cotree.engine.dispatcher import AddressedKernel, KernelDispatcher

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
    options: dict[str, Any] = {"boundscheck": None, "fastmath": fast, "error_model": "numpy", **more}
    if not PLAIN:
        return KernelDispatcher(function, {"nopython": True, **options})
    compiled = njit(function, **options)
    keep_on_disk(compiled, function, options)
    return compiled


def addressed(function: Any, signature: Any) -> Any:
    """A kernel that is called by its address; not compiled yet."""
    options = {"nopython": True, "fastmath": FAST_MATH, "error_model": "numpy"}
    make = _plain_callback if PLAIN else AddressedKernel
    compiled = make(function, signature, options)
    keep_on_disk(compiled, function, options)
    return compiled


def _plain_callback(function: Any, signature: Any, options: dict[str, Any]) -> Any:
    return CFunc(function, (signature.args, signature.return_type), {}, options)
