"""Python objects in compiled code: arrays are read in place, results are created as arrays.

When Python calls a function compiled by Numba, each array is unpacked into a structure with a reference count, which takes
longer than the dynamics of a robot. Here the object itself is inspected, as C code would do it.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from cotree.engine.kernel import inlined, kernel
from cotree.engine.records import integers_at

# what compiled code must know of this process: addresses of types, of the constant None and of functions
python_t = np.dtype(
    [
        (name, "i8")
        for name in (
            "ndarray",
            "float64",
            "none",
            "new_array",
            "new_integer",
            "hold",
            "drop",
            "thread",
            "new_tuple",
            "set_item",
            "new_named",
        )
    ],
    align=True,
)
NEW_ARRAY = 93  # PyArray_New in the table of NumPy's functions, where it has been since version 1.0
FLOAT64 = 12  # NumPy's number of the type
PLAIN = 0x0001 | 0x0100  # flags of an array: contiguous by rows, aligned
HALF = 0xFFFFFFFF  # a C int in a word
FUNCTIONS = (
    "PyLong_FromLongLong",
    "Py_IncRef",
    "Py_DecRef",
    "PyThread_get_thread_ident",
    "PyTuple_New",
    "PyTuple_SetItem",
    "PyType_GenericAlloc",
)


@cache
def addresses() -> tuple[int, ...]:
    """The numbers of `python_t` in this process."""
    capsule: Any = ctypes.pythonapi.PyCapsule_GetPointer
    capsule.restype, capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    core: Any = import_module("numpy._core._multiarray_umath")
    table = ctypes.cast(capsule(core._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    functions = (ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0 for name in FUNCTIONS)
    return (id(np.ndarray), id(np.dtype(float)), id(None), table[NEW_ARRAY] or 0, *functions)


@cache
def readable() -> bool:
    """Whether objects lie in memory as `array_data` expects it; elsewhere fast calls go through Numba."""
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    probe = np.arange(6.0).reshape(2, 3)
    words = np.ctypeslib.as_array(ctypes.cast(id(probe), ctypes.POINTER(ctypes.c_int64)), (9,))
    sizes = np.ctypeslib.as_array(ctypes.cast(int(words[4]), ctypes.POINTER(ctypes.c_int64)), (2,))
    expected = (id(np.ndarray), probe.ctypes.data, 2, id(np.dtype(float)), PLAIN)
    found = words[1], words[2], words[3] & HALF, words[7], words[8] & PLAIN
    return tuple(map(int, found)) == expected and tuple(sizes) == (2, 3)


@inlined
def array_data(python, at, n):
    """Where the numbers of an array begin: an ordinary one of n floats in a row; 0 for any other object."""
    words = integers_at(at, 9)  # count, type, data, dimensions, sizes, strides, base, dtype, flags
    if words[1] != python.ndarray or words[7] != python.float64 or words[3] & HALF != 1:
        return 0
    if words[8] & PLAIN != PLAIN or integers_at(words[4], 1)[0] != n:
        return 0
    return words[2]


@inlined
def data_of(at):
    """Where the numbers of any array begin."""
    return integers_at(at, 3)[2]


def _function(result, *arguments):
    """A call of a C function, by its address, of these types."""
    kinds = [ir.IntType(32) if a == "int" else ir.IntType(64) for a in arguments]

    @intrinsic
    def call(context, address, given):
        def generate(context, builder, signature, values):
            returned = ir.IntType(64) if result else ir.VoidType()
            kind = ir.FunctionType(returned, kinds)
            parts = [builder.extract_value(values[1], i) for i in range(len(kinds))]
            parts = [builder.trunc(p, k) if k.width < 64 else p for p, k in zip(parts, kinds, strict=True)]
            found = builder.call(builder.inttoptr(values[0], kind.as_pointer()), parts)
            return found if result else ir.Constant(ir.IntType(64), 0)

        return types.int64(types.int64, types.UniTuple(types.int64, len(kinds))), generate

    return call


_of_none = _function(True)
_of_one = _function(True, "word")
_on_one = _function(False, "word")
_of_two = _function(True, "word", "word")
_of_three = _function(True, "word", "word", "word")
_of_nine = _function(True, "word", "int", "word", "int", "word", "word", "int", "int", "word")


@kernel
def new_array(python, dimensions, sizes):
    """A new array of floats with these sizes (an address); 0 with an error set where there is no memory."""
    return _of_nine(python.new_array, (python.ndarray, dimensions, sizes, FLOAT64, 0, 0, 0, 0, 0))


@kernel
def new_integer(python, value):
    """An integer of Python."""
    return _of_one(python.new_integer, (value,))


@kernel
def new_tuple(python, n):
    """A tuple of n places, which `set_item` has to fill; 0 with an error set where there is no memory."""
    return _of_one(python.new_tuple, (n,))


@kernel
def new_named(python, kind, n):
    """The same of a class made from tuple that adds nothing to its memory, such as a `NamedTuple`."""
    return _of_two(python.new_named, (kind, n))


@kernel
def set_item(python, at, k, item):
    """Place k of a new tuple, which takes the reference over."""
    _of_three(python.set_item, (at, k, item))


@kernel
def held(python, at):
    """An object, as a new reference."""
    _on_one(python.hold, (at,))
    return at


@kernel
def nothing(python):
    """None, as a new reference."""
    return held(python, python.none)


@kernel
def drop(python, at):
    """Release a reference."""
    _on_one(python.drop, (at,))


@kernel
def thread(python):
    """Number of the thread that asks."""
    return _of_none(python.thread, ())
