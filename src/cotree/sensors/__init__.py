"""Sensors: what an engineer reads of a motion, by name: points, joints, reactions, forces and work of elements."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from cotree._suggested import missing
from cotree.sensors.measuring import measure
from cotree.sensors.sensors import Sensors

__all__ = ["Sensors", "measure", "to_csv", "to_dataframe", "to_xarray"]


def __getattr__(name: str) -> Any:
    if name in ("to_csv", "to_dataframe", "to_xarray"):  # of a higher layer, loaded when they are called
        return getattr(import_module("cotree.io.results.readings"), name)
    raise missing(f"module {__name__!r}", name, __all__, {})


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
