"""What the compiled code of a function depends on: its own bytecode and constants, and those of everything it reaches.

Numba stamps stored code with the time of the function's own file, so that a change in a callee would go unseen. The digest
made here covers the functions, constants and record types that can be reached from a function by name, and nothing
else: a changed docstring, comment or neighbour leaves it as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

PACKAGE = __name__.split(".", 1)[0]

Own = tuple[str, tuple[FunctionType, ...]]  # description of a function's own code, and the functions it refers to
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # differs from process to process
_PLAIN = (str, bytes, int, float, complex, type(None))
_known: dict[FunctionType, Own] = {}


def digest_of(function: FunctionType, options: dict[str, Any]) -> str:
    """Digest of a function's code, of all code and constants that it reaches, and of options it is compiled with."""
    digest = blake2b(_described(options)[0].encode(), digest_size=16)
    for text in sorted(reached_by(function).values()):
        digest.update(text.encode("utf-8", "surrogateescape") + b"\0")
    return digest.hexdigest()


def reached_by(function: FunctionType) -> dict[FunctionType, str]:
    """A function and all those that it reaches by name, each with a description of its own code."""
    reached: dict[FunctionType, str] = {}
    waiting = [function]
    while waiting:
        f = waiting.pop()
        if f not in reached:
            reached[f], callees = _own(f)
            waiting.extend(callees)
    return reached


def _own(function: FunctionType) -> Own:
    if function not in _known:
        texts, callees = [f"{function.__module__}.{function.__qualname__}"], []
        for value in _parts(function):
            text, inner = _described(value)
            texts.append(text)
            callees.extend(inner)
        _known[function] = "|".join(texts), tuple(callees)
    return _known[function]


def _parts(function: FunctionType) -> Iterator[Any]:
    """Code, defaults, cells and the global values that a function names."""
    yield from _code(function.__code__, function.__doc__)
    yield function.__defaults__
    for cell in function.__closure__ or ():
        yield cell.cell_contents
    for code in code_inside(function.__code__):
        for name in code.co_names:
            if name in function.__globals__:
                value = function.__globals__[name]
                yield name
                yield value
                if isinstance(value, ModuleType) and value.__name__.startswith(PACKAGE + "."):
                    yield from (getattr(value, n) for n in code.co_names if hasattr(value, n))


def code_inside(code: CodeType) -> Iterator[CodeType]:
    """A code object and those of the functions written inside of it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_inside(constant)


def _code(code: CodeType, doc: str | None) -> Iterator[Any]:
    """What a code object computes, without its docstring and its place in the file."""
    yield code.co_code
    yield (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_argcount, code.co_flags)
    for i, constant in enumerate(code.co_consts):
        if isinstance(constant, CodeType):
            yield from _code(constant, None)
        elif not (i == 0 and constant == doc):
            yield constant


def _described(value: Any) -> tuple[str, list[FunctionType]]:
    """A value in words that are the same in every process, and the functions behind it."""
    if isinstance(value, _PLAIN):  # most of them
        return repr(value), []
    if isinstance(value, FunctionType):
        return "", [value]
    for attribute in ("py_func", "_defn", "function"):  # a compiled function, an intrinsic, an entry
        inner = getattr(value, attribute, None)
        if isinstance(inner, FunctionType):
            return _described(getattr(value, "targetoptions", None))[0], [inner]
    if isinstance(value, (tuple, list)):
        pairs = [_described(x) for x in value]
        return f"({','.join(text for text, _ in pairs)})", [f for _, inner in pairs for f in inner]
    if isinstance(value, (set, frozenset)):
        return repr(sorted(map(repr, value))), []
    if isinstance(value, dict):
        return _described(sorted(value.items()))
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{value.tobytes().hex()}", []
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}{getattr(value, '_fields', '')}", []
    if isinstance(value, ModuleType):
        return value.__name__, []
    if isinstance(value, (np.dtype, np.generic)):
        return repr(value), []
    name = getattr(value, "__name__", None)  # functions of NumPy and of Python
    return f"{type(value).__qualname__}:{_ADDRESS.sub('', str(value)) if name is None else name}", []
