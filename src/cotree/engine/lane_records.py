"""Arrays and record tables whose entries are lanes.

A record type of numbers becomes one of lanes, field by field: where the field of numbers has shape (12,) that of lanes has
shape (12, LANES) in memory, and in a kernel `row.C[0]` is a number in the one and lanes in the other. Kernels that are given
rows of either therefore read the same.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numba import types
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


def lane_dtype(dtype: np.dtype[np.void]) -> np.dtype[np.void]:
    """The record type with lanes in the place of numbers; all its fields must be numbers."""
    fields = []
    for name in dtype.names or ():
        base, shape = dtype[name].subdtype or (dtype[name], ())
        assert base == np.dtype(float)
        fields.append((name, "f8", (*shape, LANES)))
    return np.dtype(fields, align=True)


class LaneRecord(types.Record):
    """How kernels see a record of lanes."""

    def __init__(self, plain: np.dtype[np.void]) -> None:
        self._own = lane_dtype(plain)
        places: Any = self._own.fields
        fields: Any = []
        for name in plain.names or ():
            shape = plain[name].shape
            kind = types.NestedArray(lanes_t, shape) if shape else lanes_t
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


def lane_rows_of(dtype: np.dtype[np.void]) -> Any:
    """What opens a table of lanes in a kernel: n rows of this type at an address."""
    return table_of(lambda: LaneRecord(dtype), f"{dtype}, {MADE_WITH}")


_lanes = view_of(lambda: lanes_t, 1)


@kernel
def lane_vector(field):
    """Lanes of an array field, one for each of its rows."""
    _ = MADE_WITH
    return _lanes(field.at, field.m)
