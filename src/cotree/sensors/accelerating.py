"""Accelerations, multipliers and values of the forces at many states, in one compiled call.

Where the rank of the constraints is in doubt, or bodies are of very unlike weight, a state is looked at again by
`forward_dynamics`, which decides such cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_rate
from cotree.constraints.contacts.friction import rubbing_of
from cotree.dynamics.law_states import states_now, with_states
from cotree.dynamics.user_forces import evaluated
from cotree.engine.kernel import kernel
from cotree.engine.records import matrix, opener, vector
from cotree.engine.status import USER_FAILED
from cotree.engine.vectors import all_finite, copy, copy_rows
from cotree.formulations import acceleration
from cotree.formulations.acceleration import accelerate
from cotree.formulations.callback import Callback
from cotree.formulations.careful import known_regular
from cotree.formulations.choice import divides_large
from cotree.formulations.contract import FORMULATIONS
from cotree.formulations.forward import UNLIKE, forward_dynamics
from cotree.formulations.loading import enter_loads, loaded_brakes
from cotree.formulations.problem import Problem, problem_t
from cotree.formulations.reactions.constrained import Constrained
from cotree.formulations.rubbing import enter_friction
from cotree.system.system import System

Array = NDArray[np.float64]
problem_at = opener(problem_t)


@dataclass(frozen=True, eq=False)
class Accelerated:
    """By rows: v_dot, multipliers, b with J v = b (what drivers ask for), numbers of the loads and motors, rates of the states
    of laws."""

    v_dot: Array
    multipliers: Array
    rate: Array
    values: Array
    state_rates: Array

    @staticmethod
    def room(system: System, rows: int) -> Accelerated:
        m = system.n_constraints
        sizes = ((system.nv,), (m,), (m,), system.elements.constants.shape, (system.n_states,))
        return Accelerated(*(np.zeros((rows, *size)) for size in sizes))


class Evaluator:
    """The record of a system for states one after the other, with the callback of its functions."""

    def __init__(self, system: System) -> None:
        self.problem = p = Problem(system)
        self.callback = Callback(p)
        self.loading = enter_friction(p) or enter_loads(p)
        if not system.n_constraints:
            p.enter(terms=acceleration.tree)
            return
        chosen = FORMULATIONS["projection"]
        p.enter(terms=chosen.terms, solve=chosen.solve)


@kernel
def _all_rows(here, t, q, v, states, v_dot, lam, rate, values, state_rates, rank, unlike):
    """Fill the rows; the number of those done, fewer where a user function failed."""
    p = problem_at(here)
    for k in range(t.size):
        copy(states[k], vector(p.arrays.z))
        status = accelerate(p, t[k], q[k], v[k], v_dot[k])
        if status == USER_FAILED:
            return k
        copy_rows(matrix(p.arrays.values), values[k])
        power = vector(p.arrays.power)
        for i in range(state_rates.shape[1]):
            state_rates[k, i] = power[2 + i]
        rank[k] = status if all_finite(v_dot[k]) else -1
        if p.rows > 0:
            copy(vector(p.arrays.lam), lam[k])
            copy(vector(p.arrays.b), rate[k])
            unlike[k] = _spread(matrix(p.arrays.M))
    return t.size


@kernel
def _spread(M):
    """Ratio of the largest and the least of the roots of inertias, which the solver has left in the matrix."""
    least, most = np.inf, 0.0
    for j in range(M.shape[0]):
        least, most = min(least, abs(M[j, j])), max(most, abs(M[j, j]))
    return most / least


def accelerated(system: System, t: Array, q: Array, v: Array, states: Array | None = None) -> Accelerated:
    """`Accelerated` at the states (t, q, v), one a row; states: of laws, by default as at the start of a run."""
    if states is None or states.shape != (len(t), system.n_states):
        first = [states_now(system, *row) for row in zip(q, v, t.tolist(), strict=True)] if system.n_states else []
        states = np.array(first).reshape(len(t), system.n_states)
    out, rows = Accelerated.room(system, len(t)), len(t)
    rank, unlike = np.full(rows, -1), np.zeros(rows)
    # friction that `forward_dynamics` does not know
    rubs = bool(rubbing_of(system)) or (bool(system.sliding) and bool(loaded_brakes(system)))
    if rubs or not divides_large(system):
        evaluator: Evaluator = system.cached("evaluator of states", lambda: Evaluator(system))
        done = _all_rows(
            evaluator.problem.here, t, q, v, states, out.v_dot, out.multipliers, out.rate, out.values, out.state_rates,
            rank, unlike,
        )  # fmt: skip
        evaluator.callback.check(failed=done < rows)
        if rubs:
            return out
    for k in np.flatnonzero((rank < system.n_constraints) | (unlike > UNLIKE)):
        if unlike[k] > UNLIKE or not known_regular(system, int(rank[k])):  # the first row makes the others' rank known
            with with_states(states[k]):
                _put_careful(system, out, k, float(t[k]), q[k], v[k])
    return out


def _put_careful(system: System, out: Accelerated, k: Any, t: float, q: Array, v: Array) -> None:
    """Row k by the function that decides doubtful cases."""
    found = forward_dynamics(system, q, v, t=t)
    if isinstance(found, Constrained):
        found.warn_of_infinite_forces()
    out.v_dot[k], out.multipliers[k] = found.v_dot, found.multipliers
    out.values[k], out.state_rates[k] = evaluated(system, q, v, t)
    out.rate[k] = constraint_rate(system, q, t)
