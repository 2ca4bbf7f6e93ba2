"""What a sensor gives: arrays by name, with their units and the times that they belong to."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cotree._suggested import Suggesting
from cotree.lie.varied import as_array

Array = NDArray[np.float64]
AXES = ("x", "y", "z")


class Reading(Suggesting):
    """Base: a source of states, a name, and the quantities of `units`, each of which is an attribute.

    Quantities are computed when they are first asked for. A reading of one state has no time axis.
    """

    units: ClassVar[dict[str, str]] = {}

    def __init__(self, source: Any, name: str) -> None:
        self.source, self.name = source, name

    @property
    def t(self) -> Array:
        """The times (T,) [s]; one number for one state."""
        return self._shown(self.source.t)

    def _shown(self, x: Array) -> Array:
        shown: Array = as_array(x[0] if self.source.single else x)
        return shown

    def _labels(self, quantity: str, width: int) -> list[str]:
        """Names of the columns of a quantity."""
        if width == 3:
            return [f"{self.name}.{quantity}.{axis}" for axis in AXES]
        return [f"{self.name}.{quantity}.{k}" for k in range(width)]

    def columns(self) -> dict[str, Array]:
        """All quantities as columns (T,), by names such as "A.angle" and "tip.velocity.x"."""
        out: dict[str, Array] = {}
        for quantity in self.units:
            values = np.asarray(getattr(self, quantity))
            if self.source.single:
                values = values[None]
            if values.ndim == 1:
                out[f"{self.name}.{quantity}"] = values
            else:
                flat = values.reshape(len(values), -1)
                out |= dict(zip(self._labels(quantity, flat.shape[1]), flat.T, strict=True))
        return out

    def column_units(self) -> dict[str, str]:
        """The unit of each of the columns."""
        return {name: self._unit_of(name) for name in self.columns()}

    def _unit_of(self, column: str) -> str:
        quantity = column[len(self.name) + 1 :].partition(".")[0]
        return self.units[quantity]

    def to_dataframe(self) -> Any:
        """Table over time (pandas), one column per number."""
        return _in_results("to_dataframe")(self)

    def to_xarray(self) -> Any:
        """Dataset over time (xarray), one variable a column, with units."""
        return _in_results("to_xarray")(self)

    def to_csv(self, path: str | Path) -> None:
        """Write the columns over time, with a first line of names and units."""
        _in_results("to_csv")(path, self)

    def plot(self, path: str | Path | None = None) -> Any:
        """Figure of all quantities over time (matplotlib); written to `path` when that is given."""
        return import_module("cotree.view.reading_plots").plot_readings(self, path=path)

    def __repr__(self) -> str:
        parts = ", ".join(f"{q} [{u}]" for q, u in self.units.items())
        rows = "one state" if self.source.single else f"{len(self.source.t)} times"
        return f"<{type(self).__name__} {self.name!r}: {parts}; {rows}>"


def _in_results(name: str) -> Any:
    """A function of a higher layer, loaded when it is called."""
    return getattr(import_module("cotree.io.results.readings"), name)
