"""`optimize`: numbers of a mechanism that make an objective least, by SciPy or IPOPT."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree._shown import Shown
from cotree.errors import ArgumentError, CotreeError, StudyError
from cotree.model.checks import choice, floats, number, positive, several, shown, whole
from cotree.model.checks import names as checked_names
from cotree.model.mechanism import Mechanism
from cotree.model.numbers import mechanism_of, number_named, numbers_of, with_parameters
from cotree.studies.bounds import bounds_of

Array = NDArray[np.float64]
MOST = 10**9  # iterations that can be asked for
STEP = 1e-4  # of the scale of a parameter, for differences where no derivatives are given
Answer = tuple[float, Array | None]


@dataclass(frozen=True, eq=False)
class Optimum(Shown):
    """values: by parameter; objective: its least value, and begin: that before; mechanism: with the values found; success,
    message: what the method says; evaluations: how often the objective was asked."""

    values: dict[str, float]
    objective: float
    begin: float
    mechanism: Mechanism = field(repr=False)
    success: bool
    message: str
    evaluations: int

    def __str__(self) -> str:
        lines = [
            f"objective {self.begin:.6g} -> {self.objective:.6g} in {self.evaluations} evaluations: {self.message}"
        ]
        return "\n  ".join([*lines, *(f"{name} = {x:.6g}" for name, x in self.values.items())])


def optimize(
    mechanism: Mechanism | Callable[..., Mechanism],
    objective: Callable[[Mechanism], Any],
    parameters: Sequence[str] | Mapping[str, float],
    *,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    constraints: Sequence[Callable[[Mechanism], Any]] = (),
    tolerance: float = 1e-9,
    most: int = 200,
    method: str = "slsqp",
) -> Optimum:
    """Find numbers of a mechanism for which an objective is least.

    Parameters
    ----------
    mechanism : Mechanism or callable
        Its own numbers are where the search begins; or a function that builds it from
        the parameters, as `ct.sweep` takes it.
    objective : callable
        Function of a mechanism that returns a number, or a number and a dict of its
        derivatives by parameter. An objective that raises a CotreeError counts as
        infinitely bad.
    parameters : sequence of str or dict
        Names as `ct.parameters` lists them; or a dict with the values to begin with, by
        name, which a function that builds the mechanism needs.
    bounds : dict, optional
        {name: (lower, upper)}.
    constraints : sequence of callable, optional
        Functions likewise, whose numbers must not be negative.
    tolerance : float, optional
        Tolerance of the search.
    most : int, optional
        Largest number of iterations.
    method : str, optional
        "slsqp" (SciPy) or "ipopt", for many parameters: pip install 'cotree[casadi]'.

    Returns
    -------
    Optimum
        `.values` by name, `.mechanism` and more.

    Examples
    --------
    >>> mech = ct.gallery.pendulum_chain(1)
    >>> body = next(iter(mech.bodies))
    >>> best = ct.optimize(mech, lambda m: (ct.parameters(m)[f"{body}.mass"] - 2.5) ** 2, [f"{body}.mass"])
    >>> round(best.values[f"{body}.mass"], 4)
    2.5
    """
    choice(method, METHODS, "method")
    bounded = (constraints,) if callable(constraints) else several(constraints, "constraints")
    for f in (objective, *bounded):
        if not callable(f):
            raise ArgumentError(f"optimize: objective and constraints are functions of a mechanism, got {shown(f)}")
    least, iterations = positive(tolerance, "tolerance", "optimize"), whole(most, "most", 1, MOST)
    make, names, begin = _varied(mechanism, parameters)
    if not len(begin):
        raise ArgumentError("optimize: name parameters=, the numbers that may be changed")
    low, high = bounds_of(bounds, names, begin)
    width = np.where(np.isfinite(high - low), high - low, np.inf)
    scale = np.minimum(np.where(np.abs(begin) > 0.0, np.abs(begin), 1.0), width)
    count = [0]

    def ask(f: Callable[[Mechanism], Any], x: Array) -> Answer:
        count[0] += 1
        try:
            value, slopes = _answer(f(make(dict(zip(names, (x * scale).tolist(), strict=True)))), names)
            return value, None if slopes is None else slopes * scale
        except CotreeError as error:
            if isinstance(error, ArgumentError):
                raise
            return np.inf, None
        except Exception as error:
            error.add_note(f"in the {'objective' if f is objective else 'constraint'} of optimize")
            raise

    first = Function(lambda x: ask(objective, x))
    start = first.value(begin / scale)
    if not np.isfinite(start):
        raise StudyError(
            "optimize: the objective has no finite value for the mechanism as it is; begin with another one"
        )
    others = [Function(lambda x, f=f: ask(f, x)) for f in bounded]  # type: ignore[misc]
    threshold = least * max(1.0, abs(start))
    found = METHODS[method](first, others, begin / scale, low / scale, high / scale, threshold, iterations)
    values = dict(zip(names, (found.x * scale).tolist(), strict=True))
    return Optimum(
        values,
        float(found.fun),
        float(start),
        make(values),
        bool(found.success),
        str(found.message),
        count[0],
    )


def _varied(given: Any, parameters: Any) -> tuple[Callable[[dict[str, float]], Mechanism], tuple[str, ...], Array]:
    """What makes a mechanism of values by name, the names, and the values to begin with."""
    names = checked_names(list(parameters) if isinstance(parameters, Mapping) else parameters, "parameters")
    starts = dict(parameters) if isinstance(parameters, Mapping) else {}
    if callable(given) and not isinstance(given, Mechanism):
        if len(starts) < len(names):
            raise ArgumentError(
                "optimize: parameters of a function that builds the mechanism are a dict of its arguments with the values to "
                f"begin with, got {shown(parameters)}"
            )
        return lambda values: mechanism_of(given(**values)), names, _numbers(starts, names)
    mech = mechanism_of(given)
    known = numbers_of(mech)
    own = {name: known[name][1] for name in names if number_named(known, name, mech)}
    return lambda values: with_parameters(mech, values), names, _numbers(own | starts, names)


def _numbers(values: Mapping[str, Any], names: Sequence[str]) -> Array:
    return np.array([number(values[name], f"parameter {name!r}", "optimize") for name in names], dtype=np.float64)


def _slsqp(
    first: Function, others: Sequence[Function], x0: Array, low: Array, high: Array, tolerance: float, most: int
) -> Any:
    from scipy.optimize import minimize

    return minimize(
        first.value, x0, jac=first.slope, method="SLSQP", bounds=list(zip(low, high, strict=True)),
        constraints=[{"type": "ineq", "fun": g.value, "jac": g.slope} for g in others],
        options={"ftol": tolerance, "maxiter": most},
    )  # fmt: skip


def _ipopt(*given: Any) -> Any:
    from cotree.studies.ipopt import minimize

    return minimize(*given)


METHODS: dict[str, Callable[..., Any]] = {"slsqp": _slsqp, "ipopt": _ipopt}


def _answer(given: Any, names: tuple[str, ...]) -> Answer:
    """A number and, where there are any, its derivatives."""
    value, slopes = given if isinstance(given, tuple) and len(given) == 2 else (given, None)
    found = floats(value)
    if found is None or found.size != 1 or np.isnan(found).any():
        raise ArgumentError(f"optimize: the objective returned {shown(value)}; it must return one number")
    if slopes is None:
        return float(found.ravel()[0]), None
    if not isinstance(slopes, Mapping):
        raise ArgumentError(f"optimize: the derivatives are {shown(slopes)}; give a dict of numbers by parameter")
    missing = [name for name in names if name not in slopes]
    if missing:
        raise ArgumentError(f"optimize: the derivatives lack the parameter {missing[0]!r}")
    by_name = floats([slopes[name] for name in names])
    if by_name is None or by_name.shape != (len(names),) or not np.isfinite(by_name).all():
        raise ArgumentError(f"optimize: the derivatives are {shown(slopes)}; give one finite number for each parameter")
    return float(found.ravel()[0]), by_name


class Function:
    """Values and slopes of a function of scaled parameters, of which methods ask one after the other at the same place."""

    def __init__(self, ask: Callable[[Array], Answer]) -> None:
        self.ask = ask
        self.last: tuple[bytes, Answer] = (b"", (np.inf, None))

    def at(self, x: Array) -> Answer:
        if self.last[0] != x.tobytes():
            self.last = (x.tobytes(), self.ask(np.asarray(x, dtype=np.float64)))
        return self.last[1]

    def value(self, x: Array) -> float:
        return self.at(x)[0]

    def slope(self, x: Array) -> Array:
        given = self.at(x)[1]
        if given is not None:
            return given
        steps = STEP * np.eye(len(x))
        return np.array([(self.ask(x + e)[0] - self.ask(x - e)[0]) / (2.0 * STEP) for e in steps])
