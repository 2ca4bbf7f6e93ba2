"""Arrays and record tables whose entries are lanes.

A record type of numbers becomes one of lanes, field by field: where the field of numbers has shape (12,) that of lanes has
shape (12, LANES) in memory, and in a kernel `row.C[0]` is a number in the one and lanes in the other. Kernels that are given
rows of either therefore read the same.
"""

from __future__ import annotations

from collections.abc import Sequence
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
# what stored code depends on and cannot be reached by name from a kernel: how lanes are computed with
STAMP = blake2b(b"".join(Path(str(m.__file__)).read_bytes() for m in (lane_type, lane_math)), digest_size=8).hexdigest()
MADE_WITH = f"{STAMP}, {LANES} lanes"


def of_lanes(dtype: np.dtype[np.void], name: str, shared: Sequence[str] = ()) -> bool:
    """Whether a field has a number for each lane; whole numbers, records within the record, and fields named have not."""
    return name not in shared and dtype[name].base == np.dtype(float)


def lane_dtype(dtype: np.dtype[np.void], shared: Sequence[str] = ()) -> np.dtype[np.void]:
    """The record type with lanes in the place of numbers; other fields, and those named, stay what they are for all lanes."""
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
    """How kernels see a record of lanes."""

    def __init__(self, plain: np.dtype[np.void], shared: Sequence[str] = ()) -> None:
        self._own = lane_dtype(plain, shared)
        places: Any = self._own.fields
        fields: Any = []
        for name in plain.names or ():
            shape, whole = plain[name].shape, of_lanes(plain, name, shared)
            entry = lanes_t if whole else from_dtype(plain[name].base)
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


def _seen_as(dtype: np.dtype[np.void], shared: Sequence[str]) -> Any:
    """How kernels see rows of lanes: as plain records where no field is of lanes."""
    whole = any(of_lanes(dtype, name, shared) for name in dtype.names or ())
    return LaneRecord(dtype, shared) if whole else from_dtype(dtype)


def lane_rows_of(dtype: np.dtype[np.void], shared: Sequence[str] = ()) -> Any:
    """What opens a table of lanes in a kernel: n rows of this type, from a field."""
    return table_of(lambda: _seen_as(dtype, shared), f"{MADE_WITH} {shared}")


def lane_rows_at(dtype: np.dtype[np.void], shared: Sequence[str] = ()) -> Any:
    """What opens so many rows of lanes of this type at an address, in a kernel."""
    return view_of(lambda: _seen_as(dtype, shared), 1, f"{MADE_WITH} {shared}")


lane_vector_at = view_of(lambda: lanes_t, 1, MADE_WITH)  # lanes at an address
lane_matrix_at = view_of(lambda: lanes_t, 2, MADE_WITH)  # m rows of n lanes at an address


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
        self._same = same

    def put(self, lane: int, table: NDArray[np.void]) -> None:
        """Fill a lane; what is the same in all is taken as it is."""
        if not len(self.rows):
            return
        self._whole[self._to + lane] = np.ascontiguousarray(table).view(np.float64)[self._from]
        for name in self._same:
            self.rows[name] = table[name]


def as_numbers(rows: NDArray[Any]) -> NDArray[np.float64]:
    """The memory of a table as numbers."""
    return rows.view(np.uint8).view(np.float64) if len(rows) else np.zeros(0)


def what_is_shared(table: NDArray[np.void], shared: Sequence[str] = ()) -> bytes:
    """The part of a table of numbers that must be the same in all lanes."""
    names = [n for n in table.dtype.names or () if not of_lanes(table.dtype, n, shared)]
    return b"".join(np.ascontiguousarray(table[n]).tobytes() for n in names) + bytes([len(table) % 251])
