"""Types by which kernels are compiled before they are called."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numba import typeof


@cache
def types_in(words: str) -> tuple[Any, ...]:
    """By letters: i an integer, n a vector of integers, v a vector of floats, m a matrix of floats by rows."""
    examples = {"i": 0, "n": np.empty(0, np.int64), "v": np.empty(0), "m": np.empty((0, 0))}
    return types_of(*(examples[letter] for letter in words))


def types_of(*examples: Any) -> tuple[Any, ...]:
    """Those of arguments like these."""
    return tuple(map(typeof, examples))
