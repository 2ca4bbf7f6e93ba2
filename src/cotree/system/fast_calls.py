"""Fast calls (`cotree.engine.fast_call`) for arguments that have been converted and checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.fast_call import FastCall
from cotree.system.system import System

Array = NDArray[np.float64]


def call_bound(
    function: FastCall,
    system: System,
    *vectors: Array,
    quick: bool,
    shapes: Sequence[tuple[int, ...]] = (),
    room: int = 0,
    last: Any = None,
    at: Callable[[int], tuple[int, Any]] | None = None,
) -> Any:
    """The result, or a status other than 0. quick: whether `function.quick` may be called with the system itself later.

    shapes, room, last: of a function with several arrays. at: of one that reads more than a system, (address, what must be
    kept) of a record that stands for the system at an address."""
    own = system.own
    key = system if quick else own  # one binding only: two could take each other's place
    found = function.quick(key, *vectors)
    if found is None:
        here, kept = at(own.here) if at else (own.here, None)
        more = own.record, own.work, kept
        function.bind(key, here, own.values, system.nq, system.nv, *more, shapes=shapes, room=room, last=last)
        found = function.quick(key, *vectors)
    return found
