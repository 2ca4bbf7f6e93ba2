"""Sobol indices of a sweep (SALib): which share of the variance of a result each parameter causes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cotree.errors import StudyError
from cotree.io.native.texts import package
from cotree.studies.sweeps.sampling import problem

if TYPE_CHECKING:
    import xarray


def sobol_indices(dataset: xarray.Dataset, seed: int = 0) -> xarray.Dataset:
    """First-order and total indices of all numbers that a sweep with sampling="saltelli" has measured.

    Variables name.first, name.total and name.first_confidence, name.total_confidence (half widths of intervals of 95 per cent,
    by resampling) over the dimension `parameter`. A parameter with a total index near zero does not matter.
    """
    xarray = package("xarray", "sweep")
    if dataset.attrs.get("sampling") != "saltelli":
        raise StudyError(
            f"Sobol indices need a sweep with sampling='saltelli'; this one has {dataset.attrs.get('sampling')!r}"
        )
    bad = int((dataset.status != "done").sum())
    if bad:
        raise StudyError(f"Sobol indices need all points, and {bad} failed or are missing; see the variable message")
    package("SALib", "sweep")
    from SALib.analyze import sobol

    names = [str(n) for n, c in dataset.coords.items() if c.dims == ("sample",)]
    variables: dict[str, Any] = {}
    for name, values in dataset.data_vars.items():
        if values.dims != ("sample",) or values.dtype.kind not in "biuf":
            continue
        y = values.values.astype(float)
        spread = float(y.std())
        if spread <= 1e-14 * float(np.abs(y).max(initial=0.0)):  # nothing to be shared out
            found = {key: np.zeros(len(names)) for key in ("S1", "ST", "S1_conf", "ST_conf")}
        else:
            y = (y - y.mean()) / spread
            found = sobol.analyze(problem(names), y, calc_second_order=False, seed=seed)
        words = {"first": "S1", "total": "ST", "first_confidence": "S1_conf", "total_confidence": "ST_conf"}
        variables |= {f"{name}.{word}": ("parameter", np.asarray(found[key])) for word, key in words.items()}
    return xarray.Dataset(variables, {"parameter": names})
