"""What becomes of contacts at a switch: those that hit push and rub, then it is decided what opens, sticks and slips."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.units import length_of
from cotree.errors import SwitchError
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet, Slip
from cotree.transitions.contacts.deciding import Decided, decide
from cotree.transitions.contacts.hitting import Hit, hit, rested
from cotree.transitions.contacts.instant import Instant
from cotree.transitions.resting import holds_of
from cotree.transitions.transition import jump

Array = NDArray[np.float64]
CLOSE = 1e-12  # of the system's length: gaps that are closed
ALMOST = 1e-6  # and of points whose bounces have ended
INSIDE = 1e-6  # deeper than this no motion can begin
SLOW = 1e-10  # relative to the fastest velocity: rates of gaps that are at rest
LEAVES = 1e-7  # the same: gaps that open more slowly do not rise above their rounding before they fall back


@dataclass(frozen=True, eq=False)
class News:
    """What watches of points of contact show: slips: directions of those at the limit of sticking; lifted: those that would
    have to pull; ended: those whose bounces have come to an end."""

    slips: Mapping[str, Slip] = field(default_factory=dict)
    lifted: frozenset[str] = frozenset()
    ended: frozenset[str] = frozenset()


NO_NEWS = News()


def touch(
    base: System, topology: ActiveSet, t: float, q: Array, v: Array, gives_way: Mapping[str, int], news: News
) -> tuple[ActiveSet, Array, Hit, tuple[str, ...]]:
    """(topology, velocities, impact, points in doubt) after an instant, from a topology in which no point is closed."""
    at = Instant(base, topology, t, q, v)
    length, rest = length_of(base), rate_at_rest(v)
    not_inside(at, length)
    ended = [k for k, x in enumerate(at.touches) if x.name in news.ended and at.rows.g[k] <= ALMOST * length]
    near = [k for k, g in enumerate(at.rows.g) if g <= CLOSE * length]
    struck = hit(at, near, rest, news.ended)
    if ended:
        struck = replace(struck, v=rested(replace(at, v=struck.v), ended))
    after, leaves = replace(at, v=struck.v), rest * LEAVES / SLOW
    rates = after.rows.W_N @ after.v
    closing = [k for k in sorted({*near, *ended}) if rates[k] <= leaves and at.touches[k].name not in news.lifted]
    decided = decide(after, closing, news.slips, gives_way)
    return _in_force(after, decided), _stilled(after, decided), struck, decided.doubts


def _in_force(at: Instant, decided: Decided) -> ActiveSet:
    """The topology with the rows of brakes and stops that hold."""
    free = np.array([decided.free[n] for n in decided.resting], dtype=bool)
    holds = holds_of(at.base, at.q, list(decided.resting), free)
    return replace(decided.topology, holds=holds, shared=frozenset(decided.undetermined))


def _stilled(at: Instant, decided: Decided) -> Array:
    """Velocities that what is closed and holds leaves, which differ by rounding."""
    system = _in_force(at, decided).system(at.base)
    return jump(system, system, at.q, at.v, (), t=at.t).v


def rate_at_rest(v: Array) -> float:
    """Gaps that close more slowly are at rest."""
    return SLOW * max(1.0, float(np.abs(v).max(initial=0.0)))


def not_inside(at: Instant, length: float, contacts: Collection[str] | None = None) -> None:
    """Raise where bodies overlap; contacts: only those, all by default."""
    for x, g in zip(at.touches, at.rows.g, strict=True):
        if g < -INSIDE * length and (contacts is None or x.contact in contacts):
            raise SwitchError(
                f"contact {x.name!r}: {x.body_a!r} and {x.body_b!r} overlap by {-g:.3g} m at t = {at.t:.6g} s; start them "
                "apart, or touching"
            )


def contact_words(base: System, before: ActiveSet, after: ActiveSet, struck: Hit) -> tuple[tuple[str, str], ...]:
    """What each contact does now that did something else."""
    from cotree.constraints.contacts.measure import touches_of

    every = touches_of(base)
    hits = {every[k].contact for k in struck.points}
    out = []
    for name in dict.fromkeys(x.contact for x in every):
        own = [x.name for x in every if x.contact == name]
        was, now = _state(before, own), _state(after, own)
        if name in hits:
            out.append((name, f"hits and {now}" if now else "rebounds"))
        elif now != was:
            out.append((name, now or "opens"))
        elif _turned(before, after, own):
            out.append((name, "slips the other way"))
        elif _others(before, own) != _others(after, own):
            out.append((name, f"{now} at other points" if now else "opens"))
    return tuple(out)


def _turned(before: ActiveSet, after: ActiveSet, points: list[str]) -> bool:
    """Whether a point slips against its direction before."""
    both = [(before.touching.get(n), after.touching.get(n)) for n in points]
    return any(np.dot(d, e) < 0.0 for d, e in both if d is not None and e is not None)


def _others(topology: ActiveSet, points: list[str]) -> dict[str, bool]:
    return {n: topology.touching[n] is None for n in points if n in topology.touching}


def _state(topology: ActiveSet, points: list[str]) -> str:
    """Of a contact by its points, in words; empty where it is open."""
    slips = [topology.touching[n] for n in points if n in topology.touching]
    if not slips:
        return ""
    return "sticks" if None in slips else "slips" if any(any(d) for d in slips if d) else "touches"
