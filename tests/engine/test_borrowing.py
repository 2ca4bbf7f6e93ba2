"""Kernels that own no array are compiled without counts of references: who owns one, and that none is lost or freed twice."""

import gc

import numpy as np
import pytest
from numba.core.caching import NullCache
from numba.core.runtime import _nrt_python, rtsys

import cotree as ct
from cotree.engine import borrowing, dispatcher
from cotree.engine.interpreted import INTERPRETED
from cotree.engine.kernel import kernel, released
from cotree.engine.records import array_t, put_array, record, rows_of, vector, vector_at

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

row_t = np.dtype([("x", "f8")])
rows = rows_of(row_t)


@kernel
def half(x):
    return x[: x.size // 2]


@kernel
def made(n):
    return np.arange(1.0, n + 1.0)


@kernel
def total(x):
    s = 0.0
    for i in range(x.size):
        s += x[i]
    return s


@kernel
def opened(address, n):
    return vector_at(address, n)


@kernel
def of_opened(address, n):
    return total(opened(address, n)[1:])


@kernel
def of_half(x):
    return total(half(x))


@kernel
def of_made(n):
    return total(half(made(n)))


@kernel
def put_slice(x, y):
    x[:2] = y[:2]


@kernel
def of_rows(field):
    table, s = rows(field), 0.0
    for i in range(table.size):
        s += table[i].x
    return s


@kernel
def chosen(x, places):
    return total(x[places])


@released
def all_of_it(address, x, places, field):
    put_slice(x, x[1:])
    return of_opened(address, 3) + of_half(x) + of_made(4) + of_rows(field) + chosen(x, places)


@pytest.fixture
def owners(monkeypatch):
    """Which kernels own something, by name, as they are compiled; nothing is taken from the disk."""
    found = {}
    decide = borrowing._owns

    def noted(state):
        found[state.func_id.func_name] = decide(state)
        return found[state.func_id.func_name]

    monkeypatch.setattr(borrowing, "_owns", noted)
    monkeypatch.setattr(
        borrowing, "PACKAGE", __name__.rpartition(".")[0]
    )  # these kernels are taken for the package's own
    monkeypatch.setattr(dispatcher, "cache_of", lambda *given: NullCache())
    return found


def test_only_what_makes_copies_or_hands_on_an_array_owns_it(owners):
    x, places, field = np.array([1.0, 2.0, 4.0, 8.0]), np.array([0, 3]), record(array_t)
    table = np.array([(3.0,), (5.0,)], row_t)
    put_array(field, table)
    y = np.array([1.0, 10.0, 100.0])
    shifted = np.array([2.0, 4.0, 4.0, 8.0])
    expected = 110.0 + 6.0 + 3.0 + 8.0 + shifted[0] + shifted[3]
    assert all_of_it(y.ctypes.data, x, places, field) == expected
    assert np.array_equal(x, shifted)
    borrowers = {name for name, owns in owners.items() if not owns}
    assert borrowers == {"total", "opened", "of_opened", "of_rows"}
    assert {name for name, owns in owners.items() if owns} == {
        "half",
        "made",
        "of_half",
        "of_made",
        "put_slice",
        "chosen",
    }


def counts():
    stats = rtsys.get_allocation_stats()
    return stats.mi_alloc - stats.mi_free


def test_runs_leave_no_array_behind():
    """Whatever kernels allocate in a run, with loops, output between steps and events, is freed."""
    _nrt_python.memsys_enable_stats()
    try:
        system = ct.gallery.four_bar().compile()
        event = ct.Event(lambda t, q, v: np.sin(q[0]), "half turn")
        gc.collect()  # what other tests have left behind is not freed meanwhile
        left = []
        for _ in range(3):
            ct.simulate(system, 0.5, output=50)
            ct.simulate(system, 0.5, events=[event])
            ct.forward_dynamics(system, system.q0, np.zeros(system.nv))
            gc.collect()
            left.append(counts())
        assert left[1] == left[2]
    finally:
        _nrt_python.memsys_disable_stats()


def test_vector_of_a_field_is_a_view():
    field, x = record(array_t), np.zeros(3)
    put_array(field, x)

    @released
    def put(field):
        vector(field)[1] = 5.0

    put(field)
    assert list(x) == [0.0, 5.0, 0.0]
