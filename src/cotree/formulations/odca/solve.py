"""Accelerations, multipliers and corrections of a divided system: sweep, rows, assembly, disassembly."""

import numpy as np

from cotree._kernel import kernel
from cotree.constraints import loops, other_rows
from cotree.dynamics.elements import apply_elements
from cotree.formulations.odca import leaf, rows
from cotree.formulations.odca.merge import accelerate_part, assemble_node, disassemble_node
from cotree.formulations.odca.tables import (
    ARENA,
    JOINT,
    ORDERS,
    SCRATCH,
    arena_of,
    open_nodes,
    open_parts,
)
from cotree.kinematics.sweep import move_all
from cotree.lie.storage import put_twist
from cotree.system.handle import open_cuts, open_handle, open_rows


@kernel
def put_state(handle, o, part_of, part_of_dof, values, motions, tau, q, v, eta):
    """Leaves, rows and right-hand sides at a state; returns 0, 1 + a dof that its joint has twice, or -1 - a part without
    inertia. eta (rows of the constraints) is scratch."""
    world, links, dofs, _, elements, work, dof_work = open_handle(handle)
    algebras, parts, groups, touches = open_parts(o)
    cuts, others, A = open_cuts(handle), open_rows(handle), arena_of(o)
    shift = move_all(world, links, dofs, work, dof_work, q, v)
    for j in range(dofs.size):
        dof_work[j].tau = tau[j]
    springs, loads, _ = elements
    loaded = springs.size + loads.size > 0
    if loaded:
        for i in range(links.size):
            put_twist(work[i].p, rows.NOTHING)
    apply_elements(elements, work, dof_work, values, q, v)
    status = _put_rows(handle, o, part_of, part_of_dof, shift)
    if status != 0:
        return status
    leaf.put_forces(world, parts, algebras, links, work, loaded, A)
    rows.add_joint_forces(parts, algebras, dof_work, A)
    leaf.put_free_accelerations(parts, A)
    put_twist(work[0].a, rows.NOTHING)
    loops.put_bias(cuts, work, eta)
    if eta.size > other_rows.first_row(cuts):
        other_rows.put_bias(others, cuts, work, motions, eta)
    rows.put_right_hand_sides(groups, parts, others[0], others[1], part_of_dof, eta, A)
    return 0


@kernel
def _put_rows(handle, o, part_of, part_of_dof, shift):
    """Bases, inertias, joints and coefficients of all rows for the links where they are."""
    _, links, _, _, _, work, dof_work = open_handle(handle)
    algebras, parts, groups, touches = open_parts(o)
    A = arena_of(o)
    leaf.put_bases(parts, algebras, links, work, shift, A)
    status = leaf.put_inertias(parts, algebras, links, work, A)
    if status > 0:
        return -status
    status = rows.put_joints(parts, algebras, links, work, dof_work, A)
    if status > 0:
        return status
    rows.put_joint_rows(groups, touches, parts, algebras, A)
    rows.put_other_rows(
        groups, touches, parts, algebras, part_of, part_of_dof, open_cuts(handle), open_rows(handle), work, A
    )
    rows.put_scales(groups, touches, parts, A)
    return 0


@kernel
def solve(o, ratios):
    """Accelerations of all parts and multipliers of all rows; returns the rank of all rows."""
    _, parts, groups, _ = open_parts(o)
    nodes, entries, blocks = open_nodes(o)
    base, order, scratch = o[ARENA], o[ORDERS], o[SCRATCH]
    rank = 0
    ratios[0], ratios[1] = np.inf, 0.0
    for i in range(nodes.size):
        rank += assemble_node(nodes[i], nodes, entries, blocks, parts, groups, base, scratch, order, ratios)
    for i in range(nodes.size - 1, -1, -1):
        disassemble_node(nodes[i], nodes, entries, blocks, parts, groups, base, scratch, order)
    for i in range(parts.size):
        accelerate_part(parts[i], base)
    return rank


@kernel
def put_results(o, x, lam):
    """Rates x of the tree's coordinates, multipliers lam with M x + J^T lam = f."""
    algebras, parts, groups, _ = open_parts(o)
    A = arena_of(o)
    rows.put_rates(parts, algebras, A, x)
    for i in range(groups.size):
        group = groups[i]
        if group.kind != JOINT:
            for k in range(group.rows):
                lam[group.row + k] = -A[group.lambda_at + k]


@kernel
def accelerate(handle, o, part_of, part_of_dof, values, motions, tau, q, v, v_dot, lam, ratios):
    """v_dot and multipliers; returns the rank of all rows, joints of the tree included, or a negative status: -1 - part
    without inertia, or -(1 << 30) - dof that its joint has twice."""
    status = put_state(handle, o, part_of, part_of_dof, values, motions, tau, q, v, lam)
    if status != 0:
        return status if status < 0 else -(1 << 30) - status
    rank = solve(o, ratios)
    put_results(o, v_dot, lam)
    return rank
