"""Several Python threads on one system, Numba's threads among them, and calls from within the functions of a run."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

import cotree as ct
from cotree.engine import threads
from cotree.engine.records import address_of, copied
from cotree.formulations.odca.division import division, use_threads


def in_a_thread(function):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function).result()


def test_each_thread_has_its_own_workspace():
    system = ct.gallery.four_bar().compile()
    mine, other = system.own.record, in_a_thread(lambda: copied(system.own.record))
    assert system.here == address_of(mine)
    shared = {name for name in mine.dtype.names if mine[name].at == other[name].at}
    assert shared == set(system.tables)
    system.cache["mine"] = 1
    assert in_a_thread(lambda: dict(system.cache)) == {}


def test_threads_on_one_large_system():
    system = ct.gallery.n_four_bar(200, angle=0.8).compile()
    assert system.nv > 400
    assert use_threads(system, 2).threads == 2
    states = [ct.consistent_velocity(system, system.q0, np.full(system.nv, 0.1 * k)) for k in range(3)]

    def accelerations(v):
        return ct.forward_dynamics(system, system.q0, v, formulation="odca").v_dot.tobytes()

    expected, found = [accelerations(v) for v in states], [[] for _ in states]
    start = threading.Barrier(len(states))

    def work(k):
        start.wait()
        found[k] += [accelerations(states[k]) for _ in range(30)]

    together = [threading.Thread(target=work, args=(k,)) for k in range(len(states))]
    for thread in together:
        thread.start()
    for thread in together:
        thread.join()
    assert found == [[x] * 30 for x in expected]


def test_threads_are_left_alone_where_two_callers_would_meet(monkeypatch):
    """Numba's own layer of threads ends the process there."""
    system = ct.gallery.n_four_bar(20).compile()
    assert use_threads(system, 2).threads == 2
    monkeypatch.setattr(numba, "threading_layer", lambda: "workqueue")
    assert division(system).threads == 2
    assert in_a_thread(lambda: division(system).threads) == 1
    monkeypatch.setattr(threads, "_left_behind", True)
    assert division(system).threads == 1


def test_functions_may_compute_with_the_system_that_they_are_part_of():
    box = {"calls": 0}

    def asks(t, q, v):
        if box.get("inside"):
            return np.sin(5.0 * t)
        box["inside"] = True
        system = box["system"]
        ct.forward_dynamics(system, q + 1.0, 7.0 * v)
        box["calls"] += 1
        if box["calls"] % 400 == 1:
            ct.simulate(system, 0.01, q=q, v=v, output=2, progress=False)
        ct.constraint_residual(system, system.q0 + 0.1)
        box["inside"] = False
        return np.sin(5.0 * t)

    def run(torque, event):
        mech = ct.gallery.four_bar()
        mech.motor("motor", "A", torque)
        box["system"] = system = mech.compile()
        return ct.simulate(system, 0.05, events=[event], output=3, progress=False)

    plain = run(lambda t: np.sin(5.0 * t), lambda t: t - 0.03)
    nested = run(asks, lambda t, q, v: (asks(t, q, v), t - 0.03)[1])
    assert box["calls"] > 3000
    assert nested.q.tobytes() == plain.q.tobytes()
    assert [e.t for e in nested.events] == [e.t for e in plain.events]


def test_eight_threads_compute_the_same_bits_as_one():
    """A small system by matrices, and a large one that is divided and runs on Numba's threads as well."""
    large = ct.gallery.n_four_bar(150, angle=0.8).compile()
    assert use_threads(large, 2).threads == 2
    for system, formulation, calls in ((ct.gallery.four_bar().compile(), "auto", 300), (large, "odca", 40)):
        states = [ct.consistent_velocity(system, system.q0, np.full(system.nv, 0.1 * k)) for k in range(8)]

        def found(v, system=system, formulation=formulation):
            return ct.forward_dynamics(system, system.q0, v, formulation=formulation).v_dot.tobytes()

        def calls_of(v, count=calls, found=found):
            return {found(v) for _ in range(count)}

        expected = [{found(v)} for v in states]
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(calls_of, states)) == expected
