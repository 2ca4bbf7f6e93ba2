"""Threads that wait for work: started once, since to start them takes as long as a small batch.

Compiled loops that release Python's lock run on them, beside the thread that calls.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from cotree.engine.together import cores

Piece = TypeVar("Piece")
_pools: list[ThreadPoolExecutor] = []  # one, once there is any

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)  # threads do not survive a fork


def share(work: Callable[[Piece], None], pieces: Iterable[Piece], threads: int) -> None:
    """work(piece) for all pieces, here and on threads - 1 others, each of which takes the next one that is left. What a piece
    raises is raised here, when all have stopped. Whoever works on a piece shares no work of its own."""
    left = deque(pieces)

    def take() -> None:
        while left:
            try:
                piece = left.popleft()
            except IndexError:  # another one was faster
                return
            try:
                work(piece)
            except BaseException:
                left.clear()
                raise

    others = [_pool().submit(take) for _ in range(threads - 1)]
    try:
        take()
    finally:
        for other in others:
            if not other.cancel():  # one that has not started is not waited for
                other.result()


def _pool() -> ThreadPoolExecutor:
    if not _pools:
        _pools.append(ThreadPoolExecutor(max(1, cores() - 1), thread_name_prefix="cotree"))
    return _pools[0]
