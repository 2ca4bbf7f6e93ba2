"""How departures from a run go through a switch: its time shifts, and velocities jump with what was before.

With y = (x, u) just before and dt the shift of the switch, the state at it departs by X = x + v- dt, U = u + v_dot- dt; the
jump makes U+ of them; seen at one time again x+ = X - v+ dt, u+ = U+ - v_dot+ dt. dt follows from what sets the switch off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_bias, constraint_jacobian
from cotree.constraints.finite_differences import derivative
from cotree.derivatives.constraints import constraint_changes
from cotree.derivatives.inverse import inverse_dynamics_derivatives
from cotree.derivatives.parameters.changes import parameter_changes
from cotree.derivatives.parameters.seeds import directions_of
from cotree.dynamics.api import mass_matrix
from cotree.errors import StudyError
from cotree.integrate.events.breaking import BREAKS
from cotree.integrate.events.event import Event
from cotree.integrate.phases.phase import Switch
from cotree.integrate.phases.schedule import waiting
from cotree.judge import CONSISTENT, NEGLIGIBLE
from cotree.kinematics.coordinates import displace
from cotree.model.features import declare
from cotree.model.switches import Action, Brake, Limit
from cotree.studies.sensitivity.linear import mass_factor, nearest_inverse
from cotree.studies.sensitivity.trace import TURNS, Stretch
from cotree.system.switched import switched
from cotree.system.system import System
from cotree.transitions.resting import gauges, owners_of

Array = NDArray[np.float64]
THROUGH_SWITCHES = declare(
    "ct.sensitivities, through an instant at which they act,",
    refuses=dict.fromkeys(
        ("docks", "impulses", "contacts"),
        "how the jump depends on the state is not known in closed form; let them act after the end of the run",
    ),
)


class Jump(NamedTuple):
    """(x+, u+) = Phi (x, u) + Gamma p."""

    Phi: Array
    Gamma: Array


def jump_of(base: System, before: Stretch, after: Stretch, names: tuple[str, ...], ends: tuple[Array, Array]) -> Jump:
    """The map from the departures before a switch to those behind it; ends: v_dot before and behind it."""
    switch, n, P = before.switch, base.nv, len(names)
    if switch is None:
        return Jump(np.eye(2 * n), np.zeros((2 * n, P)))
    v, v_after = switch.v_before, switch.v
    THROUGH_SWITCHES.admit(base.features.switching([name for name, _ in switch.changes]))
    dt = _shift(base, switch, before, names, ends)  # (2n + P,)
    whole = np.eye(2 * n + P)
    X = whole[:n] + np.outer(v, dt)
    U = whole[n : 2 * n] + np.outer(ends[0], dt)
    if switch.impulses:
        U = _velocity_jump(base, switch, after, names, X, U, dt)
    out = np.vstack([X - np.outer(v_after, dt), U - np.outer(ends[1], dt)])
    return Jump(out[:, : 2 * n], out[:, 2 * n :])


def _shift(base: System, switch: Switch, before: Stretch, names: tuple[str, ...], ends: tuple[Array, Array]) -> Array:
    """dt by (x, u, p)."""
    causes = _causes(base, switch, before, names, ends[0])
    if causes:
        return _only(causes, switch)
    size = max(1.0, float(np.abs(ends[0]).max(initial=0.0)))
    if np.abs(ends[1] - ends[0]).max(initial=0.0) <= CONSISTENT * size and not switch.impulses:
        return np.zeros(2 * base.nv + len(names))  # nothing jumps, and when it happens makes no difference
    raise StudyError(
        f"sensitivities: what sets off the switch {switch.name!r} at t = {switch.t:.6g} s is a limit of forces, at which the "
        "acceleration jumps; its derivatives are not known"
    )


def _causes(
    base: System, switch: Switch, before: Stretch, names: tuple[str, ...], v_dot: Array
) -> list[tuple[str, Array]]:
    """What sets a switch off, each with its dt. Brakes that come to rest count if nothing else does: with a jump of the
    velocities they may stick or turn as its consequence."""
    acted, leant = [name for name, _ in switch.changes], before.topology.leaning if before.topology else {}
    times = [(a.target, _timed(base, a, names)) for a in base.mechanism.actions if _is_due(a, switch, acted)]
    hits = [(x, _reached(base, switch, x, names)) for x in _hits(base, switch) if x not in leant]
    asked = [(e.name, _crossed(base, switch, e, a, names, v_dot)) for e, a in _crossings(base, switch, before, acted)]
    slid = [x for x, what in switch.changes if what in ("sticks", TURNS)]
    still = [x for x in slid if isinstance(base.mechanism.devices.get(x), Brake)]
    return [*times, *hits, *asked] or [(x, _at_rest(base, switch, x, names, v_dot)) for x in still]


def _only(causes: list[tuple[str, Array]], switch: Switch) -> Array:
    """The shift that all causes agree on: apart from each other they would act one after the other, on either side in another
    order, so that there is no derivative."""
    (first, dt), size = causes[0], max(float(np.abs(dt).max(initial=0.0)) for _, dt in causes)
    for other, shift in causes[1:]:
        if np.abs(shift - dt).max(initial=0.0) > CONSISTENT * size:
            raise StudyError(
                f"sensitivities: {first!r} and {other!r} act at the same instant, t = {switch.t:.6g} s, but one before the "
                "other where the start or a parameter differs, so that the run has no derivatives; let them act apart"
            )
    return dt


def _is_due(a: Action, switch: Switch, acted: list[str]) -> bool:
    return a.trigger.at is not None and a.target in acted and abs(a.trigger.at - switch.t) <= 1e-9 * max(1.0, switch.t)


def _timed(base: System, a: Action, names: tuple[str, ...]) -> Array:
    """An action at a given time, which may be a parameter."""
    out, name = np.zeros(2 * base.nv + len(names)), f"{a.target}.{'at' if a.on else 'until'}"
    if name in names:
        out[2 * base.nv + names.index(name)] = 1.0
    return out


def _hits(base: System, switch: Switch) -> list[str]:
    devices = base.mechanism.devices
    return [
        x for x, what in switch.changes if isinstance(devices.get(x), Limit) and "stop" in what and x in switch.impulses
    ]


def _crossings(base: System, switch: Switch, before: Stretch, acted: list[str]) -> list[tuple[Event, Action]]:
    """Conditions that act and are zero in that state; others that act there do so as a consequence of a jump."""
    waits = [] if before.topology is None else waiting(base, before.topology)
    asked = [(e, a) for e, a in waits if a.target in acted]
    near = [(e, a) for e, a in asked if _is_zero(e, switch, before)]
    return near or [(e, a) for e, a in asked if e.yes_or_no(switch.t, switch.q, switch.v_before)]


def _is_zero(event: Event, switch: Switch, before: Stretch) -> bool:
    """Whether a condition changes its sign there: it is as good as zero, compared with what it was a step before."""
    if event.yes_or_no(switch.t, switch.q, switch.v_before):
        return False
    last = event(float(before.t[-2]), before.q[-1, 0], before.v[-1, 0])
    return bool(abs(event(switch.t, switch.q, switch.v_before)) <= CONSISTENT * max(abs(last), NEGLIGIBLE))


def _gauge(base: System, name: str) -> tuple[System, int]:
    """A system with a row that reads the coordinate of a device, and the number of that row."""
    read = switched(base, gauges(base, [name]))
    return read, owners_of(read).index(name)


def _reached(base: System, switch: Switch, name: str, names: tuple[str, ...]) -> Array:
    """A limit is reached: the coordinate minus the stop is zero."""
    read, row = _gauge(base, name)
    n, q, v, t = base.nv, switch.q, switch.v_before, switch.t
    J, zero = constraint_jacobian(read, q, t)[row], np.zeros(read.n_constraints)
    found = parameter_changes(read, q, v, np.zeros(n), zero, t, directions_of(read, names))
    of_p = found.gap[row].copy()
    side = "upper" if switch.impulses[name][0] < 0.0 else "lower"
    if f"{name}.{side}" in names:
        of_p[names.index(f"{name}.{side}")] -= 1.0
    return shift_of(np.concatenate([J, np.zeros(n), of_p]), float(J @ v), float(np.abs(v).max(initial=0.0)), switch)


def _at_rest(base: System, switch: Switch, name: str, names: tuple[str, ...], v_dot: Array) -> Array:
    """A brake sticks: the rate of its coordinate is zero."""
    read, row = _gauge(base, name)
    n, q, v, t = base.nv, switch.q, switch.v_before, switch.t
    J, zero = constraint_jacobian(read, q, t)[row], np.zeros(read.n_constraints)
    found = parameter_changes(read, q, v, np.zeros(n), zero, t, directions_of(read, names))
    turned = constraint_changes(read, q, v, np.zeros(n), zero, t).velocity_dq[row]
    rate = float(J @ v_dot - constraint_bias(read, q, v, t)[row])
    return shift_of(
        np.concatenate([turned, J, found.velocity[row]]), rate, float(np.abs(v_dot).max(initial=0.0)), switch
    )


def _crossed(base: System, switch: Switch, event: Event, action: Action, names: tuple[str, ...], v_dot: Array) -> Array:
    """A condition of the user, a function of t, q, v, by differences of eighth order."""
    q, v, t, n = switch.q, switch.v_before, switch.t, base.nv
    if action.trigger is BREAKS and names:
        raise StudyError(
            f"sensitivities: {action.target!r} breaks at t = {t:.6g} s, and how its load changes with {names[0]!r} is not "
            "known; leave parameters out, or sweep them (ct.sweep)"
        )

    def slope(f: Callable[[float], float]) -> float:
        return float(derivative(f, 0.0, 1))

    if event.yes_or_no(t, q, v):
        raise StudyError(
            f"sensitivities: the condition of {switch.name!r} is true or false, so that its time has no derivative; give a "
            "function that returns a number whose sign changes"
        )

    def along(x: Array, u: Array) -> float:
        return slope(lambda s: event(t, displace(base, q, s * x), v + s * u))

    still = np.zeros(n)
    of_q, of_v = np.array([along(e, still) for e in np.eye(n)]), np.array([along(still, e) for e in np.eye(n)])
    of_t = slope(lambda s: event(t + s, q, v))
    rate = of_t + float(of_q @ v + of_v @ v_dot)
    size = abs(of_t) + float(np.abs(of_q) @ np.abs(v) + np.abs(of_v) @ np.abs(v_dot))
    return shift_of(np.concatenate([of_q, of_v, np.zeros(len(names))]), rate, size, switch)


def shift_of(gradient: Array, rate: float, size: float, switch: Switch) -> Array:
    if not abs(rate) > NEGLIGIBLE * size:
        raise StudyError(
            f"sensitivities: {switch.name!r} at t = {switch.t:.6g} s is touched and not crossed, so that its time has no "
            "derivative"
        )
    return -gradient / rate


def _velocity_jump(
    base: System, switch: Switch, after: Stretch, names: tuple[str, ...], X: Array, U: Array, dt: Array
) -> Array:
    """U+ from M (v+ - v-) + J^T Lam = 0 and J v+ = b, or -e J v- for stops that are hit."""
    mech, q, v, t, n = base.mechanism, switch.q, switch.v_before, switch.t, base.nv
    hits = [name for name in switch.impulses if isinstance(mech.devices.get(name), Limit)]
    topology = after.topology
    assert topology is not None
    stops = list(dict.fromkeys([*topology.leaning, *hits]))
    system = topology.system(base, holds=False, more=gauges(base, stops))
    owners, w = owners_of(system), switch.v - v
    J, M = constraint_jacobian(system, q, t), mass_matrix(system, q)
    e = np.array([mech.devices[o].restitution if o in hits and o not in topology.leaning else 0.0 for o in owners])  # type: ignore[union-attr]
    _require_one_jump(
        switch, J @ switch.v + e * (J @ v), [o in stops for o in owners], float(np.abs(J @ v).max(initial=0.0))
    )
    Lam = np.linalg.lstsq(J.T, -M @ w, rcond=None)[0]
    still, d = np.zeros(n), directions_of(system, names)
    moved = (
        inverse_dynamics_derivatives(system, q, still, w, t).dq
        - inverse_dynamics_derivatives(system, q, still, still, t).dq
    )
    at_v, at_after = (constraint_changes(system, q, x, still, Lam, t) for x in (v, switch.v))
    of_q = moved + at_after.force_dq
    none = np.zeros(len(J))
    of_p = (
        parameter_changes(system, q, still, w, Lam, t, d).force
        - parameter_changes(system, q, still, still, none, t, d).force
    )
    by_p = [parameter_changes(system, q, x, still, none, t, d).velocity for x in (v, switch.v)]
    of_time = constraint_bias(system, q, still, t)  # how b changes with time alone
    whole_p = np.eye(len(dt))[2 * n :]
    force = M @ U - of_q @ X - of_p @ whole_p
    motion = np.outer(of_time, dt) - at_after.velocity_dq @ X - by_p[1] @ whole_p
    motion -= e[:, None] * (J @ U + at_v.velocity_dq @ X + by_p[0] @ whole_p)
    motion -= _by_restitution(owners, hits, names, len(dt), n) * (J @ v)[:, None]
    K = nearest_inverse(mass_factor(system, q), J)
    free = np.linalg.solve(M, force)
    return np.asarray(free + K @ (motion - J @ free))


def _require_one_jump(switch: Switch, left: Array, stops: list[bool], speed: float) -> None:
    """At a stop the rate behind a jump is -e times that before it; otherwise other jumps have followed at the same instant."""
    if np.abs(left[stops]).max(initial=0.0) > CONSISTENT * speed:
        raise StudyError(
            f"sensitivities: {switch.name!r} act one after the other at one instant, t = {switch.t:.6g} s, and how such a "
            "sequence of jumps depends on the state is not known in closed form"
        )


def _by_restitution(owners: list[str], hits: list[str], names: tuple[str, ...], width: int, n: int) -> Array:
    out = np.zeros((len(owners), width))
    for row, owner in enumerate(owners):
        if owner in hits and f"{owner}.restitution" in names:
            out[row, 2 * n + names.index(f"{owner}.restitution")] = 1.0
    return out
