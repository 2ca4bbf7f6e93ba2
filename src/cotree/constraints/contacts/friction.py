"""Systems with the friction of contacts that slip: force elements of sizes that a solver gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cotree.constraints.contacts.touch import FAMILIES, Rub, Touch
from cotree.system.force_kinds import ForceBuilder
from cotree.system.switched import places_of
from cotree.system.system import System


class Rubbing(NamedTuple):
    """Friction of a point: its row of the numbers that forces have, and the point's name."""

    slot: int
    point: str


def with_friction(system: System, slips: Mapping[Touch, tuple[float, float]]) -> System:
    """The system with friction at these points, which slip in these directions along their tangents at first."""
    if not slips:
        return system
    own, first = system.elements, len(system.elements.constants)
    build = ForceBuilder(places_of(system), _no_numbers, _no_numbers)
    build.pieces = list(own.pieces)
    for slot, (touch, d) in enumerate(slips.items(), first):
        build.add(FAMILIES[type(touch)].friction.of(touch.name, touch, slot, d))  # type: ignore[call-arg]
    tables, pieces = build.made()
    constants = np.concatenate([own.constants, np.zeros((len(slips), 3))])
    return replace(system, elements=replace(own, constants=constants, kinds=(*own.kinds, *tables), pieces=pieces))


def rubbing_of(system: System) -> list[Rubbing]:
    """The friction of contacts that a system has."""
    from cotree.constraints.contacts.measure import touches_of

    tables = [table for kind, table in system.elements.kinds if issubclass(kind.of, Rub)]
    if not tables:
        return []
    names = [touch.name for touch in touches_of(system)]
    return sorted(Rubbing(int(x["slot"]), names[x["index"]]) for table in tables for x in table)


def _no_numbers(*asked: Any) -> Any:
    """Friction of contacts asks for no numbers: its sizes come from the solver."""
    assert not asked
