"""`Mechanism`: bodies, joints, forces and constraints by name, described once in the world frame as assembled."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._keywords import methods_suggest_keywords
from cotree._suggested import Suggesting
from cotree.errors import (
    DuplicateNameError,
    ForceError,
    ForeignBodyError,
    ModelError,
    ModelWarning,
    UnconnectedError,
    UnknownNameError,
)
from cotree.model.body_data import given_properties
from cotree.model.checks import choice, fixed, number, rigid, shown, vector
from cotree.model.constraint_methods import Constraining
from cotree.model.constraints import Constraint
from cotree.model.curves import curve as table
from cotree.model.curves import passes_zero
from cotree.model.display import Floor, Showing, Trace
from cotree.model.element_methods import Acting
from cotree.model.forces import ARGUMENTS, MOTOR_ARGUMENTS, ForceElement, JointForce, Load, Spring, numbers_or_function
from cotree.model.functions import missing_functions
from cotree.model.inertia import MassProperties
from cotree.model.joints import Joint
from cotree.model.naming import check_characters
from cotree.model.naming import nearest as nearest
from cotree.model.pid import PID
from cotree.model.shapes import Shape, given_shape
from cotree.model.snapshot import Snapshots
from cotree.model.switch_methods import Switching
from cotree.model.switches import Action, Device
from cotree.typing import BreakingLoad, NumbersOrFunction

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence
    from os import PathLike

    from cotree.system.system import System
    from cotree.view.live.posing import PoseViewer

Array = NDArray[np.float64]
FROM_JOINTS = "joints"


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body. `frame` is the pose of the frame of its data: None for the world, "joints" if it follows
    from the joint frames along the tree, Geo (10)."""

    name: str
    properties: MassProperties
    frame: Array | str | None = None
    shape: Shape | None = None

    def __repr__(self) -> str:
        return f"<Body {self.name!r}, {self.properties.mass:g} kg>"

    def __deepcopy__(self, memo: Any) -> Body:  # immutable, compared by identity
        return self


@dataclass(frozen=True, eq=False)
class Connection:
    """A joint of the mechanism: `joint` from `parent` to `child`."""

    name: str
    parent: str
    child: str
    joint: Joint

    def __repr__(self) -> str:
        return f"<{type(self.joint).__name__} {self.name!r}: {self.parent} -> {self.child}>"

    def __deepcopy__(self, memo: Any) -> Connection:
        return self


@methods_suggest_keywords(
    "body", "joint", "spring", "force", "torque", "joint_spring", "joint_damper", "joint_inertia", "motor", "drive",
    "coupling", "gear", "friction", "nonlinear_spring", "nonlinear_joint_spring", "motor_curve", "rope", "bump_stop",
    "force_between", "bushing", "cable", "drag", "central_gravity",
    "distance", "knife_edge", "conserve", "rolling", "constraint", "lock", "brake", "limit", "dock", "unlock", "activate",
    "deactivate", "compile", "view", "floor", "scenery", "trace", "picture",
)  # fmt: skip
class Mechanism(Acting, Constraining, Switching, Showing, Snapshots, Suggesting):
    """Bodies, joints, forces and constraints of one mechanism; `compile` turns it into a `System` to compute with.

    >>> mech = ct.Mechanism("pendulum", gravity=(0, 0, -9.81))
    >>> bob = mech.body("bob", mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.01, 0.01))
    >>> hinge = mech.joint("hinge", mech.ground, bob, ct.Revolute(point=(0, 0, 0), axis=(0, 1, 0)))
    >>> mech.compile().coordinate_names
    ('hinge',)
    """

    synonyms: ClassVar[Mapping[str, str]] = {
        "damper": "joint_damper", "actuator": "force_between", "stribeck": "friction", "gravityfield": "central_gravity",
        "bumpstop": "bump_stop", "pulley": "cable", "tendon": "cable", "torquespeed": "motor_curve",
        "stop": "limit", "prescribe": "drive",
        "driver": "drive", "prescribedmotion": "drive", "clutch": "activate", "couplings": "coupling",
        "link": "body", "addbody": "body", "addjoint": "joint",
        "armature": "joint_inertia", "rotor": "joint_inertia", "rotorinertia": "joint_inertia",
        "weld": "joint", "hinge": "joint", "load": "force",
        "belt": "gear", "position": "q_start", "system": "compile", "build": "compile", "plot": "view", "show": "view",
        "run": "ct.simulate(...)", "dof": "ct.mobility(...)",
    }  # fmt: skip

    def __init__(self, name: str = "", gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        if not isinstance(name, str):
            raise ModelError(f"the name of a mechanism must be a string, got {shown(name)}")
        self.name = str(name)
        check_characters(self.name, "a mechanism")
        self.gravity = vector(gravity, "gravity", f"mechanism {self.name!r}")
        self.ground = Body("ground", MassProperties(0.0, fixed(np.zeros(3)), fixed(np.zeros((3, 3)))))
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, Connection] = {}
        self.springs: dict[str, Spring] = {}
        self.loads: dict[str, Load] = {}
        self.joint_forces: dict[str, JointForce] = {}
        self.elements: dict[str, ForceElement] = {}  # of registered kinds
        self.constraints: dict[str, Constraint] = {}
        self.devices: dict[str, Device] = {}  # locks, brakes, limits, docks
        self.actions: list[Action] = []  # when devices and constraints are switched
        self.scenery_shapes: list[Any] = []  # for pictures, as are the next two
        self.traces: dict[str, Trace] = {}
        self.floor_plane: Floor | None = None
        self.q_start: Array | None = None  # initial state given by a paper or benchmark, for the default compile()
        self.v_start: Array | None = None
        self.preferred_cut: tuple[str, ...] = ()  # joints that compile() cuts by default
        self.seen_order: tuple[str, ...] | None = None  # order of coordinates at the last compile()
        self.notes: tuple[str, ...] = ()  # contents of the source file that were not imported

    def __repr__(self) -> str:
        without = missing_functions(self)
        lacks = f", without the functions of {', '.join(without)}" if without else ""
        return f"<Mechanism {self.name!r}: {len(self.bodies)} bodies, {len(self.joints)} joints{lacks}>"

    # -- bodies and joints ------------------------------------------------------------------------------------

    def body(
        self,
        name: str,
        mass: float | None = None,
        com: ArrayLike | None = None,
        inertia: ArrayLike | None = None,
        pose: ArrayLike | None = None,
        shape: Shape | Sequence[Shape] | None = None,
        density: float | None = None,
        inertia_about: ArrayLike | None = None,
    ) -> Body:
        """Add a body: mass [kg], mass centre [m], inertia about it [kg m^2] (3x3 or diagonal).

        inertia may also be 6x6, for twists (angular, linear) about the origin of the frame [Geo (40)]; mass and com follow.
        With pose=None the data are in the world frame, as assembled; with a 4x4 pose, in the body frame placed there;
        with pose="joints", in a body frame whose pose follows from the joint frames. `shape` and `density` [kg/m^3]
        can replace the mass properties; several shapes, as a list, are drawn and weighed together. Without com, the mass centre
        is that of the shape (and without inertia too, the body is solid and homogeneous); without a shape it is the origin of
        the frame of the data.
        inertia_about: "com" (like None, but without the check that warns of a tensor about the origin), "origin" of that
        frame, or a point in it, for tensors that CAD gives about a point other than the mass centre.

        >>> mech = ct.Mechanism()
        >>> mech.body("rod", shape=ct.Rod((0, 0, 0), (1, 0, 0)), density=2700).name
        'rod'
        """
        self._new_name(name, "body", self.bodies, ("ground",))
        who = f"body {name!r}"
        frame = pose if pose is None or (isinstance(pose, str) and pose == FROM_JOINTS) else rigid(pose, "pose", who)
        looks = given_shape(shape, who)
        body = Body(name, given_properties(mass, com, inertia, looks, density, inertia_about, who), frame, looks)
        self.bodies[name] = body
        return body

    def joint(
        self, name: str, parent: Body | str, child: Body | str, joint: Joint, breaks_at: BreakingLoad | None = None
    ) -> Connection:
        """Connect two bodies; the joint coordinate measures the motion of the child relative to the parent.

        breaks_at: force [N], or pair of force and moment [N m], at which the joint breaks, as `breaks` says.

        >>> mech = ct.Mechanism()
        >>> bob = mech.body("bob", mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.01, 0.01))
        >>> mech.joint("hinge", mech.ground, bob, ct.Revolute(point=(0, 0, 0), axis=(0, 1, 0))).name
        'hinge'
        """
        self._new_name(name, "joint", self.joints)
        if not isinstance(joint, Joint):
            order = "; the order is joint(name, parent, child, joint)" if isinstance(parent, Joint) else ""
            raise ModelError(
                f"joint {name!r}: {shown(joint)} is not a joint; give a joint of the catalogue, such as "
                f"ct.Revolute(point, axis){order}"
            )
        who = f"joint {name!r}"
        a, b = self._body(parent, who).name, self._body(child, who).name
        if a == b:
            raise UnconnectedError(f"joint {name!r} connects body {a!r} with itself; name two different bodies")
        connection = Connection(name, a, b, joint)
        self.joints[name] = connection
        self._break_at(name, breaks_at)
        return connection

    # -- forces ------------------------------------------------------------------------------------------------

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

    @staticmethod
    def _check_coordinate(connection: Connection, coordinate: str | None, who: str, error: type[ModelError]) -> None:
        """A coordinate must be named if a joint has several, and only then."""
        names = [n.lstrip(".") for n in connection.joint.coordinate_names()]
        if connection.joint.dof == 0:
            raise error(f"{who}: joint {connection.name!r} is a weld and has no coordinate; name a joint that moves")
        if connection.joint.dof > 1 and not (isinstance(coordinate, str) and coordinate in names):
            raise error(
                f"{who}: joint {connection.name!r} has several coordinates; say which with coordinate= one of "
                f"{', '.join(map(repr, names))}"
            )
        if connection.joint.dof == 1 and coordinate is not None:
            raise error(f"{who}: joint {connection.name!r} has one coordinate only; leave coordinate out")

    # -- look-ups ----------------------------------------------------------------------------------------------

    def _new_name(self, name: Any, what: str, *taken: Container[str]) -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"the name of a {what} must be a non-empty string, got {shown(name)}")
        check_characters(name, f"a {what}")
        if any(name in names for names in taken):
            raise DuplicateNameError(f"{what} {name!r} exists already in mechanism {self.name!r}; choose another name")

    def _new_force(self, name: str, what: str) -> str:
        self._new_name(name, what, self.springs, self.loads, self.joint_forces, self.elements)
        return f"{what} {name!r}"

    def _body(self, body: Body | str, who: str) -> Body:
        name = body.name if isinstance(body, Body) else body
        found = None
        if isinstance(name, str):
            found = self.ground if name == "ground" else self.bodies.get(name)
        if isinstance(body, Body) and body is not found:
            raise ForeignBodyError(f"{who}: body {name!r} belongs to another mechanism; name one of {self.name!r}")
        if found is None:
            raise UnknownNameError(
                f"{who}: no body {shown(name)} in mechanism {self.name!r}{nearest(name, ('ground', *self.bodies))}"
            )
        return found

    def _connection(self, joint: Connection | str, who: str) -> Connection:
        name = joint.name if isinstance(joint, Connection) else joint
        found = self.joints.get(name) if isinstance(name, str) else None
        if isinstance(joint, Connection) and joint is not found:
            raise ForeignBodyError(f"{who}: joint {name!r} belongs to another mechanism; name one of {self.name!r}")
        if found is None:
            raise UnknownNameError(
                f"{who}: no joint {shown(name)} in mechanism {self.name!r}{nearest(name, self.joints)}"
            )
        return found

    # -- compilation -------------------------------------------------------------------------------------------

    def compile(
        self,
        coordinates: str = "relative",
        group: str | Mapping[Any, str] = "SE3",
        cut: Iterable[str | Connection] | str | None = None,
        regularize: bool = True,
        tolerance: float | None = None,
    ) -> System:
        """The `System` to compute with; for the arguments see `cotree.system.compile.compile_mechanism`.

        >>> system = ct.gallery.four_bar().compile(cut=["C"])
        >>> system.nq, system.nv, system.n_constraints
        (3, 3, 2)
        """
        # imported by name, so that this layer does not depend on the next
        door = importlib.import_module("cotree.system.compile")
        system = door.compile_mechanism(
            self, coordinates=coordinates, group=group, cut=cut, regularize=regularize, tolerance=tolerance
        )
        if coordinates == "relative" and cut is None:
            system = importlib.import_module("cotree.system.coordinate_order").with_doubts(self, system, looked_at=True)
            vars(self)["seen_order"] = system.coordinate_names  # bookkeeping, allowed on a frozen mechanism too
        for text in system.doubts:
            warnings.warn(text, ModelWarning, stacklevel=3)
        return system

    def snapped(self, tolerance: float = 1e-5) -> Self:
        """A copy in which the joints of closed loops are exact: axes that are parallel, perpendicular, coaxial or meet in a
        point within the tolerance (radians, and parts of the loop's size) do so to rounding. `compile` does so too.
        """
        return cast(Self, importlib.import_module("cotree.system.snapping").snapped_mechanism(self, tolerance))

    def compiled(self) -> System:
        """Compile for a run: as `compile`, but warnings about the mechanism are left to the run."""
        system = importlib.import_module("cotree.system.compile").compile_mechanism(self)
        return importlib.import_module("cotree.system.coordinate_order").with_doubts(self, system, looked_at=False)

    # -- pictures ----------------------------------------------------------------------------------------------

    def view(
        self,
        q: ArrayLike | None = None,
        port: int | None = None,
        open: bool | None = None,
        wait: bool | None = None,
        host: str = "127.0.0.1",
    ) -> PoseViewer:
        """Live view in the browser, at q or at the mechanism's start, with a slider for each one-DOF joint of the tree;
        loops are closed again after each move. The other arguments are those of `Run.view`."""
        return importlib.import_module("cotree.view.live").view_system(self, q, port, open, wait, host)

    def picture(
        self, path: str | PathLike[str], q: ArrayLike | None = None, size: tuple[int, int] = (720, 480)
    ) -> None:
        """Write a picture (.png, .jpg, .webp) of the mechanism at q or at its start; size [pixels]. Needs Pillow."""
        importlib.import_module("cotree.view.movie").write_picture(self, path, None, q, size)

    def _repr_html_(self) -> str:
        return str(importlib.import_module("cotree.view.notebook").mechanism_html(self))
