"""The state that a run starts from: what was asked for, made admissible, and what is to be said about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.assembly import assemble, consistent_velocity
from cotree.constraints.initial_state import kept_configuration, kept_velocity, named_configuration, own_start
from cotree.constraints.units import column_units, length_of
from cotree.engine.escaped import Kept
from cotree.errors import AssemblyError, MotionError, RunWarning
from cotree.formulations.callback import forgivable
from cotree.integrate.checks.run_warnings import warning
from cotree.integrate.driver import Driver
from cotree.integrate.settings import Settings
from cotree.integrate.stabilization.projection import project
from cotree.judge import SAME_CONFIGURATION
from cotree.kinematics.coordinates import normalize
from cotree.system.arguments import coordinates, require_finite, velocities
from cotree.system.coordinate_labels import coordinate_labels
from cotree.system.sizes import DECOMPOSED
from cotree.system.system import System

Array = NDArray[np.float64]

# Radians, or parts of the system's length, or of the value: smaller moves are not worth a word. States that are written with
# six digits come out a few times 1e-6 off when loops are closed.
LARGEST = 1e12  # rad or m: numbers are 1e-4 apart there
MOVED_OWN = 1e-2  # of starts that mechanisms bring along: poses in files are often written with three digits


def initial_state(
    system: System, settings: Settings, t: float, q: Any, v: Any
) -> tuple[Array, Array, list[RunWarning]]:
    """Closed configuration and admissible velocity for what was asked for: vectors, dicts of names, or nothing.

    Values by name hold exactly. Of a vector, what differs from the mechanism's start or is not zero is kept where it can be;
    where anything was moved by more than tolerances, a warning says how far.
    """
    own_q, own_v, said = own_start(system, t)
    noted = [warning("start", said)] if said and (q is None or v is None) else []
    asked_q = q if isinstance(q, Mapping) else own_q if q is None else coordinates(system, q)
    asked_v = v if isinstance(v, Mapping) else own_v if v is None else velocities(system, v)
    if not isinstance(asked_q, Mapping) and not isinstance(asked_v, Mapping):
        near = _by_division(system, settings, t, asked_q, asked_v)
        if near is not None:
            return *near, noted + _said(system, (q, asked_q), (v, asked_v), *near)
    if isinstance(asked_q, Mapping):
        x = named_configuration(system, asked_q, own_q, t)
    else:
        x = _configuration(system, asked_q, t, q is not None)
    check_size(system, x)
    u = _velocity(system, x, asked_v, t)
    return x, u, noted + _said(system, (q, asked_q), (v, asked_v), x, u)


def check_size(system: System, q: Array) -> None:
    """Refuse coordinates so large that the steps of a run are lost in their rounding."""
    far = np.flatnonzero(np.abs(q) > LARGEST)
    if far.size:
        name, x = system.q_names[far[0]], q[far[0]]
        raise MotionError(
            f"q of {name!r} is {x:.6g} at the start, where floating-point numbers are {np.spacing(abs(x)):.1g} "
            f"apart, too coarse to follow a motion; start within {LARGEST:g} and remove full turns from angles"
        )


def _said(system: System, q: tuple[Any, Any], v: tuple[Any, Any], x: Array, u: Array) -> list[RunWarning]:
    """Warnings about what was given (or None) and asked for, and came out as x and u."""
    out = []
    own_q, own_v = system.start
    if not isinstance(q[1], Mapping) and (q[0] is not None or own_q is not None):
        asked, limit = normalize(system, q[1]), SAME_CONFIGURATION if q[0] is not None else MOVED_OWN
        units = np.where(np.array(coordinate_labels(system).units) == "m", length_of(system), 1.0)
        out += _moved(system.q_names, "q", asked, x, limit * np.maximum(units, np.abs(asked)))
    if not isinstance(v[1], Mapping) and (v[0] is not None or own_v is not None) and np.any(v[1]):
        limit = SAME_CONFIGURATION if v[0] is not None else MOVED_OWN
        fastest = np.abs(v[1] / column_units(system)).max()
        out += _moved(system.v_names, "v", v[1], u, limit * fastest * column_units(system))
    return out


def _moved(names: tuple[str, ...], what: str, asked: Array, got: Array, allowed: Array) -> list[RunWarning]:
    """A warning about the largest move, where it is larger than allowed."""
    off = np.abs(got - asked) / allowed
    if not off.size or off.max() <= 1.0:
        return []
    i, moved = int(np.argmax(off)), int(np.count_nonzero(off > 1.0))
    kept = [(n, x) for n, x, y, z in zip(names, asked, off, asked, strict=True) if y <= 1.0 and z != 0.0][:3]
    by_name = ", ".join(f"{n!r}: {x:.6g}" for n, x in kept or [(names[i], asked[i])])
    text = (
        f"the start was moved to close loops and satisfy constraints: {what} of {names[i]!r} was given as "
        f"{asked[i]:.6g} and is "
        f"{got[i]:.6g} ({moved} of {len(names)} entries changed); values given by name, such as "
        f"{what}={{{by_name}}}, are kept exactly"
    )
    return [warning("start", text)]


def _configuration(system: System, q: Array, t: float, given: bool) -> Array:
    """The closed configuration nearest to q; where that is far, one with what was given kept."""
    require_finite(system, q=q)
    near, failed = None, None
    try:
        near = assemble(system, q, t=t)
    except AssemblyError as error:
        failed = error
    if near is not None and (not given or np.abs(near - normalize(system, q)).max(initial=0.0) <= SAME_CONFIGURATION):
        return near
    kept = kept_configuration(system, q, t) if given and system.nv <= DECOMPOSED else None
    if kept is not None:
        return kept
    if near is None:
        assert failed is not None
        raise failed
    return near


def _velocity(system: System, q: Array, v: Any, t: float) -> Array:
    """The admissible velocity nearest to v; where that is far, one with what was given kept."""
    if isinstance(v, Mapping):
        return consistent_velocity(system, q, v, t)
    near, failed = None, None
    try:
        near = consistent_velocity(system, q, v, t)
    except (AssemblyError, MotionError) as error:
        failed = error
    fastest = np.abs(v).max(initial=0.0)
    if near is not None and (not fastest or np.abs(near - v).max() <= SAME_CONFIGURATION * fastest):
        return near
    kept = kept_velocity(system, q, v, t) if system.nv <= DECOMPOSED else None
    if kept is not None:
        return kept
    if near is None:
        assert failed is not None
        raise failed
    return near


def _by_division(system: System, settings: Settings, t: float, q: Array, v: Array) -> tuple[Array, Array] | None:
    """The same for a large state that is nearly closed, without matrices; None where Newton's steps do not close it."""
    if settings.formulation != "odca" or system.nv <= DECOMPOSED:
        return None
    q, v = normalize(system, q.copy()), v.copy()
    with Kept():
        driver = Driver(system, settings, t, q, v, np.array([t]), t + 1.0, ())
        status = project(driver.state.run, t, 0.0, q, v)
        error = driver.callback.raised()
    if error is not None and not forgivable(error):
        raise error
    return (q, v) if status >= 0 else None
