"""What a method of integration is: the contract, and the methods by name.

A method tries a step: from the state `now` to `trial`, h later, by its entry `step(run, h)`; `errors(run, h)` then fills the
estimated errors, for steps that adapt. Explicit methods are no more than a tableau for the Munthe-Kaas step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.entry import Entry
from cotree.errors import ChoiceError
from cotree.integrate.methods import munthe_kaas
from cotree.model.features import declare
from cotree.system.system import System

Array = NDArray[np.float64]
NO_ERROR = np.zeros((0, 0))
IMPLICIT = declare(
    "an implicit method",
    ChoiceError,
    refuses={"load-dependent friction": "use an explicit method, such as 'dopri5', or a constant coulomb"},
)


@dataclass(frozen=True)
class Method:
    """Stages a (s, s), weights b, nodes c. With embedded methods: `error` (2, s + 1), weights of the stages and of the slope at
    the end of the step for the error, and for one of lower order, zero without it. `order` is that of the error in adaptive
    methods."""

    a: Array
    b: Array
    c: Array
    order: int
    error: Array
    step: Entry = munthe_kaas.step
    errors: Entry | None = munthe_kaas.put_errors  # None: the step fills them
    implicit: bool = (
        False  # solves for the end of the step: needs matrices, keeps constraints by itself, and its own step size
    )
    projects_stages: bool = True  # next to singular configurations
    reads: tuple[str, ...] = ()  # options of `simulate` that its steps read, also those of fixed size
    weighs_work: bool = True  # errors of the work limit the step
    arrives: bool = False  # steps end at the times of the output: states between are not known
    attach: Callable[[System], Any] | None = None  # what it keeps beside the run's own record, see `Driver`
    suits: Callable[[System], None] | None = None  # raises `ChoiceError` for systems that the method is not for

    @property
    def adaptive(self) -> bool:
        return self.error.size > 0


METHODS: dict[str, Method] = {}
