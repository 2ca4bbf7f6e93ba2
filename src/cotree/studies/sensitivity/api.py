"""`sensitivities`: derivatives of a run by its start and by the numbers of the mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._shown import Shown
from cotree.derivatives.parameters.opening import warn_of_opening
from cotree.errors import ArgumentError
from cotree.integrate.phases.switching import SIMULATE
from cotree.integrate.results.run import Run
from cotree.model.checks import choice
from cotree.model.checks import names as checked_names
from cotree.model.features import declare
from cotree.model.mechanism import Mechanism
from cotree.studies.acting_devices import NO_LOADS, OF_STATE
from cotree.studies.sensitivity.linear import linear_stretch
from cotree.studies.sensitivity.outputs import State, outputs_at
from cotree.studies.sensitivity.start import start_columns
from cotree.studies.sensitivity.sweep import Path, backward, forward
from cotree.studies.sensitivity.switches import jump_of
from cotree.studies.sensitivity.trace import result_times, traced
from cotree.system.arguments import system_of, time_of
from cotree.system.system import System
from cotree.typing import Coordinates

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sensitivities(Shown):
    """Derivatives at times t (T,) by `names`: parameters first, then what was varied of the start.

    dq (T, nv, names): of positions, as displacements (`ct.displace`); dv (T, nv, names): of velocities; both None by the
    adjoint way. outputs: names of y (T, outputs); dy (T, outputs, names). run: the run itself, a row for each step.
    """

    run: Run = field(repr=False)
    t: Array
    names: tuple[str, ...]
    dq: Array | None = field(repr=False)
    dv: Array | None = field(repr=False)
    outputs: tuple[str, ...]
    y: Array = field(repr=False)
    dy: Array = field(repr=False)

    @property
    def gradient(self) -> dict[str, float]:
        """By name, of the only output at the only time; of the first output at the last time where there are more."""
        return dict(zip(self.names, self.dy[-1, 0].tolist(), strict=True)) if self.dy.size else {}

    def __str__(self) -> str:
        lines = [f"sensitivities of {self.run.system.name or 'a mechanism'} at t = {self.t[-1]:g} s"]
        for k, name in enumerate(self.outputs):
            by = ", ".join(f"{p} {x:.6g}" for p, x in zip(self.names, self.dy[-1, k], strict=True))
            lines.append(f"{name} = {self.y[-1, k]:.6g}: {by}")
        return "\n  ".join(lines)


OF_CONTACTS = "derivatives through impacts, stick and slip are not known in closed form; difference runs instead"
SENSITIVITIES = declare(
    "ct.sensitivities", refuses={"laws": OF_STATE, "contacts": OF_CONTACTS, **NO_LOADS}, on=(SIMULATE,)
)


def sensitivities(
    mechanism_or_system: Mechanism | System,
    t_end: float,
    q: Coordinates | None = None,
    v: Coordinates | None = None,
    *,
    parameters: Sequence[str] = (),
    start: Sequence[str] = (),
    outputs: Sequence[Any] | None = None,
    times: ArrayLike | None = None,
    way: str = "forward",
    **options: Any,
) -> Sensitivities:
    """Compute how a run changes with numbers of the mechanism and with its start.

    The variational equations are solved with exact derivatives by collocation of sixth order on
    the steps of the run, through locks, brakes, limits and times of switching. Give small
    tolerances for many digits.

    Parameters
    ----------
    mechanism_or_system : Mechanism or System
        A mechanism is compiled with the default options.
    t_end : float
        End of the run [s].
    q : array_like or dict, optional
        Start, as for `simulate`.
    v : array_like or dict, optional
        Start velocities, as for `simulate`.
    parameters : sequence of str, optional
        Names as `ct.parameters` lists them.
    start : sequence of str, optional
        Coordinates, or rates (name + ".rate"), whose initial values are varied.
    outputs : sequence, optional
        As for `linearize`; all positions and rates by default.
    times : array_like, optional
        Times of the outputs; t_end by default.
    way : str, optional
        "forward", one column per name, or "adjoint", for few outputs and many names; both
        agree to rounding.
    **options : object
        As for `simulate`.

    Returns
    -------
    Sensitivities
        `.y` (times, outputs), `.dy` (times, outputs, names), `.names`.

    Examples
    --------
    >>> result = ct.sensitivities(ct.gallery.pendulum_chain(1), 1.0, q=[0.5], start=["J1"], outputs=["J1"])
    >>> result.names, result.dy.shape
    (('J1',), (1, 1, 1))
    """
    given = mechanism_or_system
    system = given.compiled() if isinstance(given, Mechanism) else system_of(given, sensitivities)
    choice(way, ("forward", "adjoint"), "way")
    SENSITIVITIES.admit(system.features)
    names, varied = checked_names(parameters, "parameters"), checked_names(start, "start")
    if not names and not varied:
        raise ArgumentError(
            "sensitivities: name parameters=, or coordinates in start=, by which the run is differentiated"
        )
    wanted = result_times(times, time_of("t_end", t_end))
    run, stretches = traced(system, t_end, q, v, wanted, options)
    base = run.system
    warn_of_opening(base, run.q[0], names, float(run.t[0]), stacklevel=2)
    Y = start_columns(stretches[0].system, stretches[0].q[0, 0], stretches[0].v[0, 0], names, varied, (q, v))
    linear = [linear_stretch(s, names, wanted) for s in stretches]
    ends = [(a.nodes.v_dot[-1], b.nodes.v_dot[0]) for a, b in pairwise(linear)]
    pairs = zip(stretches, stretches[1:], ends, strict=False)
    path, P = Path(linear, [jump_of(base, a, b, names, e) for a, b, e in pairs]), len(names)
    found = outputs_at(base, outputs, _states(stretches, wanted), names)
    T, K = len(wanted), len(found.names)
    if way == "forward":
        X = forward(path, Y, wanted, P)
        n, dy = base.nv, found.rows @ X
        dy[..., :P] += found.direct
        return Sensitivities(run, wanted, (*names, *varied), X[:, :n], X[:, n:], found.names, found.y, dy)
    asked = {float(t): np.zeros((T * K, 2 * base.nv)) for t in wanted}
    for i, t in enumerate(wanted.tolist()):
        asked[t][i * K : (i + 1) * K] = found.rows[i]
    mu, g = backward(path, asked, P)
    dy = mu @ Y
    dy[:, :P] += g
    dy = dy.reshape(T, K, -1)
    dy[..., :P] += found.direct
    return Sensitivities(run, wanted, (*names, *varied), None, None, found.names, found.y, dy)


def _states(stretches: list[Any], wanted: Array) -> list[State]:
    """At the times wanted, behind a switch that happens just then."""
    found = dict[float, State]()
    for s in stretches:
        for k, t in enumerate(s.t.tolist()):
            q, v = (s.q[k, 0], s.v[k, 0]) if k < len(s.q) else (s.q[-1, 3], s.v[-1, 3])
            found[t] = State(s.system, t, np.ascontiguousarray(q), np.ascontiguousarray(v))
    return [found[t] for t in wanted.tolist()]
