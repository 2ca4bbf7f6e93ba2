"""The record of a run in the making, with its arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from cotree.formulations.problem import Problem
from cotree.integrate import records
from cotree.integrate.methods.contract import Method
from cotree.integrate.records import run_t


class RunState(Problem):
    """A problem with the clock, options, counts and arrays of a run: `run` is what kernels take."""

    record_t = run_t

    def allocate(self, method: Method, columns: int = 0) -> None:
        """columns: numbers that rows have more than work and states of laws."""
        n, nq, s = self.system.nv, self.system.nq, len(method.b)
        self.run: Any = self.record
        self.clock, self.options, self.counts = self.run.clock, self.run.options, self.run.counts
        self.run.stages = s
        for name in ("older", "old", "now", "trial"):
            self.hold(name, np.zeros(nq + 2 * n))
        for name, array in (("tableau", method.a), ("weights", method.b), ("nodes", method.c), ("error", method.error)):
            self.hold(name, np.ascontiguousarray(array))
        for name, size in (("kq", n), ("kv", n), ("kx", nq), ("kw", 2 + self.system.n_states)):
            self.hold(name, np.zeros((s + 1, size)))
        self.work = self.hold("work", np.zeros((4, 2 + self.system.n_states + columns)))
        self.hold("inner", np.zeros_like(self.work))
        self.hold("psi", np.zeros(n))
        self.hold("err", np.zeros((4, n)))
        self.tolerances = self.hold("tolerances", np.zeros(n))  # absolute ones, above `options.atol`
        self.wanted = self.hold("wanted", np.full((2, n), -1, dtype=np.int64))
        self.hold("memory", np.zeros((6, n)))
        self.hold("partition", np.zeros(n, dtype=np.int64))
        if method.implicit:
            m = self.system.n_constraints
            self.hold("newton", np.zeros(2 + m + (n + m) ** 2))
            self.hold("swaps", np.zeros(n + 2 * m, dtype=np.int64))

    def at(self, which: str) -> records.State:
        """(q, v, v_dot) of the state "older", "old", "now" or "trial"."""
        x, nq, n = self.kept[which], self.system.nq, self.system.nv
        return records.State(x[:nq], x[nq : nq + n], x[nq + n :])
