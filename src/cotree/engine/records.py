"""Records that hold arrays: what compiled code is given as one value, in place of dozens of arguments.

A record is one row of a structured array, read and written by the same names in Python and in kernels: `run.clock.t_now`. An
array is a field of type `array_t`, its address and shape: its owner keeps it alive and fills the field by `put_array`, kernels
open it by `vector`, `matrix`, `integers` or `rows_of` a table. Addresses are of no concern outside this folder.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from cotree.engine.interpreted import INTERPRETED, view_at
from cotree.engine.kernel import kernel

array_t = np.dtype([("at", "i8"), ("m", "i8"), ("n", "i8")], align=True)  # m rows of n entries
# Addresses of one record, and of an entry: to kernels whole numbers, told apart by those who walk through records (`images`)
at_t = np.dtype("i8", metadata={"address": "data"})
entry_t = np.dtype("i8", metadata={"address": "entry"})


def arrays(*names: str) -> np.dtype[np.void]:
    """A record type of so many arrays."""
    return np.dtype([(name, array_t) for name in names], align=True)


def addresses(*names: str) -> np.dtype[np.void]:
    """A record type of so many entries; zero where there is none."""
    return np.dtype([(name, entry_t) for name in names], align=True)


class Record(np.void):  # type: ignore[misc]
    """A row on the Python side, whose fields are attributes: like NumPy's own `record`, but several times as fast."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except ValueError as error:
            absent = AttributeError(str(error))  # as Python's own protocols expect
            raise absent from None

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            self[name] = value
        except ValueError:
            if name in (self.dtype.names or ()):
                raise
            absent = AttributeError(f"no field of name {name}")
            raise absent from None


@cache
def with_attributes(dtype: np.dtype[np.void]) -> np.dtype[np.void]:
    """The same type, rows of which are `Record`, and so are records within."""
    if not dtype.names:
        return dtype
    places: Any = dtype.fields
    parts: Any = {
        "names": list(dtype.names),
        "formats": [with_attributes(places[name][0]) for name in dtype.names],
        "offsets": [places[name][1] for name in dtype.names],
        "itemsize": dtype.itemsize,
        "aligned": dtype.isalignedstruct,
    }
    return np.dtype((Record, np.dtype(parts)))


def record(dtype: np.dtype[np.void]) -> Any:
    """A new record of this type, all zero, on the Python side: fields are attributes."""
    return np.zeros(1, dtype).view(with_attributes(dtype))[0]


def record_with_words(dtype: np.dtype[np.void]) -> tuple[Any, memoryview]:
    """A new record, and its memory as whole numbers: many arrays are put into it quickly by `put_words`."""
    made = np.zeros(1, dtype)
    words: Any = made.view(np.int64)
    return made.view(with_attributes(dtype))[0], memoryview(words)


@cache
def array_places(dtype: np.dtype[np.void]) -> dict[str, int]:
    """Where in the words of a record its arrays are, by name, also of records within."""
    fields: Any = dtype.fields or {}
    found: dict[str, int] = {}
    for name, (kind, offset, *_) in fields.items():
        if kind == array_t:
            found[name] = offset // 8
        elif kind.names:
            found |= {inner: offset // 8 + at for inner, at in array_places(kind).items()}
    return found


def put_words(words: memoryview, at: int, array: NDArray[Any]) -> None:
    """What `put_array` does, at a place in the words of a record."""
    assert array.flags.c_contiguous
    assert array.flags.aligned
    words[at] = array.ctypes.data
    words[at + 1], words[at + 2] = array.shape[0] if array.ndim == 2 else 1, array.shape[-1]


def copied(given: Any) -> Any:
    """Another record with the same contents."""
    return np.array([given], given.dtype)[0]


def as_row(given: Any) -> NDArray[Any]:
    """A copy of a record as a table of one row."""
    return np.array([given], given.dtype)


def as_table(given: Any, dtype: np.dtype[np.void]) -> NDArray[Any]:
    """The memory of a record itself, as a table of one row."""
    return np.frombuffer(given.data, dtype)


def row_addresses(table: NDArray[Any]) -> NDArray[np.int64]:
    """Where each row of a table, or each block of an array, begins."""
    found: NDArray[np.int64] = table.ctypes.data + table.strides[0] * np.arange(len(table))
    return found


def address_of(given: Any) -> int:
    """Where a record or an array begins."""
    array = given if isinstance(given, np.ndarray) else np.frombuffer(given.data, np.uint8)
    return int(array.ctypes.data)


def put_array(field: Any, array: NDArray[Any]) -> None:
    """Fill a field of type `array_t`; the caller keeps the array alive."""
    assert array.flags.c_contiguous
    assert array.flags.aligned
    field[0], field[1], field[2] = (
        array.ctypes.data,
        array.shape[0] if array.ndim == 2 else 1,
        array.shape[-1],
    )  # by name is slow


def view_of(kind: Callable[[], Any], dimensions: int, stamp: str = "") -> Any:
    """Compiled opening of an array at an address: (address, n) or (address, m, n). The type of its entries is asked for when
    it is first compiled, which takes a while; `stamp` says on what else stored code depends."""

    @intrinsic
    def vector(context, address, n):
        _ = stamp
        return _opening(kind(), 1)

    @intrinsic
    def matrix(context, address, m, n):
        _ = stamp
        return _opening(kind(), 2)

    return vector if dimensions == 1 else matrix


def _opening(kind: Any, dimensions: int) -> tuple[Any, Any]:
    """Signature of what opens an array at an address, and what makes its code."""
    array = types.Array(kind, dimensions, "C")

    def generate(context, builder, signature, arguments):
        return array_at(context, builder, array, arguments[0], arguments[1:])

    return array(*[types.int64] * (1 + dimensions)), generate


def array_at(context: Any, builder: Any, kind: Any, address: Any, shape: Any) -> Any:
    """Code for an array without an owner."""
    from numba.np.arrayobj import (  # only where something is compiled: it takes a while to import
        make_array,
        populate_array,
    )

    word, item = address.type, context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides: list[Any] = []
    size = word(item)
    for n in reversed(shape):
        strides.insert(0, size)
        size = builder.mul(size, n)
    array = make_array(kind)(context, builder)
    data = builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer())
    populate_array(array, data=data, shape=list(shape), strides=strides, itemsize=item, meminfo=None)
    return array._getvalue()


_numba_type = cache(from_dtype)
vector_at = view_of(lambda: types.float64, 1)  # floats at an address
matrix_at = view_of(lambda: types.float64, 2)  # m rows of n floats at an address
integers_at = view_of(lambda: types.int64, 1)  # integers at an address
integer_rows_at = view_of(lambda: types.int64, 2)  # m rows of n integers at an address

if INTERPRETED:

    def vector_at(address, n):
        return view_at(address, (n,), np.float64)

    def matrix_at(address, m, n):
        return view_at(address, (m, n), np.float64)

    def integers_at(address, n):
        return view_at(address, (n,), np.int64)

    def integer_rows_at(address, m, n):
        return view_at(address, (m, n), np.int64)


@kernel
def vector(field):
    """The floats of an array."""
    return vector_at(field.at, field.m * field.n)


@kernel
def matrix(field):
    """The rows of a matrix."""
    return matrix_at(field.at, field.m, field.n)


@kernel
def integers(field):
    """The integers of an array."""
    return integers_at(field.at, field.m * field.n)


@kernel
def integer_rows(field):
    """The rows of a matrix of integers."""
    return integer_rows_at(field.at, field.m, field.n)


def rows_of(dtype: np.dtype[np.void]) -> Any:
    """What opens a table of this type in a kernel, given the field of a record."""
    if INTERPRETED:
        return lambda field: view_at(field.at, (field.n,), dtype)
    return table_of(lambda: _numba_type(dtype))


def table_of(kind: Callable[[], Any], stamp: str = "") -> Any:
    """Compiled opening of a table, from a field of type `array_t`."""

    @intrinsic
    def rows(context, field):
        table, _ = types.Array(kind(), 1, "C"), stamp

        def generate(context, builder, signature, arguments):
            words = builder.bitcast(arguments[0], ir.IntType(64).as_pointer())
            address, n = (builder.load(builder.gep(words, [ir.IntType(32)(i)])) for i in (0, 2))
            return array_at(context, builder, table, address, (n,))

        return table(_numba_type(array_t)), generate

    return rows


def rows_at(dtype: np.dtype[np.void]) -> Any:
    """What opens so many rows of a table of this type at an address, in a kernel."""
    if INTERPRETED:
        return lambda address, n: view_at(address, (n,), dtype)
    return view_of(lambda: _numba_type(dtype), 1)


def opener(dtype: np.dtype[np.void]) -> Any:
    """What gives the record of this type at an address, in a kernel."""
    if INTERPRETED:
        return lambda address: view_at(address, (1,), dtype)[0]

    @intrinsic
    def record_at(context, address):
        def generate(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return _numba_type(dtype)(types.int64), generate

    return record_at
