"""Methods, stabilizations and steps as values, each with its own options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from cotree.errors import ArgumentError, ShapeError
from cotree.formulations.choices import FORMULATION_VALUES, Choice
from cotree.integrate.tolerances import positive
from cotree.model.checks import choice, floats, several, shown

TRANSITIONS = ("consistent", "naive")
LEVELS = ("position", "velocity")


@dataclass(frozen=True, repr=False)
class Adaptive(Choice):
    """Step sizes that follow the tolerances.

    With user functions in forces, drives or constraints no step is longer than 1/500 of the run
    by default, since what happens between two steps is not seen.

    Parameters
    ----------
    max_step : float, optional
        Longest step [s]; not limited by default.

    Examples
    --------
    >>> run = ct.simulate(ct.gallery.four_bar(), 1.0, step=ct.Adaptive(max_step=0.01), output=2)
    >>> run.statistics["steps"] >= 100
    True
    """

    max_step: float | None = None

    def __post_init__(self) -> None:
        if self.max_step is not None and self.max_step != np.inf:
            positive("max_step", self.max_step)


class MethodChoice(Choice):
    """A method of integration with its options."""


class Euler(MethodChoice):
    """Explicit Euler method of order 1, with fixed steps (method="euler").

    Examples
    --------
    >>> ct.Euler().word
    'euler'
    """

    word = "euler"


class Midpoint(MethodChoice):
    """Explicit midpoint rule of order 2, with fixed steps (method="midpoint").

    Examples
    --------
    >>> ct.Midpoint().word
    'midpoint'
    """

    word = "midpoint"


class RK4(MethodChoice):
    """Classical Runge-Kutta method of order 4, with fixed steps (method="rk4").

    It is what "auto" takes with a step.

    Examples
    --------
    >>> ct.RK4().word
    'rk4'
    """

    word = "rk4"


class Dopri5(MethodChoice):
    """Dormand-Prince method of order 5, adaptive or with fixed steps (method="dopri5").

    It is what "auto" takes without a step.

    Examples
    --------
    >>> ct.Dopri5().word
    'dopri5'
    """

    word = "dopri5"


class Dop853(MethodChoice):
    """Dormand-Prince method of order 8, adaptive or with fixed steps (method="dop853").

    Examples
    --------
    >>> ct.Dop853().word
    'dop853'
    """

    word = "dop853"


class CommutatorFree4(MethodChoice):
    """Commutator-free Lie group method of order 4, with fixed steps (method="commutator-free4").

    Examples
    --------
    >>> ct.CommutatorFree4().word
    'commutator-free4'
    """

    word = "commutator-free4"


class MoreauJean(MethodChoice):
    """Time stepping of Moreau and Jean through contacts, with fixed steps (method="moreau-jean").

    Order 2 between impacts and 1 through them. Runs with contact="stepping" take it.

    Examples
    --------
    >>> ct.MoreauJean().word
    'moreau-jean'
    """

    word = "moreau-jean"


class CrouchGrossman3(MethodChoice):
    """Crouch-Grossman Lie group method of order 3, with fixed steps (method="crouch-grossman3").

    Examples
    --------
    >>> ct.CrouchGrossman3().word
    'crouch-grossman3'
    """

    word = "crouch-grossman3"


@dataclass(frozen=True, repr=False)
class GeneralizedAlpha(MethodChoice):
    """Implicit generalized-alpha method, adaptive or with fixed steps (method="generalized-alpha").

    It is for stiff systems.

    Parameters
    ----------
    spectral_radius : float, optional
        1 leaves motions too fast for the step undamped, 0 removes them at once.

    Examples
    --------
    >>> run = ct.simulate(ct.gallery.four_bar(), 0.1, step=0.01, method=ct.GeneralizedAlpha(spectral_radius=0.6))
    >>> run.settings.method, run.settings.spectral_radius
    ('generalized-alpha', 0.6)
    """

    spectral_radius: float = 0.8
    word = "generalized-alpha"

    def __post_init__(self) -> None:
        a = floats(self.spectral_radius) if isinstance(self.spectral_radius, (int, float, np.number)) else None
        if a is None or not 0.0 <= a <= 1.0:
            raise ShapeError(
                f"spectral_radius is {shown(self.spectral_radius)}; give a number from 0 (unresolved fast motions "
                f"are damped out at once) to 1 (no numerical damping)"
            )
        object.__setattr__(self, "spectral_radius", float(a))


class Rattlie(MethodChoice):
    """Implicit symplectic Lie group method of order 2, with fixed steps (method="rattlie").

    Energy does not drift. It needs a constant mass matrix, as in absolute coordinates.

    Examples
    --------
    >>> ct.Rattlie().word
    'rattlie'
    """

    word = "rattlie"


@dataclass(frozen=True, repr=False)
class StabilizationChoice(Choice):
    """How states are kept on the constraints. transitions: how velocities jump where locks, docks and constraints close in the
    course of a run: "consistent" keeps momentum [VTM], "naive" sets the rates of what locks to zero and leaves the others, as
    other programs do."""

    _: KW_ONLY
    transitions: str = "consistent"

    def __post_init__(self) -> None:
        choice(self.transitions, TRANSITIONS, "transitions")


@dataclass(frozen=True, repr=False)
class Projecting(StabilizationChoice):
    """What projects states. above: those whose constraint equations have no error larger than this, in metres, radians and per
    second, are left as they are [Geo 5.3]; by default each step is corrected."""

    above: float | None = None
    names = MappingProxyType({"above": "stabilize_above"})

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.above is not None:
            object.__setattr__(self, "above", positive("above", self.above))


class Projection(Projecting):
    """Stabilization by projection onto the constraints (stabilize="projection", and "auto").

    Parameters
    ----------
    above : float, optional
        Correct only where the error of the constraints, in metres, radians and per second,
        is larger than this; each step by default.
    transitions : str, optional
        How velocities jump where joints lock: "consistent" conserves momentum, "naive" sets
        the locked rates to zero.

    Examples
    --------
    >>> run = ct.simulate(ct.gallery.four_bar(), 1.0, stabilize=ct.Projection(above=1e-6))
    >>> bool(run.violation.max() < 1e-5)
    True
    """

    word = "projection"


@dataclass(frozen=True, repr=False)
class Partition(Projecting):
    """Stabilization that corrects dependent coordinates only (stabilize="partition") [Geo 5.3].

    Parameters
    ----------
    above : float, optional
        Correct only where the error of the constraints is larger than this; each step by
        default.
    position : sequence of str, optional
        Dependent coordinates at position level, chosen by default.
    velocity : sequence of str, optional
        Dependent coordinates at velocity level, chosen by default.
    transitions : str, optional
        How velocities jump where joints lock: "consistent" conserves momentum, "naive" sets
        the locked rates to zero.

    Examples
    --------
    >>> ct.Partition(position=["B", "C"]).position
    ('B', 'C')
    """

    position: Sequence[str] | None = None
    velocity: Sequence[str] | None = None
    word = "partition"

    def __post_init__(self) -> None:
        super().__post_init__()
        for level in LEVELS:
            if getattr(self, level) is not None:
                object.__setattr__(self, level, several(getattr(self, level), "partition"))

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Choice:
        given = settings.get("partition")
        if given is not None and not isinstance(given, Mapping):
            raise ArgumentError(
                f"partition is {shown(given)}; give a dict, " + "{'position': [...], 'velocity': [...]}"
            )
        named = {choice(level, LEVELS, "partition level"): names for level, names in (given or {}).items()}
        return super().from_settings({**settings, **named})

    @property
    def settings(self) -> dict[str, Any]:
        named = {level: getattr(self, level) for level in LEVELS if getattr(self, level) is not None}
        return {"stabilize_above": self.above, "transitions": self.transitions, "partition": named or None}


@dataclass(frozen=True, repr=False)
class Baumgarte(StabilizationChoice):
    """Stabilization by restoring terms in the accelerations, for comparison (stabilize="baumgarte").

    Parameters
    ----------
    rate : float, optional
        Rate at which errors of the constraints decay [1/s].
    transitions : str, optional
        How velocities jump where joints lock: "consistent" conserves momentum, "naive" sets
        the locked rates to zero.

    Examples
    --------
    >>> run = ct.simulate(ct.gallery.four_bar(), 0.1, stabilize=ct.Baumgarte(15.0))
    >>> run.settings.stabilize, run.settings.baumgarte
    ('baumgarte', 15.0)
    """

    rate: float = 20.0
    word = "baumgarte"
    names = MappingProxyType({"rate": "baumgarte"})

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "rate", positive("rate", self.rate))


class NoStabilization(StabilizationChoice):
    """No stabilization: states drift off the constraints (stabilize="none").

    Parameters
    ----------
    transitions : str, optional
        How velocities jump where joints lock: "consistent" conserves momentum, "naive" sets
        the locked rates to zero.

    Examples
    --------
    >>> ct.NoStabilization().word
    'none'
    """

    word = "none"


VALUES: dict[str, dict[str, type[Choice]]] = {
    "method": {
        x.word: x
        for x in (
            Euler,
            Midpoint,
            RK4,
            Dopri5,
            Dop853,
            CommutatorFree4,
            CrouchGrossman3,
            GeneralizedAlpha,
            MoreauJean,
            Rattlie,
        )
    },
    "formulation": FORMULATION_VALUES,
    "stabilize": {"auto": Projection} | {x.word: x for x in (NoStabilization, Baumgarte, Partition, Projection)},
}
