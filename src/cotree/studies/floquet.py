"""`floquet`: stability of a periodic motion, from how small departures come back after a period."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree._shown import Shown
from cotree.constraints.api import constraint_jacobian
from cotree.derivatives.constraints import constraint_changes
from cotree.dynamics.api import mass_matrix
from cotree.errors import StudyError
from cotree.integrate.results.run import Run
from cotree.judge import SAME_CONFIGURATION
from cotree.kinematics.poses import poses
from cotree.model.features import declare
from cotree.model.mechanism import Mechanism
from cotree.studies.linearization import RATE, bases, velocity_change
from cotree.studies.sensitivity.api import SENSITIVITIES
from cotree.studies.sensitivity.linear import linear_stretch
from cotree.studies.sensitivity.sweep import Path, forward
from cotree.studies.sensitivity.switches import jump_of
from cotree.studies.sensitivity.trace import traced
from cotree.system.arguments import system_of, time_of
from cotree.system.system import System
from cotree.typing import Coordinates

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]
FLOQUET = declare("ct.floquet", on=(SENSITIVITIES,))
MARGIN = 1e-6  # a multiplier of a neutral motion, as that along the motion itself, may be so much larger than 1


@dataclass(frozen=True, eq=False)
class Floquet(Shown):
    """x(period) = monodromy x(0) for small departures x, named by `states`: independent coordinates, then their rates.

    multipliers: its eigenvalues, the largest first; a motion that nothing prescribes has one of exactly 1, along itself.
    stable: none is larger than 1. run: one period.
    """

    period: float
    monodromy: Array = field(repr=False)
    states: tuple[str, ...]
    run: Run = field(repr=False)

    @property
    def multipliers(self) -> Complex:
        found = np.linalg.eigvals(self.monodromy).astype(complex)
        return np.asarray(found[np.argsort(-np.abs(found), kind="stable")])

    @property
    def exponents(self) -> Complex:
        """Logarithms of the multipliers by the period [1/s]: real parts are rates of growth."""
        return np.asarray(np.log(self.multipliers) / self.period)

    @property
    def stable(self) -> bool:
        return bool((np.abs(self.multipliers) <= 1.0 + MARGIN).all())

    def __str__(self) -> str:
        word = "stable" if self.stable else "unstable"
        found = ", ".join(f"{x:.6g}" for x in self.multipliers)
        return f"periodic motion of {self.period:g} s, {word}; multipliers {found}"


def floquet(
    mechanism_or_system: Mechanism | System,
    period: float,
    q: Coordinates | None = None,
    v: Coordinates | None = None,
    **options: Any,
) -> Floquet:
    """Compute the Floquet multipliers of a periodic motion.

    Parameters
    ----------
    mechanism_or_system : Mechanism or System
        A mechanism is compiled with the default options.
    period : float
        Period [s]. Full turns count as coming back.
    q : array_like or dict, optional
        Start, as for `simulate`.
    v : array_like or dict, optional
        Start velocities, as for `simulate`.
    **options : object
        As for `simulate`.

    Returns
    -------
    Floquet
        `.multipliers`, by which small departures grow in one period, and `.stable`.

    Raises
    ------
    StudyError
        If the motion does not come back.

    Examples
    --------
    >>> mech = ct.gallery.pendulum_chain(1)
    >>> ct.floquet(mech, 0.5, q=[0.0]).stable
    True
    """
    given = mechanism_or_system
    system = given.compiled() if isinstance(given, Mechanism) else system_of(given, floquet)
    end = time_of("period", period)
    FLOQUET.admit(system.features)
    run, stretches = traced(system, end, q, v, np.array([end]), options)
    first, last, base = stretches[0], stretches[-1], run.system
    _require_return(base, first.q[0, 0], first.v[0, 0], last.q[-1, 3], last.v[-1, 3])
    linear = [linear_stretch(s, (), np.array([end])) for s in stretches]
    pairs = list(zip(stretches, stretches[1:], linear, linear[1:], strict=False))
    jumps = [jump_of(base, a, b, (), (x.nodes.v_dot[-1], y.nodes.v_dot[0])) for a, b, x, y in pairs]
    Y, free = _departures(first.system, first.q[0, 0], first.v[0, 0])
    n = base.nv
    names = tuple(base.v_names[k] if k < n else base.v_names[k - n] + RATE for k in free)
    return Floquet(end, forward(Path(linear, jumps), Y, np.array([end]), 0)[0][free], names, run)


def _departures(system: System, q: Array, v: Array) -> tuple[Array, list[int]]:
    """Columns (2 nv, states) of independent departures, and the places in (x, u) that are theirs alone."""
    n, still = system.nv, np.zeros(system.nv)
    J = constraint_jacobian(system, q) if system.n_constraints else np.zeros((0, n))
    positions, speeds = bases(J, system.holonomic, np.sqrt(np.abs(mass_matrix(system, q).diagonal())))
    turned = constraint_changes(system, q, v, still, np.zeros(len(J)), 0.0).velocity_dq if len(J) else J
    G = velocity_change(J, turned @ positions.Z, speeds.free)
    k = speeds.Z.shape[1]
    Y = np.block([[positions.Z, np.zeros((n, k))], [G, speeds.Z]])
    return Y, [*positions.free.tolist(), *(n + speeds.free).tolist()]


def _require_return(system: System, q0: Array, v0: Array, q1: Array, v1: Array) -> None:
    off = float(np.abs(poses(system, q1) - poses(system, q0)).max())
    rate = float(np.abs(v1 - v0).max(initial=0.0)) / max(1.0, float(np.abs(v0).max(initial=0.0)))
    if off > SAME_CONFIGURATION or rate > SAME_CONFIGURATION:
        raise StudyError(
            f"floquet: the motion does not come back: after the period bodies are off by {off:.3g} and rates by {rate:.3g}; "
            "correct the period or the start, or give a smaller rtol and atol"
        )
