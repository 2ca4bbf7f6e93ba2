"""In words, why a run cannot go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.api import mass_matrix
from cotree.dynamics.charts import singular_chart
from cotree.engine.status import BAD_PARTITION, CHATTERING, FAILURES, JAMS, NOT_FINITE
from cotree.formulations.rubbing import Friction
from cotree.system.system import System

if TYPE_CHECKING:
    from cotree.integrate.driver import Driver

Array = NDArray[np.float64]
NEAR_CHART = 1e-2  # a run that fails so near to where coordinates of a joint are singular fails for that
OTHER_CHARTS = "use ct.Voronets(independent='auto'), which changes them on the way"


def failure(driver: Driver, ended: int) -> str:
    """In words, why the run cannot go on."""
    at = f"at t = {driver.state.clock.t_now:.6g} s "
    q = driver.state.at("now").q
    chart = singular_chart(driver.system, q, NEAR_CHART) if np.isfinite(q).all() else ""
    if ended < 0 and not chart:
        if _has_inertia(driver.system, q):  # what failed is a state that the step led to
            return f"{at}{FAILURES[NOT_FINITE]}; next to singular configurations use stabilize='projection'"
        name = driver.system.coordinate_names[-ended - 1]
        return f"{at}coordinate {name!r} has no inertia"
    if ended == JAMS and isinstance(driver.loading, Friction):
        names = ", ".join(map(repr, driver.loading.names))
        return f"{at}contact {names}: no forces are in balance with the friction that they make (Painleve's paradox)"
    if ended == JAMS and driver.loading is not None:
        slides = [name for name in driver.loading.names if driver.system.sliding.get(name)]
        return f"{at}friction {', '.join(map(repr, slides))}: {FAILURES[ended]}"
    if ended == CHATTERING:
        return f"{at}{driver.callback.nearest_switch()} {FAILURES[ended]}"
    if ended == BAD_PARTITION and driver.settings.independent is not None and not chart:
        return f"{at}the independent coordinates no longer determine the velocities of the others; {OTHER_CHARTS}"
    return at + (chart or FAILURES[ended])


def _has_inertia(system: System, q: Array) -> bool:
    """Whether every coordinate moves something that resists."""
    M = mass_matrix(system, q)
    return bool(np.isfinite(M).all()) and float(np.linalg.eigvalsh(M)[0]) > 1e-12 * float(M.diagonal().max())
