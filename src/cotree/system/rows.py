"""Tables of the constraint rows: those of the cut joints, and of the constraints beside the joints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.model.constraints import Closing, Constraint, Motion, Term
from cotree.model.mechanism import Mechanism
from cotree.system.body_frames import Places
from cotree.system.coordinate_terms import place_of_term
from cotree.system.row_kinds import RowKind, registered
from cotree.system.tables import piece_t, row_t

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ExtraRows:
    """The constraints beside the joints: tables of their kinds; rows and pieces, counted from those of the cut joints on;
    names of the rows; functions of time, one a slot; constraints whose rows are user functions, which come last."""

    kinds: tuple[tuple[RowKind, NDArray[np.void]], ...]
    rows: NDArray[np.void]
    pieces: NDArray[np.void]
    names: tuple[str, ...]
    holonomic: NDArray[np.bool_]
    motions: tuple[tuple[str, Motion], ...]
    constants: Array  # (slots, 3): value, rate, acceleration; NaN where a function gives them
    user: tuple[Any, ...]
    owners: tuple[str, ...]  # constraint of each row


def row_tables(
    mech: Mechanism,
    constraints: Iterable[Constraint],
    place: Places,
    coordinates: Mapping[str, int],
    dofs: NDArray[np.void],
    cuts: Mapping[str, int],
) -> ExtraRows:
    """All tables of these constraints; places of the velocity coordinates and of the cut joints by name."""
    build = RowBuilder(mech, place, coordinates, dofs, cuts)
    ordered = sorted(constraints, key=lambda c: c.in_python)  # stable: the user's order
    for c in ordered:
        if not c.in_python:
            build.add(c)
    constants = [[m.value, m.speed, 0.0] if m.constant else [np.nan] * 3 for _, m in build.motions]
    return ExtraRows(
        tuple((kind, np.array(own, kind.table_t)) for kind, own in build.tables.items()),
        np.array(build.rows, row_t), np.array(build.pieces, piece_t), tuple(n for c in ordered for n in _names(c)),
        np.array([h for c in ordered for h in c.holonomic], dtype=np.bool_), tuple(build.motions),
        np.array(constants, dtype=float).reshape(-1, 3), tuple(c for c in ordered if c.in_python),
        tuple(c.name for c in ordered for _ in range(c.rows)),
    )  # fmt: skip


def _names(c: Constraint) -> list[str]:
    return [c.name] if c.rows == 1 else [f"{c.name}[{k}]" for k in range(c.rows)]


class RowBuilder:
    """Growing tables, and what kinds of rows ask for while they write theirs: mechanism, bodies in the reference assembly,
    names of coordinates and of cut joints."""

    def __init__(
        self,
        mech: Mechanism,
        place: Places,
        coordinates: Mapping[str, int],
        dofs: NDArray[np.void],
        cuts: Mapping[str, int],
    ) -> None:
        self.mech, self.place, self.coordinates, self.dofs, self.cuts = mech, place, coordinates, dofs, cuts
        self.motions: list[tuple[str, Motion]] = []
        self.rows: list[NDArray[np.void]] = []
        self.pieces: list[NDArray[np.void]] = []
        self.tables: dict[RowKind, list[NDArray[np.void]]] = {}
        self.constraint: Constraint
        self.first = 0  # of its rows

    def add(self, c: Constraint) -> None:
        """The record of a constraint in the table of its kind, and its rows."""
        kind, self.constraint, self.first = registered(type(c)), c, len(self.rows)
        x = np.zeros((), kind.table_t)
        x["row"], x["piece"] = self.first, len(self.pieces)
        kind.fill(c, x, self)
        assert len(self.rows) == self.first + c.rows, f"{c.word} {c.name!r} has {c.rows} rows, but declares other ones"
        self.tables.setdefault(kind, []).append(x)

    def row(self, motion: Motion | None = None) -> None:
        """Begin the next row of the constraint; motion: what it shall be equal to, where that is not zero."""
        c, row = self.constraint, np.zeros((), row_t)
        row["first"], row["slot"] = len(self.pieces), -1 if motion is None else len(self.motions)
        row["holonomic"] = c.holonomic[len(self.rows) - self.first]
        self.rows.append(row)
        if motion is not None:
            self.motions.append((f"{c.word} {c.name!r}", motion))

    def between(self, body_a: str, body_b: str) -> None:
        """A wrench on body b, its opposite on body a, as a piece of the row."""
        self._piece(*self._ends(body_a, body_b))

    def coordinate(self, term: Term) -> None:
        """A multiple of a joint coordinate as a piece of the row: of a velocity of the tree, or measured across a cut joint."""
        c = self.constraint
        iv, iq, cut, component = place_of_term(
            term, self.mech, self.coordinates, self.dofs, self.cuts, f"{c.word} {c.name!r}"
        )
        connection = self.mech.joints[term.joint]
        ends = self._ends(connection.parent, connection.child) if cut >= 0 else (0, 0, 0, 0)
        self._piece(*ends, iv, iq, term.ratio, cut, component)

    def _ends(self, body_a: str, body_b: str) -> tuple[int, int, int, int]:
        place = self.place
        return place.rows[body_a], place.rows[body_b], place.link(body_a), place.link(body_b)

    def _piece(
        self,
        body_a: int,
        body_b: int,
        link_a: int,
        link_b: int,
        iv: int = -1,
        iq: int = -1,
        ratio: float = 1.0,
        cut: int = -1,
        component: int = -1,
    ) -> None:
        own = (len(self.rows) - 1, iv, iq, ratio, body_a, body_b, link_a, link_b, cut, component)
        self.pieces.append(np.array(own, piece_t))
        self.rows[-1]["count"] += 1


def all_rows(cuts: NDArray[np.void], extra: ExtraRows) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """Rows and pieces of the cut joints, one piece a row, and those of the constraints behind them."""
    n = int(cuts["kept"].sum())
    of = np.repeat(np.arange(len(cuts)), cuts["kept"])
    rows, pieces = np.zeros(n + len(extra.rows), row_t), np.zeros(n + len(extra.pieces), piece_t)
    rows["first"][:n], rows["count"][:n], rows["slot"][:n], rows["holonomic"][:n] = np.arange(n), 1, -1, 1
    pieces["row"][:n], pieces["cut"][:n], pieces["ratio"][:n] = np.arange(n), of, 1.0
    for name in ("iv", "iq", "component"):
        pieces[name][:n] = -1
    for name in ("body_a", "body_b", "link_a", "link_b"):
        pieces[name][:n] = cuts[name][of]
    rows[n:], pieces[n:] = extra.rows, extra.pieces
    rows["first"][n:] += n
    pieces["row"][n:] += n
    return rows, pieces


def all_kinds(cuts: NDArray[np.void], extra: ExtraRows) -> list[tuple[RowKind, NDArray[np.void], int]]:
    """Kinds with their tables, that of the cut joints first, and the numbers from which these count."""
    own = [(registered(Closing), cuts, 0)] if len(cuts) else []
    return own + [(kind, table, int(cuts["kept"].sum())) for kind, table in extra.kinds]
