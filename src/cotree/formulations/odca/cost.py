"""What a plan costs, in multiplications: by it threads share nodes, and wide rows, formulations and borders are chosen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.topology.plan import Plan

Array = NDArray[np.float64]
FIXED = 60.0  # multiplications that what is the same at all nodes costs


def _rows(plan: Plan, groups: NDArray[np.void]) -> Array:
    """Rows imposed at each node."""
    total = np.concatenate([[0], np.cumsum(groups["rows"][plan.imposed])])
    found: Array = np.diff(total[plan.imposed_start]).astype(float)
    return found


def _handles(plan: Plan, parts: NDArray[np.void]) -> Array:
    """Dimensions of what each node puts together: of the handles of its two nodes, or of its part."""
    inner = plan.body < 0
    n = np.zeros(len(plan.body))
    n[~inner] = parts["size"][plan.body[~inner]]
    n[inner] = plan.width[plan.left[inner]] + plan.width[plan.right[inner]]
    return n


def work(plan: Plan, parts: NDArray[np.void], groups: NDArray[np.void]) -> Array:
    """Time of each node, up and down: a fixed part, and the products of its matrices."""
    m, n, kept = _rows(plan, groups), _handles(plan, parts), plan.width
    products: Array = FIXED + m * n * n / 2 + m * m * (n + kept) + m * kept * kept
    return np.where((plan.body >= 0) & (m == 0), 0.0, products) + 10.0


def total_work(plan: Plan, parts: NDArray[np.void], groups: NDArray[np.void]) -> float:
    """Time of a solution: of all nodes, and for each row of the border of a pass with the factors that are there."""
    m, bordered = _rows(plan, groups), int(groups["rows"][groups["sorted"]].sum())
    a_pass = float((2.0 * FIXED + 4.0 * m * (m + plan.width)).sum())  # with the coefficients of a row
    return float(work(plan, parts, groups).sum()) + (bordered + (bordered > 0)) * a_pass + bordered**3 / 3
