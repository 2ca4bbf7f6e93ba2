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
        """Prescribe a joint coordinate, q = motion(t) [rad or m]: a constant, a law over time such as `Table`, `Trapezoid` or
        `Harmonic`, or a function of time.

        rate: where motion is a number, that with which the coordinate moves on from it at t = 0 [rad/s or m/s]: a number or a
        law over time. Of a function, its derivative, as `acceleration` is; they are computed by finite differences unless
        given. A law by numbers may not jump, nor may its speed.

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
        """Linear coupling, sum of ratio * q over joints = offset (a constant or a function of time): gears, racks, screws.

        Keys of `ratios` are joints, or pairs (joint, coordinate) for joints with several coordinates.
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
        """Gear, q_a = ratio * q_b: negative ratio for external gears, metres per radian for a rack and pinion."""
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
        """Keep two points at a distance [m]: that of the reference assembly, a constant, or a function of time; breaks_at:
        tension or pressure [N] at which it breaks."""
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
        """Prevent a body-fixed point from moving along a body-fixed direction (sideways to the blade)."""
        who = self._new_constraint(name, "knife edge")
        b = self._moving(body, who)
        return self._add(KnifeEdge(name, b, vector(point, "point", who), unit(direction, "direction", who)))

    def conserve(self, name: str, quantity: str, axis: ArrayLike, value: float) -> Conserve:
        """Hold the momentum of all bodies along a world axis at a value, so that projections take away its numerical error.

        quantity: "angular momentum" [kg m^2/s], about the common mass centre, or "linear momentum" [kg m/s]. It is for what
        the motion conserves anyway: it is then a constraint without a force [Geo 5.4.1]. Values are those of
        `ct.momentum(system, q, v, point)`, with ct.center_of_mass(system, q).position for the point.
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
        """Rolling without slip on a plane: a ball, or with `axis` a thin disk about that axis through `center`.

        `center` and `axis` are in the frame of the body's data, the plane in the frame of the surface's data.
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
        """User-defined constraint equations ("rows"): jacobian(q, t) v = rate(q, t), of shapes (rows, nv) and (rows,).

        With residual(q, t), whose derivative is the Jacobian, they are holonomic. bias(q, v, t) is the value of
        jacobian v_dot. Rate and bias are computed by finite differences unless given.
        """
        who = self._new_constraint(name, "constraint")
        n = row_count(rows, who)
        of_state, J = ("q", "t"), row_function(jacobian, n, ("q", "t"), "jacobian", who)
        if J is None:
            raise ConstraintError(f"{who}: jacobian is missing; give a function of q, t that returns (rows, nv)")
        g, b = row_function(residual, n, of_state, "residual", who), row_function(rate, n, of_state, "rate", who)
        return self._add(UserRows(name, n, J, g, b, row_function(bias, n, ("q", "v", "t"), "bias", who)))

    def add(self, description: Constraint | ForceElement) -> Constraint | ForceElement:
        """Add a constraint or a force element of a class of your own, for which a kind is registered; see docs/extending.md."""
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
