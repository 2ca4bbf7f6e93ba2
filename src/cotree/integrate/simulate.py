"""`simulate`: from a mechanism or system and a state to a Run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.together import compile_together
from cotree.errors import RunWarning, ShapeError
from cotree.formulations.choices import FormulationChoice
from cotree.integrate.checks.missing_functions import check_functions
from cotree.integrate.checks.run_warnings import announce
from cotree.integrate.checks.start_doubts import doubts
from cotree.integrate.choices import Adaptive, MethodChoice, StabilizationChoice
from cotree.integrate.contacts.routes import route_of
from cotree.integrate.driver import Driver
from cotree.integrate.entries import first_jobs
from cotree.integrate.events.crossings import started_singular
from cotree.integrate.events.event import Event, as_events
from cotree.integrate.events.pace import check_times
from cotree.integrate.guided_start import guided_start
from cotree.integrate.interruption import Interruptible
from cotree.integrate.old_keywords import HOMES, takes_old_keywords
from cotree.integrate.output_times import output_times, outside
from cotree.integrate.phases.phase import Phase
from cotree.integrate.phases.switching import Switched, switching_run
from cotree.integrate.results.run import Run
from cotree.integrate.settings import Settings, ignored_tolerances
from cotree.integrate.tolerances import ATOL, RTOL
from cotree.model.checks import flag_or_none, shown
from cotree.model.mechanism import Mechanism
from cotree.system.arguments import system_of, time_of
from cotree.system.system import System
from cotree.typing import Condition, Coordinates, OutputTimes

Array = NDArray[np.float64]


@takes_old_keywords(*HOMES, "t_start", "strict")
def simulate(
    mechanism_or_system: Mechanism | System,
    t_end: float | tuple[float, float],
    q: Coordinates | None = None,
    v: Coordinates | None = None,
    *,
    step: float | Adaptive | None = None,
    method: str | MethodChoice = "auto",
    formulation: str | FormulationChoice = "auto",
    stabilize: str | StabilizationChoice = "auto",
    rtol: float = RTOL,
    atol: float | Mapping[str, float] = ATOL,
    contact: str = "auto",
    output: OutputTimes | None = None,
    events: Event | Condition | Iterable[Event | Condition] = (),
    progress: bool | Callable[[float], Any] | None = None,
) -> Run:
    """Motion from 0, or from the first of two times, to t_end.

    q, v: initial state; by default the mechanism's own start where it has one, else the reference assembly at rest. As dicts,
    {joint or coordinate: value}, they hold exactly and the rest follows by assembly, or an error says why it cannot. As
    vectors they are moved where loops are open or velocities not admissible, and a warning says by how much.
    step: size of all steps [s]; by default they follow the tolerances; `ct.Adaptive(max_step=...)` limits these.
    method, formulation, stabilize: words, or values with options, `ct.GeneralizedAlpha(spectral_radius=0.6)`.
    method: "auto" is "dopri5" (adaptive) without a step and "rk4" with one; "dop853" (adaptive, order 8);
    "euler", "midpoint"; "commutator-free4" and "crouch-grossman3", products of exponentials on the group, with a step;
    "generalized-alpha" (implicit, for stiff systems, with and without a step); "rattlie" (implicit, symplectic, order 2, with
    a step; energy does not drift; for constant mass matrices, as in absolute coordinates).
    formulation: "auto" (the fastest that serves), "index1", "projection", "voronets", which can integrate independent
    velocities alone, `ct.Voronets(independent=["A"])`, "odca" (divide and conquer: time and memory grow linearly with the
    numbers of bodies and loops).
    stabilize: "auto" and "projection" project after each step, or where errors are larger than `ct.Projection(above=...)`;
    "partition" corrects dependent coordinates only [Geo 5.3], which `ct.Partition(position=[...], velocity=[...])` names;
    "baumgarte" adds restoring terms, `ct.Baumgarte(rate)`; "none". All of them take transitions="naive" for rates of joints
    that lock to be set to zero, as other programs do, instead of jumps that keep momentum [VTM].
    rtol, atol: error of a step, atol + rtol |value|: of velocities, and of displacements from the reference assembly, which
    count up to one metre or radian. Motions that are small throughout need a small `atol`, a thousandth of them or less:
    {joint or coordinate: value} is for these alone, and others have the usual one. A step that is given does not follow them.
    contact: how contacts are gone through: "events" (each impact, slip and opening is located; sticking is exact), "stepping"
    (impulses over steps of a given size, for many contacts), or "auto", which chooses.
    output: times to report; or how many, an integer (201 by default); or a period in seconds, a float; or "steps" for each
    step. events: functions of (t, q, v), or
    `Event` objects. progress: a bar, by default for what takes longer than a second and is watched;
    or a function of the time that the run has come to, which is called every tenth of a second and ends the run by raising
    KeyboardInterrupt.
    Ctrl-C gives back what was computed.

    >>> run = ct.simulate(ct.gallery.four_bar(), t_end=1.0, v={"A": 1.5})
    >>> run.status
    'done'
    >>> round(float(run.joint("A").rate[0]), 9)
    1.5
    """
    given = mechanism_or_system
    system = given.compiled() if isinstance(given, Mechanism) else system_of(given, simulate)
    asked = Settings.of(step, method, formulation, stabilize, rtol, atol, contact)
    settings = asked.resolved(system)
    progress = progress if callable(progress) else flag_or_none(progress, "progress")
    noted = check_functions(system.mechanism)
    begin, end = span_of(t_end)
    check_times(settings, begin, end)
    times = output_times(begin, end, output, system.nq + system.nv)
    compile_together(first_jobs(system, settings, v is not None or system.start[1] is not None))
    start = guided_start(system, asked, begin, q, v)
    system, settings = start.system, start.settings
    noted = [
        *noted,
        *outside(begin, end, output),
        *ignored_tolerances(settings),
        *start.noted,
        *doubts(system, q, start.q, begin, settings.formulation),
    ]
    looked_for = as_events(events)
    if start.undetermined:
        return announce(start.failed(begin, noted), level=5)
    with Interruptible() as made:
        run = go(system, settings, begin, start.q, start.v, times, end, looked_for, progress, asked=asked, noted=noted)
        return made.ended(announce(run, level=5))


def span_of(t_end: Any) -> tuple[float, float]:
    """(begin, end) of a run, from its end or from both."""
    pair = t_end if isinstance(t_end, tuple) and len(t_end) == 2 else (0.0, t_end)
    begin, end = time_of("t_start", pair[0]), time_of("t_end", pair[1])
    if not end > begin:
        raise ShapeError(f"t_end is {shown(pair[1])}; it must be later than the start, {begin:g}")
    return begin, end


def go(
    system: System, settings: Settings, begin: float, q: Array, v: Array, times: Array, end: float,
    events: tuple[Event, ...] = (), progress: bool | Callable[[float], Any] | None = None, first_step: float | None = None,
    met: frozenset[tuple[str, int]] = frozenset(), asked: Settings | None = None, before: Phase | None = None,
    noted: Sequence[RunWarning] = (), states: Array | None = None,
) -> Run:  # fmt: skip
    """Run from an admissible state, with settings that are resolved; met: events that have just happened there; asked: the
    settings before they were; before: the phase that is continued, where the mechanism has locks and the like; noted:
    warnings so far; states: those of laws, where a run is continued."""
    if system.mechanism.devices or system.mechanism.actions:
        route = route_of(system, settings.contact)
        if route is not None:
            return route(system, asked or settings, begin, q, v, times, end, events, progress, noted)
        found = switching_run(
            system, asked or settings, begin, q, v, times, end, events, progress, first_step, met, before, states
        )  # fmt: skip
        return _of_phases(found, settings, noted)
    driver = Driver(system, settings, begin, q, v, times, end, events, first_step, met, states=states)
    rank = int(driver.state.counts.rank_now)
    driver.go(progress)
    return finished(driver, begin, q, v, rank, noted)


def _of_phases(found: Switched, settings: Settings, noted: Sequence[RunWarning]) -> Run:
    t, q, v, work, states = found.stacked()
    return Run(
        found.base, t, q, v, found.status, found.message, found.statistics, settings, tuple(found.events),
        tuple(found.crossings), work, tuple(found.phases), (*noted, *found.noted), states,
    )  # fmt: skip


def finished(driver: Driver, begin: float, q0: Array, v0: Array, rank: int, noted: Sequence[RunWarning]) -> Run:
    """The run that a driver has made, from a state where the rows had this rank."""
    if driver.system.n_constraints and driver.state.counts.rank_most > rank:
        lost = int(driver.state.counts.rank_most - rank)
        driver.crossings.insert(0, started_singular(driver.system, begin, q0, v0, lost))
    t, q, v, rows = driver.rows()
    work = np.hstack([rows[:, :2], np.zeros((len(t), 1))])
    return Run(
        driver.system, t, q, v, driver.status, driver.message, driver.statistics(), driver.settings, tuple(driver.events),
        tuple(driver.crossings), work, (), (*noted, *driver.noted), rows[:, 2:],
    )  # fmt: skip
