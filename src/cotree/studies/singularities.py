"""Singular configurations as a map: how near to one a mechanism is along a run, or over a grid of one or two coordinates."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._shown import Shown
from cotree.constraints.assembly import assemble, closed_with
from cotree.constraints.named_coordinates import held_values, present
from cotree.errors import ArgumentError, AssemblyError, ShapeError, StudyWarning
from cotree.integrate.results.run import Run
from cotree.kinematics.coordinates import displace, normalize
from cotree.model.checks import floats, shown
from cotree.model.mechanism import Connection, Mechanism
from cotree.studies.nearness import Measure, Nearness
from cotree.system.arguments import system_of, time_of
from cotree.system.system import System

Array = NDArray[np.float64]
# Parts of the largest value on the map below which a minimum is a singular configuration, on a line and on the lines of a
# map; at the end of what is reached the value falls with the root of the distance.
VANISHED, VANISHED_ON_MAP = 1e-4, 2e-2
SECTIONS, FEW_SECTIONS = 40, 16  # of an interval in which a minimum is sought: on a line, and on each line of a map
REACHES = 0.5  # of a value: slopes that are less steep do not lead to zero before the next place
ALWAYS = 1e-8  # in usual sizes: actuation that is nowhere larger vanishes everywhere
GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)
LARGEST = 20_000  # configurations of a grid


@dataclass(frozen=True, eq=False)
class Singular:
    """A singular configuration: kind "loops" (the constraints lose rank) or "actuation" (the mechanism can move while the
    actuators stand still); at: time of the run or values of the grid's coordinates; moves: coordinates that move most there."""

    kind: str
    at: dict[str, float]
    q: Array
    moves: tuple[str, ...]

    def __str__(self) -> str:
        where = ", ".join(f"{name} = {x:.6g}" for name, x in self.at.items())
        moving = ", ".join(map(repr, self.moves))
        if self.kind == "loops":
            return f"loops at {where}: constraints lose rank, {moving} may leave on another branch"
        return f"actuation at {where}: {moving} can move while the actuators stand still"


@dataclass(frozen=True, eq=False)
class Singularities(Shown):
    """Nearness to singular configurations.

    names, values: of the one or two axes (time of a run, or coordinates of a grid); q (..., nq): the closed configurations,
    not-a-number where the mechanism does not reach; loops, actuation (...): smallest singular value of the constraints that are
    independent elsewhere, and of the actuators' rates over admissible velocities, these in sizes that are usual on the map,
    both zero at a singular configuration;
    infinite or not-a-number where they have no meaning, without loops and with fewer actuators than degrees of freedom;
    found: the singular configurations on the way; distance (...): to the nearest of these, in units of the axes, infinite where
    there is none, not-a-number where none was found and the actuation could not be judged; not_judged: why, else empty.
    """

    system: System
    names: tuple[str, ...]
    values: tuple[Array, ...]
    actuators: tuple[str, ...]
    q: Array
    loops: Array
    actuation: Array
    found: tuple[Singular, ...]
    distance: Array
    not_judged: str = ""

    def __str__(self) -> str:
        reached = int(np.count_nonzero(np.isfinite(self.q[..., :1])))
        over = " and ".join(f"{n} from {x[0]:.4g} to {x[-1]:.4g}" for n, x in zip(self.names, self.values, strict=True))
        of = " of the loops" if self.not_judged else ""
        count = f"{len(self.found)} singular configuration{'s' * (len(self.found) != 1)}{of}"
        lines = [
            f"{self.system.name or 'mechanism'}: {count} over {over} "
            f"({reached} of {self.loops.size} configurations reached)"
        ]
        if self.not_judged:
            lines.append(f"  actuation not judged: {self.not_judged}")
        return "\n".join([*lines, *(f"  {x}" for x in self.found[:20])])

    def plot(self, path: Any = None) -> Any:
        """Curves over one axis, maps over two (matplotlib); path: a file to write."""
        from cotree.studies.singularity_plot import plot_singularities

        return plot_singularities(self, path)


def singularities(
    mechanism_or_system: Mechanism | System,
    along: Run | Mapping[str, ArrayLike],
    actuators: Iterable[str | Connection] | str | None = None,
    t: float = 0.0,
) -> Singularities:
    """Measure how near to singular configurations a mechanism is, along a run or over a grid.

    Singularities of the actuation, where the mechanism can move although the actuators stand
    still, are distinguished from those of the loops, where constraints lose rank. Minima
    between the points of a grid are located.

    Parameters
    ----------
    mechanism_or_system : Mechanism or System
        A mechanism is compiled with the default options.
    along : Run or dict
        A run, or a grid {name: values} of one or two coordinates.
    actuators : str, Connection or iterable, optional
        Driven coordinates or joints, cut joints too; by default those of the grid, and of a
        run those with motors or drives.
    t : float, optional
        Time [s], for drives and functions of time.

    Returns
    -------
    Singularities
        `.actuation`, `.distance` and more; `print` lists the configurations.

    Warns
    -----
    StudyWarning
        With fewer actuators than degrees of freedom: the actuation is not judged.

    Examples
    --------
    >>> result = ct.singularities(ct.gallery.four_bar(), {"A": [-0.1, 0.0, 0.1]}, actuators=["A"])
    >>> result.actuation.shape
    (3,)
    """
    system = system_of(mechanism_or_system, singularities)
    if isinstance(along, Run):
        if along.system.coordinate_names != system.coordinate_names:
            raise ArgumentError(
                f"the run is of another system than {system.name!r}: their coordinates differ; give run.system in its place"
            )
        driven = _motors(system) if actuators is None else actuators
        names: tuple[str, ...] = ("t",)
        values: tuple[Array, ...] = (along.t,)
        q: Array = along.q
        follow = _along_run(system, along)
    else:
        names, values = _axes(system, along)
        driven = names if actuators is None else actuators
        q, follow = _grid(system, names, values, time_of("t", t))
    measure = Measure.of(system, driven, q.reshape(-1, system.nq), t)
    if actuators is not None and not measure.actuators:
        raise ArgumentError(f"actuators is {shown(actuators)}; name one that is driven, or leave it out")
    near = [measure.at(x) for x in q.reshape(-1, system.nq)]
    shape = q.shape[:-1]
    loops, actuation = (np.array([getattr(n, kind) for n in near]).reshape(shape) for kind in ("loops", "actuation"))
    not_judged = _why_not_judged(measure, actuation)
    if not_judged:
        text = f"singularities of {system.name or 'mechanism'!r}: the actuation was not judged: {not_judged}"
        warnings.warn(text, StudyWarning, stacklevel=2)
    maps = {"loops": loops} if not_judged else {"loops": loops, "actuation": actuation}
    found = tuple(_located(measure, names, values, maps, follow))
    distance = _distances(names, values, found, np.nan if not_judged else np.inf)
    return Singularities(system, names, values, measure.actuators, q, loops, actuation, found, distance, not_judged)


def _why_not_judged(measure: Measure, actuation: Array) -> str:
    """Why there are no singular configurations of the actuation to be told from others; empty where there may be."""
    named = ", ".join(map(repr, measure.actuators)) or "none"
    if measure.judges_actuation and np.nanmax(actuation, initial=0.0) > ALWAYS:
        return ""
    if measure.judges_actuation and np.isnan(actuation).all():
        return "no configuration was reached"
    if measure.judges_actuation:
        return f"with the actuators {named} the mechanism can move in every configuration; name others in actuators="
    if not measure.dof:
        return "the mechanism has no degrees of freedom"
    return (
        f"fewer actuators ({named}) than degrees of freedom ({measure.dof}), so that it can always move; name "
        f"{measure.dof} or more in actuators="
    )


def _motors(system: System) -> tuple[str, ...]:
    """Coordinates on which motors act, or that are driven, those of cut joints too."""
    forces = [(f.joint, f.coordinate) for f in system.mechanism.joint_forces.values() if f.torque is not None]
    drives = [(term.joint, term.coordinate) for c in system.constraints.values() if c.drives for term in c.terms]
    return tuple(dict.fromkeys(f"{joint}.{name}" if name else joint for joint, name in (*forces, *drives)))


def _axes(system: System, along: Any) -> tuple[tuple[str, ...], tuple[Array, ...]]:
    if not isinstance(along, Mapping) or not 1 <= len(along) <= 2:
        raise ArgumentError(
            f"along is {shown(along)}; give a Run, or values of one or two coordinates by name, such as "
            "{'A': np.linspace(-1, 1, 50)}"
        )
    values = []
    for name, given in along.items():
        x = floats(given)
        if x is None or x.ndim != 1 or len(x) < 3 or not np.isfinite(x).all() or not np.all(np.diff(x) > 0.0):
            raise ShapeError(f"along[{name!r}] is {shown(given)}; give three ascending numbers or more")
        values.append(x)
    if np.prod([len(x) for x in values]) > LARGEST:
        raise ShapeError(f"the grid has {np.prod([len(x) for x in values])} configurations; give at most {LARGEST}")
    return tuple(map(str, along)), tuple(values)


Follow = Callable[[tuple[int, ...], int, float], Array | None]


def _grid(system: System, names: tuple[str, ...], values: tuple[Array, ...], t: float) -> tuple[Array, Follow]:
    """Closed configurations on a grid, each on the branch of its neighbours, from the middle outwards; and how to reach those
    between two points of an axis."""
    shape = tuple(len(x) for x in values)
    q = np.full((*shape, system.nq), np.nan)

    def closed(at: dict[str, float], base: Array) -> Array | None:
        try:
            return closed_with(held_values(system, at, base=base), t, restarts=0)
        except AssemblyError:
            return None

    start = assemble(system, system.q0, t=t)
    middle = tuple(int(np.argmin(np.abs(x - present(system, n, start)))) for n, x in zip(names, values, strict=True))
    order = sorted(np.ndindex(*shape), key=lambda i: sum(abs(a - b) for a, b in zip(i, middle, strict=True)))
    for i in order:
        at = {n: float(x[k]) for n, x, k in zip(names, values, i, strict=True)}
        bases = [start] if i == middle else _bases(system, q, i, shape)
        q[i] = next((x for x in (closed(at, base) for base in bases) if x is not None), np.full(system.nq, np.nan))

    def follow(i: tuple[int, ...], axis: int, x: float) -> Array | None:
        at = {n: float(v[k]) for n, v, k in zip(names, values, i, strict=True)} | {names[axis]: x}
        return closed(at, q[i]) if np.isfinite(q[i]).all() else None

    return q, follow


def _bases(system: System, q: Array, i: tuple[int, ...], shape: tuple[int, ...]) -> list[Array]:
    """Where to begin at a point of a grid: ahead of two neighbours in line, so that branches are followed where they cross,
    else at a neighbour."""
    out: list[Array] = []
    for j in _beside(i, shape):
        if np.isfinite(q[j]).all():
            k = tuple(2 * b - a for a, b in zip(i, j, strict=True))
            inside = all(0 <= a < n for a, n in zip(k, shape, strict=True))
            if inside and np.isfinite(q[k]).all():
                out.insert(0, np.asarray(normalize(system, 2.0 * q[j] - q[k])))
            out.append(q[j])
    return out


def _beside(i: tuple[int, ...], shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Neighbours of a point of a grid."""
    steps = [(a, s) for a in range(len(shape)) for s in (-1, 1) if 0 <= i[a] + s < shape[a]]
    return [tuple(k + s * (b == a) for b, k in enumerate(i)) for a, s in steps]


def _along_run(system: System, run: Run) -> Follow:
    """Closed configurations between the rows of a run."""

    def follow(i: tuple[int, ...], axis: int, t: float) -> Array | None:
        k = int(np.clip(np.searchsorted(run.t, t) - 1, 0, len(run.t) - 2))
        h = t - run.t[k]
        part = h / (run.t[k + 1] - run.t[k])
        mean = (1.0 - 0.5 * part) * run.v[k] + 0.5 * part * run.v[k + 1]
        try:
            return assemble(system, displace(system, run.q[k], h * mean), t=t, restarts=0)
        except AssemblyError:
            return None

    return follow


def _located(
    measure: Measure, names: tuple[str, ...], values: tuple[Array, ...], maps: dict[str, Array], follow: Follow
) -> list[Singular]:
    """Minima that vanish, along all lines of the grid."""
    out: list[Singular] = []
    on_line = len(names) == 1
    below, sections = (VANISHED, SECTIONS) if on_line else (VANISHED_ON_MAP, FEW_SECTIONS)
    for kind, size in maps.items():
        largest = np.nanmax(size, initial=0.0) if np.isfinite(size).any() else 0.0
        for axis in range(size.ndim):
            for line in np.ndindex(*(n for a, n in enumerate(size.shape) if a != axis)):
                own = np.moveaxis(size, axis, -1)[line]
                for k in _minima(own):
                    place = (*line[:axis], k, *line[axis:])
                    found = _refined(measure, kind, values[axis], k, place, axis, follow, sections)
                    if found is not None and found[1] < below * largest:
                        at = {n: float(v[j]) for n, v, j in zip(names, values, place, strict=True)}
                        at[names[axis]] = found[0]
                        if not _known(out, kind, at, values, names):
                            out.append(Singular(kind, at, found[2], measure.moving(kind, found[2])))
    return sorted(out, key=lambda s: tuple(s.at.values()))


def _minima(size: Array) -> list[int]:
    """Places with no smaller neighbour from which the slope leads to zero before the next place, and those next to where the
    mechanism does not reach."""
    padded = np.concatenate([[np.nan], size, [np.nan]])
    before, here, behind = padded[:-2], padded[1:-1], padded[2:]
    with np.errstate(invalid="ignore"):
        least = ~(here > before) & ~(here > behind) & np.isfinite(here)
        steep = np.fmax(before - here, behind - here) > REACHES * here
    edge = np.isnan(before) | np.isnan(behind)
    edge[[0, -1]] &= [bool(np.isnan(size[1])), bool(np.isnan(size[-2]))]
    return [int(k) for k in np.flatnonzero(least & (steep | edge))]


def _refined(
    measure: Measure, kind: str, x: Array, k: int, place: tuple[int, ...], axis: int, follow: Follow, sections: int
) -> tuple[float, float, Array] | None:
    """(value, size, q) of the minimum between the neighbours of a point, by golden sections; beyond where the mechanism
    reaches the size is infinite."""
    low, high = float(x[max(k - 1, 0)]), float(x[min(k + 1, len(x) - 1)])

    def size(value: float) -> tuple[float, Array | None]:
        q = follow(place, axis, value)
        return (np.inf, None) if q is None else (getattr(measure.at(q), kind), q)

    best = (float(x[k]), *size(float(x[k])))
    a, b = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_a, at_b = size(a), size(b)
    for _ in range(sections):
        best = min(best, (a, *at_a), (b, *at_b), key=lambda c: c[1])
        if high - low < 1e-10 * max(1.0, abs(low)):
            break
        left = at_a[0] < at_b[0] if np.isfinite(min(at_a[0], at_b[0])) else a < best[0] < b or best[0] < a
        if left:
            high, b, at_b = b, a, at_a
            a = high - GOLDEN * (high - low)
            at_a = size(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + GOLDEN * (high - low)
            at_b = size(b)
    return None if best[2] is None else (best[0], best[1], best[2])


def _known(
    out: list[Singular], kind: str, at: dict[str, float], values: tuple[Array, ...], names: tuple[str, ...]
) -> bool:
    """Whether a minimum was found before, from another point next to it."""
    spans = {n: 1e-6 * float(np.ptp(v)) for n, v in zip(names, values, strict=True)}
    return any(s.kind == kind and all(abs(s.at[n] - at[n]) <= spans[n] for n in names) for s in out)


def _distances(names: tuple[str, ...], values: tuple[Array, ...], found: tuple[Singular, ...], none: float) -> Array:
    """To the nearest singular configuration; `none` where there is none."""
    grid = np.stack(np.meshgrid(*values, indexing="ij"), axis=-1)
    if not found:
        return np.full(grid.shape[:-1], none)
    points = np.array([[s.at[n] for n in names] for s in found])
    return np.asarray(np.linalg.norm(grid[..., None, :] - points, axis=-1).min(axis=-1))


__all__ = ["Nearness", "Singular", "Singularities", "singularities"]
