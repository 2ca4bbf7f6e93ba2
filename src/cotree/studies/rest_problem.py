"""What is in force when a mechanism rests: constraints and locks at a time, what is held, stops and brakes with their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.named_coordinates import held_values
from cotree.integrate.phases.schedule import applied, at_start, check_devices, first_topology
from cotree.model.switches import Brake, Limit
from cotree.studies.leaning import Stop, leant
from cotree.studies.relaxation import Settled
from cotree.studies.statics import Rest
from cotree.system.switched import switched
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet
from cotree.transitions.engaging import shifted
from cotree.transitions.resting import gauges, owners_of

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RestProblem:
    """base: as compiled; rest: the system in force, with rows that read the coordinates of stops and brakes; fixed: names of
    what is held; brakes: row and largest torque of each brake that holds; topology: what is switched on."""

    base: System
    rest: Rest
    stops: dict[str, Stop]
    brakes: dict[str, tuple[int, float]]
    fixed: tuple[str, ...]
    topology: ActiveSet

    def in_force(self, rest: Rest, q: Array) -> System:
        """The system with stops that q is at and brakes that hold as constraints where they are, without the others."""
        owners, touched = owners_of(rest.system), leant(rest, self.stops, q).shut
        at = {owners[row]: value for row, value in touched.items()}
        idle = {owners[row] for row in rest.open} - set(at)
        own = {n: shifted(c, at.get(n, 0.0)) for n, c in rest.system.constraints.items() if n not in idle}
        return switched(rest.system, own)

    def holding(self, lam: Array, of_columns: Array) -> dict[str, float]:
        """Force that holds each coordinate in `fixed`, from the multipliers of rows and of held columns."""
        owners, out = owners_of(self.rest.system), dict[str, float]()
        for r, owner in enumerate(owners):
            if owner.startswith("value of ") and owner[9:] in self.fixed:
                out[owner[9:]] = -float(lam[r])
        out.update({self.base.v_names[c]: -float(x) for c, x in zip(self.rest.columns, of_columns, strict=True)})
        return out


def rest_problem(base: System, q: Array, fixed: Sequence[str], t: float) -> RestProblem:
    """The problem at a start q, all brakes holding there."""
    topology = first_topology(base)
    if base.mechanism.devices or base.mechanism.actions:
        check_devices(base)
        topology = applied(base, topology, t, q, at_start(base, t)).topology
    return _made(base, topology, q, fixed, t)


def _made(base: System, topology: ActiveSet, q: Array, fixed: Sequence[str], t: float) -> RestProblem:
    devices: dict[str, Any] = dict(base.mechanism.devices)
    limits = [n for n in topology.limits if isinstance(devices[n], Limit)]
    holding = [n for n, side in topology.brakes.items() if side == 0]
    plain = not (limits or topology.brakes or topology.closed or topology.off or topology.dropped)
    system = base if plain else topology.system(base, holds=False, more=gauges(base, [*sorted(limits), *holding]))
    held = held_values(system, q, fixed)
    owners = owners_of(held.system)
    stops = {n: Stop(owners.index(n), devices[n].lower, devices[n].upper) for n in sorted(limits)}
    brakes = {n: (owners.index(n), devices[n].holding) for n in holding if isinstance(devices[n], Brake)}
    rows = frozenset([s.row for s in stops.values()] + [row for row, _ in brakes.values()])
    rest = Rest(held.system, t, tuple(held.columns), rows, {})
    at = replace(rest, open=frozenset()).gap(q)
    rest = replace(rest, shut={row: float(at[row]) for row, _ in brakes.values()})
    return RestProblem(base, rest, stops, brakes, tuple(fixed), topology)


def sliding(problem: RestProblem, settled: Settled) -> RestProblem | None:
    """The problem in which the brake that is overloaded most slides; None where all hold."""
    place = {int(r): i for i, r in enumerate(settled.rest.rows)}
    over = {n: float(settled.statics.lam[place[row]]) / most for n, (row, most) in problem.brakes.items()}
    name = max(over, key=lambda n: abs(over[n]), default=None)
    if name is None or abs(over[name]) <= 1.0 + 1e-9:
        return None
    topology = replace(problem.topology, brakes={**problem.topology.brakes, name: int(np.sign(over[name]))})
    return _made(problem.base, topology, settled.statics.q, problem.fixed, settled.rest.t)
