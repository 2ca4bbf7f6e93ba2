"""Mass properties from user input: numbers, a shape and a density, or a tensor about a point other than the mass centre."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import InertiaError, MassError, ModelWarning, ShapeError
from cotree.judge import GIVEN
from cotree.model.checks import array, floats, number, positive, shown, vector
from cotree.model.inertia import MassProperties, check_distance, mass_properties
from cotree.model.shapes import Box, Compound, Cylinder, Shape, Sphere

Array = NDArray[np.float64]
# Moments about the mass centre beside those of the offset, below which a tensor without a shape is doubted: a slender rod that
# passes through the origin about a third of its length from its middle has as much. More where its products are those of the
# offset, nearly or to three digits.
FAR, FAR_WITH_PRODUCTS = 0.25, 1.0
NEARLY, ALIKE = 0.5, 1e-3


def given_properties(
    mass: Any, com: Any, inertia: Any, shape: Shape | None, density: Any, about: Any, who: str, placed: Any = None
) -> MassProperties:
    """Checked mass properties about the mass centre; see `Mechanism.body`. placed: the frame of the data, None: the world."""
    if density is not None:
        if shape is None or mass is not None or com is not None or inertia is not None:
            raise MassError(f"{who}: density needs a shape and replaces mass, com and inertia; give one or the other")
        return _of_shape(shape, positive(density, "density", who), who)
    given = None if inertia is None else floats(inertia)
    if given is not None and given.shape == (6, 6):
        return _of_matrix(mass, com, given, about, who)
    if mass is None:
        raise MassError(f"{who}: give mass, com and inertia, or a shape and a density")
    if com is None and shape is not None and number(mass, "mass", who) > 0.0:
        solid = _of_shape(shape, 1.0, who, "this shape does not determine a mass centre; give com")
        com = solid.com
        if inertia is None:
            inertia = solid.inertia * (number(mass, "mass", who) / solid.mass)
    if com is None and inertia is None and placed is None and number(mass, "mass", who) > 0.0:
        text = "a mass without com, inertia and shape is a point at the world's origin; give com= (also for that), or a shape"
        warnings.warn(f"{who}: {text}", ModelWarning, stacklevel=4)
    com = (0.0, 0.0, 0.0) if com is None else com
    if inertia is None:
        return mass_properties(mass, com, (0.0, 0.0, 0.0), who)
    return _about_centre(mass, com, inertia, shape, about, who)


def _of_shape(shape: Shape, density: float, who: str, hint: str = "") -> MassProperties:
    try:
        p = shape.mass_properties(density)
    except MassError as error:  # the shape does not know whose it is
        raise MassError(f"{who}: {hint + ': ' if hint else ''}{error}") from None
    return mass_properties(p.mass, p.com, p.inertia, who)


def _of_matrix(mass: Any, com: Any, M: Array, about: Any, who: str) -> MassProperties:
    """From the 6x6 matrix [[T, m c^], [-m c^, m 1]] of twists (w, v), with the tensor T about the origin of the frame
    [Geo (40), (42)]; mass and com may be given too, and must agree."""
    M = array(M, (6, 6), "inertia", who)
    size, m = float(np.abs(M).max()), float(np.trace(M[3:, 3:])) / 3.0
    S = 0.5 * (M[:3, 3:] - M[:3, 3:].T)  # m c^
    form = np.block([[0.5 * (M[:3, :3] + M[:3, :3].T), S], [-S, m * np.eye(3)]])
    if np.abs(M - form).max() > GIVEN * size or m < 0.0 or (m == 0.0 and np.any(S)):
        raise InertiaError(
            f"{who}: this 6x6 inertia is not of the form [[T, m c^], [-m c^, m 1]] with T symmetric and c^ the matrix of "
            "c x; twists are in the order (angular, linear)"
        )
    if about is not None and not (isinstance(about, str) and about == "origin"):
        raise InertiaError(f"{who}: a 6x6 inertia is about the origin of its frame; leave inertia_about out")
    centre = np.array([S[2, 1], S[0, 2], S[1, 0]]) / (m or 1.0)
    if mass is not None and abs(number(mass, "mass", who) - m) > GIVEN * max(m, 1e-300):
        raise MassError(f"{who}: mass is {shown(mass)}, but the 6x6 inertia has {m:.6g}; leave one of them out")
    if com is not None and np.abs(vector(com, "mass centre", who) - centre).max() > GIVEN * max(
        1.0, np.abs(centre).max()
    ):
        raise MassError(
            f"{who}: com is {shown(com)}, but the 6x6 inertia has {centre.round(9).tolist()}; leave one of them out"
        )
    return _about_centre(m, centre, M[:3, :3], None, "origin", who)


def _about_centre(mass: Any, com: Any, inertia: Any, shape: Shape | None, about: Any, who: str) -> MassProperties:
    """Properties with the tensor moved to the mass centre, by Steiner's theorem."""
    if about is None or (isinstance(about, str) and about == "com"):
        given = mass_properties(mass, com, inertia, who)
        doubt = inertia_doubt(given, shape) if about is None else ""
        if doubt:
            warnings.warn(f"{who}: {doubt}", ModelWarning, stacklevel=5)
        return given
    if isinstance(about, str) and about != "origin":
        raise ShapeError(f"{who}: inertia_about is {about!r}; give 'com', 'origin' or a point")
    point = np.zeros(3) if isinstance(about, str) else vector(about, "inertia_about", who)
    bare = mass_properties(mass, com, inertia, who)
    check_distance(bare.mass, bare.com - point, who)
    moved = bare.inertia - offset_inertia(bare.mass, bare.com - point)
    if not _possible(moved, np.abs(bare.inertia).max()):
        raise InertiaError(
            f"{who}: the inertia about {point.tolist()} is less than its mass at a distance of "
            f"{np.linalg.norm(bare.com - point):.6g} m alone has; check mass, com and the point"
        )
    found = MassProperties(bare.mass, bare.com, moved)
    if doubt := _too_large(found, shape):
        warnings.warn(f"{who}: {doubt}", ModelWarning, stacklevel=5)
    return found


def offset_inertia(mass: float, d: Array) -> Array:
    """m (|d|^2 1 - d d^T): contribution of a mass at a distance d to the tensor."""
    return np.asarray(mass * (float(d @ d) * np.eye(3) - np.outer(d, d)), dtype=np.float64)


def _possible(inertia: Array, size: float) -> bool:
    """Whether some mass distribution has this tensor, up to rounding."""
    a, b, c = np.linalg.eigvalsh(inertia)
    return bool(a >= -GIVEN * size and c <= a + b + GIVEN * size)


def inertia_doubt(p: MassProperties, shape: Shape | None) -> str:
    """What is doubtful about a tensor given about the mass centre; empty if nothing is."""
    doubt = _too_large(p, shape)
    offset = offset_inertia(p.mass, p.com)
    own = MassProperties(p.mass, p.com, p.inertia - offset)
    if p.mass and np.any(offset) and _possible(own.inertia, np.abs(p.inertia).max()):
        within = bool(doubt) and not _too_large(own, shape)
        if within or (_reach(shape, p.com) is None and _distant(own.inertia, offset)):
            return (
                f"this inertia, taken about the mass centre {p.com.round(6).tolist()}, looks like one about the "
                "origin of its frame; give inertia_about='origin', or inertia_about='com' if it is right"
            )
    return doubt


def _too_large(p: MassProperties, shape: Shape | None) -> str:
    """What is wrong with a tensor that no distribution of the mass within the shape has; empty if some has it, or without a
    shape."""
    reach = _reach(shape, p.com)
    if reach is None or not p.mass:
        return ""
    most, largest = p.mass * reach**2 * (1.0 + GIVEN), float(np.linalg.eigvalsh(p.inertia)[2])
    if largest <= most:
        return ""
    return (
        f"the largest principal moment of inertia is {largest:.6g} kg m^2, and {p.mass:g} kg within its shape have at most "
        f"{most:.4g} kg m^2 about the mass centre; give kg and metres (1 kg mm^2 is 1e-6 kg m^2), correct the shape, or "
        "confirm the tensor by inertia_about='com'"
    )


def _distant(own: Array, offset: Array) -> bool:
    """Whether a tensor is `own` plus its offset rather than a tensor about the mass centre: `own` is a small part of it, or its
    products are those of the offset."""
    above = np.triu_indices(3, 1)
    part = float(np.trace(own) / np.trace(offset))
    products = float(np.linalg.norm(offset[above]))
    if products < ALIKE * np.trace(offset):
        return GIVEN < part < FAR
    left = float(np.linalg.norm(own[above])) / products
    return part < (np.inf if left < ALIKE else FAR_WITH_PRODUCTS if left < NEARLY else FAR)


def _reach(shape: Shape | None, com: Array) -> float | None:
    """Largest distance of a point of the shape from the mass centre; None if unknown."""
    if isinstance(shape, Compound):
        all_of_them = [_reach(one, com) for one in shape.shapes]
        known = [r for r in all_of_them if r is not None]
        return max(known) if len(known) == len(all_of_them) else None
    if isinstance(shape, Box):
        halves = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * 0.5 * np.array(shape.size)
        axes = np.eye(3) if shape.rotation is None else np.array(shape.rotation, dtype=float)
        corners = np.array(shape.center, dtype=float) + halves @ axes.T
        return float(np.linalg.norm(corners - com, axis=1).max())
    if isinstance(shape, Cylinder):
        ends = np.array([shape.a, shape.b], dtype=float)
        return float(np.linalg.norm(ends - com, axis=1).max() + shape.radius)
    if isinstance(shape, Sphere):
        return float(np.linalg.norm(np.array(shape.center, dtype=float) - com) + shape.radius)
    return None
