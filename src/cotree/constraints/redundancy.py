"""Rows that follow from others: found one after another, so that they have names."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.constraints.api import constraint_jacobian
from cotree.constraints.rank import unit_rows
from cotree.judge import REPORTED
from cotree.system.arguments import coordinates, of_system
from cotree.system.system import System

Array = NDArray[np.float64]


@of_system
def redundant_rows(system: System, q: ArrayLike, t: float = 0.0) -> tuple[str, ...]:
    """List the constraint equations that depend on those before them.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    t : float, optional
        Time [s], for drives and functions of time.

    Returns
    -------
    tuple of str
        Names of the equations: cut joints first, then the others in the order in which they
        were added.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> ct.redundant_rows(system, system.q0)
    ()
    """
    J = constraint_jacobian(system, coordinates(system, q), t)
    size = np.linalg.norm(J, axis=0)
    J = unit_rows(J / np.where(size > 0.0, size, 1.0))
    basis, names = np.zeros((0, system.nv)), []
    for name, row in zip(system.constraint_names, J, strict=True):
        for _ in range(2):  # twice is enough to be orthogonal
            row = row - (basis @ row) @ basis
        left = float(np.linalg.norm(row))
        if left > REPORTED:
            basis = np.concatenate([basis, row[None] / left])
        else:
            names.append(name)
    return tuple(names)
