"""Accelerations, multipliers and corrections of a divided system: sweep, rows, assembly, disassembly."""

import numpy as np

from cotree.constraints import all_rows
from cotree.dynamics.elements import apply_elements, push_links
from cotree.engine.arena import base_in, vector
from cotree.engine.entry import NOTHING, call, entry
from cotree.engine.kernel import kernel
from cotree.formulations.odca import leaf, rows
from cotree.formulations.odca.merge import accelerate_part, assemble_node, disassemble_node, reassemble_node
from cotree.formulations.odca.tables import (
    AGAIN,
    FIRST,
    JOINT,
    arena_of,
    division_at,
    division_t,
    open_nodes,
    open_parts,
    owners_of,
    rotors_of,
)
from cotree.kinematics.sweep import move_some, put_ground
from cotree.lie.storage import put_twist
from cotree.system.views import open_rows, open_tables

MOVE, FORCES = 0.0, 1.0  # levels of `put_rows`
AT_HAND = 64  # parts whose numbers stay in the nearest caches
LIGHT = -(1 << 30)  # of this and less is the status of a body without inertia, of less than zero that of a joint


@kernel
def put_state(here, d, values, motions, tau, q, v, eta):
    """Leaves, rows and right-hand sides at a state; returns 0, -(1 + a dof that its joint has twice), or LIGHT - (1 + the
    first dof of a body without inertia).

    eta receives the constraints' right-hand side, C alpha = eta but for the joints' biases in rates.
    """
    tables = open_tables(here)
    algebras, parts, _, _ = open_parts(d)
    A = arena_of(d)
    springs, loads, joint_forces, _, others = tables.elements
    loaded = springs.size + loads.size + others.pieces.size > 0 or push_links(joint_forces)
    status = put_rows(here, d, q, v, FORCES if not loaded else MOVE)
    if status != 0:
        return status
    for j in range(tables.dofs.size):
        tables.dof_work[j].tau = tau[j]
    if loaded:
        for i in range(tables.links.size):
            put_twist(tables.work[i].p, rows.NOTHING)
    if loaded or joint_forces.size > 0:
        apply_elements(tables.elements, tables.work, tables.dof_work, values, q, v)
    if loaded:
        leaf.put_forces(tables.world, parts, algebras, tables.links, tables.work, True, A, 0, parts.size)
    rows.add_joint_forces(parts, algebras, tables.dof_work, A)
    leaf.put_free_accelerations(parts, A, 0, parts.size)
    put_twist(tables.work[0].a, rows.NOTHING)
    all_rows.put_rates(here)
    all_rows.put_bias(open_rows(here), tables.work, motions, eta)
    return 0


@kernel
def put_rows(here, d, q, v, level):
    """Links moved to a state; bases, inertias, joints and coefficients of all rows there, and at level FORCES gravity and
    gyroscopic forces; spends the links' biases. Returns as `put_parts` does."""
    d.system = here
    return call(d.entries.put_rows, d.here, level, q, v, NOTHING)


@kernel
def put_rows_of(here, division, q, v, level):
    """The same for a division by its address."""
    return put_rows(here, division_at(division), q, v, level)


@entry(division_t)
def put_rows_alone(d, level, q, v, _):
    """What `put_rows` does, on one thread: all for some parts, then for the next, while their numbers are at hand."""
    here, opened = d.system, open_parts(d)
    tables, parts, groups = open_tables(here), opened.parts, opened.groups
    shift, moved = put_ground(tables.world, tables.links, tables.dofs, tables.work, q), 1
    for first in range(0, parts.size, AT_HAND):
        last = min(first + AT_HAND, parts.size)
        until = parts[last - 1].link + 1 if last < parts.size else tables.links.size
        move_some(tables.links, tables.dofs, tables.work, tables.dof_work, q, v, moved, until)
        moved = until
        status = put_parts(here, d, shift, level, first, last)
        if status != 0:
            return status
        put_tree_rows(d, first, last)
    put_other_rows(here, d, 0, groups.size)
    return 0


@kernel
def put_parts(here, d, shift, level, first, last):
    """Bases, inertias and joints of some parts; returns 0, -(1 + a dof that its joint has twice), or LIGHT - (1 + the
    first dof of a body without inertia)."""
    tables = open_tables(here)
    algebras, parts, _, _ = open_parts(d)
    A = arena_of(d)
    leaf.put_bases(parts, algebras, tables.links, tables.work, shift, A, first, last)
    status = leaf.put_inertias(parts, algebras, tables.links, tables.work, A, first, last)
    if status != 0:
        return LIGHT - status
    leaf.share_inertias(parts, A, first, last)
    status = rows.put_joints(parts, algebras, tables.links, tables.work, tables.dof_work, A, first, last)
    if level == FORCES:
        leaf.put_forces(tables.world, parts, algebras, tables.links, tables.work, False, A, first, last)
    return -status


@kernel
def put_tree_rows(d, first, last):
    """Rows of the joints of some parts, and their scales; the bases of their parents are there."""
    algebras, parts, groups, touches = open_parts(d)
    A = arena_of(d)
    rows.put_joint_rows(groups, touches, parts, algebras, rotors_of(d), A, first, last)
    rows.put_joint_scales(groups, touches, parts, A, first, last)


@kernel
def put_other_rows(here, d, first, last):
    """Rows of some groups that are not joints of the tree, and their scales."""
    algebras, parts, groups, touches = open_parts(d)
    owners, A = owners_of(d), arena_of(d)
    start = max(first, d.n_joints)  # joints come first
    rows.put_other_rows(here, groups, touches, parts, algebras, owners.of_link, owners.of_dof, A, start, last)
    rows.put_scales(groups, touches, parts, A, start, last)


@kernel
def put_right_hand_sides(here, d, eta):
    """c of the constraints' rows from eta, with the joints' biases in those that hold rates."""
    _, parts, groups, _ = open_parts(d)
    rows.put_right_hand_sides(groups, parts, open_rows(here), owners_of(d).of_dof, eta, arena_of(d))


@kernel
def put_correction(d, change, positions):
    """Right-hand sides for the shortest x with J x = change: no forces, no biases; positions: rows that hold velocities only
    are left out."""
    _, parts, groups, touches = open_parts(d)
    A, base, held = arena_of(d), base_in(d.arrays.arena), open_rows(d.system).rows
    for i in range(parts.size):
        part = parts[i]
        z, bias = vector(base, part.z_at, part.size), vector(base, part.bias_at, part.size)
        for k in range(part.size):
            z[k] = bias[k] = 0.0
    for i in range(groups.size):
        group = groups[i]
        for k in range(group.rows):
            A[group.c_at + k] = 0.0 if group.kind == JOINT else change[group.row + k]
        if not positions or group.kind == JOINT:
            continue
        for k in range(group.rows):
            if not held[group.row + k].holonomic:
                A[group.c_at + k] = A[group.scale_at + k] = 0.0
                for j in range(group.touch, group.touch + group.touches):
                    n = parts[touches[j].part].size
                    for l in range(n):
                        A[touches[j].C_at + k * n + l] = 0.0


@kernel
def solve(d):
    """Accelerations of all parts and multipliers of all rows; returns the rank of the constraints' rows, notes `ratios`."""
    rank = call(d.entries.solve, d.here, FIRST, NOTHING, NOTHING, NOTHING) - d.joint_rows
    if d.border_rows > 0:
        rank += call(d.entries.border, d.here, FIRST, NOTHING, NOTHING, NOTHING)
    return rank


@kernel
def solve_again(d):
    """The same for other right-hand sides, with the factors that are there."""
    call(d.entries.solve, d.here, AGAIN, NOTHING, NOTHING, NOTHING)
    if d.border_rows > 0:
        call(d.entries.border, d.here, AGAIN, NOTHING, NOTHING, NOTHING)


@entry(division_t)
def solve_alone(d, which, _, __, ___):
    """What `solve` and `solve_again` do, on one thread; returns the rank of all rows."""
    n, scratch, ratios, rank = open_nodes(d).nodes.size, base_in(d.arrays.scratch), d.ratios, 0
    if which == AGAIN:
        reassemble(d, 0, n)
    else:
        ratios[0], ratios[1] = np.inf, 0.0
        rank = assemble(d, 0, n, scratch, ratios)
    disassemble(d, 0, n, scratch)
    return rank


@kernel
def assemble(d, first, last, scratch, ratios):
    """Up through some nodes, in their order; returns the rank of their rows."""
    _, parts, groups, _ = open_parts(d)
    nodes, entries, blocks = open_nodes(d)
    base, order = base_in(d.arrays.arena), base_in(d.arrays.order)
    rank = 0
    for i in range(first, last):
        rank += assemble_node(nodes[i], nodes, entries, blocks, parts, groups, base, scratch, order, ratios)
    return rank


@kernel
def reassemble(d, first, last):
    """Up through some nodes whose factors are there."""
    _, parts, groups, _ = open_parts(d)
    nodes, entries, blocks = open_nodes(d)
    base, order = base_in(d.arrays.arena), base_in(d.arrays.order)
    for i in range(first, last):
        reassemble_node(nodes[i], nodes, entries, blocks, parts, groups, base, order)


@kernel
def disassemble(d, first, last, scratch):
    """Down through some nodes, against their order, to the accelerations of the parts among them."""
    _, parts, groups, _ = open_parts(d)
    nodes, entries, blocks = open_nodes(d)
    base, order = base_in(d.arrays.arena), base_in(d.arrays.order)
    for i in range(last - 1, first - 1, -1):
        disassemble_node(nodes[i], nodes, entries, blocks, parts, groups, base, scratch, order)
        if nodes[i].part >= 0:
            accelerate_part(parts[nodes[i].part], base)


@kernel
def put_results(d, x, lam):
    """Rates x of the tree's coordinates, multipliers lam with M x + J^T lam = f."""
    algebras, parts, groups, _ = open_parts(d)
    A = arena_of(d)
    rows.put_rates(parts, algebras, A, x, 0, parts.size)
    for i in range(groups.size):
        group = groups[i]
        if group.kind != JOINT:
            for k in range(group.rows):
                lam[group.row + k] = -A[group.lambda_at + k]


@kernel
def least_direction(d, x):
    """Size of the least direction of J in the metric of the mass matrix, relative to the rows' mobilities, by a step of
    inverse iteration with the factors that are there; x (rows) comes closer to it each time."""
    groups = open_parts(d).groups
    A, mobility, size = arena_of(d), 0.0, 0.0
    put_correction(d, x, False)
    solve_again(d)
    for i in range(groups.size):
        group = groups[i]
        if group.kind != JOINT:
            for k in range(group.rows):
                y = A[group.lambda_at + k]
                x[group.row + k] = y
                size += y * y
                mobility = max(mobility, A[group.scale_at + k])
    size = np.sqrt(size)
    if not size > 0.0:
        return 0.0
    for r in range(x.size):  # and a little of all directions, lest one that becomes the least be missed
        x[r] = x[r] / size + 0.02 * (np.sin(1.0 + 7.0 * r)) / np.sqrt(x.size)
    return 1.0 / np.sqrt(size * mobility)


@kernel
def kinetic_size(d):
    """x^T M x of a correction: what the constraint forces do on it."""
    _, parts, groups, _ = open_parts(d)
    base, total = base_in(d.arrays.arena), 0.0
    for i in range(groups.size):
        if groups[i].soft_at >= 0:
            n = groups[i].rows
            soft, lam = vector(base, groups[i].soft_at, n), vector(base, groups[i].lambda_at, n)
            for k in range(lam.size):
                total += soft[k] * lam[k] * lam[k]
    for i in range(parts.size):
        F, x = vector(base, parts[i].force_at, parts[i].size), vector(base, parts[i].alpha_at, parts[i].size)
        for k in range(x.size):
            total += F[k] * x[k]
    return total


@kernel
def accelerate(here, division, values, motions, tau, q, v, v_dot, lam, ratios):
    """v_dot, multipliers and (least pivot kept, largest left out); returns the rank of the constraints' rows, or a negative
    status as `put_parts` does. here, division: addresses of the records."""
    d = division_at(division)
    status = put_state(here, d, values, motions, tau, q, v, lam)
    if status != 0:
        return status
    put_right_hand_sides(here, d, lam)
    rank = solve(d)
    put_results(d, v_dot, lam)
    ratios[0], ratios[1] = d.ratios[0], d.ratios[1]
    return rank
