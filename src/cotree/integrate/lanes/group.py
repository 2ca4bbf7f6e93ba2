"""As many runs as there are lanes, one in each seat; what is done with a run beside its steps is what its own driver does."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.engine.interpreted import INTERPRETED
from cotree.engine.kernel_types import types_in
from cotree.engine.lane_type import LANES
from cotree.engine.records import address_of, put_array, with_attributes
from cotree.engine.status import CHUNK, GOING_ON
from cotree.engine.together import compile_together, job_for
from cotree.errors import ChoiceError
from cotree.formulations import acceleration, pack
from cotree.formulations.contract import FORMULATIONS
from cotree.formulations.pack import Pack
from cotree.integrate.driver import SLICE, Driver
from cotree.integrate.lanes import step
from cotree.integrate.lanes.loop import advance_together, seat_t
from cotree.integrate.methods import munthe_kaas
from cotree.integrate.methods.contract import METHODS
from cotree.integrate.stabilization.contract import STABILIZATIONS
from cotree.model.features import declare
from cotree.system.batches import lanes_here
from cotree.system.lane_tables import structure_of
from cotree.system.system import System

Array = NDArray[np.float64]
LANES_OF_RUNS = declare(
    "runs on lanes",
    ChoiceError,
    refuses=dict.fromkeys(
        ("friction", "laws", "time", "functions", "user rows", "non-holonomic rows", "force elements"),
        "such runs go alone, at their own pace; use ct.Stepper or ct.simulate",
    ),
)
MOST = 100_000  # steps between looks at what else there is


def structure(driver: Driver) -> bytes | None:
    """What runs that go together have in common; None for one that must go alone."""
    s, state = driver.settings, driver.state
    method, held = METHODS[s.method], STABILIZATIONS[s.stabilize]
    if INTERPRETED or not lanes_here() or method.step is not munthe_kaas.step:
        return None
    if LANES_OF_RUNS.objections(driver.system.features) or driver.watches or driver.callback.events:
        return None
    if s.independent is not None or s.stabilize_above is not None or len(state.kept["held"]) or "combine" in state.kept:
        return None
    if state.problem.rows and not (
        driver.formulation is FORMULATIONS["auto"] and not held.pulls and held.correct is acceleration.by_auto
    ):
        return None
    found = structure_of(driver.system)
    return None if found is None else found + f"{s.method} {s.stabilize} {s.step is None}".encode()


class Group:
    """Seats for runs with the structure of this one, and the pack that their steps are tried in."""

    def __init__(self, driver: Driver) -> None:
        method, system, o = METHODS[driver.settings.method], driver.system, driver.state.options
        self.structure, rows = structure(driver), system.n_constraints > 0
        entries: dict[str, Any] = {"step": step.step, "between": step.between_steps}
        entries["terms"] = pack.terms if rows else pack.tree
        if rows:
            entries |= {"solve": pack.solve, "positions": pack.positions, "project": step.project}
        compile_together([job_for(advance_together, types_in("iivi")), *(job_for(e) for e in entries.values())])
        self.pack = Pack(system, len(method.b))
        record = self.pack.record
        for name, entry in entries.items():
            record.entries[name] = entry.address
        record.vectorial, record.stabilize, record.adaptive = o.vectorial, o.stabilize, o.adaptive
        for name, array in (("tableau", method.a), ("weights", method.b), ("error", method.error)):
            self.pack.hold(name, np.ascontiguousarray(array))
        seats = np.zeros(LANES, seat_t)
        self.seats: Any = seats.view(with_attributes(seat_t))
        self.ended = seats["ended"]  # by name at each look is slow
        self.drivers: list[Driver | None] = [None] * LANES
        self.systems: list[System | None] = [None] * LANES  # whose numbers the lanes have
        self.left = [MOST] * LANES  # steps that a run may try, at least, before its driver must look at it
        self.steps, self.here = 16, address_of(self.seats)
        for k in range(LANES):  # lanes without a run compute too
            self._fill(k, driver)

    def _fill(self, k: int, driver: Driver) -> None:
        """The numbers of a run's system, and the state that it is in."""
        kept, state = self.pack.kept, driver.state
        if self.systems[k] is not driver.system:  # as it is where a run is made again
            self.pack.tables.put(k, driver.system)
            self.systems[k] = driver.system
        kept["values"][:, k], kept["motions"][:, k] = state.values.ravel(), state.motions.ravel()
        kept["length"][0, k] = state.near.length
        now = state.at("now")
        kept["q_now"][:, k], kept["v_now"][:, k], kept["a_now"][:, k] = now.q, now.v, now.v_dot

    def seat(self, driver: Driver) -> int:
        """Give a run a free seat; its number."""
        k = self.drivers.index(None)
        self._fill(k, driver)
        seat = self.seats[k]
        seat.run, seat.going, seat.shared, seat.ended = driver.state.here, True, 0, CHUNK
        seat.waits, seat.broken = False, CHUNK
        for name in ("t", "q", "v", "work"):
            put_array(seat[name], getattr(driver, name))
        self.drivers[k], self.left[k] = driver, _left(driver)
        return k

    def advance(self, times: Array) -> list[int]:
        """Some steps of all runs; seats of those that have ended, which are free again."""
        most = min(self.steps, *self.left)
        begun = time.perf_counter()
        tried = advance_together(self.pack.here, self.here, times, most)
        spent = time.perf_counter() - begun
        ended = self.ended.tolist()
        if all(how == CHUNK for how in ended):
            self.steps = max(1, min(int(most * SLICE / max(spent, 1e-6)), 4 * self.steps, MOST))
        found = []
        for k, driver in enumerate(self.drivers):
            if driver is not None and not self._goes_on(k, driver, ended[k], tried):
                found.append(k)
        return found

    def _goes_on(self, k: int, driver: Driver, ended: int, tried: int) -> bool:
        """See to what a run came back with; most have nothing to say, and are not due to be looked at."""
        self.left[k] -= tried
        if ended == CHUNK and self.left[k] > 0:
            return True
        if driver.hears(ended) and ended in GOING_ON:
            self.left[k] = _left(driver)
            return True
        driver.close(ended)
        return False

    def leave(self, k: int) -> int:
        """Free a seat; how many steps of its run were tried on lanes."""
        self.drivers[k], self.left[k], self.seats[k].going = None, MOST, False
        return int(self.seats[k].shared)


def _left(driver: Driver) -> int:
    """Steps that a run may try before its progress is judged; those that are tried anew are not counted."""
    return driver.stalling.left() if driver.stalling else MOST
