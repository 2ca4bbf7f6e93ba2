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
from cotree.integrate.contacts.filling import contact_history
from cotree.integrate.contacts.routes import route_of
from cotree.integrate.contacts.watching import has_contacts
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
from cotree.integrate.phases.switching import Switched, contact_statistics, switching_run
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
    """Simulate a mechanism and return the run, with checks of its accuracy.

    Parameters
    ----------
    mechanism_or_system : Mechanism or System
        A mechanism is compiled with the default options.
    t_end : float or tuple of float
        End of the run [s], from 0; or start and end.
    q : array_like or dict, optional
        Start. A dict {joint or coordinate: value} holds these values exactly; the others
        follow by assembly. A vector is projected where loops are open, with a warning. By
        default the mechanism's own start, else the reference assembly.
    v : array_like or dict, optional
        Start velocities, likewise; zero by default.
    step : float or Adaptive, optional
        Size of all steps [s]. By default steps follow the tolerances;
        `ct.Adaptive(max_step=...)` limits them.
    method : str or value, optional
        "auto" is "dopri5" without a step and "rk4" with one. Explicit: "euler", "midpoint",
        "rk4", "dopri5", "dop853". On the group: "commutator-free4", "crouch-grossman3".
        Implicit: "generalized-alpha" for stiff systems, "rattlie" for long runs in absolute
        coordinates. A value sets options: `ct.GeneralizedAlpha(spectral_radius=0.6)`.
    formulation : str or value, optional
        "auto" takes the fastest that serves; "index1", "projection", "voronets", or "odca",
        whose time grows linearly with the numbers of bodies and loops.
    stabilize : str or value, optional
        "auto" and "projection" project each step onto the constraints, "partition" corrects
        dependent coordinates only, "baumgarte" adds restoring terms, "none" lets states
        drift. As values they have options, such as `ct.Projection(above=1e-6)`.
    rtol : float, optional
        Relative tolerance of a step. An error of atol + rtol |value| is allowed in
        velocities and displacements.
    atol : float or dict, optional
        Absolute tolerance, for all or by {joint or coordinate: value}. Motions that are
        small throughout need a small one.
    contact : str, optional
        How contacts are computed: "events" (each impact, slip and opening is located,
        sticking is exact), "stepping" (impulses over steps of a given size, for many
        contacts), or "auto", which chooses.
    output : int, float, array_like or "steps", optional
        Number of rows (201 by default), period [s], times, or a row for each step.
    events : Event, callable or sequence, optional
        Functions of t, q, v whose sign changes are located; `ct.Event` has options.
    progress : bool or callable, optional
        A progress bar, by default for runs longer than a second; or a function of the time
        reached, which ends the run by raising KeyboardInterrupt.

    Returns
    -------
    Run
        Times, states, events, energies and sensors. `print(run)` shows what was checked;
        `run.status` is "done", "event", "interrupted" or "failed". Ctrl-C returns what was
        computed.

    Raises
    ------
    AssemblyError
        If the start cannot be assembled.
    ChoiceError
        For an unknown method, formulation or stabilization.
    UnknownNameError
        If `q` or `v` names a coordinate that does not exist.

    Warns
    -----
    RunWarning
        Where there is reason to doubt the run; `run.warnings` has them all.

    See Also
    --------
    simulate_many : Many runs on several threads.
    Stepper : A run step by step, with inputs.

    Examples
    --------
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
        route = route_of(system, settings.contact, settings.method)
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
    touched = contact_history(found.base, found.phases, t, q, v, states) if has_contacts(found.base) else None
    return Run(
        found.base, t, q, v, found.status, found.message, found.statistics | contact_statistics(found), settings,
        tuple(found.events), tuple(found.crossings), work, tuple(found.phases), (*noted, *found.noted), states,
        touched, tuple(found.impacts),
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
