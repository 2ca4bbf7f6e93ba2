"""One judge: the tolerances of questions that are asked in several places, each with what it is relative to and why.

A count carries its margin: how far the nearest number is from changing it.

Rank: singular values, pivots and directions, relative to the largest of their kind.

| tolerance | relative to | reason |
|---|---|---|
| `DEPENDENT` | largest row, column or singular value | solvers: rounding of factored matrices stays below it |
| `DEPENDENT_SQUARE` | largest square of a row; mobility along it | pivots of J M^-1 J^T are squares |
| `REPORTED` | screws, rows and columns of unit size | geometric mean of noise (1e-10) and what differs (1e-4) |
| `TOUCHING` | screws, rows and columns of unit size | where constraints touch, loops are closed to the root of rounding only |
| `DOUBTFUL` | pivots relative to their rows | digits enough for a pivot taken in the given order |
| `MOST` | | a tolerance above this would drop rows that are there |
| `NEGLIGIBLE` | largest of its kind | forces, rates, stiffnesses: less than this is the rounding of those beside it |

Closed: gaps in rad, and in m relative to the length of the system.

| tolerance | reason |
|---|---|
| `SETTLED` | where an iteration that still gains digits may stop |
| `SOLVED` | where a residual decides on mobility, or exact dimensions must give it |
| `CLOSED` | loops, stops and points that a search has reached: axes in files are exact to ten digits and leave gaps |
| `SATISFIED` | constraints of a run: it leaves less, and warns of more |
| `GIVEN` | data of catalogues, CAD and files are written with six digits |
| `SAME_CONFIGURATION` | states written with six digits come out a few 1e-6 off once loops are closed |
| `COINCIDENT` | points, relative to their distance from the origin: closer ones have lost their difference to rounding |
| `PARALLEL` | sine of the angle between axes and normals in files, which are written with six decimals |

Motion.

| tolerance | relative to | reason |
|---|---|---|
| `BALANCED` | largest of the forces that act | rounding of a balance: a search for a rest position ends here |
| `STILL` | unit velocities | rates of bodies and joints where velocities are those of a search |
| `AT_REST` | fastest rate, at least 1; the energies | rates that switches and projections leave of zero |
| `LEAVES_AT` | rad/s or m/s | a stop left more slowly is leant on; else bounces would never end |
| `STEADY` | velocity squared, plus accelerations of 1 | accelerations that a steady motion may have; searches end below |
| `CONSISTENT` | largest rate or force | equations that contradict each other leave more; rates of drivers may be differences |

Instants.

| tolerance | relative to | reason |
|---|---|---|
| `INSTANT` | time, at least 1 s | events closer than roots can be told apart are simultaneous |
| `SOON` | time, at least 1 s | switches that follow each other so soon are counted, as they might never end |
| `OF_A_PERIOD` | period | instants of sampling, which are multiples of periods |

Rounding.

| tolerance | relative to | reason |
|---|---|---|
| `ZERO` | unit sizes | zeros that went through one computation: rates of what does not move, rows that are none |
| `DIGITS` | terms of a sum | last digits of double precision: below this nothing is gained |
| `ROUNDING` | terms of a sum | what some tens of operations leave of zero |
| `CANCELLED` | largest term | what is left of the forces and rates of a whole system that cancel |
| `TINY` | | stands for zero where one divides by a size |
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

DEPENDENT = 1e-9
DEPENDENT_SQUARE = 1e-12
REPORTED = 1e-7
TOUCHING = 1e-5
DOUBTFUL = 1e-5
MOST = 1e-4
NEGLIGIBLE = 1e-9

SETTLED = 1e-13
SOLVED = 1e-10
CLOSED = 1e-8
SATISFIED = 1e-6
GIVEN = 1e-6
SAME_CONFIGURATION = 1e-5
COINCIDENT = 1e-9
PARALLEL = 1e-6

BALANCED = 1e-12
STILL = 1e-6
AT_REST = 1e-9
LEAVES_AT = 1e-6
STEADY = 1e-8
CONSISTENT = 1e-6

INSTANT = 1e-12
SOON = 1e-9
OF_A_PERIOD = 1e-9

ZERO = 1e-12
DIGITS = 1e-15
ROUNDING = 1e-14
CANCELLED = 1e-11
TINY = 1e-300


class Rank(int):
    """How many sizes are above a tolerance. margin: decades by which the nearest of them is away from it: the count stands
    where rounding changes sizes by less."""

    margin: float

    @classmethod
    def of(cls, sizes: NDArray[np.floating[Any]], tolerance: float) -> Rank:
        rank = cls(np.count_nonzero(sizes > tolerance))
        rank.margin = margin(sizes, tolerance)
        return rank


def margin(sizes: NDArray[np.floating[Any]], tolerance: float) -> float:
    """Decades by which the size nearest to a tolerance is away from it."""
    return float(np.abs(np.log10(np.maximum(sizes, TINY)) - np.log10(tolerance)).min(initial=np.inf))


def slowest(v: NDArray[np.float64]) -> float:
    """Rate below which something is at rest beside these rates."""
    return AT_REST * max(1.0, float(np.abs(v).max(initial=0.0)))


def same_instant(a: Any, b: Any) -> Any:
    """Whether times are one."""
    return np.abs(a - b) <= INSTANT * np.maximum(1.0, np.abs(b))
