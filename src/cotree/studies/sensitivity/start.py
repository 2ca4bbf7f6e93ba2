"""Departures at the start of a run: of the coordinates that are varied, and of those that follow when parameters change."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian
from cotree.derivatives.constraints import constraint_changes
from cotree.derivatives.parameters.changes import parameter_changes
from cotree.derivatives.parameters.seeds import directions_of
from cotree.errors import StudyError, UnknownNameError
from cotree.judge import NEGLIGIBLE
from cotree.model.checks import shown
from cotree.model.mechanism import nearest
from cotree.studies.sensitivity.linear import mass_factor, nearest_inverse
from cotree.system.system import System

Array = NDArray[np.float64]
RATE = ".rate"


def start_columns(
    system: System, q: Array, v: Array, names: tuple[str, ...], start: tuple[str, ...], given: tuple[Any, Any]
) -> Array:
    """(2 nv, parameters + start): departures of a start (q, v) that fulfils the constraints. given: q and v as the user gave
    them; coordinates and rates that they name stay, of the others the nearest in the metric of the masses are taken."""
    n, P = system.nv, len(names)
    positions, rates = _split(system, start)
    L, J = mass_factor(system, q), constraint_jacobian(system, q)
    zero, still = np.zeros(len(J)), np.zeros(n)
    d = directions_of(system, names)
    by_p = parameter_changes(system, q, v, still, zero, 0.0, d)
    turned = constraint_changes(system, q, v, still, zero, 0.0).velocity_dq if len(J) else J
    hold, C = system.holonomic, P + len(start)
    gap, rate = np.zeros((int(hold.sum()), C)), np.zeros((len(J), C))
    gap[:, :P] = -by_p.gap[hold]
    x = _with_held(system, L, J[hold], gap, _held(system, given[0]), positions, P)
    rate[:, :P] = -by_p.velocity
    u = _with_held(system, L, J, rate - turned @ x, _held(system, given[1]), rates, P)
    return np.vstack([x, u])


def _split(system: System, start: tuple[str, ...]) -> tuple[dict[int, int], dict[int, int]]:
    """Places in `start` by velocity coordinate: of positions and of rates."""
    positions, rates = dict[int, int](), dict[int, int]()
    for k, name in enumerate(start):
        plain = name[: -len(RATE)] if isinstance(name, str) and name.endswith(RATE) else name
        if plain not in system.v_names:
            known = [*system.v_names, *(x + RATE for x in system.v_names)]
            raise UnknownNameError(f"start: no coordinate or rate {shown(name)}{nearest(name, known)}")
        (rates if plain != name else positions)[system.v_index(plain)] = k
    return positions, rates


def _held(system: System, given: Any) -> list[int]:
    """Velocity coordinates that a dict names; a joint stands for all of its own."""
    if not isinstance(given, dict):
        return []
    return [k for k, name in enumerate(system.v_names) if name in given or name.split(".")[0] in given]


def _with_held(
    system: System, L: Array, J: Array, motion: Array, held: list[int], varied: dict[int, int], P: int
) -> Array:
    """Departures with J x = motion, those held zero, and one for each that is varied in its own column; others stay as they are
    but for what the constraints ask of them, as at the start of a run."""
    rows = list(dict.fromkeys([*held, *varied]))
    alone = np.zeros((system.nv, motion.shape[1]))
    for row, k in varied.items():
        alone[row, P + k] = 1.0
    A, b = np.vstack([J, np.eye(system.nv)[rows]]), np.vstack([motion, alone[rows]])
    x = alone + nearest_inverse(L, A) @ (b - A @ alone)
    left = np.abs(A @ x - b).max(axis=0, initial=0.0)
    if (left > NEGLIGIBLE * max(1.0, float(np.abs(b).max(initial=0.0)))).any():
        names = ", ".join(repr(system.v_names[k]) for k in rows)
        raise StudyError(
            f"sensitivities: the constraints do not let {names} vary independently of each other; name fewer of them, in "
            "start= or as the start of the run"
        )
    return x
