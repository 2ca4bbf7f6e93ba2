"""The second route: derivatives by central differences of eighth order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cotree as ct

EIGHTH = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))


def slope(f: Callable[[float], Any], h: float) -> np.ndarray:
    """df/ds at s = 0."""
    return np.asarray(sum(c * (np.asarray(f(k * h)) - np.asarray(f(-k * h))) for k, c in EIGHTH) / h)


def along_q(system: ct.System, f: Callable[[np.ndarray], np.ndarray], q: np.ndarray, h: float = 1e-2) -> np.ndarray:
    """Columns d/ds f(displace(q, s e_c))."""
    return np.array([slope(lambda s, e=e: f(ct.displace(system, q, s * e)), h) for e in np.eye(system.nv)]).T


def along_v(f: Callable[[np.ndarray], np.ndarray], v: np.ndarray, h: float = 0.5) -> np.ndarray:
    """Columns d/ds f(v + s e_c)."""
    return np.array([slope(lambda s, e=e: f(v + s * e), h) for e in np.eye(len(v))]).T
