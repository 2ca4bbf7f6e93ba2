"""A plain integrator for the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cotree as ct


def runge_kutta(
    system: ct.System,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray | None = None,
    *,
    step: float,
    steps: int,
    power: Callable[[np.ndarray, np.ndarray], float] = lambda q, v: 0.0,
) -> tuple[np.ndarray, np.ndarray, float]:
    """Classical method on (q, v, work) as plain numbers; work is the integral of `power`."""
    n, m = system.nq, system.nv

    def rate(x: np.ndarray) -> Any:
        a, b = x[:n], x[n : n + m]
        v_dot = ct.forward_dynamics(system, a, b, tau).v_dot
        return np.concatenate([ct.theory.coordinate_rates(system, a, b), v_dot, [power(a, b)]])

    x = np.concatenate([q, v, [0.0]])
    for _ in range(steps):
        k1 = rate(x)
        k2 = rate(x + 0.5 * step * k1)
        k3 = rate(x + 0.5 * step * k2)
        k4 = rate(x + step * k3)
        x = x + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return x[:n], x[n : n + m], float(x[-1])
