"""Sensors of the rows of a run, phase by phase where its topology changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cotree.integrate.driver import Driver
from cotree.integrate.phases.phase import Phase, phases_after
from cotree.sensors.sensors import Sensors
from cotree.sensors.states import Block, SteppedBlock
from cotree.sensors.work import Stretch
from cotree.system.system import System

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

Array = NDArray[np.float64]
State = tuple[float, Array, Array, Array]  # time, coordinates, velocities, states of laws


def sensors_of(run: Run) -> Sensors:
    """Sensors of all rows of a run."""
    if not run.phases:
        return Sensors(run.system, [_block(run, run.system, slice(None))])
    blocks = [_block(run, p.system, slice(*p.rows)) for p in run.phases if p.rows[1] > p.rows[0]]
    return Sensors(run.system, blocks, stretches=lambda: _stretches(run))


def _block(run: Run, system: System, which: slice) -> Block:
    states = run.states if len(run.states) == len(run.t) else np.zeros((len(run.t), 0))
    kind = SteppedBlock if "contact_rule" in run.statistics else Block
    return kind(system, *(np.ascontiguousarray(x[which]) for x in (run.t, run.q, run.v, states)))


def _stretches(run: Run) -> tuple[Stretch, ...]:
    """Phases with the states at their ends, where these are not rows."""
    opened = dict(zip(phases_after(run.switches, run.phases), run.switches, strict=True))
    out: list[Stretch] = []
    state: State | None = None  # at the end of the phase before
    for k, phase in enumerate(run.phases):
        own, begin, end = _block(run, phase.system, slice(*phase.rows)), opened.get(k), opened.get(k + 1)
        kept = own.states[0] if own.states is not None and len(own.t) else np.zeros(run.system.n_states)
        kept = kept if state is None else state[3]  # they do not jump where constraints switch
        state = state if begin is None else (begin.t, begin.q, begin.v, kept)
        before = [] if state is None or (len(own.t) and own.t[0] <= state[0]) else [state]
        states = [*before, *zip(own.t, own.q, own.v, _rows(own.states, len(own.t)), strict=True)]
        last = states[-1]
        if last[0] < phase.end and (end is None or run.system.n_states):
            last = _followed(run, phase, last)
        if end is not None:
            last = (end.t, end.q, end.v_before, last[3])
        if last[0] > states[-1][0]:
            states.append(last)
        t, q, v, z = (np.array([s[i] for s in states]) for i in range(4))
        out.append(Stretch(Block(phase.system, t, q, v, z), slice(len(before), len(before) + len(own.t))))
        state = last
    return tuple(out)


def _followed(run: Run, phase: Phase, state: State) -> State:
    """The state at the end of a phase that ends without a jump, from one within it."""
    t, q, v, z = state
    driver = Driver(phase.system, run.settings, t, q, v, np.array([phase.end]), phase.end, (), states=z)
    driver.go(False)
    times, positions, velocities, work = driver.rows()
    return float(times[-1]), positions[-1], velocities[-1], work[-1, 2:]


def _rows(states: Array | None, count: int) -> Array:
    return np.zeros((count, 0)) if states is None else states
