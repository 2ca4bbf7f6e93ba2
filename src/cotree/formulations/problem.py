"""One system with everything that its evaluation needs: a record of numbers, arrays and entries.

`Problem` keeps the arrays alive on the Python side; kernels take the record, open arrays by name and call entries. User
functions are called through one Python callback, which writes into the same arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import holonomic_rows
from cotree.constraints.units import length_of
from cotree.engine.entry import NOTHING, Entry, call, header_t
from cotree.engine.kernel import kernel
from cotree.engine.records import (
    address_of,
    addresses,
    array_places,
    arrays,
    at_t,
    integers,
    matrix,
    put_words,
    record_with_words,
    vector,
)
from cotree.engine.status import USER_FAILED
from cotree.engine.vectors import copy, copy_rows, product, times, transposed_times
from cotree.errors import CopyError
from cotree.system.law_layout import start_values
from cotree.system.system import System

Array = NDArray[np.float64]

# How rows are judged, and what the solvers note of them
judgement_t = np.dtype(
    [
        ("length", "f8"),  # of the system
        ("baumgarte", "f8"),  # rate of Baumgarte's terms, 0 without them
        ("floor", "f8"),  # least tolerance of the rank
        ("smallest", "f8"),  # size of the least direction kept, and of the next one, relative to the largest
        ("dropped", "f8"),
        ("dependent_rows", "?"),
        ("certified", "i8"),  # rank at the last closed state, -1 before the first
        ("narrowest", "f8"),  # least of the least directions since it was last set, and the largest at any closed state
        ("widest", "f8"),
        ("careful", "?"),  # stages are projected
        ("check", "?"),  # the next evaluation looks for inertia lost in rounding
        ("spread", "f8"),  # how much larger rounding errors are than where all bodies are of like weight
    ],
    align=True,
)
problem_t = np.dtype(
    [
        *((name, header_t[name]) for name in header_t.names or ()),
        ("rows", "i8"),  # of the constraints
        ("n_events", "i8"),  # functions of events and watches
        ("asks", "i8"),  # what the callback may be asked for, bits ASK_*
        ("n_sampled", "i8"),  # sampled laws, and switching functions of laws
        ("n_switches", "i8"),
        ("n_instants", "i8"),  # those of sampled laws, and that at which a law over time has its next kink
        ("since", "f8"),  # instants between which laws over time are smooth
        ("until", "f8"),
        ("system", at_t),  # the system's record, by address
        ("division", at_t),  # the division's, 0 without one
        ("loading", at_t),  # that of friction which grows with the load, 0 without such
        ("near", judgement_t),
        ("entries", addresses("callback", "laws", "over_time", "terms", "positions", "solve", "loaded")),
        (
            "arrays",
            arrays(
                "values", "motions", "q_in", "v_in", "M", "J", "g", "b", "eta", "f", "lam", "power", "zero", "dependent",
                "holonomic", "events", "direction", "held", "combine", "z", "sampled", "instants", "switches", "signs",
                "marks", "answer", "time_parts", "time_pieces",
            ),
        ),
    ],
    align=True,
)  # fmt: skip

OF_PROBLEMS = problem_t["entries"].names or ()

# What the callback may be asked for
ASK_VALUES, ASK_MOTIONS, ASK_ROWS, ASK_BIAS, ASK_EVENTS = 1, 2, 4, 8, 16
ASK_ALL_LAWS = 32  # also for the values that compiled laws could not give

ASK_SAMPLES, ASK_SWITCHES = 64, 128  # what sampled laws give at the instants that have come; switching functions

ANSWERED = 1  # what compiled laws return, and what the callback leaves in `answer` at its end


class Terms(NamedTuple):
    """M v_dot + J^T lam = f, J v_dot = eta; residual g, and b with J v = b."""

    M: Any
    J: Any
    f: Any
    eta: Any
    g: Any
    b: Any
    lam: Any


@kernel
def terms_of(p):
    """The arrays of the equations of motion."""
    a = p.arrays
    return Terms(matrix(a.M), matrix(a.J), vector(a.f), vector(a.eta), vector(a.g), vector(a.b), vector(a.lam))


@kernel
def power_of(p):
    """(supplied, dissipated) at the last evaluation, then the rates of the states of laws."""
    return vector(p.arrays.power)


@kernel
def put_held(p):
    """What sampled laws hold, as the values of their forces."""
    values, z, sampled = matrix(p.arrays.values), vector(p.arrays.z), integers(p.arrays.sampled)
    for k in range(p.n_sampled):
        row, first, size = sampled[3 * k], sampled[3 * k + 1], sampled[3 * k + 2]
        for i in range(size):
            values[row, i] = z[first + i]


@kernel
def ask(p, what, t, q, v):
    """Let the user's functions write their part for this state; 0 or USER_FAILED."""
    wanted = p.asks & what
    if p.n_sampled > 0 and what & ASK_VALUES:
        put_held(p)
    if what & (ASK_VALUES | ASK_MOTIONS) and p.entries.over_time != 0:
        call(p.entries.over_time, p.here, t, NOTHING, NOTHING, NOTHING)
    if what & ASK_VALUES and p.entries.laws != 0 and call(p.entries.laws, p.here, t, q, v, NOTHING) != ANSWERED:
        wanted |= ASK_VALUES | ASK_ALL_LAWS
    if wanted == 0:
        return 0
    copy(q, vector(p.arrays.q_in))
    copy(v, vector(p.arrays.v_in))
    answer = integers(p.arrays.answer)
    answer[0] = 0
    call(
        p.entries.callback, wanted, t, NOTHING, NOTHING, NOTHING
    )  # what it returns when it is interrupted is undefined
    return 0 if answer[0] == ANSWERED else USER_FAILED


@kernel
def keep_still(p, x):
    """Coordinates that a lock holds do not move, not even by rounding errors."""
    held = integers(p.arrays.held)
    for k in range(held.size):
        x[held[k]] = 0.0


@kernel
def weigh_rows(p):
    """Rows and right-hand side in the combinations that the solvers shall judge them by, see `scaling.combinations`."""
    if p.arrays.combine.n == 0:
        return
    e, T = terms_of(p), matrix(p.arrays.combine)
    copy_rows(product(T, e.J), e.J)
    copy(times(T, e.eta), e.eta)


@kernel
def unweigh(p, lam):
    """Multipliers of the rows as they were."""
    if p.arrays.combine.n != 0:
        copy(transposed_times(matrix(p.arrays.combine), lam), lam)


def held_coordinates(system: System) -> NDArray[np.int64]:
    """Places in v of the tree's coordinates that locks hold where they are."""
    found: list[int] = []
    for c in system.constraints.values():
        if c.holds and c.terms[0].joint not in system.cut_joints:
            found.append(system.velocity_index(c.terms[0].name))
        elif c.locks:
            for link in system.joint_links.get(c.locks, ()):
                found += range(int(system.links[link]["iv"]), int(system.links[link]["iv"] + system.links[link]["nv"]))
    return np.array(sorted(set(found)), dtype=np.int64)


class Memory(NamedTuple):
    """The record of a problem, and its arrays by name, each with a copy of what was in it."""

    record: bytes
    arrays: dict[str, tuple[NDArray[Any], NDArray[Any]]]


class Problem:
    """The record for a system, and the arrays behind it by name."""

    record_t: np.dtype[np.void] = problem_t

    def __init__(self, system: System, dense: bool = True) -> None:
        """dense: with room for the mass matrix and the Jacobian, which not all formulations need."""
        n, m = system.nv, system.n_constraints
        self.system = system
        self.record, self._words = record_with_words(self.record_t)
        self._places = array_places(self.record_t)
        self.problem = p = self.record.problem if "problem" in (self.record_t.names or ()) else self.record
        self.near = p.near
        self.kept: dict[str, NDArray[Any]] = {}
        self.here = address_of(self.record)  # for kernels that are called often: passing the record is slow
        p.here, p.nq, p.nv, p.rows, p.system = self.here, system.nq, n, m, system.here
        p.since, p.until = -np.inf, np.inf
        self.owner = system.own  # whose record that is
        self.values = self.hold("values", system.elements.constants.copy())
        self.motions = self.hold("motions", system.extra_rows.constants.copy())
        self.q, self.v = self.hold("q_in", np.zeros(system.nq)), self.hold("v_in", np.zeros(n))
        if dense:
            self.M, self.J = self.hold("M", np.zeros((n, n))), self.hold("J", np.zeros((m, n)))
        self.g, self.b = self.hold("g", np.zeros(m)), self.hold("b", np.zeros(m))
        self.eta, self.f = self.hold("eta", np.zeros(m)), self.hold("f", np.zeros(n))
        self.lam, self.power = self.hold("lam", np.zeros(m)), self.hold("power", np.zeros(2 + system.n_states))
        self.z = self.hold("z", start_values(system.law_places))
        self.zero = self.hold("zero", np.zeros(max(n, m)))
        if not dense:
            self.hold("direction", np.cos(1.0 + np.arange(m)) / np.sqrt(max(m, 1)))
        self.dependent = self.hold("dependent", np.zeros(n, dtype=np.int64))
        self.holonomic = self.hold("holonomic", holonomic_rows(system).astype(np.int64))
        self.hold("held", held_coordinates(system))
        self.near.length, self.near.certified, self.near.check, self.near.spread = length_of(system), -1, True, 1.0

    def __reduce__(self) -> NoReturn:
        raise CopyError("the working memory of a run contains addresses and cannot be copied; copy the Run")

    def hold(self, name: str, array: NDArray[Any]) -> Any:
        """Keep an array and let kernels find it by its name."""
        self.kept[name] = array
        put_words(self._words, self._places[name], array)
        return array

    def memory(self) -> Memory:
        """All that it holds, as it is now."""
        return Memory(bytes(self._words), {name: (array, array.copy()) for name, array in self.kept.items()})

    def restore(self, memory: Memory) -> None:
        """Let everything be as it was."""
        self._words.cast("B")[:] = memory.record
        for name, (array, before) in memory.arrays.items():
            np.copyto(array, before)
            self.kept[name] = array

    def enter(self, **given: Entry) -> None:
        """Compile entries, or load them from the cache, and let kernels call them by these names."""
        for name, entry in given.items():
            entries = self.problem.entries if name in OF_PROBLEMS else self.record.entries
            entries[name] = entry.address
