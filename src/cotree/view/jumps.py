"""Histories of a run with the states before and after each switch inserted, so that jumps are drawn as jumps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.api import energy

if TYPE_CHECKING:
    from cotree.integrate.phases.phase import Switch
    from cotree.integrate.results.run import Run

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Histories:
    """t (k,), q, v and energies [J] at each time; two rows per switch."""

    t: Array
    q: Array
    v: Array
    kinetic: Array
    potential: Array
    lost: Array


def histories(run: Run) -> Histories:
    """Rows of the run, and the states before and after each switch between them."""
    switches, e = run.switches, run.energy
    rows = np.repeat(np.array([_row(run, s) for s in switches], dtype=int), 2)
    states = [state for s in switches for state in ((s.q, s.v_before), (s.q, s.v))]
    found = [energy(run.system, q, v) for q, v in states]

    def inserted(values: Array, own: list[object]) -> Array:
        return values if not own else np.insert(values, rows, np.array(own, dtype=float), axis=0)

    return Histories(
        inserted(run.t, [s.t for s in switches for _ in range(2)]),
        inserted(run.q, [q for q, _ in states]),
        inserted(run.v, [v for _, v in states]),
        inserted(e.kinetic, [x.kinetic for x in found]),
        inserted(e.potential, [x.potential for x in found]),
        inserted(e.lost, _lost(switches)),
    )


def _row(run: Run, switch: Switch) -> int:
    """The first row after a switch."""
    behind = [phase.rows[0] for phase in run.phases if phase.begin >= switch.t]
    return behind[0] if behind else len(run.t)


def _lost(switches: tuple[Switch, ...]) -> list[object]:
    """Energy lost up to each switch, excluding and including it."""
    after = np.cumsum([s.energy_loss for s in switches])
    return [x for s, y in zip(switches, after, strict=True) for x in (y - s.energy_loss, y)]
