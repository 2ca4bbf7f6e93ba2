"""Compiled functions of (q, v, w) that Python calls with very little overhead.

A fast call is a kernel (here, values, q, v, w, out) -> status with the address of a system, the numbers of its force elements,
a vector of nq entries and two of nv, and the result by rows. Python calls `quick(key, q)`, `quick(key, q, v)` or
`quick(key, q, v, w)`, where the key is an object that was bound to a system by `bind`, in this thread. The compiled code
inspects the objects that it is given: ordinary arrays of the right sizes are read in place, None stands for zeros, and the
result is a new array. For anything else it returns None, and where the kernel's status is not 0, that status: the caller
then converts its arguments, or raises an error that says what is wrong with them.

A fast call of several arrays has a kernel (here, values, q, v, w, places, room): of the four numbers in `places` for an array
the last is its address, and `room` is a vector that it may write to, kept with the binding. Python gets a tuple of a class
that was named; its last item may be a tuple of further arrays, of a class of its own, or an object given when it was bound.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Sequence
from functools import cached_property
from threading import get_ident
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from cotree.engine.cache import is_compiled_elsewhere, lacks
from cotree.engine.interpreted import INTERPRETED
from cotree.engine.kernel import addressed, inlined, kernel
from cotree.engine.objects import (
    addresses,
    array_data,
    data_of,
    drop,
    held,
    new_array,
    new_integer,
    new_named,
    nothing,
    python_t,
    readable,
    set_item,
    thread,
)
from cotree.engine.records import address_of, integers_at, matrix_at, opener, vector_at

Array = NDArray[np.float64]
_WORDS = (
    "key", "thread", "here", "values", "n_values", "nq", "nv", "zeros", "dimensions", "sizes", "m", "n", "room", "n_room",
    "kind", "first", "last_kind", "last",
)  # fmt: skip
PLACE = 4  # words of a row of `places`: dimensions of an array, two sizes, where its numbers are
binding_t = np.dtype([(name, "i8") for name in _WORDS], align=True)
BINDINGS = 64  # that the table holds; a further one replaces another
table_t = np.dtype([("python", python_t), ("bindings", binding_t, BINDINGS)], align=True)
HEAD, BINDING = python_t.itemsize, binding_t.itemsize
_python_at, _binding_at = opener(python_t), opener(binding_t)
SIGNATURE = types.int64(types.int64, types.int64, types.int64)  # of METH_FASTCALL: own object, arguments, their number
FASTCALL = 0x0080


@inlined
def place_of(key, thread):
    """Place of a binding in the table; where it is taken, the one next to it serves."""
    return ((key >> 4) ^ (key >> 11) ^ (thread >> 12) ^ (thread >> 20)) & (BINDINGS - 1)


class _Definition(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_C_FUNCTION: Any = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ssize_t)
_not_yet = _C_FUNCTION(lambda *_: None)  # what is called until the function has been compiled


@inlined
def _opened(python, at, arguments, count):
    """(address of the binding, of q, of v, of w) from the objects given; the first is 0 where they are not as expected."""
    if not 2 <= count <= 4:
        return 0, 0, 0, 0
    given = integers_at(arguments, count)
    key, me = given[0], thread(python)
    place = place_of(key, me)
    found = at + HEAD + BINDING * place
    d = _binding_at(found)
    if d.key != key or d.thread != me:
        found = at + HEAD + BINDING * (place ^ 1)
        d = _binding_at(found)
        if d.key != key or d.thread != me:
            return 0, 0, 0, 0
    q, v, w = array_data(python, given[1], d.nq), d.zeros, d.zeros
    if count > 2 and given[2] != python.none:
        v = array_data(python, given[2], d.nv)
    if count > 3 and given[3] != python.none:
        w = array_data(python, given[3], d.nv)
    return (0 if q == 0 or v == 0 or w == 0 else found), q, v, w


@kernel
def matrix_in(places, k):
    """Array k of a fast call of several, a matrix."""
    return matrix_at(places[PLACE * k + 3], places[PLACE * k + 1], places[PLACE * k + 2])


@kernel
def vector_in(places, k):
    """Array k of a fast call of several, a vector."""
    return vector_at(places[PLACE * k + 3], places[PLACE * k + 1])


def _outer(inner: Any) -> Any:
    """The kernel as C code that Python calls."""

    def outer(own, arguments, count):
        at = data_of(own)
        python = _python_at(at)
        found, q, v, w = _opened(python, at, arguments, count)
        if found == 0:
            return nothing(python)
        d = _binding_at(found)
        result = new_array(python, d.dimensions, d.sizes)
        if result == 0:
            return result
        values, out = matrix_at(d.values, d.n_values, 3), matrix_at(data_of(result), d.m, d.n)
        status = inner(d.here, values, vector_at(q, d.nq), vector_at(v, d.nv), vector_at(w, d.nv), out)
        if status != 0:
            drop(python, result)
            return new_integer(python, status)
        return result

    return outer


@inlined
def _filled(python, kind, places, sizes, begin, end, more):
    """A tuple of a class with new arrays, of the shapes at these places, and `more` empty items; 0 where there is no memory."""
    result = new_named(python, kind, end - begin + more)
    if result == 0:
        return result
    for k in range(begin, end):
        one = new_array(python, places[PLACE * k], sizes + 8 * (PLACE * k + 1))
        if one == 0:
            drop(python, result)
            return one
        places[PLACE * k + 3] = data_of(one)
        set_item(python, result, k - begin, one)
    return result


def _outer_of_several(inner: Any) -> Any:
    """The same for a kernel with several arrays."""

    def outer(own, arguments, count):
        at = data_of(own)
        python = _python_at(at)
        found, q, v, w = _opened(python, at, arguments, count)
        if found == 0:
            return nothing(python)
        d = _binding_at(found)
        places = integers_at(d.sizes, PLACE * d.m)
        result = _filled(python, d.kind, places, d.sizes, 0, d.first, 1 if d.last != 0 or d.last_kind != 0 else 0)
        if result == 0:
            return result
        if d.last_kind != 0:
            last = _filled(python, d.last_kind, places, d.sizes, d.first, d.m, 0)
            if last == 0:
                drop(python, result)
                return last
            set_item(python, result, d.first, last)
        elif d.last != 0:
            set_item(python, result, d.first, held(python, d.last))
        values, room = matrix_at(d.values, d.n_values, 3), vector_at(d.room, d.n_room)
        status = inner(d.here, values, vector_at(q, d.nq), vector_at(v, d.nv), vector_at(w, d.nv), places, room)
        if status != 0:
            drop(python, result)
            return new_integer(python, status)
        return result

    return outer


def _named_after(inner: Any, outer: Any) -> Any:
    function = inner.py_func
    outer.__name__, outer.__qualname__ = function.__name__, function.__qualname__
    outer.__module__, outer.__doc__ = function.__module__, function.__doc__
    return outer


class FastCall:
    """quick: the Python function; it always returns None until the kernel has been compiled, by the first `bind`."""

    def __init__(
        self,
        function: Any,
        *,
        matrix: bool = False,
        kind: type[tuple[Any, ...]] | None = None,
        last_kind: type[tuple[Any, ...]] | None = None,
    ) -> None:
        self.inner, self.matrix, self.several = kernel(function), matrix, kind is not None
        self.kind, self.last_kind = kind, last_kind
        self.function = _named_after(self.inner, (_outer_of_several if self.several else _outer)(self.inner))
        self.__name__, self.__doc__ = function.__name__, function.__doc__
        self.table = np.zeros(1, table_t)
        self.kept: dict[int, Any] = {}  # by place: what must live as long as the binding
        if not INTERPRETED and readable():
            self.table["python"] = addresses()
            where = ctypes.cast(_not_yet, ctypes.c_void_p).value
            self.definition = _Definition(self.__name__.encode(), where, FASTCALL, None)
            make = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
            new: Any = make(("PyCFunction_NewEx", ctypes.pythonapi))
            self.quick = new(ctypes.addressof(self.definition), self.table, None)
        else:
            self.quick = self.by_numba

    @cached_property
    def kernel(self) -> Any:
        """Not compiled yet."""
        return addressed(self.function, SIGNATURE)

    @cached_property
    def address(self) -> int:
        self.kernel.compile()
        self.definition.function = int(self.kernel.address)
        return int(self.kernel.address)

    def is_missing(self, _types: Any = None) -> bool:
        """Whether it has to be compiled, and can be stored."""
        if INTERPRETED or not readable() or "address" in self.__dict__:
            return False
        return lacks(self.kernel._cache, self.kernel._sig)

    def is_awaited(self, _types: Any = None) -> bool:
        """Whether another process is at work on it."""
        return is_compiled_elsewhere(self.kernel._cache, self.kernel._sig)

    def bind(
        self,
        key: Any,
        here: int,
        values: Array,
        nq: int,
        nv: int,
        *kept: Any,
        shapes: Sequence[tuple[int, ...]] = (),
        room: int = 0,
        last: Any = None,
    ) -> None:
        """Let an object stand for the system at an address, in this thread, with these numbers of force elements; `kept` lives
        as long as the binding. shapes: of the arrays, room: numbers that the kernel needs, last: the last item of the result,
        where it gives several."""
        if not INTERPRETED and readable():
            _ = self.address
        me, zeros, own, places = get_ident(), np.zeros(nv), np.zeros(room), _places(shapes)
        place = self._place(id(key), me)
        d = self.table[0]["bindings"][place]
        sizes = address_of(places) if self.several else address_of(d) + offset_of("m" if self.matrix else "n")
        rows = len(shapes) if self.several else nv if self.matrix else 1
        own_arrays = len(shapes) - _count_of(self.last_kind)
        found = (
            id(key),
            me,
            here,
            address_of(values),
            len(values),
            nq,
            nv,
            address_of(zeros),
            1 + self.matrix,
            sizes,
            rows,
            nv,
            address_of(own),
            room,
            id(self.kind),
            own_arrays,
            0 if self.last_kind is None else id(self.last_kind),
            0 if last is None else id(last),
        )
        for name, word in zip(_WORDS, found, strict=True):
            d[name] = word
        gone = weakref.ref(key, lambda _: self._unbind(place, found[0]))
        self.kept[place] = zeros, values, shapes, places, own, last, kept, gone

    def _place(self, key: int, me: int) -> int:
        """Where a key is; otherwise a free place; otherwise that of another key, which must be bound again."""
        first = int(place_of.py_func(key, me))
        found = [(int(g["key"]), int(g["thread"])) for g in self.table[0]["bindings"][[first, first ^ 1]]]
        wanted = [(key, me) if (key, me) in found else (0, 0)]
        return first ^ 1 if found[0] not in wanted and found[1] in wanted else first

    def _unbind(self, place: int, key: int) -> None:
        """The object has been deleted."""
        d = self.table[0]["bindings"][place]
        if d["key"] == key:
            d["key"] = d["thread"] = 0
            del self.kept[place]

    def by_numba(self, key: Any, q: Any, v: Any = None, w: Any = None) -> Any:
        """The same where objects cannot be looked at."""
        me = get_ident()
        place = self._place(id(key), me)
        d = self.table[0]["bindings"][place]
        if d["key"] != id(key) or d["thread"] != me:
            return None
        zeros, values, shapes, places, room, last = self.kept[place][:6]
        v, w = (zeros if x is None else x for x in (v, w))
        for x, n in ((q, d["nq"]), (v, d["nv"]), (w, d["nv"])):
            if not (type(x) is np.ndarray and x.dtype == float and x.shape == (n,) and x.flags.carray):
                return None
        if self.several:
            made = tuple(np.empty(shape) for shape in shapes)
            places.reshape(-1, PLACE)[:, 3] = [address_of(x) for x in made]
            return self.inner(int(d["here"]), values, q, v, w, places, room) or self._named(made, last)
        out = np.empty((d["m"], d["n"]))
        status = self.inner(int(d["here"]), values, q, v, w, out)
        return status or (out if self.matrix else out[0])

    def _named(self, made: tuple[Array, ...], last: Any) -> Any:
        """Arrays as the items of the result."""
        if self.kind is None:
            return made
        first = len(made) - _count_of(self.last_kind)
        if self.last_kind is not None:
            last = tuple.__new__(self.last_kind, made[first:])
        return tuple.__new__(self.kind, made[:first] if last is None else (*made[:first], last))


def _count_of(kind: type[tuple[Any, ...]] | None) -> int:
    """Items of a class of named tuples; none of no class."""
    return 0 if kind is None else len(getattr(kind, "_fields", ()))


def _places(shapes: Sequence[tuple[int, ...]]) -> NDArray[np.int64]:
    """Rows of `PLACE` words for arrays of these shapes."""
    return np.array([(len(shape), *shape, *(0,) * (PLACE - 1 - len(shape))) for shape in shapes], np.int64).ravel()


def offset_of(name: str) -> int:
    """Bytes before a field of `binding_t`."""
    fields: Any = binding_t.fields
    return int(fields[name][1])


def fast_vector(function: Any) -> FastCall:
    """A fast call whose result is a vector of nv entries, the first row of `out`."""
    return FastCall(function)


def fast_matrix(function: Any) -> FastCall:
    """A fast call whose result is a matrix with nv rows and columns."""
    return FastCall(function, matrix=True)


def fast_arrays(
    kind: type[tuple[Any, ...]], last_kind: type[tuple[Any, ...]] | None = None
) -> Callable[[Any], FastCall]:
    """Decorator: a fast call whose result is a named tuple of arrays, the last ones in a named tuple of their own where its
    class is given too."""
    return lambda function: FastCall(function, kind=kind, last_kind=last_kind)
