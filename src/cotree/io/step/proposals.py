"""Proposed joints: what a shaft in a hole or a ball in a socket most likely is, with the reason in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cotree._shown import Shown
from cotree.errors import UnknownNameError
from cotree.io.step.matching import Match
from cotree.io.step.plain import Touch, Vector
from cotree.model.naming import nearest

HEAD = ("no.", "name", "kind", "between", "point [m]", "axis", "radius [m]", "reason")
END_ON = 1e-5  # 1 - cosine of the angle between a plane's normal and the axis that it blocks


@dataclass(frozen=True)
class Proposal:
    """A joint that the geometry suggests; `numbers`: its own, then those of others about the same axis that welds made one."""

    numbers: tuple[int, ...]
    name: str
    kind: str  # "revolute", "cylindrical", "spherical"
    bodies: tuple[str, str]  # the solids, or what they are welded to
    point: Vector
    axis: Vector
    radius: float
    reason: str

    @property
    def number(self) -> int:
        return self.numbers[0]

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        point, axis = (f"({', '.join(f'{x:.5g}' for x in v)})" for v in (self.point, self.axis))
        between = " and ".join(self.bodies)
        return (str(self.number), self.name, self.kind, between, point, axis, f"{self.radius:.5g}", self.reason)


class Proposals(Shown):
    """The table of proposals: by number or by name, printed one a line."""

    def __init__(self, rows: list[Proposal], inside: list[int | str] | None = None) -> None:
        self.rows = rows
        self.inside = inside or []  # numbers and names of those between solids that are now one body

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Proposal]:
        return iter(self.rows)

    def __getitem__(self, key: int | str) -> Proposal:
        for row in self.rows:
            if key == row.name or (not isinstance(key, bool) and key in row.numbers):
                return row
        if key in self.inside:
            raise UnknownNameError(
                f"the proposed joint {key!r} is between solids that are welded to each other; leave it out"
            )
        known = [name for row in self.rows for name in (row.name, *map(str, row.numbers))]
        raise UnknownNameError(f"there is no proposed joint {key!r}{nearest(key, known)}")

    def __repr__(self) -> str:
        if not self.rows:
            return "no joints proposed: no two solids share a cylinder or a sphere"
        table = [HEAD, *(row.cells() for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)


def proposed(
    matches: list[Match], names: list[str], touches: list[Touch], body_of: list[str], tolerance: float
) -> Proposals:
    """Proposals between bodies; names: of the joints, one a match; body_of: what each solid is a part of."""
    inside: list[int | str] = []
    kept: list[tuple[list[int], Match, tuple[str, str]]] = []
    for number, match in enumerate(matches):
        a, b = (body_of[k] for k in match.pair)
        if a == b:
            inside += [number, names[number]]
            continue
        for numbers, other, bodies in kept:
            if {a, b} == set(bodies) and match.coaxial(other, tolerance):
                numbers.append(number)
                break
        else:
            kept.append(([number], match, (a, b)))
    rows = []
    for numbers, match, bodies in kept:
        kind, why = _judged(match, bodies, touches, body_of)
        inner, outer = bodies if match.inner == match.pair[0] else bodies[::-1]
        size = f"{match.radius * 1e3:.4g} mm"
        if match.round == "sphere":
            words = f"ball of {inner!r} in a socket of {outer!r}, radius {size}"
        else:
            words = f"shaft of {inner!r} in a hole of {outer!r}, radius {size}, over {match.length * 1e3:.4g} mm; {why}"
        axes = sum(set(other[2]) == set(bodies) for other in kept)
        words += f"; they share {axes} axes; if they are fixed to each other, weld them" if axes > 1 else ""
        rows.append(
            Proposal(tuple(numbers), names[numbers[0]], kind, bodies, match.point, match.axis, match.radius, words)
        )
    return Proposals(rows, inside)


def _judged(match: Match, bodies: tuple[str, str], touches: list[Touch], body_of: list[str]) -> tuple[str, str]:
    """Kind of joint, and what holds it along its axis."""
    if match.round == "sphere":
        return "spherical", ""
    ends = _blocked(np.array(match.axis), bodies, touches, body_of)
    if len(ends) == 2:
        return "revolute", "plane faces touch at both ends and block sliding"
    return "cylindrical", "plane faces touch at one end only" if ends else "nothing blocks sliding along the axis"


def _blocked(axis: Any, bodies: tuple[str, str], touches: list[Touch], body_of: list[str]) -> set[float]:
    """Senses (+1, -1) along the axis in which the first body cannot slide against the second."""
    found = set()
    for touch in touches:
        a, b = body_of[touch.first], body_of[touch.second]
        along = float(axis @ touch.normal)
        if {a, b} == set(bodies) and abs(along) > 1.0 - END_ON:
            found.add(float(np.sign(along)) * (1.0 if a == bodies[0] else -1.0))
    return found
