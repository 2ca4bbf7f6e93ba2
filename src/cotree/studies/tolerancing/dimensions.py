"""Dimensions with tolerances, and the points at which a mechanism is measured for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ArgumentError, ShapeError
from cotree.model.checks import floats, shown
from cotree.studies.sweeps.design import RESERVED
from cotree.studies.sweeps.sampling import unit_points

Array = NDArray[np.float64]
SIGMAS = 3.0  # the band of a dimension is plus and minus this many standard deviations
FRACTIONS = (-1.0, -0.5, 0.5, 1.0)  # of half the band: where derivatives are measured


@dataclass(frozen=True)
class Dimension:
    """A nominal value, and by how much it may be smaller (lower, negative) and larger (upper)."""

    nominal: float
    lower: float
    upper: float

    @property
    def half(self) -> float:
        """Half the width of the band."""
        return (self.upper - self.lower) / 2.0

    @property
    def middle(self) -> float:
        return self.nominal + (self.upper + self.lower) / 2.0


def dimensions_of(given: Any) -> dict[str, Dimension]:
    """From {"length": (1.0, 0.001)} or {"length": (1.0, -0.001, 0.002)}."""
    if not isinstance(given, Mapping) or not given:
        raise ArgumentError(f"dimensions is {shown(given)}; give arguments of build by name, as a dict")
    found = {}
    for name, value in given.items():
        if not isinstance(name, str) or name in RESERVED:
            raise ArgumentError(f"dimension {shown(name)}: give a name other than {', '.join(RESERVED)}")
        x = floats(value)
        if x is None or x.shape not in ((2,), (3,)) or not np.isfinite(x).all():
            raise ShapeError(
                f"dimension {name!r} is {shown(value)}; give (nominal, tolerance) or (nominal, lower, upper deviation)"
            )
        d = Dimension(float(x[0]), float(-x[1] if len(x) == 2 else x[1]), float(x[-1]))
        if not d.lower <= 0.0 <= d.upper or not d.lower < d.upper:
            raise ShapeError(
                f"dimension {name!r} is {shown(value)}; deviations must lie on both sides of zero, or one be zero"
            )
        found[name] = d
    return found


def points(dimensions: dict[str, Dimension], samples: int, seed: int, distribution: str) -> dict[str, Array]:
    """Columns of a table: the nominal point, four points along each dimension, then the ensemble."""
    names = list(dimensions)
    steps = [(j, f) for j in range(len(names)) for f in FRACTIONS]
    unit = unit_points("latin", samples, len(names), seed)
    columns = {}
    for j, (name, d) in enumerate(dimensions.items()):
        along = [d.nominal + f * d.half if k == j else d.nominal for k, f in steps]
        columns[name] = np.concatenate([[d.nominal], along, drawn(d, unit[:, j], distribution)])
    return columns


def drawn(d: Dimension, unit: Array, distribution: str) -> Array:
    """Values of a dimension at quantiles: normal about the middle of the band, or uniform in it."""
    if distribution == "uniform":
        return d.middle + d.half * (2.0 * unit - 1.0)
    from scipy.special import ndtri

    return np.asarray(d.middle + d.half / SIGMAS * ndtri(unit))


def deviation(d: Dimension, distribution: str) -> float:
    """Standard deviation of a dimension."""
    return d.half / (np.sqrt(3.0) if distribution == "uniform" else SIGMAS)


def derivatives(dimensions: dict[str, Dimension], nominal: Array, values: Array) -> tuple[Array, Array]:
    """(results, dimensions): derivatives from values (4 per dimension, results), by differences extrapolated to a vanishing
    step; and by how much the values at the ends of each band differ from what they predict."""
    half = np.array([d.half for d in dimensions.values()])
    full = values.reshape(len(half), len(FRACTIONS), -1)
    outer = (full[:, 3] - full[:, 0]) / (2.0 * half[:, None])
    inner = (full[:, 2] - full[:, 1]) / half[:, None]
    slope = (4.0 * inner - outer) / 3.0
    ends = np.stack([full[:, 3] - nominal - slope * half[:, None], full[:, 0] - nominal + slope * half[:, None]])
    return slope.T, np.abs(ends).max(axis=0).T
