"""What the kernels of contact stepping are given: candidates for contact, blocks of coordinates, and room for a step."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotree.engine.records import arrays, opener, rows_of
from cotree.transitions.contacts.cones import cone_t

# What may push, rub or hold: a point of contact, one side of a limit, a brake
candidate_t = np.dtype(
    [
        ("row", "i8"),  # its first row, the normal one if it has one
        ("normal", "i8"),
        ("tangents", "i8"),
        ("sign", "f8"),  # the gap is sign (g - at) with the residual g of the row
        ("at", "f8"),
        ("mu", "f8"),  # friction while it slides, and while it sticks
        ("static", "f8"),
        ("restitution", "f8"),
        (
            "torque",
            "f8",
        ),  # of a brake: sliding friction, what it holds as a multiple of that, and what comes with the rate
        ("ratio", "f8"),
        ("viscous", "f8"),
        ("speed", "f8"),
        ("block_a", "i8"),  # of coordinates that it moves, -1 for none
        ("block_b", "i8"),
        ("state", "i8"),  # OPEN, STICK or SLIP in the last step
        ("pushed", "i8"),  # whether it did in the last step
    ],
    align=True,
)

# Coordinates that bodies and constraints couple with each other: the mass matrix and the rows of loops have such blocks
block_t = np.dtype(
    [
        ("first", "i8"),  # place of its coordinates in their order by blocks
        ("n", "i8"),
        ("first_row", "i8"),  # the same of its constraint rows
        ("m", "i8"),
        ("L", "i8"),  # where the Cholesky factor of its mass matrix begins, and the factors of its rows
        ("A", "i8"),
        ("rank", "i8"),
    ],
    align=True,
)
steps_t = np.dtype(
    [
        ("here", "i8"),  # the system with rows of all candidates, by address
        ("rows", "i8"),  # compiled rows of the mechanism's own constraints; user-defined rows
        ("user", "i8"),
        ("length", "f8"),  # of the system [m]
        ("worst", "f8"),  # largest residual of the cones
        ("unsolved", "i8"),  # steps in which it was above 1e-10
        ("deepest", "f8"),  # largest penetration at the end of a step, before it was taken out [m]
        ("most", "i8"),  # candidates that were active in one step
        ("lifted", "f8"),  # work of the forces along all that was taken out [J]
        ("corrected", "i8"),  # steps after which a penetration was taken out
        ("impacts", "i8"),  # how many were noted, and not
        ("lost", "i8"),
        ("softened", "i8"),  # impacts without restitution, since with it they would have created energy
        (
            "arrays",
            arrays(
                "candidates", "blocks", "dofs", "order", "motions", "L", "A", "beta", "pivot", "M", "J", "eta", "g", "f",
                "q_mid", "v_mid", "a", "kept", "report", "first", "log", "totals",
            ),
        ),
    ],
    align=True,
)  # fmt: skip
steps_at = opener(steps_t)
candidates_of: Any = rows_of(candidate_t)
blocks_of: Any = rows_of(block_t)
REPORT = 5  # numbers a candidate: force on its second body in the world (3), normal force, mode
LOG = 7  # numbers an impact: time, candidate, impulse on its second body (3), loss, how many act at once
LEAST_LOG = 4096  # impacts that are noted

__all__ = ["LOG", "REPORT", "block_t", "blocks_of", "candidate_t", "candidates_of", "cone_t", "steps_at", "steps_t"]
