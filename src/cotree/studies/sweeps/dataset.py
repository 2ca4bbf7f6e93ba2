"""Results of a sweep as one labelled dataset: parameters are coordinates, measurements variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cotree import __version__
from cotree.io.native.texts import package
from cotree.studies.sweeps.design import Design
from cotree.studies.sweeps.task import DONE, Outcome

if TYPE_CHECKING:
    import xarray

MISSING = "missing"


def dataset(design: Design, outcomes: Mapping[int, Outcome]) -> xarray.Dataset:
    """Of a grid with one dimension per parameter, else with the dimension `sample`. Values that failed are NaN (of words:
    empty); `status` is "done", "failed" or "missing", `message` says why, `warnings` lists doubts, one per line."""
    xarray = package("xarray", "sweep")
    dims = tuple(design.axes) or ("sample",)
    good = [o for _, o in sorted(outcomes.items()) if o.status == DONE]
    names = list(dict.fromkeys(name for o in good for name in o.values))
    variables: dict[str, Any] = {}
    for name in names:
        values = _stacked([outcomes[i].values.get(name) if i in outcomes else None for i in range(len(design))])
        own = tuple(f"{name}_{k}" for k in range(values.ndim - 1))
        variables[name] = ((*dims, *own), values.reshape(design.shape + values.shape[1:]))
    for word, default in (("status", MISSING), ("message", ""), ("warnings", "")):
        texts = [getattr(outcomes[i], word) if i in outcomes else default for i in range(len(design))]
        variables[word] = (dims, np.array(texts, dtype=str if word == "status" else object).reshape(design.shape))
    coordinates: dict[str, Any] = dict(design.axes) or {name: ("sample", x) for name, x in design.columns.items()}
    about: dict[str, Any] = {"sampling": design.sampling, "cotree": __version__}
    about |= {k: v for k, v in (("samples", design.samples), ("seed", design.seed)) if v is not None}
    return xarray.Dataset(variables, {**coordinates, **design.fixed}, about)


def _stacked(values: list[NDArray[Any] | None]) -> NDArray[Any]:
    """One array of all points; where some are missing, numbers become floats and gaps NaN."""
    known = [x for x in values if x is not None]
    kind = np.result_type(*{x.dtype for x in known})
    blank: Any = "" if kind.kind == "U" else np.nan
    if len(known) < len(values) and kind.kind in "biu":
        kind = np.dtype(float)
    gap = np.full(known[0].shape, blank, dtype=kind) if len(known) < len(values) else None
    return np.array([gap if x is None else x for x in values], dtype=kind)
