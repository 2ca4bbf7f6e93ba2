"""From `Mechanism` to `System`: one compiler for relative, absolute and mixed coordinates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import CoordinatesError, ModelError
from cotree.model.checks import choice, flag, own_vector, several
from cotree.model.mechanism import Connection, Mechanism
from cotree.system.body_frames import Places, first_places
from cotree.system.cuts import choose_rows, cut_table
from cotree.system.elements import element_tables
from cotree.system.gc_paused import not_collecting
from cotree.system.groups import Choice, checked_groups
from cotree.system.joint_frames import joint_frames
from cotree.system.links import flat
from cotree.system.masses import mass_centres, moved_masses, put_masses
from cotree.system.per_thread import Workspace
from cotree.system.reference_assembly import Assembly, assemble_graph
from cotree.system.rotors import put_rotors
from cotree.system.rows import row_tables
from cotree.system.snapping import checked_tolerance, snapped
from cotree.system.system import System
from cotree.system.tables import CAYLEY, FIRST, GROUP, SCREW, body_t, world_t
from cotree.system.tree_links import floating_joints, tree_links
from cotree.system.twins import warn_of_twins

Array = NDArray[np.float64]


def compile_mechanism(
    mech: Mechanism,
    coordinates: str = "relative",
    group: str | Mapping[Any, str] = "SE3",
    cut: Iterable[str | Connection] | str | None = None,
    regularize: bool = True,
    tolerance: float | None = None,
) -> System:
    """Tables of a mechanism.

    coordinates: "relative" (a spanning tree of joints) or "absolute" (each body free, every joint cut). group: "SE3",
    "SO3xR3" or "auto", the velocities of free joints, or {body: one of them} ("SE3" for bodies left out); "auto" takes SE(3)
    for bodies whose joints and closed loops leave them a motion group that steps on SO(3) x R3 would not stay in. cut: names
    of joints to cut; what they leave unconnected floats.
    regularize: drop the rows of cut joints that are redundant in every configuration [Reg]; cut None leaves it to the
    regularization which joint of a loop is cut, but for mechanisms that name some themselves (`mech.preferred_cut`, as robots
    from files do). tolerance: axes of closed loops that are parallel, coaxial or meet in a point within it (radians, and parts
    of the loop's size; 1e-5 by default) are made so exactly, see `Mechanism.snapped`; 0 takes all numbers as they are.
    """
    choice(coordinates, ("relative", "absolute"), "coordinates", CoordinatesError)
    groups = checked_groups(mech, group)
    flag(regularize, "regularize")
    tolerance = checked_tolerance(tolerance)
    if not mech.bodies:
        raise ModelError(f"mechanism {mech.name!r} has no bodies; add some with mech.body(...)")
    cut = mech.preferred_cut or None if cut is None and coordinates == "relative" else cut
    given = () if cut is None else several([cut] if isinstance(cut, Connection) else cut, "cut")
    names = None if cut is None else [c.name if isinstance(c, Connection) else c for c in given]
    if mech.joints_to_drop:  # they are cut, and no loop may lose rows for the sake of one that will be open
        names, regularize = [*(names or ()), *mech.joints_to_drop], False
    with not_collecting():
        return _compiled(mech.snapshot(), coordinates, groups, names, regularize, tolerance)


def _compiled(
    mech: Mechanism, coordinates: str, group: Choice, cut: list[str] | None, regularize: bool, tolerance: float
) -> System:
    assembly = assemble_graph(mech, coordinates == "absolute", () if cut is None else cut)
    mech, snappings = snapped(mech, assembly, tolerance)
    if snappings:
        mech = mech.keep()
        assembly = assemble_graph(mech, coordinates == "absolute", () if cut is None else cut)
    warn_of_twins(assembly, mech.name)
    assembly, loop_rows = choose_rows(assembly, cut is None, regularize)
    origin = _origin(assembly)
    frames = assembly.frames.copy()
    frames[:, :3, 3] -= origin
    connections = [*assembly.joints, *floating_joints(assembly)]
    sides = joint_frames(connections, frames, np.array(assembly.graph.edges).reshape(-1, 2), origin)
    tree = tree_links(mech, assembly, connections, sides, origin, group)
    links, dofs, q0 = tree.tables.links, tree.tables.dofs, tree.tables.q0
    put_masses(links, assembly, moved_masses(assembly.bodies, frames), tree.of_vertex)
    cuts = cut_table(assembly, loop_rows, tree.of_vertex, sides, coordinates == "absolute")
    cut_joints = tuple(assembly.joints[a].name for a in assembly.tree.cotree)
    order = list(assembly.tree.order)
    place = Places({assembly.bodies[k].name: row for row, k in enumerate(order)}, frames[order], tree.of_vertex[order])
    bodies = np.zeros(len(order), body_t)
    bodies["link"], bodies["frame"] = place.links, flat(place.frames)
    extras = mech.joint_forces or mech.elements or mech.constraints or mech.devices
    constraints = {name: c for name, c in mech.constraints.items() if name not in mech.off_at_start}
    coordinate_places = first_places(tree.names) if extras else {}
    cut_places = first_places(cut_joints)
    put_rotors(mech, coordinate_places, links, dofs, cut_places)
    elements, brake_slots = element_tables(mech, place, coordinate_places, dofs, cut_places)
    extra_rows = row_tables(mech, constraints.values(), place, coordinate_places, dofs, cut_places)
    world = np.zeros(1, world_t)
    world[0]["gravity"], world[0]["origin"], world[0]["base"] = mech.gravity, origin, _base(links, dofs)
    return System(
        mechanism=mech, name=mech.name, coordinates=coordinates, group=group, nq=len(q0), nv=len(dofs),
        q0=q0, body_names=tuple(place.rows)[1:], joint_names=tuple(mech.joints), coordinate_names=tree.names,
        cut_joints=cut_joints, loop_rows=loop_rows, cuts=cuts, constraints=constraints, extra_rows=extra_rows,
        brake_slots=brake_slots,
        world=world, links=links, dofs=dofs, bodies=bodies, elements=elements, graph=assembly.graph, tree=assembly.tree,
        loops=assembly.loops,
        link_joints=tree.joint_of, joint_links=tree.of_joint, body_rows=place.rows,
        workspace=Workspace(len(links), len(dofs)),
        choices={"coordinates": coordinates, "group": group, "cut": cut, "regularize": regularize, "tolerance": tolerance},
        snappings=snappings,
        start=(own_vector(mech.q_start, "q_start"), own_vector(mech.v_start, "v_start")),
    )  # fmt: skip


def _origin(assembly: Assembly) -> Array:
    """Point amid the bodies next to ground, about which everything is computed: far from the world's origin digits
    would be lost."""
    roots = [k for k in assembly.tree.order[1:] if assembly.tree.parent[k] == 0]
    return np.mean(mass_centres([assembly.bodies[k] for k in roots], assembly.frames[roots]), axis=0)


def _base(links: NDArray[np.void], dofs: NDArray[np.void]) -> int:
    """Link whose mass centre is the run-time origin: the first one, when everything that is attached to ground can travel."""
    roots = np.flatnonzero(links["parent"] == 0).tolist()
    return roots[0] if roots and all(_travels(links[r], dofs) for r in roots) else 0


def _travels(link: np.void, dofs: NDArray[np.void]) -> bool:
    if link["kind"] == GROUP:
        return bool(link["translations"])
    own = dofs[link["iv"] : link["iv"] + link["nv"]]
    if link["kind"] == SCREW:
        return bool(np.any(own["slide"]))
    return link["kind"] in (FIRST, CAYLEY) and bool(np.any(np.all(own["Y"][:, :3] == 0.0, axis=1)))
