"""One system with everything that its evaluation needs, as one array of addresses: tables, inputs, matrices, entries.

`Problem` keeps the arrays alive on the Python side; kernels open them from the addresses. Functions of the user are called
through one Python callback, which writes into the same arrays.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.faces import holonomic_rows
from cotree.constraints.units import length_of
from cotree.engine.entry import Entry, call, integers_at, matrix_at, vector_at
from cotree.engine.kernel import kernel
from cotree.engine.vectors import copy
from cotree.errors import CopyError
from cotree.model.constraints import HOLDING, Closing, Coupling
from cotree.system.system import System

Array = NDArray[np.float64]

# Places in the array of addresses: numbers first, then entries, then arrays
(
    NQ, NV, ROWS, N_VALUES, N_MOTIONS, N_EVENTS, ASKS,
    CALLBACK, TERMS, POSITIONS, OTHERS, OTHERS_BIAS, SOLVE, STEP,
    HANDLE, VALUES, MOTIONS, Q_IN, V_IN, MASS, JACOBIAN, RESIDUAL, RATE, BIAS, FORCE, LAMBDA, POWER, NUMBERS, ZERO,
    DEPENDENT, HOLONOMIC, EVENTS, DIVISION, DIRECTION, N_HELD, HELD, COMBINE, FREE,
) = range(38)  # fmt: skip
SIZE = 96  # places from FREE on are the integrators'

# Places in NUMBERS: the system's length, rate of Baumgarte's terms, least tolerance of the rank; noted by the solvers:
# size of the least direction kept and of the next one, relative to the largest, and whether rows were dependent; the rank
# at the last closed state; the least of the least directions since it was last set, and the largest at any closed state, by
# which they are judged; whether stages are projected; whether the next evaluation looks for inertia lost in rounding; how
# much larger rounding errors are than in a mechanism whose bodies are of like weight
(
    LENGTH, BAUMGARTE, FLOOR, SMALLEST, DROPPED, DEPENDENT_ROWS, CERTIFIED, NARROWEST, WIDEST, CAREFUL, CHECK, SPREAD,
    N_NUMBERS,
) = range(13)  # fmt: skip

# What the callback may be asked for, bits of ASKS
ASK_VALUES, ASK_MOTIONS, ASK_ROWS, ASK_BIAS, ASK_EVENTS = 1, 2, 4, 8, 16

USER_FAILED = -(1 << 40)  # status of a callback that raised
ANSWERED = 1  # returned by the callback when all is there; whatever breaks it off leaves zero
HANDLE_SIZE = 32


@kernel
def handle_of(p):
    return integers_at(p[HANDLE], HANDLE_SIZE)


@kernel
def numbers_of(p):
    return vector_at(p[NUMBERS], N_NUMBERS)


@kernel
def ask(p, what, t, q, v):
    """Let the user's functions write their part for this state; 0 or USER_FAILED."""
    if p[ASKS] & what == 0:
        return 0
    copy(q, vector_at(p[Q_IN], p[NQ]))
    copy(v, vector_at(p[V_IN], p[NV]))
    return 0 if call(p[CALLBACK], p[ASKS] & what, t, 0, 0, 0) == ANSWERED else USER_FAILED


@kernel
def keep_still(p, x):
    """Coordinates that a lock holds do not move, not even by rounding errors."""
    held = integers_at(p[HELD], p[N_HELD])
    for k in range(held.size):
        x[held[k]] = 0.0


@kernel
def weigh_rows(p):
    """Rows and right-hand side in the combinations that the solvers shall judge them by, see `scaling.combinations`."""
    if p[COMBINE] == 0:
        return
    _, J, _, eta, _ = matrices_of(p)
    T = matrix_at(p[COMBINE], p[ROWS], p[ROWS])
    J[:], eta[:] = np.dot(T, J), np.dot(T, eta)


@kernel
def unweigh(p, lam):
    """Multipliers of the rows as they were."""
    if p[COMBINE] != 0:
        lam[:] = np.dot(matrix_at(p[COMBINE], p[ROWS], p[ROWS]).T, lam)


@kernel
def matrices_of(p):
    """(M, J, f, eta, g): places for the terms of M v_dot + J^T lam = f, J v_dot = eta."""
    n, m = p[NV], p[ROWS]
    return (
        matrix_at(p[MASS], n, n),
        matrix_at(p[JACOBIAN], m, n),
        vector_at(p[FORCE], n),
        vector_at(p[BIAS], m),
        vector_at(p[RESIDUAL], m),
    )


@kernel
def inputs_of(p):
    """(values of loads and motors, motions of drivers)."""
    return matrix_at(p[VALUES], p[N_VALUES], 3), matrix_at(p[MOTIONS], p[N_MOTIONS], 3)


def held_coordinates(system: System) -> NDArray[np.int64]:
    """Places in v of the tree's coordinates that locks hold where they are."""
    found: list[int] = []
    for c in system.constraints.values():
        if isinstance(c, Coupling) and c.word in HOLDING and c.terms[0].joint not in system.cut_joints:
            found.append(system.velocity_index(c.terms[0].name))
        elif isinstance(c, Closing):
            for link in system.joint_links.get(c.locks, ()):
                found += range(int(system.links[link]["iv"]), int(system.links[link]["iv"] + system.links[link]["nv"]))
    return np.array(sorted(set(found)), dtype=np.int64)


class Problem:
    """The array `at` of addresses for a system, and the arrays behind it by name."""

    def __init__(self, system: System, dense: bool = True) -> None:
        """dense: with room for the mass matrix and the Jacobian, which not all formulations need."""
        n, m = system.nv, system.n_constraints
        self.system = system
        self.at = np.zeros(SIZE, dtype=np.int64)
        self.arrays: dict[int, NDArray[Any]] = {}
        self.values = self.hold(VALUES, system.elements.constants.copy())
        self.motions = self.hold(MOTIONS, system.other_rows.constants.copy())
        self.q, self.v = self.hold(Q_IN, np.zeros(system.nq)), self.hold(V_IN, np.zeros(n))
        if dense:
            self.M, self.J = self.hold(MASS, np.zeros((n, n))), self.hold(JACOBIAN, np.zeros((m, n)))
        self.g, self.b = self.hold(RESIDUAL, np.zeros(m)), self.hold(RATE, np.zeros(m))
        self.eta, self.f = self.hold(BIAS, np.zeros(m)), self.hold(FORCE, np.zeros(n))
        self.lam, self.power = self.hold(LAMBDA, np.zeros(m)), self.hold(POWER, np.zeros(2))
        self.numbers, self.zero = self.hold(NUMBERS, np.zeros(N_NUMBERS)), self.hold(ZERO, np.zeros(max(n, m)))
        if not dense:
            self.hold(DIRECTION, np.cos(1.0 + np.arange(m)) / np.sqrt(max(m, 1)))
        self.dependent = self.hold(DEPENDENT, np.zeros(n, dtype=np.int64))
        self.holonomic = self.hold(HOLONOMIC, holonomic_rows(system).astype(np.int64))
        held = held_coordinates(system)
        self.at[N_HELD] = len(held)
        self.hold(HELD, held)
        self.hold(HANDLE, system.handle)
        self.at[[NQ, NV, ROWS, N_VALUES, N_MOTIONS]] = system.nq, n, m, len(self.values), len(self.motions)
        self.numbers[[LENGTH, CERTIFIED, CHECK, SPREAD]] = length_of(system), -1.0, 1.0, 1.0

    def __reduce__(self) -> NoReturn:
        raise CopyError("what a run computes with holds addresses of its own arrays and cannot be copied; copy the Run")

    def hold(self, place: int, array: NDArray[Any]) -> Any:
        """Keep an array and note its address."""
        assert array.flags.c_contiguous
        self.arrays[place] = array
        self.at[place] = array.ctypes.data
        return array

    def enter(self, place: int, entry: Entry) -> None:
        """Compile an entry, or load it from the cache, and note its address."""
        self.at[place] = entry.address
