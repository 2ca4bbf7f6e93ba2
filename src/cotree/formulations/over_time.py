"""Laws over time in a run: evaluated in compiled code from the numbers of their parts, before the sweep.

A law is smooth between two instants at which a derivative of some law jumps. Steps end at these, and during a step all laws are
those of the piece in which it lies, also at its ends: a method then sees smooth forces and keeps its order.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.laws import laws_of
from cotree.engine.entry import entry
from cotree.engine.kernel import kernel
from cotree.engine.records import matrix, rows_of
from cotree.formulations.problem import problem_t
from cotree.model.time_laws import TimeLaw, laws_in
from cotree.model.time_parts import Part, Wave
from cotree.system.system import System

Array = NDArray[np.float64]
AT_ONCE = 2e-12  # relative: of times that differ by no more either may be the instant at which a piece ends
time_part_t = np.dtype(
    [
        ("motion", "i8"),  # 1: of a drive, with its derivatives; 0: a number of a force
        ("row", "i8"),
        ("component", "i8"),
        ("first", "i8"),  # pieces
        ("count", "i8"),  # 0: a wave
        ("period", "f8"),
        ("rise", "f8"),
        ("amplitude", "f8"),
        ("omega", "f8"),
        ("phase", "f8"),
    ],
    align=True,
)
time_parts = rows_of(time_part_t)


@kernel
def part_at(f, pieces, t, since, until):
    """(value, rate, acceleration) of a part at t, of the piece that it has between two instants."""
    if f.count == 0:
        s = f.omega * t + f.phase
        x = f.amplitude * np.sin(s)
        return x, f.amplitude * f.omega * np.cos(s), -f.omega * f.omega * x
    close = AT_ONCE * max(1.0, abs(t))
    inside = min(max(t, since + close), until - close)
    whole = np.floor((inside - pieces[f.first, 0]) / f.period) if f.period > 0.0 else 0.0
    k = piece_at(pieces, f.first, f.first + f.count, inside - whole * f.period)
    d, x, v, a = t - whole * f.period - pieces[k, 0], 0.0, 0.0, 0.0
    for i in range(pieces.shape[1] - 1, 0, -1):
        x, v, a = x * d + pieces[k, i], v * d + x, a * d + 2.0 * v
    return x + whole * f.rise, v, a


@kernel
def piece_at(pieces, low, high, u):
    """The last piece that begins at u or before it, of those from low to high - 1; the first where there is none."""
    while high - low > 1:
        middle = (low + high) // 2
        if pieces[middle, 0] <= u:
            low = middle
        else:
            high = middle
    return low


@kernel
def put_parts(parts, pieces, t, since, until, values, motions):
    """Write the numbers of all laws over time at t."""
    for k in range(parts.size):
        f = parts[k]
        if f.motion:
            motions[f.row, 0] = motions[f.row, 1] = motions[f.row, 2] = 0.0
        else:
            values[f.row, f.component] = 0.0
    for k in range(parts.size):
        f = parts[k]
        x, v, a = part_at(f, pieces, t, since, until)
        if f.motion:
            motions[f.row, 0] += x
            motions[f.row, 1] += v
            motions[f.row, 2] += a
        else:
            values[f.row, f.component] += x


@entry(problem_t)
def over_time(p, t, q, v, w):
    """The numbers of forces and drives that are laws over time."""
    a = p.arrays
    put_parts(time_parts(a.time_parts), matrix(a.time_pieces), t, p.since, p.until, matrix(a.values), matrix(a.motions))
    return 0


class TimeLaws(NamedTuple):
    """Tables of the laws of a system, and all laws whose kinks steps end at, those of targets included."""

    parts: NDArray[np.void]
    pieces: Array
    kinked: tuple[TimeLaw, ...]

    def around(self, t: float) -> tuple[float, float]:
        """The last kink at a time, or just after it, or before, and the next one."""
        now = t + 0.5 * AT_ONCE * max(1.0, abs(t))
        both = [law.kinks_around(now) for law in self.kinked]
        return max((x for x, _ in both), default=-math.inf), min((x for _, x in both), default=math.inf)


def time_laws(system: System) -> TimeLaws:
    """Made once."""
    made: TimeLaws = system.cached("laws over time", lambda: _make(system))
    return made


def _make(system: System) -> TimeLaws:
    users = [law.user for law in laws_of(system)]
    given = [
        ((0, row, i), law) for row, user in system.elements.functions for i, law in enumerate(laws_in(user.function))
    ]
    motions = enumerate(motion.value for _, motion in system.extra_rows.motions)
    given += [((1, row, 0), value) for row, value in motions if isinstance(value, TimeLaw)]
    every = [(where, part) for where, law in given for part in law.parts]
    width = max((part.coefficients.shape[1] for _, part in every if not isinstance(part, Wave)), default=0)
    table, pieces = np.zeros(len(every), time_part_t), [np.zeros((0, 1 + width))]
    for row, (where, part) in zip(table, every, strict=True):
        row["motion"], row["row"], row["component"] = where
        row["first"] = sum(map(len, pieces))
        pieces += _put_part(row, part, width)
    laws = dict.fromkeys((*(law for _, law in given), *(law for user in users for law in user.time_laws)))
    kinked = tuple(law for law in laws if any(part.kinks for part in law.parts))
    return TimeLaws(table, np.concatenate(pieces), kinked)


def _put_part(row: Any, part: Part, width: int) -> list[Array]:
    """Write the record of a part; its rows of pieces."""
    if isinstance(part, Wave):
        row["amplitude"], row["omega"], row["phase"] = part.amplitude, part.omega, part.phase
        return []
    row["count"], row["period"], row["rise"] = len(part.starts), part.period, part.rise
    own = np.zeros((len(part.starts), 1 + width))
    own[:, 0], own[:, 1 : 1 + part.coefficients.shape[1]] = part.starts, part.coefficients
    return [own]
