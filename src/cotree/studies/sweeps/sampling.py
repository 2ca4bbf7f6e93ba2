"""Points in the unit cube: random, Latin hypercube, Sobol sequence (SciPy), and Saltelli's scheme for Sobol indices (SALib)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ShapeError
from cotree.io.native.texts import package
from cotree.model.checks import shown

Array = NDArray[np.float64]
TINY = 2.0**-53  # points stay inside the cube, where every distribution has finite values
MOST = 10_000_000  # points


def _random(n: int, d: int, seed: int) -> Array:
    return np.random.default_rng(seed).random((n, d))


def _latin(n: int, d: int, seed: int) -> Array:
    from scipy.stats import qmc

    return np.asarray(qmc.LatinHypercube(d, seed=np.random.default_rng(seed)).random(n))


def _sobol(n: int, d: int, seed: int) -> Array:
    from scipy.stats import qmc

    _power_of_two(n, "sobol")
    return np.asarray(qmc.Sobol(d, seed=np.random.default_rng(seed)).random(n))


def _saltelli(n: int, d: int, seed: int) -> Array:
    """n (d + 2) points, of which each block of d + 2 differs in one parameter at a time."""
    _power_of_two(n, "saltelli")
    package("SALib", "sweep")
    from SALib.sample import sobol

    return np.asarray(sobol.sample(problem([f"x{k}" for k in range(d)]), n, calc_second_order=False, seed=seed))


SAMPLERS: dict[str, Callable[[int, int, int], Array]] = {
    "random": _random,
    "latin": _latin,
    "sobol": _sobol,
    "saltelli": _saltelli,
}


def unit_points(sampling: str, n: int, d: int, seed: int) -> Array:
    """(points, d) in the open unit cube, the same for the same seed."""
    if type(seed) is not int or not 0 <= seed < 2**32:
        raise ShapeError(f"seed is {shown(seed)}; give an integer from 0 to 4294967295")
    return np.clip(SAMPLERS[sampling](n, d, seed), TINY, 1.0 - TINY)


def problem(names: list[str]) -> dict[str, Any]:
    """What SALib calls a problem, in the unit cube."""
    return {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}


def _power_of_two(n: int, sampling: str) -> None:
    if n & (n - 1):
        low = 1 << (n.bit_length() - 1)
        raise ShapeError(
            f"samples is {n}; sampling={sampling!r} is balanced for powers of two only, give {low} or {2 * low}"
        )
