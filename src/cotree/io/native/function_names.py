"""Names for the functions in a mechanism, by which a model file refers to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cotree.model.functions import MissingFunction, functions_of
from cotree.model.mechanism import Mechanism


def names_of_functions(mech: Mechanism) -> dict[int, str]:
    """Name of each function by its id: its own in Python where that is free, else its owner's, as "m.torque"."""
    uses = sorted(functions_of(mech), key=lambda use: not isinstance(use.function, MissingFunction))  # theirs are set
    names: dict[int, str] = {}
    for use in uses:
        function, taken = use.function, set(names.values())
        if id(function) in names:
            continue
        name = _own_name(function) or f"{use.name}.{use.which}"
        if name in taken and not isinstance(function, MissingFunction):
            name = f"{use.name}.{use.which}"
            while name in taken:
                name += "'"
        names[id(function)] = name
    return names


def _own_name(function: Callable[..., Any]) -> str:
    """What a function is called: by the file that it is missing from, or by its def; lambdas have no name."""
    if isinstance(function, MissingFunction):
        return function.name
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() else ""
