"""Spans on lanes: the kernel that a kind wrote for one row of its table, over tables, matrices and vectors of lanes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from cotree.engine.lane_records import lane_matrix_at, lane_rows_at, lane_vector_at
from cotree.engine.spans import Span, span_over


@cache
def lane_span(of: Span, table_t: np.dtype[np.void], shared: tuple[str, ...], open_sweep: Any, shape: str) -> Span:
    """The same span on lanes; shared: fields of the table that are numbers for all lanes. Compiled when its address is asked
    for."""
    opened = lane_rows_at(table_t, shared)
    return span_over(opened, open_sweep, shape, lane_matrix_at, lane_vector_at, "_on_lanes")(of.kernel_of_row)
