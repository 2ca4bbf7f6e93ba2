"""Best of several repetitions: the machine's noise only ever adds."""

from __future__ import annotations

import time
from collections.abc import Callable


def best(call: Callable[[], object], per_call: int = 1, repeat: int = 7) -> float:
    """Seconds for one evaluation of `call`, which makes `per_call` of them."""
    call()
    shortest = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest / per_call


def repeated(call: Callable[[], object], count: int) -> Callable[[], None]:
    """`call` made `count` times from Python."""

    def run() -> None:
        for _ in range(count):
            call()

    return run


def interleaved(calls: list[Callable[[], object]], per_call: list[int], rounds: int = 5) -> list[float]:
    """Best seconds of each of several calls, taken in turns so that all meet the same noise."""
    shortest = [float("inf")] * len(calls)
    for _ in range(rounds):
        for k, call in enumerate(calls):
            shortest[k] = min(shortest[k], best(call, per_call[k], repeat=2))
    return shortest


def short_turns(calls: list[Callable[[], object]], seconds: float = 0.3, turn: float = 5e-4) -> list[float]:
    """Best seconds of one call each, taken in turns shorter than what a scheduler gives a process at a time: on a busy machine
    longer ones are interrupted, every one of them."""
    once = [best(call, repeat=3) for call in calls]
    counts = [max(1, int(turn / x)) for x in once]
    shortest, begin = list(once), time.perf_counter()
    while time.perf_counter() - begin < seconds * len(calls):
        for k, (call, count) in enumerate(zip(calls, counts, strict=True)):
            start = time.perf_counter()
            for _ in range(count):
                call()
            shortest[k] = min(shortest[k], (time.perf_counter() - start) / count)
    return shortest


def settled(
    calls: list[Callable[[], object]], per_call: list[int], seconds: float = 1.0, least: int = 3
) -> list[float]:
    """Best seconds of this thread's processor time, in turns until each call has had its time, and at least so many turns.

    Calls that use one thread are not charged for what others do on the machine meanwhile, as long calls would be.
    """
    shortest, turns = [float("inf")] * len(calls), 0
    for call in calls:
        call()
    begin = time.thread_time()
    while turns < least or time.thread_time() - begin < seconds * len(calls):
        turns += 1
        for k, call in enumerate(calls):
            start = time.thread_time()
            call()
            shortest[k] = min(shortest[k], time.thread_time() - start)
    return [x / count for x, count in zip(shortest, per_call, strict=True)]


def warm(calls: list[Callable[[], object]], rounds: int = 4, each: int = 3) -> list[float]:
    """Best seconds of this thread's processor time, in turns, of each call after one more of itself: large ones in turns with
    small ones would leave these with cold caches."""
    shortest = [float("inf")] * len(calls)
    for _ in range(rounds):
        for k, call in enumerate(calls):
            call()
            for _ in range(each):
                start = time.thread_time()
                call()
                shortest[k] = min(shortest[k], time.thread_time() - start)
                if shortest[k] > 0.05:
                    break
    return shortest
