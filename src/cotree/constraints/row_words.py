"""Constraint equations of a cut joint in words: which rotations and translations across the joint they hold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
SMALL = 1e-6  # parts of a row that are not told


class RowWords(NamedTuple):
    """Equations that are kept and those that are dropped."""

    kept: tuple[str, ...]
    dropped: tuple[str, ...]


def words_of_rows(select: Array, W: Array, axes: Array) -> RowWords:
    """Words for the rows `select` (kept, 6) and for the rest of what the joint holds, W (full, 6); axes (3, 3): the joint frame
    in the world of the reference assembly."""
    unit = W / np.linalg.norm(W, axis=1, keepdims=True) if len(W) else W
    parts = (
        select @ np.linalg.pinv(unit) if len(W) else np.zeros((0, 0))
    )  # of the kept rows in those that the joint holds
    rest = np.linalg.svd(parts)[2][len(parts) :] @ unit if len(parts) else unit
    return RowWords(
        tuple(_word(row, axes) for row in _simple(select)), tuple(_word(row, axes) for row in _simple(rest))
    )


def _simple(rows: Array) -> Array:
    """Rows with the same span that have as many zeros as can be: rotations and translations apart where they are."""
    if not len(rows):
        return rows
    out = rows.copy().astype(float)
    pivot = 0
    for column in range(out.shape[1]):
        if pivot == len(out):
            break
        best = pivot + int(np.argmax(np.abs(out[pivot:, column])))
        if abs(out[best, column]) < SMALL:
            continue
        out[[pivot, best]] = out[[best, pivot]]
        out[pivot] /= out[pivot, column]
        for k in range(len(out)):
            if k != pivot:
                out[k] -= out[k, column] * out[pivot]
        pivot += 1
    return out


def _word(row: Array, axes: Array) -> str:
    turn, shift = (np.where(np.abs(x) < SMALL, 0.0, x) for x in (row[:3], row[3:]))
    words = []
    if np.any(turn):
        words.append(f"rotation about {_direction(axes @ turn)}")
    if np.any(shift):
        words.append(f"translation along {_direction(axes @ shift)}")
    return " with ".join(words)


def _direction(x: Array) -> str:
    e = x / np.linalg.norm(x)
    e = -e if e[int(np.argmax(np.round(np.abs(e), 6)))] < 0.0 else e
    return "(" + ", ".join(f"{0.0 if abs(c) < SMALL else c:.4g}" for c in e) + ")"
