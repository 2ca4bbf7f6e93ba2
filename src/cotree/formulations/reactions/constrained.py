"""Forward dynamics with constraints: what joints transmit, what the other constraints do, and where that is not unique."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.api import constraint_jacobian
from cotree.dynamics.forward import ForwardDynamics
from cotree.dynamics.reactions import about_world, body_needs, transmitted
from cotree.errors import SingularWarning
from cotree.formulations.careful import Answer
from cotree.formulations.reactions.self_stress import SelfStress, self_stress
from cotree.formulations.reactions.wrenches import add_locks, constraint_wrenches, force_wrenches
from cotree.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ConstraintForce:
    """Forces of one constraint other than a joint.

    multipliers (rows,). wrenches: (moment, force) on the bodies that it touches, by name, in world axes about the world's
    origin (distance, knife edge, rolling). along: force [N m or N] along joint coordinates, by name (driver, coupling, user
    rows: -J^T lam). unique: whether redundant rows leave it determined.
    """

    multipliers: Array
    wrenches: dict[str, Array]
    along: dict[str, float]
    unique: bool


class Constrained(ForwardDynamics):
    """Forward dynamics with constraints; `rank` of the constraint rows that hold.

    Where rows depend on each other the acceleration is unique but some multipliers and reactions are one choice among many:
    `unique` is False and `undetermined` names the joints; any multiple of the states in `self_stress` may be added.
    singular: whether rows have lost rank just here (None: not looked at, above 600 coordinates); doubt: in words, why v_dot
    is not the right one there, empty where it is.
    """

    __slots__ = ("_stress", "doubt", "rank", "singular", "unbounded")

    def __init__(self, system: System, q: Array, v: Array, t: float, answer: Answer) -> None:
        super().__init__(system, q, v, t, answer.v_dot, answer.multipliers)
        self.rank, self.singular, self.doubt = answer.rank, answer.singular, answer.doubt
        self.unbounded = answer.unbounded
        self._stress: SelfStress | None = None

    @property
    def reactions(self) -> dict[str, Array]:
        """(moment, force) [N m, N] that each joint transmits to its child, in world axes about the world's origin.

        All that acts within the joint is part of it: motors, springs, tau, drivers, couplings and locks, also at cut joints.
        User rows and tau act along the coordinates of the tree, that is within its joints.
        """
        self.warn_of_infinite_forces()
        needs, origin = body_needs(self.system, self.q, self.v, self.v_dot, self.t)
        cuts, touching, on_bodies = constraint_wrenches(self.system, self.q, self.multipliers)
        forces, from_forces = force_wrenches(self.system, self.q, self.v, self.t)
        found = transmitted(self.system, needs - on_bodies - from_forces)
        found.update(zip(self.system.cut_joints, cuts + forces, strict=True))
        add_locks(self.system, touching, found)
        return about_world({name: found.get(name, np.zeros(6)) for name in self.system.joint_names}, origin)

    @property
    def constraint_forces(self) -> dict[str, ConstraintForce]:
        """What each constraint beside the joints does, by name."""
        self.warn_of_infinite_forces()
        system, lam = self.system, self.multipliers
        first, owners = len(lam) - len(system.extra_rows.owners), np.array(system.extra_rows.owners)
        _, touching, _ = constraint_wrenches(system, self.q, lam)
        origin = self._origin() if touching else np.zeros(3)
        J = constraint_jacobian(system, self.q, self.t)
        out = {}
        for name, c in system.constraints.items():
            rows = first + np.flatnonzero(owners == name)
            wrenches, along = about_world(touching.get(name, {}), origin), dict[str, float]()
            if c.terms:
                along = {term.name: -term.ratio * float(lam[rows[0]]) for term in c.terms}
            elif c.in_python:
                force = -J[rows].T @ lam[rows]
                along = {system.coordinate_names[j]: float(force[j]) for j in np.flatnonzero(np.any(J[rows], axis=0))}
            out[name] = ConstraintForce(lam[rows], wrenches, along, name not in self._states.constraints)
        return out

    @property
    def unique(self) -> bool:
        """Whether all reactions and constraint forces are determined: no row is redundant."""
        return not self._states.undetermined and not self._states.constraints

    @property
    def undetermined(self) -> tuple[str, ...]:
        """Names of the joints whose reactions are not unique: rigid bodies alone do not determine how the load is shared."""
        return self._states.undetermined

    @property
    def self_stress(self) -> dict[str, Array]:
        """(states, 6) by joint: reactions in balance with themselves, about the world's origin; a basis of all there are.

        At a planar four-bar in space three states out of the plane, at a closed ring of welds six.
        """
        return about_world(self._states.joints, self._origin())

    @property
    def _states(self) -> SelfStress:
        if self._stress is None:
            self._stress = self_stress(self.system, self.q, self.t)
        return self._stress

    def warn_of_infinite_forces(self) -> None:
        """Say that the forces given leave out those that are infinite here."""
        if self.unbounded:
            text = (
                f"system {self.system.name!r}: near this singular configuration the constraint forces grow without "
                f"bound, and the values given here omit the unbounded part; evaluate states before and after it"
            )
            warnings.warn(SingularWarning(text), stacklevel=3)

    def _origin(self) -> Array:
        return body_needs(self.system, self.q, self.v, self.v_dot, self.t)[1]
