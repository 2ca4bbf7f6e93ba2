"""Files that are there whole or not at all: they are written under another name beside their place, and moved there at the end.

Whatever goes wrong on the way (a full disk, a name that cannot be encoded, Ctrl-C), the file that was there before stays.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from cotree.errors import DocumentError


@contextmanager
def replacing(path: Any) -> Iterator[Path]:
    """A name to write to, with the same extension; what is there when the block ends well becomes the file `path`."""
    file = Path(os.path.realpath(path))  # a link stays, and what it leads to is replaced
    mode = _mode(file)
    if mode is not None and not stat.S_ISREG(mode):  # a device such as /dev/null has no place beside it
        yield file
        return
    draft = file.with_name(f".cotree-{secrets.token_hex(8)}{file.suffix}")
    try:
        draft.open("xb").close()
        yield draft
        if mode is not None:
            draft.chmod(stat.S_IMODE(mode))
        os.replace(draft, file)
    except BaseException as error:
        with suppress(OSError):
            draft.unlink()
        if isinstance(error, OSError) and error.filename in (None, str(draft)):
            error.filename = str(path)  # the name that was asked for, and no other
            del error.filename2
        raise


def write_whole(path: Any, data: bytes) -> None:
    """Write a file of bytes."""
    with replacing(path) as draft:
        draft.write_bytes(data)


def write_utf8(path: Any, text: str) -> None:
    """Write a text file; a text that has no form in UTF-8 is refused."""
    with encodable(Path(path).name):
        data = text.encode()
    write_whole(path, data)


@contextmanager
def encodable(where: str) -> Iterator[None]:
    """Halves of characters (lone surrogates), which have no form in UTF-8, are refused with the text that they are in."""
    try:
        yield
    except UnicodeEncodeError as error:
        near = error.object[max(0, error.start - 20) : error.end + 20]
        raise DocumentError(
            f"{where}: {near!r} contains a lone surrogate (U+{ord(error.object[error.start]):04X}), which cannot be "
            f"stored in a file; change the name"
        ) from None


def _mode(file: Path) -> int | None:
    """Mode of the file that is there, which must be open to writing; None if there is none."""
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISCHR(mode) and not stat.S_ISFIFO(mode):
        with file.open("r+b"):  # a folder, or a file that must not be changed, says so
            pass
    return mode
