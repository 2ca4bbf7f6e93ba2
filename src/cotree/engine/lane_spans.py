"""Spans on lanes or on duals: the kernel that a kind wrote for one row of its table, over tables and arrays of them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cotree.engine.lane_records import ON_LANES, Scalar
from cotree.engine.spans import Span, span_over


@cache
def lane_span(
    of: Span,
    table_t: np.dtype[np.void],
    shared: tuple[str, ...],
    open_sweep: Any,
    shape: str,
    scalar: Scalar = ON_LANES,
) -> Span:
    """The same span on lanes; shared: fields of the table that are numbers for all lanes. Compiled when its address is asked
    for."""
    opened = scalar.rows_at(table_t, shared)
    made = span_over(opened, open_sweep, shape, scalar.matrix_at, scalar.vector_at, scalar.ending)
    return made(of.kernel_of_row)
