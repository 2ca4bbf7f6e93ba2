"""Links that break where the load that they carry reaches a bound."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from math import inf

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.units import length_of
from cotree.errors import RunWarning, SingularWarning
from cotree.formulations.forward import forward_dynamics
from cotree.formulations.reactions.constrained import Constrained
from cotree.integrate.checks.run_warnings import warning
from cotree.integrate.events.event import Event
from cotree.judge import NEGLIGIBLE
from cotree.kinematics.poses import poses
from cotree.model.constraints import Closing
from cotree.model.functions import word_of
from cotree.model.switches import Action, Breaking, Trigger
from cotree.system.system import System
from cotree.transitions.active_set import ActiveSet
from cotree.transitions.closing import joint_place

Array = NDArray[np.float64]
BREAKS = Trigger(direction=1)  # what asks a link to break


def _whole(base: System, topology: ActiveSet) -> Iterator[Breaking]:
    """Bounds of what is in force and may break."""
    for d in base.mechanism.devices.values():
        if isinstance(d, Breaking):
            closes = d.target in base.mechanism.devices
            if d.target in topology.closed if closes else d.target not in topology.off | topology.dropped:
                yield d


def breaking(base: System, topology: ActiveSet) -> list[tuple[Event, Action]]:
    """Events of links that may break: their load rises through the bound."""
    whole = list(_whole(base, topology))
    system = topology.system(base) if whole else base
    return [(Event(_excess(system, d), d.name, True, 1), Action(d.target, False, BREAKS)) for d in whole]


def overloaded(base: System, topology: ActiveSet, t: float, q: Array, v: Array) -> list[Action]:
    """Links that must break at once, as where another one has just broken."""
    whole = list(_whole(base, topology))
    if not whole:
        return []
    found = _solved(topology.system(base), t, q, v)
    return [Action(d.target, False, BREAKS) for d in whole if excess(found, q, d) > 0.0]


def doubtful_loads(base: System, topology: ActiveSet, t: float, q: Array, v: Array) -> list[RunWarning]:
    """Warnings of loads that rigid bodies do not determine."""
    whole = list(_whole(base, topology))
    if not whole:
        return []
    found = _solved(topology.system(base), t, q, v)
    if not isinstance(found, Constrained) or found.unique:
        return []
    states = found._states
    joints = states.undetermined if _stressed(found) else ()
    unsure = [d.target for d in whole if d.target in (*joints, *states.constraints)]
    return [
        warning(
            "loads",
            f"{word_of(base.mechanism, name)} {name!r} breaks at a load, but redundant constraints leave part of its load "
            f"undetermined; one of the possible loads is compared. Replace joints of its loop by ones with more freedom to "
            f"make it unique",
            t,
        )
        for name in unsure
    ]


def _stressed(found: Constrained) -> bool:
    """Whether some joint carries a load in a direction in which its reaction is not determined.

    Where none does, as in a planar loop whose loads lie in its plane, all that redundant constraints can add is prestress.
    """
    carried, states, length = found.reactions, found.self_stress, length_of(found.system)
    units = np.repeat([length, 1.0], 3)
    most = max((float(np.abs(W / units).max()) for W in carried.values()), default=0.0)
    for name in found.undetermined:
        _, s, rows = np.linalg.svd(states[name] / units, full_matrices=False)
        along = rows[s > NEGLIGIBLE * s.max(initial=0.0)] @ (carried[name] / units)
        if float(np.abs(along).max(initial=0.0)) > NEGLIGIBLE * most:
            return True
    return False


def _excess(system: System, d: Breaking) -> Callable[..., float]:
    """Load over bound, less one."""

    def over(t: float, q: Array, v: Array) -> float:
        return excess(_solved(system, t, q, v), q, d)

    return over


def _solved(system: System, t: float, q: Array, v: Array) -> Constrained:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SingularWarning)  # the run says it
        return forward_dynamics(system, q, v, t=t)  # type: ignore[return-value]


def excess(found: Constrained, q: Array, d: Breaking) -> float:
    """By how much a load exceeds its bound, relative to it; the larger of force and moment."""
    force, moment = loads(found, q, d)
    return max(force / d.force, moment / d.moment) - 1.0


def loads(found: Constrained, q: Array, d: Breaking) -> tuple[float, float]:
    """(force, moment) that a link carries; of a constraint the size of its multipliers."""
    system = found.system
    if d.target in system.joint_names:
        return _sizes(found.reactions[d.target], joint_place(system, q, d.target))
    own = [n for n in system.constraints if n == d.target or n.startswith(f"{d.target}.")]
    forces = found.constraint_forces
    c = system.constraints[own[0]]
    if isinstance(c, Closing):
        C = poses(system, q)[system.row_of(c.body_a)] @ c.frame_a
        return _sizes(forces[own[0]].wrenches[c.body_b], C[:3, 3])
    size = float(np.linalg.norm(np.concatenate([forces[n].multipliers for n in own])))
    return size, size if d.force == inf else 0.0


def _sizes(wrench: Array, point: Array) -> tuple[float, float]:
    moment, force = wrench[:3] - np.cross(point, wrench[3:]), wrench[3:]
    return float(np.linalg.norm(force)), float(np.linalg.norm(moment))
