"""A run as stretches between its switches, with the states that linear equations along it are evaluated at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import ArgumentError, ShapeError, StudyError
from cotree.integrate.phases.phase import Switch
from cotree.integrate.results.run import Run
from cotree.integrate.simulate import simulate
from cotree.judge import INSTANT, same_instant
from cotree.model.checks import floats, shown
from cotree.studies.sensitivity.collocation import INNER
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet

Array = NDArray[np.float64]
TURNS = "turns"  # what a brake does that slides to the other side
OURS = ("output", "events", "progress", "strict", "t_start")


@dataclass(frozen=True, eq=False)
class Stretch:
    """One topology from t[0] to t[-1]; q (steps, 4, nq), v (steps, 4, nv): states at the nodes of each step, its two ends
    among them; switch: what ends it, None for the end of the run."""

    system: System
    topology: ActiveSet | None
    t: Array
    q: Array
    v: Array
    switch: Switch | None


def traced(
    system: System, t_end: float, q: Any, v: Any, times: Any, options: dict[str, Any]
) -> tuple[Run, list[Stretch]]:
    """A run whose steps tell the grid, and a second one that is read at the nodes between."""
    for name in OURS:
        if name in options:
            raise ArgumentError(
                f"sensitivities: {name!r} is not an option here; give times= for the times of the results"
            )
    run = complete(simulate(system, t_end, q, v, output="steps", progress=False, **options))
    grids = [_grid(run, rows, times) for rows in _rows(run)]
    nodes = [_nodes(grid) for grid in grids]
    wanted = np.unique(np.concatenate([x.ravel() for x in nodes]))
    read = complete(simulate(system, t_end, q, v, output=wanted, progress=False, **options))
    require_same(run, read)
    require_same_start(run)
    return run, [_stretch(run, read, k, x) for k, x in enumerate(nodes)]


def require_same(run: Run, read: Run) -> None:
    """Both runs must go through the same phases."""
    if len(read.phases) != len(run.phases):
        raise StudyError(
            "sensitivities: the run switches otherwise when it is read at other times, so that it is not accurate enough; give "
            "a smaller rtol and atol"
        )


def complete(run: Run) -> Run:
    if run.status != "done":
        raise StudyError(f"sensitivities: the run is not complete: {run.message}")
    if run.crossings:
        raise StudyError(
            f"sensitivities: the run goes through a singular configuration at t = {run.crossings[0].t:.6g} s, where it has no "
            "derivatives; end it before"
        )
    return run


def _rows(run: Run) -> list[tuple[int, int]]:
    return [p.rows for p in run.phases] if run.phases else [(0, len(run.t))]


def _grid(run: Run, rows: tuple[int, int], times: Array) -> Array:
    """Ends of the steps of a phase and times of the results within it, each once."""
    own = run.t[rows[0] : rows[1]]
    inside = times[(times > own[0]) & (times < own[-1])]
    grid = np.sort(np.concatenate([own, inside]))
    keep = np.append(~same_instant(grid[:-1], grid[1:]), True)
    keep[0] = True
    return _snapped(grid[keep], times)


def _snapped(grid: Array, times: Array) -> Array:
    """The grid with times of the results exactly as they are given, where ends of steps are as good as there."""
    after = np.clip(np.searchsorted(grid, times), 1, len(grid) - 1)
    nearest = np.where(times - grid[after - 1] < grid[after] - times, after - 1, after)
    near = same_instant(grid[nearest], times)
    grid[nearest[near]] = times[near]
    return grid


def _nodes(grid: Array) -> Array:
    """(steps, 4): times of the nodes."""
    h = np.diff(grid)
    between = grid[:-1, None] + h[:, None] * np.array(INNER)
    return np.column_stack([grid[:-1], between, grid[1:]])


def _stretch(run: Run, read: Run, k: int, nodes: Array) -> Stretch:
    rows, again = _rows(run)[k], _rows(read)[k]
    if not len(nodes):
        raise StudyError(
            "sensitivities: the run ends, or switches again, at the instant of a switch, "
            f"t = {run.t[rows[0]]:.9g} s; give another t_end, or let the switches act apart"
        )
    at = np.searchsorted(read.t[again[0] : again[1]], nodes.ravel()) + again[0]
    at = np.minimum(at, len(read.t) - 1)
    q = read.q[at].reshape(*nodes.shape, -1)
    v = read.v[at].reshape(*nodes.shape, -1)
    last = rows[1] - 1
    q[0, 0], v[0, 0], q[-1, 3], v[-1, 3] = run.q[rows[0]], run.v[rows[0]], run.q[last], run.v[last]
    grid = np.append(nodes[:, 0], nodes[-1, 3])
    if not run.phases:
        return Stretch(run.system, None, grid, q, v, None)
    phase = run.phases[k]
    ends = [s for s in run.switches if same_instant(s.t, phase.end)]
    ends = [s for s in ends if s.system is not None and k + 1 < len(run.phases)]
    return Stretch(phase.system, phase.topology, grid, q, v, ends[-1] if ends else _turn(run, k))


def _turn(run: Run, k: int) -> Switch | None:
    """Brakes that slide to the other side from the next phase on, of which a run does not make a switch."""
    if k + 1 == len(run.phases):
        return None
    now, then = run.phases[k].topology.brakes, run.phases[k + 1].topology.brakes
    names = [name for name, side in now.items() if side * then.get(name, 0) < 0]
    q, v = (np.ascontiguousarray(x[run.phases[k].rows[1] - 1]) for x in (run.q, run.v))
    changes = tuple((name, TURNS) for name in names)
    return Switch(", ".join(names) or "a change of phase", run.phases[k].end, q, v, v_before=v, changes=changes)


def require_same_start(run: Run) -> None:
    """Velocities must not jump at the start, where the start that was given is not that of the motion."""
    for s in run.switches:
        if s.t <= run.t[0] and np.abs(s.v - s.v_before).max(initial=0.0) > INSTANT * max(1.0, np.abs(s.v_before).max()):
            raise StudyError(
                f"sensitivities: {s.name!r} makes velocities jump at the start, t = {s.t:g} s; give v as it is behind that jump"
            )


def result_times(times: Any, t_end: float) -> Array:
    """Times of the results, ascending; by default the end alone."""
    given = np.array([t_end]) if times is None else floats(times)
    if given is None or not np.isfinite(given).all() or given.size == 0:
        raise ShapeError(f"times is {shown(times)}; give times in seconds")
    found = np.unique(given)
    if found[0] < 0.0 or found[-1] > t_end:
        raise ShapeError(f"times is {shown(times)}; they must lie between 0 and t_end, {t_end:g} s")
    return np.asarray(found, dtype=np.float64)
