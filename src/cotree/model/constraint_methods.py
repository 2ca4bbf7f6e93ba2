"""Constraints other than joints, as methods of `Mechanism`: each checks its arguments and stores a description."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from cotree.errors import ConstraintError, ModelError
from cotree.model.breaking_methods import Breakable
from cotree.model.checks import choice, number, shown, unit, vector
from cotree.model.constraints import (
    ANGULAR,
    LINEAR,
    Conserve,
    Constraint,
    Coupling,
    Distance,
    KnifeEdge,
    Rolling,
    Term,
    UserRows,
    motion_of,
    row_count,
    row_function,
)
from cotree.model.forces import ForceElement
from cotree.typing import NumbersOrFunction

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from cotree.model.parts import Body, Connection


class Constraining(Breakable):
    """Constraints other than joints: drivers, couplings, distances, contacts, user-defined constraint equations."""

    constraints: dict[str, Constraint]
    elements: dict[str, ForceElement]
    devices: dict[str, Any]
    ground: Body

    def drive(
        self,
        name: str,
        joint: Connection | str,
        motion: float | Callable[[float], ArrayLike] | None = None,
        coordinate: str | None = None,
        rate: float | Callable[[float], Any] | None = None,
        acceleration: Callable[[float], Any] | None = None,
    ) -> Coupling:
        """Prescribe a joint coordinate.

        A law by numbers may not jump, nor may its speed.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        joint : Connection or str
            The joint.
        motion : float, Table, Trapezoid, Harmonic or callable, optional
            The coordinate [rad or m]: a constant, a law over time, or a function of time.
        coordinate : str, optional
            The coordinate's suffix, such as "x"; needed where the joint has several.
        rate : float, law or callable, optional
            Where motion is a number or missing: rate with which the coordinate moves on from it
            at t = 0 [rad/s or m/s]. Of a function: its derivative.
        acceleration : callable, optional
            Second derivative of a function; by finite differences by default, as `rate` is.

        Returns
        -------
        Coupling
            The description.

        Raises
        ------
        ConstraintError
            Without a motion and a rate.

        See Also
        --------
        motor : Apply a torque or force.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> drive = mech.drive("speed", "A", rate=0.5)
        >>> round(float(ct.simulate(mech, 1.0).joint("A").angle[-1]), 6)
        0.5
        """
        who = self._new_constraint(name, "drive")
        term = self._term(joint, coordinate, 1.0, who)
        if motion is None and rate is None:
            raise ConstraintError(f"{who} prescribes nothing; give a motion, or a rate")
        motion = 0.0 if motion is None else motion
        return self._add(Coupling(name, (term,), motion_of(motion, rate, acceleration, "motion", who), "drive"))

    def coupling(self, name: str, ratios: Mapping[Any, Any], offset: float = 0.0) -> Coupling:
        """Add a linear coupling of joint coordinates: sum of ratio * q = offset.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        ratios : dict
            {joint: ratio}; keys may be pairs (joint, coordinate).
        offset : float or callable, optional
            A constant or a function of time.

        Returns
        -------
        Coupling
            The description.

        Examples
        --------
        >>> mech = ct.gallery.pendulum_chain(2)
        >>> mech.coupling("scissors", {"J1": 1.0, "J2": 2.0}).name
        'scissors'
        """
        who = self._new_constraint(name, "coupling")
        if not isinstance(ratios, dict) or not ratios:
            raise ConstraintError(f"{who}: give a dict of ratios by joint, such as {{'A': 1.0, 'B': -2.0}}")
        pairs = [(*key, r) if isinstance(key, tuple) and len(key) == 2 else (key, None, r) for key, r in ratios.items()]
        terms = tuple(self._term(joint, coordinate, ratio, who) for joint, coordinate, ratio in pairs)
        if len({term.name for term in terms}) < len(terms):
            raise ConstraintError(f"{who} names a coordinate twice; add the two ratios")
        return self._add(Coupling(name, terms, motion_of(offset, None, None, "offset", who)))

    def gear(self, name: str, joint_a: Connection | str, joint_b: Connection | str, ratio: float) -> Coupling:
        """Add a gear between two joints, q_a = ratio * q_b.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        joint_a : Connection or str
            First joint.
        joint_b : Connection or str
            Second joint.
        ratio : float
            Negative for external gears; metres per radian for a rack and pinion.

        Returns
        -------
        Coupling
            The description.

        Examples
        --------
        >>> mech = ct.gallery.pendulum_chain(2)
        >>> mech.gear("gear", "J1", "J2", ratio=-3.0).name
        'gear'
        """
        who = self._new_constraint(name, "gear")
        terms = (self._term(joint_a, None, 1.0, who), self._term(joint_b, None, -number(ratio, "ratio", who), who))
        if terms[0].joint == terms[1].joint:
            raise ConstraintError(f"{who} couples joint {terms[0].joint!r} with itself; name two joints")
        return self._add(Coupling(name, terms, motion_of(0.0, None, None, "offset", who), "gear"))

    def _term(self, joint: Connection | str, coordinate: str | None, ratio: Any, who: str) -> Term:
        connection = self._connection(joint, who)
        self._check_coordinate(connection, coordinate, who, ConstraintError)
        factor = number(ratio, f"ratio of joint {connection.name!r}", who)
        if factor == 0.0:
            raise ConstraintError(f"{who}: the ratio of joint {connection.name!r} is zero; leave the joint out")
        return Term(connection.name, coordinate, factor)

    def distance(
        self,
        name: str,
        body_a: Body | str,
        point_a: ArrayLike,
        body_b: Body | str,
        point_b: ArrayLike,
        length: float | None = None,
        breaks_at: float | None = None,
    ) -> Distance:
        """Keep two points at a distance.

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
        length : float or callable, optional
            Distance [m], a constant or a function of time; as assembled by default.
        breaks_at : float, optional
            Tension or compression [N] at which it breaks.

        Returns
        -------
        Distance
            The description.

        Examples
        --------
        >>> mech = ct.gallery.pendulum_chain(2)
        >>> end = list(mech.bodies)[-1]
        >>> mech.distance("bar", "ground", (1, 0, 0), end, (0.5, 0, 0)).name
        'bar'
        """
        who = self._new_constraint(name, "distance")
        a, b = self._body(body_a, who).name, self._body(body_b, who).name
        if a == b:
            raise ConstraintError(f"{who} has both ends on body {a!r}; name two different bodies")
        kept = None if length is None else motion_of(length, None, None, "length", who)
        if kept is not None and kept.constant and float(kept.value) <= 0.0:  # type: ignore[arg-type]
            raise ConstraintError(
                f"{who}: length is {kept.value}; it must be positive; for a common point use ct.Spherical"
            )
        made = self._add(Distance(name, a, vector(point_a, "point_a", who), b, vector(point_b, "point_b", who), kept))
        self._break_at(name, breaks_at)
        return made

    def knife_edge(self, name: str, body: Body | str, point: ArrayLike, direction: ArrayLike) -> KnifeEdge:
        """Prevent a point of a body from moving sideways, as a blade or a thin wheel does.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        body : Body or str
            The body.
        point : array_like of shape (3,)
            The point, in the frame of the body's data.
        direction : array_like of shape (3,)
            Direction without motion, fixed to the body.

        Returns
        -------
        KnifeEdge
            The description.

        Examples
        --------
        >>> mech = ct.Mechanism(gravity=(0, 0, 0))
        >>> sled = mech.body("sled", mass=1, com=(0, 0, 0), inertia=(1, 1, 1))
        >>> _ = mech.joint("plane", "ground", sled, ct.Planar())
        >>> mech.knife_edge("blade", sled, (0, 0, 0), (0, 1, 0)).name
        'blade'
        """
        who = self._new_constraint(name, "knife edge")
        b = self._moving(body, who)
        return self._add(KnifeEdge(name, b, vector(point, "point", who), unit(direction, "direction", who)))

    def conserve(self, name: str, quantity: str, axis: ArrayLike, value: float) -> Conserve:
        """Hold the total momentum along an axis, so that projections remove its numerical error.

        It is meant for what the motion conserves anyway: a constraint without a force [Geo 5.4.1].

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        quantity : str
            "angular momentum" [kg m^2/s], about the common mass centre, or "linear momentum"
            [kg m/s].
        axis : array_like of shape (3,)
            World axis.
        value : float
            Its value, as `ct.momentum(system, q, v, point)` gives it.

        Returns
        -------
        Conserve
            The description.

        Examples
        --------
        >>> mech = ct.Mechanism(gravity=(0, 0, 0))
        >>> body = mech.body("body", mass=1, com=(0, 0, 0), inertia=(1, 2, 3))
        >>> _ = mech.joint("free", "ground", body, ct.Free())
        >>> mech.conserve("spin", "angular momentum", (0, 0, 1), 3.0).name
        'spin'
        """
        who = self._new_constraint(name, "conserved quantity")
        words = choice(quantity, (ANGULAR, LINEAR), f"{who}: quantity", ConstraintError)
        return self._add(Conserve(name, words, unit(axis, "axis", who), number(value, "value", who)))

    def rolling(
        self,
        name: str,
        body: Body | str,
        center: ArrayLike,
        radius: float,
        axis: ArrayLike | None = None,
        plane_point: ArrayLike = (0.0, 0.0, 0.0),
        plane_normal: ArrayLike = (0.0, 0.0, 1.0),
        surface: Body | str = "ground",
    ) -> Rolling:
        """Add rolling without slip on a plane, of a ball or a thin disk.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        body : Body or str
            The body.
        center : array_like of shape (3,)
            Centre, in the frame of the body's data.
        radius : float
            Radius [m].
        axis : array_like of shape (3,), optional
            Axis of a disk; a ball without one.
        plane_point : array_like of shape (3,), optional
            A point of the plane, in the frame of the surface's data.
        plane_normal : array_like of shape (3,), optional
            Its normal.
        surface : Body or str, optional
            The body with the plane.

        Returns
        -------
        Rolling
            The description.

        Examples
        --------
        >>> mech = ct.Mechanism()
        >>> ball = mech.body("ball", shape=ct.Sphere((0, 0, 0.1), 0.1), density=1000)
        >>> _ = mech.joint("free", "ground", ball, ct.Free())
        >>> mech.rolling("floor", ball, (0, 0, 0.1), 0.1).name
        'floor'
        """
        who = self._new_constraint(name, "rolling")
        b, s = self._moving(body, who), self._body(surface, who).name
        if b == s:
            raise ConstraintError(f"{who}: body {b!r} cannot roll on itself; name another surface")
        r = number(radius, "radius", who)
        if r <= 0.0:
            raise ConstraintError(f"{who}: radius is {r}; it must be positive")
        a = None if axis is None else unit(axis, "axis", who)
        plane = vector(plane_point, "plane_point", who), unit(plane_normal, "plane_normal", who)
        return self._add(Rolling(name, b, vector(center, "center", who), r, a, s, *plane))

    def constraint(
        self,
        name: str,
        jacobian: NumbersOrFunction,
        residual: NumbersOrFunction | None = None,
        rate: NumbersOrFunction | None = None,
        bias: NumbersOrFunction | None = None,
        rows: int = 1,
    ) -> UserRows:
        """Add constraint equations of your own: jacobian(q, t) v = rate(q, t).

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        jacobian : callable
            Function of q and t that returns (rows, nv).
        residual : callable, optional
            Function of q and t that returns (rows,), whose derivative is the Jacobian: the
            constraint is holonomic.
        rate : callable, optional
            Function of q and t that returns (rows,), the right-hand side; by finite differences
            by default.
        bias : callable, optional
            Function of q, v, t that returns (rows,), the value of jacobian v_dot; by finite
            differences by default.
        rows : int, optional
            Number of equations.

        Returns
        -------
        UserRows
            The description.

        Examples
        --------
        >>> mech = ct.gallery.pendulum_chain(2)
        >>> mech.constraint("tie", lambda q: [[1.0, -1.0]], residual=lambda q: [q[0] - q[1]]).name
        'tie'
        """
        who = self._new_constraint(name, "constraint")
        n = row_count(rows, who)
        of_state, J = ("q", "t"), row_function(jacobian, n, ("q", "t"), "jacobian", who)
        if J is None:
            raise ConstraintError(f"{who}: jacobian is missing; give a function of q, t that returns (rows, nv)")
        g, b = row_function(residual, n, of_state, "residual", who), row_function(rate, n, of_state, "rate", who)
        return self._add(UserRows(name, n, J, g, b, row_function(bias, n, ("q", "v", "t"), "bias", who)))

    def add(self, description: Constraint | ForceElement) -> Constraint | ForceElement:
        """Add a constraint or a force element of a registered kind of your own.

        Parameters
        ----------
        description : Constraint or ForceElement
            See the page on extending.

        Returns
        -------
        Constraint or ForceElement
            The same.

        Raises
        ------
        ModelError
            If no such kind is registered.

        Examples
        --------
        >>> ct.Mechanism().add("spring")
        Traceback (most recent call last):
            ...
        cotree.errors.ModelError: ...
        """
        if isinstance(description, ForceElement):
            who = self._new_force(description.name, description.word)
            for body in description.bodies:
                self._body(body, who)
            self.elements[description.name] = description
            return description
        if not isinstance(description, Constraint):
            raise ModelError(
                "mech.add takes a constraint or a force element, an object of a class made from "
                f"cotree.model.constraints.Constraint or cotree.model.forces.ForceElement, got {shown(description)}; bodies, "
                "joints and the built-in forces have methods of their own"
            )
        who = self._new_constraint(description.name, description.word)
        for body in description.bodies:
            self._body(body, who)
        for term in description.terms:
            self._check_coordinate(self._connection(term.joint, who), term.coordinate, who, ConstraintError)
        return self._add(description)

    def _add(self, constraint: Any) -> Any:
        self.constraints[constraint.name] = constraint
        return constraint

    def _new_constraint(self, name: str, what: str) -> str:
        self._new_name(name, what, self.constraints, self.devices)
        return f"{what} {name!r}"

    def _moving(self, body: Body | str, who: str) -> str:
        found = self._body(body, who)
        if found is self.ground:
            raise ConstraintError(f"{who}: ground does not move; name a body")
        return found.name
