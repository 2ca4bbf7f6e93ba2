"""`Mechanism`: bodies, joints, forces and constraints by name, described once in the world frame as assembled."""

from __future__ import annotations

import importlib
import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._keywords import methods_suggest_keywords
from cotree._suggested import Suggesting
from cotree.errors import (
    ModelError,
    ModelWarning,
    UnconnectedError,
)
from cotree.model.beams import Bending
from cotree.model.body_data import given_properties
from cotree.model.checks import fixed, rigid, shown, vector
from cotree.model.constraint_methods import Constraining
from cotree.model.constraints import Constraint
from cotree.model.contact_methods import Touching
from cotree.model.display import Floor, Showing, Trace
from cotree.model.element_methods import Acting
from cotree.model.force_methods import Loading
from cotree.model.forces import ForceElement, JointForce, Load, Spring
from cotree.model.functions import missing_functions
from cotree.model.inertia import MassProperties
from cotree.model.joints import Joint
from cotree.model.naming import check_characters
from cotree.model.naming import nearest as nearest
from cotree.model.part_methods import Assembling
from cotree.model.parts import Body as Body
from cotree.model.parts import Connection as Connection
from cotree.model.shapes import Shape, given_shape
from cotree.model.snapshot import Snapshots
from cotree.model.switch_methods import Switching
from cotree.model.switches import Action, Device
from cotree.typing import BreakingLoad

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from cotree.system.system import System
    from cotree.view.live.posing import PoseViewer

Array = NDArray[np.float64]
FROM_JOINTS = "joints"


@methods_suggest_keywords
class Mechanism(
    Loading, Acting, Bending, Constraining, Switching, Touching, Assembling, Showing, Snapshots, Suggesting
):
    """Bodies, joints, forces and constraints of one mechanism, described in the world frame as assembled.

    Parameters
    ----------
    name : str, optional
        Name for messages and files.
    gravity : array_like of shape (3,), optional
        Acceleration of gravity [m/s^2].

    See Also
    --------
    simulate : Simulate it.
    mobility : Count its degrees of freedom.

    Examples
    --------
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

    def __str__(self) -> str:
        """The same with masses and sizes, in which wrong units show."""
        masses = [b.properties.mass for b in self.bodies.values()]
        if not masses:
            return repr(self)
        ends = sorted({f"{m:.3g}" for m in (min(masses), max(masses))}, key=float)
        given = [getattr(c.joint, "point", None) for c in self.joints.values()]
        points = np.array([x for x in given if x is not None]).reshape(-1, 3)
        across = f"; joints {np.ptp(points, axis=0).max():.3g} m apart" if len(points) > 1 else ""
        return f"{repr(self)[:-1]}; masses {' to '.join(ends)} kg, {sum(masses):.4g} kg in all{across}>"

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
        """Add a body.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        mass : float, optional
            Mass [kg]; from shape and density by default.
        com : array_like of shape (3,), optional
            Mass centre [m]; that of the shape by default.
        inertia : array_like, optional
            Inertia about the mass centre [kg m^2], (3, 3) or its diagonal; or (6, 6) for twists
            about the origin of the frame, from which mass and com follow [Geo (40)].
        pose : array_like of shape (4, 4) or "joints", optional
            Frame of the data; None for the world, as assembled; "joints" if it follows from the
            joint frames.
        shape : Shape or sequence, optional
            What is drawn; several shapes are drawn and weighed together.
        density : float, optional
            Density of the shape [kg/m^3].
        inertia_about : "com", "origin" or array_like, optional
            The point to which `inertia` refers. None is "com" with checks that warn of a likely
            mistake.

        Returns
        -------
        Body
            The body, for `joint` and others, which also take its name.

        Raises
        ------
        DuplicateNameError
            If the name is taken.
        InertiaError
            If no distribution of mass has this inertia.
        MassError
            For a mass that is not positive.

        Examples
        --------
        >>> mech = ct.Mechanism()
        >>> mech.body("rod", shape=ct.Rod((0, 0, 0), (1, 0, 0)), density=2700).name
        'rod'
        """
        self._new_name(name, "body", self.bodies, ("ground",))
        who = f"body {name!r}"
        frame = pose if pose is None or (isinstance(pose, str) and pose == FROM_JOINTS) else rigid(pose, "pose", who)
        looks = given_shape(shape, who)
        given = given_properties(mass, com, inertia, looks, density, inertia_about, who, frame)
        body = Body(name, given, frame, looks)
        self.bodies[name] = body
        return body

    def joint(
        self, name: str, parent: Body | str, child: Body | str, joint: Joint, breaks_at: BreakingLoad | None = None
    ) -> Connection:
        """Connect two bodies by a joint.

        The coordinate measures the motion of the child relative to the parent and is zero as
        assembled.

        Parameters
        ----------
        name : str
            Name, unique in the mechanism.
        parent : Body or str
            First body, often `mech.ground`.
        child : Body or str
            Second body.
        joint : Joint
            `ct.Revolute(point, axis)` or another joint.
        breaks_at : float or tuple, optional
            Force [N], or force and moment [N m], at which it breaks.

        Returns
        -------
        Connection
            The joint, for `motor` and others, which also take its name.

        Raises
        ------
        ForeignBodyError
            For a body of another mechanism.
        UnknownNameError
            For a body that does not exist.

        Examples
        --------
        >>> mech = ct.Mechanism()
        >>> bob = mech.body("bob", mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.01, 0.01))
        >>> mech.joint("hinge", mech.ground, bob, ct.Revolute(point=(0, 0, 0), axis=(0, 1, 0))).name
        'hinge'
        """
        self._new_name(name, "joint", self.joints)
        if not isinstance(joint, Joint):
            order = "; the order is joint(name, parent, child, joint)" if isinstance(parent, Joint) else ""
            raise ModelError(f"joint {name!r}: {_no_joint(joint)}{order}")
        who = f"joint {name!r}"
        a, b = self._body(parent, who).name, self._body(child, who).name
        if a == b:
            raise UnconnectedError(f"joint {name!r} connects body {a!r} with itself; name two different bodies")
        connection = Connection(name, a, b, joint)
        self.joints[name] = connection
        self._break_at(name, breaks_at)
        return connection

    # -- look-ups ----------------------------------------------------------------------------------------------

    # -- compilation -------------------------------------------------------------------------------------------

    def compile(
        self,
        coordinates: str = "relative",
        group: str | Mapping[Any, str] = "SE3",
        cut: Iterable[str | Connection] | str | None = None,
        regularize: bool = True,
        tolerance: float | None = None,
    ) -> System:
        """Compile the mechanism to the `System` that functions compute with.

        Parameters
        ----------
        coordinates : str, optional
            "relative": joint coordinates of a tree; "absolute": six coordinates per body.
        group : str or dict, optional
            In absolute coordinates the group of the velocities: "SE3", "SO3xR3", "auto", or by
            body [Lie].
        cut : str, Connection or iterable, optional
            Joints at which loops are cut; chosen by default.
        regularize : bool, optional
            Leave out loop equations that are redundant in every configuration [Reg].
        tolerance : float, optional
            Tolerance within which axes of loops are made exactly parallel, perpendicular or
            concurrent.

        Returns
        -------
        System
            Frozen tables of numbers, with names.

        Raises
        ------
        UnconnectedError
            If a body is not connected to ground.

        Warns
        -----
        ModelWarning
            Where the description looks like a mistake.

        Examples
        --------
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
        """Copy the mechanism with joints of closed loops made exact, as `compile` does.

        Axes that are parallel, perpendicular, coaxial or concurrent within the tolerance become so
        to rounding.

        Parameters
        ----------
        tolerance : float, optional
            In radians, and in parts of the loop's size.

        Returns
        -------
        Mechanism
            The copy.

        Examples
        --------
        >>> ct.gallery.four_bar().snapped().name
        'four-bar'
        """
        return cast(Self, importlib.import_module("cotree.system.snapping").snapped_mechanism(self, tolerance))

    def compiled(self) -> System:
        """Compile for a run: as `compile`, but warnings about the mechanism are left to the run.

        Returns
        -------
        System
            The system.

        Examples
        --------
        >>> ct.gallery.four_bar().compiled().nv
        3
        """
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
        """Show the mechanism live in the browser, with a slider for each one-DOF joint of the tree.

        Loops are closed again after each move.

        Parameters
        ----------
        q : array_like of shape (nq,), optional
            Coordinates; the mechanism's start by default.
        port : int, optional
            As for `Run.view`.
        open : bool, optional
            As for `Run.view`.
        wait : bool, optional
            As for `Run.view`.
        host : str, optional
            As for `Run.view`.

        Returns
        -------
        PoseViewer
            The viewer, with `.url` and `.close()`.

        Raises
        ------
        MissingPackageError
            Without viser: pip install 'cotree[view]'.
        """
        return importlib.import_module("cotree.view.live").view_system(self, q, port, open, wait, host)

    def picture(
        self, path: str | PathLike[str], q: ArrayLike | None = None, size: tuple[int, int] = (720, 480)
    ) -> None:
        """Write a picture of the mechanism.

        Parameters
        ----------
        path : str or path
            File (.png, .jpg, .webp).
        q : array_like of shape (nq,), optional
            Coordinates; the mechanism's start by default.
        size : tuple of int, optional
            Width and height in pixels.

        Raises
        ------
        MissingPackageError
            Without Pillow.

        Examples
        --------
        >>> import tempfile
        >>> ct.gallery.four_bar().picture(tempfile.mkdtemp() + "/four_bar.png", size=(72, 48))
        """
        importlib.import_module("cotree.view.movie").write_picture(self, path, None, q, size)

    def _repr_html_(self) -> str:
        return str(importlib.import_module("cotree.view.notebook").mechanism_html(self))


def _no_joint(given: Any) -> str:
    if isinstance(given, type) and issubclass(given, Joint):
        return f"{given.__name__} is a class and not a joint; call it, as in {given.__name__}(...)"
    return f"{shown(given)} is not a joint; give a joint of the catalogue, such as ct.Revolute(point, axis)"
