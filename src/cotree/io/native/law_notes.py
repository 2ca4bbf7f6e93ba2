"""What a model file notes of laws beside the names of their functions: states, period, switching functions.

A function that is given when the file is loaded is made the law that it was; a law that is another one is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cotree.errors import DocumentError
from cotree.io.native.fields import Function
from cotree.model.functions import MissingFunction
from cotree.model.law import Law
from cotree.model.pid import PID


def function_note(name: str, function: Callable[..., Any]) -> Function:
    """A function by its name, with what makes it a law."""
    law = function.law if isinstance(function, MissingFunction) else function
    if isinstance(law, Function):
        return law
    if not isinstance(law, Law) or isinstance(law, PID):
        return Function(function=name)
    states = {n: float(x) for n, x in law.states.items()}
    period = None if law.period is None else float(law.period)
    return Function(name, states, period, float(law.offset), tuple(law.switching))


def is_law(note: Function) -> bool:
    """Whether the file notes more than a function."""
    return bool(note.states or note.period is not None or note.switching)


def as_noted(note: Function, given: Any) -> Any:
    """What was given for a function of the file, as the law that the file notes."""
    if not is_law(note) or not callable(given):
        return given
    if not isinstance(given, Law):
        if note.switching:
            raise DocumentError(
                f"function {note.function!r} is a law with the switching functions {', '.join(map(repr, note.switching))}; "
                "give it as ct.Law(function, switching={...})"
            )
        return Law(given, note.states, note.period, note.offset)
    if _facts(function_note(note.function, given)) != _facts(note):
        raise DocumentError(
            f"function {note.function!r} was {_words(note)} when the file was written, and the law that is given is "
            f"{_words(function_note(note.function, given))}; give the same, or the function alone"
        )
    return given


def _facts(note: Function) -> tuple[Any, ...]:
    """What cannot be another: start values of states may."""
    return tuple(note.states), note.period, note.offset, set(note.switching)


def _words(note: Function) -> str:
    parts = [f"with states {', '.join(map(repr, note.states))}"] if note.states else []
    parts += [f"sampled every {note.period:g} s (offset {note.offset:g} s)"] if note.period is not None else []
    parts += [f"with switching functions {', '.join(map(repr, note.switching))}"] if note.switching else []
    return f"a law {' and '.join(parts)}" if parts else "a law without states, period and switching functions"
