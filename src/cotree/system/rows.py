"""Tables of the constraints beside the joints: drivers, couplings, distances, knife edges, rolling contacts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.errors import AxisError, ConstraintError
from cotree.model.constraints import Closing, Constraint, Coupling, Distance, KnifeEdge, Motion, Rolling, UserRows
from cotree.model.joints import Helical, Universal, axis_frame
from cotree.model.mechanism import Mechanism
from cotree.system.body_frames import Places
from cotree.system.coordinate_terms import period_of, term_row
from cotree.system.links import flat, parts
from cotree.system.regularization import full_rows
from cotree.system.tables import coupling_t, cut_t, distance_t, edge_t, rolling_t, term_t
from cotree.system.views import Rows

Array = NDArray[np.float64]
FLAT = 1e-6  # sine of the angle between a disk's axis and the plane's normal below which the disk lies flat


@dataclass(frozen=True, eq=False)
class OtherRows:
    """Tables; names and kinds of the rows; functions of time, one a slot; rows of the user,
    which come last."""

    tables: Rows
    names: tuple[str, ...]
    holonomic: NDArray[np.bool_]
    motions: tuple[tuple[str, Motion], ...]
    constants: Array  # (slots, 3): value, rate, acceleration; NaN where a function gives them
    user: tuple[UserRows, ...]
    owners: tuple[str, ...]  # constraint of each row


def row_tables(
    mech: Mechanism,
    constraints: Iterable[Constraint],
    place: Places,
    coordinates: Mapping[str, int],
    dofs: NDArray[np.void],
    cuts: Mapping[str, int],
) -> OtherRows:
    """All tables of these constraints; places of the velocity coordinates and of the cut joints by name."""
    build = _Builder(mech, place, coordinates, dofs, cuts)
    ordered = sorted(constraints, key=lambda c: isinstance(c, UserRows))  # stable: the user's order
    for c in ordered:
        build.add(c)
    kinds = (coupling_t, term_t, distance_t, edge_t, rolling_t, cut_t)
    lists = (build.couplings, build.terms, build.distances, build.edges, build.rollings, build.closings)
    tables = Rows(*(np.array(rows, kind) for rows, kind in zip(lists, kinds, strict=True)))
    constants = [[m.value, 0.0, 0.0] if m.constant else [np.nan] * 3 for _, m in build.motions]
    return OtherRows(
        tables, tuple(n for c in ordered for n in _names(c)),
        np.array([h for c in ordered for h in c.holonomic], dtype=np.bool_), tuple(build.motions),
        np.array(constants, dtype=float).reshape(-1, 3), tuple(c for c in ordered if isinstance(c, UserRows)),
        tuple(c.name for c in ordered for _ in range(c.rows)),
    )  # fmt: skip


def _names(c: Constraint) -> list[str]:
    return [c.name] if c.rows == 1 else [f"{c.name}[{k}]" for k in range(c.rows)]


class _Builder:
    """Growing tables."""

    def __init__(
        self,
        mech: Mechanism,
        place: Places,
        coordinates: Mapping[str, int],
        dofs: NDArray[np.void],
        cuts: Mapping[str, int],
    ) -> None:
        self.mech, self.place, self.coordinates, self.dofs, self.cuts = mech, place, coordinates, dofs, cuts
        self.row = 0
        self.motions: list[tuple[str, Motion]] = []
        self.couplings: list[NDArray[np.void]] = []
        self.terms: list[NDArray[np.void]] = []
        self.distances: list[NDArray[np.void]] = []
        self.edges: list[NDArray[np.void]] = []
        self.rollings: list[NDArray[np.void]] = []
        self.closings: list[NDArray[np.void]] = []

    def add(self, c: Constraint) -> None:
        if isinstance(c, Coupling):
            self._coupling(c)
        elif isinstance(c, Distance):
            self._distance(c)
        elif isinstance(c, KnifeEdge):
            self._edge(c)
        elif isinstance(c, Rolling):
            self._rolling(c)
        elif isinstance(c, Closing):
            self._closing(c)
        self.row += c.rows

    def _slot(self, c: Constraint, motion: Motion) -> int:
        self.motions.append((f"{c.word} {c.name!r}", motion))
        return len(self.motions) - 1

    def _coupling(self, c: Coupling) -> None:
        row, who = np.zeros((), coupling_t), f"{c.word} {c.name!r}"
        row["row"], row["slot"], row["first"], row["count"] = (
            self.row,
            self._slot(c, c.motion),
            len(self.terms),
            len(c.terms),
        )
        row["period"] = period_of(c.terms, self.mech, self.cuts, who)
        self.terms += [term_row(t, self.mech, self.coordinates, self.dofs, self.cuts, who) for t in c.terms]
        self.couplings.append(row)

    def _distance(self, c: Distance) -> None:
        row, place = np.zeros((), distance_t), self.place
        a, b = place.point(c.body_a, c.point_a), place.point(c.body_b, c.point_b)
        length = c.length if c.length is not None else Motion(float(np.linalg.norm(b - a)))
        if length.constant and length.value == 0.0:
            raise ConstraintError(
                f"distance {c.name!r}: its points coincide as assembled; give a length, or use ct.Spherical"
            )
        row["row"], row["slot"] = self.row, self._slot(c, length)
        row["link_a"], row["link_b"], row["point_a"], row["point_b"] = (
            place.link(c.body_a),
            place.link(c.body_b),
            a,
            b,
        )
        self.distances.append(row)

    def _edge(self, c: KnifeEdge) -> None:
        row, place = np.zeros((), edge_t), self.place
        row["row"], row["link"] = self.row, place.link(c.body)
        row["point"], row["direction"] = place.point(c.body, c.point), place.direction(c.body, c.direction)
        self.edges.append(row)

    def _rolling(self, c: Rolling) -> None:
        row, place = np.zeros((), rolling_t), self.place
        row["row"], row["link_a"], row["link_b"] = self.row, place.link(c.surface), place.link(c.body)
        row["center"], row["radius"] = place.point(c.body, c.center), c.radius
        row["plane_point"] = place.point(c.surface, c.plane_point)
        normal = place.direction(c.surface, c.plane_normal)
        row["axes"] = axis_frame(np.zeros(3), normal)[:3, :3].T.ravel()
        if c.axis is not None:
            row["is_disk"], row["axis"] = 1, place.direction(c.body, c.axis)
            if np.linalg.norm(np.cross(row["axis"], normal)) < FLAT:
                raise AxisError(
                    f"rolling {c.name!r}: the disk lies flat, its axis is parallel to the plane's normal; tilt body {c.body!r} "
                    "in the reference assembly, or choose another axis"
                )
        self.rollings.append(row)

    def _closing(self, c: Closing) -> None:
        row, place, joint = np.zeros((), cut_t), self.place, c.joint
        row["row"], row["link_a"], row["link_b"] = self.row, place.link(c.body_a), place.link(c.body_b)
        row["frame_a"] = flat(place.frames[place.rows[c.body_a]] @ c.frame_a)
        row["frame_b"] = flat(place.frames[place.rows[c.body_b]] @ c.frame_b)
        row["pitch"] = joint.pitch if isinstance(joint, Helical) else 0.0
        row["translations"] = sum(1 << i for i in parts(joint)[1])
        if isinstance(joint, Universal):
            Z = joint.screws()
            row["universal"], row["axis_a"], row["axis_b"] = 1, Z[:3, 0], Z[:3, 1]
        else:
            row["rotations"] = parts(joint)[0]
        select = full_rows(joint) if c.held is None else np.eye(6)[list(c.held)]
        row["full"] = row["kept"] = len(select)
        padded = np.zeros((6, 6))
        padded[: len(select), : select.shape[1]] = select
        row["select"] = padded.ravel()
        self.closings.append(row)
