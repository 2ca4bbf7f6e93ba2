"""Mass properties of a rigid body: mass, mass centre, inertia tensor about the mass centre."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import InertiaError, MassError, NotFiniteError, ShapeError
from cotree.judge import GIVEN
from cotree.model.checks import array, fixed, floats, number, shown, triple, vector

Array = NDArray[np.float64]


@dataclass(frozen=True)
class MassProperties:
    """Mass, mass centre and inertia of a body, in one frame.

    Parameters
    ----------
    mass : float
        Mass [kg].
    com : ndarray of shape (3,)
        Mass centre [m].
    inertia : ndarray of shape (3, 3)
        Inertia about the mass centre [kg m^2].

    Examples
    --------
    >>> ct.Sphere((0, 0, 1), 0.1).mass_properties(density=1000).com
    array([0., 0., 1.])
    """

    mass: float
    com: Array
    inertia: Array

    def moved(self, pose: Array) -> MassProperties:
        """The same body expressed in a frame in which its own frame has this pose."""
        R = pose[:3, :3]
        return MassProperties(self.mass, R @ self.com + pose[:3, 3], R @ self.inertia @ R.T)


def mass_properties(mass: Any, com: Any, inertia: Any, who: str) -> MassProperties:
    """Checked mass properties; inertia as 3x3 or as its diagonal."""
    m = number(mass, "mass", who)
    if m < 0.0:
        raise MassError(f"{who}: mass is {m}; it must be positive (or 0 for a body that only links others)")
    centre = vector(com, "mass centre", who)
    check_distance(m, centre, who)
    return MassProperties(m, centre, inertia_tensor(inertia, who))


def check_distance(mass: float, d: Array, who: str) -> None:
    """Raise if m |d|^2, the moment of inertia of a mass about a point, overflows."""
    x, y, z = d.tolist()
    if not math.isfinite(mass * (x * x + y * y + z * z)):
        raise NotFiniteError(
            f"{who}: a mass of {mass:g} kg at {[x, y, z]} m has a moment of inertia that overflows; check mass, "
            "com and their units"
        )


def inertia_tensor(value: Any, who: str) -> Array:
    """Symmetric, physically possible 3x3 tensor."""
    given = floats(value)
    if given is None or given.shape not in ((3,), (3, 3)):
        raise ShapeError(f"{who}: inertia must be 3 numbers (diagonal) or a 3x3 array, got {shown(value)}")
    if given.shape == (3,):
        diagonal = triple(value, "inertia", who)
        size, moments = max(map(abs, diagonal)), sorted(diagonal)
        inertia = np.zeros((3, 3))
        inertia[0, 0], inertia[1, 1], inertia[2, 2] = diagonal
    else:
        inertia = array(given, given.shape, "inertia", who)
        size = np.abs(inertia).max()
        if np.abs(inertia - inertia.T).max() > GIVEN * size:
            raise InertiaError(
                f"{who}: inertia is not symmetric; give the full tensor, with equal off-diagonal entries"
            )
        inertia = 0.5 * inertia + 0.5 * inertia.T
        moments = (size * np.linalg.eigvalsh(inertia / (size or 1.0))).tolist()  # of moments that overflow too
    _check_moments(moments, size, who)
    return fixed(inertia)


def _check_moments(moments: list[float], size: float, who: str) -> None:
    """Raise unless the principal moments, ascending, are physically possible."""
    a, b, c = moments
    if a < -GIVEN * size:
        raise InertiaError(
            f"{who}: inertia has the negative principal moment {a:.6g}; it must be about the mass centre"
        )
    if c > (a + b) + GIVEN * size:
        raise InertiaError(
            f"{who}: principal moments {a:.6g}, {b:.6g}, {c:.6g} violate the triangle inequality (none may exceed the sum "
            "of the others); for a planar model any tensor with the right moment about the normal will do, for instance "
            "(I, I, I)"
        )
