"""Records that hold arrays: what compiled code is given as one value, in place of dozens of arguments.

A record is one row of a structured array, read and written by the same names in Python and in kernels: `run.clock.t_now`. An
array is a field of type `array_t`, its address and shape: its owner keeps it alive and fills the field by `put_array`, kernels
open it by `vector`, `matrix`, `integers` or `rows_of` a table. Addresses are of no concern outside this folder.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import carray, from_dtype, types  # type: ignore[attr-defined]
from numba.extending import intrinsic
from numpy.typing import NDArray

from cotree.engine.interpreted import INTERPRETED, view_at
from cotree.engine.kernel import kernel

array_t = np.dtype([("at", "i8"), ("m", "i8"), ("n", "i8")], align=True)  # m rows of n entries


def arrays(*names: str) -> np.dtype[np.void]:
    """A record type of so many arrays."""
    return np.dtype([(name, array_t) for name in names], align=True)


def addresses(*names: str) -> np.dtype[np.void]:
    """A record type of so many entries; zero where there is none."""
    return np.dtype([(name, "i8") for name in names], align=True)


def record(dtype: np.dtype[np.void]) -> Any:
    """A new record of this type, all zero, on the Python side: fields are attributes."""
    return np.zeros(1, dtype).view(np.recarray)[0]


def copied(given: Any) -> Any:
    """Another record with the same contents."""
    return np.array([given], given.dtype).view(np.recarray)[0]


def as_row(given: Any) -> NDArray[Any]:
    """A copy of a record as a table of one row."""
    return np.array([given], given.dtype)


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


def _cast(dtype: np.dtype[Any]) -> Any:
    """Compiled cast from an address to a pointer; Numba's type is found when it is first compiled, which takes a while."""

    @intrinsic
    def cast(context, address):
        def generate(context, builder, signature, arguments):
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return types.CPointer(_numba_type(dtype))(types.int64), generate

    return cast


def pointer_to(dtype: np.dtype[np.void]) -> Any:
    """Compiled cast from an address to a pointer to rows of a table of this type."""
    return _cast(dtype)


_numba_type = cache(from_dtype)
_floats, _integers = _cast(np.dtype(float)), _cast(np.dtype(np.int64))


@kernel
def vector_at(address, n):
    """Floats at an address."""
    return carray(_floats(address), (n,))


@kernel
def matrix_at(address, m, n):
    """m rows of n floats at an address."""
    return carray(_floats(address), (m, n))


@kernel
def integers_at(address, n):
    """Integers at an address."""
    return carray(_integers(address), (n,))


if INTERPRETED:

    def vector_at(address, n):
        return view_at(address, (n,), np.float64)

    def matrix_at(address, m, n):
        return view_at(address, (m, n), np.float64)

    def integers_at(address, n):
        return view_at(address, (n,), np.int64)


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


def rows_of(dtype: np.dtype[np.void]) -> Any:
    """A kernel that opens a table of this type."""
    if INTERPRETED:
        return lambda field: view_at(field.at, (field.n,), dtype)
    pointer = pointer_to(dtype)

    @kernel
    def rows(field):
        return carray(pointer(field.at), (field.n,))

    return rows


def rows_at(dtype: np.dtype[np.void]) -> Any:
    """A kernel that opens so many rows of a table of this type at an address."""
    if INTERPRETED:
        return lambda address, n: view_at(address, (n,), dtype)
    pointer = pointer_to(dtype)

    @kernel
    def rows(address, n):
        return carray(pointer(address), (n,))

    return rows


def opener(dtype: np.dtype[np.void]) -> Any:
    """A kernel that gives the record of this type at an address."""
    if INTERPRETED:
        return lambda address: view_at(address, (1,), dtype)[0]
    pointer = pointer_to(dtype)

    @kernel
    def record_at(address):
        return carray(pointer(address), (1,))[0]

    return record_at
