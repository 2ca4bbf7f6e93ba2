"""`Solid`: name, exact mass properties and outline of one solid of an assembly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import DocumentError, MassError, UnknownNameError
from cotree.io.step.plain import SolidData
from cotree.model.checks import positive
from cotree.model.inertia import MassProperties
from cotree.model.naming import nearest

Array = NDArray[np.float64]
OTHERS = "*"  # in a table of densities: of all that it does not name


@dataclass(frozen=True, eq=False)
class Solid:
    """A solid in the world frame: volume [m^3], centre [m], inertia about it for the density 1 [m^5], box [m]."""

    name: str
    volume: float
    centre: Array
    moments: Array
    box: Array  # (2, 3): the lowest corner and the highest
    density: float | None = None
    colour: tuple[float, float, float] | None = None
    mesh: str | None = None  # file of triangles in millimetres

    @property
    def properties(self) -> MassProperties:
        """Mass [kg], mass centre [m] and inertia about it [kg m^2]."""
        if self.density is None:
            raise MassError(
                f"solid {self.name!r} has no density; give read_step(path, density=...) one number in kg/m^3, or one for "
                f"each name: {{{self.name!r}: 2700.0, '*': 7850.0}}"
            )
        return MassProperties(self.density * self.volume, self.centre, self.density * self.moments)

    @property
    def mass(self) -> float:
        return self.properties.mass

    @property
    def inertia(self) -> Array:
        return self.properties.inertia

    def __repr__(self) -> str:
        mass = "no density" if self.density is None else f"{self.mass:.6g} kg"
        return f"<Solid {self.name!r}: {self.volume * 1e6:.6g} cm^3, {mass}>"


def solid(name: str, data: SolidData, density: float | None) -> Solid:
    """A solid from what the kernel measured."""
    box = np.array([data.low, data.high])
    moments = np.array(data.moments)
    return Solid(name, data.volume, np.array(data.centre), moments, box, density, data.colour, data.mesh)


def check_closed(parts: Mapping[str, SolidData]) -> None:
    """A part with a hole in its skin has no volume to speak of."""
    if leaky := [name for name, data in parts.items() if not data.closed or not data.volume > 0.0]:
        raise DocumentError(
            f"these parts are not closed, so they have no volume: {', '.join(map(repr, leaky[:8]))}; close them in the CAD "
            f"program (sew their faces), or leave them out: read_step(path, density, omit={leaky[:8]})"
        )


def densities(given: Any, names: Iterable[str]) -> dict[str, float | None]:
    """Density of each solid [kg/m^3] from one number, or from a table by name; None where nothing is said."""
    names = list(names)
    if not isinstance(given, Mapping):
        one = None if given is None else positive(given, "density", "read_step")
        return dict.fromkeys(names, one)
    for name in given:
        if name != OTHERS and name not in names:
            raise UnknownNameError(f"density: there is no solid {name!r}{nearest(name, names)}")
    table = {name: positive(value, "density", f"solid {name!r}") for name, value in given.items()}
    return {name: table.get(name, table.get(OTHERS)) for name in names}


def combined(parts: list[MassProperties]) -> MassProperties:
    """Several bodies as one, by Steiner's theorem."""
    mass = sum(p.mass for p in parts)
    com = np.sum([p.mass * p.com for p in parts], axis=0) / mass
    offsets = [p.com - com for p in parts]
    shifted = [p.inertia + p.mass * (d @ d * np.eye(3) - np.outer(d, d)) for p, d in zip(parts, offsets, strict=True)]
    return MassProperties(mass, com, np.sum(shifted, axis=0))
