"""An arena: one array of numbers in which vectors and matrices have places, counted in entries.

Kernels take where it begins, `base`, in place of the array: views whose indices begin at zero compile best.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from cotree.engine.kernel import inlined
from cotree.engine.records import integers_at, matrix_at, vector_at

ENTRY = 8  # bytes


@inlined
def vector(base, at, n):
    """n floats at a place."""
    return vector_at(base + ENTRY * at, n)


@inlined
def matrix(base, at, m, n):
    """m rows of n floats at a place."""
    return matrix_at(base + ENTRY * at, m, n)


@inlined
def integers(base, at, n):
    """n integers at a place, where the arena is one of integers."""
    return integers_at(base + ENTRY * at, n)


@inlined
def base_of(array):
    """Where an arena begins."""
    return array.ctypes.data


@inlined
def base_in(field):
    """Where the arena begins that is an array of a record."""
    return field.at


@inlined
def beyond(base, at):
    """Where the rest of an arena begins, from a place on."""
    return base + ENTRY * at


def place_of(array: NDArray[Any], arena: NDArray[Any]) -> int:
    """Place of another array as counted from the beginning of an arena: kernels reach it from there."""
    return int(array.ctypes.data - arena.ctypes.data) // ENTRY
