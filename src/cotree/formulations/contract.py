"""What a formulation is: the contract, and the formulations by name.

A formulation solves M v_dot + J^T lam = f, J v_dot = eta for a state. In the time loop it is three entries: `terms(p, t, q, v)`
evaluates what it needs, `positions(p, t, q)` the part that depends on positions alone, and `solve(p, t, v_dot)` returns the
rank of the rows with v_dot and `lam` filled. Called from Python it is one function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cotree.engine.entry import Entry


@dataclass(frozen=True)
class Formulation:
    """solver(M, J, f, eta, tolerance, v_dot, lam) -> rank, in place, matrices overwritten; None without matrices."""

    terms: Entry
    positions: Entry | None
    solve: Entry
    solver: Callable[..., Any] | None

    @property
    def dense(self) -> bool:
        """Whether it works on matrices M and J."""
        return self.solver is not None


FORMULATIONS: dict[str, Formulation] = {}
