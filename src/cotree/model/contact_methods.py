"""Contacts as methods of `Mechanism`: each checks its arguments and stores a description."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING, Any

from cotree.errors import ModelError, ShapeError, SwitchError
from cotree.model.checks import number, shown
from cotree.model.contact_shapes import Surface
from cotree.model.contacts import Contact, FunctionContact
from cotree.model.forces import user_function
from cotree.model.lookups import LookUps
from cotree.model.shapes import Shape, is_shape, shapes_of

if TYPE_CHECKING:
    from cotree.model.constraints import Constraint
    from cotree.model.parts import Body
    from cotree.model.switches import Device


class Touching(LookUps):
    """Shapes that may touch during a motion."""

    ground: Body
    constraints: dict[str, Constraint]
    devices: dict[str, Device]

    def contact(
        self,
        name: str,
        body_a: Body | str,
        shape_a: Shape | Surface | None,
        body_b: Body | str,
        shape_b: Shape | Surface | None,
        friction: float = 0.0,
        restitution: float = 0.0,
        static_friction: float | None = None,
    ) -> Contact:
        """Let two shapes on two bodies touch: they push each other apart and rub, with Coulomb's friction.

        Parameters
        ----------
        name : str
            For `run.contact(name)` and messages.
        body_a, body_b : Body or str
            The bodies; ground is one too.
        shape_a, shape_b : shape or None
            In the frame of the body's data, the world as assembled: `ct.Point`, `ct.Plane`, `ct.Sphere`, `ct.Rod` (with round
            ends), `ct.Box`, `ct.Cylinder`, `ct.Hole`, `ct.Slot`, `ct.Profile`. None: the body's own shape.
        friction : float
            Coefficient of sliding friction.
        restitution : float
            From 0, no rebound, to 1: Newton's law for the velocities along the normal.
        static_friction : float, optional
            Coefficient that holds at rest, at least `friction`, which it is by default.

        Returns
        -------
        Contact
            The description.

        Raises
        ------
        SwitchError
            For coefficients that would supply energy.
        ShapeError
            For shapes that are none, or between which there is no contact.

        Examples
        --------
        >>> mech = ct.Mechanism("ball")
        >>> ball = mech.body("ball", shape=ct.Sphere((0, 0, 1), 0.1), density=1000)
        >>> free = mech.joint("free", mech.ground, ball, ct.Free())
        >>> mech.contact("floor", mech.ground, ct.Plane((0, 0, 0), (0, 0, 1)), ball, None, restitution=0.9).body_b
        'ball'
        """
        self._new_name(name, "contact", self.constraints, self.devices)
        who = f"contact {name!r}"
        a, b = self._body(body_a, who), self._body(body_b, who)
        if a is b:
            raise SwitchError(f"{who}: body {a.name!r} cannot touch itself; name two bodies")
        static = None if static_friction is None else number(static_friction, "static_friction", who)
        device = Contact(
            name, a.name, _shape_on(a, shape_a, who), b.name, _shape_on(b, shape_b, who), number(friction, "friction", who),
            number(restitution, "restitution", who), static,
        )  # fmt: skip
        device.check(who)
        self.devices[name] = device
        return device

    def contact_function(
        self,
        name: str,
        gap: Callable[..., Any],
        normal: Callable[..., Any] | None = None,
        tangent: Callable[..., Any] | None = None,
        friction: float = 0.0,
        restitution: float = 0.0,
    ) -> FunctionContact:
        """Let something touch whose gap is a user function, for research and for gaps that no shape has.

        Gap, rows and their rates can be measured; runs do not know such contacts yet and refuse them.

        Parameters
        ----------
        name : str
            For messages.
        gap : callable
            gap(q, t) or gap(q) in metres, negative where there is penetration.
        normal : callable, optional
            normal(q, t), shape (nv,): the row W_N with W_N v the rate of the gap at constant t. By default it comes from
            differences of the gap of eighth order.
        tangent : callable, optional
            tangent(q, t), shape (nv,) or (2, nv): rows of the velocity of slip. Friction needs it.
        friction, restitution : float
            As of `contact`.

        Returns
        -------
        FunctionContact
            The description.

        Raises
        ------
        SwitchError
            For coefficients that would supply energy, functions that are none, and friction without a tangent.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> mech.contact_function("pad", lambda q: 0.3 - q[0], restitution=0.5).word
        'contact'
        """
        self._new_name(name, "contact", self.constraints, self.devices)
        who, own = f"contact {name!r}", dict[str, Any]()
        for which, given in (("gap", gap), ("normal", normal), ("tangent", tangent)):
            if given is not None and not callable(given):
                raise SwitchError(f"{who}: {which} is {shown(given)}; give a function of q, t")
            own[which] = None if given is None else user_function(given, 1, ("q", "t"), f"{who}, {which}", SwitchError)
        device = FunctionContact(
            name, self.ground.name, None, self.ground.name, None, number(friction, "friction", who),
            number(restitution, "restitution", who), **own,
        )  # fmt: skip
        device.check(who)
        if device.friction > 0.0 and tangent is None:
            raise SwitchError(
                f"{who}: friction is {device.friction:g} without a tangent; give its rows, or no friction"
            )
        self.devices[name] = device
        return device

    def contacts(
        self, friction: float = 0.0, restitution: float = 0.0, static_friction: float | None = None
    ) -> tuple[Contact, ...]:
        """Let the shapes of all pairs of bodies that no joint connects touch, each pair under the name "a, b".

        Pairs that have a contact already stay as they are. Shapes between which there is no contact
        are refused by name when the mechanism is run.

        Parameters
        ----------
        friction : float, optional
            Coefficient of sliding friction.
        restitution : float, optional
            From 0, no rebound, to 1.
        static_friction : float, optional
            Coefficient that holds at rest; `friction` by default.

        Returns
        -------
        tuple of Contact
            The descriptions.

        Examples
        --------
        >>> mech = ct.Mechanism("two balls")
        >>> for name, x in (("a", 0.0), ("b", 1.0)):
        ...     ball = mech.body(name, shape=ct.Sphere((x, 0, 1), 0.1), density=1000)
        ...     _ = mech.joint("free " + name, mech.ground, ball, ct.Free())
        >>> len(mech.contacts(friction=0.3))
        1
        """
        joined = {frozenset((c.parent, c.child)) for c in self.joints.values()}
        joined |= {frozenset((d.body_a, d.body_b)) for d in self.devices.values() if isinstance(d, Contact)}
        solid = [b for b in self.bodies.values() if b.shape is not None]
        found = []
        for a, b in combinations(solid, 2):
            if frozenset((a.name, b.name)) not in joined:
                several = [(x, y) for x in shapes_of(a.shape) for y in shapes_of(b.shape)]
                for k, (x, y) in enumerate(several):
                    name = f"{a.name}, {b.name}" + (f" ({k + 1})" if len(several) > 1 else "")
                    found.append(self.contact(name, a, x, b, y, friction, restitution, static_friction))
        if not found:
            raise ModelError(
                f"mechanism {self.name!r}: no two bodies with shapes are left that no joint connects; name them with contact()"
            )
        return tuple(found)


def _shape_on(body: Body, shape: Any, who: str) -> Any:
    """The shape given, or the body's own where there is one only."""
    if shape is None:
        own = shapes_of(body.shape)
        if len(own) != 1:
            raise ShapeError(f"{who}: body {body.name!r} has {len(own)} shapes; give the one that touches")
        return own[0]
    if not (isinstance(shape, Surface) or is_shape(shape)) or isinstance(shape, type):
        raise ShapeError(
            f"{who}: {shown(shape)} is not a shape; give one such as ct.Sphere(center, radius) or ct.Plane(point, normal)"
        )
    return shape
