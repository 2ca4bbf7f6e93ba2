"""Keyword arguments that a function does not have: the error suggests what may have been meant."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from cotree.errors import ArgumentError

P = ParamSpec("P")
T = TypeVar("T")
C = TypeVar("C")
SYNONYMS = {  # words of other programs, and earlier names
    "tend": "t_end", "duration": "t_end", "tmax": "t_end", "tfinal": "t_end", "time": "t_end", "dt": "step", "h": "step",
    "timestep": "step", "solver": "method", "integrator": "method", "y0": "q", "q0": "q", "v0": "v", "qdot": "v",
    "tol": "rtol", "teval": "output", "stabilization": "stabilize", "m": "mass", "center": "com", "centre": "com",
    "masscentre": "com", "cog": "com", "centerofmass": "com", "i": "inertia", "moi": "inertia", "geometry": "shape",
    "k": "stiffness", "c": "damping", "d": "damping", "rest": "length", "restlength": "length", "l0": "length",
    "origin": "point", "anchor": "point", "direction": "axis", "position": "point", "parentbody": "parent",
    "child_body": "child", "type": "joint", "min": "lower", "max": "upper", "start": "at", "friction": "torque",
    "force": "torque",
}  # fmt: skip


def suggests_keywords(function: Callable[P, T], more: Iterable[str] = ()) -> Callable[P, T]:
    """The function, with an error for an unknown keyword argument that names the nearest one; more: names that a
    wrapper takes."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:  # from within the function
                raise
            unknown = [name for name in kwargs if name not in inspect.signature(function).parameters]
            word = function.__name__ if function.__name__ != "__init__" else function.__qualname__.split(".")[0]
            if not unknown:
                lacking = _lacking(function, args, kwargs)
                if not lacking:
                    raise
                raise ArgumentError(f"{word} takes {_order(function)}; {' and '.join(lacking)} missing") from None
            raise unknown_keyword(word, unknown[0], parameters(function), more) from None

    return called


def _lacking(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """Parameters that are needed and were not given; none where something else is wrong."""
    signature = inspect.signature(function)
    try:
        given = signature.bind_partial(*args, **kwargs).arguments
    except TypeError:
        return []
    needed = (p for p in signature.parameters.values() if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD)
    lacking = [p.name for p in needed if p.name not in given]
    return [*lacking[:-1], f"{lacking[-1]} {'is' if len(lacking) == 1 else 'are'}"] if lacking else []


def _order(function: Callable[..., Any]) -> str:
    """Its parameters that are needed, in their order."""
    every = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    needed = [p.name for p in every if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    return f"{', '.join(needed)}{', ...' if len(needed) < len(every) else ''} in this order"


def parameters(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name != "self"]


def unknown_keyword(function: str, name: str, known: Iterable[str], more: Iterable[str] = ()) -> ArgumentError:
    """The error for one keyword that is not among the known ones; more: others that may be meant."""
    known = list(known)
    meant = SYNONYMS.get(name.lower().replace("_", ""))
    close = [meant] if meant in known else difflib.get_close_matches(name.lower()[:100], [*known, *more], n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"it takes {', '.join(known)}"
    return ArgumentError(f"{function} has no argument {name!r}; {hint}")


def methods_suggest_keywords(cls: type[C]) -> type[C]:
    """The same for all public methods of a class that take arguments, also inherited ones."""
    for name in dir(cls):
        method = inspect.getattr_static(cls, name)
        if inspect.isfunction(method) and (name == "__init__" or name[0] != "_") and parameters(method):
            setattr(cls, name, suggests_keywords(method))
    return cls
