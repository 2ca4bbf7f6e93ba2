"""`System`: a mechanism as frozen tables of numbers. Inert: free functions compute with it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cotree._suggested import Suggesting
from cotree.errors import CopyError, ForeignBodyError, UnknownNameError
from cotree.model.checks import fixed, shown
from cotree.model.constraints import Constraint
from cotree.model.features import Features
from cotree.model.mechanism import Body, Mechanism, nearest
from cotree.system.force_kinds import ForceKind
from cotree.system.law_layout import LawPlace, law_places
from cotree.system.per_thread import Own, Workspace
from cotree.system.regularization import LoopRows
from cotree.system.rows import ExtraRows, all_kinds, all_rows
from cotree.system.snapping import Snapping
from cotree.topology import Graph, Loop, SpanningTree

if TYPE_CHECKING:
    from cotree.view.live.posing import PoseViewer

Array = NDArray[np.float64]
Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Elements:
    """Tables of the force elements, and the functions that fill the variable ones."""

    springs: NDArray[np.void]
    loads: NDArray[np.void]
    joint_forces: NDArray[np.void]
    constants: Array  # numbers of the loads, then of the motors; NaN where a function gives them
    functions: tuple[tuple[int, Any], ...]  # (row of `constants`, UserFunction)
    kinds: tuple[tuple[ForceKind, NDArray[np.void]], ...]  # of elements from outside, with their tables
    pieces: NDArray[np.void]


@dataclass(frozen=True, eq=False)
class System(Suggesting):
    """A compiled mechanism: tables of numbers, and the names that lead back to the mechanism.

    Bodies are in row order, each after its parent. `print(system)` shows the tree, cut joints,
    loops and constraint equations.

    Attributes
    ----------
    mechanism : Mechanism
        What it was compiled from.
    name : str
        Its name.
    nq : int
        Number of coordinates.
    nv : int
        Number of velocities.
    q0 : ndarray of shape (nq,)
        The reference assembly.
    body_names : tuple of str
        Names of the bodies, without ground, in row order.
    joint_names : tuple of str
        Names of the joints.
    coordinate_names : tuple of str
        One name per velocity.
    cut_joints : tuple of str
        Joints at which loops are cut.
    coordinates : str
        "relative" or "absolute".

    Examples
    --------
    >>> system = ct.gallery.four_bar().compile()
    >>> system.nq, system.nv, system.n_loops, system.n_constraints
    (3, 3, 1, 2)
    """

    mechanism: Mechanism
    name: str
    coordinates: str
    group: str | dict[str, str]  # as it was given to `compile`; `groups` is what follows
    nq: int
    nv: int
    q0: Array
    body_names: tuple[str, ...]
    joint_names: tuple[str, ...]
    coordinate_names: tuple[str, ...]
    cut_joints: tuple[str, ...]  # the joints that are not in the tree, in the order of their rows
    loop_rows: tuple[LoopRows, ...] = field(repr=False)  # the loops of the joints, with the rows that they keep
    cuts: NDArray[np.void]
    constraints: dict[str, Constraint] = field(repr=False)  # beside the joints, those in force
    extra_rows: ExtraRows = field(repr=False)  # and their rows
    brake_slots: dict[str, int] = field(repr=False)  # rows of `elements.constants` for the friction of brakes
    world: NDArray[np.void]
    links: NDArray[np.void]
    dofs: NDArray[np.void]
    bodies: NDArray[np.void]
    elements: Elements
    graph: Graph
    tree: SpanningTree
    loops: tuple[Loop, ...]
    link_joints: tuple[str, ...]  # joint of each link ("" for ground)
    joint_links: dict[str, tuple[int, ...]] = field(repr=False)  # links of each tree joint
    body_rows: dict[str, int] = field(repr=False)
    workspace: Workspace = field(repr=False)
    choices: dict[str, Any] = field(
        repr=False
    )  # the arguments of `compile`, by which the mechanism gives this system again
    # q_start and v_start of the mechanism when it was compiled, in the coordinates that compile() gives by default
    start: tuple[Array | None, Array | None] = field(default=(None, None), repr=False)
    snappings: tuple[Snapping, ...] = field(default=(), repr=False)  # joints of loops that were made exact
    doubts: tuple[str, ...] = field(default=(), repr=False)  # what about the mechanism looks like a mistake
    sliding: dict[str, int] = field(default_factory=dict, repr=False)  # directions in which brakes slide
    own: Own = field(init=False, repr=False)
    decisions: dict[str, Any] = field(init=False, repr=False, default_factory=dict)  # that hold for all Python threads

    def __post_init__(self) -> None:
        for table in (self.q0, *self.tables.values()):
            fixed(table)
        kinds = all_kinds(self.cuts, self.extra_rows)
        object.__setattr__(self, "own", Own(self.tables, kinds, self.elements, self.workspace))

    def __reduce__(self) -> tuple[Any, ...]:
        """For copies and pickles: the tables, whose addresses are found anew, and nothing that was made of them."""
        return restored, ({f.name: getattr(self, f.name) for f in fields(self) if f.init},)

    @property
    def tables(self) -> dict[str, NDArray[Any]]:
        """Those that kernels read, by name, without the workspace."""
        forces = {name: getattr(self.elements, name) for name in ("springs", "loads", "joint_forces")}
        tree = {"world": self.world, "links": self.links, "dofs": self.dofs, "bodies": self.bodies, "cuts": self.cuts}
        forces["force_pieces"] = self.elements.pieces
        return {**tree, **forces, "rows": self.row_tables[0], "pieces": self.row_tables[1]}

    @cached_property
    def row_tables(self) -> tuple[NDArray[np.void], NDArray[np.void]]:
        """Compiled rows and their pieces, those of the cut joints first."""
        return all_rows(self.cuts, self.extra_rows)

    @property
    def here(self) -> int:
        """Address of the record of the tables, for kernels that this thread calls; see `cotree.system.views`."""
        return self.own.here

    @property
    def cache(self) -> dict[str, Any]:
        """What this thread has made of the system, by name."""
        return self.own.cache

    @property
    def n_bodies(self) -> int:
        """Number of bodies, without ground."""
        return len(self.body_names)

    @property
    def n_loops(self) -> int:
        """Number of loops."""
        return len(self.loops)

    @cached_property
    def n_loop_rows(self) -> int:
        """Rows that hold the cut joints, after regularization; those of other constraints follow them."""
        return int(self.cuts["kept"].sum())

    @cached_property
    def n_constraints(self) -> int:
        """Rows that hold the cut joints, after regularization, and all others."""
        return self.n_loop_rows + len(self.extra_rows.names)

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """One name a row: joint[k] for cut joints, the constraint's own for the others, with [k] where it has several."""
        kept = zip(self.cut_joints, self.cuts["kept"], strict=True)
        return (*(f"{name}[{k}]" for name, n in kept for k in range(n)), *self.extra_rows.names)

    @property
    def holonomic(self) -> NDArray[np.bool_]:
        """For each row, whether it holds positions and not just velocities."""
        return np.concatenate([np.ones(self.n_loop_rows, dtype=np.bool_), self.extra_rows.holonomic])

    def row_of(self, body: Body | str | int) -> int:
        """Return the row of a body in arrays such as those of `ct.poses`.

        Parameters
        ----------
        body : Body, str or int
            The body, its name or its row.

        Returns
        -------
        int
            Its row; ground is 0.

        Raises
        ------
        UnknownNameError
            If it does not exist.

        Examples
        --------
        >>> ct.gallery.four_bar().compile(cut=["C"]).row_of("crank")
        1
        """
        if isinstance(body, (int, np.integer)) and 0 <= body <= self.n_bodies:
            return int(body)
        name = body.name if isinstance(body, Body) else body
        row = self.body_rows.get(name) if isinstance(name, str) else None
        if row is None:
            raise UnknownNameError(f"no body {shown(name)} in system {self.name!r}{nearest(name, self.body_rows)}")
        mech = self.mechanism
        if isinstance(body, Body) and body is not (mech.ground if name == "ground" else mech.bodies.get(body.name)):
            raise ForeignBodyError(
                f"body {name!r} does not belong to the mechanism of system {self.name!r}; use its name"
            )
        return row

    @cached_property
    def q_names(self) -> tuple[str, ...]:
        """One name per entry of q.

        The joint's name for joints with one coordinate; otherwise joint.qw and so on for
        quaternions, joint.x and so on for translations, and the name of its velocity for any other
        coordinate.
        """
        from cotree.system.coordinate_labels import coordinate_labels

        return tuple(coordinate_labels(self).names)

    @property
    def v_names(self) -> tuple[str, ...]:
        """One name for each entry of v: `coordinate_names`."""
        return self.coordinate_names

    @cached_property
    def law_places(self) -> tuple[LawPlace, ...]:
        """Where laws have the numbers that they keep between evaluations, see `cotree.system.law_layout`."""
        return law_places(self.elements.functions)

    @cached_property
    def features(self) -> Features:
        """What the system contains that not every function takes: locks, laws with states, rolling and so on.

        A set of names, printed with their meanings; see the page "What works with what".
        """
        return Features(self.mechanism, self.cut_joints)

    @property
    def n_states(self) -> int:
        """How many numbers laws keep: states, values that are held, signs of switching functions."""
        return self.law_places[-1].end if self.law_places else 0

    @property
    def state_names(self) -> tuple[str, ...]:
        """One name for each of these numbers: that of the motor or load and that of the state, "servo.integral"."""
        numbered = self.mechanism.numbered
        return tuple(f"{numbered[place.row]}.{name}" for place in self.law_places for name in place.names)

    def state_index(self, name: str) -> int:
        """Return the index of a law's state.

        Parameters
        ----------
        name : str
            One of `state_names`.

        Returns
        -------
        int
            The index.

        Examples
        --------
        >>> mech = ct.gallery.four_bar()
        >>> motor = mech.pid("servo", "A", target=0.3, kp=40.0, ki=20.0, kd=8.0)
        >>> mech.compile().state_index("servo.integral")
        0
        """
        names = self.state_names
        if not isinstance(name, str) or name not in names:
            raise UnknownNameError(f"no law in system {self.name!r} has a state {shown(name)}{nearest(name, names)}")
        return names.index(name)

    @property
    def v_meaning(self) -> tuple[str, ...]:
        """What each entry of v is: of which body, and along axes fixed to the body or to the world."""
        from cotree.system.velocity_meaning import velocity_meaning

        return velocity_meaning(self)

    @property
    def groups(self) -> dict[str, str]:
        """The group whose velocities each body has: "SE3" or "SO3xR3" by body [Lie].

        On SE(3) they are fixed to the body; on SO(3) x R3 the angular velocity is, and that of the
        body's origin has the axes of the parent, or of the world in absolute coordinates.
        """
        from cotree.system.groups import groups_of

        return groups_of(self)

    def path(self, body: Body | str | int) -> dict[str, str]:
        """List the joints and bodies on the way from ground to a body in the tree.

        Parameters
        ----------
        body : Body, str or int
            The body, its name or its row.

        Returns
        -------
        dict of str to str
            {joint: body}, the first joint first [Geo 2.1]; "" for a body without a joint of the
            tree, as in absolute coordinates.

        Examples
        --------
        >>> ct.gallery.four_bar().compile(cut=["C"]).path("coupler")
        {'A': 'crank', 'B': 'coupler'}
        """
        row = self.row_of(body)
        vertices, joints = ("ground", *self.mechanism.bodies), (*self.mechanism.joints, "")
        name = next(name for name, k in self.body_rows.items() if k == row)
        on_way = self.tree.path(vertices.index(name))
        return {joints[min(self.tree.edge[k], len(joints) - 1)]: vertices[k] for k in on_way}

    @property
    def q_units(self) -> tuple[str, ...]:
        """Unit of each entry of q: "rad", "m", or "1" for parts of quaternions."""
        from cotree.system.coordinate_labels import coordinate_labels

        return tuple(coordinate_labels(self).units)

    @property
    def v_units(self) -> tuple[str, ...]:
        """Unit of each entry of v."""
        from cotree.system.coordinate_labels import velocity_labels

        return tuple(velocity_labels(self).units)

    def q_index(self, name: str) -> int:
        """Return the index of a coordinate in q.

        Parameters
        ----------
        name : str
            One of `q_names`.

        Returns
        -------
        int
            The index.

        Raises
        ------
        UnknownNameError
            If it does not exist.

        Examples
        --------
        >>> ct.gallery.four_bar().compile(cut=["C"]).q_index("B")
        1
        """
        return self._place(name, self.q_names)

    def v_index(self, name: str) -> int:
        """Return the index of a coordinate in v.

        Parameters
        ----------
        name : str
            One of `v_names`.

        Returns
        -------
        int
            The index.

        Raises
        ------
        UnknownNameError
            If it does not exist.

        Examples
        --------
        >>> ct.gallery.four_bar().compile(cut=["C"]).v_index("B")
        1
        """
        return self._place(name, self.coordinate_names)

    def velocity_index(self, coordinate: str) -> int:
        """Return the index of a coordinate in v, as `v_index` does.

        Parameters
        ----------
        coordinate : str
            One of `coordinate_names`.

        Returns
        -------
        int
            The index.

        Examples
        --------
        >>> ct.gallery.four_bar().compile(cut=["C"]).velocity_index("D")
        2
        """
        return self._place(coordinate, self.coordinate_names)

    def _place(self, name: str, names: tuple[str, ...]) -> int:
        if not isinstance(name, str) or name not in names:
            is_cut = isinstance(name, str) and name in self.cut_joints
            cut = f": joint {name!r} is cut" if is_cut else ""
            raise UnknownNameError(f"no coordinate {shown(name)} in system {self.name!r}{cut}{nearest(name, names)}")
        return names.index(name)

    def cached(self, key: str, make: Callable[[], Made]) -> Made:
        """Return something that is made once for this system.

        Parameters
        ----------
        key : str
            Its name.
        make : callable
            Function that makes it.

        Returns
        -------
        object
            What it made.

        Examples
        --------
        >>> ct.gallery.four_bar().compile().cached("my number", lambda: 42)
        42
        """
        cache = self.own.cache
        if key not in cache:
            cache[key] = make()
        return cache[key]

    def __str__(self) -> str:
        from cotree.system.describe import describe

        return describe(self)

    def view(
        self,
        q: ArrayLike | None = None,
        port: int | None = None,
        open: bool | None = None,
        wait: bool | None = None,
        host: str = "127.0.0.1",
    ) -> PoseViewer:
        """Show the system live in the browser, with sliders.

        Parameters
        ----------
        q : array_like of shape (nq,), optional
            Coordinates; the reference assembly by default.
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

    def _repr_html_(self) -> str:
        return str(importlib.import_module("cotree.view.notebook").system_html(self))

    def __repr__(self) -> str:
        return f"<System {self.name!r}: {self.n_bodies} bodies, nq {self.nq}, nv {self.nv}, {self.n_loops} loops>"


def restored(given: dict[str, Any]) -> System:
    """A system again from its fields, which may come from another process."""
    if set(given) != {f.name for f in fields(System) if f.init}:
        raise CopyError(
            f"system {given.get('name')!r} was pickled by another version of Cotree; compile its mechanism again"
        )
    given["mechanism"].keep()
    return System(**given)
