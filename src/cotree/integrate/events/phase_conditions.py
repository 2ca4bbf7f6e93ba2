"""What to watch in a phase: rates of brakes that slide, forces of those that hold, stops that are free and those leant on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_bias, constraint_jacobian
from cotree.constraints.rank import reported, unit_rows
from cotree.dynamics.api import mass_matrix, tree_forces
from cotree.errors import SwitchError
from cotree.formulations.loading import loaded_brakes
from cotree.integrate.driver import Driver
from cotree.integrate.events.conditions import COORDINATE, HOLDING, PUSHING, RATE, Watch
from cotree.integrate.events.event import Event
from cotree.judge import CLOSED, SATISFIED
from cotree.model.switches import Brake, Limit
from cotree.system.coordinate_terms import winds
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet, place_of
from cotree.transitions.closing import measured
from cotree.transitions.holding import needed
from cotree.transitions.resting import rates_of, resting_balance

Array = NDArray[np.float64]
PATIENCE = 1e-6  # relative: by so much more, and twice as much each time, a brake holds that gives way again and again
SHARED = "brakes that share a load"


def watches_of(
    base: System, topology: ActiveSet, system: System, q: Array, gave_way: Mapping[str, tuple[float, int]], shared: bool,
    last: Mapping[str, float],
) -> tuple[Watch, ...]:  # fmt: skip
    """Watches of a phase; shared: brakes that hold are looked after together; last: where limited joints were last."""
    found: list[Watch] = []
    devices, rows = base.mechanism.devices, _rows(system)
    for name, direction in topology.brakes.items():
        brake = devices[name]
        assert isinstance(brake, Brake)
        if direction != 0:
            found.append(Watch(name, RATE, **_place(base, topology, brake), sign=float(direction)))
        elif name in topology.holds and not shared:
            more = 1.0 + PATIENCE * 2.0 ** gave_way[name][1] if gave_way.get(name, (0.0, 0))[1] > 0 else 1.0
            loaded = [b.name for b in loaded_brakes(system)]
            load = loaded.index(name) if name in loaded else -1
            value = brake.holding if load < 0 else brake.static_ratio
            found.append(Watch(name, HOLDING, row=rows[name], load=load, value=value * more))
    for name in sorted(topology.limits):
        limit = devices[name]
        assert isinstance(limit, Limit)
        if name in topology.leaning:
            if name in topology.holds:
                found.append(Watch(name, PUSHING, row=rows[name], sign=float(topology.leaning[name]), value=1.0))
            continue
        here, place = counted(base, q, limit, last), _place(base, topology, limit)
        for sign, stop in ((-1.0, limit.upper), (1.0, limit.lower)):
            if np.isfinite(stop):
                found.append(Watch(name, COORDINATE, **place, sign=sign, value=stop, start=here))
    return tuple(found)


def _rows(system: System) -> dict[str, int]:
    first = system.n_constraints - len(system.extra_rows.owners)
    return {name: first + k for k, name in enumerate(system.extra_rows.owners)}


def _place(base: System, topology: ActiveSet, device: Brake | Limit) -> dict[str, Any]:
    return place_of(base, device, topology.dropped)._asdict()


def counted(base: System, q: Array, limit: Limit, last: Mapping[str, float]) -> float:
    """Value of a limited coordinate; turns across a cut joint are counted on from where it was last."""
    here, joint = measured(base, q, limit.joint, limit.coordinate), base.mechanism.joints[limit.joint].joint
    if limit.joint in base.cut_joints and limit.name in last and winds(joint, limit.coordinate):
        here += 2.0 * np.pi * np.round((last[limit.name] - here) / (2.0 * np.pi))
    return here


def last_values(driver: Driver, t: float, row: bool = False) -> dict[str, float]:
    """Values of the limited coordinates, turns counted, at about the time t in or at the end of the last step of a phase, or
    about its last row."""
    seen, first = driver.callback, len(driver.callback.events)
    back = float(driver.state.clock.t_now) - t
    values = seen.at_row if row else seen.before - back * seen.slopes_before
    found = zip(driver.watches, values[first:], strict=True)
    return {w.name: w.value + w.sign * float(x) for w, x in found if w.kind == COORDINATE}


def stops_reached(
    base: System, topology: ActiveSet, q: Array, v: Array, last: Mapping[str, float] | None = None
) -> dict[str, int]:
    """Limits that are at a stop and do not move away from it, with the stop; last: where limited joints were last."""
    found: dict[str, int] = {}
    free = [n for n in sorted(topology.limits) if n not in topology.leaning]
    for name in free:
        limit = base.mechanism.devices[name]
        assert isinstance(limit, Limit)
        here = counted(base, q, limit, last or {})
        over = max(limit.lower - here, here - limit.upper)
        if over > SATISFIED:
            raise SwitchError(
                f"limit {name!r}: joint {limit.joint!r} is at {here:.6g}, beyond its stop; start it between "
                f"{limit.lower:g} and {limit.upper:g}"
            )
        side = 1 if here - limit.upper > limit.lower - here else -1
        if over >= -CLOSED and side * rates_of(base, topology, q, v, [name])[name] >= 0.0:
            found[name] = side
    return found


def slipping(driver: Driver, watch: Watch, t: float, q: Array, v: Array) -> int:
    """Direction in which a brake gives way: it rubs against the force that it could not hold."""
    driver.look(t, q, v)
    return 1 if driver.state.lam[watch.row] > 0.0 else -1


def shared_holding(base: System, topology: ActiveSet, system: System, t: float, q: Array) -> Event | None:
    """Where brakes that hold depend on each other their forces are not unique: an event when together they hold no more."""
    names = [n for n in topology.holds if n in topology.brakes]
    if len(names) < 2 or not _dependent(base, topology, t, q):
        return None
    loaded = [b.name for b in loaded_brakes(base) if b.name in names]
    if loaded:
        raise SwitchError(
            f"friction {loaded[0]!r} grows with the load, and {', '.join(repr(n) for n in names)} hold the same motion "
            f"together at t = {t:.6g} s, so that it is not determined what each of them carries; leave one of them out"
        )
    most = np.array([base.mechanism.devices[n].holding for n in names])  # type: ignore[union-attr]
    rows = _rows(system)
    at = [rows[n] for n in names]

    def left(t: float, q: Array, v: Array) -> float:
        J, eta = constraint_jacobian(system, q, t), constraint_bias(system, q, v, t)
        rest = np.delete(np.arange(len(J)), at)
        f = -tree_forces(system, q, v, None, t)
        return 1.0 - needed(mass_matrix(system, q), J[rest], f, eta[rest], J[at], eta[at], most)

    return Event(left, SHARED, terminal=True, direction=-1)


def _dependent(base: System, topology: ActiveSet, t: float, q: Array) -> bool:
    """Whether the rows that hold depend on each other, given all others."""
    J = constraint_jacobian(topology.system(base), q, t)
    rest = constraint_jacobian(topology.system(base, holds=False), q, t)
    return _rank(J) - _rank(rest) < len(topology.holds)


def _rank(J: Array) -> int:
    return reported(np.linalg.svd(unit_rows(J), compute_uv=False), gap=0.0) if J.size else 0


def slipping_together(base: System, topology: ActiveSet, t: float, q: Array, v: Array) -> dict[str, int]:
    """Brakes that share a load give way together, each against the force on it."""
    names = [n for n in topology.holds if n in topology.brakes]
    lam = resting_balance(base, topology, t, q, v, names)[0].lam
    return {n: 1 if x > 0.0 else -1 for n, x in zip(names, lam, strict=True)}
