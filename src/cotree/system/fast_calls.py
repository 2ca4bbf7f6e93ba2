"""Fast calls (`cotree.engine.fast_call`) for arguments that have been converted and checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.fast_call import FastCall
from cotree.system.system import System

Array = NDArray[np.float64]


def call_bound(function: FastCall, system: System, *vectors: Array, quick: bool) -> Any:
    """The result, or a status other than 0. quick: whether `function.quick` may be called with the system itself later."""
    own = system.own
    found = function.quick(own, *vectors)
    if found is None:
        for key in (system, own) if quick else (own,):  # the second may replace the first
            function.bind(key, own.here, own.values, system.nq, system.nv, own.record, own.work)
        found = function.quick(own, *vectors)
    return found
