"""Systems for the divide-and-conquer timings, with arrays prepared so that only the compiled evaluation is timed."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

import cotree as ct
from benchmarks.trees import chain_parents, cotree_tree
from cotree.constraints.time_functions import ACCELERATION, motion_values
from cotree.dynamics.user_forces import element_values
from cotree.formulations.odca.build import Division
from cotree.formulations.odca.division import division, with_threads
from cotree.formulations.odca.solve import accelerate

Array = NDArray[np.float64]
ANGLE = 1.0  # of the ladder's cranks; singular at 0
RATES = {"A": 1.0, "B": -1.0, "C": 1.0}  # crank tips at 1 m/s
WORK = 3000  # bodies in one timed call: some milliseconds


@njit
def _loop(count, here, division, values, motions, tau, q, v, v_dot, lam, ratios):
    for _ in range(count):
        accelerate(here, division, values, motions, tau, q, v, v_dot, lam, ratios)


@dataclass(frozen=True, eq=False)
class Divided:
    """A system at a state; `built` and `divided` are the seconds that compile() and the plan with its tables took."""

    system: ct.System
    division: Division
    arguments: tuple[Any, ...]
    built: float
    divided: float

    @property
    def bodies(self) -> int:
        return len(self.system.body_names)

    @property
    def count(self) -> int:
        """Evaluations in one timed call."""
        return max(1, WORK // self.bodies)

    @property
    def v_dot(self) -> Array:
        found: Array = self.arguments[-3]
        return found

    def evaluate(self) -> None:
        """`count` evaluations, in a compiled loop."""
        _loop(self.count, *self.arguments)

    def from_python(self) -> None:
        """One evaluation by the public function, on as many threads as Numba may use if it finds that to pay."""
        _, _, _, _, tau, q, v, *_ = self.arguments
        ct.forward_dynamics(self.system, q, v, tau, formulation="odca")

    def on_threads(self, threads: int) -> Divided:
        """The same, evaluated by so many threads."""
        d = with_threads(self.division, threads)
        return replace(self, division=d, arguments=(self.arguments[0], d.here, *self.arguments[2:]))

    @property
    def memory(self) -> int:
        """Bytes of the system's own tables and of the division."""
        s = self.system
        tables = (s.links, s.dofs, s.bodies, s.cuts, s.workspace.links, s.workspace.dofs)
        return self.division.memory + sum(t.nbytes for t in tables)


def prepared(mech: ct.Mechanism, state: Any) -> Divided:
    """The system divided; state(system) gives q and v."""
    start = time.perf_counter()
    system = mech.compile()
    built = time.perf_counter()
    d = division(system)
    divided = time.perf_counter()
    q, v = state(system)
    values, motions = element_values(system, q, v, 0.0), motion_values(system, 0.0, ACCELERATION)
    results = np.empty(system.nv), np.empty(system.n_constraints), np.empty(2)
    arguments = (system.here, d.here, values, motions, np.zeros(system.nv), q, v, *results)
    return Divided(system, d, arguments, built - start, divided - built)


def ladder(n: int) -> Divided:
    """n planar four-bars side by side, all cranks turning alike: 2 n + 1 bodies, 1 dof."""
    mech = ct.gallery.n_four_bar(n, ANGLE)
    return prepared(mech, lambda s: (s.q0, np.array([RATES[name[0]] for name in s.coordinate_names])))


def ladder_acceleration(n: int) -> float:
    """What every crank's angle does: ((n + 1)/3 + n) angle'' = -9.81 ((n + 1)/2 + n) cos(angle)."""
    return float(-9.81 * ((n + 1) / 2 + n) * np.cos(ANGLE) / ((n + 1) / 3 + n))


def ladder_error(case: Divided, n: int) -> float:
    """Largest error of a crank's acceleration [rad/s^2]."""
    case.evaluate()
    cranks = [k for k, name in enumerate(case.system.coordinate_names) if name[0] == "A"]
    return float(np.abs(case.v_dot[cranks] - ladder_acceleration(n)).max())


def chain(n: int) -> Divided:
    """n rods on revolute joints whose axes alternate: a chain in space, 6 x 6 blocks."""

    def state(system: ct.System) -> Any:
        return 0.01 * np.random.default_rng(0).standard_normal((2, system.nv))

    return prepared(cotree_tree(chain_parents(n)), state)
