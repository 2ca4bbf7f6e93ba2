"""Sections of beams: stiffness, mass and inertia for a metre of length."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from cotree.errors import ArgumentError, InertiaError
from cotree.model.checks import array, number, positive

Six = tuple[float, float, float, float, float, float]
TERMS = 60  # of the series of torsion: the last one is below rounding
ORDER = "EA, GAy, GAz, GJ, EIy, EIz"


@dataclass(frozen=True)
class Section:
    """Section of a beam; x is along the beam, y and z are the principal axes of the section.

    Parameters
    ----------
    stiffness : six numbers
        (EA, GAy, GAz, GJ, EIy, EIz): of stretch, shear along y and z [N], torsion, bending about y and z [N m^2].
        GAy and GAz are those of the shear force, with the section's shear factors.
    mass : float
        Of a metre [kg/m].
    inertia : three numbers
        Of a metre about x, y and z [kg m]: density times the second moments of area; about x their sum. (x, 0, 0) stands for
        (x, x/2, x/2).

    See Also
    --------
    Section.rectangle, Section.circle, Section.tube : From sizes and a material.

    Examples
    --------
    >>> steel = ct.Section.rectangle(0.02, 0.005, youngs_modulus=210e9, poisson=0.3, density=7850)
    >>> round(steel.mass, 3)
    0.785
    """

    stiffness: Six
    mass: float
    inertia: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        who = "Section"
        K = tuple(array(self.stiffness, (6,), f"stiffness ({ORDER})", who).tolist())
        if min(K) <= 0.0:
            raise ArgumentError(f"{who}: stiffness ({ORDER}) is {K}; all of it must be positive")
        m, J = number(self.mass, "mass", who), tuple(array(self.inertia, (3,), "inertia", who).tolist())
        if m < 0.0 or min(J) < 0.0:
            raise ArgumentError(f"{who}: mass {m:g} and inertia {J} must not be negative")
        if J[0] > 0.0 and J[1] == J[2] == 0.0:
            J = (J[0], 0.5 * J[0], 0.5 * J[0])
        if max(J) > (1.0 + 1e-6) * 0.5 * sum(J):
            raise InertiaError(f"{who}: inertia {J} is not that of a section: none may exceed the sum of the other two")
        for name, value in (("stiffness", K), ("mass", m), ("inertia", J)):
            object.__setattr__(self, name, value)

    @classmethod
    def rectangle(
        cls, width: float, height: float, *, youngs_modulus: float, poisson: float, density: float
    ) -> Section:
        """Make a solid rectangular section.

        Shear factor 10 (1 + nu) / (12 + 11 nu) of Cowper (1966); torsion constant by Saint-Venant's series.

        Parameters
        ----------
        width, height : float
            Along y and z [m].
        youngs_modulus, poisson, density : float
            Of the material [Pa, 1, kg/m^3].

        Returns
        -------
        Section
            The section.

        Raises
        ------
        MassError
            For sizes, modulus or density that are not positive.

        Examples
        --------
        >>> s = ct.Section.rectangle(0.1, 0.1, youngs_modulus=1.0, poisson=0.0, density=1.0)
        >>> round(s.stiffness[3] / 0.5 / 0.1**4, 4)  # of a square
        0.1406
        """
        b, h = (positive(x, what, "Section.rectangle") for x, what in ((width, "width"), (height, "height")))
        nu = _poisson(poisson)
        moments = (b * h**3 / 12.0, h * b**3 / 12.0)
        shear = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu)
        return _of_material(cls, b * h, torsion_of_rectangle(b, h), moments, shear, youngs_modulus, nu, density)

    @classmethod
    def circle(cls, radius: float, *, youngs_modulus: float, poisson: float, density: float) -> Section:
        """Make a solid circular section.

        Shear factor 6 (1 + nu) / (7 + 6 nu) of Cowper (1966).

        Parameters
        ----------
        radius : float
            Radius [m].
        youngs_modulus, poisson, density : float
            Of the material [Pa, 1, kg/m^3].

        Returns
        -------
        Section
            The section.

        Raises
        ------
        MassError
            For sizes, modulus or density that are not positive.

        Examples
        --------
        >>> ct.Section.circle(0.01, youngs_modulus=70e9, poisson=0.33, density=2700).stiffness[0] > 2.1e7
        True
        """
        return cls.tube(radius, 0.0, youngs_modulus=youngs_modulus, poisson=poisson, density=density)

    @classmethod
    def tube(
        cls, radius: float, inner_radius: float, *, youngs_modulus: float, poisson: float, density: float
    ) -> Section:
        """Make a circular tube.

        Shear factor 6 (1 + nu) (1 + m^2)^2 / ((7 + 6 nu) (1 + m^2)^2 + (20 + 12 nu) m^2), m the inner over the outer radius,
        of Cowper (1966).

        Parameters
        ----------
        radius, inner_radius : float
            Outside and inside [m].
        youngs_modulus, poisson, density : float
            Of the material [Pa, 1, kg/m^3].

        Returns
        -------
        Section
            The section.

        Raises
        ------
        MassError
            For sizes, modulus or density that are not positive.

        Examples
        --------
        >>> ct.Section.tube(0.01, 0.008, youngs_modulus=70e9, poisson=0.33, density=2700).mass < 0.31
        True
        """
        r, inner = positive(radius, "radius", "Section.tube"), number(inner_radius, "inner_radius", "Section.tube")
        if not 0.0 <= inner < r:
            raise ArgumentError(f"Section.tube: inner_radius is {inner:g}; it must be less than the radius {r:g}")
        nu, moment = _poisson(poisson), math.pi * (r**4 - inner**4) / 4.0
        m = inner / r
        wide = (1.0 + m * m) ** 2
        shear = 6.0 * (1.0 + nu) * wide / ((7.0 + 6.0 * nu) * wide + (20.0 + 12.0 * nu) * m * m)
        area = math.pi * (r * r - inner * inner)
        return _of_material(cls, area, 2.0 * moment, (moment, moment), shear, youngs_modulus, nu, density)


def torsion_of_rectangle(width: float, height: float) -> float:
    """Saint-Venant: J = a b^3 (1/3 - 64 b / (pi^5 a) sum over odd n of tanh(n pi a / 2 b) / n^5), b the shorter side [m^4]."""
    a, b = max(width, height), min(width, height)
    series = sum(math.tanh(n * math.pi * a / (2.0 * b)) / n**5 for n in range(1, 2 * TERMS, 2))
    return a * b**3 * (1.0 / 3.0 - 64.0 * b / (math.pi**5 * a) * series)


def _poisson(value: Any) -> float:
    nu = number(value, "poisson", "Section")
    if not -1.0 < nu <= 0.5:
        raise ArgumentError(f"Section: poisson is {nu:g}; Poisson's ratio lies between -1 and 0.5")
    return nu


def _of_material(
    cls: type[Section],
    area: float,
    torsion: float,
    moments: tuple[float, float],
    shear: float,
    E: Any,
    nu: float,
    rho: Any,
) -> Section:
    """From area [m^2], torsion constant and second moments [m^4] about y and z."""
    E, rho = positive(E, "youngs_modulus", "Section"), positive(rho, "density", "Section")
    G, (Iy, Iz) = E / (2.0 * (1.0 + nu)), moments
    stiffness = (E * area, shear * G * area, shear * G * area, G * torsion, E * Iy, E * Iz)
    return cls(stiffness, rho * area, (rho * (Iy + Iz), rho * Iy, rho * Iz))
