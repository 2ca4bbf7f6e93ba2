"""The index-1 system of a planar mechanism in body coordinates, for a sparse direct solver.

(M J^T; J 0)(a; lam) = (f; gamma) with three coordinates a body and two rows a revolute, all joints included: M is diagonal and
every row touches two bodies, the sparsest form there is. Unknowns are numbered along the ladder, so that the matrix is banded
too, if the solver would rather have that than an ordering of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

import cotree as ct
from benchmarks.divided import ANGLE, ladder_acceleration

Array = NDArray[np.float64]
ORDERINGS = ("COLAMD", "MMD_AT_PLUS_A", "NATURAL")


@dataclass(frozen=True, eq=False)
class Index1:
    """Matrix, right-hand side, and the place of each body's first unknown."""

    matrix: sparse.csc_matrix
    right: Array
    place: dict[str, int]

    def solve(self, ordering: str) -> Array:
        """Factorization and solution; nothing of it can be kept for the next state, not even SuperLU's ordering."""
        return np.asarray(splu(self.matrix, permc_spec=ordering).solve(self.right))


def planar_index1(mech: ct.Mechanism, rates: dict[str, float]) -> Index1:
    """The system in the reference assembly, revolutes about z only; rates: angular velocities of the bodies [rad/s]."""
    bodies, joints = list(mech.bodies.values()), list(mech.joints.values())
    along = [(b.properties.com[0], 3, b.name) for b in bodies] + [(j.joint.point[0], 2, j.name) for j in joints]
    place, size = {}, 0
    for _, unknowns, name in sorted(along):
        place[name], size = size, size + unknowns
    rows, columns, numbers, right = list[int](), list[int](), list[float](), np.zeros(size)

    def put(i: int, k: int, x: float) -> None:
        rows.append(i)
        columns.append(k)
        numbers.append(x)

    for b in bodies:
        i, m = place[b.name], b.properties.mass
        for k, x in enumerate((m, m, b.properties.inertia[2, 2])):
            put(i + k, i + k, x)
        right[i : i + 2] = m * mech.gravity[:2]
    for j in joints:
        i = place[j.name]
        for sign, name in ((-1.0, j.parent), (1.0, j.child)):
            if name == "ground":
                continue
            k, w = place[name], rates[name]
            x, y = (np.asarray(j.joint.point, dtype=float) - mech.bodies[name].properties.com)[:2]
            for row, column, value in ((i, k, 1.0), (i, k + 2, -y), (i + 1, k + 1, 1.0), (i + 1, k + 2, x)):
                put(row, column, sign * value)
                put(column, row, sign * value)
            right[i : i + 2] += sign * w * w * np.array([x, y])
    return Index1(sparse.csc_matrix((numbers, (rows, columns)), (size, size)), right, place)


def ladder_index1(n: int) -> Index1:
    mech = ct.gallery.n_four_bar(n, ANGLE)
    return planar_index1(mech, {name: 1.0 if name.startswith("crank") else 0.0 for name in mech.bodies})


def ladder_error(system: Index1, n: int, ordering: str) -> float:
    """Largest error of a crank's acceleration [rad/s^2]."""
    x = system.solve(ordering)
    cranks = [x[place + 2] for name, place in system.place.items() if name.startswith("crank")]
    return float(np.abs(np.array(cranks) - ladder_acceleration(n)).max())
