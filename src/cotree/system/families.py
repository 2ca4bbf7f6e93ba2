"""Several systems with the same coordinates as the members of a batch: dimensions, masses and stiffnesses that differ from
member to member."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from cotree.errors import ArgumentError, ShapeError
from cotree.model.checks import shown
from cotree.model.mechanism import Mechanism
from cotree.system.members import Members, members_of
from cotree.system.system import System

if TYPE_CHECKING:
    from cotree.system.family_tables import FamilyTables

Made = TypeVar("Made")


class Systems(Sequence[System]):
    """Several systems, for which a function of q, v and so on is evaluated in one call.

    The number of systems is the last of the leading axes: q (nq,) is the same for all, q (B,
    nq) has one row for each. Systems of one structure, which differ in numbers alone, are
    evaluated on SIMD lanes where one system would be.

    Parameters
    ----------
    systems : iterable of System or Mechanism
        Systems with the same numbers of coordinates.

    Examples
    --------
    >>> chains = ct.Systems(ct.gallery.pendulum_chain(2, length=x) for x in (0.8, 1.0, 1.2))
    >>> ct.mass_matrix(chains, [0.1, 0.2]).shape
    (3, 2, 2)
    """

    def __init__(self, systems: Iterable[System | Mechanism]) -> None:
        given = list(systems)
        for k, one in enumerate(given):
            if not isinstance(one, (System, Mechanism)):
                raise ArgumentError(f"member {k} of the systems is {shown(one)}; give Mechanisms or Systems")
        self._systems = tuple(one.compiled() if isinstance(one, Mechanism) else one for one in given)
        if not self._systems:
            raise ArgumentError("there are no systems; give one or more")
        first = self._systems[0]
        self.nq, self.nv, self.name = first.nq, first.nv, first.name
        for k, system in enumerate(self._systems):
            if (system.nq, system.nv) != (self.nq, self.nv):
                raise ShapeError(
                    f"member {k} of the systems, {system.name!r}, has nq {system.nq} and nv {system.nv}, the first one, "
                    f"{self.name!r}, nq {self.nq} and nv {self.nv}; give systems with the same coordinates"
                )
        self._tables: FamilyTables | None = None
        self._known: dict[str, Any] = {}

    @classmethod
    def built(cls, build: Callable[..., Mechanism], parameters: Mapping[str, Sequence[Any]]) -> Systems:
        """Those of build(**values) with one value of each parameter for each, as `simulate_many` takes them."""
        counts = {len(x) for x in parameters.values()}
        if len(counts) != 1:
            raise ShapeError(
                f"the numbers of values of the parameters {', '.join(map(repr, parameters))} are "
                f"{' and '.join(map(str, sorted(counts))) or 'none'}; give as many of each"
            )
        return cls(build(**{name: x[i] for name, x in parameters.items()}) for i in range(counts.pop()))

    def __len__(self) -> int:
        return len(self._systems)

    def __getitem__(self, i: Any) -> Any:
        found = self._systems[i]
        return found if isinstance(found, System) else Systems(found)

    def __iter__(self) -> Iterator[System]:
        return iter(self._systems)

    def __repr__(self) -> str:
        return f"<{len(self)} systems like {self._systems[0]!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Systems, (self._systems,)

    def cached(self, key: str, make: Callable[[], Made]) -> Made:
        """Something made once for these systems."""
        if key not in self._known:
            self._known[key] = make()
        found: Made = self._known[key]
        return found

    def tables(self) -> FamilyTables | None:
        """Tables of lanes with the numbers of all of them, made once; None where their structures differ, or where there are no
        lanes."""
        from cotree.system.batches import takes_lanes

        if self._tables is None and takes_lanes(self._systems[0]):
            from cotree.system.family_tables import FamilyTables
            from cotree.system.lane_tables import structure_of

            structures = {structure_of(system) for system in self._systems}
            if len(structures) == 1 and None not in structures:
                self._tables = FamilyTables(self._systems)
        return self._tables if self._tables is not None and takes_lanes(self._systems[0]) else None

    def members(self, **states: Any) -> Members:
        """Members of a batch with these arguments, whose last axis is that of the systems."""
        found = members_of(self, axes=(len(self),), **states)
        assert found is not None
        return found

    def of(self, i: int, many: Members) -> System:
        """The system of a member."""
        return self._systems[i % many.shape[-1] if len(self) > 1 else 0]


class Doors:
    """How a function of one system is evaluated for several: names of its arguments that have leading axes; lanes(systems,
    many, single, others): their results on lanes, None where they are taken one by one by single(i); joined(results, many):
    those of all members from those of each."""

    def __init__(
        self,
        *names: str,
        lanes: Callable[[Systems, Members, Callable[[int], Any], dict[str, Any]], Any] | None = None,
        joined: Callable[[list[Any], Members], Any] | None = None,
    ) -> None:
        self.names, self.lanes, self.joined = names, lanes, joined or stacked

    def enter(
        self, function: Callable[..., Any], systems: Systems, given: tuple[Any, ...], named: dict[str, Any]
    ) -> Any:
        """function(systems, *given, **named)."""
        arguments = inspect.signature(function).bind(systems, *given, **named).arguments
        others = dict(list(arguments.items())[1:])
        states = {name: others.pop(name, None) for name in self.names}
        many = systems.members(**states)

        def single(i: int) -> Any:
            return many.single(
                i, lambda *row: function(systems.of(i, many), **dict(zip(states, row, strict=True)), **others)
            )

        found = None if self.lanes is None else self.lanes(systems, many, single, others)
        return self.joined([single(i) for i in range(many.count)], many) if found is None else found


def stacked(results: list[Any], many: Members) -> Any:
    """Arrays, or dataclasses of arrays and numbers, with the leading axes of the members."""
    first = results[0]
    if is_dataclass(first):
        names = [f.name for f in fields(first)]
        kind: Any = type(first)
        return kind(*(stacked([getattr(r, name) for r in results], many) for name in names))
    found = np.array(results)
    return found.reshape(*many.shape, *found.shape[1:])
