"""Blows, and links that break, as methods of `Mechanism`: each checks its arguments and stores a description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from cotree.errors import SwitchError, UnknownNameError
from cotree.model.checks import choice, number, shown, vector
from cotree.model.lookups import LookUps
from cotree.model.naming import unknown
from cotree.model.switches import Action, Breaking, Device, Dock, Impulse, JointImpulse, Lock, trigger_of
from cotree.typing import Condition, Switchable

if TYPE_CHECKING:
    from cotree.model.constraints import Constraint
    from cotree.model.parts import Body, Connection


class Breakable(LookUps):
    """Prescribed impulses, and loads at which links break."""

    joints: dict[str, Connection]
    constraints: dict[str, Constraint]
    devices: dict[str, Device]
    actions: list[Action]
    ground: Body

    def impulse(
        self,
        name: str,
        body: Body | str,
        impulse: ArrayLike = (0.0, 0.0, 0.0),
        point: ArrayLike | None = None,
        moment: ArrayLike = (0.0, 0.0, 0.0),
        frame: str = "world",
        at: float | None = None,
        when: Condition | None = None,
    ) -> Impulse:
        """Strike a body, as with a hammer or a thruster: impulse [N s] at a body-fixed point (default: the mass centre) and
        angular impulse `moment` [N m s], in world or body axes, at a time or at each event; with neither at the start.

        Velocities jump so that momentum changes by it, with the constraints that are in force [VTM (28)].
        """
        self._new_name(name, "impulse", self.constraints, self.devices)
        who = f"impulse {name!r}"
        struck = self._body(body, who)
        choice(frame, ("world", "body"), f"{who}: frame", SwitchError)
        if struck is self.ground:
            raise SwitchError(f"{who}: a blow on ground has no effect; name a body")
        p = struck.properties.com if point is None else vector(point, "point", who)
        force, turn = vector(impulse, "impulse", who), vector(moment, "moment", who)
        device = Impulse(name, struck.name, force, turn, np.asarray(p, dtype=np.float64), frame)
        self._strike(device, at, when, who)
        return device

    def joint_impulse(
        self,
        name: str,
        joint: Connection | str,
        impulse: float,
        coordinate: str | None = None,
        at: float | None = None,
        when: Condition | None = None,
    ) -> JointImpulse:
        """A blow along a joint coordinate [N m s or N s], on the child and against the parent; at and when as for `impulse`."""
        self._new_name(name, "joint impulse", self.constraints, self.devices)
        who = f"joint impulse {name!r}"
        connection = self._connection(joint, who)
        self._check_coordinate(connection, coordinate, who, SwitchError)
        device = JointImpulse(name, connection.name, coordinate, number(impulse, "impulse", who))
        self._strike(device, at, when, who)
        return device

    def breaks(
        self, target: Switchable, force: float | None = None, moment: float | None = None, name: str | None = None
    ) -> Breaking:
        """Let a joint, constraint, lock or dock give way for good where the load that it carries reaches a bound.

        Of a joint or dock: the size of its force [N], and of its moment about the joint's point [N m], of which either may be
        given. Of a constraint, or a lock of a coordinate: `force` is the size of its multipliers, the tension of a distance
        [N], the torque [N m] or force of a gear or drive along its first coordinate. Impulses do not count as loads: a blow
        breaks nothing. Velocities do not change where it breaks.
        """
        given = getattr(target, "name", target)
        who = f"breaks {shown(given)}"
        known = [*self.joints, *self.constraints, *(n for n, d in self.devices.items() if isinstance(d, (Lock, Dock)))]
        if not isinstance(given, str) or given not in known:
            raise UnknownNameError(
                f"breaks: {unknown(given, 'joint, constraint, lock or dock', known, 'the names are')}"
            )
        if known.count(given) > 1:
            raise SwitchError(f"{who}: the name belongs to more than one joint, constraint or device; rename one")
        bounds = [
            float("inf") if x is None else number(x, what, who) for x, what in ((force, "force"), (moment, "moment"))
        ]
        if min(bounds) <= 0.0 or min(bounds) == float("inf"):
            raise SwitchError(f"{who}: force is {force} and moment {moment}; give one or both as positive numbers")
        if given in self.constraints and moment is not None:
            raise SwitchError(f"{who}: a constraint has one load, the size of its multipliers; give force= alone")
        label = name if name is not None else f"break {given}"
        self._new_name(label, "break", self.constraints, self.devices)
        device = Breaking(label, given, bounds[0], bounds[1])
        self.devices[label] = device
        return device

    def _break_at(self, target: str, load: Any) -> None:
        """What `breaks_at=` says: a force, or a pair of force and moment of which one may be None."""
        if load is None:
            return
        pair = load if isinstance(load, tuple | list) else (load, None)
        if len(pair) != 2:
            raise SwitchError(f"breaks_at of {target!r} is {shown(load)}; give a force, or a pair of force and moment")
        self.breaks(target, *pair)

    def _strike(self, device: Impulse | JointImpulse, at: Any, when: Any, who: str) -> None:
        trigger = trigger_of(at, when, who)
        self.devices[device.name] = device
        self.actions.append(Action(device.name, True, trigger))
