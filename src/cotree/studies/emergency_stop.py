"""Emergency stop: drives are shut off, brakes fall in or joints lock; where does each link come to rest, and what is passed?

[VTM 1, 7]. The same stop with rates that are just set to zero where joints lock shows what programs that do so predict.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree._shown import Shown
from cotree.errors import ArgumentError, SwitchError
from cotree.integrate.old_keywords import HOMES, modern
from cotree.integrate.results.run import Run
from cotree.integrate.settings import Settings
from cotree.integrate.simulate import simulate, span_of
from cotree.judge import SETTLED, slowest
from cotree.kinematics.poses import poses
from cotree.model.checks import shown, vector
from cotree.model.mechanism import Mechanism
from cotree.studies.swept import Swept, swept
from cotree.system.arguments import time_of

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Stop:
    """One stop: the run; rest_time [s], None if it still moves at the end; where the mass centre of each body is then, and the
    point watched; path (k, 3) of that point from the stop on; the space passed."""

    run: Run = field(repr=False)
    rest_time: float | None
    bodies: dict[str, Array]
    point: Array
    path: Array = field(repr=False)
    swept: Swept = field(repr=False)


@dataclass(frozen=True, eq=False)
class EmergencyStop(Shown):
    """A stop at a time, with the jump of velocities that keeps momentum and without; both at rest compared."""

    at: float
    watched: tuple[str, Array]
    consistent: Stop
    naive: Stop

    @property
    def apart(self) -> dict[str, float]:
        """Distance of the mass centre of each body at rest between the two [m]."""
        a, b = self.consistent.bodies, self.naive.bodies
        return {name: float(np.linalg.norm(a[name] - b[name])) for name in a}

    @property
    def point_apart(self) -> float:
        """Distance of the point watched at rest between the two [m]."""
        return float(np.linalg.norm(self.consistent.point - self.naive.point))

    def plot(self, path: Any = None) -> Any:
        """Figure of both stops: joint coordinates, momenta, energy, and the way of the point watched."""
        return import_module("cotree.studies.stop_plot").plot_stop(self, path)

    def __str__(self) -> str:
        name, _ = self.watched
        lines = [
            f"emergency stop of {self.consistent.run.system.name or 'mechanism'} at t = {self.at:g} s, observed "
            f"point: {name}"
        ]
        for word, stop in (("momentum conserved", self.consistent), ("rates set to zero", self.naive)):
            rest = "still moving" if stop.rest_time is None else f"at rest {stop.rest_time - self.at:.4g} s later"
            where = np.array2string(stop.point, precision=4, suppress_small=True)
            length = float(np.linalg.norm(np.diff(stop.path, axis=0), axis=1).sum())
            lines.append(f"{word}: {rest}, {name} at {where} m after travelling {length:.4g} m")
        lines.append(f"{name} ends {self.point_apart:.4g} m apart; bodies up to {max(self.apart.values()):.4g} m")
        return "\n  ".join(lines)


def emergency_stop(
    mechanism: Mechanism,
    at: float,
    brakes: Mapping[str, float] | None = None,
    locks: Mapping[str, float] | None = None,
    *,
    watch: tuple[str, Any] | None = None,
    t_end: float | None = None,
    static_ratio: float = 1.0,
    **options: Any,
) -> EmergencyStop:
    """Simulate a stop at a time, with drives and motors shut off and brakes applied.

    The stop is computed with jumps of velocity that conserve momentum, and without, for
    comparison.

    Parameters
    ----------
    mechanism : Mechanism
        What moves.
    at : float
        Time at which the stop begins [s].
    brakes : dict of str to float, optional
        Braking torque [N m or N] by joint, from `at` on.
    locks : dict of str to float, optional
        Time [s] by joint at which it locks, whatever its rate.
    watch : tuple, optional
        Body and a point of it whose path is compared; by default the mass centre of the
        last body.
    t_end : float, optional
        End of the run [s]; by default two seconds after the last of these times.
    static_ratio : float, optional
        Static over sliding torque of the brakes.
    **options : object
        As for `simulate`.

    Returns
    -------
    EmergencyStop
        `.consistent` and `.naive`, each with `.run` and `.rest_time` [s], counted as `at`
        is.

    Examples
    --------
    >>> mech = ct.Mechanism("wheel", gravity=(0, 0, 0))
    >>> wheel = mech.body("wheel", mass=1, com=(0, 0, 0), inertia=(1, 1, 1))
    >>> _ = mech.joint("hub", "ground", wheel, ct.Revolute())
    >>> stop = ct.emergency_stop(mech, at=0.1, brakes={"hub": 2.0}, t_end=1.0, v={"hub": 1.0})
    >>> round(stop.consistent.rest_time, 6)
    0.6
    """
    if not isinstance(mechanism, Mechanism):
        raise ArgumentError(f"emergency_stop needs a Mechanism as its first argument, got {shown(mechanism)}")
    for what, given in (("brakes", brakes), ("locks", locks)):
        if given is not None and not isinstance(given, Mapping):
            raise ArgumentError(f"emergency stop: {what} is {shown(given)}; give a dict of numbers by joint")
    if watch is not None and not (isinstance(watch, (tuple, list)) and len(watch) == 2):
        raise ArgumentError(
            f"emergency stop: watch is {shown(watch)}; give a body and a point on it, (body, (x, y, z))"
        )
    at = time_of("at", at)
    locks = {joint: time_of("locks", t) for joint, t in (locks or {}).items()}
    if not brakes and not locks:
        raise SwitchError("emergency stop: give brakes= (torques) or locks= (times) by joint")
    mech = stopping(mechanism, at, brakes or {}, locks, static_ratio)
    options = modern(
        {**options, "t_end": max([at, *locks.values()]) + 2.0 if t_end is None else t_end}, (*HOMES, "t_start")
    )
    begin, end = span_of(options.pop("t_end"))
    body, point = watch or (list(mech.bodies)[-1], None)
    x = mech._body(body, "emergency stop").properties.com if point is None else vector(point, "point", "watch")
    options.setdefault("output", np.unique(np.append(np.linspace(begin, end, 801), at)))
    kept = Settings.of(stabilize=options.pop("stabilize", "auto")).choices["stabilize"]
    ways = [replace(kept, transitions=kind) for kind in ("consistent", "naive")]
    stops = [_stop(simulate(mech, (begin, end), stabilize=way, **options), at, (body, x)) for way in ways]
    return EmergencyStop(float(at), (body, x), *stops)


def stopping(
    mechanism: Mechanism, at: float, brakes: Mapping[str, float], locks: Mapping[str, float], static_ratio: float = 1.0
) -> Mechanism:
    """A copy of the mechanism that is stopped at a time: drivers and motors off, brakes and locks on."""
    mech = copy.copy(mechanism)
    for c in mech.constraints.values():
        if c.word == "drive":
            mech.deactivate(c.name, at=at)
    for name in mech.joint_forces:
        if mech.joint_forces[name].torque is not None:
            mech.deactivate(name, at=at)
    for joint, torque in brakes.items():
        mech.brake(joint, torque, at=at, static_ratio=static_ratio, name=f"emergency brake {joint}")
    for joint, time in locks.items():
        mech.lock(joint, at=time, name=f"emergency lock {joint}")
    return mech


def _stop(run: Run, at: float, watched: tuple[str, Array]) -> Stop:
    body, x = watched
    since = run.t >= at
    if not since.any():
        raise SwitchError(
            f"emergency stop: the run ends at {run.t[-1] if len(run.t) else 0.0:g} s, before the stop at {at:g} s"
            f"{f' ({run.message})' if run.status == 'failed' else ''}; give a later t_end or an earlier stop"
        )
    centres = {name: b.properties.com for name, b in run.system.mechanism.bodies.items()}
    last = poses(run.system, run.q[-1])
    bodies = {name: _point(last[run.system.row_of(name)], c) for name, c in centres.items()}
    way = np.array([_point(C, x) for C in run.poses()[since][:, run.system.row_of(body)]])
    return Stop(run, rest_time(run, at), bodies, way[-1], way, swept(run, at))


def _point(pose: Array, x: Array) -> Array:
    return np.asarray(pose[:3, :3] @ x + pose[:3, 3])


def rest_time(run: Run, at: float) -> float | None:
    """Time after which nothing moves any more; None while something does.

    Rows and switches in their order are the moments at which the state is known. Something has moved between two of them where
    coordinates differ, or something still moves at the later one; the last such time ends at the moment sought, however
    many joints stop, and start again, between two rows.
    """
    since = run.t >= at
    fast = slowest(run.v[since])
    if not since.any() or np.abs(run.v[-1]).max(initial=0.0) > fast:
        return None
    rows = [(float(t), q, v) for t, q, v in zip(run.t[since], run.q[since], run.v[since], strict=True)]
    switches = [(float(e.t), e.q, e.v_before) for e in run.switches if at <= e.t <= run.t[-1]]
    moments = sorted([*switches, *rows], key=lambda moment: moment[0])
    rest = at
    for (before, q_before, _), (t, q, v) in pairwise(moments):
        shift = np.abs(q - q_before).max(initial=0.0)
        same = fast * (t - before) + SETTLED * max(1.0, float(np.abs(q).max(initial=0.0)))
        if shift > same or np.abs(v).max(initial=0.0) > fast:
            rest = t
    return rest
