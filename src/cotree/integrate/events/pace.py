"""How often a run looks at what it cannot foresee: user functions, events, loads on what holds."""

from __future__ import annotations

import numpy as np

from cotree.errors import ShapeError
from cotree.integrate.settings import Settings
from cotree.model.constraints import UserRows
from cotree.model.time_laws import TimeLaw
from cotree.system.system import System

LOOKS = 500  # times in a run, at least: without forces steps grow without bound
MOST_STEPS = 1e9  # of a size that is given
OF_WAVE = 0.25  # of its period: a longer step may see zeros only
TICKS = 100  # of the clock in a step: times are known to one of them
SPAN_TICKS = 1e6  # and in a run


def has_functions(system: System) -> bool:
    """Whether forces, or motions over time, are user functions, in which anything may happen between two looks."""
    others = system.extra_rows
    over_time = any(motion.in_python for _, motion in others.motions) or any(map(_of_time, others.user))
    return any(not (user.sampled or user.by_numbers) for _, user in system.elements.functions) or over_time


def _shortest_wave(system: System) -> float:
    """The shortest period of a law over time that is a wave; infinite without."""
    laws = [law for _, user in system.elements.functions for law in user.time_laws]
    laws += [motion.value for _, motion in system.extra_rows.motions if isinstance(motion.value, TimeLaw)]
    return min((law.shortest_period for law in laws), default=np.inf)


def _of_time(rows: UserRows) -> bool:
    """Constraints of the coordinates alone are shapes, which a motion cannot leap over."""
    functions = (rows.jacobian, rows.residual, rows.rate, rows.bias)
    return any(f is not None and "t" in f.arguments for f in functions)


def longest_step(system: System, settings: Settings, span: float, waits: bool) -> float:
    """Longest step in a run of this span; waits: for loads on what holds, or for conditions."""
    if settings.step is not None:
        return settings.step
    every = span / LOOKS
    longest = settings.max_step if settings.max_step is not None else every if has_functions(system) else np.inf
    longest = min(longest, OF_WAVE * _shortest_wave(system))
    return min(longest, every) if waits else longest


def check_times(settings: Settings, begin: float, end: float) -> None:
    """Refuse spans that overflow, steps that the clock cannot tell and steps without number."""
    late, span = max(abs(begin), abs(end)), end - begin
    if not np.isfinite(span):
        raise ShapeError(
            f"from {begin:g} to {end:g} s is longer than floating-point numbers can represent; use a shorter time"
        )
    tick = float(np.spacing(late))
    if span < SPAN_TICKS * tick:
        raise ShapeError(
            f"times near {late:g} s are resolved to {tick:.1g} s only, too coarse for a run of {span:g} s; start "
            f"closer to zero"
        )
    for name in ("step", "max_step"):
        size = getattr(settings, name)
        if size is None:
            continue
        if size < TICKS * tick:
            raise ShapeError(
                f"{name} is {size:g} s, too small for times near {late:g} s, which are resolved to {tick:.1g} s only"
            )
        if span / size > MOST_STEPS:
            raise ShapeError(
                f"{name} is {size:g} s; a run of {span:g} s would take {span / size:.1e} steps, more than {MOST_STEPS:.0e}"
            )
