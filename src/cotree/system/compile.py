"""From `Mechanism` to `System`: one compiler for relative, absolute and mixed coordinates."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cotree.errors import CoordinatesError, MassError, ModelError
from cotree.lie.arrays import pose
from cotree.model.inertia import MassProperties
from cotree.model.joints import Free, Universal
from cotree.model.mechanism import Connection, Mechanism
from cotree.system.assembly import Assembly, assemble_graph, joint_frames
from cotree.system.cuts import choose_rows, cut_table
from cotree.system.elements import element_tables
from cotree.system.handle import make_handle
from cotree.system.links import Placed, Rows, flat
from cotree.system.rows import Places, row_tables
from cotree.system.system import System, Workspace
from cotree.system.tables import CAYLEY, FIRST, GROUP, SCREW, body_t, dof_t, link_t, world_t

Array = NDArray[np.float64]


def compile_mechanism(
    mech: Mechanism,
    coordinates: str = "relative",
    group: str = "SE3",
    cut: Iterable[str | Connection] | str | None = None,
    regularize: bool = True,
) -> System:
    """Tables of a mechanism.

    coordinates: "relative" (a spanning tree of joints) or "absolute" (each body free, every joint cut). group: "SE3",
    "SO3xR3" or "auto", the velocities of free joints. cut: names of joints to cut; what they leave unconnected floats.
    regularize: drop the rows of cut joints that are redundant in every configuration [Reg]; cut None leaves it to the
    regularization which joint of a loop is cut.
    """
    _check_choice("coordinates", coordinates, ("relative", "absolute"))
    _check_choice("group", group, ("SE3", "SO3xR3", "auto"))
    if not mech.bodies:
        raise ModelError(f"mechanism {mech.name!r} has no bodies; add some with mech.body(...)")
    if cut is not None:
        cut = [c.name if isinstance(c, Connection) else c for c in ([cut] if isinstance(cut, str) else cut)]
    assembly = assemble_graph(mech, coordinates == "absolute", () if cut is None else cut)
    assembly, loop_rows = choose_rows(assembly, cut is None, regularize)
    origin = _origin(assembly)
    frames = [_shifted(m, origin) for m in assembly.frames]
    properties = [b.properties.moved(m) for b, m in zip(assembly.bodies, frames, strict=True)]
    rows, links_of, joint_links, names = _rows(assembly, frames, origin, group)
    links, dofs = np.array(rows.links, link_t), np.array(rows.dofs, dof_t)
    _put_masses(links, assembly, properties, links_of)
    order = assembly.tree.order
    bodies = np.zeros(len(order), body_t)
    for row, k in zip(bodies, order, strict=True):
        row["link"], row["frame"] = links_of[k], flat(frames[k])
    body_names = tuple(assembly.bodies[k].name for k in order[1:])
    body_rows = {assembly.bodies[k].name: r for r, k in enumerate(order)}
    frame_of = {b.name: m for b, m in zip(assembly.bodies, frames, strict=True)}
    elements = element_tables(mech, frame_of, bodies, body_rows, names, dofs)
    world = np.zeros(1, world_t)
    world[0]["gravity"], world[0]["origin"], world[0]["base"] = mech.gravity, origin, _base(links, dofs)
    link_joints = [""] * len(links)
    for name, owned in joint_links.items():
        for r in owned:
            link_joints[r] = name
    work = Workspace.make(len(links), len(dofs))
    cuts = cut_table(assembly, loop_rows, links_of, frames, origin)
    force_tables = (elements.springs, elements.loads, elements.joint_forces)
    place = Places(frame_of, {name: int(bodies[r]["link"]) for name, r in body_rows.items()})
    cut_joints = tuple(assembly.joints[a].name for a in assembly.tree.cotree)
    other_rows = row_tables(mech, place, names, dofs, cut_joints)
    handle = make_handle(
        world, links, dofs, bodies, *force_tables, work.links, work.dofs, cuts, *other_rows.tables
    )  # fmt: skip
    return System(
        mechanism=mech, name=mech.name, coordinates=coordinates, group=group, nq=len(rows.q0), nv=len(dofs),
        q0=np.array(rows.q0), body_names=body_names, joint_names=tuple(mech.joints), coordinate_names=names,
        cut_joints=cut_joints, loop_rows=loop_rows, cuts=cuts, other_rows=other_rows,
        world=world, links=links, dofs=dofs, bodies=bodies, elements=elements, graph=assembly.graph, tree=assembly.tree,
        loops=assembly.loops,
        link_joints=tuple(link_joints), joint_links=joint_links, body_rows=body_rows,
        workspace=work, handle=handle,
        choices={"coordinates": coordinates, "group": group, "cut": cut, "regularize": regularize},
    )  # fmt: skip


def _check_choice(what: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise CoordinatesError(f"{what} is {value!r}; choose one of {', '.join(map(repr, choices))}")


def _origin(assembly: Assembly) -> Array:
    """Point amid the bodies next to ground, about which everything is computed: far from the world's origin digits
    would be lost."""
    roots = [k for k in assembly.tree.order[1:] if assembly.tree.parent[k] == 0]
    return np.mean([assembly.bodies[k].properties.moved(assembly.frames[k]).com for k in roots], axis=0)


def _shifted(C: Array, origin: Array) -> Array:
    """A world pose as seen from `origin`."""
    return pose(p=-origin) @ C


def _rows(
    assembly: Assembly, frames: list[Array], origin: Array, group: str
) -> tuple[Rows, dict[int, int], dict[str, tuple[int, ...]], tuple[str, ...]]:
    """Link and dof rows along the tree; link of each vertex; links of each joint; coordinate names."""
    rows, links_of, names = Rows(), {0: 0}, list[str]()
    joint_links: dict[str, tuple[int, ...]] = {}
    rows.ground()
    held = _held_by_ground(assembly)
    for k in assembly.tree.order[1:]:
        parent, edge = assembly.tree.parent[k], assembly.tree.edge[k]
        if edge < len(assembly.joints):
            connection = assembly.joints[edge]
            joint, name = connection.joint, connection.name
            tail, head = assembly.graph.edges[edge]
            on_parent, on_child = joint_frames(connection, frames[tail], frames[head], origin)
        else:
            joint, name, on_parent, on_child = Free(), _floating_name(assembly, k), frames[0], frames[k]
        if joint.dof == 0:
            links_of[k], joint_links[name] = links_of[parent], ()
            continue
        direct = isinstance(joint, Free) and (group == "SO3xR3" or (group == "auto" and k not in held))
        inverted = assembly.tree.sign[k] < 0
        placed = Placed(joint, on_parent, on_child, inverted, direct, float(np.linalg.norm(origin)))
        added = rows.add(placed, links_of[parent])
        links_of[k], joint_links[name] = added[-1], tuple(added)
        names += [name + suffix for suffix in joint.coordinate_names()]
    return rows, links_of, joint_links, tuple(names)


def _floating_name(assembly: Assembly, vertex: int) -> str:
    """A floating body lends its name to the free joint that carries it, unless a joint of the tree has that name."""
    name, own = assembly.bodies[vertex].name, len(assembly.joints)
    taken = {assembly.joints[a].name for a in assembly.tree.edge if 0 <= a < own}
    return f"{name} (free)" if name in taken else name


def _held_by_ground(assembly: Assembly) -> set[int]:
    """Vertices that a lower pair joins to ground: group "auto" keeps SE(3) for them, [Lie] 6."""
    pairs = zip(assembly.joints, assembly.graph.edges, strict=False)
    return {max(edge) for c, edge in pairs if min(edge) == 0 and not isinstance(c.joint, (Free, Universal))}


def _put_masses(
    links: NDArray[np.void], assembly: Assembly, properties: list[MassProperties], links_of: dict[int, int]
) -> None:
    """Mass properties of each link, the sum over the bodies that it carries; every moving branch needs mass."""
    carried: dict[int, list[MassProperties]] = {}
    for k in assembly.tree.order[1:]:
        carried.setdefault(links_of[k], []).append(properties[k])
    for row, parts in carried.items():
        mass, com, inertia = _sum_of(parts)
        upper = inertia[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
        links[row]["mass"], links[row]["com"], links[row]["inertia"] = mass, com, upper
    behind = links["mass"] + links["inertia"][:, [0, 3, 5]].sum(axis=1)
    parents = links["parent"]
    for row in range(len(links) - 1, 0, -1):
        if behind[row] <= 0.0:
            k = next(k for k in assembly.tree.order if links_of[k] == row)
            raise MassError(
                f"body {assembly.bodies[k].name!r} moves but neither it nor anything beyond it has mass; give it a positive "
                "mass, or join it by a weld"
            )
        behind[parents[row]] += behind[row]


def _sum_of(parts: list[MassProperties]) -> tuple[float, Array, Array]:
    """One rigid body of several."""
    mass = sum(p.mass for p in parts)
    if len(parts) == 1 or mass == 0.0:
        return mass, parts[0].com, np.sum([p.inertia for p in parts], axis=0)
    com = np.sum([p.mass * p.com for p in parts], axis=0) / mass
    inertia = np.zeros((3, 3))
    for p in parts:
        d = p.com - com
        inertia += p.inertia + p.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, com, inertia


def _base(links: NDArray[np.void], dofs: NDArray[np.void]) -> int:
    """Link whose mass centre is the run-time origin: the first one, when everything that hangs from ground can travel."""
    roots = [r for r in range(1, len(links)) if links[r]["parent"] == 0]
    return roots[0] if roots and all(_travels(links[r], dofs) for r in roots) else 0


def _travels(link: np.void, dofs: NDArray[np.void]) -> bool:
    if link["kind"] == GROUP:
        return bool(link["translations"])
    own = dofs[link["iv"] : link["iv"] + link["nv"]]
    if link["kind"] == SCREW:
        return bool(np.any(own["slide"]))
    return link["kind"] in (FIRST, CAYLEY) and bool(np.any(np.all(own["Y"][:, :3] == 0.0, axis=1)))
