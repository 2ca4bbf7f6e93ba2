"""Kinds of force elements: what each supplies, and the register by which they are found.

A kind has a table of its own, one record for each element, with at least the field `piece`, where its pieces begin: pairs of
bodies with a wrench on body b and its opposite on body a. It supplies three functions of one such record, which become loops
over the table:

- wrenches(x, base, s, values, q, v) writes them, by `put_effort(s, x.piece + k, W)`, about the sweep's origin;
- energy(x, base, s, values, q) returns (potential energy [J],);
- power(x, base, s, values, v) returns (supplied, dissipated) [W]: what is neither stored nor accounted for elsewhere.

A kind whose wrenches depend on the places and twists of the two links alone can supply how they change, exactly:

- slopes(x, base, s, values, v, out) writes four matrices (6, 6) for each piece, see `derivatives/kind_changes`.

The forces of kinds without it are differenced. `parts`: an element that is computed by several records is cut up by it.

s is a `ForceSweep`: s.work[link].C and .V are displacement and twist of a link. In Python, `fill` writes the record and
declares the pieces. Forward and inverse dynamics, divisions, reactions, energy and the energy balance of runs follow from this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.engine.records import put_array
from cotree.engine.spans import Span, span
from cotree.engine.together import compile_together, job_for
from cotree.errors import ForceError
from cotree.model.forces import ForceElement
from cotree.system.body_frames import Places
from cotree.system.tables import force_kind_t, piece_t
from cotree.system.views import open_force_sweep

HOME = "cotree.dynamics.forces"  # where kinds of this package register themselves


@dataclass(frozen=True, eq=False)
class ForceKind:
    """How force elements of a class are computed. fill(f, x, build): writes the record x of an element f, or of one of its
    `parts`, and declares the bodies that it acts on, see `ForceBuilder`."""

    of: type[ForceElement]
    table_t: np.dtype[np.void]
    wrenches: Span
    energy: Span
    power: Span
    fill: Callable[[Any, Any, ForceBuilder], None]
    slopes: Span | None = None
    parts: Callable[[Any], Iterable[Any]] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are the kind that is registered where they arrive."""
        return registered, (self.of,)


FORCE_KINDS: dict[type[ForceElement], ForceKind] = {}


def force_wrenches(table_t: np.dtype[np.void]) -> Callable[[Any], Span]:
    """Decorator: wrenches(x, base, s, values, q, v) of a kind."""
    return span(table_t, open_force_sweep, "put")


def force_energy(table_t: np.dtype[np.void]) -> Callable[[Any], Span]:
    """Decorator: energy(x, base, s, values, q) of a kind."""
    return span(table_t, open_force_sweep, "add")


def force_power(table_t: np.dtype[np.void]) -> Callable[[Any], Span]:
    """Decorator: power(x, base, s, values, v) of a kind."""
    return span(table_t, open_force_sweep, "add")


def force_slopes(table_t: np.dtype[np.void]) -> Callable[[Any], Span]:
    """Decorator: slopes(x, base, s, values, v, out) of a kind."""
    return span(table_t, open_force_sweep, "put")


def register(kind: ForceKind) -> ForceKind:
    """Let force elements of a class, and of classes made from it, be of this kind."""
    if "piece" not in (kind.table_t.names or ()):
        raise ForceError(f"the table of force elements of class {kind.of.__name__} lacks the field 'piece'")
    FORCE_KINDS[kind.of] = kind
    return kind


def registered(of: type[ForceElement]) -> ForceKind:
    """The kind of a class of force elements."""
    for attempt in range(2):
        for base in of.__mro__:
            if base in FORCE_KINDS:
                return FORCE_KINDS[base]
        if not attempt:
            import_module(HOME)
    raise ForceError(f"there is no kind for force elements of class {of.__name__}; register one, see docs/extending.md")


class Turning(NamedTuple):
    """A joint of the tree that turns: places in q and v, the link that it moves, its axis in the reference assembly, and the
    bodies before and behind it, as the tree runs."""

    iq: int
    iv: int
    link: int
    axis: NDArray[np.float64]
    bodies: tuple[str, str]


class ForceBuilder:
    """Growing tables of force elements, and where the bodies are in the reference assembly."""

    def __init__(self, place: Places, slot: Callable[[Any], int], turning: Callable[[str, str], Turning]) -> None:
        """slot: gives a number or a law of the user its row of `values`; turning(joint, who): a joint of the tree."""
        self.place, self.slot = place, slot
        self.turning = turning
        self.pieces: list[NDArray[np.void]] = []
        self.tables: dict[ForceKind, list[NDArray[np.void]]] = {}

    def add(self, f: ForceElement) -> None:
        """The records of an element in the table of its kind, and its pieces."""
        kind = registered(type(f))
        for part in (f,) if kind.parts is None else kind.parts(f):
            x = np.zeros((), kind.table_t)
            x["piece"] = len(self.pieces)
            kind.fill(part, x, self)
            self.tables.setdefault(kind, []).append(x)

    def between(self, body_a: str, body_b: str) -> None:
        """A wrench on body b, its opposite on body a."""
        rows, link = self.place.rows, self.place.link
        own = (-1, -1, -1, 1.0, rows[body_a], rows[body_b], link(body_a), link(body_b), -1, -1)
        self.pieces.append(np.array(own, piece_t))

    def made(self) -> tuple[tuple[tuple[ForceKind, NDArray[np.void]], ...], NDArray[np.void]]:
        """Tables of the kinds, and the pieces."""
        tables = tuple((kind, np.array(own, kind.table_t)) for kind, own in self.tables.items())
        return tables, np.array(self.pieces, piece_t)


def force_kind_table(kinds: tuple[tuple[ForceKind, NDArray[np.void]], ...]) -> NDArray[np.void]:
    """Addresses of what the kinds supply, compiled where they are not, and their tables."""
    compile_together([job_for(part) for kind, _ in kinds for part in (kind.wrenches, kind.energy, kind.power)])
    table = np.zeros(len(kinds), force_kind_t)
    for row, (kind, own) in zip(table, kinds, strict=True):
        row["wrenches"], row["energies"], row["powers"] = kind.wrenches.address, kind.energy.address, kind.power.address
        put_array(row["table"], own)
    return table


def compile_slopes(kinds: Iterable[ForceKind]) -> list[int]:
    """Addresses of the slopes of the kinds, 0 where there are none."""
    some = list(kinds)
    compile_together([job_for(kind.slopes) for kind in some if kind.slopes is not None])
    return [0 if kind.slopes is None else kind.slopes.address for kind in some]
