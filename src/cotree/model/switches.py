"""Descriptions of what changes the topology or velocities of a mechanism at an instant, and when it acts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import EventError, SwitchError
from cotree.model.checks import number, shown
from cotree.model.contacts import Contact
from cotree.model.forces import UserFunction, user_function
from cotree.model.joints import Joint


@dataclass(frozen=True)
class Lock:
    """Holds a joint, or one of its coordinates, at its current position."""

    name: str
    joint: str
    coordinate: str | None = None
    word: str = "lock"


@dataclass(frozen=True)
class Brake:
    """Dry friction on a joint coordinate: `torque` [N m or N] while sliding, up to static_ratio * torque while sticking.

    viscous times the rate is added to it; with a speed `stribeck`, sliding friction begins with that of sticking and goes down
    with exp(-(rate / stribeck)^2). With a coefficient, `load` is added to the torque: coefficient times what the joint
    transmits, by the arms radius, thrust_radius and span [m], see `arms`.
    """

    name: str
    joint: str
    coordinate: str | None
    torque: float
    static_ratio: float = 1.0
    viscous: float = 0.0
    stribeck: float = 0.0
    coefficient: float = 0.0
    radius: float = 0.0
    thrust_radius: float = 0.0
    span: float = 0.0
    word: str = "brake"

    @property
    def holding(self) -> float:
        """Largest holding torque or force; with a coefficient the part that does not depend on the load."""
        return self.static_ratio * self.torque

    def arms(self, turns: bool) -> tuple[float, float, float]:
        """Friction per unit of: the forces across the axis, the force along it, the moment about it.

        A joint that turns transmits no moment about its axis, one that slides no force along it.
        """
        if turns:
            return self.coefficient * self.radius, self.coefficient * self.thrust_radius, 0.0
        return self.coefficient, 0.0, self.coefficient / self.radius if self.radius > 0.0 else 0.0

    def check(self, who: str) -> None:
        """Refuse friction that would supply energy, or that holds less than it rubs."""
        if self.torque < 0.0 or (self.torque == 0.0 and not self.coefficient):
            raise SwitchError(f"{who}: torque is {self.torque}; it must be positive; it always opposes the motion")
        if self.static_ratio < 1.0:
            raise SwitchError(
                f"{who}: static_ratio is {self.static_ratio}; static friction is at least as large as sliding friction; "
                f"give 1 or more"
            )
        if self.viscous < 0.0 or self.stribeck < 0.0:
            raise SwitchError(
                f"{who}: viscous is {self.viscous:g} and stribeck {self.stribeck:g}; neither may be negative"
            )
        if min(self.coefficient, self.radius, self.thrust_radius, self.span) < 0.0:
            raise SwitchError(
                f"{who}: coefficient {self.coefficient:g}, radius {self.radius:g}, thrust_radius {self.thrust_radius:g}, "
                f"span {self.span:g}: none of them may be negative"
            )


@dataclass(frozen=True)
class Limit:
    """Stops of a joint coordinate, hit with a coefficient of restitution."""

    name: str
    joint: str
    coordinate: str | None
    lower: float
    upper: float
    restitution: float = 0.0
    word: str = "limit"

    def check(self, who: str) -> None:
        """Refuse stops in the wrong order and blows that would supply energy."""
        if not self.lower < self.upper:
            raise SwitchError(f"{who}: lower is {self.lower:g} and upper {self.upper:g}; lower must be less than upper")
        if not 0.0 <= self.restitution <= 1.0:
            raise SwitchError(
                f"{who}: restitution is {self.restitution}; give a number from 0 (no rebound) to 1 (elastic)"
            )


@dataclass(frozen=True, eq=False)
class Dock:
    """A joint that closes when its frames on the two bodies meet: at their closest approach, within a tolerance."""

    name: str
    body_a: str
    body_b: str
    joint: Joint
    within: float
    word: str = "dock"


@dataclass(frozen=True, eq=False)
class Impulse:
    """A blow on a body: force [N s] at a body-fixed point and moment [N m s], in world or body axes."""

    name: str
    body: str
    force: NDArray[np.float64]
    moment: NDArray[np.float64]
    point: NDArray[np.float64]
    frame: str = "world"
    word: str = "impulse"


@dataclass(frozen=True)
class JointImpulse:
    """A blow along a joint coordinate [N m s or N s], on the child and against the parent."""

    name: str
    joint: str
    coordinate: str | None
    impulse: float
    word: str = "joint impulse"


@dataclass(frozen=True)
class Breaking:
    """A joint, constraint, lock or dock that gives way for good where it carries `force` [N] or `moment` [N m]."""

    name: str
    target: str
    force: float
    moment: float
    word: str = "break"


Device = Lock | Brake | Limit | Dock | Impulse | JointImpulse | Breaking | Contact
Blows = (Impulse, JointImpulse)


@dataclass(frozen=True)
class Trigger:
    """A time, or a sign change of a function of t, q, v; neither: from the start. `direction` as for an event."""

    at: float | None = None
    when: UserFunction | None = None
    direction: int = 0

    @property
    def at_start(self) -> bool:
        return self.at is None and self.when is None


@dataclass(frozen=True)
class Action:
    """A device, constraint or joint that is switched on or off."""

    target: str
    on: bool
    trigger: Trigger


def trigger_of(at: Any, when: Any, who: str) -> Trigger:
    """A trigger from a time or an event; `when` is a function of t, q, v or an object that holds one, such as ct.Event."""
    if at is not None and when is not None:
        raise SwitchError(f"{who}: give a time (at=) or an event (when=), not both")
    if at is not None:
        return Trigger(at=number(at, "at", who))
    if when is None:
        return Trigger()
    function, direction = getattr(when, "function", when), getattr(when, "direction", 0)
    if not callable(function) or direction not in (-1, 0, 1):
        raise EventError(f"{who}: when must be a function of t, q, v or a ct.Event, got {shown(when)}")
    return Trigger(when=user_function(function, 1, ("t", "q", "v"), f"{who}, when", EventError), direction=direction)


def bound(value: Any, otherwise: float, what: str, who: str) -> float:
    """A bound of a limit: a number, possibly infinite; None for no bound."""
    if value is None:
        return otherwise
    infinite = isinstance(value, (float, np.floating)) and np.isinf(value)
    return float(value) if infinite else number(value, what, who)
