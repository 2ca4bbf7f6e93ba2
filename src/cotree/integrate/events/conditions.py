"""Watches: compiled conditions on joint coordinates, rates and holding forces under which the topology changes.

Each is a number that is positive while all is well; the topology changes where it comes down to zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cotree.constraints.contacts.measure import put_points
from cotree.constraints.contacts.touch import INSIDE, STATE
from cotree.engine.entry import call, entry
from cotree.engine.kernel import kernel
from cotree.engine.records import array_t, matrix, rows_of, vector
from cotree.formulations.acceleration import accelerate
from cotree.formulations.loading import loading_at
from cotree.integrate.law_states import put_states_within
from cotree.integrate.records import run_t
from cotree.judge import ZERO
from cotree.kinematics.cut_joint import cut_coordinate, cut_rate, unwrapped
from cotree.system.tables import row_kind_t
from cotree.system.views import open_cuts, open_tables

# what is watched: sign (coordinate - value), sign rate, 1 - |lam| / value (times the friction under the load, if that
# grows with it), sign lam / value
COORDINATE, RATE, HOLDING, PUSHING = range(4)
# of points of contact: gap, N / value, (mu N - |T|) / value with the multipliers from `row` on, slip along a direction, how
# far the points are inside of the features that touch
GAP, PRESSING, CONE, SLIDING, FACING = range(4, 9)

watch_t = np.dtype(
    [
        ("kind", "i8"),
        ("iq", "i8"),  # in the tree: place in q and in v
        ("iv", "i8"),
        ("cut", "i8"),  # cut joint: its row, else -1
        ("component", "i8"),
        ("row", "i8"),  # of the constraints, for forces
        ("load", "i8"),  # place of friction that grows with the load, else -1
        ("sign", "f8"),
        ("value", "f8"),
        ("point", "i8"),  # of contact: among those that are measured
        ("mu", "f8"),
        ("along", "f8", 2),  # direction of slip
        ("kinds", array_t),  # of the points, and what is measured of them
        ("out", array_t),
    ],
    align=True,
)
_kinds = rows_of(row_kind_t)
_watches = rows_of(watch_t)


@dataclass(frozen=True)
class Watch:
    """A row of the table for the device `name`; `start`: about where a coordinate across a cut joint is at the start, turns
    counted."""

    name: str
    kind: int
    iq: int = -1
    iv: int = -1
    cut: int = -1
    component: int = 0
    row: int = -1
    load: int = -1
    sign: float = 1.0
    value: float = 0.0
    start: float = 0.0
    point: int = -1
    mu: float = 0.0
    along: tuple[float, float] = (0.0, 0.0)

    @property
    def of_contact(self) -> bool:
        return self.kind >= GAP


def watch_table(watches: tuple[Watch, ...]) -> np.ndarray:
    """Rows of the table."""
    table = np.zeros(len(watches), watch_t)
    for row, w in zip(table, watches, strict=True):
        for name in (watch_t.names or ())[:-2]:
            row[name] = getattr(w, name)
    return table


@entry(run_t)
def look(run, t, q, v, v_dot):
    """Values and, where they are known, rates of all watches at a state whose acceleration has just been found."""
    put_looks(run, t, q, v, v_dot)
    return 0


@entry(run_t)
def look_at_contacts(run, t, q, v, v_dot):
    """The same, of points of contact too, which are the last of the watches."""
    put_looks(run, t, q, v, v_dot)
    put_contact_looks(run, v_dot)
    return 0


@kernel
def put_contact_looks(run, v_dot):
    """Those of points of contact."""
    p = run.problem
    watches, first = _watches(run.arrays.watches), p.n_events - run.n_watches
    values, lam = matrix(p.arrays.events), vector(p.arrays.lam)
    last = watches[watches.size - 1]
    out = vector(last.out)
    put_points(_kinds(last.kinds), p.system, out)
    for k in range(watches.size):
        w, i, at = watches[k], first + k, STATE * watches[k].point
        if w.kind == GAP:
            values[1, i], values[3, i] = out[at], out[at + 1]
        elif w.kind == PRESSING:
            values[1, i], values[3, i] = -lam[w.row] / w.value, 0.0
        elif w.kind == CONE:
            T = np.sqrt(lam[w.row + 1] ** 2 + lam[w.row + 2] ** 2)
            values[1, i], values[3, i] = (-w.mu * lam[w.row] - T) / w.value, 0.0
        elif w.kind == SLIDING:
            values[1, i], values[3, i] = out[at + 2] * w.along[0] + out[at + 3] * w.along[1], 0.0
        elif w.kind == FACING:
            values[1, i], values[3, i] = out[at + INSIDE], 0.0


@kernel
def put_looks(run, t, q, v, v_dot):
    """Those of coordinates, rates and forces."""
    p, clock = run.problem, run.clock
    watches, first = _watches(run.arrays.watches), p.n_events - run.n_watches
    values, lam = matrix(p.arrays.events), vector(p.arrays.lam)
    tables, cuts = open_tables(p.system), open_cuts(p.system)
    begin = clock.t_now if t > clock.t_now else clock.t_old  # of the step that is tried, or looked into
    for k in range(watches.size):
        w, i = watches[k], first + k
        if w.kind >= GAP:
            continue
        slope = 0.0
        if w.kind == HOLDING:
            most = w.value if w.load < 0 else w.value * vector(loading_at(p.loading).arrays.most)[w.load]
            x = 1.0 - abs(lam[w.row]) / most if most > 0.0 else -abs(lam[w.row])
        elif w.kind == PUSHING:
            x = w.sign * lam[w.row] / w.value
        elif w.kind == RATE:
            x = w.sign * (v[w.iv] if w.cut < 0 else cut_rate(cuts[w.cut], w.component, tables.work))
            slope = w.sign * v_dot[w.iv] if w.cut < 0 else 0.0
        elif w.cut < 0:
            x, slope = w.sign * (q[w.iq] - w.value), w.sign * v[w.iv]
        else:
            angle = cut_coordinate(cuts[w.cut], w.component, tables.work)
            slope = w.sign * cut_rate(cuts[w.cut], w.component, tables.work)
            if w.component < 3 and cuts[w.cut].pitch == 0.0:  # turns are counted on, several in a step
                near = values[0, i] + 0.5 * (t - begin) * (values[2, i] + slope)
                angle = unwrapped(angle, w.value + w.sign * near)
            x = w.sign * (angle - w.value)
        values[1, i], values[3, i] = x, slope


@kernel
def look_at(run, t, q, v):
    """Look at any state; returns a status."""
    v_dot, clock = np.empty(v.size), run.clock
    if clock.t_now > clock.t_old:
        put_states_within(run, (t - clock.t_old) / (clock.t_now - clock.t_old))
    status = accelerate(run.problem, t, q, v, v_dot)
    if status >= 0:
        call(run.entries.look, run.problem.here, t, q, v, v_dot)
    return status


@kernel
def ran_out(before, now, slope_before, slope_now):
    """Whether a watch came down to zero within a step, slopes times its size: at its end, or in between."""
    if not before > 0.0:
        return now < before - ZERO  # a stop that was passed by a hair is being left
    return now <= 0.0 or lowest(before, now, slope_before, slope_now)[0] <= 0.0


@kernel
def lowest(a, b, da, db):
    """(least value, where) within the step of the cubic that agrees with values and slopes at both ends, if it dips there."""
    if not (da < 0.0 and db > 0.0):
        return (a, 0.0) if a < b else (b, 1.0)
    c2, c3 = 3.0 * (b - a) - 2.0 * da - db, 2.0 * (a - b) + da + db
    # the derivative da + 2 c2 x + 3 c3 x^2 rises through zero once between the ends
    root = np.sqrt(max(c2 * c2 - 3.0 * c3 * da, 0.0))
    x = -da / (c2 + root) if c2 + root > 0.0 else 0.5
    x = min(max(x, 0.0), 1.0)
    return a + x * (da + x * (c2 + x * c3)), x
