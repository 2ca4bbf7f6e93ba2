"""Nodes of the assembly tree: their rows and columns, and the places of their matrices in the arena."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.engine.kernel import kernel
from cotree.formulations.odca import tables as T
from cotree.topology.plan import Plan


def nodes_of(
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
def place(parts, groups, touches, nodes, entries):
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
