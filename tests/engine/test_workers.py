"""Work shared among threads that wait for it."""

import threading

import pytest

from cotree.engine import workers
from cotree.engine.workers import share


@pytest.mark.parametrize("threads", [1, 3])
def test_each_piece_is_done_once(threads):
    done, lock = [], threading.Lock()

    def work(piece):
        with lock:
            done.append(piece)

    share(work, range(50), threads)
    assert sorted(done) == list(range(50))


def test_others_take_pieces_too():
    """Two pieces that wait for each other are done by two threads."""
    both = threading.Barrier(2, timeout=60)
    share(lambda _: both.wait(), range(2), 2)


def test_what_is_raised_is_raised_here():
    def work(piece):
        if piece == 3:
            raise KeyError("three")

    with pytest.raises(KeyError, match="three"):
        share(work, range(9), 3)
    share(lambda _: None, range(9), 3)  # and the threads go on


def test_threads_are_kept():
    share(lambda _: None, range(4), 2)
    pool = workers._pool()
    share(lambda _: None, range(4), 2)
    assert workers._pool() is pool
