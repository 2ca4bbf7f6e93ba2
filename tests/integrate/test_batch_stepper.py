"""Many steppers at once: the same states as single ones, live arrays, failures that stay where they are."""

import numpy as np
import pytest

import cotree as ct
from cotree.engine.interpreted import INTERPRETED
from cotree.engine.lane_type import count
from cotree.errors import ArgumentError, ChoiceError, ShapeError, StepError, UnknownNameError
from cotree.gallery import four_bar, n_four_bar, pendulum_chain
from tests.integrate.test_guides import touching_surfaces
from tests.random_mechanisms import error

pytestmark = pytest.mark.skipif(INTERPRETED or not count(), reason="lanes are compiled")


@pytest.mark.parametrize(("mech", "method"), [(four_bar, "rk4"), (pendulum_chain, "rk4"), (four_bar, "dopri5")])
def test_as_single_steppers(mech, method):
    """With torques that change from member to member and from time to time."""
    batch = ct.BatchStepper(mech(), 2e-3, 6, method)
    single = [ct.Stepper(mech(), 2e-3, method) for _ in range(6)]
    torque = np.random.default_rng(0).standard_normal((4, 6, len(batch.inputs)))
    for now in torque:
        batch.torque[:] = now
        batch.step(5)
        for one, own in zip(single, now, strict=True):
            one.set(torque=dict(zip(batch.inputs, own.tolist(), strict=True)))
            one.step(5)
    assert error(batch.q, [s.q for s in single]) < 1e-13
    assert error(batch.v, [s.v for s in single]) < 1e-12
    assert error(batch.v_dot, [s.v_dot for s in single]) < 1e-11
    assert np.array_equal(batch.t, [s.t for s in single])
    assert len({float(x) for x in batch.v[:, 0]}) == 6
    assert len(batch) == 6
    assert not batch.failed.any()
    batch.check()


def test_arrays_are_live():
    batch = ct.BatchStepper(pendulum_chain(2), 1e-3, 5, inputs=["J2"])
    q, v = batch.q, batch.v
    batch.step()
    assert q is batch.q
    assert q.base is not None
    q[3] = [0.3, -0.2]
    v[3] = [1.0, 2.0]
    batch.torque[3] = 0.7
    batch.step(10)
    alone = ct.Stepper(pendulum_chain(2), 1e-3, q=[0.3, -0.2], v=[1.0, 2.0])
    alone.set(torque={"J2": 0.7})
    alone.step(10)
    assert error(q[3], alone.q) < 1e-14
    assert error(v[3], alone.v) < 1e-13
    assert np.array_equal(q[0], q[4])
    assert batch.torque.shape == (5, 1)


def test_resets_some():
    rng = np.random.default_rng(1)
    q, v = rng.standard_normal((2, 7, 3))
    batch = ct.BatchStepper(pendulum_chain(3), 1e-3, q=q, v=v)
    batch.torque[:] = 1.0
    batch.step(20)
    before = batch.q.copy()
    batch.reset(q[[1, 4]], v[[1, 4]], members=[1, 4])
    assert np.array_equal(batch.q[[1, 4]], q[[1, 4]])
    assert np.array_equal(batch.q[[0, 2, 3, 5, 6]], before[[0, 2, 3, 5, 6]])
    assert np.array_equal(batch.t[[0, 1]], [batch.t[0], 0.0])
    assert not batch.torque[1].any()
    batch.torque[:] = 1.0
    batch.step(20)
    assert np.array_equal(batch.q[1], before[1])  # the same steps again, bit for bit
    batch.reset(q[0], v[0])
    assert np.array_equal(batch.q, np.repeat(q[:1], 7, axis=0))


def test_failures_stay_where_they_are():
    batch = ct.BatchStepper(pendulum_chain(2), 1e-2, 6, inputs=["J1"])
    batch.torque[:, 0] = [0.0, 1e305, 0.1, 0.2, 0.3, 0.4]
    batch.step(30)
    assert batch.failed.tolist() == [False, True, False, False, False, False]
    assert "infinite or NaN" in batch.message(1)
    assert batch.message(0) == ""
    for i in (0, 2, 5):
        alone = ct.Stepper(pendulum_chain(2), 1e-2)
        alone.set(torque={"J1": float(batch.torque[i, 0])})
        alone.step(30)
        assert error(batch.q[i], alone.q) < 1e-12
    assert np.isfinite(batch.q).all()
    with pytest.raises(StepError, match=r"1 of 6 members .* the first is 1"):
        batch.check()
    batch.reset(members=batch.failed)
    batch.step(3)
    assert not batch.failed.any()


def test_passes_singular_configurations():
    """Alone there, by the engine for single steppers."""
    mech = n_four_bar(2)
    system = mech.compile()
    q0 = system.q0 if system.start[0] is None else system.start[0]
    u = ct.consistent_velocity(system, q0, {"A0": 1.0})
    speeds = np.array([-4.0, 0.2, -5.0])
    batch = ct.BatchStepper(mech, 2e-3, q=np.repeat(q0[None], 3, axis=0), v=speeds[:, None] * u)
    batch.step(250)
    for i, speed in enumerate(speeds):
        alone = ct.Stepper(mech, 2e-3, v=speed * u)
        alone.step(250)
        assert error(batch.q[i], alone.q) < 1e-7
        assert error(batch.v[i], alone.v) < 1e-6


@pytest.mark.parametrize(
    ("error_of", "words", "options"),
    [
        (ShapeError, "number of members is not told", {}),
        (ShapeError, "number of members is 2 or 3", {"count": 2, "q": np.zeros((3, 3))}),
        (ShapeError, "count is 0", {"count": 0}),
        (ShapeError, "q must be an array", {"count": 2, "q": np.zeros((2, 4))}),
        (ShapeError, "v must be an array", {"count": 2, "v": np.full(3, np.nan)}),
        (ShapeError, "step is None", {"count": 2, "step": None}),
        (UnknownNameError, "no input 'J9'", {"count": 2, "inputs": ["J9"]}),
        (ArgumentError, "inputs: .* is not a name", {"count": 2, "inputs": np.zeros(2, [("x", "f8")])}),
        (ChoiceError, "use ct.Stepper", {"count": 2, "method": "generalized-alpha"}),
    ],
)
def test_refuses(error_of, words, options):
    with pytest.raises(error_of, match=words):
        ct.BatchStepper(pendulum_chain(3), **{"step": 1e-3, **options})


def test_starts_by_name():
    batch = ct.BatchStepper(four_bar(), 1e-3, v={"A": [1.0, 2.0, 3.0]}, q={"A": 0.2})
    for i in range(3):
        alone = ct.Stepper(four_bar(), 1e-3, q={"A": 0.2}, v={"A": 1.0 + i})
        assert np.array_equal(batch.q[i], alone.q)
        assert np.array_equal(batch.v[i], alone.v)
    batch.reset(q={"A": [0.1, 0.3]}, members=[0, 2])
    assert batch.q[:, 0].tolist() == [0.1, 0.2, 0.3]
    with pytest.raises(ShapeError, match="each of 3 members; give 2, or one for all"):
        batch.reset(q={"A": [0.1, 0.2, 0.3]}, members=[0, 2])


def test_refuses_steps_and_members():
    batch = ct.BatchStepper(pendulum_chain(1), 1e-3, 2)
    assert "2 times" in repr(batch)
    with pytest.raises(ShapeError, match="n is -1"):
        batch.step(-1)
    with pytest.raises(ArgumentError, match="members is 5"):
        batch.reset(members=5)


def test_refuses_user_rows():
    with pytest.raises(ChoiceError, match=r"user rows of mechanism 'surfaces' \(constraint 'one', constraint 'two'\)"):
        ct.BatchStepper(touching_surfaces(), 1e-3, 2)


def test_is_loaded_when_asked_for():
    import cotree.integrate

    assert cotree.integrate.BatchStepper is ct.BatchStepper
    with pytest.raises(AttributeError, match="no attribute 'BatchSteppers'"):
        _ = cotree.integrate.BatchSteppers
