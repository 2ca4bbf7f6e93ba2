"""`sweep`: one measurement of many mechanisms."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cotree._keywords import parameters as arguments_of
from cotree._keywords import unknown_keyword
from cotree.errors import ArgumentError, ShapeError, StudyError, StudyWarning
from cotree.integrate.old_keywords import HOMES, modern
from cotree.io.native.texts import package
from cotree.model.checks import flag_or_none, floats, shown
from cotree.model.mechanism import Mechanism
from cotree.studies.sweeps.dataset import dataset
from cotree.studies.sweeps.design import Design, designed
from cotree.studies.sweeps.fingerprint import fingerprint
from cotree.studies.sweeps.journal import Journal, described
from cotree.studies.sweeps.progress import Count
from cotree.studies.sweeps.schedule import Batch, Schedule
from cotree.studies.sweeps.task import DONE, FAILED, Outcome, Study
from cotree.studies.sweeps.workers import workers_for
from cotree.system.arguments import time_of
from cotree.system.system import System

if TYPE_CHECKING:
    import distributed
    import xarray

TOGETHER = 8  # runs that a worker computes together by default
OPTIONS = (  # of the runs
    "q", "v", "step", "method", "formulation", "stabilize", "rtol", "atol", "output",
)  # fmt: skip


def sweep(
    build: Callable[..., Mechanism | System],
    parameters: Mapping[str, Any],
    measure: Callable[..., Any],
    client: distributed.Client | str | None = None,
    path: str | Path | None = None,
    *,
    t_end: float | None = None,
    sampling: str = "grid",
    samples: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    batch: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> xarray.Dataset:
    """Measure the mechanisms that a function builds, for many values of its arguments.

    Points are computed on all cores, or on a cluster; the results do not depend on that. Ctrl-C
    returns what was computed.

    Parameters
    ----------
    build : callable
        Function that returns a mechanism.
    parameters : dict
        Values of its arguments by name; a single value holds at all points.
    measure : callable
        Function of the mechanism, or with t_end of its run. It returns a number, an array,
        or a dict of these.
    client : Client or str, optional
        Dask client, or the address of a scheduler.
    path : str or path, optional
        File in which results are kept as they come. The same call resumes after an
        interruption.
    t_end : float, optional
        End of a run [s].
    sampling : str, optional
        "grid", all combinations of lists; "table", one point per row of lists of the same
        length; "random", "latin" and "sobol", points of ranges (lower, upper) or of
        distributions of scipy.stats; "saltelli", points for `cotree.studies.sobol_indices`.
    samples : int, optional
        Number of points that are drawn.
    seed : int, optional
        The same seed gives the same points.
    workers : int, optional
        Number of processes; 1 is this one.
    batch : int, optional
        Points that a worker takes at a time.
    progress : bool, optional
        Show a progress bar.
    **options : object
        As for `simulate`.

    Returns
    -------
    xarray.Dataset
        Parameters as coordinates, measured values as variables, NaN where a point failed;
        `status`, `message` and `warnings` describe how each point ended.

    Raises
    ------
    MissingPackageError
        Without xarray: pip install 'cotree[sweep]'.

    Examples
    --------
    >>> data = ct.sweep(ct.gallery.pendulum_chain, {"n": [1, 2]}, lambda m: len(m.bodies), workers=1, progress=False)
    >>> data.sizes["n"]
    2
    """
    package("xarray", "sweep")
    study = _study(build, measure, t_end, options)
    design = designed(parameters, sampling, samples, seed)
    _check_arguments(build, (*design.columns, *design.fixed))
    size = (1 if t_end is None else TOGETHER) if batch is None else batch
    if type(size) is not int or size < 1:
        raise ShapeError(f"batch is {shown(batch)}; give a number of points, 1 or more")
    shown_progress = flag_or_none(progress, "progress")
    outcomes: dict[int, Outcome] = {}
    journal = None
    if path is not None:
        journal = Journal(path, {**described(design), **_about(study), "batch": size})
        outcomes = journal.outcomes
    try:
        stopped = _computed(study, design, size, outcomes, journal, client, workers, shown_progress)
    finally:
        if journal is not None:
            journal.close()
    _report(design, outcomes, stopped, path)
    return dataset(design, outcomes)


def _computed(
    study: Study, design: Design, size: int, outcomes: dict[int, Outcome], journal: Journal | None, client: Any,
    workers: Any, progress: bool | None,
) -> bool:  # fmt: skip
    """Compute what is missing; returns whether it was interrupted."""
    batches = [b for b in _batches(len(design), size) if not all(i in outcomes for i in b)]
    for i in [i for b in batches for i in b]:
        outcomes.pop(i, None)  # batches are computed as a whole, so that results do not depend on interruptions
    team = workers_for(study, client, workers, len(batches))
    first = next(iter(outcomes.values()), None)
    with Count(progress, len(design), len(outcomes)) as count:

        def receive(found: list[Outcome], final: bool) -> None:
            nonlocal first
            for o in found:
                first = _alike(design, first, o)
                outcomes[o.index] = o
            if journal is not None and final:
                journal.add(found)
            count.add(len(found), sum(o.status == FAILED for o in found))

        try:
            Schedule(design, batches, team, receive).run()
        except KeyboardInterrupt:
            return True
        finally:
            team.close()
    return False


def _batches(count: int, size: int) -> list[Batch]:
    return [tuple(range(k, min(k + size, count))) for k in range(0, count, size)]


def _alike(design: Design, first: Outcome | None, o: Outcome) -> Outcome | None:
    """The first result that is there; another one must have the same names and shapes."""
    if o.status != DONE:
        return first
    if first is None or first.status != DONE:
        return o
    a, b = ({name: x.shape for name, x in x.values.items()} for x in (first, o))
    if a != b:
        name = next(n for n in {**a, **b} if a.get(n) != b.get(n))
        words = ["nothing" if s is None else f"shape {s}" for s in (a.get(name), b.get(name))]
        raise StudyError(
            f"sweep: measure returned {words[0]} for {name!r} at {design.words(first.index)}, and {words[1]} at "
            f"{design.words(o.index)}; return the same names and shapes at all points"
        )
    return first


def _study(build: Any, measure: Any, t_end: Any, options: dict[str, Any]) -> Study:
    for name, given in (("build", build), ("measure", measure)):
        if not callable(given):
            what = "returns a mechanism" if name == "build" else "returns numbers"
            raise ArgumentError(f"{name} is {shown(given)}; give a function that {what}")
    options = modern(options)
    unknown = [name for name in options if name not in OPTIONS]
    if unknown:
        raise unknown_keyword("sweep", unknown[0], [*arguments_of(sweep)[:-1], *OPTIONS], HOMES)
    if t_end is None:
        if options:
            raise ArgumentError(f"{next(iter(options))}= is of the runs that are made with t_end=; give t_end, too")
        return Study(build, measure)
    end = time_of("t_end", t_end)
    if not end > 0.0:
        raise ShapeError(f"t_end is {shown(t_end)}; it must be later than the start, 0")
    for what in ("q", "v"):
        _check_start(what, options.get(what))
    return Study(build, measure, end, options)


def _check_start(what: str, given: Any) -> None:
    """One start for all points: points are computed in groups, of which each would take rows from its beginning."""
    values = given.values() if isinstance(given, Mapping) else [given]
    axes = 0 if given is None or isinstance(given, Mapping) else 1
    if any((a := None if x is None else floats(x)) is not None and a.ndim > axes for x in values):
        raise ShapeError(
            f"{what} is {shown(given)}; give one start for all points; where they differ, let build set q_start and v_start"
        )


def _check_arguments(build: Callable[..., Any], names: tuple[str, ...]) -> None:
    """Parameters must be arguments of `build`, and its arguments without a default must be among them."""
    try:
        signature = inspect.signature(build)
    except (TypeError, ValueError):  # of a function without one
        return
    known, kinds = signature.parameters, inspect.Parameter
    if not any(p.kind is kinds.VAR_KEYWORD for p in known.values()):
        unknown = [n for n in names if n not in known]
        if unknown:
            raise unknown_keyword(getattr(build, "__name__", "build"), unknown[0], list(known))
    free = (kinds.VAR_KEYWORD, kinds.VAR_POSITIONAL)
    lacking = [n for n, p in known.items() if p.default is p.empty and p.kind not in free and n not in names]
    if lacking:
        raise ArgumentError(f"build needs {lacking[0]!r}, which is not among the parameters; give it a value there")


def _about(study: Study) -> dict[str, Any]:
    options = {k: fingerprint(v) for k, v in study.options.items()}
    return {
        "build": fingerprint(study.build),
        "measure": fingerprint(study.measure),
        "t_end": study.t_end,
        "options": options,
    }


def _report(design: Design, outcomes: dict[int, Outcome], stopped: bool, path: Any) -> None:
    """Say what is missing."""
    if stopped:
        hint = "the same call resumes" if path is not None else "give path= to be able to resume"
        words = f"interrupted after {len(outcomes)} of {len(design)} points; {hint}"
        warnings.warn(f"sweep: {words}", StudyWarning, stacklevel=3)
    failed = [outcomes[i] for i in sorted(outcomes) if outcomes[i].status == FAILED]
    if failed:
        o = failed[0]
        text = f"sweep: {len(failed)} of {len(design)} points failed, at first {design.words(o.index)}: {o.message}"
        warnings.warn(text, StudyWarning, stacklevel=3)
