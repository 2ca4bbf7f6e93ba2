"""Locks, brakes, limits and docks as methods of `Mechanism`: each checks its arguments and stores a description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cotree.errors import DuplicateNameError, SwitchError, UnknownNameError
from cotree.model.breaking_methods import Breakable
from cotree.model.checks import number, shown
from cotree.model.joints import Joint, Prismatic, Revolute
from cotree.model.naming import nearest
from cotree.model.switches import Action, Brake, Breaking, Device, Dock, Limit, Lock, Trigger, bound, trigger_of
from cotree.typing import BreakingLoad, Condition, Switchable

if TYPE_CHECKING:
    from cotree.model.constraints import Constraint, Coupling
    from cotree.model.parts import Body, Connection


def _name_of(target: Any) -> Any:
    """Name of an element given itself or by name; other objects that happen to have a name are not accepted."""
    named = isinstance(target, Device) or not isinstance(target, str)
    name = getattr(target, "name", None) if named else target
    return name if isinstance(name, str) else target


def _checked_load(joint: Joint, load: tuple[Any, ...], who: str) -> tuple[float, float, float, float]:
    """coefficient, radius, thrust_radius and span of friction that grows with the load of a joint."""
    if not isinstance(joint, (Revolute, Prismatic)):
        raise SwitchError(
            f"{who}: friction that grows with the load is for revolute and prismatic joints, and this is a "
            f"{type(joint).__name__}; give a constant coulomb instead of coefficient="
        )
    words = ("coefficient", "radius", "thrust_radius", "span")
    mu, radius, thrust, span = (number(x, what, who) for x, what in zip(load, words, strict=True))
    sizes = (mu, radius, thrust, span)
    if min(sizes) < 0.0 or sizes[0] == 0.0:
        given = ", ".join(f"{what} {x:g}" for what, x in zip(words, sizes, strict=True))
        raise SwitchError(f"{who}: {given}: the coefficient must be positive and none of the lengths negative")
    if isinstance(joint, Revolute) and sizes[1] == sizes[2] == 0.0:
        raise SwitchError(
            f"{who}: the coefficient of a revolute joint needs a lever; give the radius= of its bearing [m]"
        )
    if isinstance(joint, Prismatic) and sizes[2] > 0.0:
        raise SwitchError(f"{who}: a prismatic joint transmits no force along its axis; leave thrust_radius= out")
    return sizes


def _one_ratio(
    ratio: float, static: float | None, static_coefficient: float | None, sliding: float, mu: float, who: str
) -> float:
    """Static by sliding friction, the same for the constant part and for that of the load."""
    if sliding == 0.0 and static:
        raise SwitchError(f"{who}: static is {static:g} without coulomb; give static_coefficient=, or coulomb= too")
    own = 1.0 if static_coefficient is None else number(static_coefficient, "static_coefficient", who) / mu
    if own < 1.0:
        raise SwitchError(
            f"{who}: static_coefficient is {static_coefficient:g}, less than the coefficient {mu:g}; give more"
        )
    if sliding > 0.0 and abs(own - ratio) > 1e-9 * own:
        raise SwitchError(
            f"{who}: static friction is {ratio:g} times coulomb and {own:g} times the coefficient, and only one ratio is "
            f"possible; give static= and static_coefficient= with one ratio, or use two elements with names of their own"
        )
    return own


class Switching(Breakable):
    """Changes of topology during motion."""

    joints: dict[str, Connection]
    constraints: dict[str, Constraint]
    loads: dict[str, Any]
    joint_forces: dict[str, Any]
    elements: dict[str, Any]
    devices: dict[str, Device]
    actions: list[Action]

    if TYPE_CHECKING:

        def gear(self, name: str, joint_a: Connection | str, joint_b: Connection | str, ratio: float) -> Coupling: ...

    def lock(
        self,
        joint: Connection | str,
        at: float | None = None,
        when: Condition | None = None,
        until: float | None = None,
        coordinate: str | None = None,
        name: str | None = None,
        breaks_at: BreakingLoad | None = None,
    ) -> Lock:
        """Lock a joint, or one of its coordinates, in its current position.

        Velocities jump so that momentum is conserved [VTM]. A joint may be locked several times.

        Parameters
        ----------
        joint : Connection or str
            The joint.
        at : float, optional
            Time [s].
        when : callable, Event or str, optional
            Function of t, q, v whose sign changes, a condition that changes, or an event.
        until : float, optional
            Time of release [s].
        coordinate : str, optional
            The coordinate's suffix, such as "x"; needed where the joint has several.
        name : str, optional
            Name for messages and `unlock`.
        breaks_at : float or tuple, optional
            Load at which it breaks, as for `breaks`.

        Returns
        -------
        Lock
            The description. Without `at` and `when` the joint is locked from the start.

        See Also
        --------
        unlock : Release it at an event.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> lock = mech.lock("A", at=0.5)
        >>> run = ct.simulate(mech, 1.0)
        >>> abs(float(run.joint("A").rate[-1])) < 1e-12
        True
        """
        connection = self._connection(joint, "lock")
        who = f"lock of joint {connection.name!r}"
        if coordinate is not None:
            self._check_coordinate(connection, coordinate, who, SwitchError)
        elif connection.joint.dof == 0:
            raise SwitchError(f"{who}: the joint is a weld, so there is nothing to lock; name a joint that moves")
        what = connection.name if coordinate is None else f"{connection.name}.{coordinate}"
        device = Lock(self._called(name, "lock", what), connection.name, coordinate)
        self._scheduled(device, at, when, until, who)
        self._break_at(device.name, breaks_at)
        return device

    def brake(
        self,
        joint: Connection | str,
        torque: float,
        at: float | None = None,
        when: Condition | None = None,
        until: float | None = None,
        static_ratio: float = 1.0,
        coordinate: str | None = None,
        name: str | None = None,
        viscous: float = 0.0,
        stribeck: float = 0.0,
        coefficient: float = 0.0,
        radius: float = 0.0,
        thrust_radius: float = 0.0,
        span: float = 0.0,
    ) -> Brake:
        """Add dry friction to a joint, at all times or while a brake is applied.

        The joint sticks when its rate reaches zero and slides again when more than static_ratio *
        torque is needed to hold it.

        Parameters
        ----------
        joint : Connection or str
            The joint.
        torque : float
            Torque [N m] or force [N] against the motion.
        at : float, optional
            Time [s].
        when : callable, Event or str, optional
            Function of t, q, v whose sign changes, a condition that changes, or an event.
        until : float, optional
            Time of release [s].
        static_ratio : float, optional
            Static over sliding torque.
        coordinate : str, optional
            The coordinate's suffix, such as "x"; needed where the joint has several.
        name : str, optional
            Name for readings and `unlock`.
        viscous : float, optional
            As for `friction`.
        stribeck : float, optional
            As for `friction`.
        coefficient : float, optional
            As for `friction`.
        radius : float, optional
            As for `friction`.
        thrust_radius : float, optional
            As for `friction`.
        span : float, optional
            As for `friction`.

        Returns
        -------
        Brake
            The description.

        Raises
        ------
        SwitchError
            For a negative torque.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.brake("A", 5.0, at=0.5).torque
        5.0
        """
        connection = self._connection(joint, "brake")
        who = f"brake of joint {connection.name!r}"
        size = number(torque, "torque", who)
        load = (number(coefficient, "coefficient", who), radius, thrust_radius, span)
        return self._brake(
            connection, size, (at, when, until), static_ratio, coordinate, name, viscous, stribeck, who, load
        )

    def _brake(
        self, connection: Connection, size: float, times: tuple[Any, Any, Any], static_ratio: float, coordinate: str | None,
        name: str | None, viscous: float, stribeck: float, who: str, load: tuple[float, float, float, float],
    ) -> Brake:  # fmt: skip
        """Check the rest and store it; load: coefficient, radius, thrust_radius, span."""
        self._check_coordinate(connection, coordinate, who, SwitchError)
        ratio, rate = number(static_ratio, "static_ratio", who), number(viscous, "viscous", who)
        speed, checked = number(stribeck, "stribeck", who), load
        if any(load):
            checked = _checked_load(connection.joint, load, who)
        what = connection.name if coordinate is None else f"{connection.name}.{coordinate}"
        device = Brake(
            self._called(name, "brake", what), connection.name, coordinate, size, ratio, rate, speed, *checked
        )
        device.check(who)
        return self._scheduled(device, *times, who)

    def friction(
        self,
        joint: Connection | str,
        coulomb: float = 0.0,
        static: float | None = None,
        viscous: float = 0.0,
        stribeck: float = 0.0,
        coordinate: str | None = None,
        name: str | None = None,
        coefficient: float = 0.0,
        static_coefficient: float | None = None,
        radius: float = 0.0,
        thrust_radius: float = 0.0,
        span: float = 0.0,
    ) -> Brake:
        """Add friction to a joint, with sticking.

        The torque is coulomb + (static - coulomb) exp(-(rate / stribeck)^2) + viscous |rate|. The
        joint sticks, when its rate reaches zero, until more than `static` is needed to hold it.
        With a coefficient friction grows with the load that the joint carries.

        Parameters
        ----------
        joint : Connection or str
            The joint.
        coulomb : float, optional
            Sliding friction that does not depend on the load [N m or N].
        static : float, optional
            Friction that holds; `coulomb` by default.
        viscous : float, optional
            Viscous part [N m s/rad or N s/m].
        stribeck : float, optional
            Rate at which static friction fades [rad/s or m/s]; 0: as soon as the joint slides.
        coordinate : str, optional
            The coordinate's suffix, such as "x"; needed where the joint has several.
        name : str, optional
            Name for readings and `unlock`.
        coefficient : float, optional
            Coefficient of friction under load.
        static_coefficient : float, optional
            Coefficient that holds; `coefficient` by default.
        radius : float, optional
            Of a revolute joint: radius of the bearing, for the force across the axis. Of a
            prismatic joint: radius of the guide, for the moment about the axis [m].
        thrust_radius : float, optional
            Radius of the thrust bearing, for the force along the axis [m].
        span : float, optional
            Distance of two bearings or pads, the joint's point midway, so that moments across
            the axis rub too [m].

        Returns
        -------
        Brake
            The description.

        Raises
        ------
        SwitchError
            For coefficients that would supply energy.

        Examples
        --------
        >>> mech = ct.Mechanism("bearing")
        >>> rod = mech.body("rod", mass=1, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1))
        >>> _ = mech.joint("A", mech.ground, rod, ct.Revolute(point=(0, 0, 0), axis=(0, 1, 0)))
        >>> _ = mech.friction("A", coefficient=0.2, radius=0.01)
        """
        connection = self._connection(joint, "friction")
        who = f"friction of joint {connection.name!r}"
        sliding, mu = number(coulomb, "coulomb", who), number(coefficient, "coefficient", who)
        most = sliding if static is None else number(static, "static", who)
        if sliding < 0.0 or mu < 0.0 or most < sliding or sliding + mu == 0.0:
            raise SwitchError(
                f"{who}: coulomb is {sliding:g} and static {most:g}; give a positive coulomb and a static that is not less; "
                f"without dry friction use joint_damper"
            )
        what = connection.name if coordinate is None else f"{connection.name}.{coordinate}"
        called = f"friction {what}" if name is None else name
        if mu == 0.0 and (static_coefficient is not None or radius or thrust_radius or span):
            raise SwitchError(
                f"{who}: static_coefficient, radius, thrust_radius and span need coefficient=; give it too"
            )
        ratio = most / sliding if sliding > 0.0 else 1.0
        if mu > 0.0:
            ratio = _one_ratio(ratio, static, static_coefficient, sliding, mu, who)
        return self._brake(connection, sliding, (None, None, None), ratio, coordinate, called, viscous, stribeck, who,
                           (mu, radius, thrust_radius, span))  # fmt: skip

    def limit(
        self,
        joint: Connection | str,
        lower: float | None = None,
        upper: float | None = None,
        restitution: float = 0.0,
        coordinate: str | None = None,
        name: str | None = None,
    ) -> Limit:
        """Add stops to a joint coordinate.

        Parameters
        ----------
        joint : Connection or str
            The joint.
        lower : float, optional
            Lower stop [rad or m].
        upper : float, optional
            Upper stop [rad or m].
        restitution : float, optional
            From 0 (no rebound: in contact until pulled away) to 1 (elastic).
        coordinate : str, optional
            The coordinate's suffix, such as "x"; needed where the joint has several.
        name : str, optional
            Name for messages and `unlock`.

        Returns
        -------
        Limit
            The description.

        Raises
        ------
        SwitchError
            Without a stop.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.limit("A", lower=-0.5, upper=0.5).upper
        0.5
        """
        connection = self._connection(joint, "limit")
        who = f"limit of joint {connection.name!r}"
        self._check_coordinate(connection, coordinate, who, SwitchError)
        low, high = bound(lower, -float("inf"), "lower", who), bound(upper, float("inf"), "upper", who)
        if low == -float("inf") and high == float("inf"):
            raise SwitchError(f"{who} has no bounds; give lower=, upper= or both")
        e = number(restitution, "restitution", who)
        what = connection.name if coordinate is None else f"{connection.name}.{coordinate}"
        device = Limit(self._called(name, "limit", what), connection.name, coordinate, low, high, e)
        device.check(who)
        return self._scheduled(device, None, None, None, who)

    def dock(
        self,
        name: str,
        parent: Body | str,
        child: Body | str,
        joint: Joint,
        within: float = 1e-3,
        at: float | None = None,
        when: Condition | None = None,
        until: float | None = None,
        breaks_at: BreakingLoad | None = None,
    ) -> Dock:
        """Add a joint that closes when its frames meet.

        It closes at their closest approach if that is within a tolerance, without moving the
        bodies; or at a time or an event, at any distance, with the joint at its frame on the
        parent. After a release it closes again only once its frames have left the tolerance.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        parent : Body or str
            First body.
        child : Body or str
            Second body.
        joint : Joint
            The joint, as assembled or with frames in the frames of the two bodies.
        within : float, optional
            Tolerance [m and rad].
        at : float, optional
            Time [s].
        when : callable, Event or str, optional
            Function of t, q, v whose sign changes, a condition that changes, or an event.
        until : float, optional
            Time of release [s].
        breaks_at : float or tuple, optional
            Load at which it opens, as for `breaks`.

        Returns
        -------
        Dock
            The description.

        Examples
        --------
        >>> mech = ct.gallery.pendulum_chain(2)
        >>> mech.dock("catch", "ground", list(mech.bodies)[-1], ct.Spherical((0, 0, 0)), within=0.01).name
        'catch'
        """
        self._new_name(name, "dock")
        who = f"dock {name!r}"
        a, b = self._body(parent, who).name, self._body(child, who).name
        if a == b:
            raise SwitchError(f"{who} connects body {a!r} with itself; name two different bodies")
        if not isinstance(joint, Joint):
            raise SwitchError(f"{who}: {shown(joint)} is not a joint; give a joint of the catalogue, such as ct.Weld()")
        reach = number(within, "within", who)
        if reach <= 0.0:
            raise SwitchError(f"{who}: within is {reach}; give a positive distance, since frames never meet exactly")
        device = Dock(name, a, b, joint, reach)
        actions = self._scheduled_actions(name, trigger_of(at, when, who), until, who, initial=False)
        self._add_device(device, who)
        self.actions += actions
        self._break_at(name, breaks_at)
        return device

    def unlock(self, target: Switchable, at: float | None = None, when: Condition | None = None) -> None:
        """Release a lock, brake, limit or dock, or all locks and brakes of a joint, at a time or an event.

        Parameters
        ----------
        target : str, Lock, Brake, Limit, Dock or Connection
            What is released.
        at : float, optional
            Time [s].
        when : callable, Event or str, optional
            Function of t, q, v whose sign changes, a condition that changes, or an event.

        Raises
        ------
        SwitchError
            Without `at` and `when`, or with both.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> lock = mech.lock("A")
        >>> mech.unlock(lock, at=0.5)
        """
        name = _name_of(target)
        who = f"unlock {shown(name)}"
        if isinstance(name, str) and isinstance(self.devices.get(name), (Lock, Brake, Limit, Dock)):
            names = [name]
        else:
            held = [d for d in self.devices.values() if isinstance(d, (Lock, Brake)) and isinstance(name, str)]
            names = [d.name for d in held if d.joint == name]
        if not names:
            known = [*self.devices, *(d.joint for d in self.devices.values() if isinstance(d, (Lock, Brake)))]
            raise UnknownNameError(f"{who}: there is no lock, brake, limit or dock of that name{nearest(name, known)}")
        trigger = trigger_of(at, when, who)
        if trigger.at_start:
            raise SwitchError(f"{who}: say when, with at= a time or when= an event")
        self.actions += [Action(n, False, trigger) for n in names]

    def activate(self, constraint: Switchable, at: float | None = None, when: Condition | None = None) -> None:
        """Activate a constraint, motor, force or torque at a time or an event; before, it is inactive.

        A gear or coupling engages in its current position, like a clutch. A drive, distance or
        contact must be satisfied at that instant; nothing is moved.

        Parameters
        ----------
        constraint : str, Constraint or force element
            What is activated.
        at : float, optional
            Time [s].
        when : callable, Event or str, optional
            Function of t, q, v whose sign changes, a condition that changes, or an event.

        Raises
        ------
        SwitchError
            Without `at` and `when`, or with both.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> motor = mech.motor("motor", "A", 2.0)
        >>> mech.activate(motor, at=0.5)
        """
        self._switch_constraint(constraint, True, at, when)

    def deactivate(self, target: Switchable, at: float | None = None, when: Condition | None = None) -> None:
        """Remove a constraint or joint, or switch off a motor, force or torque, at a time or an event.

        Velocities do not change.

        Parameters
        ----------
        target : str, Connection, Constraint or force element
            What is switched off.
        at : float, optional
            Time [s].
        when : callable, Event or str, optional
            Function of t, q, v whose sign changes, a condition that changes, or an event.

        Raises
        ------
        SwitchError
            Without `at` and `when`, or with both.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.deactivate("C", at=0.5)
        """
        self._switch_constraint(target, False, at, when)

    def clutch(
        self,
        name: str,
        joint_a: Connection | str,
        joint_b: Connection | str,
        ratio: float = 1.0,
        at: float | None = None,
        when: Condition | None = None,
        until: float | None = None,
    ) -> Coupling:
        """Add a gear that engages at a time or an event, as the joints are then.

        Rates become v_a = ratio * v_b at once, with the impulse that this takes. A clutch that
        slips is a brake between two bodies.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        joint_a : Connection or str
            First joint.
        joint_b : Connection or str
            Second joint.
        ratio : float, optional
            Ratio of the rates.
        at : float, optional
            Time [s].
        when : callable, Event or str, optional
            Function of t, q, v whose sign changes, a condition that changes, or an event.
        until : float, optional
            Time of release [s].

        Returns
        -------
        Coupling
            The description.

        Examples
        --------
        >>> mech = ct.gallery.pendulum_chain(2)
        >>> mech.clutch("clutch", "J1", "J2", ratio=2.0, at=0.5).name
        'clutch'
        """
        if at is None and when is None:
            raise SwitchError(f"clutch {name!r}: say when it engages, with at= a time or when= an event; else use gear")
        if until is not None and at is not None and not number(until, "until", name) > number(at, "at", name):
            raise SwitchError(f"clutch {name!r}: at is {at:g} s and until {until:g} s; until must be later than at")
        made = self.gear(name, joint_a, joint_b, ratio)
        self.activate(made, at, when)
        if until is not None:
            self.deactivate(made, at=until)
        return made

    def _switch_constraint(self, target: Any, on: bool, at: Any, when: Any) -> None:
        name = _name_of(target)
        who = f"{'activate' if on else 'deactivate'} {shown(name)}"
        known = [*self.constraints, *self.motors_and_loads, *([] if on else self.joints)]
        if isinstance(name, str) and known.count(name) > 1:
            raise SwitchError(f"{who}: the name belongs to more than one joint, constraint or force; rename one")
        if not isinstance(name, str) or name not in known:
            what = "constraint, motor or load" if on else "constraint, motor, load or joint"
            raise UnknownNameError(f"{who}: no {what} of that name{nearest(name, known)}")
        trigger = trigger_of(at, when, who)
        if trigger.at_start:
            raise SwitchError(f"{who}: say when, with at= a time or when= an event")
        self.actions.append(Action(name, on, trigger))

    def _scheduled(self, device: Any, at: Any, when: Any, until: Any, who: str) -> Any:
        """Store the device with its actions; an existing identical lock or brake gets further actions."""
        actions = self._scheduled_actions(device.name, trigger_of(at, when, who), until, who)
        if self.devices.get(device.name) != device:
            self._add_device(device, who)
        self.actions += actions
        return device

    def _called(self, name: Any, word: str, what: str) -> str:
        """The given name, or one made from what the device acts on."""
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
                raise SwitchError(f"{who}: at is {trigger.at:g} s and until {end:g} s; until must be later than at")
            actions.append(Action(name, False, Trigger(at=end)))
        return actions

    def _add_device(self, device: Device, who: str) -> None:
        self._new_name(device.name, device.word, self.constraints)
        if device.name in self.devices:
            raise DuplicateNameError(f"{who}: {device.name!r} exists already with other numbers; give it another name=")
        self.devices[device.name] = device

    @property
    def off_at_start(self) -> frozenset[str]:
        """Constraints, motors and loads that are inactive at first: those whose first action is to be switched on."""
        first = {a.target: a.on for a in reversed(self.actions)}
        return frozenset(n for n, on in first.items() if on and (n in self.constraints or n in self.motors_and_loads))

    @property
    def motors_and_loads(self) -> tuple[str, ...]:
        """Names of what can be switched off: loads, and joint forces with a torque, in the order of their numbers."""
        return (*self.loads, *(f.name for f in self.joint_forces.values() if f.torque is not None))

    @property
    def numbered(self) -> tuple[str, ...]:
        """Names of all that has a row of numbers, in its order: loads, motors, brakes, then elements with a law."""
        brakes = (d.name for d in self.devices.values() if isinstance(d, Brake))
        return (*self.motors_and_loads, *brakes, *(f.name for f in self.elements.values() if hasattr(f, "value")))

    @property
    def joints_to_drop(self) -> tuple[str, ...]:
        """Joints that will be deactivated or may break; they must not be in the tree."""
        dropped = [a.target for a in self.actions if a.target in self.joints and not a.on]
        broken = [d.target for d in self.devices.values() if isinstance(d, Breaking) and d.target in self.joints]
        return tuple(dict.fromkeys([*dropped, *broken]))
