"""`Sensors`: what can be read of states, by name: of a run, of given states, of a stepper."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree.errors import ShapeError, UnknownNameError
from cotree.model.beams import Beam
from cotree.model.checks import choice, floats, shown
from cotree.model.mechanism import Body, Connection, nearest
from cotree.sensors.beams import BeamReading, beams_of
from cotree.sensors.elements import ElementReading, element_reading
from cotree.sensors.energies import EnergyReading
from cotree.sensors.joints import JointReading
from cotree.sensors.points import BodyEnergyReading, DistanceReading, OrientationReading, PointReading
from cotree.sensors.reactions import ReactionReading, all_reactions
from cotree.sensors.states import Block, LinkMotion, link_motion
from cotree.sensors.work import Stretch, inner_states
from cotree.system.sides import joint_sides
from cotree.system.switched import places_of
from cotree.system.system import System

Array = NDArray[np.float64]
AXES = ("world", "joint", "parent")


def _label(name: str | None) -> str | None:
    """The name of a reading in tables."""
    if name is not None and not isinstance(name, str):
        raise ShapeError(f"name is {shown(name)}; give a text, or none")
    return name


class Sensors:
    """Readings by name of states of one system, as `measure` and `run.sensors` return them.

    Arrays are computed when they are read.

    Parameters
    ----------
    system : System
        The system.
    blocks : iterable
        States and times.
    single : bool, optional
        One state, so that readings have no first axis.
    stretches : callable, optional
        Parts of the states that belong to one topology.

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> float(ct.measure(system, system.q0).joint("A").angle)
    0.0
    """

    def __init__(
        self,
        system: System,
        blocks: Iterable[Block],
        single: bool = False,
        stretches: Callable[[], tuple[Stretch, ...]] | None = None,
    ) -> None:
        self.system, self.blocks, self.single = system, tuple(blocks), single
        self._make_stretches = stretches
        self._motions: dict[tuple[int, bool], LinkMotion] = {}

    def __repr__(self) -> str:
        rows = "one state" if self.single else f"{len(self.t)} times"
        return (
            f"<Sensors of {self.system.name!r}: joint, point, orientation, distance, reaction, element, energy; {rows}>"
        )

    def joint(self, name: str | Connection) -> JointReading:
        """`.angle`, `.rate`, `.acceleration` of a joint, also where it is cut; `.degrees`."""
        return JointReading(self, self._joint_name(name))

    def point(self, body: str | Body, point: ArrayLike | None = None, name: str | None = None) -> PointReading:
        """`.position`, `.velocity`, `.acceleration` (T, 3), in the world frame, of a point fixed on a body.

        point: where it is in the reference assembly, or in the body's own frame where it has one, as for springs and
        loads; by default the mass centre. name: for tables.
        """
        body = self._body_name(body)
        if point is None and body != "ground":
            return PointReading(self, body, self.mass_centre(body), _label(name) or body)
        x = floats((0.0, 0.0, 0.0) if point is None else point)
        if x is None or x.shape != (3,) or not np.isfinite(x).all():
            raise ShapeError(f"point of body {body!r} must be three finite numbers, got {shown(point)}")
        return PointReading(self, body, places_of(self.system).point(body, x), _label(name) or body)

    def orientation(self, body: str | Body) -> OrientationReading:
        """`.matrix`, `.quaternion`, `.rotation_vector`, `.angular_velocity`, `.angular_acceleration` of a body."""
        body = self._body_name(body)
        return OrientationReading(self, body, body)

    def distance(
        self, body_a: str | Body, point_a: ArrayLike, body_b: str | Body, point_b: ArrayLike, name: str | None = None
    ) -> DistanceReading:
        """`.distance`, `.rate` and `.vector` between two points, each given as for `point`."""
        a, b = self.point(body_a, point_a), self.point(body_b, point_b)
        return DistanceReading(self, _label(name) or f"{a.body} to {b.body}", a, b)

    def reaction(self, joint: str | Connection, point: ArrayLike | None = None, axes: str = "world") -> ReactionReading:
        """`.moment`, `.force` (T, 3) that a joint transmits to its child, all within the joint included.

        point: about which moments are taken, in the world frame, (3,) or (T, 3); by default the joint's own point, which moves
        with the child. axes: "world", "joint" (the joint frame as the child carries it, its third axis along the joint's) or
        "parent" (as the parent carries it).
        """
        name = self._joint_name(joint)
        choice(axes, AXES, "axes")
        if point is None:
            return ReactionReading(self, name, None, axes)
        x = floats(point)
        if x is None or x.shape not in ((3,), (len(self.t), 3)) or not np.isfinite(x).all():
            raise ShapeError(f"reaction of joint {name!r}: point must be three finite numbers, or three for each time")
        return ReactionReading(self, name, x, axes)

    def element(self, name: str) -> ElementReading:
        """`.force`, `.power`, `.work` of a spring, damper, motor, load, driver, brake or another constraint."""
        found = element_reading(self, name) if isinstance(name, str) else None
        if found is None:
            mech = self.system.mechanism
            known = [*mech.springs, *mech.loads, *mech.joint_forces, *mech.elements, *mech.constraints, *mech.devices]
            is_joint = isinstance(name, str) and name in self.system.joint_names
            joint = "; it is a joint, for which there is reaction()" if is_joint else ""
            raise UnknownNameError(
                f"no element {shown(name)} in system {self.system.name!r}{joint or nearest(name, known)}"
            )
        return found

    def beam(self, name: str | Beam) -> BeamReading:
        """`.strain`, `.force`, `.moment` of the elements of a beam, and `.shape(t)`."""
        beams, label = beams_of(self.system), getattr(name, "name", name)
        if label not in beams:
            raise UnknownNameError(f"no beam {shown(label)} in system {self.system.name!r}{nearest(label, beams)}")
        return BeamReading(self, label)

    def state(self, name: str) -> Array:
        """(T,) of one of the numbers that laws keep: a state, what a sampled law holds ("servo.output"), the sign of a
        switching function; `system.state_names` has their names."""
        i = self.system.state_index(name)
        rows = np.concatenate(
            [np.empty((0, self.system.n_states)) if b.states is None else b.states for b in self.blocks]
        )
        if not len(rows):
            raise ShapeError(f"states of laws, such as {name!r}, are known in runs and steppers only")
        return np.asarray(rows[0, i] if self.single else rows[:, i])

    def body_energy(self, body: str | Body) -> BodyEnergyReading:
        """`.kinetic`, `.potential`, `.total` energy [J] of one body."""
        body = self._body_name(body)
        if body == "ground":
            raise UnknownNameError("body 'ground' has no energy; name a body that moves")
        return BodyEnergyReading(self, body, body)

    @property
    def energy(self) -> EnergyReading:
        """`.kinetic`, `.potential`, `.total` energy [J] of the whole mechanism."""
        return EnergyReading(self, "energy")

    # -- what readings are made of ---------------------------------------------------------------------------

    @cached_property
    def t(self) -> Array:
        return np.concatenate([b.t for b in self.blocks])

    @cached_property
    def q(self) -> Array:
        return np.concatenate([b.q for b in self.blocks])

    @cached_property
    def v(self) -> Array:
        return np.concatenate([b.v for b in self.blocks])

    @cached_property
    def v_dot(self) -> Array:
        """(T, nv): accelerations."""
        return np.concatenate([b.accelerated.v_dot for b in self.blocks])

    @cached_property
    def reactions(self) -> tuple[Array, Array]:
        """(T, joints, 6) about the joints' own points, and these points (T, joints, 3)."""
        return all_reactions(self.blocks)

    @cached_property
    def stretches(self) -> tuple[Stretch, ...]:
        """Times without switches, each with its states."""
        if self._make_stretches is not None:
            return self._make_stretches()
        return tuple(Stretch(b, slice(None)) for b in self.blocks)

    @cached_property
    def inner(self) -> list[tuple[Array, Block]]:
        """States between the rows, by which work is integrated."""
        return [inner_states(s.block) for s in self.stretches]

    def motion_of(self, body: str, accelerated: bool) -> LinkMotion:
        """Motion of the link of a body, kept for further readings."""
        link = int(self.system.bodies[self.system.body_rows[body]]["link"])
        key = (link, accelerated)
        if key not in self._motions:
            self._motions[key] = link_motion(self.blocks, link, accelerated)
        return self._motions[key]

    def rotation_of(self, body: str) -> Array:
        """(T, 3, 3) of the frame of a body's data."""
        frame = self.system.bodies[self.system.body_rows[body]]["frame"][:9].reshape(3, 3)
        rotated: Array = self.motion_of(body, False).C[:, :9].reshape(-1, 3, 3) @ frame
        return rotated

    def joint_axes(self, joint: str, axes: str) -> Array:
        """(T, 3, 3): joint frame as the child ("joint") or the parent carries it."""
        connection, side = self.system.mechanism.joints[joint], 0 if axes == "parent" else 1
        body = connection.parent if axes == "parent" else connection.child
        turned: Array = self.motion_of(body, False).C[:, :9].reshape(-1, 3, 3)
        return turned @ self.sides(joint)[side][:3, :3]

    # -- numbers of the mechanism ----------------------------------------------------------------------------

    def sides(self, joint: str) -> tuple[Array, Array]:
        """Frames of a joint on its parent and on its child, in the reference assembly."""
        return joint_sides(self.system, joint)

    def mass_centre(self, body: str) -> Array:
        """Of a body in the reference assembly, about the system's origin."""
        return places_of(self.system).point(body, self.system.mechanism.bodies[body].properties.com)

    def properties(self, body: str) -> tuple[Any, Array, Array]:
        """Mass, mass centre and tensor about it, in the body's own frame where it has one."""
        p = self.system.mechanism.bodies[body].properties
        return p.mass, p.com, p.inertia

    @property
    def gravity(self) -> Array:
        return np.asarray(self.system.mechanism.gravity)

    def reflected(self, name: str, iv: int) -> Any:
        """Inertia of a rotor, reflected to the coordinate with place iv in v."""
        return self.system.mechanism.joint_forces[name].reflected

    def _joint_name(self, joint: Any) -> str:
        name = joint.name if isinstance(joint, Connection) else joint
        if not isinstance(name, str) or name not in self.system.joint_names:
            hint = nearest(name, self.system.joint_names)
            raise UnknownNameError(f"no joint {shown(name)} in system {self.system.name!r}{hint}")
        return name

    def _body_name(self, body: Any) -> str:
        row = self.system.row_of(body)
        return "ground" if row == 0 else self.system.body_names[row - 1]
