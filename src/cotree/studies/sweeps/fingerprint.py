"""Whether two functions are the same: a digest of their code and of what they refer to, the same in every process.

Results that were stored by a sweep must not be mixed with those of functions that have been changed since. Code of the user's is
followed wherever it is: functions, classes and modules that it names. A library counts by its names. Objects count by what pickle
would keep of them; one that cannot be described is like no other, not even itself in another run.
"""

from __future__ import annotations

import dis
import functools
import sys
import sysconfig
import uuid
from collections.abc import Iterator
from hashlib import blake2b
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path
from types import CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np

from cotree.engine.dependencies import code_inside

PLAIN = (str, bytes, int, float, complex, type(None))
KEPT_BY_NAME = ("__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__firstlineno__", "_abc_impl")
INSTALLED = tuple(str(Path(p).resolve()) for p in {sysconfig.get_path(k) for k in ("stdlib", "platstdlib", "purelib", "platlib")})
OWN = str(Path(__file__).resolve().parents[2])


def fingerprint(function: Any) -> str:
    """Of a function with its defaults, closure, and the functions, classes, modules and values that it names."""
    walk = _Walk()
    try:
        walk.put(function)
    except RecursionError:
        walk.doubt()
    return walk.digest.hexdigest()


class _Walk:
    """Puts values and all that they hold into a digest, each object once."""

    def __init__(self) -> None:
        self.digest = blake2b(digest_size=12)
        self.seen: dict[int, tuple[int, Any]] = {}  # number and the object, which keeps its id

    def text(self, words: str) -> None:
        self.digest.update(words.encode("utf-8", "surrogatepass") + b"\0")

    def doubt(self) -> None:
        """For what cannot be compared: never twice the same."""
        self.text(uuid.uuid4().hex)

    def put(self, *values: Any) -> None:
        for x in values:
            if type(x) in PLAIN:
                self.text(f"{type(x).__name__} {x!r}")
            elif id(x) in self.seen:
                self.text(f"again {self.seen[id(x)][0]}")
            else:
                self.seen[id(x)] = (len(self.seen), x)
                self._object(x)

    def _object(self, x: Any) -> None:
        if isinstance(getattr(x, "py_func", None), FunctionType):  # compiled by Numba
            self.put(x.py_func)
        elif isinstance(x, functools._lru_cache_wrapper):
            self.put(x.__wrapped__)
        elif isinstance(x, FunctionType):
            self._function(x)
        elif isinstance(x, MethodType):
            self.put(x.__func__, x.__self__)
        elif isinstance(x, functools.partial):
            self.put(x.func, x.args, x.keywords)
        elif isinstance(x, type):
            self._class(x)
        elif isinstance(x, ModuleType):
            self.text(x.__name__)
        elif isinstance(x, np.ndarray):
            self.text(f"{type(x).__qualname__} {x.dtype} {x.shape}")
            self.put(list(x.flat) if x.dtype.hasobject else x.tobytes())
        elif type(x) in (dict, MappingProxyType):
            self.text(f"{len(x)} by key")
            for key, value in x.items():
                self.put(key, value)
        elif type(x) in (tuple, list):
            self.text(f"{type(x).__name__} of {len(x)}")
            self.put(*x)
        elif isinstance(x, (set, frozenset)):
            self.text(" ".join(sorted(fingerprint(value) for value in x)))
        elif isinstance(x, (staticmethod, classmethod)):
            self.put(type(x).__name__, x.__func__)
        elif isinstance(x, property):
            self.put(x.fget, x.fset, x.fdel)
        else:
            self._instance(x)

    def _instance(self, x: Any) -> None:
        """Any other object: its class, and what makes it again."""
        self.put(type(x))
        try:
            self.put(*_state(x))
        except RecursionError:
            raise
        except Exception:  # of a class that refuses, in whatever way
            self.doubt()

    def _class(self, x: type) -> None:
        self.text(f"{_place(x.__module__)}.{x.__qualname__}")
        if is_library(x.__module__):
            return
        self.put(x.__bases__)
        for name, value in sorted(vars(x).items()):
            if name not in KEPT_BY_NAME and not hasattr(value, "__objclass__"):  # slots: their values are in the instances
                self.put(name, value)

    def _function(self, f: FunctionType) -> None:
        self.text(f"{_place(f.__module__)}.{f.__qualname__}")
        for cell in f.__closure__ or ():
            self.put(*_content(cell))
        if is_library(f.__module__):
            return
        self.put(f.__defaults__, f.__kwdefaults__)
        if f.__dict__:
            self.put({k: v for k, v in f.__dict__.items() if k != "__wrapped__"}, f.__dict__.get("__wrapped__"))
        for code in code_inside(f.__code__):
            self.text(f"{code.co_code.hex()} {code.co_names} {code.co_varnames}")
            self.put(*(c for c in code.co_consts if not isinstance(c, CodeType) and c != f.__doc__))
            for name in code.co_names:
                if name in f.__globals__:
                    self.put(f.__globals__[name])
                    self._used(f.__globals__[name], code.co_names)
            for module in _imported(code, f.__globals__):
                self._used(module, code.co_names)

    def _used(self, module: Any, names: tuple[str, ...]) -> None:
        """What code names of a module of the user's, and of modules in it."""
        if isinstance(module, ModuleType) and not is_library(module.__name__):
            for name in names:
                if name in vars(module):
                    value = vars(module)[name]
                    self.put(name, value)
                    if value is not module:
                        self._used(value, tuple(n for n in names if n != name))


def is_library(name: str | None) -> bool:
    """Whether a module is one of Python, of this package or an installed one, rather than the user's."""
    module = sys.modules.get(name or "__main__")
    if module is None or name in (None, "__main__", "__mp_main__"):
        return False
    file, spec = getattr(module, "__file__", None), getattr(module, "__spec__", None)
    if file is None:
        return spec is not None and (spec.origin in ("built-in", "frozen"))
    path = str(Path(file).resolve())
    return path.startswith((*INSTALLED, OWN))


def _place(name: str | None) -> str:
    return "__main__" if name in (None, "__mp_main__") else str(name)


def _content(cell: Any) -> tuple[Any, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:  # nothing is in it yet
        return ()


def _state(x: Any) -> tuple[Any, ...]:
    """What pickle would make an object again from."""
    made = x.__reduce_ex__(4)
    if isinstance(made, str):
        return (made,)
    function, arguments, *rest = made
    state, items, pairs = [*rest[:3], None, None, None][:3]
    return function, arguments, state, *(None if each is None else list(each) for each in (items, pairs))


def _imported(code: CodeType, names: dict[str, Any]) -> Iterator[ModuleType]:
    """Modules of the user's that a function imports when it is called."""
    level = 0
    for step in dis.get_instructions(code):
        if step.opname == "LOAD_CONST" and type(step.argval) is int:
            level = step.argval
        if step.opname == "LOAD_SMALL_INT":
            level = int(step.argval)
        if step.opname != "IMPORT_NAME":
            continue
        try:
            whole = resolve_name("." * level + step.argval, names.get("__package__")) if level else step.argval
            if is_library(whole.partition(".")[0]):
                continue
            module = import_module(whole)
        except Exception:  # the call will say it
            continue
        yield sys.modules.get(whole.partition(".")[0], module)
        yield module
