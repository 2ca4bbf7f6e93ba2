"""`tolerances`: worst case by derivatives, statistics by an ensemble, of whatever can be measured of a mechanism."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cotree._shown import Shown
from cotree.errors import ArgumentError, ShapeError, StudyError, StudyWarning
from cotree.model.checks import choice, floats, shown
from cotree.model.mechanism import Mechanism, nearest
from cotree.studies.sweeps.sweeping import sweep
from cotree.studies.tolerancing.dimensions import Dimension, derivatives, deviation, dimensions_of, points
from cotree.system.system import System

if TYPE_CHECKING:
    import distributed
    import xarray
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
CURVED = 0.1  # of the half width: by so much the worst case may differ from what derivatives predict


@dataclass(frozen=True, eq=False)
class Result:
    """One number that was measured. slopes: derivative by each dimension; worst: smallest and largest value by derivatives;
    corners: what was measured with all dimensions at the ends of their bands that these belong to; mean, std: of the ensemble;
    rss: standard deviation by derivatives; shares: part of its square for each dimension; limits; rejected: part of
    the ensemble outside of the limits; bend: by how much the ends of all bands together differ from straight lines."""

    name: str
    nominal: float
    slopes: dict[str, float]
    worst: tuple[float, float]
    corners: tuple[float, float]
    mean: float
    std: float
    rss: float
    shares: dict[str, float]
    limits: tuple[float, float] | None = None
    rejected: float | None = None
    bend: float = 0.0

    @property
    def curved(self) -> bool:
        """Whether derivatives do not suffice: corners, or ends of single bands, differ from what they predict by a tenth of
        the half width."""
        width = (self.worst[1] - self.worst[0]) / 2.0
        away = max(abs(a - b) for a, b in zip(self.worst, self.corners, strict=True))
        rounding = 1e-12 * abs(self.nominal)
        return bool(max(away, self.bend) > CURVED * width + rounding)

    @property
    def extremes(self) -> tuple[float, float]:
        """Smallest and largest value, the wider of prediction and measurement at the corners."""
        return min(self.worst[0], self.corners[0]), max(self.worst[1], self.corners[1])


@dataclass(frozen=True, eq=False)
class Tolerances(Shown):
    """A tolerance analysis. results by name; ensemble: the dataset of all its points; failed: how many of them failed."""

    dimensions: dict[str, Dimension]
    distribution: str
    results: dict[str, Result]
    ensemble: xarray.Dataset = field(repr=False)
    failed: int

    def __getitem__(self, name: str) -> Result:
        if name not in self.results:
            raise ArgumentError(f"there is no result {shown(name)}{nearest(str(name), list(self.results))}")
        return self.results[name]

    def __str__(self) -> str:
        done = self.ensemble.sizes["sample"] - self.failed
        lines = [f"tolerances of {len(self.dimensions)} dimensions, ensemble of {done} ({self.distribution})"]
        for r in self.results.values():
            low, high = r.extremes
            lines.append(f"{r.name}: {r.nominal:.6g}, worst case {low:.6g} to {high:.6g}, "
                         f"ensemble {r.mean:.6g} ± {3 * r.std:.3g} (3 standard deviations)")  # fmt: skip
            by = sorted(r.shares.items(), key=lambda x: -x[1])[:3]
            lines.append("  due to " + ", ".join(f"{name} {100 * share:.0f} %" for name, share in by))
            if r.limits is not None:
                kept = "kept" if r.limits[0] <= low and high <= r.limits[1] else "exceeded"
                lines.append(f"  limits {r.limits[0]:g} to {r.limits[1]:g}: {kept} in the worst case, "
                             f"{100 * (r.rejected or 0.0):.3g} % of the ensemble outside")  # fmt: skip
            if r.curved:
                lines.append("  derivatives do not suffice: values differ from their prediction by more than a tenth")
        if self.failed:
            lines.append(f"{self.failed} points of the ensemble failed; see ensemble.message")
        return "\n  ".join(lines)

    def plot(self, path: Any = None) -> Figure:
        """Figure: the ensemble of each result with worst case and limits, and the share of each dimension."""
        return import_module("cotree.studies.tolerancing.report").plot_tolerances(self, path)

    def html(self, path: str | Path) -> None:
        """Write the report as one page."""
        import_module("cotree.studies.tolerancing.report").write_tolerances(self, path)


def tolerances(
    build: Callable[..., Mechanism | System],
    dimensions: Mapping[str, Any],
    measure: Callable[..., Any],
    *,
    t_end: float | None = None,
    limits: Mapping[str, Any] | None = None,
    distribution: str = "normal",
    samples: int = 256,
    seed: int = 0,
    client: distributed.Client | str | None = None,
    workers: int | None = None,
    path: str | Path | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Tolerances:
    """Compute what tolerances of dimensions do to positions, reactions, torques or whatever is measured.

    Worst case: derivatives by each dimension give the ends of all bands at which a result is
    smallest and largest; it is measured there too. Statistics: an ensemble of points.

    Parameters
    ----------
    build : callable
        Function that returns a mechanism.
    dimensions : dict
        Arguments of build: (nominal, tolerance), or (nominal, lower, upper deviation).
    measure : callable
        As for `sweep`; it returns a number, an array or a dict of these.
    t_end : float, optional
        As for `sweep`.
    limits : dict, optional
        {result: (lower, upper)}, to be kept.
    distribution : str, optional
        "normal" with a band of plus and minus three standard deviations, or "uniform".
    samples : int, optional
        Size of the ensemble (Latin hypercube).
    seed : int, optional
        The same seed gives the same points.
    client : Client or str, optional
        As for `sweep`.
    workers : int, optional
        As for `sweep`.
    path : str or path, optional
        As for `sweep`.
    progress : bool, optional
        As for `sweep`.
    **options : object
        As for `simulate`.

    Returns
    -------
    Tolerances
        Worst cases, statistics and shares of variance; `print` shows them.

    Examples
    --------
    >>> def build(length=0.5):
    ...     return ct.gallery.pendulum_chain(1, length=length)
    >>> study = ct.tolerances(build, {"length": (0.5, 0.01)}, lambda m: len(m.bodies), samples=4, workers=1, progress=False)
    >>> len(str(study)) > 0
    True
    """
    given = dimensions_of(dimensions)
    choice(distribution, ("normal", "uniform"), "distribution")
    if type(samples) is not int or not 2 <= samples <= 1_000_000:
        raise ShapeError(f"samples is {shown(samples)}; give a number of points, 2 or more")
    common = {
        "t_end": t_end,
        "client": client,
        "workers": workers,
        "progress": progress,
        "sampling": "table",
        **options,
    }
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"sweep: \d+ of", StudyWarning)  # failures are reported below
        columns = points(given, samples, seed, distribution)
        table = sweep(build, columns, measure, path=path, **common)
        first = 1 + 4 * len(given)
        _check(table, first)
        names, values = _flat(table)
        asked = _limits(limits, names)
        slopes, bends = derivatives(given, values[0], values[1:first])
        corner = _corners(given, slopes)
        second = sweep(build, corner, measure, path=None if path is None else f"{path}.corners", **common)
        _check(second, 2 * len(names))
    ends = _flat(second)[1]
    good = values[first:][table.status.values[first:] == "done"]
    if len(good) < 2:
        raise StudyError(
            f"tolerances: {len(good)} of {samples} points of the ensemble have a result; narrow the tolerances"
        )
    results = {}
    for r, name in enumerate(names):
        at_ends = float(ends[2 * r, r]), float(ends[2 * r + 1, r])
        results[name] = _result(
            name,
            given,
            distribution,
            float(values[0, r]),
            slopes[r],
            at_ends,
            good[:, r],
            asked.get(name),
            float(bends[r].sum()),
        )
    ensemble = table.isel(sample=slice(first, None))
    return Tolerances(given, distribution, results, ensemble, int((ensemble.status != "done").sum()))


def _result(
    name: str, given: dict[str, Dimension], distribution: str, nominal: float, slopes: Array, corners: tuple[float, float],
    ensemble: Array, limits: tuple[float, float] | None, bend: float,
) -> Result:  # fmt: skip
    low, high = (np.array([getattr(d, side) for d in given.values()]) for side in ("lower", "upper"))
    worst = (
        nominal + np.minimum(slopes * low, slopes * high).sum(),
        nominal + np.maximum(slopes * low, slopes * high).sum(),
    )
    parts = (slopes * [deviation(d, distribution) for d in given.values()]) ** 2
    shares = parts / parts.sum() if parts.sum() > 0.0 else parts
    outside = None if limits is None else float(((ensemble < limits[0]) | (ensemble > limits[1])).mean())
    return Result(
        name, nominal, dict(zip(given, slopes.tolist(), strict=True)), (float(worst[0]), float(worst[1])), corners,
        float(ensemble.mean()), float(ensemble.std(ddof=1)), float(np.sqrt(parts.sum())),
        dict(zip(given, shares.tolist(), strict=True)), limits, outside, bend,
    )  # fmt: skip


def _corners(given: dict[str, Dimension], slopes: Array) -> dict[str, Array]:
    """For each result the dimensions that make it smallest, then those that make it largest."""
    columns = {}
    for j, (name, d) in enumerate(given.items()):
        up = slopes[:, j] > 0.0
        smallest = np.where(up, d.nominal + d.lower, d.nominal + d.upper)
        largest = np.where(up, d.nominal + d.upper, d.nominal + d.lower)
        columns[name] = np.stack([smallest, largest], axis=1).ravel()
    return columns


def _flat(table: xarray.Dataset) -> tuple[list[str], Array]:
    """Names of all numbers that were measured, and (points, numbers); entries of arrays are name[0] and so on."""
    names, columns = [], []
    for name, values in table.data_vars.items():
        if name in ("status", "message", "warnings"):
            continue
        if values.dtype.kind not in "biuf":
            raise StudyError(f"tolerances: measure returned {values.dtype} for {name!r}; it must return real numbers")
        flat = values.values.reshape(len(values), -1).astype(float)
        index = list(np.ndindex(values.shape[1:]))
        names += [f"{name}[{', '.join(map(str, i))}]" if i else str(name) for i in index]
        columns.append(flat)
    return names, np.concatenate(columns, axis=1)


def _check(table: xarray.Dataset, count: int) -> None:
    """The first points, which derivatives and worst cases are made of, must be there."""
    status = table.status.values
    if (status == "missing").any():  # sweep has said that it was interrupted
        again = KeyboardInterrupt()
        raise again
    bad = [i for i in range(count) if status[i] != "done"]
    if bad:
        i = bad[0]
        at = ", ".join(f"{name}={float(c[i]):.6g}" for name, c in table.coords.items() if c.dims == ("sample",))
        raise StudyError(f"tolerances: no result at {at}: {table.message.values[i]}; narrow the tolerances")


def _limits(limits: Any, names: list[str]) -> dict[str, tuple[float, float]]:
    if limits is None:
        return {}
    if not isinstance(limits, Mapping):
        raise ArgumentError(f"limits is {shown(limits)}; give (lower, upper) by result, as a dict")
    found = {}
    for name, value in limits.items():
        x = floats(value)
        if name not in names:
            raise ArgumentError(f"limits: there is no result {shown(name)}{nearest(str(name), names)}")
        if x is None or x.shape != (2,) or np.isnan(x).any() or not x[0] < x[1]:
            raise ShapeError(f"limits of {name!r} are {shown(value)}; give (lower, upper)")
        found[name] = (float(x[0]), float(x[1]))
    return found
