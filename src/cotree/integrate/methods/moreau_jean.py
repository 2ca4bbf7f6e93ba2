"""Time stepping after Moreau and Jean, for contacts; see `cotree.integrate.contacts.steps.step`."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotree.engine.entry import entry
from cotree.integrate.contacts.steps.records import steps_at
from cotree.integrate.contacts.steps.step import take_step
from cotree.integrate.methods.contract import METHODS, NO_ERROR, Method
from cotree.integrate.records import run_t
from cotree.system.system import System

MOREAU_JEAN = "moreau-jean"


@entry(run_t)
def step(run, h, _, __, ___):
    """From the present state to one tried, h later."""
    return take_step(run, steps_at(run.contacts), h)


def attach(system: System) -> Any:
    """Its candidates for contact, with room."""
    from cotree.integrate.contacts.steps.tables import Steps  # only where it is used

    return Steps(system)


# the work of a step is that of its middle
METHODS[MOREAU_JEAN] = Method(
    a=np.array([[0.0, 0.0], [0.5, 0.0]]), b=np.array([0.0, 1.0]), c=np.array([0.0, 0.5]), order=2, error=NO_ERROR,
    step=step, errors=None, projects_stages=False, arrives=True, attach=attach,
)  # fmt: skip
