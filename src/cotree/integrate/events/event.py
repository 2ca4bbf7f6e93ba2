"""Events: roots of functions of the state, located on the dense output of the step in which they lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.signals import called
from cotree.errors import ChoiceError, EventError
from cotree.formulations.callback import Callback
from cotree.integrate.events.conditions import Watch, look_at, lowest, ran_out
from cotree.integrate.events.sampling import dips, looks
from cotree.integrate.methods.dense_output import within
from cotree.integrate.stabilization.projection import project
from cotree.integrate.state import RunState
from cotree.judge import same_instant
from cotree.model.calls import blame
from cotree.model.checks import flag, floats, several, shown
from cotree.model.forces import UserFunction, user_function
from cotree.model.naming import check_characters

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Event:
    """An event: a sign change of a function during a run.

    Parameters
    ----------
    function : callable
        Function of any of t, q, v that returns a number or a condition. A function that is
        zero at the start counts from its next root on.
    name : str, optional
        Name in `run.events`.
    terminal : bool, optional
        End the run there.
    direction : int, optional
        +1 where it rises or becomes true, -1 where it falls, 0 for both.
    whose : str, optional
        What the event belongs to, for messages.

    Examples
    --------
    >>> top = ct.Event(lambda t, q, v: v[0], "turns back", terminal=True)
    >>> ct.simulate(ct.gallery.pendulum_chain(1), 10.0, v=[1.0], events=[top]).status
    'event'
    """

    function: Callable[..., Any]
    name: str = ""
    terminal: bool = False
    direction: int = 0
    whose: str = field(
        default="", kw_only=True, repr=False, compare=False
    )  # words for errors, where it belongs to a device
    _user: UserFunction = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise EventError(f"the name of an event must be a string, got {shown(self.name)}")
        if not callable(self.function):
            raise EventError(f"event {self.name!r} needs a function of t, q, v, got {shown(self.function)}")
        plain = getattr(self.function, "py_func", self.function)
        if not self.name:
            object.__setattr__(self, "name", getattr(plain, "__name__", "event"))
        check_characters(self.name, "an event", EventError)
        flag(self.terminal, f"event {self.name!r}: terminal")
        if not isinstance(self.direction, (int, float)) or self.direction not in (-1, 0, 1):
            raise ChoiceError(f"event {self.name!r}: direction is {shown(self.direction)}; choose one of -1, 0, 1")
        user = user_function(self.function, 1, ("t", "q", "v"), f"event {self.name!r}", EventError)
        object.__setattr__(self, "_user", user)

    def __call__(self, t: float, q: Array, v: Array) -> float:
        returned, value = self._returned(t, q, v)
        if np.asarray(returned).dtype.kind == "b":
            return 1.0 if value else -1.0
        return value

    def holds(self, t: float, q: Array, v: Array) -> bool:
        """Whether it is a condition, and true."""
        returned, value = self._returned(t, q, v)
        return np.asarray(returned).dtype.kind == "b" and bool(value)

    def yes_or_no(self, t: float, q: Array, v: Array) -> bool:
        """Whether it is a condition, True or False, and not a number."""
        return np.asarray(self._returned(t, q, v)[0]).dtype.kind == "b"

    def _returned(self, t: float, q: Array, v: Array) -> tuple[Any, float]:
        """What the function returned, and as a number; errors in it and of it name the event."""
        whose = self.whose or f"event {self.name!r}"
        try:
            returned = called(self._user.at, {"t": t, "q": q, "v": v})
            value = floats(returned, flags=True)
        except Exception as error:
            blame(error, whose, t)
            raise
        if value is None or value.size != 1 or np.isnan(value).any():
            raise EventError(f"{whose} must return one number, got {shown(returned)} at t = {t:g}")
        return returned, float(value.ravel()[0])

    def counts(self, before: float, now: float) -> bool:
        """Whether a change from one value to the next is a root to be reported."""
        rises, falls = before < 0.0 <= now, now <= 0.0 < before
        return (rises and self.direction >= 0) or (falls and self.direction <= 0)


@dataclass(frozen=True, eq=False)
class Occurrence:
    """An event that happened: when, in which state; `index` is its place in the tuple of events."""

    name: str
    t: float
    q: Array = field(repr=False)
    v: Array = field(repr=False)
    terminal: bool = False
    index: int = 0


def as_events(given: Any) -> tuple[Event, ...]:
    """Events from one or several functions or Event objects."""
    if given is None:
        return ()
    items = (given,) if isinstance(given, Event) or callable(given) else several(given, "events")
    return tuple(e if isinstance(e, Event) else Event(e) for e in items)


def occurred(state: RunState, callback: Callback, watches: tuple[Watch, ...] = ()) -> list[Occurrence]:
    """The events of the last step, in the order of their times; nothing behind the instant of a terminal one, as watches
    are, and all that happens at that instant with its time and state."""
    found = []
    now = callback.values.copy(), callback.slopes.copy()
    for k, event in enumerate(callback.events):
        for begin, until in _changes(state, callback, k):
            t = _root(state, callback, event, begin, until)
            q, v = _state_at(state, callback, t)
            found.append(Occurrence(event.name, t, q, v, event.terminal, k))
    for k, watch in enumerate(watches, len(callback.events)):
        run_out = _run_out(state, callback, k)
        if run_out is not None:
            found.append(Occurrence(watch.name, run_out, *_state_at(state, callback, run_out), True, k))
        callback.values[:], callback.slopes[:] = now
    callback.before[:], callback.slopes_before[:] = now
    found.sort(key=lambda o: o.t)
    end = next((o for o in found if o.terminal), None)
    if end is None:
        return found
    before = [o for o in found if o.t < end.t and not same_instant(o.t, end.t)]
    return before + [replace(o, t=end.t, q=end.q, v=end.v) for o in found if same_instant(o.t, end.t)]


def _changes(state: RunState, callback: Callback, k: int) -> list[tuple[float, float]]:
    """Times in the last step between which an event function changes its sign, looked at as often as the loop has done."""
    event, start, end = callback.events[k], state.clock.t_old, state.clock.t_now
    times = np.linspace(start, end, looks(end - start, state.options.spacing) + 1)
    between = [(t, event(t, *_state_at(state, callback, t))) for t in times[1:-1]]
    seen = [(start, callback.before[k]), *between, (end, callback.values[k])]
    for i in range(len(times) - 2, 0, -1):
        if dips(*(f for _, f in seen[i - 1 : i + 2])):
            seen[i : i + 1] = sorted({seen[i], _lowest(state, callback, event, times[i - 1], times[i + 1])})
    return [(s, e) for (s, f), (e, g) in pairwise(seen) if event.counts(f, g)]


def _lowest(state: RunState, callback: Callback, event: Event, start: float, end: float) -> tuple[float, float]:
    """Time and value where a function, of one sign at both ends, comes closest to zero, or goes beyond."""
    from scipy.optimize import minimize_scalar

    sign = np.sign(event(start, *_state_at(state, callback, start)))
    found = minimize_scalar(
        lambda t: sign * event(t, *_state_at(state, callback, t)),
        bounds=(start, end),
        options={"xatol": 1e-6 * (end - start)},
    )
    return float(found.x), float(sign * found.fun)


def _root(state: RunState, callback: Callback, event: Event, start: float, end: float) -> float:
    """Time of the sign change between two times of the last step."""
    from scipy.optimize import brentq

    f = [event(t, *_state_at(state, callback, t)) for t in (start, end)]
    if f[0] == 0.0 or f[0] * f[1] > 0.0:  # the projected states at the ends differ by rounding from those seen before
        return float(start if f[0] == 0.0 else end)
    if abs(f[0]) == abs(f[1]) == 1.0:  # a condition, or signs: there is nothing to interpolate
        return _halved(lambda t: event(t, *_state_at(state, callback, t)) * f[1] > 0.0, start, end)
    return float(
        brentq(
            lambda t: event(t, *_state_at(state, callback, t)), start, end, xtol=1e-14 * max(1.0, abs(end)), rtol=1e-15
        )
    )


def _halved(changed: Callable[[float], bool], start: float, end: float) -> float:
    """The first time at which something has changed, of a bracket in which it does."""
    while end - start > 1e-14 * max(1.0, abs(end)):
        middle = 0.5 * (start + end)
        if not start < middle < end:
            break
        start, end = (start, middle) if changed(middle) else (middle, end)
    return float(end)


def _run_out(state: RunState, callback: Callback, k: int) -> float | None:
    """Time within the last step at which a watch came down to zero; None if it did not."""
    from scipy.optimize import brentq

    start, end = state.clock.t_old, state.clock.t_now
    h = end - start
    values = callback.before[k], callback.values[k], h * callback.slopes_before[k], h * callback.slopes[k]
    if not ran_out(*values):
        return None
    below = min(values[0], 0.0)  # a stop that was passed by a hair is reached again there, if not before

    def left(t: float) -> float:
        return _watched(state, callback, k, t) - below

    if not values[0] > 0.0:
        start = _risen(left, start, h) if values[2] > 0.0 else start
        if start == state.clock.t_old:
            return float(start)
    elif values[1] > 0.0:
        end = start + h * lowest(*values)[1]
        if left(end) > 0.0:
            return None
    if not left(start) > 0.0:
        return float(start)
    if left(end) > 0.0:
        return float(end)
    return float(brentq(left, start, end, xtol=1e-14 * max(1.0, abs(end)), rtol=1e-15))


def _risen(left: Callable[[float], float], start: float, h: float) -> float:
    """A time at which a watch that began at zero is positive before it comes down again; the start if there is none."""
    for power in range(1, 46):
        t = start + h * 0.5**power
        if left(t) > 0.0:
            return t
    return start


def _watched(state: RunState, callback: Callback, k: int, t: float) -> float:
    look_at(state.run, t, *_state_at(state, callback, t))
    callback.stop()
    return float(callback.values[k])


def _state_at(state: RunState, callback: Callback, t: float) -> tuple[Array, Array]:
    found = state_at(state, t)
    callback.stop()
    return found


def state_at(state: RunState, t: float) -> tuple[Array, Array]:
    """(q, v) at a time within the last step, back on the constraints where the run keeps to them."""
    start, end = state.clock.t_old, state.clock.t_now
    q, v = np.empty(state.system.nq), np.empty(state.system.nv)
    within(state.run, (t - start) / (end - start), q, v)
    if state.options.stabilize:
        project(state.run, t, 0.0, q, v)
    return q, v
