"""`Law`: a force as a function with more than the function: states of its own, instants of sampling, switching functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cotree.errors import ForceError
from cotree.model.checks import shown

RESERVED = ("output",)


@dataclass(frozen=True, eq=False)
class Law:
    """A law of a motor, load or force: a function with states of its own, sampling or switching.

    Parameters
    ----------
    function : callable
        The law. With states it returns (value, rates), one rate for each state in their
        order; they are integrated with the motion.
    states : dict, optional
        {name: start value} of the law's own states, which the function may take as
        arguments.
    period : float, optional
        The law is sampled at offset + k period [s] and its value held in between; it then
        returns (value, next states).
    offset : float, optional
        First instant of sampling [s].
    switching : dict, optional
        {name: function}. Steps end where one of them changes its sign, and the law takes
        the sign, +1.0 or -1.0, by its name, so that each piece of it is smooth.

    Examples
    --------
    >>> def controller(angle, rate, integral):
    ...     error = 0.3 - angle
    ...     return 40.0 * error + 20.0 * integral - 8.0 * rate, error
    >>> mech = ct.gallery.four_bar()
    >>> motor = mech.motor("servo", "A", ct.Law(controller, states={"integral": 0.0}))
    >>> ct.simulate(mech, 0.1).state("servo.integral").shape
    (201,)
    """

    function: Callable[..., Any]
    states: Mapping[str, float] = field(default_factory=dict)
    period: float | None = None
    offset: float = 0.0
    switching: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not callable(self.function) or isinstance(self.function, Law):
            raise ForceError(f"a law needs a function, got {shown(self.function)}")
        for what in ("states", "switching"):
            given = getattr(self, what)
            if not isinstance(given, Mapping) or not all(isinstance(n, str) and n.isidentifier() for n in given):
                raise ForceError(f"{what} of a law is {shown(given)}; give a dict by names that can be parameters")
            object.__setattr__(self, what, dict(given))
        self._check_names()
        for name, start in self.states.items():
            if not _is_finite(start):
                raise ForceError(f"state {name!r} of a law starts at {shown(start)}; give one finite number")
        for name, function in self.switching.items():
            if not callable(function):
                raise ForceError(f"switching function {name!r} of a law is {shown(function)}; give a function")
        if self.period is not None and not (_is_finite(self.period) and self.period > 0.0):
            raise ForceError(f"period of a law is {shown(self.period)}; give a positive time in seconds")
        if not _is_finite(self.offset):
            raise ForceError(f"offset of a law is {shown(self.offset)}; give a time in seconds")
        if self.period is not None and self.switching:
            raise ForceError("a law that is sampled has no switching functions: it changes at its instants only")

    def _check_names(self) -> None:
        twice = (set(self.states) & set(self.switching)) | (set(RESERVED) & (set(self.states) | set(self.switching)))
        if twice:
            raise ForceError(
                f"the name {min(twice)!r} of a state or switching function of a law is taken; choose another"
            )

    @property
    def __name__(self) -> str:
        """By which files call it."""
        plain = getattr(self.function, "py_func", self.function)
        return str(getattr(plain, "__name__", "law"))

    def __call__(self, *given: Any) -> Any:
        return self.function(*given)


def _is_finite(x: Any) -> bool:
    return isinstance(x, (int, float)) and not isinstance(x, bool) and x - x == 0.0
