"""The side of a functional mock-up unit that pythonfmu3 calls: variables by name."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from cotree.io.fmu.model import UnitModel


def attach(unit: Any) -> None:
    """Give a unit its model, and one variable for each input and output."""
    from pythonfmu3 import Float64, Fmi3Causality, Fmi3Initial, Fmi3Variability

    unit.model = model = UnitModel(Path(unit.resources))
    unit.time = 0.0
    unit.register_variable(Float64("time", causality=Fmi3Causality.independent, variability=Fmi3Variability.continuous))
    for name in model.inputs:
        unit.register_variable(
            Float64(
                name, causality=Fmi3Causality.input, variability=Fmi3Variability.continuous,
                getter=partial(model.inputs.__getitem__, name), setter=partial(model.put, name),
            ),
            nested=False,
        )  # fmt: skip
    for name in model.outputs:
        unit.register_variable(
            Float64(
                name, causality=Fmi3Causality.output, variability=Fmi3Variability.continuous,
                initial=Fmi3Initial.calculated, getter=partial(model.get, name),
            ),
            nested=False,
        )  # fmt: skip
