"""Assembly: closing loops from any start, and velocities that respect the constraints."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian, constraint_rate
from cotree.constraints.assembly_errors import not_assembled, not_consistent, not_on_branch_with
from cotree.constraints.assembly_search import Problem, descend, whole_turns
from cotree.constraints.branches import on_branch
from cotree.constraints.least_strain import bends, least_strained, strains
from cotree.constraints.named_coordinates import Held, held_rates, held_values
from cotree.constraints.rank import count
from cotree.constraints.units import contradiction
from cotree.dynamics.api import mass_matrix
from cotree.dynamics.charts import require_regular_charts
from cotree.errors import AssemblyError, MotionError, SingularError
from cotree.judge import CONSISTENT, SOLVED
from cotree.model.checks import choice, names, whole
from cotree.system.arguments import coordinates, not_finite, of_system, require_finite, velocities
from cotree.system.sizes import DIVIDED_LARGE
from cotree.system.system import System
from cotree.typing import Coordinates

Array = NDArray[np.float64]
RESTARTS = 12
MOST_RESTARTS = 1_000_000
BRANCHES = ("nearest", "require", "ignore")


@of_system
def assemble(
    system: System, q: Coordinates, fixed: Iterable[str] = (), t: float = 0.0, restarts: int = RESTARTS
) -> Array:
    """Find a configuration nearby in which all loops and constraints are closed.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like or dict
        Where to begin. A dict {name: value} fixes these values; the others begin in the
        reference assembly, and beams keep their shape as far as these allow.
    fixed : str or iterable of str, optional
        Coordinates or joints that keep their values, also cut ones.
    t : float, optional
        Time [s], for drives and functions of time.
    restarts : int, optional
        How many times a failed search begins again from a perturbed configuration.

    Returns
    -------
    ndarray of shape (nq,)
        The configuration.

    Raises
    ------
    AssemblyError
        With the loops and constraints that contradict each other and the gap that remains.
    UnknownNameError
        For a name that is not a coordinate.

    See Also
    --------
    assembly_modes : All configurations with given values.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> q = ct.assemble(system, {"A": 0.3})
    >>> float(abs(ct.constraint_residual(system, q)).max()) < 1e-12
    True
    """
    fixed = names(fixed, "fixed")
    if isinstance(q, Mapping) and bends(system):
        from cotree.constraints.beam_starts import led_with_beams  # which assembles

        return led_with_beams(system, q, fixed, system.q0, t)
    held = held_values(system, q, fixed)
    return closed_with(held, t, whole(restarts, "restarts", 0, MOST_RESTARTS))


def closed_with(held: Held, t: float, restarts: int = RESTARTS) -> Array:
    """A closed configuration near held.q with its held columns as they are; see `assemble`."""
    system, q = held.system, held.q
    if not system.n_constraints and not len(system.cuts):
        return held.exactly(q)
    free = np.delete(np.arange(system.nv), held.columns)
    problem = Problem.of(system, t, free)
    q = start = whole_turns(problem, q)
    near = _divided("closed", system, q, held.columns, t)
    if near is not None and problem.closed(near):
        return held.exactly(near)
    best, rng = q, np.random.default_rng(0)
    for attempt in range(1 + restarts):
        best = min(best, descend(problem, start), key=problem.gap)
        if problem.closed(best):
            return held.exactly(_polished(problem, best))
        step = rng.standard_normal(len(free)) * (0.1 + 0.2 * attempt)
        start = problem.moved(q, step * min(1.0, 0.5 / max(np.abs(step).max(initial=0.0), 1e-300)))
    raise AssemblyError(not_assembled(system, best, held.names, t))


def _divided(what: str, system: System, *given: Any) -> Array | None:
    """What divide and conquer finds for a large system; None where it does not."""
    if system.nv <= DIVIDED_LARGE or not system.n_constraints:
        return None
    # imported by name, so that this layer does not depend on the next
    return cast(
        "Array | None", getattr(importlib.import_module("cotree.formulations.odca.closing"), what)(system, *given)
    )


def _polished(problem: Problem, q: Array) -> Array:
    """q with the rows that regularization keeps closed to rounding; the others then are as good as the axes are."""
    kept = problem.kept_rows()
    if kept.gap(q) < 1e-14:
        return q
    better = descend(kept, q)
    return better if problem.closed(better) else q


@of_system
def consistent_velocity(
    system: System, q: Coordinates, v: Coordinates, t: float = 0.0, branches: str = "nearest", fixed: Iterable[str] = ()
) -> Array:
    """Find the admissible velocity nearest to a given one, in the metric of the mass matrix.

    Parameters
    ----------
    system : System or Mechanism
        A mechanism is compiled with the default options.
    q : array_like or dict
        Configuration with closed loops.
    v : array_like or dict
        Velocity. A dict {name: rate} fixes these rates; the others strain beams as little,
        and are as small, as possible.
    t : float, optional
        Time [s], for drives and functions of time.
    branches : str, optional
        At singular configurations: "nearest" takes the nearest velocity with which a motion
        can begin, "require" fails if v is none, "ignore" does not check.
    fixed : str or iterable of str, optional
        Coordinates whose rates keep their values.

    Returns
    -------
    ndarray of shape (nv,)
        The velocity, v with J v = b.

    Raises
    ------
    MotionError
        If the rates contradict each other.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> v = ct.consistent_velocity(system, system.q0, {"A": 1.0})
    >>> float(abs(ct.constraint_jacobian(system, system.q0) @ v).max()) < 1e-12
    True
    """
    q = coordinates(system, q)
    v = v if isinstance(v, Mapping) else velocities(system, v)
    if not isinstance(v, Mapping):
        require_finite(system, v=v)
    choice(branches, BRANCHES, "branches")
    fixed = names(fixed, "fixed")
    asked = [*v, *fixed] if isinstance(v, Mapping) else fixed
    led = isinstance(v, Mapping) and bends(system)
    with_rates, v, columns = held_rates(system, q, v, fixed, t)
    near = None if led else _divided("admissible", with_rates, q, v, columns, t)
    if near is not None:
        return near
    J, b = constraint_jacobian(with_rates, q, t), constraint_rate(with_rates, q, t)
    if not len(J):
        return _carrying_beams(with_rates, q, v, J, columns) if led else v.copy()
    held = bool(columns) or with_rates is not system
    if not held and _at_rest(J, b, v):
        require_regular_charts(system, q)
        return v.copy()
    v, rank = _nearest(with_rates, q, v, J, b, columns, SOLVED if held else CONSISTENT, asked)
    v = _carrying_beams(with_rates, q, v, J, columns) if led else v
    if rank == len(J) or branches == "ignore":
        return v
    if not held:
        return on_branch(system, q, v, t, J, mass_root(system, q), branches == "nearest")
    return _on_branch_with(system, with_rates, q, v, t, columns, branches == "nearest", asked)


def _carrying_beams(system: System, q: Array, v: Array, J: Array, columns: list[int]) -> Array:
    """v changed as far as J v and its held columns allow, so that beams are strained least."""
    if not v.any():
        return v
    free = np.delete(np.arange(system.nv), columns)
    S = strains(system, q).slopes
    return v + least_strained(S, -S @ v, J, np.zeros(len(J)), mass_root(system, q, free), free)


def _at_rest(J: Array, b: Array, v: Array) -> bool:
    """Whether rest is asked for, and is admissible where no branches meet; the masses then make no difference."""
    return not v.any() and not b.any() and count(np.linalg.svd(J, compute_uv=False)) == len(J)


def _nearest(
    system: System,
    q: Array,
    v: Array,
    J: Array,
    b: Array,
    columns: list[int],
    left_at_most: float,
    names: Iterable[str],
) -> tuple[Array, int]:
    """(v with J v = b and its held columns as they are, the others moved least in the metric of the masses; rank)."""
    free = np.delete(np.arange(system.nv), columns)
    L = mass_root(system, q, free if columns else None)
    A = np.linalg.solve(L, (J[:, free] if columns else J).T).T  # J L^-T
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    rank = count(s)
    v, given = v.copy(), v
    v[free] -= np.linalg.solve(L.T, Vt[:rank].T @ ((U[:, :rank].T @ (J @ v - b)) / s[:rank]))
    left = J @ v - b
    if not np.isfinite(left).all():
        not_finite(system, "consistent_velocity", q=q, v=given)
    if contradiction(system, left, b, v) > left_at_most:
        raise AssemblyError(not_consistent(system, left, list(names)))
    return v, rank


def _on_branch_with(
    system: System,
    with_rates: System,
    q: Array,
    v: Array,
    t: float,
    columns: list[int],
    near: bool,
    names: Iterable[str],
) -> Array:
    """A velocity that begins a motion and has the rates that are held: the one found near v, made longer or shorter."""
    J = constraint_jacobian(system, q, t)
    found = on_branch(system, q, v, t, J, mass_root(system, q), near)
    held, b = constraint_jacobian(with_rates, q, t), constraint_rate(with_rates, q, t)
    if not np.abs(constraint_rate(system, q, t)).max(initial=0.0) and np.abs(found - v).max() > 0.0:
        x, wanted = np.append(found[columns], held @ found), np.append(v[columns], b)
        found = found * (x @ wanted / max(float(x @ x), 1e-300)) if x @ wanted else found
    off = max(np.abs(found[columns] - v[columns]).max(initial=0.0), np.abs(held @ found - b).max())
    if off > 1e-6 * max(np.abs(v).max(), np.abs(b).max()):
        raise MotionError(not_on_branch_with(list(names), off))
    found[columns] = v[columns]
    return found


def mass_root(system: System, q: Array, which: NDArray[np.intp] | None = None) -> Array:
    """L with M = L L^T, of some of the coordinates if asked for."""
    require_regular_charts(system, q)
    M = mass_matrix(system, q)
    M = M if which is None else M[np.ix_(which, which)]
    try:
        return np.asarray(np.linalg.cholesky(M), dtype=np.float64)
    except np.linalg.LinAlgError:
        least = int(np.argmax(np.abs(np.linalg.eigh(M)[1][:, 0])))
        name = system.coordinate_names[least if which is None else which[least]]
        raise SingularError(
            f"the mass matrix of system {system.name!r} is singular: coordinate {name!r} moves nothing that has mass "
            f"or inertia, so the nearest velocity is not unique; give the bodies that it moves mass or inertia"
        ) from None
