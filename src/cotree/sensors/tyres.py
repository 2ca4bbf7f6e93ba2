"""Forces and slips of tyres at many states, in one compiled call."""

from __future__ import annotations

import numpy as np

from cotree.dynamics.forces.tyre import contact, slips, tread
from cotree.engine.kernel import kernel
from cotree.kinematics.sweep import move_all
from cotree.model.force_elements import Tyre
from cotree.sensors.states import Array, Block
from cotree.system.force_kinds import registered
from cotree.system.views import open_tables


@kernel
def _tyre_rows(here, x, q, v, out):
    """(forces along, across and normal, aligning moment, slip, slip angle, deflection) of a tyre."""
    tables = open_tables(here)
    for k in range(q.shape[0]):
        move_all(tables, q[k], v[k])
        p = contact(x[0], tables.work)
        f, (sx, _) = tread(x[0], p), slips(x[0], p)
        out[k, 0], out[k, 1], out[k, 2], out[k, 3] = f.x, f.y, f.z, f.moment
        out[k, 4], out[k, 5] = -sx, np.arctan2(p.across, abs(p.along)) if p.across != 0.0 or p.along != 0.0 else 0.0
        out[k, 6] = max(0.0, p.depth)


def tyre_rows(block: Block, name: str) -> Array:
    """(T, 7), see `_tyre_rows`."""
    if block.exact is not None:
        return block.exact.rows_of(tyre_rows, name)
    system, out = block.system, np.empty((len(block.t), 7))
    own = [f.name for f in system.mechanism.elements.values() if isinstance(f, Tyre)]
    table = next(table for kind, table in system.elements.kinds if kind is registered(Tyre))
    k = own.index(name)
    _tyre_rows(system.here, np.ascontiguousarray(table[k : k + 1]), block.q, block.v, out)
    return out
