"""Forward dynamics by divide and conquer, from Python."""

from __future__ import annotations

import time
from typing import NoReturn

import numpy as np
from numba import get_num_threads
from numpy.typing import NDArray

from cotree.constraints.time_functions import ACCELERATION, motion_values
from cotree.dynamics.charts import require_regular_charts
from cotree.dynamics.forward import no_inertia
from cotree.dynamics.user_forces import element_values
from cotree.engine.kernel_types import types_in
from cotree.engine.threads import may_run_together
from cotree.engine.together import Job, job_for, job_of_call
from cotree.engine.vectors import both_finite
from cotree.errors import InertiaError
from cotree.formulations.odca.build import Division, divide
from cotree.formulations.odca.division import division, use_threads, with_threads, work_of
from cotree.formulations.odca.solve import LIGHT, accelerate, put_rows_alone, solve_alone
from cotree.model.joints import Revolute
from cotree.model.mechanism import Mechanism
from cotree.system.arguments import not_finite, require_finite
from cotree.system.system import System
from cotree.topology.contraction import contract

Array = NDArray[np.float64]
MUCH = 1e6  # multiplications, about a millisecond, below which threads are not tried
PAYS = 0.8  # part of the time alone that threads must get along with


def by_division(system: System, q: Array, v: Array, tau: Array, t: float) -> tuple[Array, Array, int, Array]:
    """(v_dot, multipliers, rank of the constraints, (least pivot kept, largest left out))."""
    d = settled(system, q, v, tau, t)
    values, motions = element_values(system, q, v, t), motion_values(system, t, ACCELERATION)
    v_dot, lam, ratios = np.empty(system.nv), np.empty(system.n_constraints), np.empty(2)
    status = int(accelerate(system.here, d.here, values, motions, tau, q, v, v_dot, lam, ratios))
    if status < 0:
        require_finite(system, q=q, v=v, tau=tau)
        require_regular_charts(system, q)
        complain(system, status)
    if not both_finite(v_dot, lam):
        not_finite(system, "forward_dynamics", q=q, v=v, tau=tau)
    return v_dot, lam, status, ratios


def division_jobs() -> list[Job | None]:
    """What has to be compiled for a first division, the longest first."""
    found = [job_for(contract, types_in("nnnn")), job_for(put_rows_alone), job_for(solve_alone)]
    return [*found, job_of_call(divide_example)] if any(found) else found


def divide_example() -> None:
    """Divide a small mechanism, so that everything is compiled that makes plans."""
    divide(_example().compile())


def _example() -> Mechanism:
    """Three bars in a loop."""
    mech = Mechanism("example")
    corners = ((0.0, 0.0, 0.0), (1.0, 0.0, 1.0), (3.0, 0.0, 1.0), (3.0, 0.0, 0.0))
    names = ["ground", "first", "second", "third", "ground"]
    for name, a, b in zip(names[1:4], corners[:-1], corners[1:], strict=True):
        mech.body(name, 1.0, np.add(a, b) / 2, (0.1, 0.1, 0.1))
    for k, corner in enumerate(corners):
        mech.joint(f"joint {k}", names[k], names[k + 1], Revolute(corner, (0.0, 1.0, 0.0)))
    return mech


def settled(system: System, q: Array, v: Array, tau: Array, t: float) -> Division:
    """The system's division, with threads where they have been seen to pay: a large one is tried once, alone and on all of
    Numba's threads (`numba.set_num_threads`), at this state."""
    d = division(system)
    if "threads" in system.decisions or "division settled" in system.cache:
        return d
    system.cache["division settled"] = True
    if get_num_threads() == 1 or work_of(d).sum() < MUCH or not may_run_together():
        return d
    given = (element_values(system, q, v, t), motion_values(system, t, ACCELERATION), tau, q, v)
    together = with_threads(d, get_num_threads())
    alone_s, together_s = (min(_seconds(system, x, given) for _ in range(4)) for x in (d, together))
    system.cache["division"] = chosen = together if together_s < PAYS * alone_s else d
    return use_threads(system, chosen.threads)


def _seconds(system: System, d: Division, given: tuple[Array, ...]) -> float:
    """Time of one evaluation."""
    room = np.empty(system.nv), np.empty(system.n_constraints), np.empty(2)
    begun = time.perf_counter()
    accelerate(system.here, d.here, *given, *room)
    return time.perf_counter() - begun


def complain(system: System, status: int) -> NoReturn:
    """Raise for what a negative status says."""
    if status > LIGHT:
        no_inertia(system, -status - 1)
    name = system.link_joints[int(system.dofs[LIGHT - status - 1]["link"])]
    raise InertiaError(
        f"the body moved by joint {name!r} of system {system.name!r} has too little inertia for formulation 'odca', "
        f"which needs inertia in every direction in which a body can move; give it some, or use formulation 'auto'"
    )
