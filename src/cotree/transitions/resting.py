"""Of brakes and stops whose joints are at rest: which hold, which give way, and the rows of those that hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_bias, constraint_jacobian
from cotree.dynamics.api import inverse_dynamics, mass_matrix
from cotree.model.constraints import Coupling, Motion
from cotree.model.switches import Brake, Limit
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet, term_of
from cotree.transitions.closing import measured
from cotree.transitions.holding import AT_BOUND, Balance, balance
from cotree.transitions.transition import jump

Array = NDArray[np.float64]
AT_REST = 1e-9  # relative to the fastest rate: a joint slower than this is at rest


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
    fast = AT_REST * max(1.0, float(np.abs(v).max(initial=0.0)))
    brakes = {n: (0 if abs(rates[n]) <= fast else int(np.sign(rates[n]))) for n in topology.brakes}
    brakes.update({n: s for n, s in slips.items() if brakes.get(n) == 0})
    resting = [n for n in watched if n in topology.leaning or brakes[n] == 0]
    current, leaning = brakes, dict(topology.leaning)
    for _ in range(2 + 2 * len(watched)):
        if not resting:
            break
        found = resting_balance(base, replace(topology, brakes=current, leaning=leaning), t, q, v, resting)
        gone = _giving_way(base, found, resting, leaning)
        if not gone:
            break
        current = {**current, **{n: s for n, s in gone.items() if n in current}}
        leaning = {n: s for n, s in leaning.items() if n not in gone}
        resting = [n for n in resting if n not in gone]
    holds = _holds(base, q, resting, found.free if resting else np.zeros(0, dtype=bool))
    topology = replace(topology, brakes=current, leaning=leaning, holds=holds)
    return topology, _stilled(topology.system(base), t, q, v) if holds else v


def rates_of(base: System, topology: ActiveSet, q: Array, v: Array, names: Collection[str]) -> dict[str, float]:
    """Rates of the coordinates of brakes and limits."""
    system = topology.system(base, holds=False, more=gauges(base, names))
    J, owners = constraint_jacobian(system, q), owners_of(system)
    return {n: float(J[owners.index(n)] @ v) for n in names}


def resting_balance(base: System, topology: ActiveSet, t: float, q: Array, v: Array, resting: list[str]) -> Balance:
    """Forces of the rows at rest, with the friction of what slides."""
    system = topology.system(base, holds=False, more=gauges(base, resting))
    owners = owners_of(system)
    J, eta = constraint_jacobian(system, q, t), constraint_bias(system, q, v, t)
    at = [owners.index(n) for n in resting]
    rows = np.delete(np.arange(len(J)), at)
    f = -inverse_dynamics(system, q, v, None, t)
    low, high = np.array([_bounds(base, n, topology.leaning.get(n, 0)) for n in resting]).T
    return balance(mass_matrix(base, q), J[rows], f, eta[rows], J[at], eta[at], low, high)


def _bounds(base: System, name: str, stop: int) -> tuple[float, float]:
    """Of the multiplier: the force along the coordinate is minus it; an upper stop pushes back."""
    device = base.mechanism.devices[name]
    if isinstance(device, Brake):
        return -device.holding, device.holding
    return (0.0, np.inf) if stop > 0 else (-np.inf, 0.0)


def _giving_way(base: System, found: Balance, resting: list[str], leaning: Mapping[str, int]) -> dict[str, int]:
    """Brakes whose force is at its bound, with their direction; stops that do not push, or are left."""
    gone: dict[str, int] = {}
    scale = max(1.0, float(np.abs(found.acceleration).max(initial=0.0)))
    for n, lam, a, free in zip(resting, found.lam, found.acceleration, found.free, strict=True):
        device = base.mechanism.devices[n]
        if not free:  # what moves it is driven: it follows
            if abs(a) > AT_BOUND * scale:
                gone[n] = int(np.sign(a)) if isinstance(device, Brake) else 0
        elif isinstance(device, Brake):
            if abs(lam) >= device.holding * (1.0 - AT_BOUND) and a * np.sign(lam) > AT_BOUND * scale:
                gone[n] = int(np.sign(lam))
        elif lam * leaning[n] <= 0.0:
            gone[n] = 0
    return gone


def _holds(base: System, q: Array, resting: list[str], free: NDArray[np.bool_]) -> dict[str, Coupling]:
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
