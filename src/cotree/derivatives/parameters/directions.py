"""Directions in the space of all numbers that kernels read: what a unit change of each parameter makes of the tables.

Geometry is given by twists in the reference assembly, about the system's origin. A joint in the tree whose frame moves by a
twist xi has E' = exp(s xi) E exp(-s xi): all that it carries is displaced by xi before the joint and by -xi behind it. A cut
joint, or another constraint between points, has its frames on both bodies moved: `tips`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.system.system import System

Array = NDArray[np.float64]


class Directions(NamedTuple):
    """One row for each of P parameters. inertia (P, links, 10): mass, first moments, tensor about the origin; before, behind
    (P, links, 6): twists before and behind the joint of a link; tips (P, pieces, 12): twists of the ends a and b of pieces of
    rows; cuts (P, cut joints, 6): twists of their frames; springs (P, springs, 9): stiffness, length, damping, points a and b;
    forces (P, joint forces, 3): stiffness, rest, damping; values (P, slots, 3): numbers of loads and motors; rotors (P, nv);
    gravity (P, 3); gaps (P, rows): of constraints, where a number is all that changes; moves (P,): whether links are displaced.
    """

    inertia: Array
    before: Array
    behind: Array
    tips: Array
    cuts: Array
    springs: Array
    forces: Array
    values: Array
    rotors: Array
    gravity: Array
    gaps: Array
    moves: NDArray[np.int64]


def no_directions(system: System, count: int) -> Directions:
    """Zeros for so many parameters."""
    links, pieces, e = len(system.links), len(system.tables["pieces"]), system.elements
    shapes = (
        (links, 10), (links, 6), (links, 6), (pieces, 12), (len(system.cuts), 6), (len(e.springs), 9),
        (len(e.joint_forces), 3), (len(e.constants), 3), (system.nv,), (3,), (system.n_constraints,),
    )  # fmt: skip
    made: list[Array] = [np.zeros((count, *shape)) for shape in shapes]
    return Directions._make([*made, np.zeros(count, np.int64)])
