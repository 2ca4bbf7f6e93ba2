"""The members of `simulate_many` on threads: each alone, or several together on lanes; errors stay with their member."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cotree.errors import CotreeError, RunWarning
from cotree.integrate.beginning import Beginning
from cotree.integrate.checks.accuracy import coarser, difference, rows_compared, same_pace
from cotree.integrate.checks.missing_functions import check_functions
from cotree.integrate.checks.run_warnings import why_not_repeated
from cotree.integrate.checks.start_doubts import doubts
from cotree.integrate.driver import Driver
from cotree.integrate.guided_start import Start, guided_start
from cotree.integrate.interruption import Interruptible
from cotree.integrate.results.run import Run
from cotree.integrate.settings import Settings, ignored_tolerances
from cotree.integrate.simulate import finished, go
from cotree.system.system import System

Array = NDArray[np.float64]
Member = Run | CotreeError | None


@dataclass(frozen=True)
class Ended:
    """A member that has ended: its run, or the error with which it could not be started; or what was measured of the run."""

    member: Member
    status: str
    message: str
    measured: Any = None


class Prepared:
    """A run that is about to start, as in `simulate`, without the words: warnings stay with the run."""

    def __init__(self, system: System, asked: Settings, times: Array, end: float, q: Any, v: Any) -> None:
        self.asked, self.times, self.end = asked, times, end
        self.beginning: Beginning | None = None
        noted = check_functions(system.mechanism)
        self.start: Start = guided_start(system, asked, 0.0, q, v)
        more = doubts(self.start.system, q, self.start.q, 0.0, self.start.settings.formulation)
        unused = ignored_tolerances(self.start.settings)
        self.noted: Sequence[RunWarning] = [*noted, *unused, *self.start.noted, *more]

    @property
    def switches(self) -> bool:
        """Whether it has phases, each with a driver of its own, or none at all."""
        mechanism = self.start.system.mechanism
        return bool(mechanism.devices or mechanism.actions or self.start.undetermined)

    @cached_property
    def driver(self) -> Driver:
        s = self.start
        driver = Driver(s.system, s.settings, 0.0, s.q, s.v, self.times, self.end, ())
        self.rank = int(driver.state.counts.rank_now)
        return driver

    def take_driver(self, spare: list[Beginning]) -> bool:
        """Begin with the driver of a run that has ended, where one of them serves; a new one takes ten times as long."""
        s = self.start
        beginning = next((b for b in spare if b.serves(s.system, s.settings)), None)
        if beginning is None:
            return False
        spare.remove(beginning)
        self.beginning, self.__dict__["driver"] = beginning, beginning.elsewhere(s.q, s.v)
        self.rank = int(self.driver.state.counts.rank_now)
        return True

    def alone(self) -> Run:
        """The whole run."""
        s = self.start
        if s.undetermined:
            return s.failed(0.0, self.noted)
        with Interruptible() as made:
            told: dict[str, Any] = {"progress": False, "asked": self.asked, "noted": self.noted}
            return made.ended(go(s.system, s.settings, 0.0, s.q, s.v, self.times, self.end, **told))

    def together(self, shared: int) -> Run:
        """The run that the driver has made with others; shared: steps tried on lanes."""
        run = finished(self.driver, 0.0, self.start.q, self.start.v, self.rank, self.noted)
        run.statistics["steps_on_lanes"] = shared
        return run


class Repeated:
    """A run that is made a second time with coarser steps, among others, to find its accuracy; by its own driver, where its
    first row is where it began."""

    def __init__(self, run: Run, times: Array, beginning: Beginning | None) -> None:
        self.run, self.times = run, times
        settings, self.how = coarser(run)
        begin, end = float(times[0]), float(times[-1])
        if beginning is not None and begin <= 0.0:
            self.driver = beginning.again(settings, end)
        else:
            self.driver = Driver(run.system, settings, begin, run.q[0].copy(), run.v[0].copy(), times, end, ())
        self.rank = int(self.driver.state.counts.rank_now)

    def together(self, _shared: int) -> Run:
        """The first run, with its accuracy; where the steps did not become coarser it finds another way to it, alone."""
        run = self.run
        other, rows = finished(self.driver, float(self.times[0]), run.q[0], run.v[0], self.rank, ()), rows_compared(run)
        if same_pace(run, other):
            _ = run.accuracy
            return run
        run.__dict__["accuracy"] = difference(
            run, other, rows, rows, self.how
        )  # what it computes when it is first asked
        return run


class Members:
    """What several threads take members from, and put results into; accuracy: whether that of each run is looked at."""

    def __init__(
        self, prepare: Callable[[int], Prepared], count: int, measure: Callable[[Run], Any] | None, accuracy: bool
    ) -> None:
        self.prepare, self.count, self.measure, self.accuracy = prepare, count, measure, accuracy
        self.found: list[Ended | None] = [None] * count
        self.waiting, self.lock = itertools.count(), threading.Lock()
        self.stopped = False

    def take(self) -> int | None:
        """The number of the next member, None when there are no more."""
        with self.lock:
            i = next(self.waiting)
        return i if i < self.count and not self.stopped else None

    def put(self, i: int, make: Callable[[], Run]) -> None:
        """Note how a member has ended; errors of the user's functions are raised, and say in which run."""
        try:
            run = self._made(i, make)
            if run is not None and self.measure is None:
                self.found[i] = Ended(run, run.status, run.message)
            elif run is not None and self.measure is not None:
                self.found[i] = Ended(None, run.status, run.message, self.measure(run))
        except Exception as error:
            error.add_note(f"in run {i} of simulate_many")
            raise

    def _made(self, i: int, make: Callable[[], Run]) -> Run | None:
        """The run, with its accuracy where that is asked for; None where it could not be made, which is noted."""
        try:
            run = make()
            if self.repeats(run):
                _ = run.accuracy  # which it keeps
            return run
        except CotreeError as error:
            self.found[i] = Ended(error, "failed", str(error))
            return None

    def repeats(self, run: Run) -> bool:
        """Whether a run is to be made a second time."""
        wanted = self.accuracy and run.status == "done" and "accuracy" not in run.__dict__
        return wanted and len(run.t) > 1 and not why_not_repeated(run)

    def each_alone(self) -> None:
        """One after the other."""
        while (i := self.take()) is not None:
            self.put(i, lambda i=i: self.prepare(i).alone())  # type: ignore[misc]

    def on_lanes(self, wanted: bytes) -> None:
        """Several of this structure at a time; others are run alone. Which they are must not depend on the thread."""
        from cotree.integrate.lanes.group import Group, structure

        group, seated, more = None, dict[int, tuple[int, Prepared | Repeated]](), True
        spare = list[Beginning]()  # of runs that have ended
        while more or seated:
            while more and (group is None or None in group.drivers):
                i = self.take()
                more = i is not None
                if i is None:
                    break
                try:
                    member = self.prepare(i)
                    again = not member.switches and member.take_driver(spare)
                    kind = wanted if again else None if member.switches else structure(member.driver)
                except CotreeError as error:
                    self.found[i] = Ended(error, "failed", str(error))
                    continue
                except Exception as error:
                    error.add_note(f"in run {i} of simulate_many")
                    raise
                if kind != wanted:
                    self.put(i, member.alone)
                    continue
                if group is None:
                    group = Group(member.driver)
                if self.accuracy or member.beginning is None:
                    member.beginning = Beginning(member.driver)
                seated[group.seat(member.driver)] = i, member
            if group is None or not seated:
                continue
            times = next(iter(seated.values()))[1].times
            for k in group.advance(times):
                i, one = seated.pop(k)
                repeated = self._ended(i, one, group.leave(k), group.structure)
                if repeated is not None:
                    seated[group.seat(repeated.driver)] = i, repeated
                elif isinstance(one, Prepared) and one.beginning is not None:
                    spare.append(one.beginning)
            if self.stopped:
                return

    def _ended(self, i: int, one: Prepared | Repeated, shared: int, kind: bytes | None) -> Repeated | None:
        """Note how a member that has left its seat has ended, or give what it goes on with; kind: structure of the others."""
        from cotree.integrate.lanes.group import structure

        try:
            run = one.together(shared)
        except CotreeError as error:
            self.found[i] = Ended(error, "failed", str(error))
            return None
        if self.repeats(run):
            with suppress(CotreeError):  # then it is looked at alone, which says why
                again = Repeated(run, one.times, one.beginning if isinstance(one, Prepared) else None)
                if again.driver is one.driver or structure(again.driver) == kind:
                    return again
        self.put(i, lambda: run)
        return None


def members(
    prepare: Callable[[int], Prepared],
    count: int,
    threads: int,
    lanes: bool,
    measure: Callable[[Run], Any] | None,
    accuracy: bool = False,
) -> list[Ended]:
    """All members as they have ended. What has to be compiled is compiled before the threads start."""
    every = Members(prepare, count, measure, accuracy)
    wanted = _structure(prepare, count) if lanes else None
    if wanted is None:
        i = every.take()
        every.put(0 if i is None else i, lambda: prepare(0).alone())
    threads = max(1, min(threads, count))  # further ones would find nothing to do
    pool = ThreadPoolExecutor(threads)
    try:
        work = every.each_alone if wanted is None else partial(every.on_lanes, wanted)
        for done in [pool.submit(work) for _ in range(threads)]:
            done.result()
    finally:
        every.stopped = True
        pool.shutdown(wait=True)
    assert all(x is not None for x in every.found)
    return [x for x in every.found if x is not None]


def _structure(prepare: Callable[[int], Prepared], count: int) -> bytes | None:
    """Structure of the first member that can be started, with which others share lanes; what they need is compiled."""
    from cotree.integrate.lanes.group import Group, structure

    for i in range(count):
        with suppress(CotreeError):  # which the member says
            first = prepare(i)
            found = None if first.switches else structure(first.driver)
            if found is not None:
                Group(first.driver)
            return found
    return None
