"""Entries made from user functions, compiled in memory: their dependencies are not known well enough to be cached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cfunc, njit

from cotree.engine.entry import SIGNATURE
from cotree.engine.records import integers_at, opener, vector_at


class UnstoredEntry:
    """A function (record, t, q, v) behind the signature of entries; it must outlive those who may call it."""

    def __init__(self, record_t: np.dtype[np.void], function: Callable[..., int]) -> None:
        record_at, inner = opener(record_t), njit(error_model="numpy")(function)

        def outer(here: Any, t: Any, q_at: Any, v_at: Any, w_at: Any) -> Any:
            head = integers_at(here, 3)
            return inner(record_at(here), t, vector_at(q_at, head[1]), vector_at(v_at, head[2]))

        self._compiled = cfunc(SIGNATURE, error_model="numpy")(outer)

    @property
    def address(self) -> int:
        return int(self._compiled.address or 0)
