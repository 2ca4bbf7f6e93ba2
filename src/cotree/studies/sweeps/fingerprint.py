"""Whether two functions are the same: a digest of their code and of what they refer to, the same in every process.

Results that were stored by a sweep must not be mixed with those of functions that have been changed since.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

PLAIN = (str, bytes, int, float, complex, type(None))
DEPTH = 20


def fingerprint(function: Any) -> str:
    """Of a function with its defaults, closure, and the functions and constants that it names."""
    digest = blake2b(digest_size=12)
    for text in _described(function, set(), 0):
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


def _described(x: Any, seen: set[int], depth: int) -> Iterator[str]:
    if isinstance(x, PLAIN):
        yield repr(x)
        return
    if id(x) in seen or depth > DEPTH:
        return
    seen.add(id(x))
    for part in _parts(x):
        if isinstance(part, str):
            yield part
        else:
            yield from _described(part[0], seen, depth + 1)


def _parts(x: Any) -> Iterator[str | tuple[Any]]:
    """Texts as they are, and in tuples of one the values to be described in turn."""
    if isinstance(getattr(x, "py_func", None), FunctionType):  # compiled by Numba
        yield (x.py_func,)
    elif isinstance(x, FunctionType):
        yield from _function(x)
    elif isinstance(x, MethodType):
        yield from ((x.__func__,), (x.__self__,))
    elif isinstance(x, functools.partial):
        yield from ((x.func,), (x.args,), (x.keywords,))
    elif isinstance(x, np.ndarray):
        yield f"{x.dtype}{x.shape}{x.tobytes().hex() if x.dtype.kind != 'O' else ''}"
    elif isinstance(x, Mapping):
        for key, value in x.items():
            yield from (repr(key), (value,))
    elif isinstance(x, (tuple, list)):
        yield str(len(x))
        yield from ((value,) for value in x)
    elif isinstance(x, (set, frozenset)):
        yield repr(sorted(map(repr, x)))
    elif isinstance(x, (type, ModuleType)):
        yield x.__name__
    elif isinstance(x, (np.generic, np.dtype)):
        yield repr(x)
    else:  # any other object: its class and what it holds
        yield f"{type(x).__module__}.{type(x).__qualname__}"
        yield from ((value,) for name, value in sorted(getattr(x, "__dict__", {}).items()) if name[:1] != "_")


def _function(f: FunctionType) -> Iterator[str | tuple[Any]]:
    yield f"{f.__module__ if f.__module__ != '__mp_main__' else '__main__'}.{f.__qualname__}"
    if f.__module__.partition(".")[0] in ("cotree", "numpy", "scipy") and f.__closure__ is None:
        return  # of a library, whose version counts
    yield from ((f.__defaults__,), (f.__kwdefaults__,))
    for cell in f.__closure__ or ():
        yield (cell.cell_contents,)
    for code in _nested(f.__code__):
        yield from (code.co_code.hex(), repr(code.co_names), repr(code.co_varnames))
        yield from (repr(c) for c in code.co_consts if not isinstance(c, CodeType) and c != f.__doc__)
        for name in code.co_names:
            if name in f.__globals__:
                yield (f.__globals__[name],)


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)
