"""HDF5 files of anybody's: nothing outside them is read, nothing grows beyond measure, and damage is named with its place."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from cotree.errors import CotreeError, DocumentError, UnsafeFileError
from cotree.io.native.texts import cut_short
from cotree.model.naming import printable

Array = NDArray[np.float64]
MOST_PARTS = 200  # groups and arrays of one file
SPARE, RATIO = 64 << 20, 100  # arrays may unfold to so many bytes, and to so many times the size of the file
CHECKSUM = (
    "crc32"  # attribute of an array or text: that of its values, as float64 in the order of this file, or as UTF-8
)
PARTS = "parts"  # attribute of the file: the names of all its groups and arrays


@contextmanager
def opened(h5py: Any, path: Path) -> Iterator[Any]:
    """A file to read from, of which every part has been looked at."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise UnsafeFileError("this is a pipe or device, not a file; write its contents to a file first")
    try:
        file = h5py.File(path, "r")
    except (FileNotFoundError, PermissionError, IsADirectoryError) as error:
        error.strerror, error.filename = os.strerror(error.errno or 0), str(path)  # not the words of the library
        raise
    except Exception as error:  # each version of the library has its own
        raise DocumentError(f"this is not an HDF5 file, or it is damaged: {_error_text(error)}") from None
    try:
        with readable("the file"):
            _check_parts(h5py, file, path.stat().st_size)
            _check_complete(file)
        yield file
    finally:
        with suppress(Exception):  # a damaged file may not close
            file.close()


@contextmanager
def readable(place: str) -> Iterator[None]:
    """Whatever goes wrong while a place of a file is read becomes an error that names it."""
    try:
        yield
    except CotreeError:
        raise
    except KeyError as error:
        raise DocumentError(f"{place}: missing, or damaged ({_error_text(error)}); get the file again") from None
    except (Exception, MemoryError, RecursionError) as error:
        raise DocumentError(
            f"{place}: damaged, or not written by Cotree ({type(error).__name__}: {_error_text(error)}); get the file again"
        ) from None


def _error_text(error: BaseException) -> str:
    return printable(cut_short(" ".join(str(error).split()), 200))


def _check_parts(h5py: Any, file: Any, size: int) -> None:
    """Only groups and arrays that are in the file itself, not too many, and none that unfolds to more than it could hold."""
    count, total, waiting = 0, 0, [file]
    while waiting:
        group = waiting.pop()
        for name in group:
            place, link = shown(group, name), group.get(name, getlink=True)
            count += 1
            if count > MOST_PARTS:
                raise UnsafeFileError(
                    f"the file has more than {MOST_PARTS} parts, more than any run needs; it is refused"
                )
            if not isinstance(link, h5py.HardLink):
                raise UnsafeFileError(f"{place} is a link ({type(link).__name__}); it is not followed")
            part = group[name]
            if isinstance(part, h5py.Group):
                waiting.append(part)
            elif isinstance(part, h5py.Dataset):
                if part.external or part.is_virtual:
                    raise UnsafeFileError(
                        f"{place} stores its numbers in another file, which is not read; copy them into this file"
                    )
                total += int(part.size or 0) * part.dtype.itemsize
                if total > SPARE + RATIO * size:
                    raise UnsafeFileError(
                        f"{place} expands to more than a file of {size} bytes can hold ({total / 1e6:.0f} MB); it is "
                        f"not read"
                    )


def _check_complete(file: Any) -> None:
    """Files from before there was a list of parts have none."""
    lost = [name for name in str(file.attrs.get(PARTS, "")).split() if name not in file]
    if lost:
        raise DocumentError(
            f"{printable(cut_short(lost[0], 100))}: missing, so the file is damaged; get it again (if it was removed "
            f"on purpose, delete the attribute {PARTS!r} of the file)"
        )


def shown(group: Any, name: str) -> str:
    """The place of a part, as events/t."""
    return printable(cut_short(f"{group.name.strip('/')}/{name}".lstrip("/"), 100))


# -- parts ---------------------------------------------------------------------------------------------------


def numbers(group: Any, name: str, shape: Sequence[int | None]) -> Array:
    """Finite numbers of a shape (None: any length), whatever their size and order of bytes in the file."""
    place = shown(group, name)
    with readable(place):
        data = group[name]
        if data.dtype.kind not in "fiu":
            raise DocumentError(f"{place}: expected numbers, found {data.dtype}; get the file again")
        if len(data.shape) != len(shape) or any(
            n is not None and n != m for n, m in zip(shape, data.shape, strict=True)
        ):
            wanted = " x ".join("any" if n is None else str(n) for n in shape)
            raise DocumentError(
                f"{place}: an array of shape {data.shape}; it must be {wanted} like the others of the file"
            )
        values = np.ascontiguousarray(data[()], dtype=np.float64)
        if not np.isfinite(values).all():
            raise DocumentError(f"{place}: contains NaN or infinity; the file is damaged")
        _check_sum(data, values.astype("<f8", copy=False).tobytes(), place)
    return values


def whole_numbers(group: Any, name: str, shape: Sequence[int | None], most: int) -> NDArray[np.int64]:
    """Whole numbers from 0 to `most`."""
    values = numbers(group, name, shape)
    if np.any(values != np.floor(values)) or np.any(values < 0) or np.any(values > most):
        raise DocumentError(f"{shown(group, name)}: must be integers from 0 to {most}; the file is damaged")
    return values.astype(np.int64)


def text(group: Any, name: str) -> str:
    """A text."""
    place = shown(group, name)
    with readable(place):
        data = group[name]
        if data.shape != ():
            raise DocumentError(
                f"{place}: must be a single string, got an array of shape {data.shape}; get the file again"
            )
        found = str(data.asstr()[()])
        _check_sum(data, found.encode(), place)
    return found


def structured(group: Any, name: str, kind: Any) -> Any:
    """A text in JSON as data of a type of msgspec; its control characters are written out."""
    place = shown(group, name)
    with readable(place):
        try:
            return msgspec.convert(_harmless(json.loads(text(group, name))), kind)
        except msgspec.ValidationError as error:
            raise DocumentError(f"{place}: {_error_text(error)}; the file is damaged") from None


def _harmless(value: Any) -> Any:
    if isinstance(value, dict):
        return {printable(key): _harmless(x) for key, x in value.items()}
    if isinstance(value, list):
        return [_harmless(x) for x in value]
    return printable(value) if isinstance(value, str) else value


def _check_sum(data: Any, content: bytes, place: str) -> None:
    """Files from before there were check sums have none."""
    if CHECKSUM in data.attrs and int(data.attrs[CHECKSUM]) != zlib.crc32(content):
        raise DocumentError(
            f"{place}: the checksum differs, so the file is damaged; if the values were changed on purpose, delete "
            f"the attribute {CHECKSUM!r} there"
        )
