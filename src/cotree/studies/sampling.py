"""Small motions of a mechanism whose laws are sampled: linear equations from one instant to the next.

Between instants the mechanism moves by dx/dt = A x + H h + B u with what the laws hold, h; at an instant a law reads the state
and gives h = K x + L s and its next states s' = M x + N s. Over a period, in which each law has its instants, departures
(x, s) just before the first instant become those just before the next: products of matrix exponentials and of these jumps,
exact but for the law's own derivatives, which are differences. Laws of several periods have the least common multiple of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.laws import Law, laws_of
from cotree.errors import StudyError
from cotree.judge import OF_A_PERIOD
from cotree.kinematics.coordinates import displace
from cotree.studies.law_states import LawStates, slopes
from cotree.system.system import System

Array = NDArray[np.float64]
FINEST = 1000  # parts of one period by which another one may be told
MOST = 10_000  # instants in a common period


def sampled_laws(system: System) -> list[Law]:
    return [law for law in laws_of(system) if law.place.held]


@dataclass(frozen=True, eq=False)
class Schedule:
    """period [s] after which all laws have had their instants; instants: (time since the first, numbers of the laws)."""

    period: float
    instants: tuple[tuple[float, tuple[int, ...]], ...]


def schedule(laws: list[Law]) -> Schedule:
    """Instants of all laws in their common period, which begins with one of the slowest law."""
    told = [law.user.law for law in laws]
    given = [(float(x.period), float(x.offset)) for x in told if x is not None and x.period is not None]
    slowest, begin = max(given)
    ratios = [Fraction(p / slowest).limit_denominator(FINEST) for p, _ in given]
    if any(abs(float(r) * slowest - p) > OF_A_PERIOD * p for r, (p, _) in zip(ratios, given, strict=True)):
        raise StudyError(
            f"linearize: the periods {', '.join(f'{p:g} s' for p, _ in given)} of the sampled laws have no common multiple "
            "that is near; give them periods that have, or linearize with one of the laws"
        )
    common = lcm(*(r.numerator for r in ratios)) / gcd(*(r.denominator for r in ratios))
    times = list[tuple[float, int]]()
    for k, (r, (p, offset)) in enumerate(zip(ratios, given, strict=True)):
        count, first = round(common / float(r)), (offset - begin) % p
        first = 0.0 if p - first < OF_A_PERIOD * p else first
        if len(times) + count > MOST:
            raise StudyError(f"linearize: the sampled laws have more than {MOST} instants in their common period")
        times += [(first + i * p, k) for i in range(count)]
    instants = list[tuple[float, tuple[int, ...]]]()
    for time, k in sorted(times):
        if instants and time - instants[-1][0] <= OF_A_PERIOD * slowest:
            instants[-1] = (instants[-1][0], (*instants[-1][1], k))
        else:
            instants.append((time, (k,)))
    return Schedule(float(common) * slowest, tuple(instants))


@dataclass(frozen=True, eq=False)
class Sampled:
    """The sampled laws at a state: z, with what they give there and states before the instant; next_states after it. held,
    states: their places in z, by law."""

    system: System
    laws: tuple[Law, ...]
    z: Array
    next_states: Array
    held: tuple[NDArray[np.intp], ...]
    states: tuple[NDArray[np.intp], ...]

    @property
    def left(self) -> float:
        """By how much their states change at an instant."""
        places = np.concatenate([*self.states, np.zeros(0, np.intp)])
        return float(np.abs(self.next_states - self.z[places]).max(initial=0.0))

    @property
    def all_held(self) -> LawStates:
        """What they hold, as numbers that forces depend on."""
        places = np.concatenate([*self.held, np.zeros(0, np.intp)])
        return LawStates(self.system, self.z, places, tuple(self.system.state_names[i] for i in places))

    def jump(self, k: int, q: Array, v: Array, t: float, of_q: Array, of_v: Array) -> tuple[Array, Array]:
        """How what law k holds and its next states (together the rows) change along displacements, and by its states."""
        own = np.concatenate([self.held[k], self.states[k]])

        def given(x: Array, s: Array) -> Array:
            z = self.z.copy()
            z[self.states[k]] += s
            self.laws[k].sample(z, t, displace(self.system, q, of_q @ x), v + of_v @ x, {"z": z})
            return z[own]

        still, none = np.zeros(of_q.shape[1]), np.zeros(len(self.states[k]))
        return slopes(lambda x: given(x, none), len(still)), slopes(lambda s: given(still, s), len(none))


def sampled_at(system: System, z: Array, q: Array, v: Array, t: float) -> Sampled:
    """Let all sampled laws have an instant; z: states before it."""
    laws, z = tuple(sampled_laws(system)), z.copy()
    held = tuple(np.arange(law.place.first, law.place.state) for law in laws)
    states = tuple(np.arange(law.place.state, law.place.sign) for law in laws)
    after = z.copy()
    for law, places in zip(laws, held, strict=True):
        law.sample(after, t, q, v, {"z": after})
        z[places] = after[places]
    everywhere = np.concatenate([*states, np.zeros(0, np.intp)])
    return Sampled(system, laws, z, after[everywhere], held, states)


@dataclass(frozen=True, eq=False)
class Discrete:
    """x[k + 1] = A x[k] + B u[k] just before instants `period` apart; kept: names of what follows the states of the motion."""

    period: float
    A: Array
    B: Array
    kept: tuple[str, ...]


def over_a_period(
    sampled: Sampled, q: Array, v: Array, t: float, A: Array, H: Array, B: Array, of_q: Array, of_v: Array
) -> Discrete:
    """The linear map over a common period; inputs u are held during it. A, H, B: of the motion in between."""
    from scipy.linalg import expm

    plan, n, inputs = schedule(list(sampled.laws)), len(A), B.shape[1]
    held, states = [np.concatenate([*x, np.zeros(0, np.intp)]) for x in (sampled.held, sampled.states)]
    h, s = len(held), len(states)
    jumps = [sampled.jump(k, q, v, t, of_q, of_v) for k in range(len(sampled.laws))]
    flow = np.zeros((n + h + inputs,) * 2)
    flow[:n] = np.hstack([A, H, B])
    where = np.r_[0 : n + h, n + h + s : n + h + s + inputs]  # motion and what is held, then inputs behind the states
    total = np.eye(n + h + s + inputs)
    ends = [time for time, _ in plan.instants[1:]] + [plan.period]
    for (begin, given), end in zip(plan.instants, ends, strict=True):
        jump = np.eye(len(total))
        for k in given:
            by_motion, by_states = jumps[k]
            own_states = n + h + np.searchsorted(states, sampled.states[k])
            rows = np.concatenate([n + np.searchsorted(held, sampled.held[k]), own_states])
            jump[rows] = 0.0
            jump[rows, :n] = by_motion
            jump[np.ix_(rows, own_states)] = by_states
        moved = np.eye(len(total))
        moved[np.ix_(where, where)] = expm(flow * (end - begin))
        total = moved @ jump @ total
    fresh = np.concatenate([sampled.held[k] for k in plan.instants[0][1]])
    keep = np.r_[0:n, n + np.flatnonzero(~np.isin(held, fresh)), n + h : n + h + s].astype(int)
    names = [sampled.system.state_names[i] for i in np.concatenate([held, states])]
    kept = tuple(names[i - n] for i in keep[n:])
    return Discrete(plan.period, total[np.ix_(keep, keep)], total[keep][:, n + h + s :], kept)
