"""Locks, brakes, limits and docks as methods of `Mechanism`: each checks what it is given and stores a description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cotree.errors import DuplicateNameError, SwitchError, UnknownNameError
from cotree.model.checks import number, shown
from cotree.model.joints import Joint
from cotree.model.lookups import LookUps
from cotree.model.naming import nearest
from cotree.model.switches import Action, Brake, Device, Dock, Limit, Lock, Trigger, bound, trigger_of

if TYPE_CHECKING:
    from cotree.model.constraints import Constraint
    from cotree.model.mechanism import Body, Connection


def _name_of(target: Any) -> Any:
    """Name of what was given itself or by name; not that of anything else that has one."""
    named = isinstance(target, (Lock, Brake, Limit, Dock)) or not isinstance(target, str)
    name = getattr(target, "name", None) if named else target
    return name if isinstance(name, str) else target


class Switching(LookUps):
    """What a mechanism offers to change its topology while it moves."""

    joints: dict[str, Connection]
    constraints: dict[str, Constraint]
    loads: dict[str, Any]
    joint_forces: dict[str, Any]
    devices: dict[str, Device]
    actions: list[Action]

    def lock(
        self,
        joint: Connection | str,
        at: Any = None,
        when: Any = None,
        until: Any = None,
        coordinate: str | None = None,
        name: str | None = None,
    ) -> Lock:
        """Hold a joint, or one of its coordinates, where it is: from a time `at` [s], or from an event `when`, on.

        Rates jump so that momentum is kept [VTM]. when: a function of t, q, v whose sign changes, a condition (True or
        False) that changes, or a ct.Event; neither: from the start.
        until: the time at which it lets go; `unlock` does so at an event. May be called several times for one joint.
        """
        connection = self._connection(joint, "lock")
        who = f"lock of joint {connection.name!r}"
        if coordinate is not None:
            self._check_coordinate(connection, coordinate, who, SwitchError)
        elif connection.joint.dof == 0:
            raise SwitchError(f"{who}: it is a weld and locked for ever; name a joint that moves")
        what = connection.name if coordinate is None else f"{connection.name}.{coordinate}"
        device = Lock(self._called(name, "lock", what), connection.name, coordinate)
        return self._scheduled(device, at, when, until, who)

    def brake(
        self,
        joint: Connection | str,
        torque: Any,
        at: Any = None,
        when: Any = None,
        until: Any = None,
        static_ratio: Any = 1.0,
        coordinate: str | None = None,
        name: str | None = None,
    ) -> Brake:
        """Dry friction in a joint: `torque` [N m or N] against its motion; it sticks where its rate comes to zero and up to
        static_ratio times the torque holds it, and lets go when more is asked of it. at, when, until as for `lock`."""
        connection = self._connection(joint, "brake")
        who = f"brake of joint {connection.name!r}"
        self._check_coordinate(connection, coordinate, who, SwitchError)
        size, ratio = number(torque, "torque", who), number(static_ratio, "static_ratio", who)
        if size <= 0.0:
            raise SwitchError(f"{who}: torque is {size}; it must be positive, it acts against whatever motion there is")
        if ratio < 1.0:
            raise SwitchError(
                f"{who}: static_ratio is {ratio}; a brake holds at least as much as it rubs, give 1 or more"
            )
        what = connection.name if coordinate is None else f"{connection.name}.{coordinate}"
        device = Brake(self._called(name, "brake", what), connection.name, coordinate, size, ratio)
        return self._scheduled(device, at, when, until, who)

    def limit(
        self,
        joint: Connection | str,
        lower: Any = None,
        upper: Any = None,
        restitution: Any = 0.0,
        coordinate: str | None = None,
        name: str | None = None,
    ) -> Limit:
        """Stops at a lower and an upper value of a joint coordinate [rad or m]; they are hit with a coefficient of
        restitution, from 0 (it stays there until pulled away) to 1 (it comes back as fast as it came)."""
        connection = self._connection(joint, "limit")
        who = f"limit of joint {connection.name!r}"
        self._check_coordinate(connection, coordinate, who, SwitchError)
        low, high = bound(lower, -float("inf"), "lower", who), bound(upper, float("inf"), "upper", who)
        if not low < high:
            raise SwitchError(f"{who}: lower is {low:g} and upper {high:g}; the lower one must be less")
        if low == -float("inf") and high == float("inf"):
            raise SwitchError(f"{who} stops nothing; give lower=, upper= or both")
        e = number(restitution, "restitution", who)
        if not 0.0 <= e <= 1.0:
            raise SwitchError(f"{who}: restitution is {e}; give a number from 0 (no rebound) to 1 (elastic)")
        what = connection.name if coordinate is None else f"{connection.name}.{coordinate}"
        device = Limit(self._called(name, "limit", what), connection.name, coordinate, low, high, e)
        return self._scheduled(device, None, None, None, who)

    def dock(
        self,
        name: str,
        parent: Body | str,
        child: Body | str,
        joint: Joint,
        within: Any = 1e-3,
        at: Any = None,
        when: Any = None,
        until: Any = None,
    ) -> Dock:
        """A joint between two bodies that is open until its frames meet: it closes at their closest approach, if that is
        within a tolerance [m and rad], as the bodies are then; or at a time or an event, wherever they are, with the joint at
        its frame on the parent. After a release it closes by itself only once its frames have left the tolerance.

        The joint is as assembled, or told by frame_parent and frame_child in the frames of the two bodies.
        """
        self._new_name(name, "dock")
        who = f"dock {name!r}"
        a, b = self._body(parent, who).name, self._body(child, who).name
        if a == b:
            raise SwitchError(f"{who} has both sides on body {a!r}; name two different bodies")
        if not isinstance(joint, Joint):
            raise SwitchError(f"{who}: {shown(joint)} is not a joint; give one of the catalogue, such as ct.Weld()")
        reach = number(within, "within", who)
        if reach <= 0.0:
            raise SwitchError(f"{who}: within is {reach}; give a positive distance, frames never meet exactly")
        device = Dock(name, a, b, joint, reach)
        actions = self._scheduled_actions(name, trigger_of(at, when, who), until, who, initial=False)
        self._add_device(device, who)
        self.actions += actions
        return device

    def unlock(self, target: Any, at: Any = None, when: Any = None) -> None:
        """Let go at a time or an event: a lock, brake, limit or dock by its name, or all locks and brakes of a joint."""
        name = _name_of(target)
        who = f"unlock {shown(name)}"
        if isinstance(name, str) and name in self.devices:
            names = [name]
        else:
            held = [d for d in self.devices.values() if isinstance(d, (Lock, Brake)) and isinstance(name, str)]
            names = [d.name for d in held if d.joint == name]
        if not names:
            known = [*self.devices, *(d.joint for d in self.devices.values() if not isinstance(d, Dock))]
            raise UnknownNameError(f"{who}: nothing of that name locks or brakes{nearest(name, known)}")
        trigger = trigger_of(at, when, who)
        if trigger.at_start:
            raise SwitchError(f"{who}: say when, with at= a time or when= an event")
        self.actions += [Action(n, False, trigger) for n in names]

    def activate(self, constraint: Any, at: Any = None, when: Any = None) -> None:
        """Let a constraint of the mechanism hold, or a motor, force or torque act, from a time or an event on, not before.

        Nothing is moved: a gear or coupling holds as it is then, like a clutch; a drive, distance or contact must hold there.
        """
        self._switch_constraint(constraint, True, at, when)

    def deactivate(self, target: Any, at: Any = None, when: Any = None) -> None:
        """Drop a constraint or a joint, or shut off a motor, force or torque, at a time or an event; velocities go on."""
        self._switch_constraint(target, False, at, when)

    def _switch_constraint(self, target: Any, on: bool, at: Any, when: Any) -> None:
        name = _name_of(target)
        who = f"{'activate' if on else 'deactivate'} {shown(name)}"
        known = [*self.constraints, *self.motors_and_loads, *([] if on else self.joints)]
        if isinstance(name, str) and known.count(name) > 1:
            raise SwitchError(
                f"{who}: a joint, a constraint or a force of the same name leave open which is meant; rename one"
            )
        if not isinstance(name, str) or name not in known:
            what = "constraint, motor or load" if on else "constraint, motor, load or joint"
            raise UnknownNameError(f"{who}: no {what} of that name{nearest(name, known)}")
        trigger = trigger_of(at, when, who)
        if trigger.at_start:
            raise SwitchError(f"{who}: say when, with at= a time or when= an event")
        self.actions.append(Action(name, on, trigger))

    def _scheduled(self, device: Any, at: Any, when: Any, until: Any, who: str) -> Any:
        """The device, stored, with its actions; a lock or brake that is there already, and no other, gets more of them."""
        actions = self._scheduled_actions(device.name, trigger_of(at, when, who), until, who)
        if self.devices.get(device.name) != device:
            self._add_device(device, who)
        self.actions += actions
        return device

    def _called(self, name: Any, word: str, what: str) -> str:
        """The name that is given, or one made of what it acts on."""
        if name is None:
            return f"{word} {what}"
        self._new_name(name, word)
        return str(name)

    @staticmethod
    def _scheduled_actions(name: str, trigger: Trigger, until: Any, who: str, initial: bool = True) -> list[Action]:
        actions = [Action(name, True, trigger)] if initial or not trigger.at_start else []
        if until is not None:
            end = number(until, "until", who)
            if trigger.at is not None and not end > trigger.at:
                raise SwitchError(f"{who}: it acts from {trigger.at:g} s until {end:g} s; the second must be later")
            actions.append(Action(name, False, Trigger(at=end)))
        return actions

    def _add_device(self, device: Device, who: str) -> None:
        self._new_name(device.name, device.word, self.constraints)
        if device.name in self.devices:
            raise DuplicateNameError(f"{who}: {device.name!r} exists already with other numbers; give it another name=")
        self.devices[device.name] = device

    @property
    def off_at_start(self) -> frozenset[str]:
        """Constraints, motors and loads that wait to be activated: those whose first action is to be switched on."""
        first = {a.target: a.on for a in reversed(self.actions)}
        return frozenset(n for n, on in first.items() if on and (n in self.constraints or n in self.motors_and_loads))

    @property
    def motors_and_loads(self) -> tuple[str, ...]:
        """Names of what can be shut off: loads, and joint forces with a torque, in the order of their numbers."""
        return (*self.loads, *(f.name for f in self.joint_forces.values() if f.torque is not None))

    @property
    def joints_to_drop(self) -> tuple[str, ...]:
        """Joints that are to be deactivated, which must not be in the tree."""
        return tuple(dict.fromkeys(a.target for a in self.actions if a.target in self.joints and not a.on))
