"""What a worker does: build the mechanisms of a few points, run them if asked to, measure, and catch what fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree import __version__
from cotree.integrate.many import simulate_many
from cotree.integrate.results.run import Run
from cotree.integrate.simulate import simulate
from cotree.model.checks import shown
from cotree.model.mechanism import Mechanism
from cotree.studies.sweeps.design import RESERVED
from cotree.studies.sweeps.noticed import noticed
from cotree.system.system import System

Values = dict[str, NDArray[Any]]
Point = dict[str, Any]
DONE, FAILED, WRONG = "done", "failed", "wrong"  # wrong: a mistake in the functions, which ends the sweep


@dataclass(frozen=True)
class Study:
    """What is done at each point. t_end, options: of the run that is measured; without t_end the mechanism itself is."""

    build: Callable[..., Any]
    measure: Callable[..., Any]
    t_end: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What came out at one point."""

    index: int
    status: str
    message: str = ""
    warnings: str = ""
    values: Values = field(default_factory=dict)


@lru_cache(maxsize=4)
def _opened(packed: bytes) -> Study:
    import pickle

    study: Study = pickle.loads(packed)
    return study


def evaluate_packed(packed: bytes, version: str, indices: Sequence[int], points: Sequence[Point]) -> list[Outcome]:
    """As `evaluate`, in another process, which must have the same version of Cotree."""
    if version != __version__:
        return [
            Outcome(
                indices[0], WRONG, f"a worker has Cotree {__version__}, and this process {version}; install the same"
            )
        ]
    try:
        study = _opened(packed)
    except Exception as error:
        return [Outcome(indices[0], WRONG, f"the functions cannot be loaded in a worker process: {_words(error)}")]
    return evaluate(study, indices, points)


def evaluate(study: Study, indices: Sequence[int], points: Sequence[Point]) -> list[Outcome]:
    """Results of a few points; with t_end, their motions are computed together."""
    if study.t_end is not None and len(points) > 1:
        made = _together(study, indices, points)
        if made is not None:
            return made
    return [_one(study, i, point) for i, point in zip(indices, points, strict=True)]


def _together(study: Study, indices: Sequence[int], points: Sequence[Point]) -> list[Outcome] | None:
    """All runs by one call; None where anything fails, so that each point is tried alone."""
    assert study.t_end is not None
    try:
        with noticed() as texts:
            built = [study.build(**point) for point in points]
            if texts or not all(isinstance(b, Mechanism) for b in built):
                return None
            runs = simulate_many(
                lambda k: built[k], study.t_end, parameters={"k": range(len(built))}, threads=1, **study.options
            )
    except Exception:
        return None
    if any(isinstance(run, Run) and run.status == "interrupted" for run in runs.members):
        again = KeyboardInterrupt()
        raise again
    if any(not isinstance(run, Run) or run.status == "failed" for run in runs.members):
        return None
    return [_measured(study, i, run) for i, run in zip(indices, runs.members, strict=True)]


def _one(study: Study, index: int, point: Point) -> Outcome:
    """One point; whatever is raised is its message."""
    with noticed() as texts:
        try:
            built = study.build(**point)
            if not isinstance(built, Mechanism | System):
                return Outcome(index, WRONG, f"build returned {shown(built)}; it must return a Mechanism")
            if study.t_end is None:
                return _measured(study, index, built, texts)
            run = simulate(built, study.t_end, progress=False, **study.options)
        except Exception as error:
            return Outcome(index, FAILED, _words(error), "\n".join(texts))
        if run.status == "interrupted":
            again = KeyboardInterrupt()
            raise again
        if run.status == "failed":
            return Outcome(index, FAILED, run.message, _joined(texts, run))
        return _measured(study, index, run, texts)


def _measured(study: Study, index: int, thing: Any, texts: Sequence[str] = ()) -> Outcome:
    """What `measure` makes of a mechanism or of a run."""
    with noticed() as met:
        try:
            returned = study.measure(thing)
        except Exception as error:
            return Outcome(index, FAILED, f"measure: {_words(error)}", _joined([*texts, *met], thing))
    named = dict(returned) if isinstance(returned, Mapping) else {"value": returned}
    values = {name: _array(x) for name, x in named.items()}
    bad = [name for name, x in values.items() if x is None or not isinstance(name, str) or name in RESERVED]
    if bad or not values:
        given = shown(returned if not bad or returned is named.get("value") else named[bad[0]])
        return Outcome(
            index, WRONG, f"measure returned {given}{f' for {bad[0]!r}' if bad and len(named) > 1 else ''}; it must return "
            f"numbers, an array of numbers, or a dict of them by name, other than {', '.join(RESERVED)}",
        )  # fmt: skip
    return Outcome(index, DONE, "", _joined([*texts, *met], thing), {k: x for k, x in values.items() if x is not None})


def _array(x: Any) -> NDArray[Any] | None:
    """A copy of numbers, truths or words; None of anything else."""
    try:
        made = np.array(x)
    except (TypeError, ValueError):
        return None
    return made if made.dtype.kind in "biufcU" else None


def _joined(texts: Sequence[str], thing: Any) -> str:
    """Warnings, each once, with those of a run."""
    of_run = map(str, thing.warnings) if isinstance(thing, Run) else ()
    return "\n".join(dict.fromkeys([*texts, *of_run]))


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
