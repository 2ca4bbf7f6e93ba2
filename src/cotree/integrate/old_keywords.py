"""Keywords of earlier releases that are options of a choice now: they warn, say what to write, and go with the next release."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from cotree._keywords import parameters, suggests_keywords
from cotree.errors import ChoiceError, CotreeDeprecationWarning
from cotree.integrate.choices import VALUES, Adaptive
from cotree.model.checks import flag, shown

P = ParamSpec("P")
T = TypeVar("T")
HOMES = {  # the argument whose value has the option now
    "baumgarte": "stabilize", "partition": "stabilize", "stabilize_above": "stabilize", "transitions": "stabilize",
    "spectral_radius": "method", "independent": "formulation", "max_step": "step",
}  # fmt: skip
IGNORED = ("baumgarte", "spectral_radius")  # had no effect beside other choices; the others were refused


def takes_old_keywords(*names: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """For a function with choices: it also takes these keywords, and suggests those that are misspelled."""

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        known, inner = parameters(function), suggests_keywords(function, names)
        first = 1 if function.__name__ == "__init__" else 0

        @wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> T:
            if kwargs.keys().isdisjoint(names):
                return inner(*args, **kwargs)
            given = {**dict(zip(known, args[first:], strict=False)), **kwargs}
            strict = "strict" in names and flag(given.pop("strict", False), "strict")
            if "strict" in kwargs:
                _warn("strict", "ct.simulate(...).trusted()")
            result: Any = inner(*args[:first], **modern(given, names))  # type: ignore[arg-type]
            return result.trusted() if strict else result

        return called

    return decorated


def modern(given: dict[str, Any], names: Sequence[str] = tuple(HOMES), warn: bool = True) -> dict[str, Any]:
    """Arguments with values in place of old keywords."""
    new = {name: x for name, x in given.items() if name not in names}
    for name in (name for name in given if name in names):
        words = _put(new, name, given[name])
        if warn:
            _warn(name, words)
    return new


def _warn(name: str, words: str) -> None:
    level = 4 if name != "strict" else 3
    warnings.warn(f"{name}= is going to be removed; write {words}", CotreeDeprecationWarning, stacklevel=level)


def _put(new: dict[str, Any], name: str, x: Any) -> str:
    """Put an old keyword's value where it belongs now; what to write instead."""
    if name == "t_start":
        new["t_end"] = (x, new.get("t_end"))
        return f"t_end=({shown(x)}, {shown(new['t_end'][1])})"
    what = HOMES[name]
    given = new.get(what, None if what == "step" else "auto")
    if name == "max_step":
        if x is not None and given is not None:
            raise ChoiceError("step= fixes the step size and max_step= limits adaptive steps; give one of them")
        new["step"] = given if x is None else Adaptive(x)
        return f"step={new['step']!r}"
    value = VALUES[what].get(given, lambda: None)() if isinstance(given, str) else given
    if value is not None and name in value.settings:
        new[what] = type(value).from_settings({**value.settings, name: x})
        return f"{what}={new[what]!r}"
    if name not in IGNORED and x is not None:
        users = " or ".join(f"ct.{v.__name__}" for v in dict.fromkeys(VALUES[what].values()) if name in v().settings)
        raise ChoiceError(f"{name}= is an option of {what}={users}, not of {given!r}")
    return f"nothing: it has no effect with {what}={given!r}"
