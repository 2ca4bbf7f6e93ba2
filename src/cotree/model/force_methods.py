"""Springs, loads and forces along joint coordinates, as methods of `Mechanism`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from cotree.errors import ForceError
from cotree.model.checks import choice, fixed, number, vector
from cotree.model.curves import curve as table
from cotree.model.curves import passes_zero
from cotree.model.forces import ARGUMENTS, MOTOR_ARGUMENTS, JointForce, Load, Spring, numbers_or_function
from cotree.model.lookups import LookUps
from cotree.model.parts import Body, Connection
from cotree.model.pid import PID
from cotree.typing import NumbersOrFunction


class Loading(LookUps):
    """Springs between points, loads on bodies; springs, dampers, rotors and motors on joints."""

    if TYPE_CHECKING:
        springs: dict[str, Spring]
        loads: dict[str, Load]
        joint_forces: dict[str, JointForce]

    def spring(
        self,
        name: str,
        body_a: Body | str,
        point_a: ArrayLike,
        body_b: Body | str,
        point_b: ArrayLike,
        stiffness: float,
        length: float | None = None,
        damping: float = 0.0,
    ) -> Spring:
        """Spring [N/m] and damper [N s/m] between two points; length=None: unstressed as assembled.

        Points are in the frame of their body's data.

        >>> mech = ct.gallery.four_bar()
        >>> spring = mech.spring("spring", "ground", (0, 2, 0), "coupler", (1.5, 1.1, 0), stiffness=100.0, length=0.5)
        >>> round(float(ct.simulate(mech, 0.1).element("spring").force[0]), 2)
        124.93
        """
        who = self._new_force(name, "spring")
        a, b = self._body(body_a, who).name, self._body(body_b, who).name
        if a == b:
            raise ForceError(f"{who} has both ends on body {a!r} and has no effect; name two different bodies")
        rest = None if length is None else number(length, "length", who)
        if rest is not None and rest < 0.0:
            raise ForceError(f"{who}: length is {rest}; the free length of a spring cannot be negative")
        spring = Spring(name, a, vector(point_a, "point_a", who), b, vector(point_b, "point_b", who),
                        number(stiffness, "stiffness", who), rest, number(damping, "damping", who))  # fmt: skip
        self.springs[name] = spring
        return spring

    def force(
        self,
        name: str,
        body: Body | str,
        force: NumbersOrFunction,
        point: ArrayLike | None = None,
        frame: str = "world",
    ) -> Load:
        """Force [N] at a body-fixed point (default: the mass centre), in world or body axes; numbers or a function."""
        who = self._new_force(name, "force")
        at = self._body(body, who)
        p = at.properties.com if point is None else vector(point, "point", who)
        return self._load(name, at, force, p, frame, "force", who)

    def torque(self, name: str, body: Body | str, moment: NumbersOrFunction, frame: str = "world") -> Load:
        """Moment [N m] on a body, in world or body axes; numbers or a function."""
        who = self._new_force(name, "torque")
        return self._load(name, self._body(body, who), moment, None, frame, "moment", who)

    def _load(self, name: str, body: Body, value: Any, point: Any, frame: str, what: str, who: str) -> Load:
        choice(frame, ("world", "body"), f"{who}: frame", ForceError)
        if body is self.ground:
            raise ForceError(f"{who}: a load on ground has no effect; name a body")
        load = Load(name, body.name, numbers_or_function(value, 3, ARGUMENTS, what, who), point, frame)
        self.loads[name] = load
        return load

    def joint_spring(
        self, name: str, joint: Connection | str, stiffness: float, rest: float = 0.0, coordinate: str | None = None
    ) -> JointForce:
        """Torsion or line spring on a joint coordinate: -stiffness (q - rest)."""
        who = self._new_force(name, "joint spring")
        return self._joint_force(name, joint, coordinate, who, stiffness=number(stiffness, "stiffness", who),
                                 rest=number(rest, "rest", who))  # fmt: skip

    def joint_damper(
        self, name: str, joint: Connection | str, damping: float, coordinate: str | None = None
    ) -> JointForce:
        """Viscous damper on a joint velocity: -damping v."""
        who = self._new_force(name, "joint damper")
        return self._joint_force(name, joint, coordinate, who, damping=number(damping, "damping", who))

    def joint_inertia(
        self, name: str, joint: Connection | str, inertia: float, ratio: float = 1.0, coordinate: str | None = None
    ) -> JointForce:
        """Rotor of a motor (armature): its inertia [kg m^2, or kg along a slide] and how many times as fast as the joint it
        turns. It adds ratio^2 * inertia along the joint's coordinate and has neither weight nor gyroscopic moment."""
        who = self._new_force(name, "joint inertia")
        size, gear = number(inertia, "inertia", who), number(ratio, "ratio", who)
        if size <= 0.0 or gear == 0.0:
            raise ForceError(
                f"{who}: inertia is {size:g} and ratio {gear:g}; give a positive inertia and a ratio that is not 0"
            )
        return self._joint_force(name, joint, coordinate, who, inertia=size, ratio=gear)

    def nonlinear_joint_spring(
        self,
        name: str,
        joint: Connection | str,
        torque: ArrayLike,
        damping: ArrayLike | None = None,
        rest: float = 0.0,
        coordinate: str | None = None,
    ) -> JointForce:
        """Spring on a joint coordinate by a table of (angle - rest, torque against it), with a damper by (rate, torque against
        it); smooth between the points, straight beyond them."""
        who = self._new_force(name, "nonlinear joint spring")
        rubbing = None if damping is None else passes_zero(table(damping, "damping", who), "damping", who)
        return self._joint_force(name, joint, coordinate, who, rest=number(rest, "rest", who),
                                 elastic=table(torque, "torque", who), resisting=rubbing)  # fmt: skip

    def motor_curve(
        self, name: str, joint: Connection | str, curve: ArrayLike, throttle: float = 1.0, coordinate: str | None = None
    ) -> JointForce:
        """Motor by its torque-speed curve: a table of (rate of the joint, torque along it), times the throttle; smooth between
        the points, straight beyond them, so that a table that ends in two zeros ends the torque."""
        who = self._new_force(name, "motor curve")
        points = table(curve, "curve", who) * (1.0, number(throttle, "throttle", who))
        return self._joint_force(name, joint, coordinate, who, driving=fixed(points))

    def motor(
        self, name: str, joint: Connection | str, torque: NumbersOrFunction, coordinate: str | None = None
    ) -> JointForce:
        """Torque [N m] or force [N] on a joint coordinate: a number, or a function that names what it needs: angle and
        rate of this coordinate, joints["D"].angle and .rate of any joint, t, q, v. One that Numba has compiled is called as
        compiled code. `Law` adds states, sampling and switching functions to a function, `PID` is a ready-made law.

        >>> mech = ct.gallery.four_bar()
        >>> motor = mech.motor("motor", "A", lambda t, rate: 2.0 - 0.1 * rate)
        >>> ct.simulate(mech, 0.1).status
        'done'
        """
        who = self._new_force(name, "motor")
        value = numbers_or_function(torque, 1, MOTOR_ARGUMENTS, "torque", who)
        return self._joint_force(name, joint, coordinate, who, torque=value)

    def pid(
        self,
        name: str,
        joint: Connection | str,
        target: float | Callable[[float], float] = 0.0,
        kp: float = 0.0,
        ki: float = 0.0,
        kd: float = 0.0,
        filter: float = 0.0,
        limits: tuple[float, float] | None = None,
        tracking: float | None = None,
        period: float | None = None,
        offset: float = 0.0,
        coordinate: str | None = None,
    ) -> JointForce:
        """Motor whose torque is that of a `PID` controller of its coordinate; arguments as for that law."""
        law = PID(target, kp, ki, kd, filter, limits, tracking, period, offset)
        return self.motor(name, joint, law, coordinate)

    def _joint_force(
        self, name: str, joint: Connection | str, coordinate: str | None, who: str, **values: Any
    ) -> JointForce:
        connection = self._connection(joint, who)
        self._check_coordinate(connection, coordinate, who, ForceError)
        force = JointForce(name, connection.name, coordinate, **values)
        self.joint_forces[name] = force
        return force
