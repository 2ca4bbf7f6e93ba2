"""Which user function jumps or is noisy where a run has come to: no step is small enough for such a function."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.time_functions import VALUE, motion_values
from cotree.constraints.user_rows import put_residual
from cotree.dynamics.law_states import with_states
from cotree.dynamics.user_forces import element_values
from cotree.integrate.events.event import state_at
from cotree.integrate.state import RunState
from cotree.judge import CANCELLED
from cotree.model.functions import word_of
from cotree.system.system import System

Array = NDArray[np.float64]
POINTS = 65
ZOOMS = (1.0, 1e-1, 1e-2, 1e-3)  # parts of the last step in which drives are looked at
FINER = (*ZOOMS, 1e-4, 1e-5, 1e-6)


def rough_force(state: RunState) -> str | None:
    """Words for a user-defined force or constraint that is not smooth within the last step or next to its end."""
    begin, end = state.clock.t_old, state.clock.t_now
    lines = [[(t, *state_at(state, t)) for t in np.linspace(begin, end, POINTS)], *_tried(state, end - begin)]
    with with_states(state.work[2, 2 : 2 + state.system.n_states].copy()):
        return _rough_along(state.system, lines)


def _rough_along(system: System, lines: list[list[tuple[float, Array, Array]]]) -> str | None:
    for name, function in _along(system):
        if any(is_rough(np.array([function(*x) for x in line])) for line in lines):
            return name
    return None


def _tried(state: RunState, h: float) -> list[list[tuple[float, Array, Array]]]:
    """States at the end of the last step with velocities changed to where its stages may have been."""
    t, (q, v, _) = state.clock.t_now, state.at("now")
    # not by np.unique: what a signal raises while it compares rows comes out as a TypeError
    slopes = [np.array(x) for x in sorted(set(map(tuple, state.kept["kv"])))]
    return [[(t, q.copy(), v + x * h * slope) for x in np.linspace(-1.0, 1.0, POINTS)] for slope in slopes]


def rough_drive(state: RunState, zooms: tuple[float, ...] = ZOOMS) -> str | None:
    """Words for a motion prescribed by the user whose values jump, and whose rates are found from them."""
    system = state.system
    if not system.extra_rows.motions:
        return None
    now = state.clock.t_now
    h = max(now - state.clock.t_old, 1e4 * np.spacing(abs(now)))
    for k, (who, motion) in enumerate(system.extra_rows.motions):
        known = not motion.in_python or (motion.rate is not None and motion.acceleration is not None)
        for zoom in () if known else zooms:
            times = np.linspace(now, now + zoom * h, POINTS)
            if is_rough(np.array([motion_values(system, t, VALUE)[k, 0] for t in times])):
                return who
    return None


def is_rough(values: Array) -> bool:
    """Whether values of a function, at points next to each other, jump: most of the change between two of them, or a
    staircase, or up and down all the time."""
    values = values.reshape(len(values), -1)
    return any(_jumps(x, np.abs(np.diff(x))) for x in values.T)


def _jumps(x: Array, steps: Array) -> bool:
    total, largest = steps.sum(), steps.max()
    if not largest > CANCELLED * np.abs(x).max():
        return False
    return bool(largest > 0.2 * total or _is_staircase(steps > 0.0) or total > 3.0 * np.ptp(x))


def _is_staircase(moves: NDArray[np.bool_]) -> bool:
    """Whether most of the changes are alone, between values that do not change."""
    alone = moves[1:-1] & ~moves[:-2] & ~moves[2:]
    return bool(np.count_nonzero(alone) > 0.5 * np.count_nonzero(moves))


def _along(system: System) -> Iterator[tuple[str, Callable[[float, Array, Array], Array]]]:
    """User functions along a motion, with words for each."""
    names = system.mechanism.numbered
    for row, user in system.elements.functions:
        if user.by_numbers:
            continue
        yield _word(system, names[row]), lambda t, q, v, row=row: element_values(system, q, v, t)[row]  # type: ignore[misc]
    if system.extra_rows.user:
        words = ", ".join(_word(system, c.name) for c in system.extra_rows.user)
        yield words, lambda t, q, v: _residual(system, q, t)


def _residual(system: System, q: Array, t: float) -> Array:
    g = np.zeros(system.n_constraints)
    put_residual(system, q, t, g)
    return g


def _word(system: System, name: str) -> str:
    return f"{word_of(system.mechanism, name)} {name!r}"
