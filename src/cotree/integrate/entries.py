"""What a run needs compiled, and where its loop finds it: entries of the method, the formulation and the stabilization."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints import api as constraints
from cotree.dynamics.api import mass_matrix_job
from cotree.engine.kernel_types import types_of
from cotree.engine.records import record
from cotree.engine.together import Job, job_for
from cotree.formulations import acceleration, independent
from cotree.formulations.chart import chart_at
from cotree.formulations.contract import FORMULATIONS, Formulation
from cotree.formulations.odca.build import Division
from cotree.formulations.odca.forward import division_jobs, settled
from cotree.formulations.registered.dense import IN_CHART
from cotree.formulations.scaling import combinations
from cotree.integrate.jumps import jump
from cotree.integrate.locating import locate
from cotree.integrate.loop import advance
from cotree.integrate.methods.contract import METHODS
from cotree.integrate.output import Output, look_for_events
from cotree.integrate.records import run_t
from cotree.integrate.settings import Settings
from cotree.integrate.stabilization import divided, projection
from cotree.integrate.stabilization.contract import STABILIZATIONS
from cotree.integrate.state import RunState
from cotree.system.system import System

Array = NDArray[np.float64]


def formulation_of(settings: Settings) -> Formulation:
    """That which the loop evaluates."""
    return FORMULATIONS[settings.formulation] if settings.independent is None else IN_CHART


def jobs(system: System, settings: Settings) -> list[Job | None]:
    """What a run needs compiled, the longest first; that which is rarely needed is compiled when it is."""
    method, formulation = METHODS[settings.method], formulation_of(settings)
    entries: list[Any] = [method.step, acceleration.terms if method.implicit else None]
    more: list[Job | None] = []
    if not system.n_constraints:
        entries += [acceleration.tree]
    elif formulation.dense:
        entries += [formulation.solve, formulation.terms, projection.onto_constraints]
        entries += [projection.along_constraints, formulation.positions]
    else:
        entries += [formulation.solve, formulation.terms]
        entries += [divided.onto_constraints, divided.along_constraints]
        more = division_jobs()
    found = [job_for(e) for e in dict.fromkeys([*entries, method.errors]) if e is not None]
    return [job_for(advance, _types_of_advance()), *more, *found]


def first_jobs(system: System, settings: Settings, moving: bool) -> list[Job | None]:
    """What has to be compiled from the start of a run on: to close its loops, also for a start with velocities, and for its
    time loop."""
    found = jobs(system, settings)
    if system.n_constraints and formulation_of(settings).dense:
        found += [mass_matrix_job() if moving else None, *constraints.first_jobs()]
    return found


def enter(state: RunState, system: System, settings: Settings, t: float, q: Array, v: Array) -> Division | None:
    """Let the loop find its entries; returns the division, which must be kept as long as its address is used."""
    method, formulation = METHODS[settings.method], formulation_of(settings)
    state.enter(step=method.step)
    if method.errors is not None:
        state.enter(errors=method.errors)
    if method.implicit:
        state.enter(equations=acceleration.terms)
    if state.problem.n_instants or state.problem.n_switches:
        state.enter(jump=jump, locate=locate)
    if state.problem.n_events:
        state.enter(events=look_for_events)
    if not system.n_constraints:
        state.enter(terms=acceleration.tree)
        return None
    state.enter(terms=formulation.terms, solve=formulation.solve)
    if formulation.positions is None:
        return _divide(state, system, t, q, v)
    state.enter(positions=formulation.positions)
    state.enter(project=projection.onto_constraints, tangent=projection.along_constraints)
    state.enter(correct=STABILIZATIONS[settings.stabilize].correct)
    combined = combinations(system, q, t)
    if combined is not None:
        state.hold("combine", combined)
        state.near.spread = np.linalg.norm(combined, axis=1).max()
    if settings.independent is not None:
        _enter_chart(state, system, settings.independent, t, q)
    return None


def _enter_chart(state: RunState, system: System, asked: Any, t: float, q: Array) -> None:
    """The first chart; the loop changes it between steps, unless the user has named the coordinates."""
    named = None if asked == "auto" else asked
    state.dependent[chart_at(system, q, t, named).dependent] = 1
    if named is None:
        state.enter(chart=independent.choose)


def _divide(state: RunState, system: System, t: float, q: Array, v: Array) -> Division:
    at_rest = state.zero[: system.nv]
    found = settled(system, q, v, at_rest, t)
    state.problem.division = found.here
    state.enter(project=divided.onto_constraints, tangent=divided.along_constraints)
    return found


@cache
def _types_of_advance() -> tuple[Any, ...]:
    """Types of the arguments of the loop, found once: those of a record take ten milliseconds."""
    rows, table = np.empty(0), np.empty((0, 0))
    return types_of(record(run_t), rows, Output(rows, table, table, table), 0)
