"""`fit`: numbers of a mechanism from measured motions, by least squares with exact derivatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._shown import Shown
from cotree.errors import ArgumentError, ShapeError, StudyError
from cotree.integrate.results.run import Run
from cotree.model.checks import floats, shown
from cotree.model.checks import names as checked_names
from cotree.model.features import Features, declare
from cotree.model.mechanism import Mechanism
from cotree.model.numbers import mechanism_of, number_named, numbers_of, with_parameters
from cotree.studies.bounds import bounds_of
from cotree.studies.sensitivity import Sensitivities, sensitivities
from cotree.studies.sensitivity.api import SENSITIVITIES
from cotree.system.arguments import time_of
from cotree.typing import Coordinates

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
RATE = ".rate"
FIT = declare("ct.fit", on=(SENSITIVITIES,))
UNDETERMINED = (
    1e-10  # of the largest singular value of the scaled derivatives: below, data do not tell parameters apart
)


@dataclass(frozen=True, eq=False)
class Fit(Shown):
    """values: by parameter, then by coordinate of the start; covariance (in that order) and std: of the values, from the spread
    of the residuals, or from `sigma` where that was given; rms: of the residuals, in their own units; y, residuals (times,
    outputs); mechanism: with the values found; run: its run; q, v: the start with what was found of it; t: the times; outputs:
    their names."""

    values: dict[str, float]
    covariance: Array = field(repr=False)
    rms: float
    y: Array = field(repr=False)
    residuals: Array = field(repr=False)
    mechanism: Mechanism = field(repr=False)
    run: Run = field(repr=False)
    q: Any = field(repr=False)
    v: Any = field(repr=False)
    message: str
    evaluations: int
    t: Array = field(repr=False)
    outputs: tuple[str, ...] = field(repr=False)

    def plot(self, path: str | PathLike[str] | None = None) -> Figure:
        """What was measured and what was fitted over time, and the difference (matplotlib); written to `path` when given."""
        from cotree.view.fit_plots import plot_fit

        return plot_fit(self.t, self.y, self.residuals, self.outputs, path)

    @property
    def std(self) -> dict[str, float]:
        """Standard deviation of each value."""
        return dict(zip(self.values, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))

    @property
    def correlation(self) -> Array:
        """Of the errors of the values: near 1 or -1 where data determine a combination of two better than each."""
        s = np.sqrt(np.diag(self.covariance))
        return np.asarray(self.covariance / np.outer(s, s))

    def __str__(self) -> str:
        lines = [
            f"fit of {len(self.values)} numbers to {np.isfinite(self.residuals).sum()} measurements, rms {self.rms:.4g}"
        ]
        std = self.std
        lines += [f"{name} = {x:.6g} ± {std[name]:.2g}" for name, x in self.values.items()]
        return "\n  ".join(lines)


def fit(
    mechanism: Mechanism,
    t: ArrayLike,
    measured: ArrayLike,
    outputs: Sequence[Any],
    parameters: Sequence[str] = (),
    *,
    q: Coordinates | None = None,
    v: Coordinates | None = None,
    start: Sequence[str] = (),
    sigma: ArrayLike | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    **options: Any,
) -> Fit:
    """Fit numbers of a mechanism to a measured motion, in the sense of least squares.

    Parameters
    ----------
    mechanism : Mechanism
        Its own numbers are the first guess.
    t : array_like of shape (T,)
        Times of the measurements [s], from the start on.
    measured : array_like of shape (T, outputs)
        Measurements, NaN where one is missing.
    outputs : sequence
        Coordinates, rates, functions of sensors or of (q, v), as for `sensitivities`.
    parameters : sequence of str, optional
        Names as `ct.parameters` lists them.
    q : array_like or dict, optional
        Start, as for `simulate`.
    v : array_like or dict, optional
        Start velocities, as for `simulate`.
    start : sequence of str, optional
        Coordinates and rates of q and v, given as dicts, that are to be found too.
    sigma : array_like, optional
        Standard deviation of the measurements, one number or one per output; by default
        that of the residuals.
    bounds : dict, optional
        {name: (lower, upper)}.
    **options : object
        As for `simulate`.

    Returns
    -------
    Fit
        `.values` by name, `.std`, `.covariance`, `.rms`, `.mechanism`, `.run` and more.

    Raises
    ------
    StudyError
        If the data do not determine the parameters.

    Examples
    --------
    >>> mech = ct.gallery.pendulum_chain(1)
    >>> damper = mech.joint_damper("oil", "J1", damping=0.5)
    >>> run = ct.simulate(mech, 2.0, {"J1": 0.5}, output=21)
    >>> guess = ct.with_parameters(mech, {"oil.damping": 0.1})
    >>> result = ct.fit(guess, run.t, run.q, ["J1"], ["oil.damping"], q={"J1": 0.5})
    >>> round(result.values["oil.damping"], 5)
    0.5
    """
    from scipy.optimize import least_squares

    mech, names, varied = (
        mechanism_of(mechanism),
        checked_names(parameters, "parameters"),
        checked_names(start, "start"),
    )
    FIT.admit(Features(mech))
    known = numbers_of(mech)
    for name in names:
        number_named(known, name, mech)
    times, data, scale = _data(t, measured, outputs, sigma)
    begin = np.array([*(known[name][1] for name in names), *(_start_value(name, q, v) for name in varied)])
    if not len(begin):
        raise ArgumentError("fit: name parameters=, or coordinates in start=, that are to be found")
    seen, there = dict[bytes, Sensitivities](), np.isfinite(data)

    def at(x: Array) -> Sensitivities:
        key = x.tobytes()
        if key not in seen:
            seen.clear()
            other = with_parameters(mech, dict(zip(names, x.tolist(), strict=False)))
            here = _started(q, v, dict(zip(varied, x[len(names) :].tolist(), strict=True)))
            seen[key] = sensitivities(
                other, times[-1], *here, parameters=names, start=varied, outputs=outputs, times=times, **options
            )
        return seen[key]

    low, high = bounds_of(bounds, (*names, *varied), begin)
    found = least_squares(
        lambda x: ((at(x).y - data) / scale)[there], begin, lambda x: (at(x).dy / scale[..., None])[there],
        bounds=(low, high), x_scale="jac", xtol=1e-12, ftol=1e-12, gtol=1e-12,
    )  # fmt: skip
    last = at(found.x)
    covariance = _covariance(found.jac, found.fun, (*names, *varied), sigma is not None)
    here = _started(q, v, dict(zip(varied, found.x[len(names) :].tolist(), strict=True)))
    off = last.y - data
    return Fit(
        dict(zip((*names, *varied), found.x.tolist(), strict=True)), covariance, float(np.sqrt(np.mean(off[there] ** 2))),
        last.y, off, with_parameters(mech, dict(zip(names, found.x.tolist(), strict=False))), last.run, *here,
        str(found.message), int(found.nfev), times, last.outputs,
    )  # fmt: skip


def _data(t: Any, measured: Any, outputs: Any, sigma: Any) -> tuple[Array, Array, Array]:
    """Times, measurements (T, outputs) and their scales of that shape."""
    times, data = floats(t), floats(measured)
    if times is None or times.ndim != 1 or len(times) < 1 or not (np.diff(times) > 0.0).all() or times[0] < 0.0:
        raise ShapeError(f"t is {shown(t)}; give the times of the measurements in seconds, ascending, from 0 on")
    time_of("t", times[-1])
    count = len(outputs) if isinstance(outputs, (list, tuple)) else 0
    if data is not None and data.ndim == 1:
        data = data[:, None]
    if data is None or data.shape != (len(times), count) or not np.isfinite(data).any():
        raise ShapeError(
            f"measured is {shown(measured)}; give an array of shape (times, outputs) = ({len(times)}, {count}), and outputs as "
            "a list"
        )
    size = floats(1.0 if sigma is None else sigma)
    if size is None or size.shape not in ((), (count,)) or not (size > 0.0).all():
        raise ShapeError(f"sigma is {shown(sigma)}; give a positive number, or one for each of the {count} outputs")
    return times, data, np.broadcast_to(size, data.shape).astype(np.float64)


def _start_value(name: str, q: Any, v: Any) -> float:
    given, plain = (v, name[: -len(RATE)]) if name.endswith(RATE) else (q, name)
    if not isinstance(given, dict) or plain not in given:
        raise ArgumentError(f"fit: start names {name!r}; give q or v as a dict with a first value for it")
    return float(given[plain])


def _started(q: Any, v: Any, values: dict[str, float]) -> tuple[Any, Any]:
    """The start with these values in place of those given."""
    of_v = {name[: -len(RATE)]: x for name, x in values.items() if name.endswith(RATE)}
    of_q = {name: x for name, x in values.items() if not name.endswith(RATE)}
    return ({**q, **of_q} if of_q else q), ({**v, **of_v} if of_v else v)


def _covariance(J: Array, residuals: Array, names: tuple[str, ...], known: bool) -> Array:
    """Of the values: s^2 (J^T J)^-1, s^2 the spread of the residuals, or 1 where it is known."""
    size = np.linalg.norm(J, axis=0)
    _, s, Vt = np.linalg.svd(J / np.where(size > 0.0, size, 1.0), full_matrices=False)
    if len(J) < len(names) or (size == 0.0).any() or s[-1] <= UNDETERMINED * s[0]:
        worst = np.argmax(np.abs(Vt[-1])) if (size > 0.0).all() else int(np.argmin(size))
        raise StudyError(
            f"fit: the measurements do not determine {names[int(worst)]!r}"
            + (" besides the others" if len(names) > 1 else "")
            + "; leave it out, or measure something that depends on it"
        )
    spread = 1.0 if known else float(residuals @ residuals) / max(1, len(J) - len(names))
    inverse = (Vt.T / s**2) @ Vt
    return np.asarray(spread * inverse / np.outer(size, size))
