"""The options that the loop of a run reads, from the settings of the user."""

from __future__ import annotations

import numpy as np

from cotree.integrate.methods.contract import METHODS
from cotree.integrate.settings import Settings
from cotree.integrate.stabilization.contract import STABILIZATIONS
from cotree.integrate.state import RunState
from cotree.integrate.tolerances import absolute, general
from cotree.system.system import System

# radians that a coordinate may turn in a step: no crossing is leapt over, states between are accurate, logarithms in range
TURN, WIDE_TURN = 0.5, 1.5
FIRST_STEP = 1e-3


def put_options(
    state: RunState, system: System, s: Settings, t_end: float, first_step: float | None, longest: float, watched: bool
) -> None:
    """The options of a run; longest: no step is longer; watched: whether it has events or conditions."""
    method, rows = METHODS[s.method], system.n_constraints > 0
    o = state.options
    o.rtol, o.atol, o.t_end = s.rtol, general(s.atol), t_end
    state.tolerances[:] = absolute(system, s.atol) - general(s.atol)
    o.atol_least = o.atol + state.tolerances.min(initial=0.0)
    o.h_max, o.order, o.radius = longest, method.order, s.spectral_radius
    o.adaptive, o.stabilize = s.step is None, STABILIZATIONS[s.stabilize].projects and rows
    o.watch, o.weigh_work, o.seldom = o.stabilize and method.projects_stages, method.weighs_work, method.implicit
    o.above = s.stabilize_above or 0.0
    o.vectorial = np.any(system.links["vectorial"])
    # without projection a state between steps is not as good as one at their ends, nor with a method of high order
    o.arrive = (rows and not o.stabilize) or method.order > 5 or method.arrives
    o.turn = s.turns * (TURN if not o.arrive or watched or rows else WIDE_TURN)
    state.clock.h_next = s.step or first_step or FIRST_STEP
    if STABILIZATIONS[s.stabilize].pulls:
        state.near.baumgarte = s.baumgarte
    for level, names in (s.partition or {}).items():
        row = state.wanted[("position", "velocity").index(level)]
        row[:] = 0
        row[[system.velocity_index(name) for name in names]] = 1
