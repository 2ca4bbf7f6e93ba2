"""Whether two functions are the same: a digest of their code and of all that they refer to, the same in every process.

Results that were stored by a sweep must not be mixed with those of functions that have been changed since. User code is
followed wherever it is: functions, classes and modules that are named, with their values. Installed packages count by name and
version, objects by what pickle would keep of them. What cannot be described is like nothing else, not even itself later.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import importlib
import importlib.util
import itertools
import pickle
import sys
import sysconfig
import threading
import uuid
import weakref
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from types import (
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any

import numpy as np

from cotree.engine.dependencies import code_inside
from cotree.errors import CotreeError

UNKNOWN = "cannot be compared: "
PLAIN = (str, bytes, int, float, complex, bool, type(None), type(...))
LOCKS = (type(threading.Lock()), type(threading.RLock()))
LIBRARIES = tuple(Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "platstdlib"))
OWN = Path(__file__).resolve().parents[2]
ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
LOOKUPS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")  # of global names, in bytecode
BY_TEXT = ("eval", "exec", "__import__", "import_module")  # what they reach depends on text
# of classes, without a part in results:
UNUSED = ("__doc__", "__module__", "__slotnames__", "__firstlineno__", "__static_attributes__", "_abc_impl")

Part = str | tuple[Any]  # a text, or a value that has parts in turn


class NotComparableError(CotreeError):
    """Something that has no description that is the same in every process."""


def fingerprint(function: Any) -> str:
    """Digest of a function; where that is not possible, UNKNOWN with the reason, and never the same text again."""
    digest = blake2b(digest_size=12)
    try:
        for text in _texts(function, {}):
            digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    except NotComparableError as error:
        return f"{UNKNOWN}{error}; {uuid.uuid4().hex}"
    return digest.hexdigest()


def _texts(x: Any, seen: dict[int, tuple[int, Any]]) -> Iterator[str]:
    """Description of a value. seen: number of each object that was described already, and the object, which keeps its id."""
    waiting: list[tuple[Any, Iterator[Part]]] = [(x, iter([(x,)]))]
    while waiting:
        owner, parts = waiting[-1]
        try:
            part = next(parts, None)
        except Exception as error:  # of whatever kind: user code may be asked here
            kind = f"an object of {type(owner).__module__}.{type(owner).__qualname__}"
            raise NotComparableError(error if isinstance(error, NotComparableError) else kind) from error
        if part is None:
            waiting.pop()
        elif isinstance(part, str):
            yield part
        elif type(part[0]) in PLAIN:
            yield f"{type(part[0]).__name__} {part[0]!r}"
        elif id(part[0]) in seen:
            yield f"again {seen[id(part[0])][0]}"
        else:
            if type(part[0]) not in (tuple, frozenset):  # equal ones may be one object, or not
                seen[id(part[0])] = (len(seen), part[0])
            waiting.append((part[0], _parts(part[0], seen)))


def _parts(x: Any, seen: dict[int, tuple[int, Any]]) -> Iterator[Part]:
    if isinstance(x, FunctionType):
        yield from _function(x)
    elif isinstance(x, type):
        yield from _class(x)
    elif isinstance(x, ModuleType):
        yield from _module(x)
    elif isinstance(x, functools._lru_cache_wrapper):
        yield from ("cached", (x.__wrapped__,))
    elif isinstance(getattr(x, "py_func", None), FunctionType):  # compiled by Numba
        yield (x.py_func,)
    elif isinstance(x, MethodType):
        yield from ("method", (x.__func__,), (x.__self__,))
    elif type(x) is np.ndarray:
        yield from ("array", (x.dtype,), (x.shape,))
        yield (list(x.flat),) if x.dtype.hasobject else blake2b(x.tobytes()).hexdigest()
    elif type(x) in (dict, MappingProxyType):
        yield f"{len(x)} by key"
        yield from ((each,) for item in x.items() for each in item)
    elif type(x) in (tuple, list):
        yield f"{type(x).__name__} of {len(x)}"
        yield from ((each,) for each in x)
    elif isinstance(x, (set, frozenset)):
        yield from ((type(x),), (getattr(x, "__dict__", None),))
        yield from sorted("|".join(_texts(each, dict(seen))) for each in x)
    elif isinstance(x, (staticmethod, classmethod)):
        yield from (type(x).__name__, (x.__func__,))
    elif isinstance(x, property):
        yield from ((type(x),), (x.fget,), (x.fset,), (x.fdel,))
    elif isinstance(x, weakref.ref):
        yield from ("reference", (x(),))
    else:
        yield (type(x),)
        yield from () if isinstance(x, LOCKS) or x is np.random.mtrand._rand else _state(x)


def _state(x: Any) -> Iterator[Part]:
    """What pickle would rebuild an object from."""
    if any((k.__module__, k.__name__) == ("scipy.interpolate._fitpack2", "UnivariateSpline") for k in type(x).__mro__):
        yield ({name: value[:7] if name == "_data" and value else value for name, value in vars(x).items()},)
        return  # what follows in its data was never written
    reduce: Callable[[Any], Any] | None = copyreg.dispatch_table.get(type(x))
    recipe = x.__reduce_ex__(4) if reduce is None else reduce(x)
    if not isinstance(recipe, str):
        yield from ((list(each) if isinstance(each, Iterator) else each,) for each in recipe)
        return
    home = pickle.whichmodule(x, recipe)  # type: ignore[attr-defined]
    value: Any = sys.modules[home]
    for name in recipe.split("."):
        value = getattr(value, name)
    if value is not x:
        raise NotComparableError(f"{recipe} of {home}")
    yield from (f"{_home(home)}.{recipe}", (getattr(x, "__dict__", None),))


def _class(x: type) -> Iterator[Part]:
    yield f"{_home(x.__module__)}.{x.__qualname__}"
    if is_library(x.__module__) and "<locals>" not in x.__qualname__:
        return
    yield from ((type(x),), (x.__bases__,))
    for name, value in sorted(vars(x).items()):
        if name not in UNUSED and not isinstance(value, (GetSetDescriptorType, MemberDescriptorType)):
            yield from (name, (value,))


def _module(x: ModuleType) -> Iterator[Part]:
    yield _home(x.__name__)
    if not is_library(x.__name__):
        yield from _namespace(vars(x))


def _namespace(names: dict[str, Any]) -> Iterator[Part]:
    for name, value in sorted(names.items()):
        if not (name.startswith("__") and name.endswith("__")) or name == "__getattr__":
            yield from (name, (value,))


def _function(f: FunctionType) -> Iterator[Part]:
    yield f"{_home(f.__module__)}.{f.__qualname__}"
    if is_library(f.__module__) and "<locals>" not in f.__qualname__:
        return
    yield from ((f.__defaults__,), (f.__kwdefaults__,), (f.__dict__,))
    yield from ((cell,) for cell in map(_content, f.__closure__ or ()))
    if is_library(f.__globals__.get("__name__")):
        return
    for code in code_inside(f.__code__):
        yield ((code.co_code, code.co_exceptiontable, code.co_names, code.co_varnames, code.co_freevars),)
        yield from ((c,) for c in code.co_consts if not isinstance(c, CodeType) and c != f.__doc__)
        yield from _global_values(code, f.__globals__)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing is in it yet
        return "empty"


def _global_values(code: CodeType, names: dict[str, Any]) -> Iterator[Part]:
    """Values of global names that code uses; of a user module those of the attributes that follow, else the whole module."""
    steps = [s for s in dis.get_instructions(code) if s.opname not in ("CACHE", "EXTENDED_ARG")]
    for k, step in enumerate(steps):
        if step.opname == "IMPORT_NAME":
            yield from _imported(names.get("__package__"), *(s.argval for s in steps[k - 2 : k + 1]))
        elif step.argval in BY_TEXT and step.argval not in names and step.opname in (*LOOKUPS, *ATTRIBUTES):
            raise NotComparableError(f"code that calls {step.argval}")
        elif step.opname in LOOKUPS and step.argval in names:
            attributes = (s.argval for s in itertools.takewhile(lambda s: s.opname in ATTRIBUTES, steps[k + 1 :]))
            yield (_attribute(names[step.argval], attributes),)
        elif step.opname in LOOKUPS and step.argval == "globals":
            yield from _namespace(names)


def _attribute(value: Any, names: Iterator[str]) -> Any:
    """What follows a user module in code: as far as modules go."""
    for name in names:
        if not isinstance(value, ModuleType) or is_library(value.__name__) or name not in vars(value):
            break
        value = vars(value)[name]
    return value


def _imported(package: str | None, level: int, attributes: tuple[str, ...] | None, module: str) -> Iterator[Part]:
    """What a function imports when it is called."""
    try:
        name = importlib.util.resolve_name("." * level + module, package)
        if is_library(name):
            yield _home(name)
        elif attributes is None:
            importlib.import_module(name)
            yield (sys.modules[name.partition(".")[0]],)
        else:
            for attribute in attributes:
                value = importlib.import_module(name)
                yield (
                    vars(value)[attribute]
                    if attribute in vars(value)
                    else importlib.import_module(f"{name}.{attribute}"),
                )
    except ImportError:  # the call will say it
        yield f"without {module}"


def is_library(name: str | None) -> bool:
    """Whether a module is one of Python, of this package or an installed one, rather than the user's."""
    if name in (None, "__main__", "__mp_main__"):
        return False
    try:
        spec = importlib.util.find_spec(str(name).partition(".")[0])
    except (ImportError, ValueError):  # of a module that was not read from a file
        return False
    if spec is None or spec.origin in ("built-in", "frozen"):
        return spec is not None
    places = [str(spec.origin)] if spec.has_location else [*(spec.submodule_search_locations or ())]
    return bool(places) and all(map(_installed, places))


def _installed(place: str) -> bool:
    path = Path(place).resolve()
    return bool({"site-packages", "dist-packages"} & {*path.parts}) or any(map(path.is_relative_to, (*LIBRARIES, OWN)))


def _home(name: str | None) -> str:
    """Name of a module, and the version of an installed one; that of this package is looked at elsewhere."""
    if name in (None, "__main__", "__mp_main__"):
        return "__main__"
    top = str(name).partition(".")[0]
    version = getattr(sys.modules.get(top), "__version__", "") if top != "cotree" and is_library(name) else ""
    return f"{name} {version}"
