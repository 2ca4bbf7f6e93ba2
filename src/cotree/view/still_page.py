"""Mechanisms at rest: the displayed configuration and its text."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.assembly import assemble
from cotree.constraints.initial_state import own_start
from cotree.constraints.loop_cuts import regularization
from cotree.constraints.mobility import mobility
from cotree.model.mechanism import Mechanism
from cotree.system.system import System
from cotree.view.page.writing import write_still
from cotree.view.scene import scene_of
from cotree.view.scene.frames import still

Array = NDArray[np.float64]


def start_of(mechanism_or_system: Mechanism | System, q: Any = None) -> tuple[System, Array]:
    """The system, and q with closed loops: as given, else the mechanism's start, else the reference assembly."""
    given = mechanism_or_system
    system = given.compile() if isinstance(given, Mechanism) else given
    return system, assemble(system, own_start(system)[0] if q is None else q)


def words_of(system: System, q: Array) -> str:
    """Tree, loops, mobility, and which constraint equations the loops keep."""
    loops = f"\n{regularization(system)}" if system.loop_rows else ""
    return f"{system}\n{mobility(system, q)}{loops}"


def write_rest_page(mechanism_or_system: Mechanism | System, path: Any, q: Any = None) -> None:
    """Write an HTML page that shows a mechanism at q, by default at its start."""
    system, q = start_of(mechanism_or_system, q)
    write_still(scene_of(system, still(system, q)), words_of(system, q), path)
