"""The systems of many runs: one for all of them, or one for each set of parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cotree.errors import ArgumentError, ShapeError
from cotree.model.checks import shown
from cotree.model.mechanism import Mechanism
from cotree.model.numbers import with_parameters
from cotree.system.arguments import system_of
from cotree.system.compile import compile_mechanism
from cotree.system.system import System


def systems_of(given: Any, parameters: Any, caller: Callable[..., Any]) -> tuple[Callable[[int], System], int | None]:
    """The system of each run, and how many there are, where parameters tell it."""
    if isinstance(given, (System, Mechanism)):
        one = given.compiled() if isinstance(given, Mechanism) else given
        if parameters is None:
            return lambda _: one, None
        make = _with_other_numbers(one)
    elif callable(given):
        make = _built_by(given)
    else:
        system_of(given, caller)
    if not isinstance(parameters, Mapping) or not parameters:
        raise ArgumentError(
            f"parameters is {shown(parameters)}; give the values by name: of numbers of the mechanism, or of the arguments of "
            "the function that builds it"
        )
    values = {name: _values(name, x) for name, x in parameters.items()}
    first: list[System] = []  # asked for several times; the others are kept by their runs alone

    def build(i: int) -> System:
        if i == 0 and first:
            return first[0]
        made = make({name: x[i] for name, x in values.items()})
        if i == 0:
            first.append(made)
        return made

    return build, agreed_count([len(x) for x in values.values()])


def agreed_count(counts: list[int | None]) -> int:
    """Number of runs, on which all who tell it must agree."""
    told = {n for n in counts if n is not None}
    if len(told) != 1 or 0 in told:
        raise ShapeError(
            f"the number of runs is {' or '.join(map(str, sorted(told))) or 'not told'}; give q or v one row for each run, or "
            "parameters one value for each, all of the same length"
        )
    return told.pop()


def _with_other_numbers(system: System) -> Callable[[dict[str, Any]], System]:
    """Systems with the same coordinates whose mechanisms have other numbers, named as `ct.parameters` lists them."""
    choices = dict(system.choices)
    if system.coordinates == "relative" and system.cut_joints:
        choices["cut"] = list(
            system.cut_joints
        )  # chosen by dimensions otherwise, and each cut has coordinates of its own
    return lambda numbers: compile_mechanism(with_parameters(system, numbers), **choices)


def _built_by(function: Callable[..., Any]) -> Callable[[dict[str, Any]], System]:
    def make(arguments: dict[str, Any]) -> System:
        mechanism = function(**arguments)
        if not isinstance(mechanism, Mechanism):
            raise ArgumentError(f"the function that builds the mechanism returned {shown(mechanism)}")
        return mechanism.compiled()

    return make


def _values(name: Any, values: Any) -> Any:
    try:
        if not isinstance(values, str) and len(values) > 0:
            return values
    except TypeError:
        pass
    raise ShapeError(f"parameter {shown(name)} is {shown(values)}; give one value for each run")
