"""The dimension of the closed configurations about a singular one, from the reduced rows: by signs and by planes.

One function that takes both signs in every neighbourhood vanishes on a set that separates its variables: one dimension less
than these. Else planes that fix fewer and fewer combinations of the variables are laid next to the configuration, and the
functions either vanish somewhere on them or do not. Where they touch zero without crossing it, to whatever order, their least
value is known to rounding although the place of it is not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.reduced_rows import ReducedRows
from cotree.constraints.reduced_slices import Limits, Meeting, meeting
from cotree.constraints.tangents import Rows
from cotree.judge import SOLVED

Array = NDArray[np.float64]
RADII = (0.12, 0.05)  # rad, or parts of the system's length: large ones show high orders
NEARER = 0.01  # where branches of several kinds are met at these
NOUGHT, PER_GAP = 1e-14, 30.0  # functions below this are rounding; and how much a configuration that is open adds to it
BOTH = 1e-3  # of the largest value: values of both signs that are clear
FEW, MANY = 6, 24  # planes for each radius, and where some meet the set or are in doubt
HITS, ENOUGH = 2, 4  # how many must meet it, and how many tell about its slopes
# where slopes vanish at all of them four times as many, and for each function more twice as many again: one of several branches
# that meet there may have slopes, and rounding must not decide whether it is among those that are looked at
DOUBLINGS = 4
MOST_PLANES = 80
MEETS, MISSES = 1e-8, 1e-5  # of the size of the functions where the search begins
FLAT = 1e-4  # of their size by the radius: slopes below this vanish
PER_ROOT = (
    3.0  # and those below this many roots of rounding: where functions touch zero, the place is known to that only
)
THIRD = 2.5  # orders above this are three
MOST = 16  # variables


@dataclass(frozen=True)
class Germ:
    """least, most: bounds of the dimension, which differ where it could not be decided; flat: whether configurations of that
    dimension in general position still admit more velocities; size: of the least function at the smaller radius that is not of
    third order or higher; rounded dimensions make no others."""

    least: int
    most: int
    flat: bool = False
    size: float = np.inf

    @property
    def decided(self) -> bool:
        return self.least == self.most


def germ_dimension(rows: Rows, q: Array, n: int) -> Germ:
    """Of the closed configurations about q, which admits n velocities."""
    if n > MOST:
        return Germ(0, n)
    full = ReducedRows.at(rows, q, n)
    nought = max(NOUGHT, PER_GAP * float(np.abs(rows.residual(q)).max(initial=0.0)))
    found = full.effective(RADII[0], nought)
    if found is None:
        return Germ(0, n)
    f, values = found
    if not f.functions:
        return Germ(n, n)
    near = f.samples(RADII[1])
    if near is None:
        return Germ(0, n)
    size = _least_of_low_order(values, near)
    if size < max(SOLVED, nought):
        return Germ(0, n)
    if n == 1:
        return Germ(0, 0, size=size)
    steep = [_steepness(x, r) for x, r in zip((values, near), RADII, strict=True)]
    if f.functions == 1 and _both_signs(values) and _both_signs(near):
        met = [_meetings(f, n - 1, r, nought, s)[0] for r, s in zip(RADII, steep, strict=True)]
        return Germ(n - 1, n - 1, _flat(f, n - 1, nought, met), size)
    return replace(_by_planes(f, nought, steep), size=size)


def _flat(f: ReducedRows, d: int, nought: float, found: list[list[Meeting]]) -> bool:
    """Whether slopes do not reach their full rank where planes meet the set, at the smallest radius at which some do: farther
    away lie branches that do not pass here. Where they do at some places only, nearer places are looked at."""
    near, full = next((at for at in reversed(found) if at), []), f.variables - d
    if len({x.rank < full for x in near}) == 2:
        values = f.samples(NEARER)
        nearer = [] if values is None else _meetings(f, d, NEARER, nought, _steepness(values, NEARER))[0]
        near = nearer or near
    return bool(near) and max(x.rank for x in near) < full


def _least_of_low_order(values: Array, near: Array) -> float:
    """The least size at the smaller radius of those combinations of the functions that are not of third order or higher."""
    far, close = (np.linalg.svd(x, compute_uv=False) / np.sqrt(len(x)) for x in (values, near))
    low = far < close * (RADII[0] / RADII[1]) ** THIRD
    return float(close[low].min(initial=np.inf))


def _both_signs(values: Array) -> bool:
    size = BOTH * np.abs(values).max()
    return bool(values.min() < -size and values.max() > size)


def _steepness(values: Array, radius: float) -> float:
    return float(np.linalg.norm(values, axis=1).max()) / radius


def _by_planes(f: ReducedRows, nought: float, steep: list[float]) -> Germ:
    """The largest dimension for which planes meet the set at both radii; what cannot be excluded bounds it from above."""
    most = n = f.variables
    most -= f.functions > 0
    for d in range(n - 1, 0, -1):
        found = [_meetings(f, d, radius, nought, s) for radius, s in zip(RADII, steep, strict=True)]
        if all(len(at) >= HITS for at, _ in found):
            return Germ(d, most, _flat(f, d, nought, [at for at, _ in found]))
        if most == d and not any(at or doubt for at, doubt in found):
            most = d - 1
    return Germ(0, most)


def _meetings(f: ReducedRows, d: int, radius: float, nought: float, steep: float) -> tuple[list[Meeting], bool]:
    """Where planes that fix d combinations meet the set, and whether some of them could not be told."""
    rng, at, doubt = np.random.default_rng(d), [], False
    flat = steep * max(FLAT, PER_ROOT * np.sqrt(0.1 * nought / (steep * radius)))
    for k in range(MOST_PLANES):
        x = meeting(f, d, radius, rng, Limits(0.1 * nought, MEETS, flat))
        if x is None:
            doubt = doubt or k < FEW
            continue
        if x.gap < MEETS:
            at.append(x)
        doubt = doubt or MEETS <= x.gap < MISSES
        full = f.variables - d
        touching = bool(at) and max(x.rank for x in at) < full
        enough = len(at) >= (ENOUGH << min(full + 1, DOUBLINGS) if touching else ENOUGH)
        none = k + 1 >= FEW and not at and not doubt
        if enough or none or (k + 1 >= MANY and not touching):
            break
    return at, doubt
