"""Work of laws that are sampled between the rows: rows do not tell what such a law held there."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from cotree.errors import RowsWarning
from cotree.judge import OF_A_PERIOD


def instants_between_rows(source: Any, name: str) -> int:
    """How many instants of the element's law lie between rows and not on one."""
    system = source.system
    named = {system.mechanism.numbered[place.row]: place for place in system.law_places if place.held}
    if name not in named or len(source.t) < 2:
        return 0
    law = named[name].user.law
    x = (source.t - float(law.offset)) / float(law.period)
    return int(np.maximum(np.ceil(x[1:] - OF_A_PERIOD) - np.floor(x[:-1] + OF_A_PERIOD) - 1.0, 0.0).sum())


def warn_of_instants(source: Any, name: str) -> None:
    count = instants_between_rows(source, name)
    if count:
        warnings.warn(
            f"work of {name!r}: its law was sampled {count} times between output rows, and rows do not tell what it held "
            f"there; choose an output with a row at every instant, or read run.energy.supplied, which counts all of it",
            RowsWarning,
            stacklevel=5,
        )
