"""The start of a run, with guides where the loops alone do not determine the motion (`constraints.guides`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.guides import guided, singular_nearby
from cotree.errors import MotionError, RunWarning
from cotree.integrate.checks.run_warnings import warning
from cotree.integrate.results.run import Run
from cotree.integrate.settings import Settings
from cotree.integrate.start import initial_state
from cotree.model.features import declare
from cotree.system.sizes import DIVIDED_RUN
from cotree.system.system import System

Array = NDArray[np.float64]
GUIDES = declare(
    "the search for joints that hold what cannot move",
    refuses=dict.fromkeys(("switched constraints", "breaking parts"), "it is for loops that stay closed"),
)
LOOKED_AT = 150  # coordinates up to which a doubt is looked for: beyond, decompositions take longer than many runs


@dataclass(frozen=True, eq=False)
class Start:
    """What a run starts from: the system, with guides if need be, settings, admissible state and warnings; undetermined: in
    words, why the motion cannot be followed, or nothing."""

    system: System
    settings: Settings
    q: Array
    v: Array
    noted: tuple[RunWarning, ...]
    undetermined: str = ""

    def determined(self) -> Start:
        """Itself, for what steps on without a report; an error where the motion is not determined."""
        if self.undetermined:
            raise MotionError(self.undetermined)
        return self

    def failed(self, t: float, noted: Sequence[RunWarning]) -> Run:
        """A run that ends where it starts, since its motion is not determined."""
        counts = {"method": self.settings.method, "steps": 0, "rejected": 0, "evaluations": 0}
        return Run(
            self.system, np.array([t]), self.q[None], self.v[None], "failed", self.undetermined, counts, self.settings,
            work=np.zeros((1, 3)), noted=tuple(noted),
        )  # fmt: skip


def guided_start(system: System, asked: Settings, t: float, q: Any, v: Any) -> Start:
    """The admissible state next to what was asked for; where the loops are singular at all configurations nearby, in the same
    coordinates of a system with guides."""
    settings = asked.resolved(system)
    x, u, moved = initial_state(system, settings, t, q, v)
    if not system.n_constraints:
        return Start(system, settings, x, u, tuple(moved))
    words = (
        f"the loops of {system.name or 'the mechanism'} are singular all along: more velocities are admissible than begin "
        "motions"
    )
    if why := _not_sought(system):
        text = (
            f"{words}, and joints that hold what cannot move are not sought {why}; add such joints, or check the run against "
            "ct.mobility"
        )
        doubt = system.nv <= LOOKED_AT and singular_nearby(system, x, t)
        return Start(system, settings, x, u, (*moved, warning("rank", text)) if doubt else tuple(moved))
    found = guided(system, x, t)
    if found is None:
        return Start(system, settings, x, u, tuple(moved))
    if found.system is None:
        text = (
            f"{words}, and the motion is not determined by the equations of motion; see ct.mobility, and add a joint or a "
            "constraint that holds what cannot move"
        )
        return Start(system, settings, x, u, (*moved, warning("rank", text)), text)
    settings = asked.resolved(found.system)
    x, u, moved = initial_state(found.system, settings, t, q, v)
    held = "; ".join(map(str, found.guides))
    text = (
        f"{words}; the run holds what cannot move by added joints ({held}), which carry forces across the motion that the "
        "mechanism itself bears by its stiffness only; give joints that hold them"
    )
    return Start(found.system, settings, x, u, (*moved, warning("rank", text)))


def _not_sought(system: System) -> str:
    """Why no guides are sought: they are of the loops as they are closed at the start, and take decompositions; or nothing."""
    opening = system.features.switching({*system.mechanism.joints, *system.constraints})
    if objections := GUIDES.objections(opening):
        return f"({objections[0][1]})"
    return f"in mechanisms with more than {DIVIDED_RUN} coordinates" if system.nv > DIVIDED_RUN else ""
