"""`simulate`: from a mechanism or system and a state to a Run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.assembly import assemble, consistent_velocity
from cotree.constraints.faces import holonomic_rows
from cotree.constraints.units import length_of
from cotree.errors import ChoiceError, ConstraintError, ForceError
from cotree.formulations.acceleration import INDEX1, PROJECTION, VORONETS
from cotree.integrate import loop
from cotree.integrate.run import Run
from cotree.integrate.tableaux import METHODS
from cotree.model.mechanism import Mechanism
from cotree.system.arguments import coordinates, velocities
from cotree.system.system import System

Array = NDArray[np.float64]

FORMULATIONS = {"auto": PROJECTION, "projection": PROJECTION, "index1": INDEX1, "voronets": VORONETS}
MESSAGES = {
    loop.DONE: ("done", ""),
    loop.STEP_TOO_SMALL: ("failed", "the step size went to zero: the motion is too stiff or runs into a singularity"),
    loop.NOT_FINITE: ("failed", "the state grew beyond all numbers: take smaller steps, or look at the forces"),
    loop.NO_INERTIA: ("failed", "a joint has no inertia behind it in this configuration"),
}


def simulate(
    mechanism_or_system: Mechanism | System,
    t_end: float,
    q: Any = None,
    v: Any = None,
    *,
    step: float | None = None,
    method: str = "auto",
    formulation: str = "auto",
    stabilize: str = "auto",
    rtol: float = 1e-8,
    atol: float = 1e-8,
    output: Any = None,
) -> Run:
    """Motion from t = 0 to t_end.

    q, v: initial state (the reference assembly at rest by default); loops are closed and velocities made admissible first.
    method: "auto" is "dopri5" (adaptive) without a step and "rk4" with one; "euler", "midpoint". stabilize: "auto" and
    "projection" project after each step, "none" does not. output: times to report, or how many; 200 by default.
    """
    system = mechanism_or_system.compile() if isinstance(mechanism_or_system, Mechanism) else mechanism_or_system
    if system.elements.functions:
        raise ForceError(
            f"system {system.name!r} has forces that are functions, which `simulate` cannot call yet; integrate "
            "ct.forward_dynamics with your own loop"
        )
    if system.other_rows.user or not np.all(np.isfinite(system.other_rows.constants)):
        raise ConstraintError(
            f"system {system.name!r} has rows of the user or drivers that are functions of time, which `simulate` cannot call "
            "yet; integrate ct.forward_dynamics with your own loop"
        )
    method = ("dopri5" if step is None else "rk4") if method == "auto" else method
    _check("method", method, METHODS)
    _check("formulation", formulation, FORMULATIONS)
    _check("stabilize", stabilize, ("auto", "none", "projection"))
    q = assemble(system, system.q0 if q is None else coordinates(system, q))
    v = consistent_velocity(system, q, velocities(system, v))
    times = _times(t_end, output)
    return _run(system, times, q, v, step, method, FORMULATIONS[formulation], stabilize != "none", rtol, atol)


def _check(what: str, value: str, choices: Any) -> None:
    if value not in choices:
        raise ChoiceError(f"{what} is {value!r}; choose one of {', '.join(map(repr, choices))}")


def _times(t_end: float, output: Any) -> Array:
    """Output times, ascending from 0."""
    if output is None or isinstance(output, (int, np.integer)):
        return np.linspace(0.0, float(t_end), 201 if output is None else int(output))
    times = np.unique(np.asarray(output, dtype=float))
    return times[(times >= 0.0) & (times <= t_end)]


def _run(
    system: System, times: Array, q: Array, v: Array, step: float | None, method: str, formulation: int,
    stabilize: bool, rtol: float, atol: float,
) -> Run:  # fmt: skip
    tableau, m = METHODS[method], system.n_constraints
    h = float(step) if step is not None else 1e-3
    error = tableau.error if step is None else np.zeros(0)
    out_q, out_v = np.empty((len(times), system.nq)), np.empty((len(times), system.nv))
    state, counts = np.array([0.0, h, 0.0]), np.array([0, 0, 0, m, 0])
    q, v = q.copy(), v.copy()
    if times[0] == 0.0:
        out_q[0], out_v[0], state[2] = q, v, 1.0
    status = loop.CHUNK
    while status == loop.CHUNK:
        status = loop.advance(
            system.handle, system.elements.constants, system.other_rows.constants, holonomic_rows(system), formulation,
            length_of(system), tableau.a, tableau.b, error, float(tableau.order), stabilize, rtol, atol,
            np.inf if step is None else h, state, q, v, times, out_q, out_v, counts, 2000,
        )  # fmt: skip
    rows = int(state[2])
    words, message = MESSAGES[status]
    statistics = {
        "method": method, "steps": int(counts[0]), "rejected": int(counts[1]), "evaluations": int(counts[2]),
        "smallest_rank": int(counts[3]), "greatest_rank": int(counts[4]),
    }  # fmt: skip
    return Run(system, times[:rows], out_q[:rows], out_v[:rows], words, message, statistics)
