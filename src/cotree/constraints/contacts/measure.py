"""Gaps, wrench rows and their rates of all points of contact of a system, whether they touch or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_bias, constraint_jacobian, constraint_residual
from cotree.constraints.contacts.functions import FunctionTouch, function_touch
from cotree.constraints.contacts.pairs import all_points
from cotree.constraints.contacts.touch import FAMILIES, POINT, STATE, Touch
from cotree.engine.entry import NOTHING
from cotree.engine.kernel import kernel
from cotree.engine.records import put_array
from cotree.engine.spans import call_span
from cotree.engine.together import compile_together, job_for
from cotree.kinematics.sweep import move_all
from cotree.lie.storage import vec
from cotree.lie.vec3 import add
from cotree.model.contacts import FunctionContact
from cotree.system.rows import row_tables
from cotree.system.switched import places_of, switched
from cotree.system.system import System
from cotree.system.tables import row_kind_t
from cotree.system.views import open_tables

Array = NDArray[np.float64]


class ContactRows(NamedTuple):
    """Of points k: gap g (k,) [m], its rows W_N (k, nv) and those of slip W_T (k, 2, nv); eta with W v_dot + eta the
    acceleration of gap and slip, eta_N (k,), eta_T (k, 2)."""

    g: Array
    W_N: Array
    W_T: Array
    eta_N: Array
    eta_T: Array


def touches_of(system: System) -> list[Touch]:
    """The points of contact of a system's mechanism."""
    return list(system.cached("touches", lambda: _touches(system)))


def _touches(system: System) -> list[Touch]:
    """Those between shapes, then those by functions, as their rows come."""
    points = all_points(system.mechanism)
    given = [d for d in system.mechanism.devices.values() if isinstance(d, FunctionContact)]
    return [*points, *(function_touch(d, system, len(points) + k) for k, d in enumerate(given))]


def contact_system(system: System, touches: Sequence[Touch] | None = None) -> System:
    """The system with the rows of these points (all by default) in place of its own constraints beside the joints; three rows a
    point, gap first, behind those of the loops. States of one are states of the other, and `system.here` serves kernels."""
    every = touches_of(system) if touches is None else touches
    return switched(system, {touch.name: touch for touch in every})


def contact_rows(
    system: System, q: Array, v: Array, t: float = 0.0, touches: Sequence[Touch] | None = None
) -> ContactRows:
    """Gaps, wrench rows and eta of points of contact at a state."""
    only = (
        system.cached("contact rows", lambda: contact_system(system))
        if touches is None
        else contact_system(system, touches)
    )
    k = len(only.constraints)
    first = only.n_constraints - 3 * k
    g = constraint_residual(only, q, t)[first:].reshape(k, 3)
    W = constraint_jacobian(only, q, t)[first:].reshape(k, 3, only.nv)
    eta = -constraint_bias(only, q, v, t)[first:].reshape(k, 3)
    return ContactRows(g[:, 0], W[:, 0], W[:, 1:], eta[:, 0], eta[:, 1:])


class PointTable:
    """Points of contact as kernels measure them: `kinds` (row_kind_t, whose `gaps` are the spans `states`) with the tables
    behind it, kept alive here, and `out`, STATE numbers a point: gap, its rate, slip (2), normal, point, first
    tangent, and how far the closest points are inside of what touches there (INSIDE)."""

    def __init__(self, system: System, touches: Sequence[Touch]) -> None:
        numbered = [replace(touch, index=k) for k, touch in enumerate(touches)]
        rows = row_tables(system.mechanism, numbered, places_of(system), {}, system.dofs, {})
        self.tables = rows.kinds
        self.by_functions = [touch for touch in numbered if isinstance(touch, FunctionTouch)]
        self.kinds = np.zeros(len(self.tables), row_kind_t)
        self.out = np.zeros((len(numbered), STATE))
        compile_together([job_for(FAMILIES[kind.of].states) for kind, _ in self.tables])
        for row, (kind, table) in zip(self.kinds, self.tables, strict=True):
            row["gaps"] = FAMILIES[kind.of].states.address
            put_array(row["table"], table)

    def measure(self, system: System, q: Array, v: Array, t: float = 0.0) -> Array:
        """(k, STATE) at a state, a copy, points in the world; contacts by functions have neither normals nor points."""
        _measure(system.here, self.kinds, q, v, self.out.ravel())
        for touch in self.by_functions:
            self.out[touch.index] = touch.measured(system, q, v, t)
        return self.out.copy()


@kernel
def put_points(kinds, here, out):
    """Measure points by the links of a system, which are placed and have moved; points are about the sweep's origin."""
    for k in range(kinds.size):
        x = kinds[k]
        call_span(x.gaps, here, x.table, 0, 0, x.table.n, NOTHING, NOTHING, out)


@kernel
def _measure(here, kinds, q, v, out):
    tables = open_tables(here)
    origin = add(move_all(tables, q, v), vec(tables.world[0].origin))
    put_points(kinds, here, out)
    for k in range(0, out.size, STATE):
        for i in range(3):
            out[k + POINT + i] += origin[i]
