"""Kinds of constraint rows: what each supplies, and the register by which they are found.

A kind has a table of its own, one record for each constraint, with at least the fields `row` and `piece`, where its rows and
their pieces begin. It supplies three functions of one such record, which become loops over the table:

- gaps(x, base, s, motions, q, g) writes what its holonomic rows are off, g[base + x.row + k];
- wrenches(x, base, s) writes the wrenches of its rows, by `put_between(s, base + x.piece + k, W)`, and returns 0, or 1 where
  they are not defined;
- rates(x, base, s) writes how they change, by `put_rate_between(s, base + x.piece + k, W_dot)`.

A fourth one is optional: jets(x, base, s, m, a, out) writes how the wrenches of piece int(a[0]) change along a displacement,
and how their rates do, see `cotree.constraints.jets`. Without it derivatives of the dynamics come from differences for a system
that has such a row. Where a wrench is the same on both links and one of them carries it, carrier(x) may say so, 0 or 1: then
derivatives need no jets, and are cheaper.

s is a `RowSweep`: s.work[link].C and .V are displacement and twist of a link. motions has one row (value, rate, acceleration)
for each function of time, that of row r is s.rows[r].slot. In Python, `fill` writes the record and declares the rows. The
Jacobian, J v, eta, reactions and coefficients of divisions follow from this.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.records import put_array
from cotree.engine.spans import Span, span
from cotree.engine.together import compile_together, job_for
from cotree.errors import ConstraintError
from cotree.model.constraints import Constraint
from cotree.system.tables import row_kind_t
from cotree.system.views import open_row_sweep

if TYPE_CHECKING:
    from cotree.system.rows import RowBuilder

ASKED = -1  # no link is known to carry the wrench: jets are asked
HOME = "cotree.constraints.rows"  # where the kinds of this package register themselves


@dataclass(frozen=True, eq=False)
class RowKind:
    """How the rows of a class of constraints are computed.

    fill(c, x, build): writes the record x of a constraint c and declares its rows, one by one, see `RowBuilder`.
    undefined: what is wrong where `wrenches` returns 1, in words. on_lanes: its functions also run on lanes, that is, they
    branch on whole numbers of the record and on the fields named in `shared` only (`cotree.engine.choosing`).
    """

    of: type[Constraint]
    table_t: np.dtype[np.void]
    gaps: Span
    wrenches: Span
    rates: Span
    fill: Callable[[Any, Any, RowBuilder], None]
    undefined: str = "its wrench is not defined"
    jets: Span | None = None
    carrier: Callable[[Any], int] = lambda _: ASKED
    on_lanes: bool = False
    shared: tuple[str, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles are the kind that is registered where they arrive."""
        return registered, (self.of,)


ROW_KINDS: dict[type[Constraint], RowKind] = {}


def row_gaps(table_t: np.dtype[np.void]) -> Callable[[Any], Span]:
    """Decorator: gaps(x, base, s, motions, q, g) of a kind."""
    return span(table_t, open_row_sweep, "put")


def row_wrenches(table_t: np.dtype[np.void]) -> Callable[[Any], Span]:
    """Decorator: wrenches(x, base, s) of a kind."""
    return span(table_t, open_row_sweep, "judge")


def row_rates(table_t: np.dtype[np.void]) -> Callable[[Any], Span]:
    """Decorator: rates(x, base, s) of a kind."""
    return span(table_t, open_row_sweep, "move")


def row_jets(table_t: np.dtype[np.void]) -> Callable[[Any], Span]:
    """Decorator: jets(x, base, s, m, a, out) of a kind."""
    return span(table_t, open_row_sweep, "put")


def register(kind: RowKind) -> RowKind:
    """Let constraints of a class, and of classes made from it, have rows of this kind."""
    if not {"row", "piece"} <= set(kind.table_t.names or ()):
        raise ConstraintError(
            f"the table of constraints of class {kind.of.__name__} lacks the fields 'row' and 'piece'"
        )
    ROW_KINDS[kind.of] = kind
    return kind


def registered(of: type[Constraint]) -> RowKind:
    """The kind of a class of constraints."""
    for attempt in range(2):
        for base in of.__mro__:
            if base in ROW_KINDS:
                return ROW_KINDS[base]
        if not attempt:
            import_module(HOME)
    raise ConstraintError(
        f"there is no kind of row for constraints of class {of.__name__}; register one, see docs/extending.md"
    )


def kind_table(kinds: list[tuple[RowKind, NDArray[np.void], int]]) -> NDArray[np.void]:
    """Addresses of what the kinds supply, compiled where they are not, and their tables, with the numbers these count from."""
    compile_together([job_for(part) for kind, _, _ in kinds for part in (kind.gaps, kind.wrenches, kind.rates)])
    table = np.zeros(len(kinds), row_kind_t)
    for row, (kind, own, base) in zip(table, kinds, strict=True):
        row["gaps"], row["wrenches"], row["rates"] = kind.gaps.address, kind.wrenches.address, kind.rates.address
        row["base"] = base
        put_array(row["table"], own)
    return table
