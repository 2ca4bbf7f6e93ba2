"""WebAssembly without a linker: an object file of one module is a module that a browser runs, but for a list of exports.

LLVM writes addresses of data and indices of functions as they are if nothing is linked to the file; memory, stack pointer and
table are imports. What it notes for linkers is dropped here, and the functions wanted are exported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

CUSTOM, IMPORT, EXPORT = 0, 2, 7
BEHIND_EXPORTS = (8, 9, 10, 11, 12)  # start, elements, code, data, number of data
SYMBOLS, UNDEFINED, NAMED = 8, 0x10, 0x40  # of the section "linking"
FUNCTION, TABLE, MEMORY, GLOBAL = range(4)


class Module(NamedTuple):
    """code: of the module; pages: of memory that its data takes; table: number of entries that it needs."""

    code: bytes
    pages: int
    table: int


def module_of(obj: bytes, wanted: Iterable[str]) -> Module:
    """An object file as a module that exports these functions."""
    parts = list(_sections(obj))
    linking = next(body for kind, body in parts if kind == CUSTOM and _name(body, 0)[0] == "linking")
    places = dict(_functions(linking))
    pages, table = _limits(next(body for kind, body in parts if kind == IMPORT))
    out, put = bytearray(obj[:8]), False
    for kind, body in parts:
        if kind in BEHIND_EXPORTS and not put:
            out += _section(EXPORT, _exports({name: places[name] for name in wanted}))
            put = True
        if kind != CUSTOM:
            out += _section(kind, body)
    return Module(bytes(out), pages, table)


def _sections(obj: bytes) -> Iterator[tuple[int, bytes]]:
    """(kind, contents) of all sections."""
    at = 8
    while at < len(obj):
        kind = obj[at]
        size, at = _number(obj, at + 1)
        yield kind, obj[at : at + size]
        at += size


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number in the format LEB128, and the place behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def _written(value: int) -> bytes:
    """A number in the format LEB128."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _name(data: bytes, at: int) -> tuple[str, int]:
    size, at = _number(data, at)
    return data[at : at + size].decode(), at + size


def _section(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + _written(len(body)) + body


def _exports(places: dict[str, int]) -> bytes:
    """Contents of the section of exports."""
    names = [(name.encode(), place) for name, place in places.items()]
    each = [_written(len(name)) + name + bytes([FUNCTION]) + _written(place) for name, place in names]
    return _written(len(each)) + b"".join(each)


def _functions(linking: bytes) -> Iterator[tuple[str, int]]:
    """(symbol, index) of the functions that the module has."""
    _, at = _name(linking, 0)
    _, at = _number(linking, at)  # its version
    while at < len(linking):
        kind, (size, at) = linking[at], _number(linking, at + 1)
        if kind == SYMBOLS:
            yield from _symbols(linking, at)
        at += size


def _symbols(data: bytes, at: int) -> Iterator[tuple[str, int]]:
    count, at = _number(data, at)
    for _ in range(count):
        kind, (flags, at) = data[at], _number(data, at + 1)
        if kind == 1:  # data
            _, at = _name(data, at)
            for _ in range(0 if flags & UNDEFINED else 3):
                _, at = _number(data, at)
        elif kind == 3:  # a section
            _, at = _number(data, at)
        else:
            index, at = _number(data, at)
            if not flags & UNDEFINED or flags & NAMED:
                name, at = _name(data, at)
                if kind == 0 and not flags & UNDEFINED:
                    yield name, index


def _limits(imports: bytes) -> tuple[int, int]:
    """(pages of memory, entries of the table) that are asked for."""
    count, at = _number(imports, 0)
    least = {MEMORY: 0, TABLE: 0}
    for _ in range(count):
        _, at = _name(imports, at)
        _, at = _name(imports, at)
        kind, at = imports[at], at + 1
        if kind == FUNCTION:
            _, at = _number(imports, at)
        elif kind == GLOBAL:
            at += 2
        else:
            at += kind == TABLE  # the type of its entries
            bounded, at = imports[at], at + 1
            least[kind], at = _number(imports, at)
            if bounded & 1:
                _, at = _number(imports, at)
    return least[MEMORY], least[TABLE]
