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
        """Strike a body, as with a hammer or a thruster.

        Velocities jump so that momentum changes by the impulse, with the constraints that are in
        force [VTM (28)].

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        body : Body or str
            The body.
        impulse : array_like of shape (3,), optional
            Impulse [N s].
        point : array_like of shape (3,), optional
            Point of the body; the mass centre by default.
        moment : array_like of shape (3,), optional
            Angular impulse [N m s].
        frame : str, optional
            "world" or "body": the axes of the numbers.
        at : float, optional
            Time [s].
        when : callable, Event or str, optional
            Function of t, q, v whose sign changes, a condition that changes, or an event.

        Returns
        -------
        Impulse
            The description. Without `at` and `when` it acts at the start.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.impulse("hammer", "coupler", (1, 0, 0), at=0.2).name
        'hammer'
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
        """Strike along a joint coordinate, on the child and against the parent.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        joint : Connection or str
            The joint.
        impulse : float
            Impulse [N m s or N s].
        coordinate : str, optional
            The coordinate's suffix, such as "x"; needed where the joint has several.
        at : float, optional
            Time [s].
        when : callable, Event or str, optional
            Function of t, q, v whose sign changes, a condition that changes, or an event.

        Returns
        -------
        JointImpulse
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.joint_impulse("kick", "A", 0.5, at=0.2).name
        'kick'
        """
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
        """Let a joint, constraint, lock or dock break for good where its load reaches a bound.

        Impulses do not count as loads. Velocities do not change where it breaks.

        Parameters
        ----------
        target : str, Connection, Constraint, Lock or Dock
            What may break.
        force : float, optional
            Bound of the force [N], or of the multipliers of a constraint: tension, torque or
            force along its first coordinate.
        moment : float, optional
            Bound of the moment about the joint's point [N m].
        name : str, optional
            Name for messages.

        Returns
        -------
        Breaking
            The description.

        Raises
        ------
        SwitchError
            Without a bound.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.breaks("C", force=200.0).force
        200.0
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
