"""Which joints belong to loops that are redundant or singular, for the picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian
from cotree.constraints.loop_cuts import regularization
from cotree.constraints.mobility import Mobility
from cotree.judge import REPORTED
from cotree.system.system import System

Array = NDArray[np.float64]
REDUNDANT, SINGULAR = "#e0a400", "#d02020"  # colours of their joints


def marked_joints(system: System, q: Array, found: Mobility) -> dict[str, str]:
    """Colour of each joint of a loop with redundant equations, or that is singular at q."""
    if not system.n_loops:
        return {}
    loops = regularization(system).loops
    J, first = constraint_jacobian(system, q), 0
    out: dict[str, str] = {}
    alone: list[bool] = []
    for loop in loops:
        kept = len(loop.chosen.kept)
        rows = J[first : first + kept]
        first += kept
        values = np.linalg.svd(rows, compute_uv=False) if kept else np.ones(1)
        alone.append(bool(len(values) < kept or values[-1] <= REPORTED * max(values[0], 1e-300)))
    for loop, singular in zip(loops, alone, strict=True):
        joints = [cut.joint for cut in loop.cuts]
        if len(loop.chosen.kept) < loop.chosen.full:
            out |= {name: REDUNDANT for name in joints if name not in out}
        if singular or (found.singular and not any(alone)):
            out |= dict.fromkeys(joints, SINGULAR)
    return out
