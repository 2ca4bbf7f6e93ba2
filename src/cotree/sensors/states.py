"""The states that sensors read: rows of time, coordinates and velocities, in blocks of one system each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.kernel import kernel
from cotree.engine.vectors import copy
from cotree.errors import StudyError
from cotree.kinematics.sweep import accelerate_links, move_all
from cotree.lie.storage import put_vec, vec
from cotree.lie.vec3 import add
from cotree.sensors.accelerating import Accelerated, accelerated
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinkMotion:
    """Of one link, by rows: displacement C (k, 12), spatial twist V (k, 6) and its rate A, about the points `origin` (k, 3)."""

    C: Array
    V: Array
    A: Array
    origin: Array


@dataclass(frozen=True, eq=False)
class Block:
    """Rows of one system, which switches may have made of another."""

    system: System
    t: Array
    q: Array
    v: Array
    states: Array | None = None  # of laws; None: as at the start of a run
    exact: Any = None  # what gives forces with their derivatives, where they are asked for (`varied_forces`)

    @cached_property
    def accelerated(self) -> Accelerated:
        return accelerated(self.system, self.t, self.q, self.v, self.states)


class SteppedBlock(Block):
    """Rows of a run that stepped through contacts: its forces are impulses over steps, not functions of the state."""

    @cached_property
    def accelerated(self) -> Accelerated:
        raise StudyError(
            f"accelerations, reactions and forces of elements of {self.system.name!r} are not known at instants: steps go "
            "through its contacts, brakes or limits with impulses; use run.contact(name), or ct.simulate with contact='events'"
        )


@kernel
def _link_rows(here, link, q, v, v_dot, C, V, A, origins):
    """Displacement, twist and its rate of one link at each row."""
    tables = open_tables(here)
    for k in range(q.shape[0]):
        shift = move_all(tables, q[k], v[k])
        accelerate_links(tables, v_dot[k])
        w = tables.work[link]
        copy(w.C, C[k])
        copy(w.V, V[k])
        copy(w.a, A[k])
        put_vec(origins[k], add(shift, vec(tables.world[0].origin)))


def link_motion(blocks: tuple[Block, ...], link: int, with_acceleration: bool) -> LinkMotion:
    """Motion of a link over all blocks; without accelerations A is that for v_dot = 0."""
    rows = sum(len(b.t) for b in blocks)
    out, first = LinkMotion(*(np.empty((rows, n)) for n in (12, 6, 6, 3))), 0
    for b in blocks:
        part = slice(first, first + len(b.t))
        v_dot = b.accelerated.v_dot if with_acceleration else np.zeros_like(b.v)
        _link_rows(b.system.here, link, b.q, b.v, v_dot, out.C[part], out.V[part], out.A[part], out.origin[part])
        first = part.stop
    return out
