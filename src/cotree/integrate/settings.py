"""What a run was asked to do, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cotree.errors import ArgumentError, ChoiceError, ShapeError
from cotree.formulations import registered as _formulations  # noqa: F401  all of them
from cotree.formulations.choice import divides_run
from cotree.formulations.contract import FORMULATIONS
from cotree.integrate.defaults import ATOL, BAUMGARTE, RTOL, SPECTRAL_RADIUS
from cotree.integrate.methods import registered as _methods  # noqa: F401  all of them
from cotree.integrate.methods.contract import METHODS
from cotree.integrate.stabilization.contract import STABILIZATIONS
from cotree.integrate.tolerances import Tolerance, checked, positive
from cotree.model.checks import choice, floats, several, shown
from cotree.system.features import declare
from cotree.system.system import System

TRANSITIONS = ("consistent", "naive")
OTHER_NAMES = {"rk45": "dopri5", "ode45": "dopri5", "dormand-prince": "dopri5", "newmark": "generalized-alpha"}
STABILIZERS = ("auto", *STABILIZATIONS)
IMPLICIT = declare(
    "an implicit method",
    ChoiceError,
    refuses={"load-dependent friction": "use an explicit method, such as 'dopri5', or a constant coulomb"},
)
NAMED_INDEPENDENT = declare(
    "independent= with names",
    ChoiceError,
    refuses={"switches": "the constraints are switched, and with them what is independent; use independent='auto'"},
)


@dataclass(frozen=True)
class Settings:
    """Choices of `simulate`; step None means adaptive steps."""

    method: str = "auto"
    formulation: str = "auto"
    stabilize: str = "auto"
    step: float | None = None
    rtol: float = RTOL
    atol: Tolerance = ATOL
    baumgarte: float = BAUMGARTE  # 1/s
    partition: dict[str, tuple[str, ...]] | None = None  # dependent coordinates at level "position" and "velocity"
    spectral_radius: float = SPECTRAL_RADIUS  # of generalized-alpha
    transitions: str = "consistent"  # how velocities jump where constraints are switched on
    max_step: float | None = None  # longest of adaptive steps [s]
    stabilize_above: float | None = None  # constraint errors up to this are left [m, rad, and per second]
    independent: str | tuple[str, ...] | None = None  # velocities that are integrated alone, or "auto"
    turns: float = 1.0  # times the angle that a step may turn: more in a coarser run that this one is compared with

    def resolved(self, system: System) -> Settings:
        """With words instead of "auto"."""
        choice(self.method, ("auto", *METHODS), "method", synonyms=OTHER_NAMES)
        choice(self.formulation, FORMULATIONS, "formulation")
        choice(self.stabilize, STABILIZERS, "stabilize")
        choice(self.transitions, TRANSITIONS, "transitions")
        for name in ("rtol", "baumgarte"):
            positive(name, getattr(self, name))
        if self.step is not None:
            positive("step", self.step)
        _longest(self.max_step, self.step)
        if self.stabilize_above is not None:
            positive("stabilize_above", self.stabilize_above)
        method = ("dopri5" if self.step is None else "rk4") if self.method == "auto" else self.method
        if self.step is None and not METHODS[method].adaptive:
            raise ChoiceError(f"method {method!r} has no step control; give step= in seconds, such as step=1e-3")
        if (suits := METHODS[method].suits) is not None:
            suits(system)
        if not (_is_number(self.spectral_radius) and 0.0 <= self.spectral_radius <= 1.0):
            raise ShapeError(
                f"spectral_radius is {shown(self.spectral_radius)}; give a number from 0 (unresolved fast motions "
                f"are damped out at once) to 1 (no numerical damping)"
            )
        if METHODS[method].implicit and self.stabilize != "auto" and STABILIZATIONS[self.stabilize].pulls:
            raise ChoiceError(
                f"stabilize={self.stabilize!r} modifies accelerations and does not apply to method {method!r}; "
                f"choose 'projection' or 'none'"
            )
        if METHODS[method].implicit:
            IMPLICIT.admit(system.features)
        stabilize = "projection" if self.stabilize == "auto" else self.stabilize
        if self.stabilize_above is not None and not STABILIZATIONS[stabilize].projects:
            raise ChoiceError(
                f"stabilize_above is for stabilize='projection' and 'partition', which correct states, not for {stabilize!r}"
            )
        if self.partition is not None and not STABILIZATIONS[stabilize].partitions:
            raise ChoiceError(f"partition is for stabilize='partition', not for {stabilize!r}")
        if self.formulation == "odca":
            _can_divide(method, stabilize)
        formulation = self.formulation
        if formulation == "auto" and _divides(system, method, stabilize):
            formulation = "odca"
        independent = _independent(system, self.independent, formulation, method, stabilize)
        return replace(
            self, method=method, formulation=formulation, stabilize=stabilize, independent=independent,
            partition=_named(system, self.partition), rtol=float(self.rtol), atol=checked(system, self.atol),
            baumgarte=float(self.baumgarte), spectral_radius=float(self.spectral_radius),
        )  # fmt: skip


def _independent(
    system: System, given: Any, formulation: str, method: str, stabilize: str
) -> str | tuple[str, ...] | None:
    """Names of the velocities that are integrated alone, "auto", or None for all of them."""
    if given is None:
        return None
    if formulation != "voronets":
        raise ChoiceError(f"independent= is for formulation='voronets', not for {formulation!r}")
    if METHODS[method].implicit or STABILIZATIONS[stabilize].pulls:
        word = f"method={method!r}" if METHODS[method].implicit else f"stabilize={stabilize!r}"
        raise ChoiceError(
            f"independent= cannot be combined with {word}, which needs all velocities; leave one of them out"
        )
    if isinstance(given, str) and given == "auto":
        return given
    names = several(given, "independent")
    for name in names:
        system.velocity_index(name)
    NAMED_INDEPENDENT.admit(system.features)
    return names


def _can_divide(method: str, stabilize: str) -> None:
    """Formulation 'odca' has no matrices for these."""
    if METHODS[method].implicit:
        raise ChoiceError(
            f"method {method!r} needs matrices that formulation 'odca' does not form; use formulation 'auto'"
        )
    if STABILIZATIONS[stabilize].partitions:
        raise ChoiceError(
            f"stabilize={stabilize!r} needs matrices that formulation 'odca' does not form; use stabilize='projection'"
        )


def _divides(system: System, method: str, stabilize: str) -> bool:
    """Whether to divide and conquer without being asked."""
    return not METHODS[method].implicit and not STABILIZATIONS[stabilize].partitions and divides_run(system)


def _is_number(value: Any) -> bool:
    a = floats(value) if isinstance(value, (int, float, np.integer, np.floating)) else None
    return a is not None and bool(np.isfinite(a))


def _longest(value: Any, step: Any) -> None:
    if value is not None and value != np.inf:
        positive("max_step", value)
    if value is not None and step is not None:
        raise ChoiceError("step= fixes the step size and max_step= limits adaptive steps; give one of them")


def _named(system: System, partition: Any) -> dict[str, tuple[str, ...]] | None:
    """The user's partition with its levels and coordinate names checked."""
    if partition is None:
        return None
    if not isinstance(partition, Mapping):
        raise ArgumentError(
            f"partition is {shown(partition)}; give a dict, " + "{'position': [...], 'velocity': [...]}"
        )
    named = {
        choice(k, ("position", "velocity"), "partition level"): several(x, "partition") for k, x in partition.items()
    }
    for names in named.values():
        for name in names:
            system.velocity_index(name)
    return named
