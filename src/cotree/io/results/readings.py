"""Readings of sensors as tables and files, their columns by name."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ArgumentError
from cotree.io.atomic import write_utf8
from cotree.io.native.texts import package
from cotree.io.paths import path_of
from cotree.model.checks import shown
from cotree.sensors.reading import Reading

Array = NDArray[np.float64]


def columns_of(readings: tuple[Reading, ...]) -> tuple[Array, dict[str, Array], dict[str, str]]:
    """(times, columns by name, units by name) of readings of the same states."""
    if not readings or not all(isinstance(r, Reading) for r in readings):
        raise ArgumentError(f"give readings of sensors, such as run.joint('A'); got {shown(readings)}")
    t = np.atleast_1d(readings[0].source.t)
    columns: dict[str, Array] = {}
    units: dict[str, str] = {}
    for reading in readings:
        if not np.array_equal(np.atleast_1d(reading.source.t), t):
            raise ArgumentError(f"{reading.name!r} and {readings[0].name!r} are readings of different times")
        columns |= reading.columns()
        units |= reading.column_units()
    return t, columns, units


def to_dataframe(*readings: Reading) -> Any:
    """pandas table over time of all quantities of these readings."""
    pandas = package("pandas", "results")
    t, columns, units = columns_of(readings)
    table = pandas.DataFrame(columns, index=pandas.Index(t, name="time"))
    table.attrs["units"] = units
    return table


def to_xarray(*readings: Reading) -> Any:
    """xarray dataset over time of all quantities of these readings."""
    xarray = package("xarray", "results")
    t, columns, units = columns_of(readings)
    variables = {name: ("time", values, {"units": units[name]}) for name, values in columns.items()}
    return xarray.Dataset(variables, {"time": ("time", t, {"units": "s"})})


def to_csv(path: str | Path, *readings: Reading) -> None:
    """Write all quantities of these readings over time; the first line has names and units."""
    t, columns, units = columns_of(readings)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(["time [s]", *(f"{name} [{units[name]}]" for name in columns)])
    writer.writerows([repr(float(x)) for x in row] for row in np.column_stack([t, *columns.values()]))
    write_utf8(path_of(path, "to_csv(path, *readings)"), text.getvalue())
