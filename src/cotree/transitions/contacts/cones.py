"""What a contact asks of its impulse: the table of cones that all solvers here read, and the names of their answers.

A cone has rows in one block: its normal first, if it has one, then no, one or two tangents. With u = G P + b,

    0 <= u_N, P_N >= 0, u_N P_N = 0;    |P_T| <= mu P_N + radius, and as large as that and opposite to u_T where that is not 0.

A contact has a normal and radius 0; a brake has one tangent, no normal and a radius, its greatest impulse; a stop is a normal
alone. Values are velocities and impulses, or accelerations and forces: nothing here knows which.
"""

from typing import Any

import numpy as np

cone_t = np.dtype(
    [("first", np.int64), ("normal", np.int64), ("tangents", np.int64), ("mu", np.float64), ("radius", np.float64)],
    align=True,
)
OPEN, STICK, SLIP = range(3)  # modes of a cone
MODES = ("open", "stick", "slip")
SOLVED, NOT_SOLVED = range(2)  # status
LAWS = ("newton", "poisson", "plastic")  # of impacts
EXACT = 1e-10  # relative: residual of the natural map that counts as solved


def cone_table(normals: Any, tangents: Any, mu: Any, radius: Any = 0.0) -> np.ndarray:
    """Table of cones from an entry for each contact: whether it has a normal, how many tangents, friction, radius."""
    normals, tangents = np.atleast_1d(np.asarray(normals, np.int64)), np.atleast_1d(np.asarray(tangents, np.int64))
    table = np.zeros(len(tangents), cone_t)
    table["normal"], table["tangents"], table["mu"], table["radius"] = normals, tangents, mu, radius
    table["first"] = np.cumsum(table["normal"] + table["tangents"]) - table["normal"] - table["tangents"]
    return table
