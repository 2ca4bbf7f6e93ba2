"""Of brakes and stops whose joints are at rest: which hold, which give way, and the rows of those that hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_bias, constraint_jacobian
from cotree.dynamics.api import mass_matrix, tree_forces
from cotree.errors import SwitchError
from cotree.judge import NEGLIGIBLE, slowest
from cotree.model.constraints import Coupling, Motion
from cotree.model.switches import Brake, Limit
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet, term_of
from cotree.transitions.closing import measured
from cotree.transitions.holding import Balance, balance
from cotree.transitions.loads import Loads
from cotree.transitions.transition import jump

Array = NDArray[np.float64]
Sizes = dict[str, float]  # of frictions, by name
ITERATIONS, SAME = 200, 1e-13  # for friction that grows with the load; relative change


def gauges(base: System, names: Collection[str]) -> dict[str, Coupling]:
    """Rows that read the coordinates of brakes and limits, under their names."""
    devices = base.mechanism.devices
    return {n: Coupling(n, (term_of(devices[n]),), Motion(0.0), "limit") for n in names}  # type: ignore[arg-type]


def owners_of(system: System) -> list[str]:
    return [""] * (system.n_constraints - len(system.extra_rows.owners)) + list(system.extra_rows.owners)


def at_rest(
    base: System, topology: ActiveSet, t: float, q: Array, v: Array, slips: Mapping[str, int]
) -> tuple[ActiveSet, Array]:
    """Brakes slide as their joints turn; of the brakes and stops that are at rest it is decided which hold."""
    watched = [*topology.brakes, *topology.leaning]
    if not watched:
        return replace(topology, holds={}), v
    rates = rates_of(base, topology, q, v, watched)
    fast = slowest(v)
    brakes = {n: (0 if abs(rates[n]) <= fast else int(np.sign(rates[n]))) for n in topology.brakes}
    brakes.update({n: s for n, s in slips.items() if brakes.get(n) == 0})
    resting = [n for n in watched if n in topology.leaning or brakes[n] == 0]
    current, leaning = brakes, dict(topology.leaning)
    for _ in range(2 + 2 * len(watched)):
        if not resting:
            break
        found, most = resting_balance(base, replace(topology, brakes=current, leaning=leaning), t, q, v, resting)
        gone = _giving_way(base, found, resting, leaning, most)
        if not gone:
            break
        current = {**current, **{n: s for n, s in gone.items() if n in current}}
        leaning = {n: s for n, s in leaning.items() if n not in gone}
        resting = [n for n in resting if n not in gone]
    holds = holds_of(base, q, resting, found.free if resting else np.zeros(0, dtype=bool))
    topology = replace(topology, brakes=current, leaning=leaning, holds=holds)
    return topology, _stilled(topology.system(base), t, q, v) if holds else v


def rates_of(base: System, topology: ActiveSet, q: Array, v: Array, names: Collection[str]) -> dict[str, float]:
    """Rates of the coordinates of brakes and limits."""
    system = topology.system(base, holds=False, more=gauges(base, names))
    J, owners = constraint_jacobian(system, q), owners_of(system)
    return {n: float(J[owners.index(n)] @ v) for n in names}


def resting_balance(
    base: System, topology: ActiveSet, t: float, q: Array, v: Array, resting: list[str]
) -> tuple[Balance, dict[str, float]]:
    """Forces of the rows at rest, with the friction of what slides, and the most that each brake at rest can hold.

    Friction that grows with the load: the forces give loads, and these the friction and the bounds of the forces, until
    nothing changes; by secants, since plain repetition need not come to an end.
    """
    system = topology.system(base, holds=False, more=gauges(base, resting))
    owners, loads = owners_of(system), Loads(system)
    J, eta = constraint_jacobian(system, q, t), constraint_bias(system, q, v, t)
    at = [owners.index(n) for n in resting]
    rows, M = np.delete(np.arange(len(J)), at), mass_matrix(base, q)
    sizes: Sizes = {b.name: b.torque for b in loads.brakes}
    last: tuple[Sizes, Sizes] | None = None
    for _ in range(ITERATIONS):
        most = _most(base, resting, sizes)
        f = -tree_forces(loads.rubbing(sizes), q, v, None, t)
        low, high = np.array([_bounds(most.get(n), topology.leaning.get(n, 0)) for n in resting]).T
        found = balance(M, J[rows], f, eta[rows], J[at], eta[at], low, high)
        if not loads.brakes:
            return found, most
        lam = np.empty(len(J))
        lam[rows], lam[at] = found.mu, found.lam
        new = loads.sizes(t, q, v, found.v_dot, lam, sizes)
        if max(abs(new[n] - sizes[n]) for n in new) <= SAME * max(new.values()):
            return found, _most(base, resting, new)
        last, sizes = (sizes, new), _ahead(sizes, new, last)
    names = ", ".join(repr(b.name) for b in loads.brakes)
    raise SwitchError(
        f"at t = {t:.6g} s the friction {names} grows with the load, and no forces at rest are in balance with it: the joint "
        f"jams; give a smaller coefficient, radius or thrust_radius, or a longer span"
    )


def _ahead(x: Sizes, y: Sizes, last: tuple[Sizes, Sizes] | None) -> Sizes:
    """Where the secant through the last two pairs (x, y) of each friction meets y = x (Wegstein); y where it tells nothing."""
    out = {}
    for n in x:
        dx = x[n] - last[0][n] if last else 0.0
        slope = (y[n] - last[1][n]) / dx if last and dx else 0.0
        out[n] = max(0.0, (y[n] - slope * x[n]) / (1.0 - slope)) if -1e3 < slope < 0.999 else y[n]
    return out


def _most(base: System, resting: list[str], sizes: Mapping[str, float]) -> dict[str, float]:
    """The most that the brakes at rest can hold; sizes: friction under the present load, of those that grow with it."""
    found = {n: base.mechanism.devices[n] for n in resting}
    return {n: d.static_ratio * sizes.get(n, d.torque) for n, d in found.items() if isinstance(d, Brake)}


def _bounds(most: float | None, stop: int) -> tuple[float, float]:
    """Of the multiplier: the force along the coordinate is minus it; an upper stop pushes back. most: of a brake."""
    if most is not None:
        return -max(most, 1e-300), max(most, 1e-300)  # bounds must be apart
    return (0.0, np.inf) if stop > 0 else (-np.inf, 0.0)


def _giving_way(
    base: System, found: Balance, resting: list[str], leaning: Mapping[str, int], most: Mapping[str, float]
) -> dict[str, int]:
    """Brakes whose force is at its bound, with their direction; stops that do not push, or are left."""
    gone: dict[str, int] = {}
    scale = max(1.0, float(np.abs(found.acceleration).max(initial=0.0)))
    for n, lam, a, free in zip(resting, found.lam, found.acceleration, found.free, strict=True):
        device = base.mechanism.devices[n]
        if not free:  # what moves it is driven: it follows
            if abs(a) > NEGLIGIBLE * scale:
                gone[n] = int(np.sign(a)) if isinstance(device, Brake) else 0
        elif isinstance(device, Brake):
            if abs(lam) >= most[n] * (1.0 - NEGLIGIBLE) and a * np.sign(lam) > NEGLIGIBLE * scale:
                gone[n] = int(np.sign(lam))
        elif lam * leaning[n] <= 0.0:
            gone[n] = 0
    return gone


def holds_of(base: System, q: Array, resting: list[str], free: NDArray[np.bool_]) -> dict[str, Coupling]:
    """Rows of what holds; those that others determine anyway are left out."""
    devices = base.mechanism.devices
    out: dict[str, Coupling] = {}
    for n, own in zip(resting, free, strict=True):
        device = devices[n]
        if own and isinstance(device, (Brake, Limit)):
            at = Motion(measured(base, q, device.joint, device.coordinate))
            out[n] = Coupling(n, (term_of(device),), at, device.word)
    return out


def _stilled(system: System, t: float, q: Array, v: Array) -> Array:
    """v with what has come to rest at rest."""
    return jump(system, system, q, v, (), t=t).v
