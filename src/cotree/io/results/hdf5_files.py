"""HDF5 files that are written whole: in memory where they are small, else where there is room for them.

The HDF5 library cannot be stopped in the middle: on a full disk it breaks down, and takes the process with it.
"""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from cotree.errors import DocumentError
from cotree.io.atomic import replacing, write_whole
from cotree.io.results.hdf5_reading import CHECKSUM, PARTS

LIBVER = ("v108", "latest")  # attributes of the earliest form have no room for the names of a large system
IN_MEMORY = 256 << 20  # bytes of numbers
MARGIN = 16 << 20  # bytes for everything but the numbers


def write_hdf5(h5py: Any, path: Any, size: int, fill: Callable[[Any], None]) -> None:
    """Write a file that `fill` fills, with `size` bytes of numbers in it."""
    if size > IN_MEMORY:
        with replacing(path) as draft:
            _check_room(draft.parent, size + MARGIN)
            with h5py.File(draft, "w", libver=LIBVER) as file:
                fill(file)
        return
    memory = BytesIO()  # images of open files, which HDF5 gives too, have a wrong check sum before its version 2
    with h5py.File(memory, "w", libver=LIBVER) as file:
        fill(file)
    write_whole(path, memory.getvalue())


def _check_room(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < size:
        raise DocumentError(
            f"the file needs about {size / 1e6:.0f} MB, but only {free / 1e6:.0f} MB are free on the disk; free some "
            f"space, or save fewer rows"
        )


def put_numbers(group: Any, name: str, values: Any, **attributes: Any) -> None:
    """An array, with the check sum of its values."""
    group[name] = values
    content = np.ascontiguousarray(values, dtype="<f8").tobytes()
    group[name].attrs.update({CHECKSUM: zlib.crc32(content), **attributes})


def put_text(group: Any, name: str, text: str) -> None:
    """A text, with its check sum."""
    group[name] = text
    group[name].attrs[CHECKSUM] = zlib.crc32(text.encode())


def put_list_of_parts(file: Any) -> None:
    """The names of all groups and arrays, by which one that was lost later is missed."""
    names: list[str] = []
    file.visit(names.append)
    file.attrs[PARTS] = " ".join(sorted(names))
