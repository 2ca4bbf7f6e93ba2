"""Ready parts as methods of `Mechanism`: each adds bodies, joints and forces under one name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cotree.model.checks import number, vector
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
        """Hydraulic cylinder between a point of body a (its foot) and one of body b, both in the world as assembled.

        It is a barrel and a rod; the joint with the part's name slides, and its displacement [m] is zero as assembled: drive
        it, give it a motor, or ask a run for it by this name. axis: of the pins at both ends, where the mechanism is plane;
        otherwise the foot is a universal joint and the eye a ball. stroke: shortest and longest distance of the two points [m],
        at which there are stops; cushion: (length [m], force [N]) of elastic buffers before them. Mass: of both parts, or by
        radius of the barrel and density.

        >>> mech = ct.Mechanism()
        >>> lid = mech.body("lid", mass=20.0, com=(0.5, 0, 0), inertia=(1, 2, 2))
        >>> hinge = mech.joint("hinge", "ground", lid, ct.Revolute(point=(0, 0, 0), axis=(0, 1, 0)))
        >>> part = mech.cylinder("lift", "ground", (0.3, 0, -0.6), lid, (0.5, 0, 0), axis=(0, 1, 0), stroke=(0.5, 0.9))
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
        """Planetary set of three shafts, given by the joints in which they turn about one axis: teeth of sun and ring.

        Their angles fulfil Willis' equation, teeth[0] (sun - carrier) + teeth[1] (ring - carrier) = 0. planets: number of
        planet wheels to be added on the carrier, solid cylinders by the module [m], width [m] and density, which turn with the
        mesh and have inertia.

        >>> mech = ct.Mechanism()
        >>> for shaft in ("sun", "ring", "carrier"):
        ...     body = mech.body(shaft, mass=1.0, com=(0, 0, 0), inertia=(0.01, 0.01, 0.02))
        ...     joint = mech.joint(f"{shaft} shaft", "ground", shaft, ct.Revolute((0, 0, 0), (0, 0, 1)))
        >>> part = mech.planetary("gear", "sun shaft", "ring shaft", "carrier shaft", teeth=(24, 60), planets=3, module=0.002)
        >>> ct.mobility(mech).local
        2
        """
        return add_planetary(self, name, sun, ring, carrier, teeth, planets, module, width, density)

    def differential(self, name: str, left: Connection | str, right: Connection | str, cage: Connection | str) -> Any:
        """Differential: the angles of both shafts add up to twice that of the cage; it divides the torque equally."""
        shafts = [self._connection(joint, f"differential {name!r}").name for joint in (left, right, cage)]
        mech: Any = self
        return mech.coupling(name, dict(zip(shafts, (1.0, 1.0, -2.0), strict=True)))

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
        """Gear with elastic teeth and backlash: stiffness [N m/rad] and damping [N m s/rad] act on angle_a - ratio angle_b, as
        far as it is more than half the backlash [rad] to either side; all at shaft a. Negative ratio: external gears."""
        mech: Any = self
        found: Belt = mech.belt(name, joint_a, joint_b, 1.0, ratio, stiffness, damping, backlash)
        return found

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
        """Screw jack: a spindle from a point of its base to a nut in the load, at another; points in the world as assembled.

        The joint with the part's name turns the spindle; a load that cannot turn moves on by `lead` [m] with each turn, which
        the mechanism guides (a slide, for instance)."""
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
        """Universal-joint shaft between two bodies that turn about axis_a and axis_b; points in the world as assembled.

        Both yokes on the shaft lie in one plane, so that with equal angles it transmits turning evenly. slip: it is made of two
        halves that slide on each other, as bearings in fixed places and axles that move need."""
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
        """Bearing with clearance in place of a joint, a pin in a hole that is larger by radius_gap [m]: it pushes back with
        stiffness x^exponent (1 + damping dx/dt) [N] where the pin is pressed in by x. axis: of the pin, where the mechanism is
        plane; without it, a ball in a socket. The force has the name of the part; `rate` and `length` are those of the pin."""
        who = f"clearance {name!r}"
        mech: Any = self
        at = vector(point, "point", who)
        gap = positive(number(radius_gap, "radius_gap", who), "radius_gap", who)
        if axis is not None:
            mech.joint(f"{name} plane", body_a, body_b, Planar(at, axis))
        found: Rope = mech.rope(name, body_a, at, body_b, at, stiffness, gap, damping, exponent)
        return found
