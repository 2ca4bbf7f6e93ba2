"""Friction that grows with what a joint transmits: the torque depends on the reaction, and the reaction on the torque.

Accelerations and multipliers, and with them all reactions, are affine in the friction forces g of the joints that slide:
W = W0 + D g, exactly, since M, J and eta do not depend on forces. W0 and the columns of D come from evaluations with g = 0 and
with one friction at a time. What remains are as many equations as there are joints that slide,

    g_i = -d_i (c_i + load_i(W_i)),   d_i = +-1 the direction of sliding, c_i the constant part,
    load  = a (|N1| + |N2|) + b |F . e| + c |M . e|,   N1, N2 = F_across / 2 +- (M x e) / span,

solved by Newton's method from g = 0, which leads to the least friction where there are several solutions. Where there is none
(a joint that jams: Painleve) the status is JAMMED. F and M are what the joint transmits to its child about its own point, e is
its axis; N1 and N2 are the forces of two bearings at the distance `span` about that point, F_across / 2 each without a span.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.engine.entry import entry
from cotree.engine.kernel import kernel
from cotree.engine.records import address_of, arrays, integers, matrix, opener, put_array, record, rows_of, vector
from cotree.engine.status import JAMMED
from cotree.formulations.acceleration import accelerate_plainly
from cotree.formulations.linalg import lu, solve_lu
from cotree.formulations.problem import ASK_BIAS, ASK_ROWS, Problem, problem_t
from cotree.formulations.reactions.all_joints import put_reactions, reaction_room, tables_of
from cotree.judge import TINY
from cotree.lie.mat3 import mul_vec
from cotree.lie.storage import pose, vec
from cotree.lie.vec3 import cross, dot, scale, sub
from cotree.model.joints import Prismatic
from cotree.model.switches import Brake
from cotree.system.sides import all_sides
from cotree.system.system import System
from cotree.system.views import open_tables

Array = NDArray[np.float64]
ITERATIONS, SOLVED = 60, 1e-14  # of Newton's method; relative change
rubbing_t = np.dtype(
    [
        ("slot", "i8"),  # row of the numbers that forces have
        ("joint", "i8"),  # in the order of the joints
        ("link", "i8"),  # of its child
        ("axis", "f8", (3,)),  # in the reference assembly
        ("across", "f8"),
        ("along", "f8"),
        ("about", "f8"),
        ("by_span", "f8"),  # 1 / span, 0 without one
        ("constant", "f8"),
        ("direction", "f8"),
    ],
    align=True,
)
_rubbing = rows_of(rubbing_t)
loading_t = np.dtype(
    [
        (
            "arrays",
            arrays(
                "rubbing", "most", "out", "at", "masses", "springs", "parents", "cut_a", "cut_b", "found", "links", "points",
                "locked",
            ),
        )
    ],
    align=True,
)  # fmt: skip
loading_at = opener(loading_t)


def loaded_brakes(system: System) -> list[Brake]:
    """Brakes whose friction grows with the load, of joints that there are."""
    there = {*system.joint_links, *system.cut_joints}
    devices = system.mechanism.devices.values()
    return [d for d in devices if isinstance(d, Brake) and d.coefficient > 0.0 and d.joint in there]


def rubbing_table(system: System, brakes: list[Brake]) -> NDArray[np.void]:
    """One row for each of them, with the direction in which it slides, 0 where it holds or does not act."""
    table, frames = np.zeros(len(brakes), rubbing_t), all_sides(system)[1]
    mech, names = system.mechanism, system.joint_names
    for row, b in zip(table, brakes, strict=True):
        k, connection = names.index(b.joint), mech.joints[b.joint]
        row["slot"], row["joint"] = system.brake_slots[b.name], k
        row["link"], row["axis"] = system.bodies["link"][system.body_rows[connection.child]], frames[k, :3, 2]
        row["across"], row["along"], row["about"] = b.arms(turns=not isinstance(connection.joint, Prismatic))
        row["by_span"], row["constant"] = 1.0 / b.span if b.span > 0.0 else 0.0, b.torque
        row["direction"] = system.sliding.get(b.name, 0)
    return table


class Loading:
    """What the evaluation of such friction needs; `most[i]`: its size at the last state, without static_ratio."""

    def __init__(self, system: System, brakes: list[Brake]) -> None:
        self.names = [b.name for b in brakes]
        self.record = record(loading_t)
        self.most = np.zeros(len(brakes))
        tree, ends, where = tables_of(system)
        joints = len(system.joint_names)
        given = (
            rubbing_table(system, brakes),
            self.most,
            np.zeros((joints, 6)),
            np.zeros((joints, 3)),
            *tree,
            *ends,
            *where,
        )
        self.kept = [np.ascontiguousarray(x) for x in given]
        for field, array in zip(loading_t["arrays"].names or (), self.kept, strict=True):
            put_array(self.record.arrays[field], array)
        self.here = address_of(self.record)


def enter_loads(problem: Problem) -> Loading | None:
    """Let evaluations of a problem solve for friction that grows with the load, where there is such."""
    brakes = loaded_brakes(problem.system)
    if not brakes:
        return None
    loading = Loading(problem.system, brakes)
    problem.problem.loading = loading.here
    problem.enter(loaded=loaded)
    return loading


@entry(problem_t)
def loaded(p, t, q, v, v_dot):
    """What `accelerate` does, with friction that grows with the load; as many evaluations as joints slide, and two more."""
    L = loading_at(p.loading)
    rubbing, most, values = _rubbing(L.arrays.rubbing), vector(L.arrays.most), matrix(p.arrays.values)
    n = rubbing.size
    W, E, D = np.empty((n, 6)), np.empty((n, 3)), np.zeros((n, n, 6))
    for i in range(n):
        values[rubbing[i].slot, 0] = -rubbing[i].direction * TINY
    status = accelerate_plainly(p, t, q, v, v_dot)
    if status < 0:
        return status
    _put_wrenches(p, L, q, v, v_dot, W)
    _put_axes(p, rubbing, E)
    asks, laws = p.asks, p.entries.laws
    # laws and motions have answered for this state; user-defined rows are asked for again, since solvers work in place
    p.asks, p.entries.laws = asks & (ASK_ROWS | ASK_BIAS), 0
    for j in range(n):
        if rubbing[j].direction == 0.0:
            continue
        unit = max(rubbing[j].constant + load_of(rubbing[j], W[j], E[j]), 1e-6)
        values[rubbing[j].slot, 0] = unit
        status = min(status, accelerate_plainly(p, t, q, v, v_dot))
        values[rubbing[j].slot, 0] = -rubbing[j].direction * TINY
        _put_wrenches(p, L, q, v, v_dot, D[j])
        for i in range(n):
            for c in range(6):
                D[j, i, c] = (D[j, i, c] - W[i, c]) / unit
    well = _solve(rubbing, W, E, D, values, most)
    if status >= 0:
        status = accelerate_plainly(p, t, q, v, v_dot)
    p.asks, p.entries.laws = asks, laws
    return status if well or status < 0 else JAMMED


@kernel
def _put_wrenches(p, L, q, v, v_dot, W):
    """W[i]: what the joint of friction i transmits."""
    a = L.arrays
    out, at, rubbing = matrix(a.out), matrix(a.at), _rubbing(a.rubbing)
    tree = (matrix(a.masses), integers(a.springs).reshape((a.springs.m, 2)), integers(a.parents))
    ends = (integers(a.cut_a), integers(a.cut_b))
    found, locked = integers(a.found), integers(a.locked)
    where = (found.reshape((a.found.m, 3)), integers(a.links), matrix(a.points), locked.reshape((a.locked.m, 2)))
    room = reaction_room(p.system, tree[2].size, ends[0].size)
    lam, values = vector(p.arrays.lam), matrix(p.arrays.values)
    put_reactions(p.system, tree, ends, where, room, q, v, v_dot, lam, values, out, at)
    for i in range(rubbing.size):
        for c in range(6):
            W[i, c] = out[rubbing[i].joint, c]


@kernel
def _put_axes(p, rubbing, E):
    work = open_tables(p.system).work
    for i in range(rubbing.size):
        e = mul_vec(pose(work[rubbing[i].link].C)[0], vec(rubbing[i].axis))
        for c in range(3):
            E[i, c] = e[c]


@kernel
def load_of(f, W, e):
    """Friction under the wrench W in a joint with the axis e, without the constant part."""
    return load_and_slope(f, W, e, W)[0]


@kernel
def load_and_slope(f, W, e, dW):
    """The same, and its change for a change dW of the wrench."""
    axis, M, F = (e[0], e[1], e[2]), (W[0], W[1], W[2]), (W[3], W[4], W[5])
    dM, dF = (dW[0], dW[1], dW[2]), (dW[3], dW[4], dW[5])
    across, d_across = _across(F, axis), _across(dF, axis)
    turned, d_turned = scale(f.by_span, cross(M, axis)), scale(f.by_span, cross(dM, axis))
    one, d_one = _size(_half(across, turned, 1.0), _half(d_across, d_turned, 1.0))
    two, d_two = _size(_half(across, turned, -1.0), _half(d_across, d_turned, -1.0))
    along, about = dot(F, axis), dot(M, axis)
    load = f.across * (one + two) + f.along * abs(along) + f.about * abs(about)
    slope = (
        f.across * (d_one + d_two) + f.along * np.sign(along) * dot(dF, axis) + f.about * np.sign(about) * dot(dM, axis)
    )
    return load, slope


@kernel
def _across(F, e):
    return sub(F, scale(dot(F, e), e))


@kernel
def _half(F, turned, sign):
    return (0.5 * F[0] + sign * turned[0], 0.5 * F[1] + sign * turned[1], 0.5 * F[2] + sign * turned[2])


@kernel
def _size(x, dx):
    size = np.sqrt(dot(x, x))
    return size, dot(x, dx) / size if size > 0.0 else 0.0


@kernel
def _solve(rubbing, W, E, D, values, most):
    """Friction forces of those that slide, into `values`, and the sizes of all; whether there is a solution."""
    n = rubbing.size
    g, x, now, pivot, A = np.zeros(n), np.empty(n), np.empty(6), np.empty(n, np.int64), np.empty((n, n))
    for _ in range(ITERATIONS):
        for i in range(n):
            f = rubbing[i]
            for c in range(6):
                now[c] = W[i, c]
                for j in range(n):
                    now[c] += D[j, i, c] * g[j]
            most[i] = f.constant + load_of(f, now, E[i])
            for j in range(n):
                A[i, j] = f.direction * load_and_slope(f, now, E[i], D[j, i])[1] if f.direction != 0.0 else 0.0
            A[i, i] += 1.0
            x[i] = -(g[i] + f.direction * most[i])
        if not lu(A, pivot):
            return False
        solve_lu(A, pivot, x)
        change, size = 0.0, 0.0
        for i in range(n):
            g[i] += x[i]
            change, size = max(change, abs(x[i])), max(size, abs(g[i]))
        if not change < np.inf:
            return False
        if change <= SOLVED * size:
            break
    well = change <= 1e-9 * size
    for i in range(n):
        values[rubbing[i].slot, 0] = g[i] if g[i] != 0.0 else -rubbing[i].direction * TINY
        well = well and g[i] * rubbing[i].direction <= 0.0
    return well
