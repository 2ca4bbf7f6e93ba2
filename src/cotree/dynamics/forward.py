"""Forward dynamics of the tree: accelerations and joint reactions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np
from numpy import ndarray
from numpy.typing import ArrayLike, NDArray

from cotree.dynamics import articulated
from cotree.dynamics.charts import has_charts, require_regular_charts
from cotree.dynamics.reactions import tree_reactions
from cotree.dynamics.rounding import lost_in_rounding
from cotree.dynamics.user_forces import put_element_values
from cotree.engine.fast_call import fast_vector
from cotree.engine.kernel import kernel
from cotree.engine.vectors import all_finite
from cotree.errors import SingularError, UnknownNameError
from cotree.model.checks import shown
from cotree.model.mechanism import nearest
from cotree.system.arguments import coordinates, not_finite, require_finite, velocities, world_point
from cotree.system.fast_calls import call_bound
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]


class ForwardDynamics:
    """v_dot (nv,); multipliers of the constraints (none for a tree); reactions by joint name. Has its own q and v."""

    __slots__ = ("multipliers", "q", "system", "t", "v", "v_dot")
    singular: bool | None = False  # a tree has no constraints that lose rank
    doubt: str = ""
    unbounded: bool = False

    def __init__(self, system: System, q: Any, v: Any, t: float, v_dot: Array, multipliers: Array) -> None:
        self.system, self.q, self.t = system, q.copy(), t  # the caller's arrays may change
        self.v = np.zeros(system.nv) if v is None else v.copy()
        self.v_dot, self.multipliers = v_dot, multipliers

    def __repr__(self) -> str:
        return f"ForwardDynamics(v_dot={self.v_dot}, multipliers={self.multipliers})"

    @property
    def reactions(self) -> dict[str, Array]:
        """(moment, force) [N m, N] that each joint transmits to its child, in world axes about the world's origin.

        All that acts within the joint is part of it: motors, springs, dampers, tau. Welds are joints like others.
        """
        return tree_reactions(self.system, self.q, self.v, self.v_dot, self.t)

    @property
    def constraint_forces(self) -> Mapping[str, Any]:
        """What each constraint beside the joints does, by name; a tree has none."""
        return {}

    @property
    def unique(self) -> bool:
        """Whether all reactions are determined; in a tree they are."""
        return True

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Names of the joints whose reactions are not unique; none in a tree."""
        return ()

    @property
    def self_stress(self) -> dict[str, Array]:
        """(states, 6) by joint: reactions in balance with themselves; no states in a tree."""
        return {name: np.zeros((0, 6)) for name in self.system.joint_names}

    def reaction(self, joint: str, point: Any = (0.0, 0.0, 0.0)) -> Array:
        """Reaction of one joint with its moment about a world point."""
        found = self.reactions
        W = found.get(joint) if isinstance(joint, str) else None
        if W is None:
            raise UnknownNameError(f"there is no reaction at joint {shown(joint)}{nearest(joint, found)}")
        return np.concatenate([W[:3] - np.cross(world_point(point), W[3:]), W[3:]])


NO_ROWS = np.zeros(0)


@kernel
def _forward_dynamics(here, values, q, v, tau, v_dot):
    tables = open_tables(here)
    articulated.forward_dynamics(tables, values, q, v, tau, v_dot)
    status = lost_in_rounding(tables.links, tables.work, tables.dof_work)
    return status if status != 0 or all_finite(v_dot) else -1


@fast_vector
def _fast_forward_dynamics(here, values, q, v, w, out):
    """Accelerations for the joint forces w."""
    return _forward_dynamics(here, values, q, v, w, out[0])


quick_forward_dynamics = _fast_forward_dynamics.quick


def forward_dynamics(
    system: System, q: ArrayLike, v: ArrayLike | None = None, tau: ArrayLike | None = None, t: float = 0.0
) -> ForwardDynamics:
    """Acceleration of the tree under gravity, force elements and the joint forces tau (nv,), by articulated bodies."""
    q, v, tau = coordinates(system, q), velocities(system, v), velocities(system, tau, "tau")
    put_element_values(system, q, v, t)
    v_dot = call_bound(_fast_forward_dynamics, system, q, v, tau, quick=_is_plain(system))
    if type(v_dot) is ndarray:
        require_regular_charts(system, q)  # rounding may leave them some inertia
        return ForwardDynamics(system, q, v, t, v_dot, NO_ROWS)
    if v_dot > 0:
        require_finite(system, q=q, v=v, tau=tau)
        no_inertia(system, v_dot - 1, q)
    not_finite(system, "forward_dynamics", q=q, v=v, tau=tau)


def _is_plain(system: System) -> bool:
    """Whether it has neither constraints nor forces that are functions, nor coordinates that can be singular."""
    return not (system.n_constraints or len(system.cuts) or system.elements.functions or has_charts(system))


def no_inertia(system: System, dof: int, q: Array | None = None) -> NoReturn:
    """Complain about a coordinate that nothing resists; at q, where its joint's coordinates may be to blame."""
    if q is not None:
        require_regular_charts(system, q)
    raise SingularError(
        f"coordinate {system.coordinate_names[dof]!r}: nothing that this joint moves has inertia in this direction, "
        f"so its acceleration is undefined; give the bodies outward of it mass or inertia about the axis"
    )
