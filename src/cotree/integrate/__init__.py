"""Munthe-Kaas integration, stabilization, events, and the driver."""

from typing import TYPE_CHECKING, Any

from cotree.errors import MissingAttributeError
from cotree.integrate.choices import (
    RK4,
    Adaptive,
    Baumgarte,
    CommutatorFree4,
    CrouchGrossman3,
    Dop853,
    Dopri5,
    Euler,
    GeneralizedAlpha,
    Midpoint,
    MoreauJean,
    NoStabilization,
    Partition,
    Projection,
    Rattlie,
)
from cotree.integrate.events.event import Event
from cotree.integrate.many import Runs, simulate_many
from cotree.integrate.results.run import Run
from cotree.integrate.simulate import simulate
from cotree.integrate.stepper.stepper import Stepper

if TYPE_CHECKING:
    from cotree.integrate.stepper.batch import BatchStepper

__all__ = [
    "RK4", "Adaptive", "BatchStepper", "Baumgarte", "CommutatorFree4", "CrouchGrossman3", "Dop853", "Dopri5", "Euler",
    "Event", "GeneralizedAlpha", "Midpoint", "MoreauJean",
    "NoStabilization", "Partition", "Projection", "Rattlie", "Run", "Runs",
    "Stepper", "simulate", "simulate_many",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """What needs lanes is loaded when it is asked for: they take Numba's compiler."""
    if name != "BatchStepper":
        raise MissingAttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    from cotree.integrate.stepper.batch import BatchStepper

    return BatchStepper


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
