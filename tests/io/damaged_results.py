"""Results files with damage in them: bits turned, bytes cut off, parts taken out or put in the place of others."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import numpy as np

import cotree as ct


def good_file(path: Path) -> None:
    """A run with events, a lock and a brake in it."""
    mech = ct.gallery.planar_3r()
    mech.lock("J2", at=0.05)
    mech.brake("J3", torque=30.0, at=0.1)
    ct.simulate(mech, 0.2, output=9, events=[ct.Event(lambda t: t - 0.03, "e")], progress=False).save(path)


def damaged(good: Path, seed: int) -> Path:
    """One of endlessly many damaged copies."""
    rng, path = np.random.default_rng(seed), good.with_name(f"damaged{seed}.h5")
    shutil.copy(good, path)
    kinds: list[Callable[[Path, np.random.Generator], None]] = [turned, cut, replaced, replaced, taken]
    kinds[seed % len(kinds)](path, rng)
    return path


def turned(path: Path, rng: np.random.Generator) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(rng.integers(1, 20)):
        data[rng.integers(len(data))] = rng.integers(256)
    path.write_bytes(data)


def cut(path: Path, rng: np.random.Generator) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: rng.integers(len(data))])


def parts(file: h5py.File) -> list[str]:
    found: list[str] = []
    file.visit(found.append)
    return found


def taken(path: Path, rng: np.random.Generator) -> None:
    with h5py.File(path, "r+") as file:
        names = parts(file)
        del file[names[rng.integers(len(names))]]


def replaced(path: Path, rng: np.random.Generator) -> None:
    """A part of another kind, or other numbers, with or without its attributes."""
    with h5py.File(path, "r+") as file:
        names = [name for name in parts(file) if isinstance(file[name], h5py.Dataset)]
        name = names[rng.integers(len(names))]
        attributes = dict(file[name].attrs)
        if rng.random() < 0.7:
            attributes.pop("crc32", None)
        shape, values = file[name].shape, list(others(file[name].shape))
        value = values[rng.integers(len(values))]
        del file[name]
        file[name] = value
        file[name].attrs.update(attributes)
        assert shape is not None


def others(shape: tuple[int, ...]) -> Iterator[object]:
    """What may stand there instead."""
    yield from (
        3.0,
        "junk",
        "{",
        "[]",
        "{}",
        "[{}]",
        "null",
        "[" * 10000,
        np.zeros(0),
        np.zeros((2, 3, 4)),
        np.zeros((0, 0)),
    )
    yield from (np.full(shape, x) for x in (np.nan, 0.0, -1.0, 1e300, 1 + 1j, True, 2**40))
    yield np.random.default_rng(0).normal(size=shape).astype(">f4")
