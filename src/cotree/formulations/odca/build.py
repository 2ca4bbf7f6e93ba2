"""Tables of the divide-and-conquer algorithm for a system, made once: parts, algebras, groups of rows, plan, arena."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.units import length_of
from cotree.engine.arena import place_of
from cotree.engine.kernel import kernel
from cotree.engine.records import address_of, copied, put_array, record
from cotree.engine.threads import may_run_together
from cotree.errors import ConstraintError, CopyError, InertiaError
from cotree.formulations.odca import tables as T
from cotree.formulations.odca.algebras import close_along, structured
from cotree.formulations.odca.hubs import EACH, Copies, split, spread
from cotree.formulations.odca.solve import MOVE, put_rows_alone, put_rows_of, solve_alone
from cotree.system.rows import all_kinds
from cotree.system.system import System
from cotree.topology.plan import Plan, assembly_plan

Integers = NDArray[np.int64]
FIXED = 60.0  # multiplications that what is the same at all nodes costs
DEEP = 4.0  # steps that a plan may have beside twice the logarithm of the number of its parts


@dataclass(frozen=True, eq=False)
class Division:
    """A system divided: its plan, and the tables behind its record."""

    plan: Plan
    parts: NDArray[np.void]
    groups: NDArray[np.void]
    nodes: NDArray[np.void]
    part_of: Integers  # of each link, -1 for ground
    part_of_dof: Integers
    arena: NDArray[np.float64]
    order: Integers
    record: Any
    kept: list[Any]  # arrays to be kept alive
    room: int  # floats of scratch
    threads: int = 1

    def __reduce__(self) -> NoReturn:
        raise CopyError("a division contains memory addresses and cannot be copied; copy the system instead")

    @cached_property
    def here(self) -> int:
        """Address of the record, by which kernels take the division."""
        return int(self.record.here)

    @property
    def memory(self) -> int:
        """Bytes of tables and arena."""
        arrays = (self.parts, self.groups, self.nodes, self.part_of, self.part_of_dof, self.arena, self.order)
        return sum(a.nbytes for a in (*arrays, *self.kept))


def division(system: System) -> Division:
    """The system's own in this Python thread, made at the first call, for as many of Numba's threads as was decided."""
    found: Division = system.cached("division", lambda: divide(system))
    wanted = system.decisions.get("threads", found.threads)
    if wanted > 1 and not may_run_together():
        wanted = 1
    if found.threads != wanted:
        system.cache["division"] = found = with_threads(found, wanted)
    return found


def divisible(system: System) -> bool:
    """Whether every body has inertia where it can move, in the reference assembly, and every row touches bodies that are
    known."""
    try:
        d = division(system)
    except (ConstraintError, InertiaError):
        return False
    return bool(put_rows_of(system.here, d.here, system.q0.copy(), np.zeros(system.nv), MOVE) == 0)


def use_threads(system: System, threads: int) -> Division:
    """Let a number of threads work on the system's division from now on; also when it was left to measurement before."""
    system.decisions["threads"] = threads
    return division(system)


def work_of(d: Division) -> NDArray[np.float64]:
    """Time of each node, up and down, in multiplications: a fixed part, and the products of its matrices."""
    m, n, kept = d.nodes["rows"], d.nodes["n_left"] + d.nodes["n_right"], d.nodes["kept"]
    products: NDArray[np.float64] = FIXED + m * n * n / 2 + m * m * (n + kept) + m * kept * kept
    return np.where((d.nodes["part"] >= 0) & (m == 0), 0.0, products) + 10.0


def with_threads(d: Division, threads: int) -> Division:
    """The same division for a number of threads, or for one if no others are available."""
    made, kept = copied(d.record), d.kept
    made.here = address_of(made)
    if threads == 1 or not may_run_together():
        threads = 1
        put_array(made.arrays.nodes, d.nodes)
        made.entries.put_rows, made.entries.solve, made.team = put_rows_alone.address, solve_alone.address, 0
    else:
        from cotree.formulations.odca.threads import put_rows_together, solve_together, team

        its, arrays, given, top = team(d.plan, work_of(d), d.room, threads)
        nodes = d.nodes.copy()
        room = np.zeros(put_slots_of_threads(nodes, d.plan.first, given, top, 0))
        put_slots_of_threads(nodes, d.plan.first, given, top, place_of(room, d.arena))
        put_array(made.arrays.nodes, nodes)
        made.entries.put_rows, made.entries.solve = put_rows_together.address, solve_together.address
        made.team = address_of(its)
        kept = [*d.kept, its, *arrays, nodes, room]
    return replace(d, record=made, kept=kept, threads=threads)


def put_slots_of_threads(
    nodes: NDArray[np.void], first: Integers, given: list[Integers], top: Integers, at: int
) -> int:
    """Places of Z, z, F of each thread's own; the roots of its subtrees and what is above keep theirs for themselves."""
    for roots in given:
        at = put_slots(nodes, first, roots, at)
    own = np.concatenate([*given, top])
    kept = nodes["kept"][own]
    end = at + np.cumsum(kept * (kept + 2))
    plain = ~((nodes["part"][own] >= 0) & (nodes["rows"][own] == 0) & (kept > 0))  # others have a leaf's own
    own, kept, start = own[plain], kept[plain], (end - kept * (kept + 2))[plain]
    nodes["Z_at"][own], nodes["z_at"][own], nodes["F_at"][own] = start, start + kept**2, start + kept**2 + kept
    return int(end[-1])


class _Planned(NamedTuple):
    """Parts, groups of rows and what they touch, and the plan in which they are put together."""

    parts: NDArray[np.void]
    part_of: Integers
    part_of_dof: Integers
    algebras: NDArray[np.void]
    groups: NDArray[np.void]
    touches: NDArray[np.void]
    plan: Plan


def _planned(system: System) -> _Planned:
    """The plan for as few copies of hubs as a depth in the logarithm of their number allows, else the least deep one."""
    found: list[_Planned] = []
    for each in EACH:
        made, copies = _with_copies(system, each)
        found.append(made)
        if copies is None or made.plan.depth <= 2.0 * np.log2(len(made.parts)) + DEEP:
            return made
    return min(found, key=lambda x: x.plan.depth)


def _with_copies(system: System, each: int) -> tuple[_Planned, Copies | None]:
    """Parts, groups and plan of a system whose hubs are copies with so many neighbours each."""
    parts, part_of, part_of_dof = _parts(system)
    touching = [x[4] for x in _row_groups(system, parts, part_of, part_of_dof)]
    parts, copies = split(parts, touching, each)
    if copies is not None:
        part_of = np.where(part_of >= 0, copies.start[part_of], -1)
        part_of_dof = copies.start[part_of_dof]
    algebras = _put_algebras(system, parts)
    groups, touches, start = _groups(system, parts, part_of, part_of_dof, copies)
    edges = start[: int((groups["touches"] > 0).sum()) + 1]
    plan = assembly_plan(len(parts), edges, np.ascontiguousarray(touches["part"]), parts["size"].copy())
    return _Planned(parts, part_of, part_of_dof, algebras, groups, touches, plan), copies


def divide(system: System) -> Division:
    """Parts, groups and plan of a system."""
    _require_known_bodies(system)
    parts, part_of, part_of_dof, algebras, groups, touches, plan = _planned(system)
    nodes, entries, blocks = _nodes(plan, parts, groups, touches)
    size, scratch, orders = _place(parts, groups, touches, nodes, entries)
    roots = plan.roots.astype(np.int64)
    size = put_slots(nodes, plan.first, roots, size)
    arena, order = np.zeros(size), np.full(max(orders, 1), -1, dtype=np.int64)
    work, rotors = np.zeros(scratch), system.dofs["inertia"].copy()
    arrays = {
        "algebras": algebras, "parts": parts, "groups": groups, "touches": touches, "nodes": nodes, "entries": entries,
        "blocks": blocks, "arena": arena, "order": order, "scratch": work, "part_of": part_of, "part_of_dof": part_of_dof,
        "rotors": rotors,
    }  # fmt: skip
    made = _record(system, groups, arrays)
    kept = [algebras, touches, entries, blocks, work, rotors]
    return Division(plan, parts, groups, nodes, part_of, part_of_dof, arena, order, made, kept, scratch)


def _record(system: System, groups: NDArray[np.void], arrays: dict[str, NDArray[Any]]) -> Any:
    """The record of a division for one thread; the caller keeps the arrays."""
    made, joints = record(T.division_t), groups["kind"] == T.JOINT
    made.here, made.nq, made.nv, made.system = address_of(made), system.nq, system.nv, system.here
    made.n_joints, made.joint_rows = int(np.count_nonzero(joints)), int(groups["rows"][joints].sum())
    made.entries.put_rows, made.entries.solve = put_rows_alone.address, solve_alone.address
    made.alone = bool(np.any(system.row_tables[1]["iv"] >= 0))
    for name, array in arrays.items():
        assert name not in T.TABLES or array.dtype == T.TABLES[name]
        put_array(made.arrays[name], array)
    return made


def _parts(system: System) -> tuple[NDArray[np.void], Integers, Integers]:
    """Links with inertia as parts, with what lies between them as joints."""
    links = system.links
    heavy = (links["mass"] > 0.0) | np.any(links["inertia"] != 0.0, axis=1)
    heavy[0] = False
    carried = system.bodies["link"]
    bare = np.flatnonzero(~heavy[carried] & (carried > 0))
    if len(bare):
        name = system.body_names[int(bare[0]) - 1]
        raise InertiaError(
            f"body {name!r} of system {system.name!r} has no inertia, which formulation 'odca' needs; give it some, "
            f"or use formulation 'auto'"
        )
    parts = np.zeros(int(heavy.sum()), T.part_t)
    parts["share"] = 1.0
    part_of, part_of_dof = np.full(len(links), -1, np.int64), np.zeros(system.nv, np.int64)
    _fill_parts(links["parent"].copy(), links["iv"].copy(), links["nv"].copy(), heavy, parts, part_of, part_of_dof)
    turned = np.concatenate([[0], np.cumsum(system.dofs["inertia"] > 0.0)])
    parts["rotors"] = turned[parts["iv"] + parts["nv"]] - turned[parts["iv"]]
    return parts, part_of, part_of_dof


@kernel
def _fill_parts(parent, iv, nv, heavy, parts, part_of, part_of_dof):
    above = np.full(parent.size, -1, np.int64)  # nearest part, the link itself included
    first, count = np.zeros(parent.size, np.int64), np.zeros(parent.size, np.int64)  # of the velocities below that part
    k = 0
    for i in range(1, parent.size):
        first[i], count[i] = iv[i], nv[i]
        if not (parent[i] == 0 or heavy[parent[i]]):  # links of one joint; against the tree they run backward
            first[i], count[i] = min(iv[i], first[parent[i]]), nv[i] + count[parent[i]]
        for j in range(iv[i], iv[i] + nv[i]):
            part_of_dof[j] = k  # of the next part, to which a massless link leads
        above[i] = above[parent[i]]
        if heavy[i]:
            parts[k].link, parts[k].parent = i, above[parent[i]]
            parts[k].iv, parts[k].nv = first[i], count[i]
            part_of[i] = above[i] = k
            k += 1


def _put_algebras(system: System, parts: NDArray[np.void]) -> NDArray[np.void]:
    """The algebra of each part; the lengths of screws are compared in units of the system's extent."""
    Y = system.dofs["Y"].copy()
    turning = np.any(Y[:, :3] != 0.0, axis=1)
    length = max(length_of(system), float(np.abs(Y[turning, 3:]).max(initial=0.0)))
    Y[:, 3:] /= length
    bases, sizes = np.zeros((len(parts) + 1, 6, 6)), np.zeros(len(parts) + 1, np.int64)
    of = np.zeros(len(parts), np.int64)
    columns = (parts["parent"].copy(), parts["iv"].copy(), parts["nv"].copy())
    n = close_along(*columns, np.ascontiguousarray(Y), bases, sizes, of)
    algebras = structured(bases[:n], sizes[:n], length)
    parts["algebra"], parts["size"] = of, sizes[of]
    parts["rotations"] = algebras["rotations"][of]
    return algebras


def _groups(
    system: System, parts: NDArray[np.void], part_of: Integers, part_of_dof: Integers, copies: Copies | None
) -> tuple[NDArray[np.void], NDArray[np.void], Integers]:
    """Groups of rows and the parts that each touches, those that touch ground alone last; start: first touch of each group,
    and one more."""
    held = np.flatnonzero(parts["size"] - parts["nv"] + parts["rotors"] > 0)
    parts["group"] = -1
    parts["group"][held] = np.arange(len(held))
    extra = _row_groups(system, parts, part_of, part_of_dof)
    extra.sort(key=lambda x: max(x[4]) < 0)
    several = spread([list(dict.fromkeys(int(u) for u in x[4] if u >= 0)) for x in extra], copies)
    groups = np.zeros(len(held) + len(extra), T.group_t)
    n = len(held)
    groups["kind"][:n], groups["row"][:n] = T.JOINT, -1
    groups["rows"][:n], groups["index"][:n] = (parts["size"] - parts["nv"] + parts["rotors"])[held], held
    groups["soft_at"] = -1
    groups["soft_at"][:n][parts["rotors"][held] > 0] = 0  # to be placed
    above = parts["parent"][held]
    groups["touches"][:n] = 1 + (above >= 0)
    for g, (kind, index, count, row, _), touched in zip(groups[n:], extra, several, strict=True):
        g["kind"], g["index"], g["rows"], g["row"], g["touches"] = kind, index, count, row, len(touched)
    start = np.concatenate([[0], np.cumsum(groups["touches"])]).astype(np.int64)
    groups["touch"] = start[:-1]
    touches = np.zeros(int(start[-1]), T.touch_t)
    touches["part"][start[:n]] = held
    touches["part"][start[:n][above >= 0] + 1] = above[above >= 0]
    if several:
        touches["part"][start[n] :] = np.concatenate([np.array(x, np.int64) for x in several])
    return groups, touches, start


def _require_known_bodies(system: System) -> None:
    """Complain about constraints that may touch any body."""
    if system.extra_rows.user:
        name = system.extra_rows.user[0].name
        raise ConstraintError(
            f"constraint {name!r} is user-defined and may involve any body; formulation 'odca' needs constraint "
            f"equations between named bodies; use formulation 'auto'"
        )


def _row_groups(
    system: System, parts: NDArray[np.void], part_of: Integers, part_of_dof: Integers
) -> list[tuple[int, int, int, int, list[int]]]:
    """(kind, place in its table, rows, first row, parts touched) of each cut joint and constraint; -1 for ground."""
    rows, pieces = system.row_tables
    on_links = np.stack([part_of[pieces["link_a"]], part_of[pieces["link_b"]]], axis=1)
    in_tree = np.flatnonzero(pieces["iv"] >= 0)
    of_dof = part_of_dof[pieces["iv"][in_tree]]
    on_links[in_tree] = np.stack([of_dof, parts["parent"][of_dof]], axis=1)
    first = rows["first"]
    found: list[tuple[int, int, int, int, list[int]]] = []
    for kind, (_, table, base) in enumerate(all_kinds(system.cuts, system.extra_rows)):
        starts = table["row"] + base
        counts = table["kept"] if base == 0 and table is system.cuts else [_rows_of(system, int(r)) for r in starts]
        for k, (row, n) in enumerate(zip(starts.tolist(), np.asarray(counts).tolist(), strict=True)):
            if n:
                last = row + n - 1
                own = on_links[first[row] : first[last] + rows["count"][last]]
                found.append((kind, k, n, row, own.ravel().tolist()))
    return found


def _rows_of(system: System, row: int) -> int:
    """Number of rows of the constraint whose rows begin here."""
    return system.constraints[system.extra_rows.owners[row - int(system.cuts["kept"].sum())]].rows


def _nodes(
    plan: Plan, parts: NDArray[np.void], groups: NDArray[np.void], touches: NDArray[np.void]
) -> tuple[NDArray[np.void], ...]:
    n = len(plan.body)
    nodes = np.zeros(n, T.node_t)
    nodes["part"], nodes["left"], nodes["right"], nodes["height"] = plan.body, plan.left, plan.right, plan.height
    entries = np.zeros(int(groups["touches"][plan.imposed].sum()), T.entry_t)
    blocks = np.zeros(len(plan.handles), T.block_t)
    _fill_nodes(
        plan.imposed_start,
        plan.imposed,
        plan.handles_start,
        plan.handles,
        parts,
        groups,
        touches,
        nodes,
        entries,
        blocks,
    )
    return nodes, entries, blocks


@kernel
def _column(node, handles_start, handles, parts, part):
    """Place of a part among the handles of a node's two parts."""
    if node.part >= 0:
        return 0
    at = 0
    for side in (node.left, node.right):
        for k in range(handles_start[side], handles_start[side + 1]):
            if handles[k] == part:
                return at
            at += parts[handles[k]].size
    return -1


@kernel
def _size_of_handles(i, handles_start, handles, parts):
    n = 0
    for k in range(handles_start[i], handles_start[i + 1]):
        n += parts[handles[k]].size
    return n


@kernel
def _fill_nodes(imposed_start, imposed, handles_start, handles, parts, groups, touches, nodes, entries, blocks):
    entry, block = 0, 0
    for i in range(nodes.size):
        node = nodes[i]
        if node.part >= 0:
            node.n_left = parts[node.part].size
        else:
            node.n_left = _size_of_handles(node.left, handles_start, handles, parts)
            node.n_right = _size_of_handles(node.right, handles_start, handles, parts)
        node.kept = _size_of_handles(i, handles_start, handles, parts)
        node.entry, row = entry, 0
        for k in range(imposed_start[i], imposed_start[i + 1]):
            group = groups[imposed[k]]
            for j in range(group.touch, group.touch + group.touches):
                e = entries[entry]
                e.group, e.row, e.rows = imposed[k], row, group.rows
                e.column = _column(node, handles_start, handles, parts, touches[j].part)
                e.size = parts[touches[j].part].size
                entry += 1
            row += group.rows
        node.rows, node.entries = row, entry - node.entry
        node.block, place = block, 0
        for k in range(handles_start[i], handles_start[i + 1]):
            b = blocks[block]
            b.column = _column(node, handles_start, handles, parts, handles[k])
            b.size, b.place = parts[handles[k]].size, place
            place += b.size
            block += 1
        node.blocks = block - node.block
        node.plain = _is_plain(node, entries, blocks) and groups[entries[node.entry].group].soft_at < 0


@kernel
def _is_plain(node, entries, blocks):
    """Whether two rows of one group join the left node to the right one, entries in this order, and what is kept of each is
    contiguous; notes where."""
    if node.part >= 0 or node.rows != 2 or node.entries != 2:
        return 0
    e, f = entries[node.entry], entries[node.entry + 1]
    if e.group != f.group or (e.column < node.n_left) == (f.column < node.n_left):
        return 0
    node.first_left = node.first_right = node.kept_left = 0
    left_end = right_end = -1
    for b in range(node.block, node.block + node.blocks):
        block = blocks[b]
        if block.column < node.n_left:
            if left_end < 0:
                node.first_left = left_end = block.column
            if block.column != left_end:
                return 0
            left_end += block.size
            node.kept_left += block.size
        else:
            column = block.column - node.n_left
            if right_end < 0:
                node.first_right = right_end = column
            if column != right_end:
                return 0
            right_end += block.size
    return 1


@kernel
def put_slots(nodes, first, roots, at):
    """Places of Z, z, F below some roots: what is needed at one time only shares places, by depth and side, so that the
    numbers stay at hand. Returns the end of the places, which begin at `at`."""
    n = 0
    for r in roots:
        n = max(n, nodes[r].height + 1)
    largest, depth = np.zeros((n + 1, 2), np.int64), np.zeros(nodes.size, np.int64)
    for r in roots:
        depth[r] = 0
        for i in range(r, first[r] - 1, -1):
            node = nodes[i]
            if node.part < 0:
                depth[node.left] = depth[node.right] = depth[i] + 1
            side = _side(nodes, i, r, depth)
            largest[depth[i], side] = max(largest[depth[i], side], node.kept)
    places = np.zeros((n + 1, 2), np.int64)
    for d in range(n + 1):
        for side in range(2):
            places[d, side], at = at, at + largest[d, side] * (largest[d, side] + 2)
    for r in roots:
        for i in range(first[r], r + 1):
            node = nodes[i]
            if node.part >= 0 and node.rows == 0 and node.kept > 0:
                continue
            kept = node.kept
            node.Z_at = places[depth[i], _side(nodes, i, r, depth)]
            node.z_at = node.Z_at + kept * kept
            node.F_at = node.z_at + kept
    return at


@kernel
def _side(nodes, i, root, depth):
    """0 for a left part, 1 for a right one: in postorder a right part comes just before what it is a part of."""
    return 1 if i < root and depth[i + 1] == depth[i] - 1 else 0


@kernel
def _swap_entries(entries, k):
    """Exchange an entry with the next; both are of one group."""
    e, f = entries[k], entries[k + 1]
    e.column, f.column = f.column, e.column
    e.size, f.size = f.size, e.size
    e.C_at, f.C_at = f.C_at, e.C_at


@kernel
def _place(parts, groups, touches, nodes, entries):
    """Places in the arena; returns (its size, that of the scratch, and of the permutations)."""
    at = 0
    for i in range(parts.size):
        p = parts[i]
        n, k = p.size, p.nv
        p.u_at, at = at, at + 3 * p.rotations
        p.zeta_at, at = at, at + n * n
        p.Q_at, at = at, at + n * n
        p.R_at, at = at, at + k * k
        p.bias_at, at = at, at + n
        p.z_at, at = at, at + n
        p.force_at, at = at, at + n
        p.alpha_at, at = at, at + n
    for i in range(groups.size):
        g = groups[i]
        g.c_at, at = at, at + g.rows
        g.scale_at, at = at, at + g.rows
        g.lambda_at, at = at, at + g.rows
        if g.soft_at >= 0:
            g.soft_at, at = at, at + g.rows
        for j in range(g.touch, g.touch + g.touches):
            touches[j].C_at, at = at, at + g.rows * parts[touches[j].part].size
    scratch, orders = 8, 0
    for i in range(nodes.size):
        node = nodes[i]
        m, n = node.rows, node.n_left + node.n_right
        scratch = max(scratch, m * n + 2 * m, 2 * m)
        node.order_at, orders = orders, orders + m
        node.Y_at, at = at, at + m * node.kept
        node.L_at, at = at, at + m * m
        node.y_at, at = at, at + m
        if node.part >= 0 and m == 0 and node.kept > 0:  # the leaf's own numbers
            p = parts[node.part]
            node.Z_at, node.z_at, node.F_at = p.zeta_at, p.z_at, p.alpha_at
    for i in range(nodes.size):
        last, at_touch = -1, 0
        for k in range(nodes[i].entry, nodes[i].entry + nodes[i].entries):
            e = entries[k]
            at_touch = at_touch + 1 if e.group == last else groups[e.group].touch
            last = e.group
            e.C_at = touches[at_touch].C_at
        if nodes[i].plain and entries[nodes[i].entry].column >= nodes[i].n_left:
            _swap_entries(entries, nodes[i].entry)
    return at, scratch, orders
