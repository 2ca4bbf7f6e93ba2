"""Energies of a state with their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotree.derivatives.energies import energy_derivatives
from cotree.dynamics.api import energy
from cotree.dynamics.curves import value
from cotree.dynamics.elements import joint_stretch
from cotree.engine.kernel import kernel
from cotree.kinematics.sweep import place_all
from cotree.sensors.varied_bodies import moving_bodies
from cotree.system.views import open_tables


@kernel
def _put_elastic(here, k, q, out):
    """Of a force along a coordinate: how far its spring is stretched, and the derivative of its energy by that."""
    tables = open_tables(here)
    place_all(tables, q)
    f = tables.elements.joint_forces[k]
    stretch = joint_stretch(f, tables.elements.cuts, tables.work, q)
    out[0], out[1] = stretch, f.stiffness * stretch
    if f.elastic.n > 0:
        out[1] += value(f.elastic, stretch)


def varied_energies(forces: Any) -> Any:
    """(1, 2): along the state those of `energy_derivatives`, by parameters sums over bodies and springs."""
    x = forces.state
    now, by_state, n = energy(x.system, x.q, x.v), energy_derivatives(x.system, x.q, x.v), x.system.nv
    found = x.constant([[now.kinetic, now.potential]])
    found.slopes[:n, 0, 0], found.slopes[n : 2 * n, 0, 0] = by_state.kinetic_dq, by_state.kinetic_dv
    found.slopes[:n, 0, 1] = by_state.potential_dq
    b, P = moving_bodies(x, x.still), slice(x.first, None)
    kinetic = 0.5 * np.sum(b.mass * np.sum(b.velocity * b.velocity, axis=1))
    kinetic = kinetic + 0.5 * np.einsum("ki,kij,kj->", b.spin, b.tensor, b.spin)
    lifted = -np.sum(b.mass[:, None] * (b.centre + x.still.origin), axis=0) @ x.gravity
    found.slopes[P, 0, 0] = kinetic.slopes[P] + 0.5 * x.d.rotors @ x.v**2
    found.slopes[P, 0, 1] = lifted.slopes[P]
    for k in range(len(x.system.elements.springs)):
        found.slopes[P, 0, 1] += forces.spring_energy(k).slopes[P]
    for k, f in enumerate(x.system.elements.joint_forces):
        (stretch, slope), d = _elastic(x, k), x.d.forces[:, k]
        found.slopes[P, 0, 1] += 0.5 * d[:, 0] * stretch**2 - slope * d[:, 1]
        if f["cut"] >= 0:
            found.slopes[P, 0, 1] += slope * forces.across(int(f["cut"]), int(f["component"]))[0][P]
    return found


def _elastic(x: Any, k: int) -> tuple[float, float]:
    out = np.zeros(2)
    _put_elastic(x.system.here, k, x.q, out)
    return float(out[0]), float(out[1])
