"""Force elements of the package's own kinds, as methods of `Mechanism`: each checks its arguments and stores a description."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import ForceError
from cotree.model.checks import fixed, floats, number, shown, vector
from cotree.model.curves import curve, passes_zero
from cotree.model.force_elements import (
    MOST_POINTS,
    Belt,
    BumpStop,
    Bushing,
    Cable,
    CentralGravity,
    Drag,
    ForceBetween,
    NonlinearSpring,
    Rope,
    Tyre,
)
from cotree.model.forces import LINE_ARGUMENTS, ForceElement, numbers_or_function
from cotree.model.lookups import LookUps
from cotree.model.pid import PID
from cotree.typing import NumbersOrFunction

if TYPE_CHECKING:
    from cotree.model.parts import Body, Connection

Array = NDArray[np.float64]
Made = TypeVar("Made", bound=ForceElement)


class Acting(LookUps):
    """Springs by tables, ropes, bump stops, bushings, cables, drag, fields, forces between points."""

    elements: dict[str, ForceElement]
    ground: Body

    def nonlinear_spring(
        self,
        name: str,
        body_a: Body | str,
        point_a: ArrayLike,
        body_b: Body | str,
        point_b: ArrayLike,
        force: ArrayLike,
        damping: ArrayLike | None = None,
        length: float | None = None,
    ) -> NonlinearSpring:
        """Add a spring between two points by a table.

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
        force : array_like of shape (n, 2)
            Table of (elongation [m], pull [N]), smooth between the points, without extremes of
            its own, straight beyond them.
        damping : array_like of shape (n, 2), optional
            Table of (rate [m/s], pull [N]).
        length : float, optional
            Length without elongation [m]; as assembled by default.

        Returns
        -------
        NonlinearSpring
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> table = [(-1, -20), (0, 0), (1, 50)]
        >>> mech.nonlinear_spring("spring", "ground", (0, 2, 0), "coupler", (1.5, 1.1, 0), table).name
        'spring'
        """
        who = self._new_force(name, "nonlinear spring")
        ends = self._ends(body_a, point_a, body_b, point_b, who)
        rubbing = None if damping is None else passes_zero(curve(damping, "damping", who), "damping", who)
        return self._element(NonlinearSpring(name, *ends, curve(force, "force", who), rubbing, _length(length, who)))

    def rope(
        self,
        name: str,
        body_a: Body | str,
        point_a: ArrayLike,
        body_b: Body | str,
        point_b: ArrayLike,
        stiffness: float,
        length: float | None = None,
        damping: float = 0.0,
        exponent: float = 1.0,
    ) -> Rope:
        """Add a rope between two points that pulls where it is longer than its length, and never pushes.

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
            Force is stiffness x^exponent (1 + damping dx/dt) [N] at an elongation x.
        length : float, optional
            Length without force [m]; as assembled by default.
        damping : float, optional
            Damping [s/m].
        exponent : float, optional
            Exponent of the force.

        Returns
        -------
        Rope
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.rope("rope", "ground", (0, 2, 0), "coupler", (1.5, 1.1, 0), stiffness=1e4).name
        'rope'
        """
        who = self._new_force(name, "rope")
        ends = self._ends(body_a, point_a, body_b, point_b, who)
        return self._element(Rope(name, *ends, *_one_sided(stiffness, length, damping, exponent, who)))

    def bump_stop(
        self,
        name: str,
        body_a: Body | str,
        point_a: ArrayLike,
        body_b: Body | str,
        point_b: ArrayLike,
        stiffness: float,
        length: float | None = None,
        damping: float = 0.0,
        exponent: float = 1.0,
    ) -> BumpStop:
        """Add a buffer between two points that pushes where they are closer than its length, and never pulls.

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
            Force is stiffness x^exponent (1 + damping dx/dt) [N] at a compression x.
        length : float, optional
            Length without force [m]; as assembled by default.
        damping : float, optional
            Damping [s/m].
        exponent : float, optional
            Exponent of the force.

        Returns
        -------
        BumpStop
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.bump_stop("buffer", "ground", (0, 2, 0), "coupler", (1.5, 1.1, 0), stiffness=1e4).name
        'buffer'
        """
        who = self._new_force(name, "bump stop")
        ends = self._ends(body_a, point_a, body_b, point_b, who)
        return self._element(BumpStop(name, *ends, *_one_sided(stiffness, length, damping, exponent, who)))

    def force_between(
        self,
        name: str,
        body_a: Body | str,
        point_a: ArrayLike,
        body_b: Body | str,
        point_b: ArrayLike,
        force: NumbersOrFunction,
    ) -> ForceBetween:
        """Add a force that drives two points apart.

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
        force : float or callable
            Force [N], or a function that names what it needs: length [m] and rate [m/s] of the
            distance, joints["D"].angle, t, q, v.

        Returns
        -------
        ForceBetween
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.force_between("jack", "ground", (0, 2, 0), "coupler", (1.5, 1.1, 0), lambda t: 10 * t).name
        'jack'
        """
        who = self._new_force(name, "force between")
        ends = self._ends(body_a, point_a, body_b, point_b, who)
        value = numbers_or_function(force, 1, LINE_ARGUMENTS, "force", who)
        return self._element(ForceBetween(name, *ends, value))

    def actuator(
        self,
        name: str,
        body_a: Body | str,
        point_a: ArrayLike,
        body_b: Body | str,
        point_b: ArrayLike,
        target: float | Callable[[float], float],
        kp: float = 0.0,
        ki: float = 0.0,
        kd: float = 0.0,
        filter: float = 0.0,
        limits: tuple[float, float] | None = None,
        tracking: float | None = None,
        period: float | None = None,
        offset: float = 0.0,
    ) -> ForceBetween:
        """Add a linear actuator: a `PID` controller of the distance between two points.

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
        target : float or callable
            Length [m], a number or a function of t.
        kp : float, optional
            As for `PID`; the output is the force [N] that drives the points apart.
        ki : float, optional
            As for `PID`.
        kd : float, optional
            As for `PID`.
        filter : float, optional
            As for `PID` [s].
        limits : tuple of float, optional
            Lowest and highest force [N].
        tracking : float, optional
            As for `PID` [s].
        period : float, optional
            As for `PID` [s].
        offset : float, optional
            As for `PID` [s].

        Returns
        -------
        ForceBetween
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.actuator("jack", "ground", (0, 2, 0), "coupler", (1.5, 1.1, 0), target=1.2, kp=500.0).name
        'jack'
        """
        law = PID(target, kp, ki, kd, filter, limits, tracking, period, offset)
        return self.force_between(name, body_a, point_a, body_b, point_b, law)

    def bushing(
        self,
        name: str,
        body_a: Body | str,
        body_b: Body | str,
        point: ArrayLike,
        stiffness: ArrayLike,
        damping: ArrayLike = 0.0,
        axes: ArrayLike | None = None,
    ) -> Bushing:
        """Add an elastic bearing between two bodies, relaxed as assembled.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        body_a : Body or str
            First body; "ground" is one too.
        body_b : Body or str
            Second body.
        point : array_like of shape (3,)
            Its centre, in the world as assembled.
        stiffness : array_like
            (6, 6), or the six numbers of the diagonal: rotation about [N m/rad], then
            displacement along [N/m] three axes.
        damping : array_like, optional
            Likewise [N m s/rad, N s/m].
        axes : array_like of shape (3, 3), optional
            The axes as columns, in the world as assembled. Rotations are meant to stay below
            pi.

        Returns
        -------
        Bushing
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.bushing("mount", "ground", "coupler", (1.5, 1.1, 0), [10, 10, 10, 1e3, 1e3, 1e3]).name
        'mount'
        """
        who = self._new_force(name, "bushing")
        a, b = self._body(body_a, who).name, self._body(body_b, who).name
        if a == b:
            raise ForceError(f"{who} has both ends on body {a!r}; name two different bodies")
        E = np.eye(3) if axes is None else floats(axes)
        if E is None or E.shape != (3, 3) or not np.allclose(E.T @ E, np.eye(3), atol=1e-9):
            raise ForceError(f"{who}: axes must be a 3x3 array whose columns are orthonormal, got {shown(axes)}")
        K, C = (_six(x, what, who) for x, what in ((stiffness, "stiffness"), (damping, "damping")))
        return self._element(Bushing(name, a, b, vector(point, "point", who), K, C, fixed(E.copy())))

    def belt(
        self,
        name: str,
        joint_a: Connection | str,
        joint_b: Connection | str,
        radius_a: float,
        radius_b: float,
        stiffness: float,
        damping: float = 0.0,
        backlash: float = 0.0,
    ) -> Belt:
        """Add an elastic belt around pulleys that turn with two joints; both strands stay tight.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        joint_a : Connection or str
            First joint, in the tree.
        joint_b : Connection or str
            Second joint, in the tree.
        radius_a : float
            Radius of its pulley [m].
        radius_b : float
            Radius of the other [m]; one of them is negative for a crossed belt.
        stiffness : float
            Stiffness [N/m] against radius_a angle_a - radius_b angle_b.
        damping : float, optional
            Damping [N s/m].
        backlash : float, optional
            Play [m] from one side to the other on which the spring does not act, as of a
            chain; the damping acts there too.

        Returns
        -------
        Belt
            The description.

        Examples
        --------
        >>> mech = ct.gallery.pendulum_chain(2)
        >>> mech.belt("belt", "J1", "J2", 0.1, 0.05, stiffness=1e4).name
        'belt'
        """
        who = self._new_force(name, "belt")
        a, b = self._connection(joint_a, who), self._connection(joint_b, who)
        if a is b or any(c.joint.dof != 1 for c in (a, b)):
            raise ForceError(f"{who}: joints {a.name!r} and {b.name!r} must be two joints of one coordinate each")
        first, second = number(radius_a, "radius_a", who), number(radius_b, "radius_b", who)
        k, c = number(stiffness, "stiffness", who), number(damping, "damping", who)
        play = number(backlash, "backlash", who)
        if 0.0 in (first, second) or min(k, c, play) < 0.0:
            raise ForceError(
                f"{who}: radii must not be zero, stiffness {k:g}, damping {c:g} and backlash {play:g} not negative"
            )
        ends = tuple(dict.fromkeys((a.parent, a.child, b.parent, b.child)))
        return self._element(Belt(name, a.name, b.name, first, second, k, c, ends, play))

    def cable(
        self,
        name: str,
        route: Sequence[tuple[Body | str, ArrayLike]],
        stiffness: float,
        length: float | None = None,
        damping: float = 0.0,
    ) -> Cable:
        """Add a cable through points, as over small pulleys without friction.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        route : sequence of pairs
            (body, point) in their order.
        stiffness : float
            Stiffness of the whole [N/m].
        length : float, optional
            Length without force [m]; as assembled by default.
        damping : float, optional
            Damping [s/m], as of a rope.

        Returns
        -------
        Cable
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> route = [("ground", (0, 2, 0)), ("crank", (0.6, 0.8, 0)), ("coupler", (2.4, 1.4, 0))]
        >>> mech.cable("tendon", route, stiffness=1e4).name
        'tendon'
        """
        who = self._new_force(name, "cable")
        if not isinstance(route, (list, tuple)) or not all(isinstance(x, (list, tuple)) and len(x) == 2 for x in route):
            raise ForceError(f"{who}: route must be a list of pairs (body, point), got {shown(route)}")
        if not 2 <= len(route) <= MOST_POINTS:
            raise ForceError(f"{who}: route has {len(route)} points; give 2 to {MOST_POINTS}")
        through = tuple((self._body(body, who).name, vector(point, "point", who)) for body, point in route)
        k, rest, d, _ = _one_sided(stiffness, length, damping, 1.0, who)
        return self._element(Cable(name, through, k, rest, d))

    def drag(
        self,
        name: str,
        body: Body | str,
        coefficient: float,
        point: ArrayLike | None = None,
        wind: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Drag:
        """Add the drag of a medium, -coefficient |u| u, to a point of a body.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        body : Body or str
            The body.
        coefficient : float
            Half the density times area and drag coefficient [kg/m].
        point : array_like of shape (3,), optional
            The point; the mass centre by default.
        wind : array_like of shape (3,), optional
            Velocity of the medium [m/s]; u is relative to it.

        Returns
        -------
        Drag
            The description.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.drag("air", "coupler", 0.2).name
        'air'
        """
        who = self._new_force(name, "drag")
        at, c = self._body(body, who), number(coefficient, "coefficient", who)
        if at is self.ground or c <= 0.0:
            raise ForceError(f"{who}: give a body that moves and a positive coefficient, got {at.name!r} and {c:g}")
        p = at.properties.com if point is None else vector(point, "point", who)
        return self._element(Drag(name, at.name, c, p, vector(wind, "wind", who)))

    def tyre(
        self,
        name: str,
        body: Body | str,
        radius: float,
        stiffness: float,
        friction: float = 1.0,
        longitudinal: float | None = None,
        lateral: float | None = None,
        center: ArrayLike | None = None,
        axis: ArrayLike = (0.0, 1.0, 0.0),
        damping: float = 0.0,
        half_length: float = 0.0,
        low_speed: float = 0.1,
        road: ArrayLike = (0.0, 0.0, 0.0),
        normal: ArrayLike = (0.0, 0.0, 1.0),
    ) -> Tyre:
        """Add a tyre on a flat road, by the brush model.

        Forces along and across the wheel grow with the slip up to friction times the normal force,
        both together as one. Slip is the velocity of the tread over the rolling speed.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        body : Body or str
            The wheel.
        radius : float
            Radius [m].
        stiffness : float
            Vertical stiffness [N/m].
        friction : float, optional
            Coefficient of friction.
        longitudinal : float, optional
            Force per unit of small slip [N]; 20 radius stiffness / 3 by default.
        lateral : float, optional
            Force per radian of small slip angle [N]; as `longitudinal` by default.
        center : array_like of shape (3,), optional
            Centre of the wheel; its mass centre by default.
        axis : array_like of shape (3,), optional
            Axis of the wheel, the driver's left where it rolls forwards.
        damping : float, optional
            Vertical damping [s/m], as of a bump stop.
        half_length : float, optional
            Half the length of the contact [m], for the aligning moment.
        low_speed : float, optional
            Speed that is added in squares to the rolling speed [m/s]; at rest the tyre creeps.
        road : array_like of shape (3,), optional
            A point of the road, in the world.
        normal : array_like of shape (3,), optional
            Normal of the road.

        Returns
        -------
        Tyre
            The description.

        Examples
        --------
        >>> mech = ct.Mechanism()
        >>> wheel = mech.body("wheel", shape=ct.Cylinder((0, -0.1, 0.3), (0, 0.1, 0.3), 0.3), density=200)
        >>> _ = mech.joint("free", "ground", wheel, ct.Free())
        >>> mech.tyre("tyre", wheel, radius=0.3, stiffness=2e5).name
        'tyre'
        """
        who = self._new_force(name, "tyre")
        at = self._body(body, who)
        words = ("radius", "stiffness", "friction", "low_speed", "damping", "half_length")
        given = (radius, stiffness, friction, low_speed, damping, half_length)
        r, k, mu, low, c, half = (number(x, what, who) for x, what in zip(given, words, strict=True))
        along = 20.0 * r * k / 3.0 if longitudinal is None else number(longitudinal, "longitudinal", who)
        aside = along if lateral is None else number(lateral, "lateral", who)
        for what, size in zip((*words[:4], "longitudinal", "lateral"), (r, k, mu, low, along, aside), strict=True):
            if size <= 0.0:
                raise ForceError(f"{who}: {what} is {size:g}; it must be positive")
        if at is self.ground or c < 0.0 or half < 0.0:
            raise ForceError(f"{who}: give a body that moves, and damping and half_length that are not negative")
        e, n = vector(axis, "axis", who), vector(normal, "normal", who)
        if not e.any() or not n.any():
            raise ForceError(f"{who}: axis {tuple(e)} and normal {tuple(n)} must be directions; neither may be zero")
        middle = at.properties.com if center is None else vector(center, "center", who)
        e, n = fixed(e / np.linalg.norm(e)), fixed(n / np.linalg.norm(n))
        return self._element(
            Tyre(name, at.name, middle, e, r, k, c, mu, along, aside, half, low, vector(road, "road", who), n)
        )

    def central_gravity(
        self, name: str, body: Body | str, mu: float, center: ArrayLike = (0.0, 0.0, 0.0)
    ) -> CentralGravity:
        """Add the gravity of a planet, which acts together with that of `Mechanism(gravity=...)`.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        body : Body or str
            The body.
        mu : float
            Gravitational parameter [m^3/s^2]; that of the Earth is 3.986e14.
        center : array_like of shape (3,), optional
            Its centre, in the world.

        Returns
        -------
        CentralGravity
            The description.

        Examples
        --------
        >>> mech = ct.Mechanism(gravity=(0, 0, 0))
        >>> moon = mech.body("moon", mass=1, com=(7e6, 0, 0), inertia=(1, 1, 1))
        >>> mech.central_gravity("earth", moon, mu=3.986e14).body
        'moon'
        """
        who = self._new_force(name, "central gravity")
        at, size = self._body(body, who), number(mu, "mu", who)
        if at is self.ground or size <= 0.0:
            raise ForceError(f"{who}: give a body that moves and a positive mu, got {at.name!r} and {size:g}")
        p = at.properties
        return self._element(CentralGravity(name, at.name, size, vector(center, "center", who), p.com, p.mass))

    def _ends(self, body_a: Any, point_a: Any, body_b: Any, point_b: Any, who: str) -> tuple[str, Array, str, Array]:
        a, b = self._body(body_a, who).name, self._body(body_b, who).name
        if a == b:
            raise ForceError(f"{who} has both ends on body {a!r} and has no effect; name two different bodies")
        return a, vector(point_a, "point_a", who), b, vector(point_b, "point_b", who)

    def _element(self, made: Made) -> Made:
        self.elements[made.name] = made
        return made


def _length(length: Any, who: str) -> float | None:
    rest = None if length is None else number(length, "length", who)
    if rest is not None and rest < 0.0:
        raise ForceError(f"{who}: length is {rest}; it cannot be negative")
    return rest


def _one_sided(
    stiffness: Any, length: Any, damping: Any, exponent: Any, who: str
) -> tuple[float, float | None, float, float]:
    k, d, p = (
        number(x, what, who) for x, what in ((stiffness, "stiffness"), (damping, "damping"), (exponent, "exponent"))
    )
    if k <= 0.0 or d < 0.0 or p < 1.0:
        raise ForceError(
            f"{who}: stiffness is {k:g}, damping {d:g}, exponent {p:g}; give a positive stiffness, a damping that is not "
            f"negative and an exponent of at least 1"
        )
    return k, _length(length, who), d, p


def _six(value: Any, what: str, who: str) -> Array:
    """A symmetric 6x6 matrix that takes no energy from nowhere, from it, from its diagonal or from one number."""
    a = floats(value)
    full = (
        None if a is None or a.shape not in ((), (6,), (6, 6)) else a if a.ndim == 2 else np.diag(np.broadcast_to(a, 6))
    )
    if full is None or not np.isfinite(full).all() or not np.allclose(full, full.T, rtol=1e-12):
        raise ForceError(f"{who}: {what} must be a symmetric 6x6 array, six numbers or one, got {shown(value)}")
    least = np.linalg.eigvalsh(full)[0]
    if least < -1e-12 * np.abs(full).max():
        raise ForceError(f"{who}: {what} has the negative eigenvalue {least:.3g}; such a bearing would supply energy")
    return fixed(full.copy())
