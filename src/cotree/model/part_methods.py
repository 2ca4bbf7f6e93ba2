"""Ready parts as methods of `Mechanism`: each adds bodies, joints and forces under one name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cotree.model.checks import number, vector
from cotree.model.constraints import Coupling
from cotree.model.force_elements import Belt, Rope
from cotree.model.joints import Planar
from cotree.model.lookups import LookUps
from cotree.model.ready_parts.cylinder import STEEL, CylinderPart, add_cylinder
from cotree.model.ready_parts.frames import positive
from cotree.model.ready_parts.planetary import PlanetaryPart, add_planetary
from cotree.model.ready_parts.transmissions import ScrewPart, ShaftPart, add_screw_jack, add_shaft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from cotree.model.parts import Body, Connection


class Assembling(LookUps):
    """Cylinders, planetary sets, shafts and other parts that are put together from bodies and joints."""

    def cylinder(
        self,
        name: str,
        body_a: Body | str,
        point_a: ArrayLike,
        body_b: Body | str,
        point_b: ArrayLike,
        axis: ArrayLike | None = None,
        stroke: Sequence[float] | None = None,
        cushion: Sequence[float] | None = None,
        radius: float | None = None,
        density: float = STEEL,
        masses: Sequence[float] | None = None,
    ) -> CylinderPart:
        """Add a hydraulic cylinder between a point of body a, its foot, and one of body b, its eye.

        The joint with the part's name slides; its displacement [m] is zero as assembled.

        Parameters
        ----------
        name : str
            Name of the part, unique in the mechanism.
        body_a : Body or str
            Body at the foot.
        point_a : array_like of shape (3,)
            The foot [m], in the world as assembled.
        body_b : Body or str
            Body at the eye.
        point_b : array_like of shape (3,)
            The eye [m], in the world as assembled.
        axis : array_like of shape (3,), optional
            Axis of the pins at both ends, where the mechanism is plane; by default the foot is a
            universal joint and the eye a ball.
        stroke : pair of float, optional
            Shortest and longest distance [m] of the two points, at which there are stops.
        cushion : pair of float, optional
            Length [m] of elastic buffers before both stops, and their force [N] at these.
        radius : float, optional
            Radius [m] of the barrel, 0.04 of the length by default; the rod has half of it.
        density : float, optional
            Density [kg/m^3] of both.
        masses : pair of float, optional
            Masses [kg] of barrel and rod in place of the density.

        Returns
        -------
        CylinderPart
            Its `stroke` (a joint), `barrel`, `rod`, `foot` and `eye`.

        Examples
        --------
        >>> mech = ct.Mechanism()
        >>> lid = mech.body("lid", mass=20.0, com=(0.5, 0, 0), inertia=(1, 2, 2))
        >>> hinge = mech.joint("hinge", "ground", lid, ct.Revolute((0, 0, 0), "y"))
        >>> part = mech.cylinder("lift", "ground", (0.3, 0, -0.6), lid, (0.5, 0, 0), axis="y")
        >>> drive = mech.drive("extend", "lift", ct.Trapezoid(0.0, 0.2, speed=0.1, acceleration=0.5))
        >>> round(float(ct.simulate(mech, 3.0).joint("lift").angle[-1]), 6)
        0.2
        """
        return add_cylinder(
            self, name, body_a, point_a, body_b, point_b, axis, stroke, cushion, radius, density, masses
        )

    def planetary(
        self,
        name: str,
        sun: Connection | str,
        ring: Connection | str,
        carrier: Connection | str,
        teeth: Sequence[float],
        planets: int = 0,
        module: float = 0.0,
        width: float = 0.02,
        density: float = STEEL,
    ) -> PlanetaryPart:
        """Add a planetary set of three shafts, given by the joints in which they turn about one axis.

        Their angles satisfy Willis' equation,
        teeth[0] (sun - carrier) + teeth[1] (ring - carrier) = 0.

        Parameters
        ----------
        name : str
            Name of the part, unique in the mechanism.
        sun : Connection or str
            Joint of the sun's shaft.
        ring : Connection or str
            Joint of the ring's shaft.
        carrier : Connection or str
            Joint of the carrier's shaft.
        teeth : pair of float
            Numbers of teeth of sun and ring.
        planets : int, optional
            Planet wheels to be added on the carrier: solid cylinders that turn with the mesh.
        module : float, optional
            Module [m], which the planets need.
        width : float, optional
            Width [m] of the planets.
        density : float, optional
            Their density [kg/m^3].

        Returns
        -------
        PlanetaryPart
            Its `coupling`, and the `planets` with their `pins`.

        Examples
        --------
        >>> mech = ct.Mechanism(gravity=(0, 0, 0))
        >>> for name in ("sun", "ring", "carrier"):
        ...     body = mech.body(name, mass=1.0, com=(0, 0, 0), inertia=(0.02, 0.02, 0.02))
        ...     joint = mech.joint(f"{name} shaft", "ground", name, ct.Revolute((0, 0, 0), "z"))
        >>> shafts = ("sun shaft", "ring shaft", "carrier shaft")
        >>> part = mech.planetary("gear", *shafts, teeth=(24, 60), planets=3, module=0.002)
        >>> ct.mobility(mech).local
        2
        """
        return add_planetary(self, name, sun, ring, carrier, teeth, planets, module, width, density)

    def differential(
        self, name: str, left: Connection | str, right: Connection | str, cage: Connection | str
    ) -> Coupling:
        """Add a differential: the angles of both shafts add up to twice that of the cage.

        Parameters
        ----------
        name : str
            Name of the part, unique in the mechanism.
        left : Connection or str
            Joint of one shaft.
        right : Connection or str
            Joint of the other.
        cage : Connection or str
            Joint of the cage.

        Returns
        -------
        Coupling
            The constraint; it divides the torque equally.

        Examples
        --------
        >>> mech = ct.Mechanism(gravity=(0, 0, 0))
        >>> for name in ("left", "right", "cage"):
        ...     body = mech.body(name, mass=1.0, com=(0, 0, 0), inertia=(0.02, 0.02, 0.02))
        ...     joint = mech.joint(f"{name} shaft", "ground", name, ct.Revolute((0, 0, 0), "z"))
        >>> axle = mech.differential("axle", "left shaft", "right shaft", "cage shaft")
        >>> ct.mobility(mech).local
        2
        """
        shafts = [self._connection(joint, f"differential {name!r}").name for joint in (left, right, cage)]
        mech: Any = self
        coupled: Coupling = mech.coupling(name, dict(zip(shafts, (1.0, 1.0, -2.0), strict=True)))
        return coupled

    def elastic_gear(
        self,
        name: str,
        joint_a: Connection | str,
        joint_b: Connection | str,
        ratio: float,
        stiffness: float,
        damping: float = 0.0,
        backlash: float = 0.0,
    ) -> Belt:
        """Add a gear with elastic teeth and backlash.

        Parameters
        ----------
        name : str
            Name of the part, unique in the mechanism.
        joint_a : Connection or str
            First joint, in the tree.
        joint_b : Connection or str
            Second joint, in the tree.
        ratio : float
            angle_a = ratio angle_b; negative for external gears.
        stiffness : float
            Stiffness [N m/rad] at shaft a.
        damping : float, optional
            Damping [N m s/rad] at shaft a, which acts in the backlash too.
        backlash : float, optional
            Angle [rad] at shaft a from one flank to the other.

        Returns
        -------
        Belt
            The description; its sensor reads the torque at shaft a.

        Examples
        --------
        >>> mech = ct.Mechanism(gravity=(0, 0, 0))
        >>> for name in ("a", "b"):
        ...     body = mech.body(name, mass=1.0, com=(0, 0, 0), inertia=(0.02, 0.02, 0.02))
        ...     joint = mech.joint(f"{name} shaft", "ground", name, ct.Revolute((0, 0, 0), "z"))
        >>> mech.elastic_gear("teeth", "a shaft", "b shaft", -2.0, stiffness=50.0, backlash=0.01).name
        'teeth'
        """
        mech: Any = self
        gear: Belt = mech.belt(name, joint_a, joint_b, 1.0, ratio, stiffness, damping, backlash)
        return gear

    def screw_jack(
        self,
        name: str,
        base: Body | str,
        point: ArrayLike,
        load: Body | str,
        end: ArrayLike,
        lead: float,
        radius: float | None = None,
        density: float = STEEL,
    ) -> ScrewPart:
        """Add a screw jack: a spindle from a point of its base to a nut in the load.

        The joint with the part's name turns the spindle.

        Parameters
        ----------
        name : str
            Name of the part, unique in the mechanism.
        base : Body or str
            Body in which the spindle turns.
        point : array_like of shape (3,)
            Its bearing [m], in the world as assembled.
        load : Body or str
            Body with the nut, which the mechanism guides.
        end : array_like of shape (3,)
            The nut [m], in the world as assembled.
        lead : float
            Displacement [m] of the nut in one turn of the spindle.
        radius : float, optional
            Radius [m] of the spindle.
        density : float, optional
            Density [kg/m^3] of the spindle.

        Returns
        -------
        ScrewPart
            Its joint `turning`, `spindle` and `nut`.

        Examples
        --------
        >>> mech = ct.Mechanism()
        >>> table = mech.body("table", mass=100.0, com=(0, 0, 1), inertia=(5, 5, 5))
        >>> guide = mech.joint("guide", "ground", table, ct.Prismatic(axis="z"))
        >>> jack = mech.screw_jack("jack", "ground", (0, 0, 0), table, (0, 0, 1), lead=0.005)
        >>> system = mech.compile()
        >>> print(ct.actuator_forces(system, system.q0, actuators=["jack"]))
        <ActuatorForces [N m, or N of sliding joints]: jack 0.780655>
        """
        return add_screw_jack(self, name, base, point, load, end, lead, radius, density)

    def shaft(
        self,
        name: str,
        body_a: Body | str,
        point_a: ArrayLike,
        axis_a: ArrayLike,
        body_b: Body | str,
        point_b: ArrayLike,
        axis_b: ArrayLike,
        slip: bool = True,
        radius: float | None = None,
        density: float = STEEL,
    ) -> ShaftPart:
        """Add a universal-joint shaft between two bodies that turn.

        Both yokes on the shaft lie in one plane, so that with equal angles it turns evenly.

        Parameters
        ----------
        name : str
            Name of the part, unique in the mechanism.
        body_a : Body or str
            Body at one end.
        point_a : array_like of shape (3,)
            Its universal joint [m], in the world as assembled.
        axis_a : array_like of shape (3,)
            Axis about which body a turns.
        body_b : Body or str
            Body at the other end.
        point_b : array_like of shape (3,)
            Its universal joint [m].
        axis_b : array_like of shape (3,)
            Axis about which body b turns.
        slip : bool, optional
            Whether it is made of two halves that slide on each other.
        radius : float, optional
            Radius [m] of the shaft.
        density : float, optional
            Its density [kg/m^3].

        Returns
        -------
        ShaftPart
            Its `halves`, joints `first` and `second`, and `slip`.

        Examples
        --------
        >>> mech = ct.Mechanism(gravity=(0, 0, 0))
        >>> for name, at in (("a", (0, 0, 0)), ("b", (1, 0.3, 0))):
        ...     body = mech.body(name, mass=1.0, com=at, inertia=(0.01, 0.01, 0.01))
        ...     joint = mech.joint(f"bearing {name}", "ground", name, ct.Revolute(at, "x"))
        >>> part = mech.shaft("shaft", "a", (0, 0, 0), "x", "b", (1, 0.3, 0), "x")
        >>> ct.mobility(mech).local
        1
        """
        return add_shaft(self, name, body_a, point_a, axis_a, body_b, point_b, axis_b, slip, radius, density)

    def clearance(
        self,
        name: str,
        body_a: Body | str,
        body_b: Body | str,
        point: ArrayLike,
        radius_gap: float,
        stiffness: float,
        damping: float = 0.0,
        exponent: float = 1.5,
        axis: ArrayLike | None = None,
    ) -> Rope:
        """Add a bearing with clearance in place of a joint: a pin in a hole that is larger.

        The pin is free within the gap, and is pushed back, without friction, where it is
        pressed in by x.

        Parameters
        ----------
        name : str
            Name of the part, unique in the mechanism.
        body_a : Body or str
            Body with the hole.
        body_b : Body or str
            Body with the pin.
        point : array_like of shape (3,)
            Centre [m] of both, as assembled.
        radius_gap : float
            By how much [m] the radius of the hole is larger.
        stiffness : float
            Stiffness [N/m^exponent] of the contact.
        damping : float, optional
            Damping [s/m]: the force is stiffness x^exponent (1 + damping dx/dt).
        exponent : float, optional
            1.5 after Hertz.
        axis : array_like of shape (3,), optional
            Axis of the pin, where the mechanism is plane; by default it is a ball in a socket.

        Returns
        -------
        Rope
            The force, with the name of the part; `length` is the distance of the centres.

        Examples
        --------
        >>> mech = ct.Mechanism()
        >>> pin = mech.body("pin", mass=2.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1))
        >>> gap = mech.clearance("B", "ground", pin, (0, 0, 0), radius_gap=1e-3, stiffness=1e7, axis="y")
        >>> float(ct.simulate(mech, 0.01).element("B").force[-1])
        0.0
        """
        who = f"clearance {name!r}"
        mech: Any = self
        at = vector(point, "point", who)
        gap = positive(number(radius_gap, "radius_gap", who), "radius_gap", who)
        if axis is not None:
            mech.joint(f"{name} plane", body_a, body_b, Planar(at, axis))
        force: Rope = mech.rope(name, body_a, at, body_b, at, stiffness, gap, damping, exponent)
        return force
