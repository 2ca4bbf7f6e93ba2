"""Work between the rows of a run: powers at Gauss points of each interval.

States between the rows are those of the quintic that agrees with positions, velocities and accelerations at both ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.engine.kernel import kernel
from cotree.kinematics.interpolation import between
from cotree.sensors.states import Block
from cotree.system.views import open_tables

Array = NDArray[np.float64]
Power = Callable[[Block], Array]
NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)
NODES, WEIGHTS = 0.5 * (1.0 + NODES), 0.5 * WEIGHTS


@dataclass(frozen=True, eq=False)
class Stretch:
    """A time without switches: its states in a block, of which `rows` are rows of the run (the others are its ends)."""

    block: Block
    rows: slice


@kernel
def _inner_rows(here, nodes, t, q, v, v_dot, times, q_out, v_out):
    tables = open_tables(here)
    m = nodes.size
    for k in range(t.size - 1):
        h = t[k + 1] - t[k]
        for i in range(m):
            row = k * m + i
            times[row] = t[k] + nodes[i] * h
            start, end = (q[k], v[k], v_dot[k]), (q[k + 1], v[k + 1], v_dot[k + 1])
            between(tables, start, end, h, nodes[i], q_out[row], v_out[row])


def inner_states(block: Block, every: int = 1) -> tuple[Array, Block]:
    """(lengths of the intervals, their Gauss points); every: take only one in so many of the states, and the last."""
    taken = np.unique([*range(0, len(block.t), every), len(block.t) - 1])
    t, q, v = (np.ascontiguousarray(x[taken]) for x in (block.t, block.q, block.v))
    v_dot = np.ascontiguousarray(block.accelerated.v_dot[taken])
    rows = (len(t) - 1) * len(NODES)
    out = np.empty(rows), np.empty((rows, q.shape[1])), np.empty((rows, v.shape[1]))
    _inner_rows(block.system.here, NODES, t, q, v, v_dot, *out)
    return np.diff(t), Block(block.system, *out, _inner_law_states(block, taken))


def _inner_law_states(block: Block, taken: Array) -> Array | None:
    """States of laws at the Gauss points: the cubic through values and rates at both ends; what is held stays that of the row
    before."""
    if block.states is None or not block.system.n_states:
        return None
    h = np.diff(block.t[taken])[:, None, None]
    z, d = block.states[taken], block.accelerated.state_rates[taken]
    (a, b), (da, db) = (z[:-1, None], z[1:, None]), (h * d[:-1, None], h * d[1:, None])
    x = NODES[None, :, None]
    cubic = a + x * (da + x * (3.0 * (b - a) - 2.0 * da - db + x * (2.0 * (a - b) + da + db)))
    varies = np.zeros(z.shape[1], dtype=bool)
    for place in block.system.law_places:
        varies[place.state : place.sign] = not place.held
    found: Array = np.where(varies, cubic, a)
    return np.ascontiguousarray(found.reshape(-1, z.shape[1]))


def work_between(stretches: tuple[Stretch, ...], inner: list[tuple[Array, Block]], power: Power, rows: int) -> Array:
    """(rows,): integral of the power from the first row on; inner: `inner_states` of the stretches."""
    out, total, at = np.zeros(rows), 0.0, 0
    for stretch, (h, points) in zip(stretches, inner, strict=True):
        pieces = h * (power(points).reshape(-1, len(NODES)) @ WEIGHTS) if len(h) else np.zeros(0)
        grown = total + np.concatenate([[0.0], np.cumsum(pieces)])
        own = grown[stretch.rows]
        out[at : at + len(own)], total = own, float(grown[-1])
        at += len(own)
    return out


def work_in_all(stretches: tuple[Stretch, ...], power: Power, every: int) -> float:
    """The same to the end of the last stretch, with one in so many of the states."""
    total = 0.0
    for stretch in stretches:
        h, points = inner_states(stretch.block, every)
        if len(h):
            total += float(h @ (power(points).reshape(-1, len(NODES)) @ WEIGHTS))
    return total
