"""Memory as data: all that compiled code reaches from a record, as one block of bytes that can be put anywhere.

Records say which of their words are addresses (`array_t`, `at_t`, `entry_t`), so that one walk finds them all. Arrays come one
behind the other; a word that holds an address is zero in the image and noted: `inside`, the place in the image that it shall
point at, or `outside`, the entry that it shall hold the address of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.engine.entry import ENTRIES, Entry
from cotree.engine.records import address_of, array_t
from cotree.errors import CotreeError

ALIGN = 64
ARRAY, DATA, ENTRY = "array", "data", "entry"


class UnknownAddressError(CotreeError):
    """A word holds the address of what no image can carry, such as a function of this process."""


class Word(NamedTuple):
    """A word of a record that is an address: where it is, what it points at, and its name."""

    offset: int
    kind: str
    name: str


@cache
def address_words(dtype: np.dtype[np.void]) -> tuple[Word, ...]:
    """All words of a record type that are addresses."""
    out: list[Word] = []
    fields: Any = dtype.fields or {}
    for name, (kind, offset, *_) in fields.items():
        role = (kind.metadata or {}).get("address")
        if kind == array_t:
            out.append(Word(offset, ARRAY, name))
        elif role is not None:
            out.append(Word(offset, role, name))
        elif kind.names:
            out += [Word(offset + w.offset, w.kind, f"{name}.{w.name}") for w in address_words(kind)]
    return tuple(out)


@dataclass
class Image:
    """size: bytes; content: its bytes; places: where each array begins, by its address in this process."""

    size: int = 0
    content: bytearray = field(default_factory=bytearray)
    places: dict[int, int] = field(default_factory=dict)
    inside: list[tuple[int, int]] = field(default_factory=list)  # word, place in bytes
    outside: list[tuple[int, Entry]] = field(default_factory=list)  # word, entry

    def place(self, array: NDArray[Any]) -> int:
        """Where an array lies, or a part of one, in bytes."""
        at = address_of(array)
        begin = max(p for p in self.places if p <= at)
        return self.places[begin] + at - begin


def image_of(root: NDArray[np.void], arrays: Iterable[NDArray[Any]]) -> Image:
    """The image of a record, a table of one row, and of all that it leads to among these arrays."""
    image, owners = Image(), _Owners([root, *arrays])
    waiting = [root]
    while waiting:
        array = waiting.pop()
        if address_of(array) in image.places:
            continue
        _put(image, array)
        waiting += [owner for _, address, name in _addresses(array) if (owner := owners.of(address, name)) is not None]
    _relocate(image, owners)
    return image


class _Owners:
    """Whose memory an address lies in."""

    def __init__(self, arrays: Iterable[NDArray[Any]]) -> None:
        self.arrays = sorted((a for a in arrays if a.size), key=address_of)
        self.begins = np.array([address_of(a) for a in self.arrays])

    def of(self, address: int, name: str) -> NDArray[Any] | None:
        """The array that an address points into; None for an entry."""
        k = int(np.searchsorted(self.begins, address, side="right")) - 1
        if k >= 0 and address < self.begins[k] + self.arrays[k].nbytes:
            return self.arrays[k]
        if address in ENTRIES:
            return None
        raise UnknownAddressError(name)


def _put(image: Image, array: NDArray[Any]) -> None:
    """The bytes of an array behind those that are there."""
    image.places[address_of(array)] = image.size
    image.content += array.tobytes()
    image.content += bytes(-len(image.content) % ALIGN)
    image.size = len(image.content)


def _addresses(array: NDArray[Any]) -> Iterator[tuple[int, int, str]]:
    """(byte in the array, address, name) of all words in a table that are addresses and not zero."""
    words = address_words(array.dtype)
    if not words:
        return
    raw = array.tobytes()
    for row in range(len(array)):
        for word in words:
            at = row * array.itemsize + word.offset
            address, m, n = np.frombuffer(raw[at : at + 24].ljust(24, b"\0"), np.int64).tolist()
            if address and (word.kind != ARRAY or m * n):
                yield at, address, word.name


def _relocate(image: Image, owners: _Owners) -> None:
    """Note all words that are addresses, and leave zeros there."""
    for array in owners.arrays:
        begin = image.places.get(address_of(array))
        if begin is None:
            continue
        for word in address_words(array.dtype):
            for row in range(len(array)):
                at = begin + row * array.itemsize + word.offset
                image.content[at : at + 8] = bytes(8)
        for offset, address, name in _addresses(array):
            owner = owners.of(address, name)
            if owner is None:
                image.outside.append(((begin + offset) // 8, ENTRIES[address]))
            else:
                to = image.places[address_of(owner)] + address - address_of(owner)
                image.inside.append(((begin + offset) // 8, to))
