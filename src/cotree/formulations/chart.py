"""Charts of the constraint manifold: independent coordinates, and the basis F of the admissible velocities [Geo (54)]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian
from cotree.constraints.assembly import mass_root
from cotree.constraints.rank import rank_tolerance
from cotree.constraints.units import length_of
from cotree.dynamics.api import mass_matrix
from cotree.engine.kernel import kernel
from cotree.errors import ChoiceError, SingularError
from cotree.formulations.linalg import pivoted_qr, solve_lower
from cotree.formulations.solve import partition
from cotree.judge import DEPENDENT
from cotree.model.checks import several
from cotree.system.system import System

Array = NDArray[np.float64]


@kernel
def _partition(M, L, J, tolerance, wanted, pivot, order):
    """Rank of J; independent rows first in `pivot`, dependent coordinates first in `order`, as in the Voronets equations."""
    A = J.copy()
    for r in range(J.shape[0]):
        solve_lower(L, A[r])
    beta = np.empty(max(min(J.shape[0], J.shape[1]), 1))
    rank = pivoted_qr(A, beta, pivot, tolerance, -1) if J.shape[0] > 0 else 0
    order[:] = partition(M, L, A, beta, rank, np.zeros(M.shape[0], np.bool_), wanted)
    return rank


@dataclass(frozen=True, eq=False)
class Chart:
    """rows: constraint equations that are independent; dependent, independent: coordinates, as places in v; J1: the block of
    these rows and the dependent coordinates; F (nv, n - r) with v = F v2 where constraints do not depend on time."""

    rows: NDArray[np.int64]
    dependent: NDArray[np.int64]
    independent: NDArray[np.int64]
    J1: Array
    F: Array

    def lift(self, rhs: Array) -> Array:
        """x (nv, ...) with J x = rhs whose independent entries vanish; rhs of all rows."""
        x = np.zeros((len(self.F), *rhs.shape[1:]))
        x[self.dependent] = np.linalg.solve(self.J1, rhs[self.rows]) if len(self.rows) else 0.0
        return x


def chart_at(system: System, q: Array, t: float = 0.0, independent: Sequence[object] | None = None) -> Chart:
    """The chart with these independent coordinates, or by the criterion of the projection lengths [Geo (67)]."""
    M, J = mass_matrix(system, q), constraint_jacobian(system, q, t)
    n, wanted = system.nv, np.full(system.nv, -1)
    named = None if independent is None else _places(system, independent)
    if named is not None:
        wanted[named] = 0
    pivot, order = np.empty(len(J), np.int64), np.empty(n, np.int64)
    tolerance = rank_tolerance(np.zeros(0), length_of(system))
    rank = int(_partition(M, mass_root(system, q), J, tolerance, wanted, pivot, order))
    if named is not None and len(named) != n - rank:
        raise ChoiceError(
            f"independent has {len(named)} coordinates, but system {system.name!r} has {n - rank} independent velocities "
            f"at this configuration; name {n - rank} of {', '.join(system.coordinate_names)}"
        )
    rows, dependent, free = np.sort(pivot[:rank]), np.sort(order[:rank]), np.sort(order[rank:])
    J1 = J[np.ix_(rows, dependent)]
    if rank and (order[0] < 0 or np.linalg.cond(J1) > 1.0 / DEPENDENT):
        _refuse(system, independent)
    F = np.zeros((n, n - rank))
    F[free] = np.eye(n - rank)
    if rank:
        F[dependent] = -np.linalg.solve(J1, J[np.ix_(rows, free)])
    return Chart(rows, dependent, free, J1, F)


def dependent_coordinates(system: System, q: Array, t: float, level: str) -> tuple[str, ...]:
    """Names of the dependent coordinates by the criterion [Geo (67)]; at level "position" of the holonomic constraints."""
    M, J = mass_matrix(system, q), constraint_jacobian(system, q, t)
    J = J[system.holonomic] if level == "position" else J
    pivot, order = np.empty(len(J), np.int64), np.empty(system.nv, np.int64)
    tolerance = rank_tolerance(np.zeros(0), length_of(system))
    rank = int(_partition(M, mass_root(system, q), J, tolerance, np.full(system.nv, -1), pivot, order))
    return tuple(system.coordinate_names[k] for k in np.sort(order[:rank]))


def _places(system: System, independent: Sequence[object]) -> NDArray[np.int64]:
    places = [system.v_index(name) for name in several(independent, "independent")]
    if len(set(places)) < len(places):
        raise ChoiceError(f"independent names a coordinate twice: {list(independent)}")
    return np.array(places, dtype=np.int64)


def _refuse(system: System, independent: Sequence[object] | None) -> None:
    named = (
        "the criterion's choice" if independent is None else ", ".join(map(str, several(independent, "independent")))
    )
    raise SingularError(
        f"system {system.name!r}: {named} cannot be the independent coordinates here, since they do not determine "
        "the velocities of the others; choose others (ct.theory.projection_lengths shows "
        "which point along the free directions), or none"
    )
