"""Arrays and record tables whose entries are lanes.

A record type of numbers becomes one of lanes, field by field: where the field of numbers has shape (12,) that of lanes has
shape (12, LANES) in memory, and in a kernel `row.C[0]` is a number in the one and lanes in the other. Kernels that are given
rows of either therefore read the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numba import from_dtype, types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numpy.typing import NDArray

from cotree.engine import lane_math, lane_type
from cotree.engine.kernel import kernel
from cotree.engine.lane_type import LANES, lanes_t
from cotree.engine.records import table_of, view_of

BYTES = 8 * LANES  # of an entry; arrays begin at multiples of it, as the processor's aligned loads and stores require
# what stored code depends on and cannot be reached by name from a kernel: how lanes are computed with, and how they lie
_SOURCES = (str(lane_type.__file__), str(lane_math.__file__), __file__)
STAMP = blake2b(b"".join(Path(x).read_bytes() for x in _SOURCES), digest_size=8).hexdigest()
MADE_WITH = f"{STAMP}, {LANES} lanes"


def of_lanes(dtype: np.dtype[np.void], name: str, shared: Sequence[str] = ()) -> bool:
    """Whether a field has a number for each lane; whole numbers, records within the record, and fields named have not."""
    return name not in shared and dtype[name].base == np.dtype(float)


def lane_dtype(dtype: np.dtype[np.void], shared: Sequence[str] = ()) -> np.dtype[np.void]:
    """The record type with lanes in the place of numbers; other fields, and those named, stay what they are for all lanes. A
    type without numbers stays itself, as `_seen_as` says."""
    if not any(of_lanes(dtype, name, shared) for name in dtype.names or ()):
        return dtype
    fields: list[Any] = []
    for name in dtype.names or ():
        base, shape = dtype[name].base, dtype[name].shape
        fields.append((name, base, (*shape, LANES)) if of_lanes(dtype, name, shared) else (name, base, shape))
    made = np.dtype(fields, align=True)
    places: Any = made.fields
    at, offsets = 0, []  # numbers of lanes begin at multiples of their size
    for name in made.names or ():
        to = BYTES if of_lanes(dtype, name, shared) else places[name][0].alignment
        at += -at % to
        offsets.append(at)
        at += places[name][0].itemsize
    parts: Any = {
        "names": list(made.names or ()),
        "formats": [places[n][0] for n in made.names or ()],
        "offsets": offsets,
        "itemsize": at + -at % BYTES,
        "aligned": True,
    }
    return np.dtype(parts)


class LaneRecord(types.Record):
    """How kernels see a record of lanes, or of duals."""

    def __init__(self, plain: np.dtype[np.void], shared: Sequence[str] = (), scalar: Any = lanes_t) -> None:
        self._own = lane_dtype(plain, shared)
        places: Any = self._own.fields
        fields: Any = []
        for name in plain.names or ():
            shape, whole = plain[name].shape, of_lanes(plain, name, shared)
            entry = scalar if whole else from_dtype(plain[name].base)
            kind = types.NestedArray(entry, shape) if shape else entry
            fields.append((name, {"type": kind, "offset": places[name][1], "alignment": None, "title": None}))
        super().__init__(fields, self._own.itemsize, True)

    @property
    def dtype(self) -> np.dtype[np.void]:
        return self._own


register_default(LaneRecord)(models.RecordModel)


def aligned_zeros(n: int, dtype: Any) -> NDArray[Any]:
    """n entries, zero, that begin where lanes may."""
    size = n * np.dtype(dtype).itemsize
    room = np.zeros(size + BYTES, np.uint8)
    first = -room.ctypes.data % BYTES
    return room[first : first + size].view(dtype)


def _seen_as(dtype: np.dtype[np.void], shared: Sequence[str], scalar: Any) -> Any:
    """How kernels see rows of lanes: as plain records where no field is of lanes."""
    whole = any(of_lanes(dtype, name, shared) for name in dtype.names or ())
    return LaneRecord(dtype, shared, scalar) if whole else from_dtype(dtype)


class Scalar:
    """What kernels compute with in the place of numbers, and how arrays and tables of it are opened in them."""

    def __init__(self, entry: Any, ending: str, made_with: str) -> None:
        self.entry, self.ending, self.made_with = entry, ending, made_with  # ending: of names of stored code
        self.vector_at = view_of(lambda: entry, 1, made_with)  # at an address
        self.matrix_at = view_of(lambda: entry, 2, made_with)  # m rows of n

    def rows_of(self, dtype: np.dtype[np.void], shared: Sequence[str] = ()) -> Any:
        """What opens a table in a kernel: n rows of this type, from a field."""
        entry = self.entry  # and not self: digests describe what closures hold
        return table_of(lambda: _seen_as(dtype, shared, entry), f"{self.made_with} {shared}")

    def rows_at(self, dtype: np.dtype[np.void], shared: Sequence[str] = ()) -> Any:
        """What opens so many rows of this type at an address, in a kernel."""
        entry = self.entry
        return view_of(lambda: _seen_as(dtype, shared, entry), 1, f"{self.made_with} {shared}")


ON_LANES = Scalar(lanes_t, "_on_lanes", MADE_WITH)
lane_rows_of, lane_rows_at = ON_LANES.rows_of, ON_LANES.rows_at
lane_vector_at, lane_matrix_at = ON_LANES.vector_at, ON_LANES.matrix_at


@kernel
def lane_vector(field):
    """Lanes of an array field, one for each of its rows."""
    return lane_vector_at(field.at, field.m)


class LaneTable:
    """A table of lanes, each of which is filled from a table of numbers; `rows` is what kernels read."""

    def __init__(self, count: int, dtype: np.dtype[np.void], shared: Sequence[str] = ()) -> None:
        own = lane_dtype(dtype, shared)
        self.rows = aligned_zeros(max(count, 1), own)[:count]
        self._whole = as_numbers(self.rows)
        words: tuple[list[int], list[int]] = ([], [])  # of numbers: where they are in a row of the one and of the other
        same: list[str] = []
        places: Any = own.fields
        plain: Any = dtype.fields
        for name in dtype.names or ():
            if not of_lanes(dtype, name, shared):
                same.append(name)
                continue
            n = int(np.prod(dtype[name].shape, dtype=int))
            words[0].extend(plain[name][1] // 8 + np.arange(n))
            words[1].extend(places[name][1] // 8 + LANES * np.arange(n))
        step, wide = dtype.itemsize // 8, own.itemsize // 8
        self._from = (step * np.arange(count)[:, None] + np.array(words[0], dtype=int)).ravel()
        self._to = (wide * np.arange(count)[:, None] + np.array(words[1], dtype=int)).ravel()
        self._same = same  # fields that all lanes share, written with the first of them

    def put(self, lane: int, table: NDArray[np.void]) -> None:
        """Fill a lane; what is the same in all is taken from the first."""
        if not len(self.rows):
            return
        self._whole[self._to + lane] = np.ascontiguousarray(table).view(np.float64)[self._from]
        for name in self._same:
            self.rows[name] = table[name]
        self._same = []


def as_numbers(rows: NDArray[Any]) -> NDArray[np.float64]:
    """The memory of a table as numbers."""
    return rows.view(np.uint8).view(np.float64) if len(rows) else np.zeros(0)


def what_is_shared(table: NDArray[np.void], shared: Sequence[str] = ()) -> bytes:
    """The part of a table of numbers that must be the same in all lanes."""
    if not len(table):
        return b"\0"
    memory = np.ascontiguousarray(table).view(np.uint8).reshape(len(table), -1)
    return memory[:, _bytes_shared(table.dtype, tuple(shared))].tobytes() + bytes([len(table) % 251])


@cache
def _bytes_shared(dtype: np.dtype[np.void], shared: tuple[str, ...]) -> NDArray[np.int64]:
    """Bytes of a row that are the same in all lanes."""
    places: Any = dtype.fields
    own = [n for n in dtype.names or () if not of_lanes(dtype, n, shared)]
    return np.concatenate(
        [np.zeros(0, np.int64), *(places[n][1] + np.arange(places[n][0].itemsize) for n in own)]
    ).astype(np.int64)
