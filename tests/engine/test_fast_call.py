"""Fast calls: the same results as through Numba, whatever the arguments; no system is taken for another."""

import gc
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cotree as ct
from cotree.derivatives.constrained_call import _fast_constrained
from cotree.derivatives.forward import _fast_tree_derivatives
from cotree.derivatives.results import ForwardDerivatives, InverseDerivatives, Multipliers
from cotree.dynamics import api, forward
from cotree.engine import fast_call, objects
from cotree.engine.fast_call import BINDINGS, FastCall, place_of
from cotree.errors import ArgumentError, CotreeError, NotFiniteError, ShapeError
from tests.random_mechanisms import make_case

FAST = (api._fast_mass_matrix, api._fast_inverse_dynamics, forward._fast_forward_dynamics)
CALLS = (
    lambda s, q, v, w: ct.mass_matrix(s, q),
    lambda s, q, v, w: ct.inverse_dynamics(s, q, v, w),
    lambda s, q, v, w: ct.forward_dynamics(s, q, v, w).v_dot,
)


@pytest.fixture
def arm():
    system = ct.gallery.pendulum_chain(3).compile()
    for call in CALLS:
        call(system, system.q0, None, None)
    return system


def state(system, seed=1):
    rng = np.random.default_rng(seed)
    return system.q0 + 0.3 * rng.standard_normal(system.nq), *rng.standard_normal((2, system.nv))


@pytest.mark.parametrize("seed", range(12))
def test_quick_and_slow_agree_bit_for_bit(seed):
    case = make_case(seed, 1 + seed % 6)
    system, q, v = case.system, case.state.q, case.state.v
    w = case.state.tau
    slow = [call(system, list(q), list(v), list(w)) for call in CALLS]
    quick = [call(system, q.copy(), v.copy(), w) for call in CALLS]
    keys = [system if d.quick(system, q, v, w) is not None else system.own for d in FAST]
    numba = [d.by_numba(key, q.copy(), v.copy(), w) for d, key in zip(FAST, keys, strict=True)]
    assert [x.tobytes() for x in slow] == [x.tobytes() for x in quick] == [x.tobytes() for x in numba]
    assert [x.shape for x in quick] == [(system.nv, system.nv), (system.nv,), (system.nv,)]
    assert all(x.flags.carray and x.flags.owndata and type(x) is np.ndarray for x in quick)


def test_ordinary_arguments_take_the_quick_path(arm, monkeypatch):
    q, v, w = state(arm)
    expected = [call(arm, q, v, w) for call in CALLS]
    for module, name in ((api, "_mass_matrix_of"), (api, "_inverse_dynamics_of")):
        monkeypatch.setattr(module, name, None)
    monkeypatch.setattr("cotree.formulations.forward._forward_dynamics_of", None)
    assert all(np.array_equal(call(arm, q, v, w), x) for call, x in zip(CALLS, expected, strict=True))
    q.flags.writeable = False
    assert np.array_equal(ct.mass_matrix(arm, q), expected[0])


@pytest.mark.parametrize("d", FAST, ids=lambda d: d.__name__)
def test_extraordinary_arguments_are_refused(arm, d):
    q, v, w = state(arm)
    good = d.quick(arm, q, v, w)
    assert isinstance(good, np.ndarray)
    many = np.zeros((3, 2))
    many[:, 0] = q
    swapped = q.astype(">f8")
    bad = [
        None, 1.0, "q", list(q), q[:2], q[:, None], many[:, 0], q.astype(np.float32), q.astype(int), swapped,
        np.ma.array(q), np.float64(1.0), object(), type, np.ndarray, ct, np.zeros(0),
    ]  # fmt: skip
    assert [x for x in bad if d.quick(arm, x, v, w) is not None] == []
    assert [x for x in bad[1:] if d.quick(arm, q, x, w) is not None] == []
    assert [x for x in bad[1:] if d.quick(arm, q, v, x) is not None] == []
    assert [x for x in bad if d.quick(x, q, v, w) is not None] == []
    assert d.quick() is None
    assert d.quick(arm) is None
    assert d.quick(arm, q, v, w, w) is None
    assert np.array_equal(d.quick(arm, q, None, None), d.quick(arm, q))
    unaligned = np.frombuffer(b"\0" * 4 + q.tobytes(), np.uint8)[4:].view(float)
    assert unaligned.flags.aligned or d.quick(arm, unaligned, v, w) is None
    assert np.array_equal(d.quick(arm, q, v, w), good)


def test_named_errors_stay(arm):
    q, v, w = state(arm)
    for call in CALLS:
        with pytest.raises(ShapeError, match="must have 3 entries"):
            call(arm, q[:2], v, w)
        with pytest.raises(NotFiniteError, match="nan at entry 1"):
            call(arm, np.array([0.0, np.nan, 0.0]), v, w)
        with pytest.raises(ArgumentError, match="needs a Mechanism or a System"):
            call("arm", q, v, w)
    with pytest.raises(NotFiniteError, match="overflows"):
        ct.inverse_dynamics(arm, q, np.full(3, 1e200))
    with pytest.raises(CotreeError, match="formulation"):
        ct.forward_dynamics(arm, q, v, w, np.zeros(3))
    for t in (np.nan, np.inf, "now"):
        with pytest.raises(ShapeError, match="time in seconds"):
            ct.inverse_dynamics(arm, q, v, w, t=t)
        with pytest.raises(ShapeError, match="time in seconds"):
            ct.forward_dynamics(arm, q, v, w, t=t)


def test_forces_that_are_functions_never_take_the_quick_path():
    mech = ct.gallery.planar_3r()
    mech.motor("m", mech.compile().coordinate_names[0], lambda t: 3.0 * t)
    system = mech.compile()
    q, v, w = state(system)
    at = [ct.inverse_dynamics(system, q, v, w, t=t)[0] for t in (0.0, 1.0, 2.0)]
    assert np.allclose(np.diff(at), -3.0)
    assert [d.quick(system, q, v, w) for d in FAST[1:]] == [None, None]


def test_each_thread_is_bound_by_itself(arm):
    q, v, w = state(arm)
    with ThreadPoolExecutor(1) as pool:
        refused = [pool.submit(d.quick, arm, q, v, w).result() for d in FAST]
        found = [pool.submit(call, arm, q, v, w).result() for call in CALLS]
    assert refused == [None, None, None]
    assert all(np.array_equal(x, call(arm, q, v, w)) for x, call in zip(found, CALLS, strict=True))


def test_many_systems_take_turns():
    """More than the table of bindings holds."""
    systems = [ct.gallery.pendulum_chain(1 + k % 3, length=1.0 + k).compile() for k in range(2 * BINDINGS)]
    expected = [ct.mass_matrix(s, list(s.q0)) for s in systems]
    for _ in range(2):
        assert all(np.array_equal(ct.mass_matrix(s, s.q0.copy()), M) for s, M in zip(systems, expected, strict=True))


@pytest.mark.parametrize("apart", [16, 48, 112, 512, 1024, 4096])
def test_objects_at_regular_addresses_spread(apart):
    places = {place_of.py_func(0x7F5A_1234_0000 + apart * k, 0x7F5A_5678_9700) for k in range(2 * BINDINGS)}
    assert len(places) > BINDINGS // 4


def test_each_system_is_quick_once_called_however_full_the_table(monkeypatch):
    """Addresses decide which systems share a place; none may stay without one."""
    systems = [ct.gallery.pendulum_chain(1 + k % 3).compile() for k in range(4 * BINDINGS)]
    slow, called = api._mass_matrix_of, []

    def noted(*arguments):
        called.append(arguments[0])
        return slow(*arguments)

    monkeypatch.setattr(api, "_mass_matrix_of", noted)
    for s in systems:
        ct.mass_matrix(s, s.q0)
        ct.mass_matrix(s, s.q0)
    assert [id(s) for s in called] == [id(s) for s in systems]


def test_deleted_systems_are_forgotten():
    d = api._fast_mass_matrix
    system = ct.gallery.pendulum_chain(2).compile()
    ct.mass_matrix(system, system.q0)
    key = id(system)
    assert key in d.table[0]["bindings"]["key"]
    del system
    gc.collect()
    assert key not in d.table[0]["bindings"]["key"]


def test_references_are_counted(arm):
    import sys

    q, v, w = state(arm)
    before = [sys.getrefcount(x) for x in (q, v, w, arm)]
    for d in FAST:
        for _ in range(50):
            assert sys.getrefcount(d.quick(arm, q, v, w)) == 1 + (sys.version_info < (3, 14))
            d.quick(arm, q, None, 5)
    d.quick(arm, np.full(3, np.nan), v, w)
    assert [sys.getrefcount(x) for x in (q, v, w, arm)] == before


def test_where_objects_cannot_be_read(monkeypatch, arm):
    assert objects.readable()
    monkeypatch.setattr(fast_call, "readable", lambda: False)
    other = FastCall(api._fast_mass_matrix.inner.py_func, matrix=True)
    own, (q, _, _) = arm.own, state(arm)
    assert other.quick(arm, q) is None
    other.bind(arm, own.here, own.values, arm.nq, arm.nv)
    assert np.array_equal(other.quick(arm, q), ct.mass_matrix(arm, q))
    assert other.quick(arm, list(q)) is None
    assert other.quick(arm, np.full(3, np.nan)) == 1


def test_named_results():
    """Fast calls of several arrays make the named tuples themselves: the same through Numba, and none is left behind."""
    tree, loop = ct.gallery.pendulum_chain(3).compile(), ct.gallery.four_bar().compile()
    for system, fast, rows in ((tree, _fast_tree_derivatives, 0), (loop, _fast_constrained, 2)):
        q, v, w = system.q0.copy(), np.zeros(system.nv), np.linspace(-1.0, 1.0, system.nv)
        ct.forward_dynamics_derivatives(system, q, v, w)
        quick = ct.forward_dynamics_derivatives(system, q, v, w)
        numba = fast.by_numba(system, q, v, w)
        assert type(quick) is type(numba) is ForwardDerivatives
        assert type(quick.dmultipliers) is type(numba.dmultipliers) is Multipliers
        assert quick.dmultipliers.dq.shape == (rows, system.nv)
        for name in ("dq", "dv", "dtau", "v_dot"):
            assert getattr(quick, name).tobytes() == getattr(numba, name).tobytes()
        for name in ("dq", "dv", "dtau"):
            assert getattr(quick.dmultipliers, name).tobytes() == getattr(numba.dmultipliers, name).tobytes()
        for one, other in ((quick, numba), (quick.dmultipliers, numba.dmultipliers)):
            assert [sys.getrefcount(x) for x in one] == [sys.getrefcount(x) for x in other]
        before = [sys.getrefcount(x) for x in (ForwardDerivatives, Multipliers)]  # each tuple counts for its class
        for _ in range(200):
            ct.forward_dynamics_derivatives(system, q, v, w)
        assert [sys.getrefcount(x) for x in (ForwardDerivatives, Multipliers)] == before
    found = ct.inverse_dynamics_derivatives(tree, tree.q0.copy())
    assert type(found) is InverseDerivatives
    assert found._asdict().keys() == {"dq", "dv", "da"}
