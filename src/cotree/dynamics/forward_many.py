"""Forward dynamics of many states: what single ones give, with the leading axes of the arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.dynamics.batches import many_forward_dynamics
from cotree.dynamics.charts import has_charts, require_regular_charts
from cotree.dynamics.forward import NO_ROWS, ForwardDynamics, forward_dynamics
from cotree.system.families import Systems
from cotree.system.members import Members
from cotree.system.system import System

Array = NDArray[np.float64]


class ForwardDynamicsBatch(ForwardDynamics):
    """v_dot (..., nv), multipliers (..., rows), reactions (..., 6) by joint name; batch[i] is one of them, or a part of it.

    `doubt`, `singular`, `unbounded` and `unique` are about the batch as a whole: whether some member is doubtful, and so on.
    """

    def __init__(self, system: System, t: float, q: Array, v: Array, members: Any, systems: Any = None) -> None:
        """members: ForwardDynamics of each state, in an array of objects with the leading axes; or v_dot of a tree.
        systems: those of the members, in an array with the leading axes, where they differ."""
        self.system, self.t, self.q, self.v, self._members = system, t, q, v, members
        self._systems = systems
        if members.dtype == object:
            found = members.ravel()
            self.v_dot = np.array([m.v_dot for m in found]).reshape(*members.shape, system.nv)
            rows = np.array([m.multipliers for m in found])
            self.multipliers = rows.reshape(*members.shape, rows.shape[1])
            self.singular = _of_any([m.singular for m in found])
            self.doubt = next((m.doubt for m in found if m.doubt), "")
            self.unbounded = any(m.unbounded for m in found)
        else:
            self.v_dot, self.multipliers = members, np.zeros((*members.shape[:-1], 0))

    def __len__(self) -> int:
        return len(self.v_dot)

    def __getitem__(self, i: Any) -> ForwardDynamics:
        if self._members.dtype != object and self.v_dot[i].ndim == 1:
            own = self.system if self._systems is None else self._systems[i]
            return ForwardDynamics(own, self.q[i], self.v[i], self.t, self.v_dot[i], NO_ROWS)
        found = self._members[i]
        if isinstance(found, ForwardDynamics):
            return found
        several = None if self._systems is None else self._systems[i]
        return ForwardDynamicsBatch(self.system, self.t, self.q[i], self.v[i], found, several)

    def _each(self) -> list[ForwardDynamics]:
        """Members in the order of their rows."""
        return [self[index] for index in np.ndindex(self.v_dot.shape[:-1])]

    def _stacked(self, arrays: Sequence[Array]) -> Array:
        found = np.array(arrays)
        return found.reshape(*self.v_dot.shape[:-1], *found.shape[1:])

    @property
    def reactions(self) -> dict[str, Array]:
        """(..., 6): (moment, force) that each joint transmits to its child, in world axes about the world's origin."""
        each = [m.reactions for m in self._each()]
        return {name: self._stacked([r[name] for r in each]) for name in each[0]}

    def reaction(self, joint: str, point: Any = (0.0, 0.0, 0.0)) -> Array:
        """(..., 6): reactions of one joint with their moments about a world point."""
        return self._stacked([m.reaction(joint, point) for m in self._each()])

    @property
    def unique(self) -> bool:
        """Whether all reactions of all members are determined."""
        return all(m.unique for m in self._each())

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Names of the joints whose reactions are not unique in some member."""
        return tuple(dict.fromkeys(name for m in self._each() for name in m.undetermined))


def _of_any(flags: list[bool | None]) -> bool | None:
    return True if True in flags else (None if None in flags else False)


def forward_dynamics_many(
    system: System, many: Members, t: float, single: Callable[..., ForwardDynamics] | None = None
) -> ForwardDynamicsBatch:
    """Of a plain tree, on lanes, or by single(q, v, tau) for each member."""
    if single is not None:
        return joined([many.single(i, single) for i in range(many.count)], many)
    q, v = (_spread(x, many) for x in list(many.rows.values())[:2])
    return ForwardDynamicsBatch(system, t, q, v, _tree(system, many, t))


def forward_dynamics_of_trees(
    systems: Systems, many: Members, single: Callable[[int], ForwardDynamics], t: float
) -> ForwardDynamicsBatch | None:
    """Of plain trees that differ in numbers alone, on lanes; None where they cannot be."""
    if systems.cached("charts", lambda: any(map(has_charts, systems))):
        return None
    found = many_forward_dynamics.of_systems(systems, many, (systems.nv,), lambda i: single(i).v_dot)
    if found is None:
        return None
    each = systems.cached("as an array", lambda: _objects(systems))
    q, v = (_spread(x, many) for x in list(many.rows.values())[:2])
    return ForwardDynamicsBatch(systems[0], t, q, v, found, np.broadcast_to(each, many.shape))


def joined(results: list[ForwardDynamics], many: Members) -> ForwardDynamicsBatch:
    """The results of all members from those of each."""
    q, v = (_spread(x, many) for x in list(many.rows.values())[:2])
    return ForwardDynamicsBatch(results[0].system, results[0].t, q, v, _objects(results).reshape(many.shape))


def _objects(given: Sequence[Any]) -> NDArray[np.object_]:
    found = np.empty(len(given), object)
    found[:] = list(given)
    return found


def _tree(system: System, many: Members, t: float) -> Array:
    def single(q: Array, v: Array, tau: Array) -> Array:
        return forward_dynamics(system, q, v, tau, t).v_dot

    found = many_forward_dynamics(system, many, (system.nv,), single)
    if has_charts(system):
        for i in range(many.count):
            many.single(i, lambda q, v, tau: require_regular_charts(system, q))
    return found


def _spread(x: Array, many: Members) -> Array:
    each = x.copy() if len(x) == many.count else np.array(np.broadcast_to(x, (many.count, x.shape[1])))
    return each.reshape(*many.shape, x.shape[1])
