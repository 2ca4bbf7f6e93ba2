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
        """Add a spring and damper between two points.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        body_a : Body or str
            First body; "ground" is one too.
        point_a : array_like of shape (3,)
            Point of it, in the frame of its data (the world as assembled, without one).
        body_b : Body or str
            Second body.
        point_b : array_like of shape (3,)
            Point of it, likewise.
        stiffness : float
            Stiffness [N/m].
        length : float, optional
            Length without force [m]; as assembled by default.
        damping : float, optional
            Damping [N s/m].

        Returns
        -------
        Spring
            The description.

        Examples
        --------
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
        """Add a force at a point of a body.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        body : Body or str
            The body.
        force : array_like of shape (3,) or callable
            Force [N], or a function that names what it needs: t, q, v, position, velocity and
            others.
        point : array_like of shape (3,), optional
            Point of the body; the mass centre by default.
        frame : str, optional
            "world" or "body": the axes of the numbers.

        Returns
        -------
        Load
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.force("push", "coupler", (0, -10, 0)).name
        'push'
        """
        who = self._new_force(name, "force")
        at = self._body(body, who)
        p = at.properties.com if point is None else vector(point, "point", who)
        return self._load(name, at, force, p, frame, "force", who)

    def torque(self, name: str, body: Body | str, moment: NumbersOrFunction, frame: str = "world") -> Load:
        """Add a moment to a body.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        body : Body or str
            The body.
        moment : array_like of shape (3,) or callable
            Moment [N m], or a function of t, q, v and others.
        frame : str, optional
            "world" or "body": the axes of the numbers.

        Returns
        -------
        Load
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.torque("twist", "coupler", (0, 0, 1)).name
        'twist'
        """
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
        """Add a torsion or line spring to a joint coordinate.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        joint : Connection or str
            The joint.
        stiffness : float
            Stiffness [N m/rad or N/m].
        rest : float, optional
            Coordinate without force.
        coordinate : str, optional
            The coordinate's suffix, such as "x"; needed where the joint has several.

        Returns
        -------
        JointForce
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.joint_spring("coil", "A", stiffness=20.0).name
        'coil'
        """
        who = self._new_force(name, "joint spring")
        return self._joint_force(name, joint, coordinate, who, stiffness=number(stiffness, "stiffness", who),
                                 rest=number(rest, "rest", who))  # fmt: skip

    def joint_damper(
        self, name: str, joint: Connection | str, damping: float, coordinate: str | None = None
    ) -> JointForce:
        """Add a viscous damper to a joint coordinate.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        joint : Connection or str
            The joint.
        damping : float
            Torque per rate [N m s/rad or N s/m].
        coordinate : str, optional
            The coordinate's suffix, such as "x"; needed where the joint has several.

        Returns
        -------
        JointForce
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.joint_damper("oil", "A", damping=0.5).name
        'oil'
        """
        who = self._new_force(name, "joint damper")
        return self._joint_force(name, joint, coordinate, who, damping=number(damping, "damping", who))

    def joint_inertia(
        self, name: str, joint: Connection | str, inertia: float, ratio: float = 1.0, coordinate: str | None = None
    ) -> JointForce:
        """Add the rotor of a motor (armature) to a joint coordinate.

        It adds ratio^2 * inertia along the coordinate and has neither weight nor gyroscopic moment.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        joint : Connection or str
            The joint.
        inertia : float
            Inertia of the rotor [kg m^2, or kg along a slide].
        ratio : float, optional
            How many times as fast as the joint it turns.
        coordinate : str, optional
            The coordinate's suffix, such as "x"; needed where the joint has several.

        Returns
        -------
        JointForce
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.joint_inertia("rotor", "A", 1e-4, ratio=50).name
        'rotor'
        """
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
        """Add a spring on a joint coordinate by a table.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        joint : Connection or str
            The joint.
        torque : array_like of shape (n, 2)
            Table of (angle - rest, torque against it), smooth between the points, straight
            beyond them.
        damping : array_like of shape (n, 2), optional
            Table of (rate, torque against it).
        rest : float, optional
            Coordinate at which the table is at zero.
        coordinate : str, optional
            The coordinate's suffix, such as "x"; needed where the joint has several.

        Returns
        -------
        JointForce
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.nonlinear_joint_spring("coil", "A", [(-1, -20), (0, 0), (1, 5)]).name
        'coil'
        """
        who = self._new_force(name, "nonlinear joint spring")
        rubbing = None if damping is None else passes_zero(table(damping, "damping", who), "damping", who)
        return self._joint_force(name, joint, coordinate, who, rest=number(rest, "rest", who),
                                 elastic=table(torque, "torque", who), resisting=rubbing)  # fmt: skip

    def motor_curve(
        self, name: str, joint: Connection | str, curve: ArrayLike, throttle: float = 1.0, coordinate: str | None = None
    ) -> JointForce:
        """Add a motor by its torque-speed curve.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        joint : Connection or str
            The joint.
        curve : array_like of shape (n, 2)
            Table of (rate of the joint, torque along it), smooth between the points, straight
            beyond them.
        throttle : float, optional
            Factor of the torque.
        coordinate : str, optional
            The coordinate's suffix, such as "x"; needed where the joint has several.

        Returns
        -------
        JointForce
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.motor_curve("motor", "A", [(0, 10), (50, 5), (100, 0), (101, 0)]).name
        'motor'
        """
        who = self._new_force(name, "motor curve")
        points = table(curve, "curve", who) * (1.0, number(throttle, "throttle", who))
        return self._joint_force(name, joint, coordinate, who, driving=fixed(points))

    def motor(
        self, name: str, joint: Connection | str, torque: NumbersOrFunction, coordinate: str | None = None
    ) -> JointForce:
        """Add a torque or force along a joint coordinate.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        joint : Connection or str
            The joint.
        torque : float, callable, Law or PID
            Torque [N m] or force [N]; or a function that names what it needs: angle and rate of
            this coordinate, joints["D"].angle and .rate of any joint, t, q, v. A function that
            Numba has compiled is called as such.
        coordinate : str, optional
            The coordinate's suffix, such as "x"; needed where the joint has several.

        Returns
        -------
        JointForce
            The description.

        See Also
        --------
        drive : Prescribe the motion.

        Examples
        --------
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
        """Add a motor with a `PID` controller of its coordinate.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        joint : Connection or str
            The joint.
        target : float or callable, optional
            Target, a number or a function of t.
        kp : float, optional
            As for `PID`.
        ki : float, optional
            As for `PID`.
        kd : float, optional
            As for `PID`.
        filter : float, optional
            As for `PID` [s].
        limits : tuple of float, optional
            Lowest and highest output.
        tracking : float, optional
            As for `PID` [s].
        period : float, optional
            As for `PID` [s].
        offset : float, optional
            As for `PID` [s].
        coordinate : str, optional
            The coordinate's suffix, such as "x"; needed where the joint has several.

        Returns
        -------
        JointForce
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.pid("servo", "A", target=0.3, kp=40.0, kd=8.0).name
        'servo'
        """
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
