"""`linearize_along`: time-varying linear equations along a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cotree.dynamics.laws import laws_of
from cotree.errors import ArgumentError, ShapeError
from cotree.integrate.results.run import Run
from cotree.model.checks import floats, shown
from cotree.model.features import declare
from cotree.studies.acting_devices import NO_SAMPLES
from cotree.studies.linearization import Linearization, linearize

LINEARIZE_ALONG = declare("ct.linearize_along", refuses=NO_SAMPLES)


def linearize_along(
    run: Run,
    times: ArrayLike | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[Any] | None = None,
) -> tuple[Linearization, ...]:
    """Compute the linear equations of small departures from a run, dx/dt = A(t) x + B(t) u.

    The independent coordinates are chosen anew for each row: compare `states` before matrices
    of two rows are compared.

    Parameters
    ----------
    run : Run
        The run; with locks each row has the equations of the topology in force.
    times : array_like, optional
        Rows nearest to these times; all by default.
    inputs : sequence of str, optional
        As for `linearize`.
    outputs : sequence, optional
        As for `linearize`.

    Returns
    -------
    tuple of Linearization
        One per row.

    Examples
    --------
    >>> run = ct.simulate(ct.gallery.pendulum_chain(1), 1.0, q=[0.5], output=11)
    >>> [x.A.shape for x in ct.linearize_along(run, times=[0.0, 0.5])]
    [(2, 2), (2, 2)]
    """
    if not isinstance(run, Run):
        raise ArgumentError(f"linearize_along needs a run, as ct.simulate returns it, got {shown(run)}")
    rows = range(len(run.t))
    if times is not None:
        given = floats(times)
        if given is None or given.ndim > 1 or not np.isfinite(given).all():
            raise ShapeError(f"times is {shown(times)}; give times in seconds")
        rows = [int(np.argmin(np.abs(run.t - t))) for t in np.atleast_1d(given)]  # type: ignore[assignment]
    LINEARIZE_ALONG.admit(run.system.features)
    return tuple(
        linearize(run.systems[k], run.q[k], run.v[k], inputs, outputs, float(run.t[k]), _states_at(run, k))
        for k in rows
    )


def _states_at(run: Run, row: int) -> dict[str, float] | None:
    """States that laws have at a row."""
    places = [p for law in laws_of(run.system) for p in range(law.place.state, law.place.sign)]
    names = [run.system.state_names[p] for p in places]
    return {name: float(run.state(name)[row]) for name in names} if names else None
