"""IPOPT, an interior-point method for many constraints, as CasADi brings it along; curvature by its limited memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.io.native.texts import package
from cotree.studies.functions.with_casadi import callback

if TYPE_CHECKING:
    from cotree.studies.optimizing import Function

Array = NDArray[np.float64]


class Least(NamedTuple):
    """x: where the objective is least, fun: its value; in the words of SciPy."""

    x: Array
    fun: float
    success: bool
    message: str


def minimize(
    objective: Function,
    constraints: Sequence[Function],
    x0: Array,
    low: Array,
    high: Array,
    tolerance: float,
    most: int,
) -> Least:
    """The objective's least value, with constraints that must not be negative, within bounds."""
    casadi = package("casadi", "casadi")
    n, m = len(x0), len(constraints)
    f = callback("objective", {"x": n}, ("f", 1), objective.value, lambda x: (objective.slope(x),))
    x = casadi.MX.sym("x", n)
    problem: dict[str, Any] = {"x": x, "f": f(x)}
    if m:
        values, slopes = (lambda x: [g.value(x) for g in constraints]), (lambda x: ([g.slope(x) for g in constraints],))
        g = callback("constraints", {"x": n}, ("g", m), values, slopes)
        problem["g"] = g(x)
    options = {
        "ipopt.hessian_approximation": "limited-memory", "ipopt.tol": tolerance, "ipopt.max_iter": most,
        "ipopt.print_level": 0, "ipopt.sb": "yes", "print_time": False, "error_on_fail": False,
    }  # fmt: skip
    solver = casadi.nlpsol("solver", "ipopt", problem, options)
    found = solver(x0=x0, lbx=low, ubx=high, **({"lbg": np.zeros(m), "ubg": np.full(m, np.inf)} if m else {}))
    said = solver.stats()
    best = np.asarray(found["x"], dtype=float).reshape(-1)
    return Least(best, float(found["f"]), bool(said["success"]), str(said["return_status"]).replace("_", " "))
