"""Parts of a system with their motion algebras, and the groups of rows between them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.constraints.units import length_of
from cotree.engine.kernel import kernel
from cotree.errors import InertiaError
from cotree.formulations.odca import tables as T
from cotree.formulations.odca.algebras import close_along, structured
from cotree.formulations.odca.hubs import Copies, spread
from cotree.system.rows import all_kinds
from cotree.system.system import System

Integers = NDArray[np.int64]


def parts_of(system: System) -> tuple[NDArray[np.void], Integers, Integers]:
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


def put_algebras(system: System, parts: NDArray[np.void]) -> NDArray[np.void]:
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


def groups_of(
    system: System,
    parts: NDArray[np.void],
    part_of: Integers,
    part_of_dof: Integers,
    copies: Copies | None,
    border: frozenset[int] = frozenset(),
) -> tuple[NDArray[np.void], NDArray[np.void], Integers]:
    """Groups of rows and the parts that each touches: joints, then what the plan imposes, then those that begin with a row of
    `border`, sorted, and those that touch ground alone; start: first touch of each group, and one more."""
    held = np.flatnonzero(parts["size"] - parts["nv"] + parts["rotors"] > 0)
    parts["group"] = -1
    parts["group"][held] = np.arange(len(held))
    extra = row_groups(system, parts, part_of, part_of_dof)
    extra.sort(key=lambda x: 2 if max(x[4]) < 0 else int(x[3] in border))
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
        g["sorted"] = row in border
        if g["sorted"]:
            touched.sort()
    start = np.concatenate([[0], np.cumsum(groups["touches"])]).astype(np.int64)
    groups["touch"] = start[:-1]
    touches = np.zeros(int(start[-1]), T.touch_t)
    touches["part"][start[:n]] = held
    touches["part"][start[:n][above >= 0] + 1] = above[above >= 0]
    if several:
        touches["part"][start[n] :] = np.concatenate([np.array(x, np.int64) for x in several])
    return groups, touches, start


def row_groups(
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
    return system.constraints[system.extra_rows.owners[row - system.n_loop_rows]].rows
