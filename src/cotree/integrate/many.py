"""`simulate_many`: many runs of one system, or of one mechanism with different parameters, on all cores and on lanes.

Each member is a run like any other, with its own certificate: the same bits as alone, or on lanes the same up to rounding.
Members that fail leave the others as they are.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._shown import Shown
from cotree.engine.together import cores
from cotree.errors import ArgumentError, ChoiceError, CotreeError, ShapeError
from cotree.formulations.choices import FormulationChoice
from cotree.integrate.choices import Adaptive, MethodChoice, StabilizationChoice
from cotree.integrate.events.pace import check_times
from cotree.integrate.many_starts import starts
from cotree.integrate.many_systems import agreed_count, systems_of
from cotree.integrate.members import Ended, Member, Prepared, members
from cotree.integrate.old_keywords import takes_old_keywords
from cotree.integrate.output_times import output_times, outside
from cotree.integrate.phases.switching import SIMULATE
from cotree.integrate.results.run import Run
from cotree.integrate.settings import Settings, ignored_tolerances
from cotree.integrate.tolerances import ATOL, RTOL
from cotree.model.checks import flag, flag_or_none, shown
from cotree.model.features import declare
from cotree.model.mechanism import Mechanism
from cotree.system.arguments import time_of
from cotree.system.system import System
from cotree.typing import OutputTimes

Array = NDArray[np.float64]
MANY = 64  # members from which on lanes are used without being asked: they are compiled first


@dataclass(frozen=True, eq=False)
class Runs(Shown):
    """t (T,), q (B, T, nq), v (B, T, nv): the output of all runs, NaN where a run ended before; status and message of each.
    `runs[i]` is one of them as a `Run`; where it could not be started, the error is raised. With measure=, `measured` has what
    was measured of each, None of those that could not be started, and the runs themselves are not kept: q and v are empty."""

    t: Array
    q: Array
    v: Array
    status: tuple[str, ...]
    message: tuple[str, ...]
    members: tuple[Member, ...] = field(repr=False)
    measured: tuple[Any, ...] | None = field(default=None, repr=False)

    def __str__(self) -> str:
        counted = Counter(self.status)
        lines = [f"{len(self)} runs: {', '.join(f'{n} {status}' for status, n in counted.most_common())}"]
        warned = sum(bool(run.warnings) for run in self.members if isinstance(run, Run))
        if warned:
            lines.append(f"{warned} of them with warnings, see runs[i].warnings")
        first = next((i for i, status in enumerate(self.status) if status != "done"), None)
        if first is not None:
            lines.append(f"the first that is not done is number {first}: {self.message[first]}")
        return "\n  ".join(lines)

    def __len__(self) -> int:
        return len(self.members)

    def __getitem__(self, i: int) -> Run:
        found = self.members[i]
        if isinstance(found, Run):
            return found
        if isinstance(found, CotreeError):
            raise found
        raise ArgumentError("runs that are measured are not kept; see runs.measured, or leave measure= out")

    def __iter__(self) -> Iterator[Run]:
        return (self[i] for i in range(len(self)))


SIMULATE_MANY = declare("ct.simulate_many", on=(SIMULATE,))


@takes_old_keywords("baumgarte", "spectral_radius", "transitions", "max_step", "stabilize_above")
def simulate_many(
    system: System | Mechanism | Callable[..., Mechanism],
    t_end: float,
    q: ArrayLike | Mapping[str, ArrayLike] | None = None,
    v: ArrayLike | Mapping[str, ArrayLike] | None = None,
    *,
    parameters: Mapping[str, ArrayLike] | None = None,
    step: float | Adaptive | None = None,
    method: str | MethodChoice = "auto",
    formulation: str | FormulationChoice = "auto",
    stabilize: str | StabilizationChoice = "auto",
    rtol: float = RTOL,
    atol: float | Mapping[str, float] = ATOL,
    output: OutputTimes | None = None,
    threads: int | None = None,
    lanes: bool | None = None,
    measure: Callable[[Run], Any] | None = None,
    accuracy: bool = False,
) -> Runs:
    """Simulate many motions on several threads.

    Warnings are not raised: each run has its own. A run that fails does not disturb the others.

    Parameters
    ----------
    system : System, Mechanism or callable
        What moves; or a function that builds it from the arguments named in `parameters`.
    t_end : float
        End of the runs [s].
    q : array_like or dict, optional
        Starts (B, nq), or one for all (nq,); in a dict each value is a number or an array
        of B numbers.
    v : array_like or dict, optional
        Start velocities, likewise.
    parameters : dict, optional
        B values of each number that differs, by names as `ct.parameters` lists them; with a
        function, values of its arguments.
    step : float or Adaptive, optional
        As for `simulate`.
    method : str or value, optional
        As for `simulate`.
    formulation : str or value, optional
        As for `simulate`.
    stabilize : str or value, optional
        As for `simulate`.
    rtol : float, optional
        Relative tolerance.
    atol : float or dict, optional
        Absolute tolerance.
    output : int, float, array_like or "steps", optional
        As for `simulate`.
    threads : int, optional
        Number of threads, by default that of the processors.
    lanes : bool, optional
        Compute several runs at once by vector instructions, by default from 64 runs on.
        They equal single runs up to rounding. Runs with user functions, implicit methods or
        another formulation than "auto" are computed one by one.
    measure : callable, optional
        Function of a run; only what it returns is kept, in `runs.measured`.
    accuracy : bool, optional
        Estimate the error of each run by a second one with coarser steps.

    Returns
    -------
    Runs
        `.t`, `.q` (B, T, nq), `.v`, `.status`; `runs[i]` is a Run.

    Raises
    ------
    ShapeError
        If starts and parameters differ in number.

    Examples
    --------
    >>> runs = ct.simulate_many(ct.gallery.pendulum_chain(1), 0.5, q=[[0.1], [0.2], [0.3]], output=6)
    >>> runs.q.shape
    (3, 6, 1)
    >>> ct.simulate_many(ct.gallery.four_bar(), 0.1, v={"A": [1.0, 1.5]}).status
    ('done', 'done')
    """
    systems, count = systems_of(system, parameters, simulate_many)
    SIMULATE_MANY.admit(systems(0).features)
    sizes = (systems(0).nq, systems(0).nv)
    begin = starts(systems(0), q, "q"), starts(systems(0), v, "v")
    count = agreed_count([count, *(x.count for x in begin)])
    end = time_of("t_end", t_end)
    if not end > 0.0:
        raise ShapeError(f"t_end is {shown(t_end)}; it must be later than the start, 0")
    if isinstance(output, str):
        raise ChoiceError(
            f"output is {shown(output)}; runs that are compared need times, a number of rows, or a period"
        )
    if measure is not None and not callable(measure):
        raise ArgumentError(f"measure is {shown(measure)}; give a function of a run")
    times = output_times(0.0, end, output, sum(sizes) * (count if measure is None else 1))
    asked = Settings.of(step, method, formulation, stabilize, rtol, atol)
    settings = asked.resolved(systems(0))
    check_times(settings, 0.0, end)
    for noted in (*outside(0.0, end, output), *ignored_tolerances(settings)):
        warnings.warn(noted, stacklevel=4)
    if threads is not None and (type(threads) is not int or threads < 1):
        raise ShapeError(f"threads is {shown(threads)}; give a number of threads, 1 or more")

    def prepare(i: int) -> Prepared:
        return Prepared(systems(i), asked, times, end, *(x.of(i) for x in begin))

    together = flag_or_none(lanes, "lanes")
    on_lanes = count >= MANY if together is None else together
    found = members(prepare, count, threads or cores(), on_lanes, measure, flag(accuracy, "accuracy"))
    return _collected(times, sizes, found, measure is not None)


def _collected(times: Array, sizes: tuple[int, int], found: list[Ended], measured: bool) -> Runs:
    members = [x.member for x in found]
    q, v = (np.full((len(members), 0 if measured else len(times), n), np.nan) for n in sizes)
    for i, run in enumerate(members):
        if isinstance(run, Run) and run.q.shape[1:] == q.shape[2:] and run.v.shape[1:] == v.shape[2:]:
            rows = min(len(run.t), len(times))
            same = run.t[:rows] == times[:rows]
            q[i, :rows][same], v[i, :rows][same] = run.q[:rows][same], run.v[:rows][same]
    return Runs(
        times, q, v, tuple(x.status for x in found), tuple(x.message for x in found), tuple(members),
        tuple(x.measured for x in found) if measured else None,
    )  # fmt: skip
