"""The numbers that laws keep between evaluations, where no run carries them: as at the start of a run, or as they are said
to be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.laws import laws_of
from cotree.system.law_layout import start_values
from cotree.system.system import System

Array = NDArray[np.float64]
_NOW: ContextVar[Array | None] = ContextVar("states of laws", default=None)


@contextmanager
def with_states(z: Array | None) -> Iterator[None]:
    """Let laws have these states in all evaluations inside; None leaves them as they are."""
    token = _NOW.set(_NOW.get() if z is None else z)
    try:
        yield
    finally:
        _NOW.reset(token)


def states_now(system: System, q: Array, v: Array, t: float) -> Array:
    """Those of `with_states`, else those at the start of a run at this state."""
    given = _NOW.get()
    if given is not None and len(given) == system.n_states:
        return given
    return first_states(system, q, v, t)


def first_states(system: System, q: Array, v: Array, t: float) -> Array:
    """States as they were given, signs of the switching functions here, and what sampled laws give here."""
    z = start_values(system.law_places)
    if not len(z):
        return z
    about: dict[str, object] = {"z": z}
    for law in laws_of(system):
        law.put_signs(z, t, q, v, about)
    for law in laws_of(system):
        if law.user.sampled:
            law.sample(z, t, q, v, about)
    return z
