"""The formulations that work on the mass matrix and the Jacobian, by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotree.formulations import acceleration, independent, solve
from cotree.formulations.contract import FORMULATIONS, Formulation


def _voronets(M: Any, J: Any, f: Any, eta: Any, tolerance: float, v_dot: Any, lam: Any, wanted: Any = None) -> Any:
    wanted = np.full(len(f), -1) if wanted is None else wanted
    return solve.voronets(M, J, f, eta, tolerance, v_dot, lam, np.zeros(len(f), dtype=np.bool_), wanted)


def _register(name: str, entry: Any, solver: Any) -> None:
    FORMULATIONS[name] = Formulation(acceleration.terms, acceleration.positions, entry, solver)


_register("auto", acceleration.by_auto, solve.projection)  # for independent rows by a quicker way
_register("index1", acceleration.by_index1, solve.index1)
_register("projection", acceleration.by_projection, solve.projection)
_register("voronets", acceleration.by_voronets, _voronets)
IN_CHART = Formulation(independent.terms, acceleration.positions, independent.by_chart, _voronets)
