"""The points of a sweep: a grid of values, a table of them, or a sample of ranges and distributions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ArgumentError, ShapeError
from cotree.model.checks import choice, floats, shown
from cotree.studies.sweeps.sampling import MOST, SAMPLERS, unit_points

Column = NDArray[Any]
SAMPLING = ("grid", "table", *SAMPLERS)
RESERVED = ("status", "message", "warnings", "sample")


@dataclass(frozen=True, eq=False)
class Design:
    """columns: values of each parameter that varies, one per point; axes: of a grid, the values along each axis;
    fixed: parameters that are the same at all points."""

    sampling: str
    columns: dict[str, Column]
    axes: dict[str, Column]
    fixed: dict[str, Any]
    samples: int | None = None
    seed: int | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), (0,)))

    @property
    def shape(self) -> tuple[int, ...]:
        """Of a variable of the dataset."""
        return tuple(len(axis) for axis in self.axes.values()) if self.axes else (len(self),)

    def point(self, i: int) -> dict[str, Any]:
        """Arguments of `build` at one point, as plain numbers and words."""
        return {**self.fixed, **{name: column[i].item() for name, column in self.columns.items()}}

    def words(self, i: int) -> str:
        """One point in words, as "length=0.5, mass=2"."""
        return ", ".join(f"{k}={v:.6g}" if isinstance(v, float) else f"{k}={v!r}" for k, v in self.point(i).items())


def designed(parameters: Any, sampling: Any, samples: Any, seed: Any) -> Design:
    """The points that the arguments of `sweep` ask for."""
    choice(sampling, SAMPLING, "sampling")
    if not isinstance(parameters, Mapping) or not parameters:
        raise ArgumentError(f"parameters is {shown(parameters)}; give the arguments of build by name, as a dict")
    for name in parameters:
        if not isinstance(name, str) or name in RESERVED:
            raise ArgumentError(f"parameter {shown(name)}: give a name other than {', '.join(RESERVED)}")
    if sampling not in SAMPLERS:
        if samples is not None:
            raise ArgumentError(f"samples= is for {', '.join(SAMPLERS)}; sampling={sampling!r} takes all values given")
        return _of_values(parameters, sampling)
    if type(samples) is not int or not 0 < samples <= MOST:
        raise ShapeError(f"samples is {shown(samples)}; sampling={sampling!r} needs a number of points, up to {MOST}")
    return _sampled(parameters, sampling, samples, seed)


def _of_values(parameters: Mapping[str, Any], sampling: str) -> Design:
    fixed = {name: x for name, x in parameters.items() if isinstance(x, (str, bool, int, float, np.generic))}
    lists = {name: _values(name, x) for name, x in parameters.items() if name not in fixed}
    fixed = {name: x.item() if isinstance(x, np.generic) else x for name, x in fixed.items()}
    if not lists:
        raise ShapeError("all parameters have one value; give a list of values to at least one of them")
    if sampling == "table":
        if len({len(x) for x in lists.values()}) > 1:
            lengths = ", ".join(f"{name} has {len(x)}" for name, x in lists.items())
            raise ShapeError(f"the columns of a table must be of the same length: {lengths}")
        return Design(sampling, lists, {}, fixed)
    if math.prod(len(x) for x in lists.values()) > MOST:
        raise ShapeError(f"the grid has more than {MOST} points; give fewer values")
    mesh = np.meshgrid(*lists.values(), indexing="ij")
    return Design(sampling, {name: x.ravel() for name, x in zip(lists, mesh, strict=True)}, lists, fixed)


def _values(name: str, values: Any) -> Column:
    """A list of numbers or of words."""
    try:
        column = np.asarray(values)
    except (TypeError, ValueError):
        column = np.zeros(())
    if column.ndim != 1 or not len(column) or column.dtype.kind not in "biufU":
        raise ShapeError(f"parameter {name!r} is {shown(values)}; give a list of numbers or of words, or one value")
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        raise ShapeError(f"parameter {name!r} has values that are not finite")
    return column


def _sampled(parameters: Mapping[str, Any], sampling: str, samples: int, seed: int) -> Design:
    plain = (str, bool, int, float, np.generic)
    fixed = {name: x for name, x in parameters.items() if isinstance(x, plain)}
    ranges = {name: x for name, x in parameters.items() if name not in fixed}
    if not ranges:
        raise ShapeError("all parameters have one value; give a range or a distribution to at least one of them")
    unit = unit_points(sampling, samples, len(ranges), seed)
    columns = {name: _drawn(name, x, unit[:, k]) for k, (name, x) in enumerate(ranges.items())}
    fixed = {name: x.item() if isinstance(x, np.generic) else x for name, x in fixed.items()}
    return Design(sampling, columns, {}, fixed, samples, seed)


def _drawn(name: str, given: Any, unit: NDArray[np.float64]) -> Column:
    """Values at quantiles of a range or of a distribution of SciPy."""
    if hasattr(given, "ppf"):
        try:
            drawn = np.asarray(given.ppf(unit), dtype=float)
        except Exception as error:
            raise ShapeError(f"parameter {name!r}: the distribution cannot be sampled: {error}") from None
        if drawn.shape != unit.shape or not np.isfinite(drawn).all():
            raise ShapeError(f"parameter {name!r}: the distribution has values that are not finite")
        return drawn
    ends = floats(given)
    if ends is None or ends.shape != (2,) or not np.isfinite(ends).all() or not ends[0] < ends[1]:
        raise ShapeError(
            f"parameter {name!r} is {shown(given)}; give a range (lower, upper), or a distribution of scipy.stats such "
            "as norm(1.0, 0.01)"
        )
    return np.asarray(ends[0] + (ends[1] - ends[0]) * unit)
