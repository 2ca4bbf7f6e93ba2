"""What an exported mechanism is to those who call it: a record, and the kernels that C and pages call with its address."""

import numpy as np

from cotree.dynamics.composite import mass_matrix
from cotree.dynamics.energy_momentum import energy
from cotree.dynamics.inverse import inverse_dynamics
from cotree.engine.entry import NOTHING, call, door, door_t
from cotree.engine.kernel import kernel
from cotree.engine.records import arrays, at_t, integers, matrix, vector
from cotree.engine.status import DONE, NOT_CLOSED
from cotree.engine.vectors import copy, fill, inner, largest
from cotree.formulations.acceleration import accelerate
from cotree.formulations.problem import power_of, terms_of, weigh_rows
from cotree.integrate.events.passages import note_rank
from cotree.integrate.law_states import work_of
from cotree.integrate.records import now, old, older, run_at
from cotree.integrate.stepper.stepping import take_steps
from cotree.judge import CLOSED, REPORTED, ROUNDING
from cotree.kinematics.configuration import move
from cotree.kinematics.poses import body_pose
from cotree.kinematics.sweep import place_all
from cotree.lie.storage import put_pose, vec
from cotree.lie.vec3 import add
from cotree.system.views import open_tables

model_t = np.dtype(
    [
        *((name, door_t[name]) for name in door_t.names or ()),
        ("run", at_t),
        ("rows", at_t),  # of a stepper, none of which is kept
        ("count", "i8"),  # of steps that are asked for
        ("stale", "i8"),  # 1: inputs have changed since the present acceleration was computed
        ("arrays", arrays("poses", "mass", "force", "energy", "fixed", "change", "moved")),
    ],
    align=True,
)
NEWTON = 40  # iterations in which loops are closed


@door(model_t)
def step(model, size, _, __, ___):
    """So many steps of a size, as `Stepper.step` takes them; DONE, or how the first that failed did."""
    brief = model.stale != 0
    status = take_steps(model.run, model.rows, model.count, size, brief, brief)
    model.stale = 1 if status != DONE or (brief and model.count > 0) else 0
    return status


@door(model_t)
def begin(model, t, q, v, _):
    """Start anew at a state, as a run begins; the rank of the constraints or a negative status."""
    run = run_at(model.run)
    near, clock = run.problem.near, run.clock
    forget(run)
    for state in (older(run), old(run), now(run)):
        copy(q, state.q)
        copy(v, state.v)
    clock.t_older, clock.t_old, clock.t_now = t, t, t
    status = accelerate(run.problem, t, q, v, now(run).v_dot)
    if status < 0:
        return status
    copy(power_of(run.problem), work_of(run)[3])
    if run.problem.rows > 0:
        near.widest = 0.0
        note_rank(run, status)
    model.stale = 0
    return status


@kernel
def forget(run):
    """Nothing is known yet of constraints and singular configurations."""
    near, counts, correction = run.problem.near, run.counts, run.correction
    near.smallest, near.dropped, near.narrowest, near.widest = 0.0, 0.0, 0.0, 0.0
    near.certified, near.dependent_rows, near.careful, near.check = -1, False, False, True
    counts.rank_older, counts.rank_old, counts.rank_now, counts.rank_most = 0, 0, 0, 0
    counts.rank_least, counts.narrowed = run.problem.rows, 0
    correction.position, correction.velocity = 0.0, 0.0
    for k in range(3):
        run.least[k, 0], run.least[k, 1] = 0.0, 0.0
    work = work_of(run)
    for k in range(4):
        fill(work[k], 0.0)


@door(model_t)
def forward(model, t, q, v, v_dot):
    """Accelerations under the present inputs; the rank of the constraints or a negative status."""
    return accelerate(run_at(model.run).problem, t, q, v, v_dot)


@door(model_t)
def inverse(model, t, q, v, v_dot):
    """Forces along the coordinates of the opened tree for accelerations, beside those of all elements and inputs; they take the
    place of v_dot."""
    p, force = run_at(model.run).problem, vector(model.arrays.force)
    inverse_dynamics(open_tables(p.system), matrix(p.arrays.values), q, v, v_dot, force)
    copy(force, v_dot)
    return 0


@door(model_t)
def mass(model, t, q, _, __):
    """The mass matrix of the tree, by rows, in `mass`."""
    mass_matrix(open_tables(run_at(model.run).problem.system), q, matrix(model.arrays.mass))
    return 0


@door(model_t)
def poses(model, t, q, _, __):
    """Rotation by rows and position of each body, ground first, as `ct.poses` gives them, in `poses`."""
    tables, out = open_tables(run_at(model.run).problem.system), matrix(model.arrays.poses)
    origin = add(place_all(tables, q), vec(tables.world[0].origin))
    for k in range(tables.bodies.size):
        put_pose(out[k], body_pose(tables.bodies[k], tables.work, origin))
    return 0


@door(model_t)
def measure(model, t, q, v, _):
    """Kinetic and potential energy, and the largest errors of the constraints in positions and velocities, in `energy`."""
    p, out = run_at(model.run).problem, vector(model.arrays.energy)
    energy(open_tables(p.system), q, v, out)
    out[2], out[3] = 0.0, 0.0
    if p.rows > 0:
        status = call(p.entries.positions, p.here, t, q, NOTHING, NOTHING)
        if status < 0:
            return status
        e = terms_of(p)
        put_velocity_errors(e, v)
        out[2], out[3] = largest(e.g), largest(e.eta)
    return 0


@kernel
def put_velocity_errors(e, v):
    """eta = b - J v."""
    for r in range(e.eta.size):
        e.eta[r] = e.b[r] - inner(e.J[r], v)


@door(model_t)
def close(model, t, q, v, _):
    """Close the loops, and make the velocity admissible, with the coordinates held that `fixed` marks; the rank of the
    constraints or a negative status."""
    p = run_at(model.run).problem
    if p.rows == 0:
        return 0
    near = p.near
    before = near.certified, near.dependent_rows, near.smallest, near.dropped
    near.certified, near.dependent_rows, near.floor = -1, False, REPORTED
    status = close_positions(model, p, t, q)
    if status >= 0:
        status = close_velocities(model, p, t, q, v)
    near.certified, near.dependent_rows, near.smallest, near.dropped = before
    near.floor = 0.0
    return status


@kernel
def close_positions(model, p, t, q):
    """Newton steps on q, in place."""
    e, x, moved = terms_of(p), vector(model.arrays.change), vector(model.arrays.moved)
    holonomic, tables, before = integers(p.arrays.holonomic), open_tables(p.system), np.inf
    for k in range(NEWTON + 1):
        status = call(p.entries.positions, p.here, t, q, NOTHING, NOTHING)
        if status < 0:
            return status
        size = largest(e.g)
        if size <= ROUNDING * p.near.length or k == NEWTON:
            break
        if size <= CLOSED * p.near.length and not size < 0.5 * before:
            break
        before = size
        for r in range(p.rows):
            e.eta[r] = -e.g[r]
            if not holonomic[r]:
                fill(e.J[r], 0.0)
        status = put_change(model, p, x)
        if status < 0:
            return status
        move(tables.links, tables.dofs, q, x, moved)
        copy(moved, q)
    return 0 if largest(e.g) <= CLOSED * p.near.length else NOT_CLOSED


@kernel
def close_velocities(model, p, t, q, v):
    """One correction of v, in place."""
    e, x = terms_of(p), vector(model.arrays.change)
    status = call(p.entries.positions, p.here, t, q, NOTHING, NOTHING)
    if status < 0:
        return status
    put_velocity_errors(e, v)
    status = put_change(model, p, x)
    for j in range(p.nv):
        v[j] += x[j]
    return status


@kernel
def put_change(model, p, x):
    """The shortest x with J x = eta in which what is held does not move."""
    e, fixed = terms_of(p), integers(model.arrays.fixed)
    for j in range(p.nv):
        if fixed[j] != 0:
            for r in range(p.rows):
                e.J[r, j] = 0.0
            for i in range(p.nv):
                e.M[i, j], e.M[j, i] = 0.0, 0.0
            e.M[j, j] = 1.0
    weigh_rows(p)
    fill(e.f, 0.0)
    return call(p.entries.solve, p.here, 0.0, NOTHING, NOTHING, x)


DOORS = {
    "step": step, "begin": begin, "forward": forward, "inverse": inverse, "mass": mass, "poses": poses,
    "measure": measure, "close": close,
}  # fmt: skip
