"""How far each coordinate points along the constraints, and how far along what they leave [Geo (67), (68)].

These are the lengths by which `stabilize="partition"` chooses the dependent coordinates: those that point most directly at
the constraints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._shown import Shown
from cotree.formulations.constraint_space import spaces
from cotree.model.checks import choice
from cotree.system.arguments import coordinates, of_system
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ProjectionLengths(Shown):
    """Of each velocity coordinate: squared relative length of its direction within the constraint space, `constrained`
    [Geo (67)], and within the tangent space, `free` [Geo (68)]. The two add up to 1. independent: as many names as there are
    degrees of freedom, taken greedily by `free`, each time of what the names before leave of the tangent space."""

    names: tuple[str, ...]
    constrained: Array
    free: Array
    independent: tuple[str, ...]

    def __str__(self) -> str:
        width = max(map(len, self.names), default=0)
        lines = [
            f"{name:<{width}}  {c:.6f}  {f:.6f}"
            for name, c, f in zip(self.names, self.constrained, self.free, strict=True)
        ]
        return "\n".join([f"{'':<{width}}  constrained  free", *lines])


@of_system
def projection_lengths(system: System, q: ArrayLike, level: str = "position", t: float = 0.0) -> ProjectionLengths:
    """Compute which coordinates are good dependent and good independent ones.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like of shape (nq,)
        Coordinates.
    level : str, optional
        "position" counts the holonomic constraints, "velocity" the others too.
    t : float, optional
        Time [s], for drives and functions of time.

    Returns
    -------
    ProjectionLengths
        `.constrained`: close to 1 for a good dependent coordinate; `.free`: close to 1 for
        a good independent one; `.independent`: a choice for `reduced` and `ct.Voronets`.
        [Geo (67), (68)]

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> len(ct.theory.projection_lengths(system, system.q0).independent)
    1
    """
    at_velocities = choice(level, ("position", "velocity"), "level") == "velocity"
    q = coordinates(system, q)
    L, basis = spaces(system, q, t, None if at_velocities else system.holonomic)
    directions = L / np.linalg.norm(L, axis=1, keepdims=True)  # row i is L^T e_i, whose squared length is M_ii
    along = directions @ basis.T
    across = directions - along @ basis
    names = system.coordinate_names
    chosen = tuple(names[k] for k in _greedy(across, len(L) - len(basis)))
    return ProjectionLengths(names, (along**2).sum(axis=1), (across**2).sum(axis=1), chosen)


def _greedy(X: Array, count: int) -> list[int]:
    """Rows of X, each the longest of what is left when those before are projected out."""
    X, taken = X.copy(), list[int]()
    for _ in range(count):
        k = int(np.argmax((X**2).sum(axis=1)))
        taken.append(k)
        unit = X[k] / np.linalg.norm(X[k])
        X -= np.outer(X @ unit, unit)
        X[taken] = 0.0
    return taken
