"""What a run was asked to do, checked."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from cotree.errors import ChoiceError, RunWarning
from cotree.formulations import registered as _formulations  # noqa: F401  all of them
from cotree.formulations.choice import divides_run
from cotree.formulations.choices import FormulationChoice, word_and_options
from cotree.formulations.contract import FORMULATIONS
from cotree.integrate.checks.run_warnings import warning
from cotree.integrate.choices import VALUES, Adaptive, MethodChoice, StabilizationChoice
from cotree.integrate.contacts.routes import WORDS as CONTACT
from cotree.integrate.methods import registered as _methods  # noqa: F401  all of them
from cotree.integrate.methods.contract import IMPLICIT, METHODS
from cotree.integrate.stabilization.contract import STABILIZATIONS
from cotree.integrate.tolerances import ATOL, RTOL, Tolerance, checked, positive
from cotree.model.checks import choice
from cotree.model.features import declare
from cotree.system.system import System

OTHER_NAMES = {"rk45": "dopri5", "ode45": "dopri5", "dormand-prince": "dopri5", "newmark": "generalized-alpha"}
STABILIZERS = ("auto", *STABILIZATIONS)
NAMED_INDEPENDENT = declare(
    "ct.Voronets with names",
    ChoiceError,
    refuses={
        "switches": "the constraints are switched, and with them what is independent; use "
        "ct.Voronets(independent='auto')"
    },
)


@dataclass(frozen=True)
class Settings:
    """Choices of a run by their words, with the options of all of them; step None means adaptive steps."""

    method: str = "auto"
    formulation: str = "auto"
    stabilize: str = "auto"
    step: float | None = None
    rtol: float = RTOL
    atol: Tolerance = ATOL
    baumgarte: float = 20.0  # 1/s
    partition: dict[str, tuple[str, ...]] | None = None  # dependent coordinates at level "position" and "velocity"
    spectral_radius: float = 0.8  # of generalized-alpha
    transitions: str = "consistent"  # how velocities jump where constraints are switched on
    max_step: float | None = None  # longest of adaptive steps [s]
    stabilize_above: float | None = None  # constraint errors up to this are left [m, rad, and per second]
    independent: str | tuple[str, ...] | None = None  # velocities that are integrated alone, or "auto"
    contact: str = "auto"  # how a run goes through contacts
    turns: float = 1.0  # times the angle that a step may turn: more in a coarser run that this one is compared with

    @staticmethod
    def of(
        step: Any = None, method: Any = "auto", formulation: Any = "auto", stabilize: Any = "auto", rtol: Any = RTOL,
        atol: Any = ATOL, contact: Any = "auto",
    ) -> Settings:  # fmt: skip
        """The settings for choices that are given to `simulate` and its like, as words or values."""
        method, of_method = word_and_options(method, MethodChoice, ("auto", *METHODS), "method", OTHER_NAMES)
        formulation, of_formulation = word_and_options(formulation, FormulationChoice, FORMULATIONS, "formulation")
        stabilize, of_stabilize = word_and_options(stabilize, StabilizationChoice, STABILIZERS, "stabilize")
        adaptive = step if isinstance(step, Adaptive) else Adaptive()
        fixed = None if step is None or step is adaptive else positive("step", step)
        return Settings(
            method, formulation, stabilize, fixed, positive("rtol", rtol), atol, max_step=adaptive.max_step,
            contact=choice(contact, CONTACT, "contact"), **of_method, **of_formulation, **of_stabilize,
        )  # fmt: skip

    @property
    def choices(self) -> dict[str, Any]:
        """What `simulate` is given for the same run: values, and words of what has no value."""
        own, words = asdict(self), {what: getattr(self, what) for what in VALUES}
        values = {what: VALUES[what][w].from_settings(own) if w in VALUES[what] else w for what, w in words.items()}
        step = Adaptive(self.max_step) if self.step is None else self.step
        return {"step": step, "rtol": self.rtol, "atol": self.atol, "contact": self.contact, **values}

    def resolved(self, system: System) -> Settings:
        """With words instead of "auto", and with names that the system has."""
        method = ("dopri5" if self.step is None else "rk4") if self.method == "auto" else self.method
        stabilize = "projection" if self.stabilize == "auto" else self.stabilize
        how = METHODS[method]
        if self.step is None and not how.adaptive:
            raise ChoiceError(f"method {method!r} has no step control; give step= in seconds, such as step=1e-3")
        if how.suits is not None:
            how.suits(system)
        if how.implicit:
            _check_implicit(system, method, stabilize)
        formulation = _formulation(system, self.formulation, method, stabilize)
        if self.independent is not None:
            _check_independent(system, self.independent, method, stabilize)
        for name in (name for names in (self.partition or {}).values() for name in names):
            system.velocity_index(name)
        return replace(
            self, method=method, formulation=formulation, stabilize=stabilize, atol=checked(system, self.atol)
        )


def ignored_tolerances(settings: Settings) -> list[RunWarning]:
    """A warning of tolerances that are given beside a step of fixed size and not read."""
    read = METHODS[settings.method].reads
    given = [n for n, x in (("rtol", RTOL), ("atol", ATOL)) if n not in read and getattr(settings, n) != x]
    if settings.step is None or not given:
        return []
    words = f"{' and '.join(given)} {'have' if len(given) > 1 else 'has'} no effect with step={settings.step:g}"
    return [warning("input", f"{words}, which fixes the step size; leave step out for steps that follow tolerances")]


def _check_implicit(system: System, method: str, stabilize: str) -> None:
    """Implicit methods keep constraints by themselves, and do not solve for friction that depends on the reactions."""
    if STABILIZATIONS[stabilize].pulls:
        raise ChoiceError(
            f"stabilize={stabilize!r} modifies accelerations and does not apply to method {method!r}; "
            f"choose 'projection' or 'none'"
        )
    IMPLICIT.admit(system.features)


def _formulation(system: System, given: str, method: str, stabilize: str) -> str:
    """The formulation that was chosen, or that serves best; 'odca' has no matrices for some of the others."""
    needs = f"method {method!r}" if METHODS[method].implicit else ""
    needs = f"stabilize={stabilize!r}" if not needs and STABILIZATIONS[stabilize].partitions else needs
    if given == "odca" and needs:
        other = "formulation 'auto'" if METHODS[method].implicit else "stabilize='projection'"
        raise ChoiceError(f"{needs} needs matrices that formulation 'odca' does not form; use {other}")
    return "odca" if given == "auto" and not needs and divides_run(system) else given


def _check_independent(system: System, given: str | tuple[str, ...], method: str, stabilize: str) -> None:
    """Velocities that are integrated alone must be of the system, and do not go with what needs all of them."""
    if METHODS[method].implicit or STABILIZATIONS[stabilize].pulls:
        word = f"method={method!r}" if METHODS[method].implicit else f"stabilize={stabilize!r}"
        raise ChoiceError(
            f"independent velocities cannot be combined with {word}, which needs all velocities; leave one of them out"
        )
    if given == "auto":
        return
    for name in given:
        system.velocity_index(name)
    NAMED_INDEPENDENT.admit(system.features)
