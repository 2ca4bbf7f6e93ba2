"""How forces and constraint rows change with parameters, the state held."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.all_rows import put_rates, put_wrenches
from cotree.derivatives.constraints import jets_of
from cotree.derivatives.parameters.directions import Directions
from cotree.derivatives.parameters.fields import put_parameter_changes
from cotree.derivatives.tree import accelerate_all
from cotree.dynamics.user_forces import element_values
from cotree.engine.kernel import kernel
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]
NO_OWNERS, NO_ADDRESSES = np.zeros((0, 3), np.int64), np.zeros(0, np.int64)


class ParameterChanges(NamedTuple):
    """Columns by parameter, for q, v, v_dot and lam held: force (nv, P) of ID + J^T lam; acceleration, velocity, gap
    (rows, P) of J v_dot - eta, of J v - b and of the residual g."""

    force: Array
    acceleration: Array
    velocity: Array
    gap: Array


@kernel
def _changes(here, values, q, v, v_dot, lam, owners, addresses, d, out):
    tables = open_tables(here)
    accelerate_all(tables, q, v, v_dot)
    put_wrenches(here)
    put_rates(here)
    put_parameter_changes(here, tables, values, q, v, v_dot, lam, owners, addresses, d, out)


def parameter_changes(
    system: System, q: Array, v: Array, v_dot: Array, lam: Array, t: float, d: Directions
) -> ParameterChanges:
    """All of them for a state, an acceleration and multipliers of all rows."""
    n, m, count = system.nv, len(lam), len(d.moves)
    owners, addresses = jets_of(system) if m else (None, None)
    if addresses is None:  # a tree, or user-defined rows, with which no link is displaced
        owners, addresses = NO_OWNERS, NO_ADDRESSES
    out = np.zeros((n + 3 * m, count))
    _changes(system.here, element_values(system, q, v, t), q, v, v_dot, lam, owners, addresses, d, out)
    return ParameterChanges(out[:n], out[n : n + m], out[n + m : n + 2 * m], out[n + 2 * m :])
