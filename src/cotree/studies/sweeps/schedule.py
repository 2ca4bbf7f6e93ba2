"""Batches handed to workers: a few at a time, the first one alone, and again where a worker died."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait

from cotree.errors import StudyError
from cotree.studies.sweeps.design import Design
from cotree.studies.sweeps.task import FAILED, WRONG, Outcome
from cotree.studies.sweeps.workers import Workers

Batch = tuple[int, ...]
AHEAD = 2  # batches in flight per worker
FIRST = 60.0  # seconds at most that the first batch is alone, since it may have to compile
LOST = "the worker process ended while it computed this point: it was killed, ran out of memory or crashed"

Receive = Callable[[list[Outcome], bool], None]  # results, and whether they are final


class Schedule:
    """What is waiting, what is being computed, and what has to be computed alone because a worker died meanwhile."""

    def __init__(self, design: Design, batches: Sequence[Batch], workers: Workers, receive: Receive) -> None:
        self.design, self.workers, self.receive = design, workers, receive
        self.waiting, self.suspects = deque(batches), deque[Batch]()
        self.running: dict[Future[list[Outcome]], Batch] = {}
        self.deaths: Counter[Batch] = Counter()

    def run(self) -> None:
        """All batches."""
        if self.waiting:
            self._submit(self.waiting.popleft())
            self._wait(FIRST)
        while self.running or self.waiting or self.suspects:
            self._fill()
            self._wait(None)

    def _fill(self) -> None:
        if self.suspects:
            if not self.running:
                self._submit(self.suspects.popleft())
            return
        while self.waiting and len(self.running) < AHEAD * self.workers.count:
            self._submit(self.waiting.popleft())

    def _submit(self, batch: Batch) -> None:
        self.running[self.workers.compute(batch, [self.design.point(i) for i in batch])] = batch

    def _wait(self, timeout: float | None) -> None:
        done, _ = wait(self.running, timeout, FIRST_COMPLETED)
        broken = False
        for future in sorted(done, key=self.running.__getitem__):
            batch = self.running.pop(future)
            error = future.exception()
            if error is None:
                self._received(future.result())
            elif isinstance(error, ImportError | AttributeError):  # it has no Cotree, or another one
                raise StudyError(f"sweep: a worker cannot compute: {error}; install the same packages there")
            else:
                broken = True
                self._lost(batch)
        if broken:
            for batch in self.running.values():  # a pool ends as a whole
                self._lost(batch)
            self.running.clear()
            self.workers.restart()

    def _received(self, outcomes: list[Outcome]) -> None:
        for o in outcomes:
            if o.status == WRONG:
                raise StudyError(f"sweep: at {self.design.words(o.index)}: {o.message}")
        self.receive(outcomes, True)

    def _lost(self, batch: Batch) -> None:
        """Compute it again alone; if the worker dies again, each of its points alone; then give up that point."""
        self.deaths[batch] += 1
        if self.deaths[batch] < 2:
            self.suspects.append(batch)
        elif len(batch) > 1:
            self.suspects.extend((i,) for i in batch)
            self.deaths.update((i,) for i in batch)
        else:
            self.receive([Outcome(batch[0], FAILED, LOST)], False)
