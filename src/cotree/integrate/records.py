"""What a run in the making is: its clock, options, counts, states and slopes, by name, the same in Python and in kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cotree.engine.kernel import kernel
from cotree.engine.records import addresses, arrays, at_t, integers, matrix, opener, vector
from cotree.formulations.problem import problem_t

clock_t = np.dtype(
    [
        ("t_older", "f8"),  # of the state before last, the last and the present one
        ("t_old", "f8"),
        ("t_now", "f8"),
        ("h_next", "f8"),
        ("row", "i8"),  # of the output, to be written next
        ("t_jump", "f8"),  # the next instant of a sampled law, or kink of a law over time
        ("pending", "?"),  # signs of switching functions are to be changed at the present state
        ("t_flip", "f8"),  # when a switching function changed its sign last
    ],
    align=True,
)
options_t = np.dtype(
    [
        ("rtol", "f8"),
        ("atol", "f8"),
        ("atol_least", "f8"),  # where coordinates have their own
        ("h_max", "f8"),
        ("t_end", "f8"),
        ("order", "f8"),  # of the local error
        ("radius", "f8"),  # spectral radius of generalized-alpha
        ("turn", "f8"),  # radians that a coordinate may turn in a step
        ("spacing", "f8"),  # longest time between looks at events
        ("above", "f8"),  # constraint errors up to this are left as they are
        ("adaptive", "?"),
        ("stabilize", "?"),  # steps end with a projection
        ("arrive", "?"),  # steps end at the times of the output
        ("watch", "?"),  # stages are projected next to singular configurations, and no step ends there
        ("weigh_work", "?"),  # errors of the work limit the step
        ("seldom", "?"),  # changes of the step are costly
        ("vectorial", "?"),  # some quaternions are integrated as plain numbers
    ],
    align=True,
)
counts_t = np.dtype(
    [
        ("steps", "i8"),
        ("rejected", "i8"),
        ("evaluations", "i8"),
        ("rank_older", "i8"),  # of the three states, the largest of all and the least
        ("rank_old", "i8"),
        ("rank_now", "i8"),
        ("rank_most", "i8"),
        ("rank_least", "i8"),
        ("corrected", "i8"),  # states brought back to the constraints, and those left since their errors are tolerated
        ("tolerated", "i8"),
        ("partitions", "i8"),  # how often the partition has changed
        ("narrowed", "i8"),  # what the last step has to do with singular configurations, see `passages.narrowed`
        ("since", "i8"),  # steps since their size was changed last
        ("restarted", "?"),  # forces have jumped at the present state: methods with a memory begin anew
        ("flips", "i8"),  # changes of sign of switching functions, all and those of one instant
        ("flips_at_once", "i8"),
        ("moved", "i8"),  # tries of a step with another size next to a singular configuration
    ],
    align=True,
)
correction_t = np.dtype(
    [
        ("position", "f8"),  # totals, times the steps
        ("velocity", "f8"),
        ("weight", "f8"),  # of the next one
    ],
    align=True,
)
jump_t = np.dtype(
    [
        ("status", "i8"),  # of the step that was tried, and the corrections up to it
        ("position", "f8"),
        ("velocity", "f8"),
        ("where", "i8"),  # in it a switching function of a law changes its sign, see `loop.located`
        ("size", "f8"),  # of the step up to there
    ],
    align=True,
)
run_t = np.dtype(
    [
        ("problem", problem_t),  # first: entries of formulations take the same address
        ("clock", clock_t),
        ("options", options_t),
        ("counts", counts_t),
        ("correction", correction_t),
        ("jump", jump_t),
        ("least", "f8", (3, 2)),  # least direction kept and the next one, of the three states
        ("stages", "i8"),
        ("n_watches", "i8"),
        ("contacts", at_t),  # what stepping through contacts is given, by address; 0 without
        (
            "entries",
            addresses(
                "step", "errors", "equations", "project", "correct", "tangent", "look", "chart", "jump", "locate", "events",
            ),
        ),
        (
            "arrays",
            arrays(
                "older", "old", "now", "trial", "tableau", "weights", "nodes", "error", "kq", "kv", "kx", "kw", "psi", "err",
                "wanted", "memory", "partition", "newton", "swaps", "watches", "work", "tolerances", "inner",
            ),
        ),
    ],
    align=True,
)  # fmt: skip
run_at = opener(run_t)
for _kind in ("arrays", "entries"):  # so that `Problem.hold` and `enter` know which record a name belongs to
    assert not set(run_t[_kind].names or ()) & set(problem_t[_kind].names or ())


class State(NamedTuple):
    """Coordinates, velocities, accelerations."""

    q: Any
    v: Any
    v_dot: Any


class Slopes(NamedTuple):
    """One row per stage, the last at the end of the step: in the algebra, of velocities, of plain quaternions, powers."""

    q: Any
    v: Any
    x: Any
    w: Any


@kernel
def split(run, array):
    """`State` in one of the arrays older, old, now, trial."""
    p, x = run.problem, vector(array)
    return State(x[: p.nq], x[p.nq : p.nq + p.nv], x[p.nq + p.nv :])


@kernel
def older(run):
    """The state before last."""
    return split(run, run.arrays.older)


@kernel
def old(run):
    """The last state: the beginning of the last step."""
    return split(run, run.arrays.old)


@kernel
def now(run):
    """The present state."""
    return split(run, run.arrays.now)


@kernel
def trial(run):
    """The state that a step tries."""
    return split(run, run.arrays.trial)


@kernel
def tableau_of(run):
    """(a, b, c) of the method."""
    return matrix(run.arrays.tableau), vector(run.arrays.weights), vector(run.arrays.nodes)


@kernel
def slopes_of(run):
    """`Slopes` of the step that is tried."""
    a = run.arrays
    return Slopes(matrix(a.kq), matrix(a.kv), matrix(a.kx), matrix(a.kw))


@kernel
def errors_of(run):
    """Errors of positions and velocities, then those of lower order."""
    return matrix(run.arrays.err)


@kernel
def memory_of(run):
    """Three rows each of an implicit method: (of the present state, of the one tried)."""
    rows = matrix(run.arrays.memory)
    return rows[:3], rows[3:]


@kernel
def wanted_of(run, level):
    """The user's partition: dependent coordinates (1), independent (0), or left to the criterion (-1)."""
    n = run.problem.nv
    return integers(run.arrays.wanted)[level * n : (level + 1) * n]
